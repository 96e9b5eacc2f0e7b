/* MASK: finite mask constants.  A constant that is added leaves a hidden key's own score in the sum, and is added
 * twice where two masks hide the key; a constant that replaces the score does neither.  Scores of +-6 and rows whose
 * keys are all hidden tell them apart.  A boolean mask and an additive one of -inf must have the same effect. */
#include <math.h>
#include "checks/core/probe.h"

static void constants(struct probe *p, const char *sizes)
{
    struct trial t;
    if (!probe_make(p, &t, NULL, sizes))
        return;
    struct mer_array *k = trial_in(&t, "k");
    for (long i = 0; i < array_len(k); i++) /* makes scores differ by much more than a bound, hidden or not */
        array_put(k, i, array_get(k, i) * (i / k->dim[2] % 3 == 0 ? -4 : 4));
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t))
        probe_say(p, "hidden keys are not weighed as a mask=%s would", probe_value(&t, "mask", (char[20]){ 0 }, 20));
    trial_close(&t);
}

static void two_forms(struct probe *p)
{
    struct trial t[2];
    static const char *const sizes[] = { "keep n=5 m=7 h=2 g=2 d=8 e=5", "bias n=5 m=7 h=2 g=2 d=8 e=5" };
    for (int k = 0; k < 2; k++) {
        bool made = probe_make(p, &t[k], NULL, sizes[k]);
        for (long i = 0; made && i < 2 * 5 * 7; i++) {
            bool hidden = i * 7 % 11 < 4 && i % 7 != i / 7 % 5 && i % 7;
            array_put(trial_in(&t[k], k ? "bias" : "keep"), i, k ? hidden ? -(double)INFINITY : 0 : !hidden);
        }
        if (!made || !probe_ask(p, &t[k])) {
            if (k)
                trial_close(&t[0]);
            return;
        }
    }
    bool fine = probe_judge(p, &t[0]);
    for (long i = 0; fine && i < array_len(&t[0].out[0]); i++) {
        double a = array_get(&t[0].out[0], i), b = array_get(&t[1].out[0], i);
        if (!(fabs(a - b) <= 2 * p->bound[0][i]) && !(isnan(a) && isnan(b)))
            probe_fail(p, "a boolean mask gives %.9g, the same mask as a bias of -inf %.9g", a, b);
    }
    trial_close(&t[0]), trial_close(&t[1]);
}

static void run(struct probe *p)
{
    struct trial t;
    char mask[20], cap[20];
    if (!probe_make(p, &t, NULL, "n=1 m=1"))
        return;
    probe_value(&t, "mask", mask, sizeof mask), probe_value(&t, "cap_at", cap, sizeof cap);
    trial_close(&t);
    bool hide = !strcmp(mask, "hide");
    constants(p, "h=2 g=2 n=6 m=9 d=8 e=5");
    if (!hide && p->word == PASS)
        constants(p, "h=2 g=2 n=9 m=5 d=8 e=5");
    if (hide && p->word == PASS && probe_wants(p, "keep") && probe_wants(p, "bias") && strcmp(cap, "after"))
        two_forms(p);
}
const struct check check_mask = {
    .name = "MASK", .question = "What does a mask do to a score: hide it, add a constant, or take its place?",
    .cluster = "A12",
    .sources = "NVIDIA-NeMo/Automodel#2658 huggingface/transformers#17306 huggingface/transformers#18185 "
    "huggingface/transformers#4436 google/flax#982 microsoft/onnxruntime#14363",
    .asks = "attention.o", .kills = "attention.mask-zero attention.mask-leak attention.mask-twice "
    "attention.mask-filled attention.mask-constant", .run = run,
};
