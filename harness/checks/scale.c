/* SCALE: two keys and one-hot values: the logarithm of the ratio of the two weights is the difference of their
 * scores, so that the scale can be read back.  The width is no power of four, so that 1/d, 1/sqrt(d) and 1 are far
 * apart. */
#include <math.h>
#include "checks/core/probe.h"

static void run(struct probe *p)
{
    struct trial t;
    if (!probe_make(p, &t, NULL, "h=2 g=2 n=2 m=2 d=24 e=2"))
        return;
    probe_fill(&t, "tv", 0);
    probe_keys(&t);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t) && t.out[0].dim[2] == 2)
        for (long r = 0; r < array_len(&t.out[0]) / 2; r++) {
            double a = array_get(&t.out[0], 2 * r), b = array_get(&t.out[0], 2 * r + 1), got = log(a / b),
                   want = log(p->want[0][2 * r] / p->want[0][2 * r + 1]);
            if (!isfinite(got) || !isfinite(want) || want == 0 || !probe_misses(p, &t, 0, 2 * r))
                continue;
            double width = (double)trial_in(&t, "q")->dim[2], ratio = got / want;
            probe_say(p, "the scores' gap is %.6g times the declared one%s", ratio,
                fabs(ratio - sqrt(width)) < 0.01 * ratio ? ": 1/sqrt(d) is missing" :
                    fabs(ratio * sqrt(width) - 1) < 0.01 ? ": scaled by 1/sqrt(d) once more" :
                                                           "");
            break;
        }
    trial_close(&t);
}
const struct check check_scale = {
    .name = "SCALE", .question = "By what are scores scaled?", .cluster = "A16",
    .sources = "mlc-ai/mlc-llm#3426 omihub777/ViT-CIFAR#12 juho-lee/set_transformer#18 esceptico/perceiver-io#9 "
    "huggingface/transformers#44397",
    .asks = "attention.o shaw.o txl.o xlnet.o t5.o deberta.o tener.o",
    .kills = "attention.scale-missing attention.scale-d attention.scale-inverse attention.scale-ignored "
    "shaw.scale-missing txl.scale-missing xlnet.scale-missing t5.scaled t5.unscaled deberta.scale-width "
    "deberta.scale-none tener.scaled "
             "tener.unscaled", .run = run,
};
