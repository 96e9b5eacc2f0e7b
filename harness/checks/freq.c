/* FREQ: every pair k of row i is (1, 0), so its output is A (cos, sin) of pos w_k, and at position 1 amplitude and
 * frequency can be read back.  It is asked on both sides of the trained length where the scaling depends on the
 * length, and with factor 1, where every scaling is the plain encoding. */
#include <math.h>
#include "checks/core/probe.h"

static const long at[] = { 1, 3, 4097, 131149 };

static void fill_pairs(struct trial *t) /* sets every pair to (1, 0) */
{
    char text[40];
    bool inter = !strcmp(probe_value(t, "layout", text, sizeof text), "interleaved"),
         spread = !strcmp(probe_value(t, "partial", text, sizeof text), "proportional");
    struct mer_array *x = mer_find(t->in, t->call.n_in, "x");
    long pairs = t->row->extent(t->params, 'k'), d = x ? x->dim[2] : 1;
    for (long i = 0; x && i < array_len(x); i++)
        array_put(x, i, inter ? i % d % 2 == 0 : i % d < (spread ? d / 2 : pairs));
}

/* reads amplitudes and frequencies back from the row at position 1 */
static void recover(struct probe *p, const struct trial *t)
{
    char text[40];
    bool inter = !strcmp(probe_value(t, "layout", text, sizeof text), "interleaved");
    long pairs = t->row->extent(t->params, 'k'), d = t->out[0].dim[t->out[0].rank - 1];
    if (t->out[0].rank != 3 || d < 2 * pairs || array_get(mer_in(&t->call, "pos"), 0) != 1)
        return;
    for (long k = 0; k < pairs; k++) {
        long a = inter ? 2 * k : k, b = inter ? 2 * k + 1 : k + pairs;
        double c = array_get(&t->out[0], a), s = array_get(&t->out[0], b), size = hypot(c, s),
               full = hypot(p->want[0][a], p->want[0][b]), w = atan2(s, c), right = atan2(p->want[0][b], p->want[0][a]);
        if (!probe_misses(p, t, 0, a) && !probe_misses(p, t, 0, b))
            continue;
        if (!(fabs(size - full) <= p->bound[0][a] + p->bound[0][b]))
            probe_say(p, "amplitude %.6g, declared %.6g%s", size, full,
                fabs(size - full * full) <= p->bound[0][a] + p->bound[0][b] ? ": applied twice" : "");
        else
            probe_say(p, "frequency of pair %ld is %.6g, declared %.6g (%.6g times)", k, w, right, w / right);
        return;
    }
}

static bool ask(struct probe *p, const char *more)
{
    struct trial t;
    if (!probe_make(p, &t, more, "h=1 n=4"))
        return true;
    probe_positions(&t, at, 4);
    fill_pairs(&t);
    if (!probe_ask(p, &t))
        return true;
    bool fine = probe_judge(p, &t);
    if (!fine) {
        recover(p, &t);
        if (*more)
            probe_say(p, "with %s", more);
    }
    trial_close(&t);
    return fine;
}

static void run(struct probe *p)
{
    struct trial t;
    char scaling[40], text[40], more[80];
    if (!probe_make(p, &t, NULL, "h=1 n=1"))
        return;
    probe_value(&t, "scaling", scaling, sizeof scaling);
    long trained = atol(probe_value(&t, "trained", text, sizeof text));
    bool looks = !strcmp(scaling, "dynamic") || !strcmp(scaling, "longrope");
    trial_close(&t);
    bool fine = ask(p, "");
    for (long n = trained - 1; looks && fine && n <= trained + 1; n++) {
        snprintf(more, sizeof more, "length=%ld", n);
        fine = ask(p, more);
    }
    if (fine && *scaling && strcmp(scaling, "default") && strcmp(scaling, "longrope") && strcmp(scaling, "yarn"))
        ask(p, "factor=1");
}
const struct check check_freq = {
    .name = "FREQ", .question = "Which frequency has each pair, and which amplitude, at and around the trained length?",
    .cluster = "A4 A5",
    .sources = "huggingface/transformers#25306 vllm-project/vllm#41236 turboderp-org/exllamav3#259 "
    "sgl-project/sglang#33558 vllm-project/vllm#46280 ggml-org/llama.cpp#8995 unslothai/unsloth#10681 "
    "unslothai/unsloth#6197 "
               "lablup/mlxcel#1355 ml-explore/mlx-lm#1507",
    .asks = "rope.y rope.cos rope.freq mrope.y",
    .kills = "rope.base-1e4 rope.head-dim rope.factor-twice rope.scaling-dropped rope.ntk-width rope.dynamic-fixed "
    "rope.truncate-on rope.truncate-off rope.amplitude-dropped rope.factor-ignored rope.amplitude-squared "
             "rope.mscale-ignored rope.longrope-short rope.longrope-long rope.bf16-freq rope.f16-freq mrope.base-1e4 "
                 "mrope.bf16-freq mrope.h-and-w mrope.chunked mrope.interleaved mrope.rest",
    .run = run,
};
