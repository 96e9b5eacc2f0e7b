/* How much of its derived bound each own kernel of a row uses, worst of many lines: a tight bound is used well, none exceeds 1. */
#include <stdio.h>
#include "kernels.h"
#include "trial.h"

static void stretch(struct trial *t, const char *names, double by) /* uniform (-1, 1) times by; named inputs only */
{
    for (int k = 0; k < t->call.n_in; k++)
        for (long i = 0; strstr(names, t->in[k].name) && i < array_len(&t->in[k]); i++)
            array_put(&t->in[k], i, array_get(&t->in[k], i) * by);
}

static int run(int argc, char **argv)
{
    char err[400], flags[512];
    const struct row *r = argc > 1 ? row_named(argv[1]) : NULL;
    if (!r)
        return fprintf(stderr, "share ROW [--sizes 'n=8 m=512 d=64 e=64'] [--stretch 'q k'] [--by 1.73] [--seeds 10] [--lines 64] [--out o] [--param value]\n"), 2;
    arg_text(argc, argv, r, flags, sizeof flags);
    long seeds = atol(arg(argc, argv, "--seeds", "3")), lines = atol(arg(argc, argv, "--lines", "64"));
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && s->here(); k++) {
            double worst = 0, derived = 0;
            long n = 0, over = 0;
            for (long seed = 1; seed <= seeds && !strcmp(k->row, r->name); seed++) {
                struct trial t;
                struct tally y;
                struct arith a;
                if (trial_make(&t, r->name, flags, arg(argc, argv, "--out", k->out), type_named(k->type), arg(argc, argv, "--sizes", ""), (uint64_t)seed, err, sizeof err))
                    return fprintf(stderr, "%s\n", err), 2;
                stretch(&t, arg(argc, argv, "--stretch", ""), strtod(arg(argc, argv, "--by", "1"), NULL));
                if (mer_ask(k, &t.call) == MER_OK && trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err) > 0) {
                    judge_outputs(&t, &a, lines, &y);
                    worst = y.ratio > worst ? y.ratio : worst;
                    derived = y.derived > derived ? y.derived : derived;
                    n += y.n, over += y.over;
                }
                trial_close(&t);
            }
            if (n)
                printf("%-8s used %.4f  over %ld of %ld  derived gauge %.3g  %s\n", s->name, worst, over, n, derived, k->profile);
        }
    return 0;
}
const struct verb verb_share = { "share", "share ROW [...]            how much of the derived bound the own kernels use", run };
