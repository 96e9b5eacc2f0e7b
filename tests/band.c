/* Relative rows on the attention tiles: widths that no vector divides, bands shorter and longer than the keys and than
 * a block of them, more queries than a packing serves, hidden keys; memory.  Bounds are those of each kernel's
 * profile. */
#include <math.h>
#include "compare/compare.h"
#include "guard.h"
#include "kernels.h"

/* `sizes` is what the row needs beside h, n, m, d and e. */
static const struct { const char *row, *params, *sizes; } cases[] = {
    { "shaw", "least=-2 most=5 memory=3", "" },
    { "shaw", "least=-900 most=300 causal=causal memory=30", "" },
    { "shaw", "least=-3 most=4 beyond=zero sign=query-key", "" },
    { "nezha", "reach=3 memory=2", "" }, { "nezha", "reach=700 memory=5", "" },
    { "txl", "", "c=7" },
    { "txl", "clamp=6", "c=7" },
    { "txl", "clamp=600 causal=none sign=key-query", "c=6" },
    { "txl", "causal=none layout=interleaved", "c=6" },
    { "txl", "clamp=0 causal=none", "c=6" },
    { "xlnet", "", "c=7 s=2" },
    { "xlnet", "clamp=5", "c=7 s=2" },
    { "xlnet", "clamp=3 cut=above causal=causal", "c=6 s=2" },
    { "xlnet", "clamp=0", "c=6 s=2" },
    { "xlnet", "clamp=600 sign=key-query", "c=6 s=2" },
    { "deberta", "span=5 memory=3", "" },
    { "deberta", "span=350 p2c_index=code memory=-20", "" },
    { "deberta", "span=34 max_position=400 distance=log memory=9", "" },
    { "deberta", "span=6 terms=c2p scale=width", "" },
    { "deberta", "span=7 terms=p2c empty=nan", "" },
    { "deberta", "terms=none empty=mean", "" },
    { "deberta", "memory=1000000000000 span=9", "" },
};
enum { CASES = sizeof cases / sizeof *cases };

static void hide_some(struct trial *t) /* Hides a third of the pairs, and every key from query 2. */
{
    struct mer_array *keep = mer_find(t->in, t->call.n_in, "keep");
    for (long i = 0; keep && i < array_len(keep); i++)
        array_put(keep, i, i / keep->dim[2] % keep->dim[1] != 2 && gen_bits(4, 71, (uint64_t)i) % 3 != 0);
}

typedef void with_trial(const struct slot *s, const struct mer_kernel *k, struct trial *t, const char *what);
static int each(const char *shape, bool keep, with_trial *f)
{
    int offered = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s != slots && s->here() && k->row; k++)
            for (int c = 0; c < CASES; c++) {
                struct trial t;
                char sizes[160], what[300], err[400];
                if (!strncmp(s->name, "scalar", 6) || strcmp(k->row, cases[c].row) || strcmp(k->out, "o lse"))
                    continue;
                snprintf(sizes, sizeof sizes, "h=2 %s %s%s", shape, cases[c].sizes, keep ? " keep" : "");
                snprintf(what, sizeof what, "%s %s %s, %s", s->name, k->row, cases[c].params, sizes);
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, cases[c].params, k->out, MER_F32, sizes, 3 },
                    err, sizeof err), 0, "%s", err);
                for (int j = 0; j < t.call.n_in && !keep; j++)
                    if (!strcmp(t.in[j].name, "keep"))
                        t.call.n_in = j;
                hide_some(&t);
                int rc = mer_ask(k, &t.call);
                cr_assert(rc == MER_OK || rc == MER_SKIP, "%s", what);
                if (rc == MER_OK)
                    f(s, k, &t, what), offered++;
                trial_close(&t);
            }
    return offered;
}
static int offers(void) /* Each slot's kernel for short bands or the one for long bands answers every case. */
{
    int slots_here = 0;
    for (const struct slot *s = slots; s->name; s++)
        slots_here +=
            s->here() && (!strcmp(s->name, "avx2") || !strcmp(s->name, "avx512")) && !strcmp(s->kernel->row, "shaw");
    return slots_here * CASES;
}

static void judged(const struct slot *s, const struct mer_kernel *k, struct trial *t, const char *what)
{
    struct arith a;
    struct tally y;
    char err[400];
    (void)s;
    cr_assert_gt(trial_profile(t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(t, &a, 3, &y);
    cr_expect(y.n && tally_passes(&y), "%s: %ld of %ld over, ratio %g at %s %ld %ld | %ld got %a want %a", what, y.over,
        y.n, y.ratio, y.out ? y.out : "", y.at[0], y.at[1], y.k, y.got, y.want);
}
Test(band, kernels_keep_their_bounds_at_odd_widths_and_lengths_of_every_kind, .timeout = 120)
{
    static const char *const shape[] = { "n=7 m=33 d=9 e=5", "n=50 m=20 d=17 e=67", "n=61 m=97 d=33 e=16",
        "n=5 m=1100 d=3 e=2" };
    if (!offers())
        cr_skip_test("not run: this machine has no slot with bands");
    for (int k = 0; k < 4; k++)
        for (int keep = 0; keep < 2; keep++)
            cr_expect_eq(each(shape[k], keep, judged), offers(), "%s", shape[k]);
}

static void cornered(const struct slot *s, const struct mer_kernel *k, struct trial *t, const char *what)
{
    (void)s;
    for (int behind = 0; behind < 2; behind++) {
        char name[40] = "";
        const char *wrong = guard_ask(k, t, behind, name, sizeof name);
        cr_expect(!wrong, "%s, page %s: %s %s", what, behind ? "behind" : "before", name, wrong);
    }
}
Test(band, no_slot_touches_a_byte_beside_the_arrays_and_inputs_stay, .timeout = 60)
{
    static const char *const shape[] = { "n=7 m=33 d=9 e=5", "n=50 m=65 d=16 e=64", "n=13 m=530 d=3 e=18" };
    if (!offers())
        cr_skip_test("not run: this machine has no slot with bands");
    for (int k = 0; k < 3; k++)
        for (int keep = 0; keep < 2; keep++)
            cr_expect_eq(each(shape[k], keep, cornered), offers(), "%s", shape[k]);
}
