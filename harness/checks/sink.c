/* SINK: queries of 0 and values of 1: the output is n / (n + e^s) for n keys and a sink of logit s, asked without a
 * sink and with s = 0 and 3.  The keys are few, as beside many of them bfloat16 cannot tell a sink of 0 from none. */
#include <math.h>
#include "checks/core/probe.h"

static void ask(struct probe *p, const char *sizes, double logit)
{
    struct trial t;
    if (!probe_make(p, &t, NULL, sizes))
        return;
    probe_fill(&t, "q", 0), probe_fill(&t, "v", 1);
    struct mer_array *sink = mer_find(t.in, t.call.n_in, "sink");
    for (long h = 0; sink && h < array_len(sink); h++)
        array_put(sink, h, logit - (double)h / 4);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t))
        for (long i = 0; i < array_len(&t.out[0]); i++)
            if (probe_misses(p, &t, 0, i)) {
                double y = array_get(&t.out[0], i), w = p->want[0][i];
                probe_say(p, "the sink keeps %.6g of the weight, declared %.6g%s", 1 - y, 1 - w,
                    y == 1 ? ": it is not there" : "");
                break;
            }
    trial_close(&t);
}

static void run(struct probe *p)
{
    struct trial t;
    char one[20];
    if (!probe_make(p, &t, NULL, "n=1 m=1"))
        return;
    bool softmax1 = !strcmp(probe_value(&t, "softmax1", one, sizeof one), "on");
    trial_close(&t);
    if (softmax1)
        ask(p, "h=2 g=2 n=3 m=5 d=8 e=3", 0);
    if (!probe_wants(p, "sink"))
        return;
    static const double logits[] = { -1000, 0, 3, 20 };
    for (int k = 0; k < 4 && p->word == PASS; k++)
        ask(p, "sink h=2 g=2 n=3 m=5 d=8 e=3", logits[k]);
}
const struct check check_sink = {
    .name = "SINK", .question = "What does the sink keep of the weight?", .cluster = "A16",
    .sources = "modular/modular#6591 ROCm/rocm-libraries#12229 NVIDIA/TransformerEngine#2541 "
    "NVIDIA/TransformerEngine#3551 vllm-project/vllm-metal#550",
    .asks = "attention.o", .kills = "attention.sink-dropped attention.sink-never attention.sink-twice "
    "attention.sink-zero attention.sink-base attention.sink-scaled", .run = run,
};
