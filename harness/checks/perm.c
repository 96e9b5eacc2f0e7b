/* PERM: rope_half(P x) = P rope_interleaved(x), where P is the permutation that moves channel 2k to k and 2k+1 to k
 * + r/2.  The two layouts of one implementation are compared with each other within the sum of both bounds; whether
 * the bits are equal is reported. */
#include <math.h>
#include "checks/core/probe.h"

/* where channel c of the interleaved layout lies in the layout of halves */
static long place(long c, long pairs) { return c >= 2 * pairs ? c : c / 2 + (c % 2) * pairs; }

static void run(struct probe *p)
{
    struct trial half, inter;
    char text[40];
    static const long at[] = { 1, 2, 17, 257, 4097, 65537, 131149 };
    if (!probe_make(p, &inter, "layout=interleaved", "h=2 n=7"))
        return;
    if (!strcmp(probe_value(&inter, "partial", text, sizeof text), "proportional") ||
        !probe_make(p, &half, "layout=half", "h=2 n=7")) {
        trial_close(&inter);
        return;
    }
    long d = trial_in(&half, "x")->dim[2], pairs = half.row->extent(half.params, 'k'), bits = 0;
    probe_positions(&half, at, 7), probe_positions(&inter, at, 7);
    const struct mer_array *x = trial_in(&inter, "x");
    for (long i = 0; i < array_len(x); i++)
        array_put(trial_in(&half, "x"), i / d * d + place(i % d, pairs), array_get(x, i));
    if (!probe_ask(p, &inter)) {
        trial_close(&half);
        return;
    }
    if (!probe_ask(p, &half)) {
        trial_close(&inter);
        return;
    }
    probe_read(p, &inter); /* read for its bounds, which are those of the other layout too */
    for (long i = 0; i < array_len(x); i++) {
        double a = array_get(&inter.out[0], i), b = array_get(&half.out[0], i / d * d + place(i % d, pairs));
        if (!(fabs(a - b) <= 2 * p->bound[0][i]))
            probe_fail(p, "channel %ld at position %ld: %.9g interleaved, %.9g as halves of the permuted vector", i % d,
                at[i / d % 7], a, b);
        bits += a == b;
    }
    if (p->word == PASS)
        probe_say(p, "%ld of %ld elements have the same bits in both layouts", bits, array_len(x));
    trial_close(&half), trial_close(&inter);
}
const struct check check_perm = {
    .name = "PERM", .question = "Are the two pair layouts one rotation, permuted?", .cluster = "A3",
    .sources = "huggingface/transformers#25199 karpathy/nanochat#264 EleutherAI/gpt-neox#834 "
    "tenstorrent/tt-metal#26844 huggingface/transformers#47403",
    .asks = "rope.y", .kills = "rope.interleaved rope.half", .relation = true, .run = run,
};
