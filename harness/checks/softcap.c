/* SOFTCAP: all visible scores lie far below -cap, and so do the hidden ones: if the cap is applied after the mask, a
 * hidden key weighs exp(-cap), as much as a visible one.  Also scores far above the cap, which would dominate if the
 * cap were left out. */
#include "checks/core/probe.h"
#include "reader/core/sight.h"

static void ask(struct probe *p, double q)
{
    struct trial t;
    if (!probe_make(p, &t, NULL, "h=2 g=2 n=4 m=7 d=8 e=7"))
        return;
    probe_keys(&t);
    struct mer_array *k = trial_in(&t, "k");
    const long d = k->dim[2];
    for (long i = 0; i < array_len(trial_in(&t, "q")); i++)
        array_put(trial_in(&t, "q"), i, i % d == 0 ? q : 0);
    for (long i = 0; i < array_len(k); i++)
        /* scores of neighbouring keys differ by q / 4 times the scale */
        array_put(k, i, i % d == 0 ? 64 + (double)(i / d % 7) / 4 : 0);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t))
        sight_words(p, &t);
    trial_close(&t);
}

static void run(struct probe *p)
{
    ask(p, -8);
    if (p->word == PASS)
        ask(p, 0.25);
    if (p->word == PASS)
        ask(p, 0.015625);
}
const struct check check_softcap = {
    .name = "SOFTCAP", .question = "Are scores capped, and before or after the mask?", .cluster = "A16",
    .sources = "onnx/onnx#7865 onnx/onnx#7867 microsoft/onnxruntime#28215 microsoft/onnxruntime#28370 "
    "microsoft/onnxruntime#28379",
    .asks = "attention.o", .kills = "attention.cap-after-mask attention.cap-before-mask attention.cap-dropped "
    "attention.cap-f16-tanh", .run = run,
};
