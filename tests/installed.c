/* The installed attention functions against the page, rule by rule: each member of struct mer_attention says what the
 * row's parameter or input says. Bounds are those of the kernel that answers; of documents, each is the same bits as
 * when it is asked alone. */
#include <criterion/criterion.h>
#include <math.h>
#include "compare/compare.h"
#include "half.h"
#include "kernels.h"
#include "trial/trial.h"

enum { H = 4, G = 2, N = 9, M = 13, D = 5, E = 6 };
static const char shape[] = "h=4 g=2 n=9 m=13 d=5 e=6";
#define SIZES .h = H, .g = G, .n = N, .m = M, .d = D, .e = E
static const struct rule { const char *params, *more; struct mer_attention a; } rules[] = {
    { "causal=bottomright right=2 window=4", "", { SIZES, .causal = MER_BOTTOM_RIGHT, .right = 2, .window = 4 } },
    /* |c - j| < 5. */
    { "causal=topleft right=4 window=5 windows=within", "", { SIZES, .causal = MER_TOP_LEFT, .right = 4,
        .window = 5 } },
    { "causal=topleft prefix=4", "bias", { SIZES, .causal = MER_TOP_LEFT, .prefix = 4 } },
    { "causal=bottomright chunk=4 start=1", "", { SIZES, .causal = MER_BOTTOM_RIGHT, .chunk = 4, .start = 1 } },
    { "causal=bottomright first=2 length=11", "", { SIZES, .causal = MER_BOTTOM_RIGHT, .first = 2, .padding = 2 } },
    { "cap=1/2", "bias", { SIZES, .cap = .5f } },
    { "cap=1/2 cap_at=after causal=topleft", "bias", { SIZES, .cap = .5f, .cap_after = 1, .causal = MER_TOP_LEFT } },
    { "mask=add constant=-3 causal=topleft", "", { SIZES, .mask = MER_ADD, .constant = -3, .causal = MER_TOP_LEFT } },
    { "mask=fill constant=-1/2 causal=topleft", "keep", { SIZES, .mask = MER_FILL, .constant = -.5f,
        .causal = MER_TOP_LEFT } },
    { "causal=bottomright", "sink", { SIZES, .causal = MER_BOTTOM_RIGHT } },
    { "causal=bottomright temperature=ssmax temper=1/2", "", { SIZES, .causal = MER_BOTTOM_RIGHT } },
    { "group=tile", "", { SIZES, .tiled = 1 } },
    { "order=bias-first scale=1/3", "bias", { SIZES, .bias_first = 1, .scale = 1 / 3.f } },
    { "base=2", "", { SIZES, .binary = 1 } },
    { "empty=nan causal=offset offset=-3", "", { SIZES, .empty = MER_NAN, .causal = MER_OFFSET, .offset = -3 } },
    { "empty=mean causal=offset offset=-3", "", { SIZES, .empty = MER_MEAN, .causal = MER_OFFSET, .offset = -3 } },
    { "causal=bottomright window=2 cap=2", "cu_seqlens_q cu_seqlens_k sink bias b=4",
        { SIZES, .causal = MER_BOTTOM_RIGHT, .window = 2, .cap = 2 } },
    { "causal=topleft right=1 temperature=logn trained=2", "cu_seqlens_q cu_seqlens_k b=3",
        { SIZES, .causal = MER_TOP_LEFT, .right = 1 } },
};
static float warmth[N], narrow[H * N];
static int32_t cu[2][8];
static uint8_t kept[H * N * M];

/* The members of struct mer_attention, with the trial's arrays. */
static struct mer_attention asked(const struct rule *r, struct trial *t)
{
    struct mer_attention a = r->a;
    const struct mer_array *sink = mer_in(&t->call, "sink"), *bias = mer_in(&t->call, "bias"),
                           *keep = mer_in(&t->call, "keep"), *q = mer_in(&t->call, "cu_seqlens_q"),
                           *k = mer_in(&t->call, "cu_seqlens_k");
    a.sink = sink ? sink->data : NULL, a.bias = bias ? bias->data : NULL;
    for (long i = 0; keep && i < H * N * M; i++)
        array_put(trial_in(t, "keep"), i, i % 7 != 2), kept[i] = i % 7 != 2;
    a.keep = keep ? kept : NULL;
    for (long s = 0; q && s < array_len(q); s++)
        cu[0][s] = (int32_t)array_get(q, s), cu[1][s] = (int32_t)array_get(k, s);
    a.documents = q ? array_len(q) - 1 : 0, a.cu_q = q ? cu[0] : NULL, a.cu_k = q ? cu[1] : NULL;
    for (long i = 0, s = 0; i < N; i++) {
        while (q && i >= cu[0][s + 1])
            s++;
        long at = q ? i - cu[0][s] : i, corner = q ? cu[1][s + 1] - cu[1][s] - cu[0][s + 1] + cu[0][s] : M - N,
             c = r->a.causal == MER_BOTTOM_RIGHT ? at + corner : at;
        double by = log((double)(c < 0 ? 1 : c + 1));
        warmth[i] = (float)(strstr(r->params, "ssmax") ? by / 2 : by <= log(2) ? 1 : by / log(2));
    }
    a.warmth = strstr(r->params, "temperature") ? warmth : NULL;
    return a;
}

/* The first kernel of the highest slot that answers, which is the one that the installed functions ask. */
static const struct mer_kernel *answering(struct trial *t, const char *type)
{
    const struct mer_kernel *best = NULL;
    for (const struct slot *s = slots; s->name; s++)
        if (s->here() && !strcmp(s->kernel->row, "attention")) {
            const struct mer_kernel *k = s->kernel;
            while (k->row && (strcmp(k->out, "o lse") || strcmp(k->type, type) || mer_ask(k, &t->call) != MER_OK))
                k++;
            best = k->row ? k : best;
        }
    return best;
}

/* The installed function of this type. */
static int ask(const char *type, void *o, float *lse, const void *q, const void *k, const void *v,
    const struct mer_attention *a, void *scratch)
{
    return !strcmp(type, "f32") ? mer_attention_f32(o, lse, q, k, v, a, scratch) :
        !strcmp(type, "bf16")   ? mer_attention_bf16(o, lse, q, k, v, a, scratch) :
                                  mer_attention_f16(o, lse, q, k, v, a, scratch);
}

static void each(const char *isa, const char *type)
{
    setenv("MERIDIAN_ISA", isa, 1);
    for (size_t x = 0; x < sizeof rules / sizeof *rules; x++) {
        struct trial t;
        struct arith how;
        struct tally y;
        char err[400], sizes[120];
        const bool half = type_size(type_named(type)) == 2;
        snprintf(sizes, sizeof sizes, "%s %s", shape, rules[x].more);
        /* The functions for 16 bits take these members in float32, where the row's inputs have 16 too: such a case is
         * left out. */
        if (half && (strstr(sizes, "bias") || strstr(sizes, "sink")))
            continue;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", rules[x].params, "o lse", type_named(type),
            sizes, 3 + x }, err, sizeof err), 0, "%s", err);
        const struct mer_attention a = asked(&rules[x], &t);
        const struct mer_kernel *k = answering(&t, type);
        void *scratch = malloc(mer_attention_scratch(&a)), *q = t.in[0].data, *key = t.in[1].data, *v = t.in[2].data,
             *o = t.out[0].data;
        cr_assert(k && trial_profile(&t, k->profile, &how, WIDEN, err, sizeof err) > 0, "%s", err);
        memset(o, 0xff, (size_t)array_len(&t.out[0]) * type_size(t.type));
        cr_expect_eq(
            ask(type, o, half ? narrow : t.out[1].data, q, key, v, &a, scratch), 0, "%s", rules[x].params);
        for (long i = 0; half && i < H * N; i++)
            array_put(&t.out[1], i, (double)narrow[i]);
        judge_outputs(&t, &how, 0, &y);
        cr_expect(!y.over && y.n && !y.undecided,
            "%s %s %s %s: %ld of %ld over, ratio %g at %s %ld %ld | %ld got %a want %a", isa, type, rules[x].params,
            rules[x].more, y.over, y.n, y.ratio, y.out ? y.out : "", y.at[0], y.at[1], y.k, y.got, y.want);
        free(scratch), trial_close(&t);
    }
    unsetenv("MERIDIAN_ISA");
}
Test(installed, every_member_means_what_the_row_says_in_f32)
{
    each("scalar", "f32"), each("avx2", "f32"), each("avx512", "f32");
}
Test(installed, every_member_means_what_the_row_says_in_bf16)
{
    each("scalar", "bf16"), each("avx2", "bf16"), each("avx512", "bf16"), each("avx512bf16", "bf16"),
        each("amx", "bf16");
}
Test(installed, every_member_means_what_the_row_says_in_f16)
{
    each("scalar", "f16"), each("avx2", "f16"), each("avx512", "f16"), each("amx", "f16");
}

Test(installed, a_packed_document_is_the_same_bits_as_alone)
{
    static const int32_t q[] = { 0, 3, 3, 9 }, k[] = { 0, 4, 7, 13 };
    struct trial t;
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o lse", MER_F32, shape, 8 }, err, sizeof err),
        0, "%s", err);
    const float *x[] = { t.in[0].data, t.in[1].data, t.in[2].data };
    float o[H * N * E], lse[H * N], one[N * E], l[N];
    for (int causal = MER_ALL; causal <= MER_BOTTOM_RIGHT; causal++) {
        const struct mer_attention a = { SIZES, .causal = causal, .cu_q = q, .cu_k = k, .documents = 3 };
        cr_assert_eq(mer_attention_f32(o, lse, x[0], x[1], x[2], &a, NULL), 0);
        for (int s = 0; s < 3; s++)
            for (int h = 0; h < H; h++) {
                const struct mer_attention alone = {
                    .h = 1, .g = 1, .n = q[s + 1] - q[s], .m = k[s + 1] - k[s], .d = D, .e = E, .causal = causal
                };
                const long row = h * N + q[s], key = h / (H / G) * M + k[s];
                cr_assert_eq(
                    mer_attention_f32(one, l, x[0] + row * D, x[1] + key * D, x[2] + key * E, &alone, NULL), 0);
                cr_expect(!memcmp(one, o + row * E, (size_t)alone.n * E * sizeof *one) &&
                        !memcmp(l, lse + row, (size_t)alone.n * sizeof *l),
                    "document %d head %d causal %d", s, h, causal);
            }
    }
    trial_close(&t);
}

/* Three other ways to lay out q, k and v: [n][h][d] with room behind rows, with room between heads, and all three in
 * one array.  They give the bits of dense arrays and leave what lies between as it is. */
enum { LAYS = 3, ROOM = 8000 };
static void lay(int way, int64_t heads, int64_t rows, int64_t width, struct mer_lay *l)
{
    *l = way == 0 ? (struct mer_lay){ width, heads * width } :
        way == 1  ? (struct mer_lay){ 0, width + 3 } :
                    (struct mer_lay){ rows * (width + 16) + 5, width + 16 };
}
static void spread(
    char *to, const char *from, struct mer_lay l, int64_t heads, int64_t rows, int64_t width, size_t w, bool back)
{
    for (int64_t h = 0; h < heads; h++)
        for (int64_t i = 0; i < rows; i++) {
            const int64_t at = h * (l.head ? l.head : rows * l.row) + i * l.row, dense = (h * rows + i) * width;
            memcpy(to + (size_t)(back ? dense : at) * w, from + (size_t)(back ? at : dense) * w, (size_t)width * w);
        }
}
static void laid_out(const char *isa, const char *type, int n, const struct mer_attention *rule)
{
    static char room[4][ROOM * 4], o[H * 40 * E * 4], got[H * 40 * E * 4];
    static float lse[2][H * 40];
    const size_t w = type_size(type_named(type));
    char err[400], sizes[80];
    struct trial t;
    setenv("MERIDIAN_ISA", isa, 1);
    snprintf(sizes, sizeof sizes, "h=4 g=2 n=%d m=13 d=5 e=6", n);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o lse", type_named(type), sizes, 8 }, err,
        sizeof err), 0, "%s", err);
    for (int way = 0; way < LAYS; way++) {
        struct mer_attention a = *rule;
        a.n = n;
        const void *in[] = { t.in[0].data, t.in[1].data, t.in[2].data };
        cr_assert_eq(ask(type, o, lse[0], in[0], in[1], in[2], &a, NULL), 0);
        lay(way, H, n, D, &a.q_lay), lay(way, G, M, D, &a.k_lay), lay(way, G, M, E, &a.v_lay),
            lay(way, H, n, E, &a.o_lay);
        for (int k = 0; k < 4; k++)
            /* A NaN that is read from between the inputs shows. */
            memset(room[k], k < 3 ? 0xff : 0xa5, sizeof room[k]);
        spread(room[0], in[0], a.q_lay, H, n, D, w, false), spread(room[1], in[1], a.k_lay, G, M, D, w, false),
            spread(room[2], in[2], a.v_lay, G, M, E, w, false);
        cr_assert_eq(ask(type, room[3], lse[1], room[0], room[1], room[2], &a, NULL), 0);
        spread(got, room[3], a.o_lay, H, n, E, w, true);
        cr_expect(!memcmp(got, o, (size_t)(H * n * E) * w) && !memcmp(lse[0], lse[1], (size_t)(H * n) * sizeof(float)),
            "%s %s n=%d layout %d: other bits", isa, type, n, way);
        memset(got, 0xa5, sizeof got), spread(room[3], got, a.o_lay, H, n, E, w, false);
        long touched = 0;
        for (size_t b = 0; b < sizeof room[3]; b++)
            touched += room[3][b] != (char)0xa5;
        cr_expect_eq(touched, 0, "%s %s n=%d layout %d: %ld bytes between rows", isa, type, n, way, touched);
    }
    trial_close(&t);
    unsetenv("MERIDIAN_ISA");
}
Test(installed, arrays_that_lie_otherwise_give_the_same_bits)
{
    static const char *const isa[] = { "scalar", "avx2", "avx512", "avx512bf16", "amx" };
    static const int32_t q[] = { 0, 3, 3, 9 }, k[] = { 0, 4, 7, 13 };
    const struct mer_attention rule[] = { { SIZES, .causal = MER_BOTTOM_RIGHT },
        { SIZES, .causal = MER_OFFSET, .offset = -3, .empty = MER_MEAN },
        { SIZES, .causal = MER_TOP_LEFT, .cu_q = q, .cu_k = k, .documents = 3 } };
    for (int x = 0; x < 5; x++)
        for (int r = 0; r < 3; r++)
            for (int n = 0; n < 3; n++)
                for (int type = 0; type < 3 && (r < 2 || n == 1); type++)
                    laid_out(isa[x], (const char *[]){ "f32", "bf16", "f16" }[type], (int[]){ 2, N, 40 }[n], &rule[r]);
}

Test(installed, rules_that_are_none_are_refused_and_nothing_is_written)
{
    static const int32_t good[] = { 0, 4, 9 }, keys[] = { 0, 4, 13 }, falls[] = { 0, 10, 9 }, late[] = { 1, 4, 9 },
                         ends[] = { 0, 4, 8 };
    const uint8_t keep[1] = { 1 };
    const struct mer_attention bad[] = {
        { SIZES, .right = 1 },
        { SIZES, .causal = MER_TOP_LEFT, .right = -1 },
        { SIZES, .prefix = -1 },
        { SIZES, .chunk = -1 },
        { SIZES, .first = -1 },
        { SIZES, .padding = -1 },
        { SIZES, .padding = M + 1 },
        { SIZES, .cap = -1 },
        { SIZES, .cap = NAN },
        { SIZES, .mask = 3 },
        { SIZES, .mask = -1 },
        { SIZES, .empty = 3 },
        { SIZES, .documents = 2 },
        { SIZES, .cu_q = good, .documents = 2 },
        { SIZES, .cu_k = keys, .documents = 2 },
        { SIZES, .cu_q = falls, .cu_k = keys, .documents = 2 },
        { SIZES, .cu_q = late, .cu_k = keys, .documents = 2 },
        { SIZES, .cu_q = ends, .cu_k = keys, .documents = 2 },
        { SIZES, .cu_q = good, .cu_k = good, .documents = 2 },
        { SIZES, .cu_q = good, .cu_k = keys, .documents = -1 },
        { SIZES, .cu_q = good, .cu_k = keys, .documents = 2, .keep = keep },
        { SIZES, .cu_q = good, .cu_k = keys, .documents = 2, .mask = MER_ADD },
        { SIZES, .cu_q = good, .cu_k = keys, .documents = 2, .empty = MER_MEAN },
        { .h = 1, .g = 1, .n = 1L << 31, .m = 1L << 31, .d = 4, .e = 4 },
        { .h = 1, .g = 1, .n = 1, .m = 1, .d = INT64_MAX, .e = 1 },
        { .h = 1L << 40, .g = 1, .n = 1L << 40, .m = 1, .d = 1, .e = 1 },
        { SIZES, .q_lay = { 0, D - 1 } },
        { SIZES, .k_lay = { -1, D } },
        { SIZES, .v_lay = { 1L << 41, E } },
        { SIZES, .o_lay = { 1, E } },
        { SIZES, .o_lay = { E, E } },
        { SIZES, .o_lay = { N * E - 1, 0 } },
        { SIZES, .o_lay = { E, H * E - 1 } },
    };
    float o = 9, lse = 9;
    const float x = 1;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        cr_expect(mer_attention_scratch(&bad[k]) == 0 && mer_attention_f32(&o, &lse, &x, &x, &x, &bad[k], NULL) == -1 &&
                mer_attention_f32(&o, &lse, &x, &x, &x, &bad[k], &o) == -1,
            "case %zu", k);
    cr_expect(o == 9 && lse == 9);
}
