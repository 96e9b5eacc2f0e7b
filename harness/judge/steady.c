/* Asks a failing question again with other bytes in memory; see steady.h. */
#include "judge/steady.h"
#include <stdlib.h>
#include <string.h>
#include "diagnose/joint/explains.h"
#include "subject/arena.h"
#include "trial/change.h"

/* What an answer that is another one the next time comes from. */
static const struct mistake unset = { .id = "unset-memory", .change = "unset-memory",
    .effect = "it reads memory that nobody wrote, and answers otherwise where that holds other bytes",
    .repair = "write memory before it is read" };
static const struct mistake unsteady = { .id = "unsteady", .change = "unsteady",
    .effect = "it answers the same question otherwise each time",
    .repair = "read no array beyond its end, and let neither threads nor chance decide" };

/* Makes `again` the same call as t, with the subject's answer to it.  false: it has none; trial_close is due either
 * way. */
static bool asked_again(const struct question *q, const struct trial *t, struct trial *again)
{
    char err[700];
    if (trial_copy(again, t, err, sizeof err))
        return false;
    for (int o = 0; o < again->call.n_out; o++)
        memset(again->out[o].data, 0xff, (size_t)array_len(&again->out[o]) * type_size(again->out[o].type));
    return q->subject->run((struct subject *)q->subject, q->kernel, &again->call, err, sizeof err) == MER_OK;
}
static bool differs(const struct trial *t, const struct trial *again, int out, long i)
{
    const size_t size = type_size(t->out[out].type), at = (size_t)i * size;
    return memcmp((const char *)t->out[out].data + at, (const char *)again->out[out].data + at, size) != 0;
}
static bool any_differs(const struct trial *t, const struct trial *again)
{
    for (int o = 0; o < t->call.n_out; o++)
        for (long i = 0; i < array_len(&t->out[o]); i++)
            if (differs(t, again, o, i))
                return true;
    return false;
}

/* Counts in d the elements of a sample of t's lines, those that are as declared, and the wrong ones that change.
 * false: nothing is known of them. */
static bool count(const struct trial *t, const struct trial *again, struct diagnosis *d)
{
    struct place p[PLACES];
    struct hypothesis own;
    const int n = places_of(t, lines_for(t, LINES, PLACES), p, PLACES);
    const bool made = hypothesis_open(&own, t, "", NULL);
    for (int k = 0; made && k < n; k++) {
        const long len = place_len(t, &p[k]);
        bool *wrong = need((size_t)len + 1, sizeof *wrong);
        struct fit f = { 0 };
        hypothesis_wrong(&own, t, &p[k], wrong, &f);
        for (long i = 0; i < len; i++)
            d->n++, d->declared += !wrong[i],
                d->answer[0].n += wrong[i] && differs(t, again, p[k].out, p[k].line * len + i);
        free(wrong);
    }
    hypothesis_close(&own);
    return made;
}

bool steady_explains(const struct question *q, const struct trial *t, struct diagnosis *d, bool *some)
{
    struct trial other, same;
    static struct diagnosis is; /* large */
    is = (struct diagnosis){ .answers = 1, .explained = true, .chance = true };
    arena_memory(MEMORY_OTHER);
    bool changes = asked_again(q, t, &other);
    arena_memory(MEMORY_USUAL);
    changes = changes && any_differs(t, &other) && count(t, &other, &is);
    *some = changes && is.answer[0].n > 0;
    if (*some && is.answer[0].n == is.n - is.declared) {
        const bool again = asked_again(q, t, &same) && !any_differs(t, &same);
        struct answer *a = is.answer;
        trial_close(&same);
        a->m = again ? unset : unsteady, a->partly = is.declared > 0, a->explained = a->n;
        memcpy(a->repair, a->m.repair, sizeof a->m.repair);
        *d = is;
    } else
        changes = false;
    trial_close(&other);
    return changes;
}
