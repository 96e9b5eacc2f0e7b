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

/* Asks t alone, with the other bytes in memory. */
static bool asked_with_others(struct probe *p, struct trial *t)
{
    arena_memory(MEMORY_OTHER);
    const bool is = probe_ask(p, t);
    arena_memory(MEMORY_USUAL);
    return is;
}
static void run(struct probe *p)
{
    enum { CALLS = 4 };
    struct trial t[CALLS];
    int made = 0;
    while (made < CALLS && probe_make(p, &t[made], NULL, "h=2 g=2 n=5 m=9 d=8 e=8"))
        made++;
    if (made < CALLS || !probe_ask(p, &t[0])) {
        for (int i = made < CALLS ? 0 : 1; i < made; i++)
            trial_close(&t[i]);
        return;
    }
    const bool together = probe_ask_together(p, &t[1], 2);
    if (together) {
        compare(p, &t[1], &t[2], " in a row");
        compare(p, &t[0], &t[1], "");
        trial_close(&t[1]), trial_close(&t[2]);
    }
    if (!together)
        trial_close(&t[3]);
    else if (asked_with_others(p, &t[3])) {
        compare(p, &t[0], &t[3], ", where memory that nobody wrote holds other bytes");
        trial_close(&t[3]);
    }
    trial_close(&t[0]);
}
const struct check check_twice = {
    .name = "TWICE", .question = "Is the same question answered by the same bits?", .cluster = "A18",
    .sources = "Dao-AILab/flash-attention#1897 sgl-project/sglang#2567 thinking-machines-lab/batch_invariant_ops#6",
    .asks = "rope.y rope.cos mrope.y sinusoid.p attention.o alibi.bias t5.bias t5.o shaw.o nezha.o deberta.o tener.o "
    "learned.p", .kills = "fault.twice", .relation = true, .run = run,
};
