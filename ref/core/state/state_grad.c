/* Gradients of the recurrence, from the last token to the first; see state.h.  With S~ the state that the delta rule
 * corrects, w = v - S~^T k what it finds wrong, and D the gradient of the state behind the token:
 *   dq = S do      dw = D^T k      dk = sum_c D_c beta w_c - beta S~_c dw_c      dv = beta dw      dbeta = <dw, w>
 * and dlog a = <D, S~> of D behind the correction, channel by channel. */
#include <stdlib.h>
#include "state/column.h"
#include "state/state.h"

/* The states of a head before each token and behind the last, [n + 1][e][d], as balls with their radii. */
struct state_tape { const struct ball **s; struct shelf shelf; };
/* What one token answers, [2 d + e + 1 + d] in this order: dq, dk, dv, dbeta, dlog a. */
struct state_answer { const struct ball **q, **k, **v, **beta, **a; };
/* One token on the way back: the state that it meets, and the one behind it. */
struct state_back {
    const struct state_rule *r;
    struct state_column *c;
    const struct meeting *m;
    const struct ball *const *s, *const *behind;
};

static long places(const struct state_rule *r) { return 3 * r->d + r->e + 1; }
static struct state_answer answer_at(const struct state_rule *r, const struct ball **y)
{
    return (struct state_answer){ y, y + r->d, y + 2 * r->d, y + 2 * r->d + r->e, y + 2 * r->d + r->e + 1 };
}

static const struct ball *slope(struct ask *w, struct source at, const struct ball *x, const struct ball *y)
{
    return b_step_own(w, SLOPE, site_two(w, at, SITE_MUL, b_mul, x, y));
}

static void column_start(struct ask *w, const struct state_rule *r, struct state_column *c, const char *name, long h)
{
    for (long k = 0; k < r->e; k++) {
        for (long i = 0; i < r->d; i++)
            column_set(w, &c[k], i, state_first(w, r, name, h, i, k));
        column_begun(&c[k], r->d);
    }
}
static void all_decay(struct ask *w, const struct state_rule *r, struct state_column *c, const struct meeting *m)
{
    for (long k = 0; k < r->e; k++)
        column_decay(w, r, &c[k], m);
}

/* The way forward, with every state kept on a shelf. */
static struct state_tape record(struct ask *w, const struct state_rule *r, long h)
{
    const long size = r->d * r->e;
    struct state_column *c = columns_of(r);
    struct meeting m;
    struct state_tape t = { need((size_t)((r->n + 1) * size) + 1, sizeof *t.s), shelf_of(w, (r->n + 2) * size) };
    meeting_room(&m, r);
    column_start(w, r, c, "state", h);
    for (long at = 0; at <= r->n; at++) {
        const size_t mark = w->used;
        for (long k = 0; k < size; k++)
            t.s[at * size + k] =
                shelf_put(w, &t.shelf, at * size + k, column_entry(w, &c[k / r->d], k % r->d));
        if (at == r->n)
            break;
        meeting_make(w, &m, r, h, at);
        if (b_true(w, !state_late(r)))
            all_decay(w, r, c, &m);
        for (long k = 0; k < r->e; k++)
            if (r->delta)
                column_correct(w, r, &c[k], &m, m.t.v[k]);
            else
                column_write(w, r, &c[k], m.t.k, m.t.v[k]);
        for (long k = 0; k < size; k++)
            c[k / r->d].x[k % r->d] = shelf_put(w, &t.shelf, (r->n + 1) * size + k, c[k / r->d].x[k % r->d]);
        w->used = shelved(w) ? mark : w->used;
    }
    meeting_free(&m), columns_free(c);
    return t;
}

/* up[e], the gradient by what the token reads of the state s. */
static void ups(struct ask *w, const struct state_rule *r, const struct state_token *x, const struct ball *const *s,
    long h, long t, const struct ball **up)
{
    if (r->up)
        r->up(w, r, x, s, h, t, up);
    else
        for (long c = 0; c < r->e; c++)
            up[c] = b_in(w, "do", h, t, c);
}
/* dq[d] of the state s that the token reads, and q do^T joins D. */
static void of_read(struct ask *w, const struct state_back *b, const struct ball *const *s,
    const struct ball *const *up,
    const struct ball **dq)
{
    const long d = b->r->d, e = b->r->e;
    const struct ball **t = need((size_t)e + 1, sizeof *t);
    for (long i = 0; i < d; i++) {
        for (long c = 0; c < e; c++)
            t[c] = slope(w, HERE, s[c * d + i], up[c]);
        dq[i] = site_gathered(w, HERE, GATHER, t, e);
    }
    for (long c = 0; c < e; c++)
        column_write(w, b->r, &b->c[c], b->m->t.q, up[c]);
    free(t);
}

/* Gradients of what the token writes into the state s, and D becomes that of s. */
static void of_write(struct ask *w, const struct state_back *b, const struct ball *const *s,
    const struct state_answer *y)
{
    const struct state_rule *r = b->r;
    const struct state_token *m = &b->m->t;
    const long d = r->d, e = r->e;
    const struct ball **dw = need((size_t)(4 * e + d) + 1, sizeof *dw), **wrong = dw + e, **t = wrong + e;
    for (long c = 0; c < e; c++) {
        dw[c] = column_read(w, r, &b->c[c], DOT, m->k, b->m->k), wrong[c] = m->v[c];
        for (long i = 0; r->delta && i < d; i++)
            t[i] = b_step_own(w, PRODUCT, b_mul(w, m->k[i], s[c * d + i]));
        if (r->delta)
            wrong[c] = b_step_own(w, RESIDUAL, b_sub(w, m->v[c], b_sum(w, DOT, t, d)));
        y->v[c] = r->delta ? slope(w, HERE, m->beta, dw[c]) : dw[c];
    }
    for (long c = 0; c < e; c++)
        t[c] = slope(w, HERE, dw[c], wrong[c]);
    y->beta[0] = site_gathered(w, HERE, GATHER, t, e);
    for (long i = 0; i < d; i++) {
        for (long c = 0; c < e; c++) {
            t[c] = slope(w, HERE, column_entry(w, &b->c[c], i), wrong[c]);
            t[e + c] = b_neg(w, slope(w, HERE, s[c * d + i], dw[c]));
        }
        y->k[i] = site_gathered(w, HERE, GATHER, t, r->delta ? 2 * e : e);
        y->k[i] = r->delta ? slope(w, HERE, m->beta, y->k[i]) : y->k[i];
    }
    for (long c = 0; c < e && r->delta; c++)
        column_correct(w, r, &b->c[c], b->m, NULL);
    free(dw);
}

/* The gradient of the logarithm of the decay, where D is that of the decayed state s. */
static void of_decay(struct ask *w, const struct state_back *b, const struct ball *const *s, const struct ball **da)
{
    const struct state_rule *r = b->r;
    const long d = r->d, e = r->e;
    const struct ball **t = need((size_t)(d * e) + 1, sizeof *t);
    for (long i = 0; i < d && r->gated; i++)
        for (long c = 0; c < e; c++)
            t[i * e + c] = slope(w, HERE, column_entry(w, &b->c[c], i), s[c * d + i]);
    for (long i = 0; i < (r->channels ? d : 1) && r->gated; i++)
        da[i] = site_gathered(w, HERE, GATHER, t + i * e, r->channels ? e : d * e);
    free(t);
}
static void one_back(struct ask *w, const struct state_back *b, long h, long t, const struct ball **y)
{
    const struct state_rule *r = b->r;
    const long size = r->d * r->e;
    const struct state_answer a = answer_at(r, y);
    const struct ball **decayed = need((size_t)(size + r->e) + 1, sizeof *decayed), **up = decayed + size;
    const struct ball *const *met = b_true(w, state_late(r)) ? b->s : decayed;
    for (long k = 0; k < size; k++)
        decayed[k] =
            r->gated ? b_step_own(w, r->decay, b_mul(w, b->m->t.a[r->channels ? k % r->d : 0], b->s[k])) : b->s[k];
    if (!r->read_before && !r->at_end) { /* The state behind the token, which is the only one read. */
        ups(w, r, &b->m->t, b->behind, h, t, up);
        of_read(w, b, b->behind, up, a.q);
    }
    if (b_true(w, state_late(r)))
        of_decay(w, b, decayed, a.a);
    of_write(w, b, met, &a);
    if (r->read_before) {
        ups(w, r, &b->m->t, met, h, t, up);
        of_read(w, b, met, up, a.q);
    }
    if (b_true(w, !state_late(r))) {
        of_decay(w, b, decayed, a.a);
        all_decay(w, r, b->c, b->m);
    }
    free(decayed);
}

/* The state before token `at`, of which an edit may make none: then it is that before token t. */
static const struct ball *const *state_of(const struct state_tape *tape, long at, long t, long size)
{
    return tape->s + (at < 0 ? t : at) * size;
}

/* The token is over: D goes to the first places of the shelf, and the token's balls are given up where that may be. */
static void settle_down(
    struct ask *w, const struct state_rule *r, struct state_column *c, struct shelf *shelf, size_t mark)
{
    for (long k = 0; k < r->d * r->e; k++)
        c[k / r->d].x[k % r->d] = shelf_put(w, shelf, k, c[k / r->d].x[k % r->d]);
    w->used = shelved(w) ? mark : w->used;
}
/* Where every token reads the last state: what all those reads make of D, and dq of every token. */
static void reads_of_end(struct ask *w, const struct state_rule *r, struct state_column *c, struct meeting *m, long h,
    const struct state_tape *tape, struct shelf *shelf, const struct ball **kept)
{
    const long size = r->d * r->e, each = places(r);
    const struct ball *const *last = tape->s + r->n * size;
    const struct ball **up = need((size_t)(r->e + r->d) + 1, sizeof *up), **dq = up + r->e;
    for (long t = 0; t < r->n; t++) {
        const size_t mark = w->used;
        meeting_make(w, m, r, h, t);
        ups(w, r, &m->t, last, h, t, up);
        of_read(w, &(struct state_back){ r, c, m, last, last }, last, up, dq);
        for (long k = 0; k < r->d; k++)
            kept[t * each + k] = shelf_put(w, shelf, size + t * each + k, dq[k]);
        settle_down(w, r, c, shelf, mark);
    }
    free(up);
}

/* Copies of kept[n], which stand from place `from` of every token on. */
static void hand(struct ask *w, const struct state_rule *r, const struct ball *const *kept, long from, long n,
    const struct ball **y)
{
    for (long t = 0; y && t < r->n; t++)
        for (long k = 0; k < n; k++)
            y[t * n + k] = shelf_taken(w, kept[t * places(r) + from + k]);
}
void state_backward(struct ask *w, const struct state_rule *r, long h, const struct state_grads *g)
{
    const long size = r->d * r->e, each = places(r);
    struct state_tape tape = record(w, r, h);
    struct state_column *c = columns_of(r);
    struct meeting m;
    struct shelf shelf = shelf_of(w, size + r->n * each);
    const struct ball **kept = need((size_t)((r->n + 1) * each) + 1, sizeof *kept), **y = kept + r->n * each;
    meeting_room(&m, r);
    column_start(w, r, c, "dfinal", h);
    if (r->at_end)
        reads_of_end(w, r, c, &m, h, &tape, &shelf, kept);
    for (long t = r->n - 1; t >= 0; t--) {
        const size_t mark = w->used;
        meeting_make(w, &m, r, h, t);
        for (long k = 0; k < each; k++) /* mutant: loop c75b: the room has one place more, which is not read. */
            y[k] = b_si(w, 0);
        const struct ball *const *met = state_of(&tape, indexed(w, 0, t, r->n), t, size);
        const struct ball *const *behind = state_of(&tape, indexed(w, 0, t + 1, r->n + 1), t + 1, size);
        one_back(w, &(struct state_back){ r, c, &m, met, behind }, h, t, y);
        for (long k = r->at_end ? r->d : 0; k < each; k++)
            kept[t * each + k] = shelf_put(w, &shelf, size + t * each + k, y[k]);
        settle_down(w, r, c, &shelf, mark);
    }
    hand(w, r, kept, 0, r->d, g->q), hand(w, r, kept, r->d, r->d, g->k), hand(w, r, kept, 2 * r->d, r->e, g->v);
    hand(w, r, kept, 2 * r->d + r->e, 1, g->beta);
    hand(w, r, kept, 2 * r->d + r->e + 1, r->channels ? r->d : 1, g->a);
    for (long k = 0; g->state && k < size; k++)
        g->state[k] = shelf_taken(w, column_entry(w, &c[k % r->e], k / r->e));
    meeting_free(&m), columns_free(c), shelf_free(&shelf), shelf_free(&tape.shelf);
    free(tape.s), free(kept);
}
