#include <stdio.h>
#include "kernels.h"
#include "trial.h"

static int run(int argc, char **argv)
{
    char err[400];
    printf("%-10s %-8s %-8s %-34s %8s %8s %8s %8s %s\n", "row", "slot", "out", "preset", "ulp", "gauge", "claimed", "derived", "correct");
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && s->here(); k++)
            for (const struct preset *p = row_named(k->row)->presets; p->name && (argc < 2 || !strcmp(argv[1], k->row)); p++) {
                struct trial t;
                struct tally y;
                struct arith a;
                if (trial_make(&t, k->row, p->text, k->out, type_named(k->type), "n=40 m=9", 1, err, sizeof err))
                    return fprintf(stderr, "%s\n", err), 2;
                if (trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err) < 0)
                    return fprintf(stderr, "%s\n", err), 2;
                if (mer_ask(k, &t.call) == MER_OK) {
                    judge_outputs(&t, &a, 64, &y);
                    printf("%-10s %-8s %-8s %-34s %8.3g %8.4g %8.3g %8.3g %ld/%ld%s\n", k->row, s->name, k->out, p->name, y.ulp, y.gauge, k->gauge, y.derived, y.correct, y.n, tally_passes(&y) ? "" : "  OVER");
                }
                trial_close(&t);
            }
    return 0;
}
const struct verb verb_ulp = { "ulp", "ulp [ROW]                  worst errors of the own kernels", run };
