/* RELMAP: relations between queries and keys as integers.  Where the index is offered, it is compared by equality.
 * Where only outputs are, row r of the table of relative values is one-hot in column r, so that the weights can be
 * read from the output: with a memory, with more keys than queries and with fewer, and with keys to the right of the
 * query. */
#include "checks/core/probe.h"

static void index_of(struct probe *p, const struct trial *t)
{
    for (long i = 0; i < array_len(&t->out[0]); i++)
        if (probe_misses(p, t, 0, i)) {
            long last = t->out[0].rank > 2 ? t->out[0].dim[2] : 1, m = t->out[0].dim[1];
            probe_say(p, "query %ld, key %ld: relation %.0f, declared %.0f", i / last / m, i / last % m,
                array_get(&t->out[0], i), p->want[0][i]);
            return;
        }
}

static void ask(struct probe *p, const char *more, const char *sizes)
{
    struct trial t;
    if (!probe_make(p, &t, more, sizes))
        return;
    struct mer_array *tv = mer_find(t.in, t.call.n_in, "tv");
    probe_fill(&t, "tv", 0);
    for (long r = 0; tv && r < tv->dim[0]; r++)
        probe_put(&t, "tv", r, r % tv->dim[1], 0, 1); /* tv has rank 2: [r][e] */
    if (tv)
        probe_fill(&t, "v", 0);
    else
        probe_keys(&t);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t)) {
        if (row_quantity(t.row, t.out[0].name)->sign[0] == '-')
            index_of(p, &t);
        else
            probe_say(p, "of sizes %s%s%s", sizes, *more ? ", " : "", more);
    }
    trial_close(&t);
}

static void run(struct probe *p)
{
    static const char *const sizes[] = { "h=2 n=5 m=9 e=9 d=8", "h=2 n=1 m=9 e=9 d=8", "h=2 n=8 m=3 e=9 d=8" };
    struct trial t;
    if (!probe_make(p, &t, NULL, "n=1 m=1"))
        return;
    bool memory = probe_has(&t, "memory");
    trial_close(&t);
    for (int k = 0; k < 3 && p->word == PASS; k++)
        ask(p, "", sizes[k]);
    if (memory && p->word == PASS)
        ask(p, "memory=4", sizes[0]);
    if (memory && p->word == PASS)
        ask(p, "memory=131149", sizes[1]); /* far beyond every clipping distance */
}
const struct check check_relmap = {
    .name = "RELMAP", .question = "Which relation has each query and key: sign, clip, shift, memory?", .cluster = "A9",
    .sources = "labmlai/annotated_deep_learning_paper_implementations#185 ZhengkunTian/OpenTransformer#25 "
    "kimiyoung/transformer-xl#132 zihangdai/xlnet#97 lucidrains/x-transformers#103 huggingface/transformers#14832 "
    "huggingface/transformers#9164",
    .asks = "shaw.index shaw.o nezha.index nezha.o tener.index tener.o deberta.index deberta.o txl.o xlnet.o "
    "expansion.index",
    .kills = "shaw.sign shaw.clip+1 shaw.low+1 shaw.zero-beyond shaw.clip-beyond shaw.memory+1 shaw.memory-dropped "
    "nezha.sign nezha.reach-1 nezha.memory-dropped txl.sign txl.clamp-dropped txl.clamp-1 xlnet.sign "
    "xlnet.clamp-dropped "
             "xlnet.clamp-1 xlnet.one-sided tener.sign tener.sign-code tener.past-1 deberta.span-1 deberta.p2c-code "
                 "deberta.p2c-paper", .run = run,
};
