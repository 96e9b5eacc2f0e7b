/* OFFSET: which of the offsets -4 .. 4 of its positions explains the subject's rows?  Any but 0 is a FAIL that names
 * it. */
#include "checks/core/probe.h"
#include "trial/change.h"

static bool shifted(const struct trial *t, const char *key, int by)
{
    struct trial c;
    struct arith a;
    struct tally y;
    char change[60], err[400];
    snprintf(change, sizeof change, "%s+=%d", key, by);
    bool is = !trial_copy(&c, t, err, sizeof err) && !trial_change(&c, change, err, sizeof err) &&
        trial_profile(&c, t->profile, &a, WIDEN, err, sizeof err) >= 0;
    if (is)
        judge_outputs(&c, &a, 64, &y);
    is = is && tally_passes(&y);
    trial_close(&c);
    return is;
}

static void run(struct probe *p)
{
    static const long at[] = { 5, 6, 9, 70, 131149 };
    struct trial t;
    if (!probe_make(p, &t, NULL, "h=1 g=1 n=5 m=9 d=8 e=8"))
        return;
    const char *key = mer_in(&t.call, "pos") ? "pos" : probe_has(&t, "memory") ? "memory" : "offset";
    probe_positions(&t, at, 5);
    if (!probe_ask(p, &t))
        return;
    long over = probe_read(p, &t);
    if (over > 0) {
        int found = 0, where = 0;
        for (int by = -4; by <= 4; by++)
            if (by && shifted(&t, key, by))
                found++, where = by;
        if (found)
            probe_fail(p, "positions are %+d%s", where, found > 1 ? ", or another that these inputs cannot tell" : "");
        else { /* no offset explains the rows: something else is wrong, which other checks ask about */
            p->word = UNDECIDED_VERDICT;
            probe_say(p, "no offset of -4 to 4 explains the rows, 0 does not either");
        }
    }
    trial_close(&t);
}
const struct check check_offset = {
    .name = "OFFSET", .question = "Where do positions start?", .cluster = "A6 A10",
    .sources = "unslothai/unsloth#3803 lucidrains/rotary-embedding-torch#11 ml-explore/mlx-lm#1713 "
    "huggingface/transformers#5285 huggingface/transformers#10736 huggingface/sentence-transformers#3879 "
    "facebookresearch/fairseq#4648",
    .asks = "rope.y rope.cos mrope.y sinusoid.p alibi.bias t5.bias shaw.o nezha.o deberta.o tener.o",
    .kills = "rope.position+1 rope.position-1 mrope.position+1 sinusoid.origin+1 sinusoid.origin-1 "
    "sinusoid.padding-offset alibi.offset+1 t5.offset+1 shaw.memory+1 deberta.past+1 tener.past-1", .run = run,
};
