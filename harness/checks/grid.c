/* GRID: sinusoidal tables come in several layouts, spacings, origins and directions; which of them is this?  Asked
 * at the first rows, at a far one and at odd widths. */
#include "checks/core/probe.h"
#include "trial/change.h"

static const struct { const char *words, *change; } members[] = {
    { "layout concat", "layout=concat" },
    { "layout interleaved", "layout=interleaved" },
    { "spacing d/2 - 1 (shifted)", "spacing=shifted" },
    { "spacing d/2 (paper)", "spacing=paper" },
    { "layout concat, spacing d/2 - 1", "layout=concat spacing=shifted" },
    { "layout interleaved, spacing d/2", "layout=interleaved spacing=paper" },
    { "positions from one more", "origin+=1" },
    { "positions from one less", "origin+=-1" },
    { "positions from two less (padding_idx + 1 not added)", "origin+=-2" },
    { "negated positions", "pos*=-1" },
};

static void classify(struct probe *p, const struct trial *t)
{
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        struct trial c;
        struct arith a;
        struct tally y;
        char err[400];
        bool is = !trial_copy(&c, t, err, sizeof err) && !trial_change(&c, members[k].change, err, sizeof err) &&
            trial_profile(&c, t->profile, &a, WIDEN, err, sizeof err) >= 0;
        if (is)
            judge_outputs(&c, &a, 0, &y);
        trial_close(&c);
        if (is && tally_passes(&y)) {
            probe_say(p, "it has %s (%.3g ulp from that)", members[k].words, y.ulp);
            return;
        }
    }
    probe_say(p, "no single change of layout, spacing, origin or direction explains it");
}

static void run(struct probe *p)
{
    static const long at[] = { 0, 1, 2, 3, 5, 511, 131149 };
    struct trial t;
    if (!probe_make(p, &t, NULL, "n=7"))
        return;
    probe_positions(&t, at, 7);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t))
        classify(p, &t);
    trial_close(&t);
}
const struct check check_grid = {
    .name = "GRID", .question = "Which of the sinusoidal conventions is this: layout, spacing, origin, direction?",
    .cluster = "A10",
    .sources = "tensorflow/tensor2tensor#391 tensorflow/tensor2tensor#1925 allenai/allennlp#2993 "
    "facebookresearch/fairseq#4648 kimiyoung/transformer-xl#119 tensorflow/text#1122 "
    "tatp22/multidim-positional-encoding#20 "
               "lucidrains/denoising-diffusion-pytorch#357",
    .asks = "sinusoid.p",
    .kills = "sinusoid.concat sinusoid.interleaved sinusoid.shifted sinusoid.paper sinusoid.origin+1 "
    "sinusoid.origin-1 sinusoid.padding-offset sinusoid.padding-row sinusoid.direction sinusoid.odd-drop "
    "sinusoid.odd-zero "
             "sinusoid.min-timescale", .run = run,
};
