/* How much of its derived bound each own kernel of a row uses, worst of many lines: a tight bound is used well, none exceeds 1. */
#include <stdlib.h>
#include "cli.h"
#include "kernels.h"
#include "trial.h"

static void stretch(struct trial *t, const char *names, double by) /* uniform (-1, 1) times by; named inputs only */
{
    for (int k = 0; k < t->call.n_in; k++)
        for (long i = 0; strstr(names, t->in[k].name) && i < array_len(&t->in[k]); i++)
            array_put(&t->in[k], i, array_get(&t->in[k], i) * by);
}

static int share(const struct cli *c, const struct slot *s, const struct mer_kernel *k, long seeds, long lines)
{
    char err[600];
    double worst = 0, derived = 0;
    long n = 0, over = 0;
    for (long seed = 1; seed <= seeds; seed++) {
        struct trial t;
        struct tally y;
        struct arith a;
        if (trial_make(&t, c->row->name, c->params, cli_value(c, "out", k->out), type_named(k->type), cli_value(c, "sizes", ""), (uint64_t)seed, err, sizeof err))
            return trial_close(&t), cli_error(c, "%s", err);
        stretch(&t, cli_value(c, "stretch", ""), strtod(cli_value(c, "by", "1"), NULL));
        if (mer_ask(k, &t.call) == MER_OK && trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err) > 0) {
            judge_outputs(&t, &a, lines, &y);
            worst = y.ratio > worst ? y.ratio : worst;
            derived = y.derived > derived ? y.derived : derived;
            n += y.n, over += y.over;
        }
        trial_close(&t);
    }
    if (n)
        printf("%-10s %-5s used %.4f  over %ld of %ld  derived gauge %.3g  %s\n", s->name, k->type, worst, over, n, derived, k->profile);
    return over ? EXIT_FAIL : 0;
}

static int run(const struct cli *c)
{
    long seeds, lines;
    int rc = 0;
    if (!cli_long(c, "seeds", 3, 1, 1 << 20, &seeds) || !cli_long(c, "lines", 64, 1, 1L << 40, &lines))
        return EXIT_USAGE;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && s->here() && rc != EXIT_USAGE; k++)
            if (!strcmp(k->row, c->row->name)) {
                int one = share(c, s, k, seeds, lines);
                rc = one ? one : rc;
            }
    return rc;
}
static const struct flag flags[] = {
    { "sizes", "TEXT", "\"n=8 m=512\"" }, { "stretch", "NAMES", "inputs to scale" }, { "by", "1.73", "their factor" }, { "seeds", "3", "how many" }, { "lines", "64", "of each output" }, { "out", "NAME", "another output" }, { 0 },
};
const struct verb verb_share = { "share", "ROW", "how much of the derived bound own kernels use", ROW_PARAMS, 1, 1, flags, run };
