/* STATE: a short call, a long one and the short one again, in one process.  A cache that the long call has grown and
 * nobody reset changes the second short answer, which must have the bits of the first. */
#include "checks/core/probe.h"

static void run(struct probe *p)
{
    struct trial t[3];
    char text[40], first[60] = "", second[60] = "";
    int made = 0;
    if (!probe_make(p, &t[0], NULL, "n=1 m=1"))
        return;
    long trained = atol(probe_value(&t[0], "trained", text, sizeof text));
    /* where the length is a parameter: within the trained length, four times as long, and within again */
    if (probe_has(&t[0], "scaling") && trained)
        snprintf(first, sizeof first, "length=%ld", trained),
            snprintf(second, sizeof second, "length=%ld", 4 * trained);
    bool keys = mer_in(&t[0].call, "k") != NULL || t[0].out[0].rank == 3;
    trial_close(&t[0]);
    while (made < 3 &&
        probe_make(p, &t[made], made == 1 ? second : first,
            made != 1 ? "h=2 g=2 n=5 m=5 d=8 e=8" :
                keys  ? "h=2 g=2 n=7 m=301 d=8 e=8" :
                        "n=301"))
        made++;
    if (made < 3) {
        while (made)
            trial_close(&t[--made]);
        return;
    }
    if (!probe_ask_together(p, t, 3))
        return;
    for (int o = 0; o < t[0].call.n_out; o++) {
        const struct mer_array *a = &t[0].out[o], *b = &t[2].out[o];
        for (long i = 0; i < array_len(a); i++)
            if (memcmp((const char *)a->data + (size_t)i * type_size(a->type),
                    (const char *)b->data + (size_t)i * type_size(b->type), type_size(a->type)))
                probe_fail(p, "the same call, asked again after one of length 301: %s element %ld was %a, now %a",
                    a->name, i, array_get(a, i), array_get(b, i));
    }
    for (int i = 0; i < 3; i++)
        trial_close(&t[i]);
}
const struct check check_state = {
    .name = "STATE", .question = "Does a long call leave the next short one as it was?", .cluster = "A5",
    .sources = "huggingface/transformers#25306 vllm-project/vllm#3488 QwenLM/Qwen#401 "
    "lucidrains/rotary-embedding-torch#11 ml-explore/mlx-lm#1713",
    .asks = "rope.y rope.cos mrope.y sinusoid.p attention.o alibi.bias t5.bias t5.o shaw.o nezha.o deberta.o tener.o "
    "learned.p", .kills = "fault.state", .relation = true, .run = run,
};
