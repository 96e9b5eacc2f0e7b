/* SCRATCH: what are the gains?  Asked twice: of ones, forwards or backwards. */
#include "checks/core/probe.h"

static void run(struct probe *p)
{
    for (int turn = 0; turn < 2; turn++) {
        struct trial t;
        if (!probe_make(p, &t, NULL, "n=2 d=3"))
            return;
        probe_fill(&t, "x", 1), probe_fill(&t, "dy", 1);
        if (!probe_ask(p, &t))
            return;
        if (!probe_judge(p, &t))
            probe_say(p, "1 becomes %.9g", array_get(&t.out[0], 0));
        trial_close(&t);
    }
}
const struct check check_scratch = {
    .name = "SCRATCH", .question = "What does a one become?", .cluster = "A1", .sources = "nobody",
    .asks = "scratch.y scratch.dx", .kills = "scratch.gain scratch.forgotten", .run = run,
};
