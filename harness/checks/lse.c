/* LSE: the logarithm of a sum over n keys of equal score 0 is ln n: its base can be read off. */
#include <math.h>
#include "checks/core/probe.h"

static void run(struct probe *p)
{
    static const int keys[] = { 1, 2, 3, 5, 7, 100, 1031 };
    for (size_t k = 0; k < sizeof keys / sizeof *keys && p->word == PASS; k++) {
        struct trial t;
        char sizes[60];
        int o = 0;
        snprintf(sizes, sizeof sizes, "h=2 g=2 n=2 m=%d d=8 e=2", keys[k]);
        if (!probe_make(p, &t, NULL, sizes))
            continue;
        /* key 0 alone has a value that is not 0: o is its weight 1/n, never a tie between two numbers of the format */
        probe_fill(&t, "q", 0), probe_fill(&t, "v", 0);
        for (long g = 0; g < 2; g++)
            probe_put(&t, "v", g, 0, 0, 1);
        if (!probe_ask(p, &t))
            return;
        while (o < t.call.n_out && strcmp(t.out[o].name, "lse"))
            o++;
        if (!probe_judge(p, &t) && o < t.call.n_out)
            for (long i = 0; i < array_len(&t.out[o]); i++)
                if (probe_misses(p, &t, o, i)) {
                    double ratio = array_get(&t.out[o], i) / p->want[o][i];
                    probe_say(p, "of %d equal keys: %.9g, declared %.9g%s", keys[k], array_get(&t.out[o], i),
                        p->want[o][i],
                        fabs(ratio - 1.4426950408889634) < 1e-3     ? ": base 2 in place of e" :
                            fabs(ratio - 0.6931471805599453) < 1e-3 ? ": base e in place of 2" :
                                                                      "");
                    break;
                }
        trial_close(&t);
    }
}
const struct check check_lse = {
    .name = "LSE", .question = "What is the log-sum-exp of n equal scores, and in which base?", .cluster = "A17",
    .sources = "flashinfer-ai/flashinfer#2113 flashinfer-ai/flashinfer#4485 vllm-project/vllm#28840",
    .asks = "attention.lse", .kills = "attention.lse-base attention.lse-natural", .run = run,
};
