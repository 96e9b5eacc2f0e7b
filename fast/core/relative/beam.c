/* Greedy, beam and exhaustive search in double: beam.h. */
#include <math.h>
#include "relative/beam.h"

/* One search: n guesses are found, best first. */
struct beam_state { const struct beam_rules *r; const struct beam_model *m; struct beam_guess *found; int64_t n; };

struct beam_rules beam_rules_of(const struct mer_call *c)
{
    struct beam_rules r = { .vocab = mer_int(c, "vocab"),
        .length = mer_int(c, "length"),
        .eos = mer_int(c, "eos"),
        .beam = mer_int(c, "beam"),
        .pool = mer_int(c, "pool"),
        .extra = mer_int(c, "extra"),
        .alpha = mer_real(c, "alpha") };
    r.greedy = mer_is(c, "search", "greedy"), r.exhaustive = mer_is(c, "search", "exhaustive");
    r.gnmt = mer_is(c, "penalty", "gnmt"), r.power = mer_is(c, "penalty", "power"), r.text = mer_is(c, "count", "text"),
    r.any = mer_is(c, "finish", "any");
    r.keep_first = mer_is(c, "keep", "first"), r.keep_none = mer_is(c, "keep", "none"),
    r.forced = mer_is(c, "last", "forced"), r.spare = mer_is(c, "last", "spare");
    r.full = mer_is(c, "stop", "full"), r.now = mer_is(c, "stop", "now"), r.reach = mer_is(c, "stop", "reach"),
    r.best = mer_is(c, "stop", "best"), r.top = mer_is(c, "stop", "top");
    r.highest = mer_is(c, "ties", "highest"), r.copies = mer_is(c, "first", "copies");
    r.beam = r.greedy ? 1 : r.beam;
    return r;
}

double beam_penalty(const struct beam_rules *r, int64_t n, int ended)
{
    int64_t len = n - (r->text && ended) + r->extra;
    len = len > 1 ? len : 1;
    return r->gnmt ? pow((double)(5 + len) / 6, r->alpha) : r->power ? pow((double)len, r->alpha) : 1;
}

/* Whether x is taken before y, which was there first. */
static int beats(const struct beam_state *s, double x, double y) { return x > y || (x == y && s->r->highest); }

/* Adds an ended guess to those found, in its place.  always: also where the rule keep=first has all that it keeps. */
static void finish(struct beam_state *s, const struct beam_guess *g, int always)
{
    int64_t at = s->n, most = s->r->beam;
    const double score = g->sum / beam_penalty(s->r, g->n, g->ended);
    if (s->r->keep_first && !always && s->n == most)
        return;
    while (at > 0 && beats(s, score, s->found[at - 1].score))
        at--;
    if (at == most)
        return;
    for (int64_t k = s->n < most ? s->n : most - 1; k > at; k--)
        s->found[k] = s->found[k - 1];
    s->found[at] = *g;
    s->found[at].score = score;
    s->n += s->n < most;
}

static struct beam_guess extended(const struct beam_guess *g, int64_t token, double sum, int ended)
{
    struct beam_guess h = *g;
    h.token[h.n++] = token, h.sum = sum, h.ended = ended;
    return h;
}

/* Whether the rule of stopping ends the search after so many steps; top_ended: the best candidate of this step
 * ended. */
static int stops(const struct beam_state *s, const struct beam_guess *alive, int64_t n_alive, int64_t steps,
    int top_ended)
{
    const struct beam_rules *r = s->r;
    const int full = s->n == r->beam;
    if (!n_alive || (r->full && full) || (r->top && top_ended))
        return 1;
    if ((r->now || r->reach) && full)
        return !(alive->sum / beam_penalty(r, r->now ? steps : r->length, 0) > s->found[s->n - 1].score);
    return r->best && s->n && s->found->score > alive->sum / beam_penalty(r, r->length, 0);
}

/* The best of x[n] that is not taken; -1 where none is left or none is a number. */
static int64_t pick(const struct beam_state *s, const double *x, const char *taken, int64_t n)
{
    int64_t best = -1;
    for (int64_t j = 0; j < n; j++)
        if (!taken[j] && (best < 0 ? x[j] == x[j] : beats(s, x[j], x[best])))
            best = j;
    return best;
}

static int beam(struct beam_state *s)
{
    const struct beam_rules *r = s->r;
    const int64_t V = r->vocab;
    int64_t places = r->beam, n_alive = r->copies ? r->beam : 1;
    struct beam_guess *alive = calloc(2 * (size_t)r->beam, sizeof *alive), *next = alive + r->beam, *owned = alive;
    double *sum = calloc((size_t)(r->beam * V), sizeof *sum);
    char *taken = calloc((size_t)(r->beam * V), 1);
    int rc = alive && sum && taken ? MER_OK : MER_BAD, stop = 0;
    for (int64_t i = 0; rc == MER_OK && i < r->length && !stop; i++) {
        const int last = i == r->length - 1;
        int64_t n_next = 0, dropped = 0;
        int top_ended = 0;
        for (int64_t b = 0; b < n_alive && rc == MER_OK; b++) {
            rc = s->m->next(s->m->with, alive[b].token, i, sum + b * V);
            for (int64_t v = 0; v < V; v++) {
                taken[b * V + v] = last && r->forced && v != r->eos;
                sum[b * V + v] += alive[b].sum;
            }
        }
        for (int64_t c = 0, k; rc == MER_OK && c < r->pool * places && (k = pick(s, sum, taken, n_alive * V)) >= 0;
             c++) {
            taken[k] = 1;
            const int eos = k % V == r->eos, ended = eos || (last && !r->forced && !r->spare);
            const struct beam_guess g = extended(&alive[k / V], k % V, sum[k], eos);
            top_ended |= ended && c == 0;
            if (!ended && n_next < places)
                next[n_next++] = g;
            else if (ended && (r->any || c < places) && (!r->keep_none || c == 0))
                finish(s, &g, 0);
            dropped += ended && r->keep_none;
        }
        places -= dropped;
        struct beam_guess *swap = alive;
        alive = next, next = swap, n_alive = n_next;
        stop = stops(s, alive, n_alive, i + 1, top_ended);
    }
    for (int64_t b = 0, spare = rc == MER_OK && r->spare && !s->n; b < n_alive && spare; b++)
        finish(s, &alive[b], 1);
    free(owned), free(sum), free(taken);
    return rc;
}

static int greedy(struct beam_state *s)
{
    double *y = malloc((size_t)s->r->vocab * sizeof *y);
    char *taken = calloc((size_t)s->r->vocab, 1);
    struct beam_guess g = { .n = 0 };
    int rc = y && taken ? MER_OK : MER_BAD;
    while (rc == MER_OK && g.n < s->r->length && !g.ended) {
        rc = s->m->next(s->m->with, g.token, g.n, y);
        const int64_t v = rc == MER_OK ? pick(s, y, taken, s->r->vocab) : -1;
        if (v < 0)
            rc = rc == MER_OK ? MER_BAD : rc;
        else
            g = extended(&g, v, g.sum + y[v], v == s->r->eos);
    }
    if (rc == MER_OK)
        finish(s, &g, 1);
    free(y), free(taken);
    return rc;
}

static int enumerate(struct beam_state *s, const struct beam_guess *g)
{
    const struct beam_rules *r = s->r;
    double *y = malloc((size_t)r->vocab * sizeof *y);
    int rc = y ? s->m->next(s->m->with, g->token, g->n, y) : MER_BAD;
    for (int64_t v = 0; v < r->vocab && rc == MER_OK; v++) {
        const int last = g->n == r->length - 1;
        const struct beam_guess h = extended(g, v, g->sum + y[v], v == r->eos);
        if (last && r->forced && v != r->eos)
            continue;
        if (h.ended || last)
            finish(s, &h, 1);
        else
            rc = enumerate(s, &h);
    }
    free(y);
    return rc;
}

int beam_search(const struct beam_rules *r, const struct beam_model *m, struct beam_guess *found, int64_t *n)
{
    struct beam_state s = { r, m, found, 0 };
    const struct beam_guess none = { .n = 0 };
    if (r->length > BEAM_LENGTH || r->beam < 1 || r->vocab < 1)
        return MER_BAD;
    int rc = r->greedy ? greedy(&s) : r->exhaustive ? enumerate(&s, &none) : beam(&s);
    *n = s.n;
    return rc;
}
