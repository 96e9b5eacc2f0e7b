/* `ulp`: the worst errors of the own kernels, beside their claims and derived bounds. */
#include <stdlib.h>
#include "base/progress.h"
#include "examine/examine.h"
#include "pack/open.h"

static void add(struct cost *sum, const struct cost *c)
{
    sum->elements += c->elements, sum->retries += c->retries, sum->exact += c->exact, sum->ties += c->ties;
    sum->prec = c->prec > sum->prec ? c->prec : sum->prec, sum->ns += c->ns;
}

static int run(const struct cli *c)
{
    char err[200];
    long lines, bad = 0, n = 0, rows = 0;
    if (!cli_long(c, "lines", 64, 1, 1L << 40, &lines))
        return EXIT_USAGE;
    while (all_rows[rows])
        rows++;
    struct cost *cost = need((size_t)rows, sizeof *cost);
    printf("%-10s %-10s %-8s %-4s %-30s %8s %8s %8s %8s %s\n", "row", "slot", "out", "type", "preset", "ulp", "gauge",
        "claimed", "derived", "correct");
    progress_of("ulp", "questions", 0);
    for (const struct slot *s = slots, *last = NULL; s->name; last = s, s++) {
        struct subject who;
        char name[40];
        if (last && !strcmp(last->name, s->name)) /* the kernels of a slot are one subject, for all rows */
            continue;
        snprintf(name, sizeof name, "own:%s", s->name);
        if (!s->here() || subject_open(&who, name, err, sizeof err))
            continue;
        for (const struct mer_kernel *k = who.kernel; k->row; k++)
            for (const struct preset *p = row_named(k->row)->presets;
                 p->name && (!c->row || !strcmp(c->row->name, k->row)); p++) {
                struct trial t;
                struct tally y;
                struct finding f;
                struct question q = { &who, k, p->text, NULL, "n=40 m=9", 1, lines };
                const int measured = examine(&q, &t, &y, &f);
                progress_pause();
                if (measured) {
                    for (long r = 0; r < rows; r++)
                        if (all_rows[r] == t.row)
                            add(&cost[r], &y.cost);
                    printf("%-10s %-10s %-8s %-4s %-30s %8.3g %8.4g %8.3g %8.3g %ld/%ld%s\n", k->row, s->name, k->out,
                        k->type, p->name, y.ulp, y.gauge, k->correct ? 0.5 : k->gauge, y.derived, y.correct, y.n,
                        f.word == FAILED ? "  FAIL" : "");
                }
                bad += f.word == FAILED || f.word == CRASHED;
                n++;
                trial_close(&t);
            }
        who.close(&who);
    }
    for (long r = 0; r < rows; r++)
        if (cost[r].elements)
            printf("%-10s reference %s, %llu elements, %llu lines by the exact path\n", all_rows[r]->name,
                cost_text(&cost[r], err, sizeof err), (unsigned long long)cost[r].elements,
                (unsigned long long)cost[r].exact);
    free(cost);
    return bad ? EXIT_FAIL : n ? EXIT_PASS : EXIT_NOTHING;
}
static const struct flag flags[] = { { "lines", "64", "compared of each output" }, { 0 } };
const struct verb verb_ulp = { "ulp", "[ROW]", "worst errors of the own kernels", MAYBE_ROW, 0, 1, flags, run };
