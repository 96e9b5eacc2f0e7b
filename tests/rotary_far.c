/* Rotary attention at remapped distances on the attention tiles: windows shorter and longer than the keys, than a block
 * of them and than a panel, groups and leaks, widths that no vector divides, hidden keys; memory.  Bounds are those of
 * each kernel's profile. */
#include "compare/compare.h"
#include "guard.h"
#include "kernels.h"

static const struct { const char *row, *params; } cases[] = {
    { "rerope", "dim=10 window=3 memory=4" },
    { "rerope", "dim=2 window=1" },
    { "rerope", "dim=34 window=70 leak=5 memory=40 layout=interleaved" },
    { "rerope", "dim=6 window=600 memory=590 trained=8" },
    { "rerope", "dim=6 window=513 leak=3 memory=1090 empty=nan" },
    { "rerope", "dim=18 window=40 memory=1073741824" },
    { "selfextend", "dim=4 window=1000000000 group=70 memory=1073741823" },
    { "selfextend", "dim=10 window=4 group=3" },
    { "selfextend", "dim=12 window=5 group=2 division=true memory=31 scale=1/3" },
    { "selfextend", "dim=66 window=65 group=7 division=true memory=100 trained=30 empty=mean layout=interleaved" },
    { "selfextend", "dim=6 window=600 group=4 memory=1050" },
    { "selfextend", "dim=8 window=1000000 group=9 memory=9" },
};
enum { CASES = sizeof cases / sizeof *cases };

static void hide_some(struct trial *t) /* Hides a third of the pairs, and every key from query 2. */
{
    struct mer_array *keep = mer_find(t->in, t->call.n_in, "keep");
    for (long i = 0; keep && i < array_len(keep); i++)
        array_put(keep, i, i / keep->dim[2] % keep->dim[1] != 2 && gen_bits(4, 71, (uint64_t)i) % 3 != 0);
}

typedef void with_trial(const struct mer_kernel *k, struct trial *t, const char *what);
/* Every `by`th case in every slot with these rows, each of which one kernel answers, that for few keys or that for
 * many. */
static void each(const char *shape, bool keep, int from, int by, with_trial *f)
{
    for (const struct slot *s = slots; s->name; s++)
        for (int c = from; c < CASES && strcmp(s->name, "scalar") && s->here() && !strcmp(s->kernel->row, cases[0].row);
             c += by) {
            struct trial t;
            char sizes[160], what[300], err[400];
            int answers = 0;
            snprintf(sizes, sizeof sizes, "h=2 %s%s", shape, keep ? " keep" : "");
            snprintf(what, sizeof what, "%s %s %s, %s", s->name, cases[c].row, cases[c].params, sizes);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ cases[c].row, cases[c].params, "o lse", MER_F32, sizes,
                3 }, err, sizeof err), 0, "%s", err);
            for (int j = 0; j < t.call.n_in && !keep; j++)
                if (!strcmp(t.in[j].name, "keep"))
                    t.call.n_in = j;
            hide_some(&t);
            for (const struct slot *o = slots; o->name; o++)
                for (const struct mer_kernel *k = o->kernel; k->row && !strcmp(o->name, s->name); k++)
                    if (!strcmp(k->row, cases[c].row) && !strcmp(k->out, "o lse")) {
                        const int rc = mer_ask(k, &t.call);
                        cr_assert(rc == MER_OK || rc == MER_SKIP, "%s", what);
                        if (rc == MER_OK)
                            f(k, &t, what), answers++;
                    }
            cr_expect_eq(answers, 1, "%s: %d", what, answers);
            trial_close(&t);
        }
}

static void judged(const struct mer_kernel *k, struct trial *t, const char *what)
{
    struct arith a;
    struct tally y;
    char err[400];
    cr_assert_gt(trial_profile(t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(t, &a, 1, &y);
    cr_expect(y.n && tally_passes(&y), "%s: %ld of %ld over, ratio %g at %s %ld %ld | %ld got %a want %a", what, y.over,
        y.n, y.ratio, y.out ? y.out : "", y.at[0], y.at[1], y.k, y.got, y.want);
}
Test(rotary_far, kernels_keep_their_bounds_at_windows_of_every_kind)
{
    static const char *const shape[] = { "n=7 m=33 e=5", "n=50 m=20 e=67", "n=61 m=97 e=16" };
    for (int k = 0; k < 3; k++)
        for (int keep = 0; keep < 2; keep++)
            each(shape[k], keep, 0, 1, judged);
}
Test(rotary_far, kernels_keep_their_bounds_with_many_keys)
{
    each("n=130 m=530 e=3", false, 0, 3, judged), each("n=130 m=530 e=3", true, 1, 4, judged);
    each("n=5 m=1100 e=2", true, 1, 3, judged), each("n=5 m=1100 e=2", false, 3, 6, judged);
}

static void cornered(const struct mer_kernel *k, struct trial *t, const char *what)
{
    for (int behind = 0; behind < 2; behind++) {
        char name[40] = "";
        const char *wrong = guard_ask(k, t, behind, name, sizeof name);
        cr_expect(!wrong, "%s, page %s: %s %s", what, behind ? "behind" : "before", name, wrong);
    }
}
Test(rotary_far, no_slot_touches_a_byte_beside_the_arrays_and_inputs_stay)
{
    static const char *const shape[] = { "n=7 m=33 e=5", "n=50 m=65 e=64", "n=13 m=530 e=18" };
    for (int k = 0; k < 3; k++)
        for (int keep = 0; keep < 2; keep++)
            each(shape[k], keep, 0, 1, cornered);
}

/* A number from -1 to 1. */
static float drawn(uint64_t stream, int i)
{
    return (float)((double)(gen_bits(5, stream, (uint64_t)i) >> 40) * 0x1p-23 - 1);
}

/* Every query's answer is that of the definition, key by key over every border between near and far, in every slot: the
 * scalar kernel's to some thousand roundings of float32, where a wrong pair is off by a hundredth. */
Test(rotary_far, borders_of_windows_lie_at_one_key)
{
    enum { N = 75, M = 600, DIM = 8, E = 2 };
    static float q[N * DIM], k[M * DIM], v[M * E], o[2][N * E];
    static const int windows[] = { 1, 2, 63, 64, 65, 90, 128, 511, 512, 513, 599, 600, 601 };
    for (int i = 0; i < M * DIM; i++)
        k[i] = drawn(1, i), q[i % (N * DIM)] = 4 * drawn(2, i);
    for (int i = 0; i < M * E; i++)
        v[i] = drawn(3, i) * (i % 7 ? 1 : 30);
    for (size_t w = 0; w < 4 * (sizeof windows / sizeof *windows); w++) {
        const char *row = w % 2 ? "selfextend" : "rerope";
        const int n = w % 4 < 2 ? N : 5; /* by tiles, and key by key */
        char params[200];
        snprintf(params, sizeof params,
            "dim=8 window=%d %s memory=%d base=10000 scale=0 trained=0 layout=half empty=zero", windows[w / 4],
            w % 2 ? "group=50 division=floor" : "leak=0", M - n);
        struct mer_array in[] = { { "q", MER_F32, 3, { 1, n, DIM }, q }, { "k", MER_F32, 3, { 1, M, DIM }, k },
            { "v", MER_F32, 3, { 1, M, E }, v } }, out = { "o", MER_F32, 3, { 1, n, E }, o[0] };
        struct mer_call c = { row, params, 3, 1, in, &out, NULL };
        for (const struct slot *s = slots; s->name; s++)
            for (const struct mer_kernel *one = s->kernel; one->row && s->here(); one++) {
                if (strcmp(one->row, row) || strcmp(one->out, "o lse"))
                    continue;
                const bool first = !strcmp(s->name, "scalar");
                out.data = o[!first];
                if (mer_ask(one, &c) != MER_OK)
                    continue;
                for (int i = 0; i < n * E && !first; i++)
                    cr_assert(o[0][i] - o[1][i] < 1e-3f && o[1][i] - o[0][i] < 1e-3f, "%s %s %d: %g, not %g", s->name,
                        params, i, (double)o[1][i], (double)o[0][i]);
            }
    }
}
