/* SLOPES: ALiBi's slopes, read from the bias of one query, for every number of heads from 1 to 128 for which the
 * family of slopes is defined, at near and far keys. */
#include "checks/core/probe.h"
#include "trial/change.h"

static const struct { const char *words, *text; } families[] = {
    { "interleave (Press, BLOOM)", "family=interleave" },
    { "plain geometric 2^(-B(h+1)/H)", "family=geometric" },
    { "strided (MPT)", "family=strided" },
    { "geometric from head 0 on (slope 1)", "family=geometric first=0" },
    { "interleave, first exponent 0", "family=interleave first=0" }, { "favouring far keys (sign)", "sign=plus" },
};

/* names the family that the slopes belong to, if there is one */
static void describe(struct probe *p, const struct trial *t, long heads)
{
    struct tally y;
    struct arith a;
    char err[400];
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        struct trial c;
        bool is = !trial_copy(&c, t, err, sizeof err) && !trial_change(&c, families[k].text, err, sizeof err) &&
            trial_profile(&c, t->profile, &a, WIDEN, err, sizeof err) >= 0;
        if (is)
            judge_outputs(&c, &a, 0, &y);
        trial_close(&c);
        if (is && tally_passes(&y)) {
            probe_say(p, "at %ld heads the slopes are %s", heads, families[k].words);
            return;
        }
    }
    for (long i = 0; i < array_len(&t->out[0]); i++)
        if (probe_misses(p, t, 0, i)) {
            probe_say(p, "at %ld heads: element %ld is %.9g, declared %.9g; none of the known families", heads, i,
                array_get(&t->out[0], i), p->want[0][i]);
            return;
        }
}

static void run(struct probe *p)
{
    /* distances whose bias stays below the largest float16 */
    static const char *const far[] = { "offset=2", "offset=131149", "offset=1048576" },
                             *const within[] = { "offset=2", "offset=30011", "offset=60013" };
    bool narrow = !strcmp(p->kernel->type, "f16");
    for (long heads = 1; heads <= 128 && p->word == PASS; heads++) {
        struct trial t;
        char more[80];
        snprintf(more, sizeof more, "heads=%ld %s", heads, narrow ? within[heads % 3] : far[heads % 3]);
        if (!probe_make(p, &t, more, "n=1 m=3"))
            continue;
        if (!probe_ask(p, &t))
            return;
        if (!probe_judge(p, &t))
            describe(p, &t, heads);
        trial_close(&t);
    }
}
const struct check check_slopes = {
    .name = "SLOPES", .question = "Which slopes have 1 to 128 heads?", .cluster = "A7",
    .sources = "ml-explore/mlx#343 NVIDIA/TensorRT-LLM#1611 paiml/aprender#2143 huggingface/transformers#28380 "
    "baichuan-inc/Baichuan2#225 vllm-project/vllm#945 meta-pytorch/attention-gym#86",
    .asks = "alibi.bias alibi.slopes", .kills = "alibi.key alibi.sign alibi.geometric alibi.interleave alibi.first "
    "alibi.bias-max alibi.bf16 alibi.offset+1", .run = run,
};
