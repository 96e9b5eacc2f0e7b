/* Greedy, beam and exhaustive search, one choice at a time; see search.h. */
#include <stdlib.h>
#include <string.h>
#include "search/search.h"
#include "edit/taken.h"

struct search_state { struct ask *w; struct rules r; struct search_steps steps; next_tokens *next; struct found done; };

/* The length that counts is at least 1, so that an empty text counts as one token. */
const struct ball *length_penalty(struct ask *w, const struct rules *r, struct search_steps steps, long n, bool ended)
{
    if (r->penalty == NO_PENALTY)
        return NULL;
    long len = n - (r->count == TEXT_ONLY && ended) + r->extra;
    mpq_t x;
    mpq_init(x);
    mpq_set_si(x, (r->penalty == GNMT ? 5 : 0) + (len > 1 ? len : 1), r->penalty == GNMT ? 6 : 1);
    mpq_canonicalize(x);
    const struct ball *y = w->arith->how == EXACT ?
        b_root(w, x, mpz_get_si(mpq_numref(r->alpha)), mpz_get_si(mpq_denref(r->alpha))) :
        b_step(w, steps.power,
            b_pow(w, b_step(w, steps.ratio, b_q(w, x)), b_step(w, steps.exponent, b_q(w, r->alpha))));
    mpq_clear(x);
    return y;
}

/* The score of n tokens of this sum: the sum divided by the length penalty, where there is one. */
static const struct ball *scored(const struct search_state *s, const struct ball *sum, long n, bool ended)
{
    const struct ball *lp = length_penalty(s->w, &s->r, s->steps, n, ended);
    return lp ? b_step(s->w, s->steps.score, b_div(s->w, sum, lp)) : sum;
}

/* A number that is compared: x is the sum of the terms of g and, where it is not NULL, of one term more.  Where g is
 * NULL, x is a number of another kind, of which no terms are known. */
struct search_sum { const struct ball *x; const struct search_guess *g; const struct ball *term; };

/* Are a and b sums of the same terms, in any order?  Those of both have to be known. */
static bool same_terms(const struct search_sum *a, const struct search_sum *b)
{
    const struct ball *x[SEARCH_LENGTH], *y[SEARCH_LENGTH];
    long n = a->g->n, m = b->g->n;
    memcpy(x, a->g->term, (size_t)n * sizeof *x), memcpy(y, b->g->term, (size_t)m * sizeof *y);
    if (a->term)
        x[n++] = a->term;
    if (b->term)
        y[m++] = b->term;
    for (long k = 0, j; k < n && n == m; k++) {
        for (j = k; j < n && y[j] != x[k] && !b_same(x[k], y[j]); j++)
            ;
        if (j == n)
            return false;
        y[j] = y[k];
    }
    return n == m;
}

/* Compares two sums: above 0 where a is larger, below 0 where b is, 0 where they are equal, as sums of the same terms
 * are unless the arithmetic is WIDEN.  Where the balls leave it open, the midpoints decide, and the search notes
 * that: under WIDEN the result is vague, else the ask is undecided. */
static int order(struct search_state *s, struct search_sum a, struct search_sum b)
{
    const struct ball *x = a.x, *y = b.x;
    int c = b_cmp(x, y);
    if (c != 2)
        return c;
    if (s->w->arith->how != WIDEN && a.g && same_terms(&a, &b))
        return 0;
    if (s->w->arith->how == WIDEN)
        s->done.vague = true;
    else
        s->w->undecided = true;
    return mpfr_cmp(x->mid, y->mid);
}

/* The place of the largest of x[n] that is not taken, the first or the last of equals as the rules say; -1 where all
 * are taken.  x[k] is the sum of the guess of[k / vocab] and of term[k].  The largest is found by midpoints and then
 * compared with each of the others. */
static long pick(struct search_state *s, const struct ball *const *x, const struct ball *const *term, const bool *taken,
    const struct search_guess *of, long n)
{
    const long V = s->r.vocab;
    long best = -1, first;
    for (long j = 0; j < n; j++)
        best = !taken[j] && (best < 0 || mpfr_cmp(x[j]->mid, x[best]->mid) > 0) ? j : best;
    first = best;
    for (long j = 0; j < n; j++)
        if (!taken[j] && j != best &&
            order(s, (struct search_sum){ x[best], &of[best / V], term[best] },
                (struct search_sum){ x[j], &of[j / V], term[j] }) ==
                0)
            first = (s->r.ties == HIGHEST) == (j > first) ? j : first;
    return first;
}

/* g and one token more, of log-probability `term`, with that sum; ended: the token is eos. */
static struct search_guess extended(
    const struct search_guess *g, long token, const struct ball *term, const struct ball *sum, bool ended)
{
    struct search_guess h = *g;
    h.term[h.n] = term, h.token[h.n++] = token, h.sum = sum, h.ended = ended;
    return h;
}

/* Puts g among the sequences found, which are kept in order: the best of them as many as the beam is wide, or under
 * KEEP_FIRST the first that came.  always: KEEP_FIRST does not refuse g.  One that equals another stands behind it,
 * unless ties go to the highest. */
static void finish(struct search_state *s, struct search_guess g, bool always)
{
    struct found *d = &s->done;
    long at = d->n, most = s->r.beam;
    g.score = scored(s, g.sum, g.n, g.ended);
    if (s->r.keep == KEEP_FIRST && !always && d->n == most)
        return;
    while (at > 0) {
        int c = order(
            s, (struct search_sum){ g.score, &g, NULL },
                (struct search_sum){ d->guess[at - 1].score, &d->guess[at - 1], NULL });
        if (!(c > 0 || (c == 0 && s->r.ties == HIGHEST)))
            break;
        at--;
    }
    if (at == most)
        return;
    /* There is room for one more, the one that falls out. */
    memmove(d->guess + at + 1, d->guess + at, (size_t)(d->n - at) * sizeof *d->guess);
    d->guess[at] = g;
    d->n += d->n < most;
}

/* Does the search end after so many steps, before its full length?  alive[n_alive] are the sequences that have not
 * ended, the best first; top_ended: the best candidate of this step has ended. */
static bool stops(struct search_state *s, const struct search_guess *alive, long n_alive, long steps, bool top_ended)
{
    const struct rules *r = &s->r;
    const struct found *d = &s->done;
    const bool full = d->n == r->beam;
    if (!n_alive || (r->stop == STOP_FULL && full) || (r->stop == STOP_TOP && top_ended))
        return true;
    if (!d->n || !(r->stop == STOP_BEST || (full && (r->stop == STOP_NOW || r->stop == STOP_REACH))))
        return false;
    const struct search_sum alone = { scored(s, alive->sum, r->stop == STOP_NOW ? steps : r->length, false) },
                     end = { d->guess[r->stop == STOP_BEST ? 0 : d->n - 1].score };
    return order(s, end, alone) >= (r->stop == STOP_BEST);
}

static void beam(struct search_state *s)
{
    const struct rules *r = &s->r;
    const long V = r->vocab;
    long places = r->beam, n_alive = r->first == COPIES ? r->beam : 1;
    struct search_guess *alive = need((size_t)r->beam + 1, sizeof *alive),
                        *next = need((size_t)r->beam + 1, sizeof *next), *swap;
    const struct ball **sum = need(2 * (size_t)(r->beam * V) + 1, sizeof *sum), **term = sum + r->beam * V;
    bool *taken = need((size_t)(r->beam * V) + 1, sizeof *taken), stop = false;
    for (long i = 0; i < r->length && !stop; i++) {
        const bool last = i == r->length - 1;
        long m = n_alive * V, n_next = 0, dropped = 0, free_places = places;
        bool top_ended = false;
        for (long b = 0; b < n_alive; b++) {
            s->next(s->w, alive[b].token, i, term + b * V);
            for (long v = 0; v < V; v++) {
                taken[b * V + v] = last && r->last == LAST_FORCED && v != r->eos;
                const struct ball *t = term[b * V + v];
                sum[b * V + v] = i ? b_step(s->w, s->steps.sum, b_add(s->w, alive[b].sum, t)) : t;
            }
        }
        for (long c = 0; c < r->pool * places; c++) {
            long k = pick(s, sum, term, taken, alive, m);
            if (k < 0)
                break;
            taken[k] = true;
            const bool eos = k % V == r->eos, ended = eos || (last && r->last == LAST_FINISHED);
            struct search_guess g = extended(&alive[k / V], k % V, term[k], sum[k], eos);
            top_ended |= ended && c == 0;
            if (!ended && n_next < free_places)
                next[n_next++] = g;
            else if (ended && (r->finish == FINISH_ANY || c < places) && (r->keep != KEEP_NONE || c == 0))
                finish(s, g, false);
            dropped += ended && r->keep == KEEP_NONE;
        }
        places -= dropped;
        swap = alive, alive = next, next = swap, n_alive = n_next;
        stop = stops(s, alive, n_alive, i + 1, top_ended);
    }
    for (long b = 0, spare = r->last == LAST_SPARE && !s->done.n; b < n_alive && spare; b++)
        finish(s, alive[b], true);
    free(alive), free(next), free(sum), free(taken);
}

static void greedy(struct search_state *s)
{
    const struct ball **y = need((size_t)s->r.vocab + 1, sizeof *y);
    bool *taken = need((size_t)s->r.vocab + 1, sizeof *taken);
    struct search_guess g = { .sum = b_si(s->w, 0) };
    while (g.n < s->r.length && !g.ended) {
        s->next(s->w, g.token, g.n, y);
        long v = pick(s, y, y, taken, &g, s->r.vocab);
        g = extended(&g, v, y[v], g.n ? b_step(s->w, s->steps.sum, b_add(s->w, g.sum, y[v])) : y[v], v == s->r.eos);
    }
    finish(s, g, true);
    free(y), free(taken);
}

/* Finishes every sequence that begins with g. */
static void enumerate(struct search_state *s, const struct search_guess *g)
{
    const struct rules *r = &s->r;
    const struct ball **y = need((size_t)r->vocab + 1, sizeof *y);
    s->next(s->w, g->token, g->n, y);
    for (long v = 0; v < r->vocab; v++) {
        const bool last = g->n == r->length - 1;
        if (last && r->last == LAST_FORCED && v != r->eos)
            continue;
        struct search_guess h =
            extended(g, v, y[v], g->n ? b_step(s->w, s->steps.sum, b_add(s->w, g->sum, y[v])) : y[v], v == r->eos);
        if (h.ended || last)
            finish(s, h, true);
        else
            enumerate(s, &h);
    }
    free(y);
}

struct found search(struct ask *w, const struct rules *rules, struct search_steps steps, next_tokens *next)
{
    struct search_state s = { .w = w, .r = *rules, .steps = steps, .next = next };
    struct search_guess none = { .sum = NULL };
    s.r.beam = rules->search == GREEDY ? 1 : rules->beam;
    s.done.guess = need((size_t)s.r.beam + 1, sizeof *s.done.guess); /* One more: see finish. */
    if (rules->search == GREEDY)
        greedy(&s);
    else if (rules->search == BEAM)
        beam(&s);
    else
        enumerate(&s, &none);
    return s.done;
}
