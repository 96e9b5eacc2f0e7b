/* BEAM: a vocabulary of 3 and five tokens.  A beam as wide as there are sequences finds what enumerating them finds,
 * a beam of one is the greedy search, and the score of forced tokens is the sum of their steps.  The subject's
 * answers are compared with each other and with the definition. */
#include <math.h>
#include "checks/core/probe.h"

static bool ask(struct probe *p, struct trial *t, const char *more)
{
    if (!probe_make(p, t, more, "n=4"))
        return false;
    if (mer_in(&t->call, "len")) /* the input len holds lengths, not positions */
        for (long i = 0; i < array_len(trial_in(t, "len")); i++)
            array_put(trial_in(t, "len"), i, (double)(1 + i));
    return probe_ask(p, t);
}

static void judge(struct probe *p, struct trial *t, const char *words)
{
    if (!probe_judge(p, t))
        for (int o = 0; o < t->call.n_out; o++)
            for (long i = 0; i < array_len(&t->out[o]); i++)
                if (probe_misses(p, t, o, i)) {
                    probe_say(p, "%s: %s element %ld is %.9g, declared %.9g", words, t->out[o].name, i,
                        array_get(&t->out[o], i), p->want[o][i]);
                    return;
                }
}

/* compares the first sequences that two searches return */
static bool compare_first(struct probe *p, const char *a, const char *b, const char *words)
{
    struct trial x, y;
    if (!ask(p, &x, a))
        return false;
    if (!ask(p, &y, b)) {
        trial_close(&x);
        return false;
    }
    probe_read(p, &x);
    for (int o = 0; o < x.call.n_out; o++)
        for (long c = 0, s = x.out[o].rank > 1 ? x.out[o].dim[1] : 1; c < s; c++) {
            double one = array_get(&x.out[o], c), other = array_get(&y.out[o], c);
            if (!(fabs(one - other) <= 2 * p->bound[o][c]) && one != other)
                probe_fail(p, "%s: %s %.9g and %.9g", words, x.out[o].name, one, other);
        }
    trial_close(&x), trial_close(&y);
    return true;
}

static void run(struct probe *p)
{
    struct trial t;
    if (!ask(p, &t, ""))
        return;
    judge(p, &t, "as declared");
    trial_close(&t);
    if (p->word != PASS || strncmp(p->kernel->out, "tokens", 6))
        return;
    static const char small[] = "vocab=3 length=4 eos=1 start=-1 form=tree penalty=none finish=top keep=best "
                                "last=finished stop=none first=one pool=2";
    char wide[300], all[300], one[300], greedy[300];
    snprintf(wide, sizeof wide, "%s search=beam beam=81 wide=allowed", small),
        snprintf(all, sizeof all, "%s search=exhaustive beam=81 wide=allowed", small);
    snprintf(one, sizeof one, "%s search=beam beam=1", small),
        snprintf(greedy, sizeof greedy, "%s search=greedy", small);
    compare_first(p, wide, all, "a beam of V^T against enumeration");
    compare_first(p, one, greedy, "a beam of one against greedy");
}
const struct check check_beam = {
    .name = "BEAM", .question = "Does a beam of all sequences find the best, a beam of one the greedy one, and do "
    "scores add up?", .cluster = "A19",
    .sources = "huggingface/transformers#15869 OpenNMT/OpenNMT-tf#456 tnq177/witwicky#8",
    .asks = "decode.tokens decode.score decode.cumulative decode.penalty",
    .kills = "decode.length-1 decode.no-effect decode.alpha-default decode.other-penalty decode.greedy decode.narrow "
    "decode.eos-not-counted decode.prompt-counted", .run = run,
};
