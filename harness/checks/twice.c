/* TWICE: the same call four times: alone, then twice in one process, then alone where the memory that a kernel is given
 * holds other bytes (subject/arena.h).  Where bits differ (memory is read before it is written, threads sum in the
 * order in which they finish, a generator of random numbers is used), every other verdict about the subject is a matter
 * of chance. */
#include "checks/core/probe.h"
#include "subject/arena.h"

static void compare(struct probe *p, const struct trial *a, const struct trial *b, const char *where)
{
    for (int o = 0; o < a->call.n_out; o++) {
        const struct mer_array *x = &a->out[o], *y = &b->out[o];
        const size_t size = type_size(x->type);
        long differ = 0, first = 0;
        for (long i = array_len(x) - 1; i >= 0; i--)
            if (memcmp((const char *)x->data + (size_t)i * size, (const char *)y->data + (size_t)i * size, size))
                differ++, first = i;
        if (differ)
            probe_fail(p, "answers differently twice%s: %ld of %ld elements of %s, element %ld is %a, then %a", where,
                differ, array_len(x), x->name, first, array_get(x, first), array_get(y, first));
    }
}

static const char sizes[] = "h=2 g=2 n=5 m=9 d=8 e=8";
/* Asks the same call as `first` with the other bytes in memory. */
static void ask_with_others(struct probe *p, const struct trial *first)
{
    struct trial t;
    if (!probe_make(p, &t, NULL, sizes))
        return;
    arena_memory(MEMORY_OTHER);
    const bool is = probe_ask(p, &t);
    arena_memory(MEMORY_USUAL);
    if (is)
        compare(p, first, &t, ", where memory that nobody wrote holds other bytes"), trial_close(&t);
}
static void run(struct probe *p)
{
    struct trial t[3];
    int made = 0;
    while (made < 3 && probe_make(p, &t[made], NULL, sizes))
        made++;
    if (made < 3 || !probe_ask(p, &t[0])) {
        for (int i = made < 3 ? 0 : 1; i < made; i++)
            trial_close(&t[i]);
        return;
    }
    if (probe_ask_together(p, &t[1], 2)) {
        compare(p, &t[1], &t[2], " in a row");
        compare(p, &t[0], &t[1], "");
        trial_close(&t[1]), trial_close(&t[2]);
        ask_with_others(p, &t[0]);
    }
    trial_close(&t[0]);
}
const struct check check_twice = {
    .name = "TWICE", .question = "Is the same question answered by the same bits?", .cluster = "A18",
    .sources = "Dao-AILab/flash-attention#1897 sgl-project/sglang#2567 thinking-machines-lab/batch_invariant_ops#6",
    .asks = "rope.y rope.cos mrope.y sinusoid.p attention.o alibi.bias t5.bias t5.o shaw.o nezha.o deberta.o tener.o "
    "learned.p", .kills = "fault.twice", .relation = true, .run = run,
};
