/* ONEHOT: row j is one-hot in channel j.  Where its output is not 0 tells the pairs of channels, the rotated width
 * and the order of the pairs, by equality; channels that are not rotated must keep their bits. */
#include "checks/core/probe.h"

enum { MOST = 33 };

/* The channel of row j: all of them, or where there are more than rows the first, some in the middle, the last, and
 * a spread over the rest. */
static long channel(long j, long n, long d)
{
    return n == d ? j : j < 8 ? j : j < 16 ? d / 2 - 12 + j : j < 24 ? d - 24 + j : (j - 23) * (d / 11);
}

static long partner(const struct trial *t, long row, long own) /* the other channel that is not zero, or -1 */
{
    for (long c = 0; c < t->out[0].dim[2]; c++)
        if (c != own && probe_got(t, 0, 0, row, c) != 0)
            return c;
    return -1;
}

static void describe(struct probe *p, const struct trial *t, const struct trial *exact, long n, long d)
{
    for (long j = 0; j < n; j++) {
        long c = channel(j, n, d), got = partner(t, j, c), want = partner(exact, j, c);
        if (got != want) {
            if (got < 0)
                probe_say(p, "channel %ld is not rotated; declared: with channel %ld", c, want);
            else if (want < 0)
                probe_say(p, "channel %ld is rotated with %ld; declared to pass through", c, got);
            else
                probe_say(p, "channel %ld turns with %ld%s; declared: with %ld", c, got,
                    got == (c ^ 1)                           ? " (interleaved)" :
                        got - c == d / 2 || c - got == d / 2 ? " (half)" :
                                                               "",
                    want);
            return;
        }
    }
}

static void run(struct probe *p)
{
    struct trial t, exact;
    char sizes[60];
    static const long at[] = { 3, 5 };
    if (!probe_make(p, &t, NULL, "h=1 n=1"))
        return;
    long d = trial_in(&t, "x")->dim[2], n = d <= 64 ? d : MOST;
    trial_close(&t);
    snprintf(sizes, sizeof sizes, "h=1 n=%ld", n);
    if (!probe_make(p, &t, NULL, sizes))
        return;
    probe_positions(&t, at, 1);
    probe_fill(&t, "x", 0);
    for (long j = 0; j < n; j++)
        probe_put(&t, "x", 0, j, channel(j, n, d), 1 + (double)(j % 64) / 64);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t) && probe_exact(&t, &exact)) {
        describe(p, &t, &exact, n, d);
        trial_close(&exact);
    }
    trial_close(&t);
}
const struct check check_onehot = {
    .name = "ONEHOT", .question = "Which channels turn together, and which pass through untouched?", .cluster = "A3 A4",
    .sources = "huggingface/transformers#25199 Dao-AILab/flash-attention#288 microsoft/onnxruntime#29261 "
    "pie-project/pie#602 apple/coreai-models#66 labscommunity/cascadia#69 Tencent/ncnn#6833",
    .asks = "rope.y mrope.y",
    .kills = "rope.interleaved rope.half rope.partial-dropped rope.proportional rope.prefix rope.direction mrope.half "
    "mrope.neighbours", .run = run,
};
