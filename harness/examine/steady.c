/* Asks a failing question again with other bytes in memory; see steady.h. */
#include "examine/steady.h"
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

/* What whole numbers of the outputs hold before the call, as trial_make fills them, and otherwise.  Real numbers are
 * NaN. */
enum { FILLED = -1, FILLED_OTHERWISE = 0x3e3e3e };
static void fill(struct mer_array *a, int64_t whole)
{
    memset(a->data, 0xff, (size_t)array_len(a) * type_size(a->type));
    for (long i = 0; a->type >= MER_I64 && i < array_len(a); i++)
        array_put(a, i, (double)whole);
}
/* Makes `again` the same call as t, with the subject's answer to it in outputs that were filled so.  false: it has
 * none; trial_close is due either way. */
static bool asked_again(const struct question *q, const struct trial *t, int64_t filled, struct trial *again)
{
    char err[700];
    if (trial_copy(again, t, err, sizeof err))
        return false;
    for (int o = 0; o < again->call.n_out; o++)
        fill(&again->out[o], filled);
    return q->subject->run((struct subject *)q->subject, q->kernel, &again->call, err, sizeof err) == MER_OK;
}
static bool differs(const struct trial *t, const struct trial *again, int out, long i)
{
    const size_t size = type_size(t->out[out].type), at = (size_t)i * size;
    return memcmp((const char *)t->out[out].data + at, (const char *)again->out[out].data + at, size) != 0;
}
/* Has nobody written this whole number in either call? */
static bool left(const struct trial *t, const struct trial *again, int out, long i)
{
    return t->out[out].type >= MER_I64 && array_get(&t->out[out], i) == FILLED &&
        array_get(&again->out[out], i) == FILLED_OTHERWISE;
}
/* Counts in d the elements of a sample of t's lines, those that are as declared, and the wrong ones that change; and
 * those among these that were never written.  false: nothing is known of them. */
static bool count(const struct trial *t, const struct trial *again, struct diagnosis *d, long *unwritten)
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
        for (long i = 0, at = p[k].line * len; i < len; i++, at++) {
            d->n++, d->declared += !wrong[i], d->answer[0].n += wrong[i] && differs(t, again, p[k].out, at);
            *unwritten += wrong[i] && left(t, again, p[k].out, at);
        }
        free(wrong);
    }
    hypothesis_close(&own);
    return made;
}

/* Makes d say that m is what all its wrong elements are. */
static void name(struct diagnosis *d, const struct mistake *m)
{
    struct answer *a = d->answer;
    a->m = *m, a->partly = d->declared > 0, a->explained = a->n;
    memcpy(a->repair, a->m.repair, sizeof a->m.repair);
}
/* Does the same call have the same answer again? */
static bool repeats(const struct question *q, const struct trial *t)
{
    struct trial same;
    const bool is = asked_again(q, t, FILLED, &same) && trial_same_outputs(t, &same);
    trial_close(&same);
    return is;
}
bool steady_explains(const struct question *q, const struct trial *t, struct diagnosis *d, bool *some)
{
    struct trial other;
    static struct diagnosis is; /* large */
    long unwritten = 0;
    is = (struct diagnosis){ .answers = 1, .explained = true };
    arena_memory(MEMORY_OTHER);
    bool changes = asked_again(q, t, FILLED_OTHERWISE, &other);
    arena_memory(MEMORY_USUAL);
    changes = changes && !trial_same_outputs(t, &other) && count(t, &other, &is, &unwritten);
    trial_close(&other);
    const bool all = changes && is.answer[0].n > 0 && is.answer[0].n == is.n - is.declared;
    *some = is.answer[0].n > unwritten;
    is.unwritten = all && unwritten == is.answer[0].n, is.chance = all && !unwritten;
    if (is.unwritten)
        name(&is, &never_written);
    if (is.chance)
        name(&is, repeats(q, t) ? &unset : &unsteady);
    if (is.unwritten || is.chance)
        *d = is;
    return is.unwritten || is.chance;
}
