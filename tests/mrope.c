/* What is pinned for mrope: which axis has which pair in released models, what is refused, and that each pair reads its
 * own axis. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "kernels.h"
#include "law.h"
#include "libmeridian.h"
#include "trial/trial.h"

static void count(const char *params, long K, long of[4], long *first_of_fourth)
{
    *first_of_fourth = -1;
    for (long k = 0; k < K; k++) {
        struct law_ask l;
        const struct ball *y[1];
        law_line(law_open(&l, params, 64), (struct law_of){ row_named("mrope"), "axis", params }, (struct givens){ 0 },
            (long[MER_RANK]){ k }, 1, y);
        long axis = (long)b_value(y[0]);
        law_close(&l, true);
        cr_assert(axis >= 0 && axis < 4);
        of[axis]++;
        *first_of_fourth = axis == 3 && *first_of_fourth < 0 ? k : *first_of_fourth;
    }
}

Test(mrope, sections_of_released_models_have_their_pairs)
{
    static const struct { const char *params; long of[4], fourth; } models[] = {
        { "dim=128 sections=16,24,24", { 16, 24, 24, 0 }, -1 },
        { "dim=128 sections=24,20,20 mode=interleaved", { 24, 20, 20, 0 }, -1 },
        { "dim=64 sections=11,11,10 mode=interleaved", { 11, 11, 10, 0 }, -1 },
        /* Pairs 61 and 62 belong to axis t in transformers. */
        { "dim=128 sections=24,20,20 mode=rest", { 22, 20, 20, 2 }, 61 },
        { "dim=64 sections=11,11,10 mode=rest", { 11, 11, 10, 0 }, -1 },
    };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        long of[4] = { 0 }, fourth;
        count(models[k].params, law_int(models[k].params, "dim", 0) / 2, of, &fourth);
        cr_expect(!memcmp(of, models[k].of, sizeof of) && fourth == models[k].fourth,
            "%s: %ld %ld %ld %ld, the fourth from %ld", models[k].params, of[0], of[1], of[2], of[3], fourth);
    }
}

Test(mrope, what_is_undefined_is_refused_in_one_line)
{
    static const char *const bad[][2] = { { "dim=15", "dim" }, { "dim=16 sections=2,3,4", "add up" },
        { "dim=16 sections=2,3", "three" }, { "dim=16 sections=2,3,3,0", "three" },
        { "dim=16 sections=-1,6,3", "three" }, { "dim=16 sections=2.5,2.5,3", "three" }, { "base=1", "base" } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct trial t;
        char err[400] = "";
        cr_expect(trial_make(&t, &(struct trial_spec){ "mrope", bad[k][0], "cos", MER_F32, "", 1 }, err, sizeof err) &&
            strstr(err, bad[k][1]) && !strchr(err, '\n'), "%s: '%s'", bad[k][0], err);
        trial_close(&t);
    }
    struct trial t;
    char err[400] = "";
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "mrope", "", "cos", MER_F32, "n=4", 1 }, err, sizeof err), 0,
        "%s", err);
    trial_in(&t, "pos")->dim[0] = 2;
    cr_expect(trial_check(&t, err, sizeof err) && strstr(err, "pos"), "two axes: '%s'", err);
    trial_close(&t);
}

/* Positions of token i on an axis: text; an image of 9 columns; three clocks; at random, far apart and below 0; an
 * image behind text, as long as the table's longest run of rows and longer. */
static int64_t spread(int64_t x) { return (int64_t)((uint64_t)x * 0x9e3779b97f4a7c15u >> 52) - 2048; }
static int64_t text(int axis, int64_t i) { return (void)axis, i + 3; }
static int64_t image(int axis, int64_t i) { return axis == 0 ? 0 : axis == 1 ? i / 9 : i % 9; }
static int64_t clocks(int axis, int64_t i) { return i * (axis + 1); }
static int64_t scattered(int axis, int64_t i) { return spread(3 * i + axis) * (axis == 2 ? 4000 : 1); }
static int64_t page(int axis, int64_t i) { return i < 5 || i > 400 ? i : image(axis, i - 5) + 5; }
static int64_t tall(int axis, int64_t i) { return axis == 1 ? i : axis == 2 ? i % 2 : -7; }
static int64_t (*const walks[])(int, int64_t) = { text, image, clocks, scattered, page, tall };
enum { WALKS = sizeof walks / sizeof *walks, LONGEST = 420 };

static const char *const drawn[] = { "dim=16 sections=2,3,3 base=10000 layout=half mode=chunked",
    "dim=10 sections=0,5,0 base=10000 layout=interleaved mode=chunked",
    "dim=44 sections=8,7,7 base=500000 layout=half mode=interleaved",
    "dim=22 sections=5,3,3 base=10000 layout=half mode=rest" };
static const int64_t axis_sections[][3] = { { 2, 3, 3 }, { 0, 5, 0 }, { 8, 7, 7 }, { 5, 3, 3 } };
static int axis_of_pair(size_t c, int64_t k)
{
    const int64_t *s = axis_sections[c];
    if (c < 2)
        return k < s[0] ? 0 : k < s[0] + s[1] ? 1 : 2;
    return k % 3 == 0 || k < 3 * s[k % 3] ? (int)(k % 3) : c == 3 ? 3 : 0;
}
/* Whether a table [n][K] of this type is that of plain rope, each pair at the position of its axis. */
static bool pairs_own(size_t c, const struct mer_angles *a, const int64_t *pos, int64_t n, const struct mer_array *y)
{
    const int64_t K = y[0].dim[1], size = (int64_t)mer_width(y->type);
    char co[400], si[400];
    bool same = true;
    for (int64_t i = 0; i < n && same; i++)
        for (int axis = 0; axis < 4 && same; axis++) {
            const int64_t at = axis == 3 ? 0 : pos[axis * n + i];
            same = y->type == MER_F32 ? !mer_table_at_f32((float *)(void *)co, (float *)(void *)si, a, &at, 1) :
                y->type == MER_F16 ? !mer_table_at_f16((uint16_t *)(void *)co, (uint16_t *)(void *)si, a, &at, 1) :
                                     !mer_table_at_bf16((uint16_t *)(void *)co, (uint16_t *)(void *)si, a, &at, 1);
            for (int64_t k = 0; k < K && same; k++)
                same = axis_of_pair(c, k) != axis ||
                    (!memcmp((char *)y[0].data + (i * K + k) * size, co + k * size, (size_t)size) &&
                        !memcmp((char *)y[1].data + (i * K + k) * size, si + k * size, (size_t)size));
        }
    return same;
}

Test(mrope, a_table_is_plain_ropes_with_each_pair_at_its_own_axis)
{
    static const int32_t types[] = { MER_F32, MER_F16, MER_BF16 };
    static const int64_t counts[] = { 1, 2, 129, LONGEST };
    static int64_t pos[3 * LONGEST];
    static float made[2][LONGEST * 22];
    for (size_t c = 0; c < sizeof drawn / sizeof *drawn; c++) {
        char err[200];
        struct mer_angles *a = NULL;
        cr_assert_eq(mer_angles_new(&a, "rope", drawn[c], 4096, err, sizeof err), 0, "%s", err);
        for (size_t t = 0; t < 3; t++)
            for (size_t w = 0; w < WALKS; w++)
                for (size_t m = 0; m < sizeof counts / sizeof *counts; m++) {
                    const int64_t n = counts[m], K = mer_angles_pairs(a);
                    struct mer_array in = { "pos", MER_I64, 2, { 3, n }, pos },
                                     out[] = { { "cos", types[t], 2, { n, K }, made[0] },
                                         { "sin", types[t], 2, { n, K }, made[1] } };
                    struct mer_call call = { "mrope", drawn[c], 1, 2, &in, out, NULL };
                    for (int64_t i = 0; i < 3 * n; i++)
                        pos[i] = walks[w]((int)(i / n), i % n);
                    const struct mer_kernel *k = slots[0].kernel;
                    for (const struct slot *s = slots; s->name && strcmp(k->row, "mrope"); s++)
                        k = s->kernel;
                    while (k->row && (strcmp(k->out, "cos sin") || strcmp(k->type, type_name[types[t]])))
                        k++;
                    cr_assert(k->row && mer_ask(k, &call) == MER_OK && pairs_own(c, a, pos, n, out),
                        "%s %s, walk %zu, %ld tokens", drawn[c], type_name[types[t]], w, (long)n);
                }
        mer_angles_free(a);
    }
}

/* One state is asked again at the same positions, at others, and for more tokens: each answer is that of a new one. */
Test(mrope, a_kept_table_is_that_of_the_positions_of_the_call)
{
    enum { D = 44, H = 2, MOST = 40 };
    static float x[H * MOST * D], y[H * MOST * D], fresh[H * MOST * D];
    static int64_t pos[3 * MOST];
    static const struct { int walk; int64_t n; } calls[] = { { 1, 12 }, { 1, 12 }, { 3, 12 }, { 0, MOST }, { 1, 0 },
        { 1, MOST } };
    for (int64_t i = 0; i < H * MOST * D; i++)
        x[i] = (float)spread(i) / 512;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && s->here(); k++) {
            const bool back = !strcmp(k->out, "dx");
            void *state = NULL;
            if (strcmp(k->row, "mrope") || strcmp(k->type, "f32") || (!back && strcmp(k->out, "y")))
                continue;
            for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
                const int64_t n = calls[c].n;
                struct mer_array in[] = { { back ? "dy" : "x", MER_F32, 3, { H, n, D }, x },
                    { "pos", MER_I64, 2, { 3, n }, pos } }, out = { back ? "dx" : "y", MER_F32, 3, { H, n, D }, fresh };
                struct mer_call call = { "mrope", drawn[2], 2, 1, in, &out, NULL };
                for (int64_t i = 0; i < 3 * n; i++)
                    pos[i] = walks[calls[c].walk]((int)(i / n), i % n);
                cr_assert_eq(mer_ask(k, &call), MER_OK);
                out.data = y, call.state = state;
                cr_assert_eq(c ? MER_OK : k->prepare(&call), MER_OK);
                state = call.state;
                cr_assert(k->run(&call) == MER_OK && !memcmp(y, fresh, (size_t)(H * n * D) * sizeof *y),
                    "%s %s, call %zu", s->name, k->out, c);
            }
            k->release(state);
        }
}

/* Text has one position on all axes, where the row is plain rope: in every slot to the bit. */
Test(mrope, text_is_turned_as_plain_rope_turns_it)
{
    enum { D = 44, H = 5, N = 9 };
    static const char *const types[] = { "f32", "f16", "bf16" };
    static uint16_t bits[2 * H * N * D];
    static float y[2][H * N * D];
    int64_t pos[3 * N];
    int asked = 0;
    for (int64_t i = 0; i < 3 * N; i++)
        pos[i] = text(0, i % N);
    for (int64_t i = 0; i < 2 * H * N * D; i++) /* finite numbers of each type */
        bits[i] = (uint16_t)((uint64_t)spread(i) & 0xbbff);
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && s->here(); k++)
            for (const struct slot *o = slots; o->name && !strcmp(k->row, "mrope") && !strcmp(k->out, "y"); o++)
                for (const struct mer_kernel *r = o->kernel; r->row && !strcmp(o->name, s->name); r++)
                    for (int t = 0; t < 3; t++) {
                        const int32_t type = t == 0 ? MER_F32 : t == 1 ? MER_F16 : MER_BF16;
                        if (strcmp(r->row, "rope") || strcmp(r->out, "y") || strcmp(r->type, types[t]) ||
                            strcmp(k->type, types[t]))
                            continue;
                        struct mer_array in[] = { { "x", type, 3, { H, N, D }, bits },
                            { "pos", MER_I64, 2, { 3, N }, pos } }, out = { "y", type, 3, { H, N, D }, y[0] };
                        struct mer_call call = { "mrope", drawn[2], 2, 1, in, &out, NULL };
                        cr_assert_eq(mer_ask(k, &call), MER_OK);
                        in[1] = (struct mer_array){ "pos", MER_I64, 1, { N }, pos }, out.data = y[1];
                        call.row = "rope", call.params = "dim=44 base=500000 layout=half";
                        cr_assert(mer_ask(r, &call) == MER_OK &&
                            !memcmp(y[0], y[1], (size_t)(H * N * D) * mer_width(type)), "%s %s", s->name, types[t]);
                        asked++;
                    }
    cr_expect_geq(asked, 3, "%d", asked);
}
