/* `share`: how much of its derived bound each own kernel of a row uses, the worst of many lines: 1 must not be
 * exceeded, and a share near it says that the bound is tight. */
#include <stdlib.h>
#include "base/progress.h"
#include "compare/compare.h"
#include "core/cli.h"
#include "kernels.h"
#include "trial/valid.h"

/* multiplies the named inputs, which are uniform in (-1, 1), by `by` */
static void scale_inputs(struct trial *t, const char *names, double by)
{
    for (int k = 0; k < t->call.n_in; k++)
        for (long i = 0; strstr(names, t->in[k].name) && i < array_len(&t->in[k]); i++)
            array_put(&t->in[k], i, array_get(&t->in[k], i) * by);
}

/* Measures one kernel and adds the elements compared to *compared. 0; 1: an element lies outside its bound; or
 * another exit status after one line. */
static int share(
    const struct cli *c, const struct slot *s, const struct mer_kernel *k, long seeds, long lines, long *compared)
{
    char err[600];
    double worst = 0, derived = 0;
    long n = 0, over = 0;
    for (long seed = 1; seed <= seeds; seed++) {
        struct trial t;
        struct tally y;
        struct arith a;
        if (trial_make(&t, &(struct trial_spec){ c->row->name, c->params, cli_value(c, "out", k->out),
            type_named(k->type), cli_value(c, "sizes", ""), (uint64_t)seed }, err, sizeof err))
            return trial_close(&t), cli_error(c, "%s", err);
        if (!valid_sized_so(&t, cli_value(c, "sizes", ""), err, sizeof err))
            return trial_close(&t), cli_error(c, "--sizes: %s", err);
        progress_count(k->out);
        scale_inputs(&t, cli_value(c, "stretch", ""), strtod(cli_value(c, "by", "1"), NULL));
        /* the multiplied inputs may be outside their type's range */
        if (trial_fits(k, &t.call, err, sizeof err) != MER_OK)
            return trial_close(&t), cli_error(c, "%s", err);
        if (mer_ask(k, &t.call) == MER_OK && trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err) > 0) {
            judge_outputs(&t, &a, lines, &y);
            worst = y.ratio > worst ? y.ratio : worst;
            derived = y.derived > derived ? y.derived : derived;
            n += y.n, over += y.over;
        }
        trial_close(&t);
    }
    progress_pause();
    if (n)
        printf("%-10s %-5s used %.4f  over %ld of %ld  derived gauge %.3g  %s\n", s->name, k->type, worst, over, n,
            derived, k->profile);
    *compared += n;
    return over ? EXIT_FAIL : 0;
}

static int run(const struct cli *c)
{
    char err[600];
    const char *out = cli_value(c, "out", NULL);
    long seeds, lines, compared = 0, offered = 0;
    int rc = 0;
    if (!cli_long(c, "seeds", 3, 1, 1 << 20, &seeds) || !cli_long(c, "lines", 64, 1, 1L << 40, &lines))
        return EXIT_USAGE;
    if (out && valid_outs(c->row, out, err, sizeof err))
        return cli_error(c, "--out: %s", err);
    if (valid_sizes(c->row, cli_value(c, "sizes", NULL), err, sizeof err))
        return cli_error(c, "--%s", err);
    progress_of("share", "questions", 0);
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && s->here() && rc != EXIT_USAGE; k++)
            if (!strcmp(k->row, c->row->name) && (!out || valid_offer(k, out))) {
                int one = share(c, s, k, seeds, lines, &compared);
                rc = one ? one : rc;
                offered++;
            }
    if (compared || rc)
        return rc;
    fprintf(stderr, "meridian share: no own kernel of %s %s %s; `meridian list` names what there is\n", c->row->name,
        offered ? "answered a question about" : "offers", out ? out : "anything");
    return EXIT_NOTHING;
}
static const struct flag flags[] = {
    { "sizes", "TEXT", "\"n=8 m=512\"" },
    { "stretch", "NAMES", "inputs to scale" },
    { "by", "1.73", "their factor" },
    { "seeds", "3", "how many" },
    { "lines", "64", "of each output" },
    { "out", "NAME", "these outputs alone, of kernels that offer them" },
    { 0 },
};
const struct verb verb_share = { "share", "ROW", "how much of the derived bound own kernels use", ROW_PARAMS, 1, 1,
    flags, run };
