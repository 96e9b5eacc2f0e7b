/* The recurrence, token by token, and its gradients; see state.h. */
#include "state/state.h"
#include <stdlib.h>
#include "state/column.h"

/* One head on its way: its columns, the token that is met, and what outlives a token.  Places of the shelf: the state
 * [e][d], then what the asker of the way wants. */
struct state_way {
    const struct state_rule *r;
    struct state_column *c;
    struct meeting m;
    struct shelf s;
    size_t mark;
    long h;
};

static struct state_way way_of(struct ask *w, const struct state_rule *r, long h, long wanted)
{
    struct state_way v = { .r = r, .c = columns_of(r), .s = shelf_of(w, r->d * r->e + wanted), .h = h };
    meeting_room(&v.m, r);
    return v;
}
const struct ball *state_first(struct ask *w, const struct state_rule *r, const char *name, long h, long i, long c)
{
    const bool key_sum = r->ones && c == r->e - 1;
    if (key_sum)
        name = !strcmp(name, "state") ? "z" : "dfinal_z";
    return has_in(w, name) ? b_in(w, name, h, i, key_sum ? 0 : c) : b_si(w, 0);
}
/* Sets the state from an input [h,d,e], or to 0 where the call does not hold it. */
static void begin(struct ask *w, struct state_way *v, const char *name)
{
    for (long c = 0; c < v->r->e; c++) {
        for (long i = 0; i < v->r->d; i++)
            column_set(w, &v->c[c], i, state_first(w, v->r, name, v->h, i, c));
        column_begun(&v->c[c], v->r->d);
    }
    v->mark = w->used;
}
/* The token is over: its balls are given up, where that may be, and the state is put on the shelf. */
static void rest(struct ask *w, struct state_way *v)
{
    for (long c = 0; c < v->r->e; c++)
        for (long i = 0; i < v->r->d; i++)
            v->c[c].x[i] = shelf_put(w, &v->s, c * v->r->d + i, v->c[c].x[i]);
    if (shelved(w))
        w->used = v->mark;
}
static void way_end(struct state_way *v) { columns_free(v->c), meeting_free(&v->m), shelf_free(&v->s); }

/* Fills y[n] with copies of the n balls at the places from `from` on of `kept`, which the token's end left there. */
static void take(struct ask *w, const struct ball *const *kept, long n, const struct ball **y)
{
    for (long k = 0; k < n; k++)
        y[k] = shelf_taken(w, kept[k]);
}

/* o[e] of the state as it is. */
static void outputs(struct ask *w, struct state_way *v, long t, const struct ball **o)
{
    for (long c = 0; c < v->r->e; c++)
        o[t * v->r->e + c] = shelf_put(w, &v->s, v->r->d * v->r->e + t * v->r->e + c,
            column_read(w, v->r, &v->c[c], OUTPUT, v->m.t.q, v->m.q));
}
static void update(struct ask *w, struct state_way *v)
{
    for (long c = 0; c < v->r->e; c++)
        if (v->r->delta)
            column_correct(w, v->r, &v->c[c], &v->m, v->m.t.v[c]);
        else
            column_write(w, v->r, &v->c[c], v->m.t.k, v->m.t.v[c]);
}
static void decay(struct ask *w, struct state_way *v)
{
    for (long c = 0; c < v->r->e; c++)
        column_decay(w, v->r, &v->c[c], &v->m);
}

void state_forward(struct ask *w, const struct state_rule *r, long h, const struct ball **o, const struct ball **final)
{
    struct state_way v = way_of(w, r, h, o ? r->n * r->e : 0);
    const struct ball **kept = need((size_t)(r->n * r->e) + 1, sizeof *kept);
    begin(w, &v, "state");
    for (long t = 0; t < r->n; t++) {
        meeting_make(w, &v.m, r, h, t);
        if (b_true(w, !state_late(r)))
            decay(w, &v);
        if (o && r->read_before)
            outputs(w, &v, t, kept);
        update(w, &v);
        if (o && !r->read_before && !r->at_end)
            outputs(w, &v, t, kept);
        rest(w, &v);
    }
    for (long t = 0; o && r->at_end && t < r->n; t++)
        meeting_make(w, &v.m, r, h, t), outputs(w, &v, t, kept), rest(w, &v);
    if (o)
        take(w, kept, r->n * r->e, o);
    for (long k = 0; final && k < r->d * r->e; k++)
        final[k] = shelf_taken(w, column_entry(w, &v.c[k % r->e], k / r->e));
    free(kept);
    way_end(&v);
}
