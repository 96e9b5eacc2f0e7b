/* Attention kernels of every slot: shapes, masks, poison, memory.  Bounds are those each kernel's profile implies;
 * where a rule says that something must change nothing, bits are compared.  Memory after dav1d's checkasm: an
 * unreadable page behind or before each array. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "attention/flash.h"
#include "compare/compare.h"
#include "guard.h"
#include "half.h"
#include "kernels.h"
#include "trial/trial.h"

typedef void with_kernel(const struct slot *s, const struct mer_kernel *k);
static void each_kernel(with_kernel *f)
{
    int seen = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            if (!strcmp(k->row, "attention") && !strcmp(k->out, "o lse"))
                f(s, k), seen++;
    cr_assert_gt(seen, 3);
}

/* Hides a third of the pairs by `keep` and a fifth by a bias of -inf, and whole rows by both. */
static void hide_some(struct trial *t, uint64_t seed)
{
    struct mer_array *keep = mer_find(t->in, t->call.n_in, "keep"), *bias = mer_find(t->in, t->call.n_in, "bias");
    for (long i = 0; keep && i < array_len(keep); i++)
        array_put(keep, i, i / keep->dim[2] % 5 != 3 && gen_bits(seed, 71, (uint64_t)i) % 3 != 0);
    for (long i = 0; bias && i < array_len(bias); i++)
        if (i / bias->dim[2] % 7 == 4 || gen_bits(seed, 72, (uint64_t)i) % 5 == 0)
            array_put(bias, i, -(double)INFINITY);
}

static bool made(
    struct trial *t, const struct mer_kernel *k, const char *text, const char *sizes, uint64_t seed, struct arith *a)
{
    char err[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "attention", text, k->out, type_named(k->type), sizes, seed }, err,
        sizeof err), 0, "%s", err);
    cr_assert_gt(trial_profile(t, k->profile, a, WIDEN, err, sizeof err), 0, "%s", err);
    hide_some(t, seed);
    int rc = mer_ask(k, &t->call);
    cr_assert(rc == MER_OK || rc == MER_SKIP);
    return rc == MER_OK;
}

static int asked;
static void judged(
    const struct slot *s, const struct mer_kernel *k, const char *text, const char *sizes, uint64_t seed, long lines)
{
    struct trial t;
    struct tally y;
    struct arith a;
    if (made(&t, k, text, sizes, seed, &a)) {
        judge_outputs(&t, &a, lines, &y);
        asked++;
        cr_expect(!y.over && !y.undecided && y.n && (!k->gauge || y.gauge <= k->gauge),
            "%s %s %s %s: %ld of %ld over, ratio %g, gauge %g of %g at %s %ld %ld | %ld got %a want %a bound %g",
            s->name, k->type, t.text, sizes, y.over, y.n, y.ratio, y.gauge, k->gauge, y.out ? y.out : "", y.at[0],
            y.at[1], y.k, y.got, y.want, y.bound);
    }
    trial_close(&t);
}

static void lengths(const struct slot *s, const struct mer_kernel *k)
{
    static const int length[] = { 1, 2, 3, 5, 17, 64, 65, 129, 300 }, count = 9;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < 2; b++) { /* As many queries as keys, and not. */
            char sizes[64];
            snprintf(sizes, sizeof sizes, "h=2 g=1 n=%d m=%d d=%d e=%d", length[a], length[b ? (a * 4 + 2) % count : a],
                7 + a, 5 + 2 * a);
            judged(s, k, b ? "causal=bottomright" : "", sizes, (uint64_t)a + 1, 3);
        }
}
Test(attention, every_slot_keeps_its_bound_at_chosen_lengths, .timeout = 60) { each_kernel(lengths); }

static void widths(const struct slot *s, const struct mer_kernel *k)
{
    static const int d[] = { 1, 2, 3, 15, 16, 17, 31, 33, 64, 65, 80, 113, 128, 160 };
    for (int a = 0; a < 14; a++) {
        const int n = (int[]){ 1, 7, 13 }[a % 3];
        char sizes[64];
        snprintf(sizes, sizeof sizes, "h=2 g=2 n=%d m=%d d=%d e=%d", n, 19 + a, d[a], d[13 - a]);
        judged(s, k, "", sizes, 20 + (uint64_t)a, 2);
    }
}
Test(attention, every_slot_keeps_its_bound_at_chosen_widths, .timeout = 60) { each_kernel(widths); }

static void rules(const struct slot *s, const struct mer_kernel *k)
{
    static const char *const text[] = { "causal=topleft", "causal=bottomright", "causal=bottomright window=1",
        "causal=bottomright window=20", "window=9", "causal=topleft window=70 scale=1/3", "causal=offset offset=-30",
        "left=12 right=3", "causal=bottomright left=40 window=30 right=0" },
                             *const more[] = { "", "bias", "keep", "bias keep" };
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 4; b++)
            for (int few = 0; few < 2; few++) {
                char sizes[64];
                snprintf(sizes, sizeof sizes, "h=4 g=2 n=%d m=%d d=9 e=6 %s",
                    few       ? 2 :
                        a % 2 ? 70 :
                                150,
                    few       ? 40 :
                        a % 2 ? 131 :
                                40,
                    more[b]);
                judged(s, k, text[a], sizes, (uint64_t)(a * 8 + b * 2 + few), 5);
            }
}
Test(attention, every_slot_keeps_its_bound_under_masks_windows_and_groups, .timeout = 60) { each_kernel(rules); }

/* Each of the things that deployed models add, and all at once as models have them. */
static void deployed(const struct slot *s, const struct mer_kernel *k)
{
    static const char *const text[] = { "cap=1/2", "cap=1/2 cap_at=after causal=bottomright",
        "softmax1=on causal=topleft", "chunk=17 causal=bottomright", "prefix=21 causal=topleft",
        "windows=uneven window=9", "length=31 first=3", "mask=add constant=-3 causal=bottomright window=5",
        "mask=fill constant=-1/2 causal=topleft", "norm=rms eps=1/10 gain=offset", "norm=l2 eps_at=clamp scale=4",
        "temperature=llama4 floor=5 causal=bottomright",
        "cap=2 window=8 causal=bottomright norm=rms temperature=ssmax temper=1/3" },
                             *const more[] = { "sink q_gain", "bias keep", "bias sink doc t=3",
                                 "keep k_gain query_doc doc t=2", "cu_seqlens_q cu_seqlens_k b=5",
                                 "keep cu_seqlens_q cu_seqlens_k b=3" };
    for (int a = 0; a < 13; a++)
        for (int b = 0; b < 6; b++)
            for (int few = 0; few < 2; few++) {
                char sizes[96];
                snprintf(sizes, sizeof sizes, "h=4 g=2 n=%d m=%d d=9 e=6 %s",
                    few       ? 2 :
                        a % 2 ? 70 :
                                61,
                    few        ? 40 :
                        b == 2 ? 530 :
                        a % 3  ? 131 :
                                 40,
                    more[b]);
                judged(s, k, text[a], sizes, (uint64_t)(a * 8 + b * 2 + few), 3);
            }
}
Test(attention, every_slot_keeps_its_bound_under_what_models_add, .timeout = 120) { each_kernel(deployed); }

static void conventions(const struct slot *s, const struct mer_kernel *k)
{
    static const char *const text[] = { "group=tile", "order=bias-first scale=1/3", "base=2",
        "empty=nan causal=bottomright", "empty=mean causal=bottomright",
        "group=tile order=bias-first base=2 empty=mean causal=topleft window=30" };
    for (int a = 0; a < 6; a++)
        for (int few = 0; few < 2; few++)
            for (int far = 0; far < 2; far++) {
                char sizes[64];
                snprintf(sizes, sizeof sizes, "h=6 g=3 n=%d m=%d d=9 e=6 bias keep", few ? 2 : 61, far ? 530 : 40);
                judged(s, k, text[a], sizes, (uint64_t)(a * 4 + few * 2 + far), far ? 2 : 40);
            }
}
Test(attention, every_slot_keeps_its_bound_under_the_conventions_of_others, .timeout = 120)
{
    each_kernel(conventions);
}

/* One query is left to slot avx512 by the slots that multiply bf16 itself. */
Test(attention, no_slot_declines_a_preset)
{
    for (const struct slot *s = slots; s->name; s++)
        for (const struct preset *p = row_named("attention")->presets;
             p->name && s->here() && !strcmp(s->kernel->row, "attention"); p++)
            for (int n = !strcmp(s->kernel->type, "bf16") ? 19 : 1; n < 20; n += 18) {
                int answered = 0;
                for (const struct mer_kernel *k = s->kernel; k->row; k++) {
                    struct trial t;
                    char err[400], sizes[64];
                    snprintf(sizes, sizeof sizes, "h=4 g=2 n=%d m=33 d=9 e=6 bias", n);
                    if (strcmp(k->out, "o lse"))
                        continue;
                    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", p->text, k->out, type_named(k->type),
                        sizes, 1 }, err, sizeof err), 0, "%s", err);
                    answered += mer_ask(k, &t.call) == MER_OK;
                    trial_close(&t);
                }
                cr_expect(answered > 0, "%s declines %s for %d queries", s->name, p->name, n);
            }
}

static void long_rows(const struct slot *s, const struct mer_kernel *k)
{
    judged(s, k, "", "h=1 g=1 n=1 m=1100 d=5 e=3", 5, 2);
    judged(s, k, "causal=bottomright", "h=2 g=1 n=50 m=1100 d=5 e=17 bias", 6, 2);
    judged(s, k, "causal=bottomright window=530", "h=1 g=1 n=4 m=1600 d=6 e=3 keep", 7, 2);
}
Test(attention, every_slot_keeps_its_bound_over_several_blocks_of_keys, .timeout = 60) { each_kernel(long_rows); }

/* Query 0 of every head: scores that rise with the key, each block higher than all before; and fall. */
static void rising(const struct slot *s, const struct mer_kernel *k)
{
    for (int sign = -1; sign <= 1; sign += 2)
        for (int n = 1; n <= 4; n += 3) {
            struct trial t;
            struct tally y;
            struct arith a;
            char err[400], sizes[64];
            snprintf(sizes, sizeof sizes, "h=1 g=1 n=%d m=1537 d=2 e=2", n);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "scale=1", k->out, type_named(k->type),
                sizes, 9 }, err, sizeof err), 0, "%s", err);
            cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
            for (long j = 0; j < 1537; j++) /* Scores in steps of 1/8 from 0 to 192, so that far blocks underflow. */
                array_put(&t.in[1], 2 * j, (double)(sign * j / 8)), array_put(&t.in[1], 2 * j + 1, 0);
            for (long i = 0; i < n; i++)
                array_put(&t.in[0], 2 * i, 1);
            if (mer_ask(k, &t.call) == MER_OK) {
                judge_outputs(&t, &a, 2, &y);
                cr_expect(!y.over && y.n, "%s %s %s n=%d sign %d: ratio %g got %a want %a bound %g", s->name, k->type,
                    k->profile, n, sign, y.ratio, y.got, y.want, y.bound);
            }
            trial_close(&t);
        }
}
Test(attention, a_maximum_that_rises_in_every_block_is_followed, .timeout = 60) { each_kernel(rising); }

/* What no query sees may be NaN or infinite; f32 results keep their bits, bf16 may take another path and keeps its
 * bound. */
static void unseen(const struct slot *s, const struct mer_kernel *k)
{
    static const char *const sizes[] = { "h=2 g=1 n=70 m=90 d=9 e=18 keep", "h=2 g=1 n=70 m=90 d=9 e=18 bias",
        "h=2 g=1 n=2 m=90 d=9 e=18 keep", "h=2 g=1 n=60 m=700 d=9 e=18 bias", "h=2 g=1 n=2 m=700 d=9 e=18 bias" };
    const double poison[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    for (int c = 0; c < 5; c++)
        for (int p = 0; p < 3; p++) {
            struct trial t;
            struct tally y;
            struct arith a;
            char err[400];
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention",
                c % 2 ? "causal=bottomright window=80 chunk=60 cap=2 softmax1=on" : "causal=bottomright window=80",
                k->out, type_named(k->type), sizes[c], 4 }, err, sizeof err), 0, "%s", err);
            cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
            struct mer_array *keep = mer_find(t.in, t.call.n_in, "keep"), *bias = mer_find(t.in, t.call.n_in, "bias"),
                             *rule = keep ? keep : bias;
            hide_some(&t, 4);
            /* Keys 3, 10, 17 .. are hidden from every query. */
            for (long i = 0, m = rule->dim[2]; i < array_len(rule); i++)
                if (keep ? i % m % 7 == 3 : i % m % 7 == 3)
                    array_put(rule, i, keep ? 0 : -(double)INFINITY);
            if (mer_ask(k, &t.call) == MER_OK) {
                size_t bytes = (size_t)array_len(&t.out[0]) * type_size(t.out[0].type);
                void *clean = malloc(bytes);
                memcpy(clean, t.out[0].data, bytes);
                for (int in = 1; in < 3; in++)
                    for (long i = 0; i < array_len(&t.in[in]); i++)
                        if (i / t.in[in].dim[2] % t.in[in].dim[1] % 7 == 3)
                            array_put(&t.in[in], i, poison[p]);
                cr_assert_eq(mer_ask(k, &t.call), MER_OK);
                judge_outputs(&t, &a, 4, &y);
                cr_expect(!y.over && y.n, "%s %s %s, %g: %ld over", s->name, k->type, sizes[c], poison[p], y.over);
                cr_expect(!strcmp(k->type, "bf16") || !memcmp(clean, t.out[0].data, bytes),
                    "%s %s %s: hidden %g changes bits", s->name, k->profile, sizes[c], poison[p]);
                for (long i = 0; i < array_len(&t.out[0]); i++)
                    if (!isfinite(array_get(&t.out[0], i))) {
                        cr_expect_fail(
                            "%s %s %s: hidden %g shows in o at %ld", s->name, k->type, sizes[c], poison[p], i);
                        break;
                    }
                free(clean);
            }
            trial_close(&t);
        }
}
Test(attention, what_is_hidden_may_hold_anything, .timeout = 60) { each_kernel(unseen); }

/* One NaN in q, k or v: it shows in the rows that see it, and in no other. */
static void seen(const struct slot *s, const struct mer_kernel *k)
{
    for (int in = 0; in < 3; in++)
        for (int few = 0; few < 2; few++) {
            struct trial t;
            char err[400];
            int wrong = 0, at = few ? 1 : 40, n = few ? 2 : 70;
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=topleft", k->out,
                type_named(k->type), few ? "h=1 g=1 n=2 m=30 d=9 e=18" : "h=1 g=1 n=70 m=80 d=9 e=18", 4 }, err,
                sizeof err), 0, "%s", err);
            array_put(&t.in[in], at * t.in[in].dim[2] + 4, (double)NAN);
            if (mer_ask(k, &t.call) == MER_OK)
                for (int i = 0; i < n; i++)
                    for (int c = 0; c < 18; c++) {
                        bool hit = in == 0 ? i == at : i >= at && (in == 1 || c == 4);
                        wrong += hit != (bool)isnan(array_get(&t.out[0], i * 18 + c));
                        wrong += (hit && in < 2) != (bool)isnan(array_get(&t.out[1], i)) && c == 4;
                    }
            cr_expect_eq(
                wrong, 0, "%s %s %s: NaN in %s, %d cells wrong", s->name, k->type, k->profile, t.in[in].name, wrong);
            trial_close(&t);
        }
}
Test(attention, a_visible_nan_shows_and_stays_in_its_rows, .timeout = 60) { each_kernel(seen); }

static void empty(const struct slot *s, const struct mer_kernel *k)
{
    static const char *const sizes[] = { "h=2 g=1 n=70 m=9 d=5 e=7", "h=2 g=1 n=2 m=1 d=5 e=7" };
    for (int c = 0; c < 2; c++) {
        struct trial t;
        char err[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=bottomright", k->out,
            type_named(k->type), sizes[c], 4 }, err, sizeof err), 0, "%s", err);
        if (mer_ask(k, &t.call) == MER_OK) {
            long n = t.in[0].dim[1], m = t.in[1].dim[1], wrong = 0;
            for (long r = 0; r < 2 * n; r++)
                for (long e = 0; e < 7; e++)
                    wrong += r % n < n - m ?
                        array_get(&t.out[0], r * 7 + e) != 0 || array_get(&t.out[1], r) != -(double)INFINITY :
                        !isfinite(array_get(&t.out[1], r)) || array_get(&t.out[0], r * 7 + e) == 0;
            cr_expect_eq(wrong, 0, "%s %s: %ld", s->name, k->type, wrong);
        }
        trial_close(&t);
    }
}
Test(attention, a_row_without_keys_is_zero_and_minus_infinity) { each_kernel(empty); }

static void cornered(const struct slot *s, const struct mer_kernel *k)
{
    static const char *const sizes[] = { "h=2 g=1 n=7 m=33 d=9 e=5", "h=2 g=1 n=50 m=65 d=16 e=64 bias keep",
        "h=2 g=1 n=2 m=21 d=17 e=33 bias keep", "h=2 g=2 n=2 m=64 d=64 e=64 bias", "h=1 g=1 n=13 m=530 d=3 e=18 bias",
        "h=1 g=1 n=1 m=530 d=3 e=18 keep" };
    for (int c = 0; c < 6; c++)
        /* The unreadable page lies behind or before, with and without a causal mask. */
        for (int way = 0; way < 4; way++) {
            struct trial t;
            char err[400], name[40] = "";
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", way & 2 ? "causal=bottomright" : "", k->out,
                type_named(k->type), sizes[c], 4 }, err, sizeof err), 0, "%s", err);
            hide_some(&t, 4);
            const char *wrong = mer_ask(k, &t.call) == MER_OK ? guard_ask(k, &t, way & 1, name, sizeof name) : NULL;
            cr_expect(!wrong, "%s %s %s: %s %s", s->name, k->profile, sizes[c], name, wrong);
            trial_close(&t);
        }
}
Test(attention, no_slot_touches_a_byte_beside_the_arrays_and_inputs_stay, .timeout = 60) { each_kernel(cornered); }

enum { H = 4, G = 2, N = 70, M = 90, D = 9, E = 18 };
static struct {
    float q[H * N * D], k[G * M * D], v[G * M * E], o[H * N * E], p[H * N * E], lse[H * N], bias[H * N * M],
        bias1[H * (N + M - 1)];
    uint8_t keep[H * N * M];
    uint16_t hq[H * N * D], hk[G * M * D], hv[G * M * E], ho[H * N * E], hp[H * N * E];
} it;
static void fill_it(void)
{
    float *f[] = { it.q, it.k, it.v, it.bias1 };
    size_t n[] = { H * N * D, G * M * D, G * M * E, H * (N + M - 1) };
    for (int x = 0; x < 4; x++)
        for (size_t i = 0; i < n[x]; i++)
            f[x][i] = (float)((double)gen_bits(8, (uint64_t)x, i) * 0x1p-63 - 1);
    for (size_t i = 0; i < H * N * D; i++)
        it.hq[i] = to_bf16(it.q[i]);
    for (size_t i = 0; i < G * M * D; i++)
        it.hk[i] = to_bf16(it.k[i]);
    for (size_t i = 0; i < G * M * E; i++)
        it.hv[i] = to_bf16(it.v[i]);
    for (int i = 0; i < H * N * M; i++) {
        it.bias[i] = it.bias1[i / (N * M) * (N + M - 1) + i % M - i / M % N + N - 1];
        it.keep[i] = i % M <= i / M % N - 5;
    }
}

Test(attention, the_installed_functions_agree_with_each_other_on_every_instruction_set)
{
    static const char *const isa[] = { "scalar", "avx2", "avx512", "avx512bf16", "amx" };
    fill_it();
    for (int level = 0; level < 5; level++) {
        setenv("MERIDIAN_ISA", isa[level], 1);
        struct mer_attention a = { H, G, N, M, D, E, .causal = MER_OFFSET, .offset = -5, .bias = it.bias };
        size_t room = mer_attention_scratch(&a);
        void *scratch = malloc(room);
        cr_assert(room > 0 && mer_attention_f32(it.o, it.lse, it.q, it.k, it.v, &a, scratch) == 0);
        cr_expect(it.lse[4] == -INFINITY && it.o[0] == 0 && isfinite(it.lse[5]));
        a.bias = NULL, a.bias1 = it.bias1;
        cr_assert_eq(mer_attention_f32(it.p, NULL, it.q, it.k, it.v, &a, NULL), 0);
        cr_expect(!memcmp(it.o, it.p, sizeof it.o), "%s: bias[j - i] and bias[i][j] give other bits", isa[level]);
        a.causal = MER_ALL, a.offset = 0, a.keep = it.keep;
        cr_assert_eq(mer_attention_f32(it.p, NULL, it.q, it.k, it.v, &a, scratch), 0);
        cr_expect(!memcmp(it.o, it.p, sizeof it.o), "%s: keep and causal give other bits", isa[level]);
        cr_assert_eq(mer_attention_bf16(it.ho, it.lse, it.hq, it.hk, it.hv, &a, scratch), 0);
        a.keep = NULL, a.causal = MER_OFFSET, a.offset = -5;
        cr_assert_eq(mer_attention_bf16(it.hp, NULL, it.hq, it.hk, it.hv, &a, NULL), 0);
        cr_expect(!memcmp(it.ho, it.hp, sizeof it.ho), "%s: bf16, keep and causal give other bits", isa[level]);
        free(scratch);
    }
    unsetenv("MERIDIAN_ISA");
}

Test(attention, the_installed_functions_refuse_what_they_do_not_offer)
{
    const struct mer_attention good = { 1, 1, 1, 1, 1, 1 };
    struct mer_attention bad[] = { good, good, good, good, good, good, good, good, good };
    float x = 1, o = 9, lse = 9;
    bad[0].h = 3, bad[0].g = 2, bad[1].d = 0, bad[2].e = 0, bad[3].g = 0, bad[4].n = -1, bad[5].window = -1,
    bad[6].causal = 4, bad[7].offset = 1, bad[8].bias = bad[8].bias1 = &x;
    for (int k = 0; k < 9; k++)
        cr_expect(mer_attention_f32(&o, &lse, &x, &x, &x, &bad[k], NULL) == -1 && mer_attention_scratch(&bad[k]) == 0,
            "case %d", k);
    cr_expect(o == 9 && lse == 9);
    cr_expect(mer_attention_f32(&o, &lse, &x, &x, &x, &good, NULL) == 0 && o == 1 && lse == 1);
    struct mer_attention none = { 2, 1, 3, 0, 2, 2 };
    float z[12] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 }, l[6];
    cr_expect(
        mer_attention_f32(z, l, it.q, NULL, NULL, &none, NULL) == 0 && z[0] == 0 && z[11] == 0 && l[5] == -INFINITY,
        "no keys at all");
    none.n = 0, none.m = 4;
    cr_expect_eq(mer_attention_f32(NULL, NULL, NULL, it.k, it.v, &none, NULL), 0);
}
