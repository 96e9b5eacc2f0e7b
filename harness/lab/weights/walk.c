/* The pass of a model, from tokens to logits; see walk.h. */
#include "base/progress.h"
#include "lab/weights/walk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "row/param.h"

const char *const walk_rows[] = { "embedding", "rmsnorm", "layernorm", "rope", "attention", "feedforward", "product",
    NULL };
struct walking {
    struct engine *e;
    const struct foreign *m;
    long n;
    int64_t *count;                       /* 0, 1, 2 .., as positions and as tokens of a table */
    char *err;
    size_t room;
    bool failed;                          /* nothing is asked any more */
};

/* A value of the engine, which value_free gives back. */
static struct mer_array value(const struct walking *w, int rank, int64_t a, int64_t b, int64_t c)
{
    struct mer_array y = { .type = w->e->type, .rank = rank, .dim = { a, b, c } };
    y.data = need((size_t)mer_count(&y) + 32, w->e->size);
    return y;
}
static void value_free(struct mer_array *a) { free(a->data), a->data = NULL; }
static void replace(struct mer_array *a, struct mer_array b) { value_free(a), *a = b; }

/* The words that win over the model's for this row. */
static const char *changes(const char *words, const char *row)
{
    for (const char *s = words; *s; s += strcspn(s, ";"), s += strspn(s, "; "))
        if (word_is(s, row))
            return word_next(s);
    return "";
}

/* Puts an array under the name that a row has for it among the question's inputs; nothing where it has no data. */
static void give(struct row_question *q, const char *name, struct mer_array a)
{
    a.name = name;
    if (a.data)
        q->in[q->n++] = a;
}
static struct mer_array ask(struct walking *w, struct row_question q, struct mer_array y)
{
    char params[TEXT_MAX];
    const char *more = q.fixed ? "" : changes(w->e->words, q.row);
    snprintf(params, sizeof params, "%.7000s%s%.*s", q.params, *q.params && *more ? " " : "", (int)strcspn(more, ";"),
        more);
    q.params = params, y.name = q.out;
    if (!w->failed)
        w->failed = w->e->ask(w->e, &q, &y, w->err, w->room) != 0;
    return y;
}

static struct mer_array integers(int64_t n, const int64_t *data)
{
    return (struct mer_array){ .type = MER_I64, .rank = 1, .dim = { n }, .data = (void *)data };
}
/* table[token], with place where that has data; scale: of the table's rows, in the row's words, "" for none. */
static struct mer_array lookup(
    struct walking *w, const int64_t *token, struct mer_array table, struct mer_array place, const char *scale)
{
    char params[100];
    snprintf(params, sizeof params, "%s%s%s%s", place.data ? "positions=yes" : "", place.data && *scale ? " " : "",
        *scale ? "scale=" : "", scale);
    struct row_question q = { .row = "embedding", .out = "y", .params = params };
    give(&q, "token", integers(w->n, token)), give(&q, "table", table), give(&q, "place", place);
    return ask(w, q, value(w, 2, w->n, table.dim[1], 0));
}
/* x + y, both [n][c]: row i of x as the token i of a table, with y as its place. */
static void add(struct walking *w, struct mer_array *x, struct mer_array y)
{
    replace(x, lookup(w, w->count, *x, y, ""));
}

static struct mer_array linear(struct walking *w, struct mer_array x, const struct mer_array *of, int role, int bias)
{
    struct row_question q = { .row = "embedding", .out = "logits", .params = of[bias].data ? "bias=yes" : "" };
    give(&q, "h", x), give(&q, "table", of[role]), give(&q, "bias", of[bias]);
    return ask(w, q, value(w, 2, x.dim[0], of[role].dim[0], 0));
}

static struct mer_array norm(struct walking *w, struct mer_array x, const struct mer_array *of, int gain, int shift)
{
    char params[120];
    const bool layer = !strcmp(w->m->norm, "layernorm"), moved = layer && shift < ROLES && of[shift].data;
    snprintf(params, sizeof params, "eps=%s%s%s%s", w->m->eps, layer && !moved ? " affine=gain" : "",
        *w->m->offset ? " offset=" : "", w->m->offset);
    struct row_question q = { .row = w->m->norm, .out = "y", .params = params };
    give(&q, "x", x), give(&q, "gain", of[gain]);
    if (moved)
        give(&q, "shift", of[shift]);
    return ask(w, q, value(w, x.rank, x.dim[0], x.dim[1], x.dim[2]));
}

/* [n][h d] as [h][n][d], or (back) the other way round. */
static struct mer_array heads(const struct walking *w, struct mer_array x, int64_t h, bool back)
{
    const int64_t n = w->n, d = back ? x.dim[2] : x.dim[1] / h;
    struct mer_array y = back ? value(w, 2, n, h * d, 0) : value(w, 3, h, n, d);
    for (int64_t k = 0; k < h; k++)
        for (int64_t i = 0; i < n; i++) {
            const size_t apart = (size_t)((k * n + i) * d) * w->e->size;
            const size_t beside = (size_t)((i * h + k) * d) * w->e->size;
            memcpy((char *)y.data + (back ? beside : apart), (const char *)x.data + (back ? apart : beside),
                (size_t)d * w->e->size);
        }
    return y;
}

/* Norms of q or k, where there are any: all heads as one line (before they are taken apart), or each by a gain. */
static void norm_whole(struct walking *w, struct mer_array *flat, const struct mer_array *of, int gain)
{
    if (of[gain].data)
        replace(flat, norm(w, *flat, of, gain, gain));
}
static void norm_heads(struct walking *w, struct mer_array *y, const struct mer_array *of, enum role by)
{
    const int64_t h = y->dim[0], d = y->dim[2];
    const bool each = of[by + (Q_HEADS - Q_NORM)].data != NULL;
    struct mer_array gain[2] = { of[by], of[by + 1] };
    for (int64_t k = 0; k < (each ? h : gain[0].data ? 1 : 0); k++) {
        struct mer_array rows = *y;
        rows.rank = 2, rows.dim[0] = each ? w->n : h * w->n, rows.dim[1] = d;
        rows.data = (char *)y->data + (size_t)(k * w->n * d) * w->e->size;
        if (each) {
            gain[0] = of[by + (Q_HEADS - Q_NORM)], gain[1].data = NULL;
            gain[0].rank = 1, gain[0].dim[0] = d, gain[0].data = (float *)gain[0].data + k * d;
        }
        struct mer_array to = norm(w, rows, gain, 0, 1);
        memcpy(rows.data, to.data, (size_t)(rows.dim[0] * d) * w->e->size);
        value_free(&to);
    }
}

/* q or k: projection, norms, rotation; [h][n][d].  by: the first of its norms' roles. */
static struct mer_array query(
    struct walking *w, struct mer_array x, const struct model_layer *l, enum role role, enum role by, int64_t h)
{
    struct mer_array flat = linear(w, x, l->of, (int)role, (int)role + 1);
    norm_whole(w, &flat, l->of, (int)by + (Q_WHOLE - Q_NORM));
    struct mer_array y = heads(w, flat, h, false);
    value_free(&flat);
    norm_heads(w, &y, l->of, by);
    if (*l->rope) {
        struct row_question q = { .row = "rope", .out = "y", .params = l->rope };
        give(&q, "x", y), give(&q, "pos", integers(w->n, w->count));
        replace(&y, ask(w, q, value(w, 3, h, w->n, y.dim[2])));
    }
    return y;
}

static struct mer_array attention(struct walking *w, struct mer_array x, const struct model_layer *l)
{
    const int64_t h = w->m->size['h'], g = w->m->size['g'];
    struct mer_array a = query(w, x, l, Q, Q_NORM, h), b = query(w, x, l, K, K_NORM, g);
    struct mer_array flat = linear(w, x, l->of, V, V_BIAS), v = heads(w, flat, g, false);
    value_free(&flat);
    struct row_question q = { .row = "attention", .out = "o", .params = l->attention };
    give(&q, "q", a), give(&q, "k", b), give(&q, "v", v);
    struct mer_array o = ask(w, q, value(w, 3, h, w->n, v.dim[2])), joined = heads(w, o, h, true);
    struct mer_array y = linear(w, joined, l->of, O, O_BIAS);
    value_free(&a), value_free(&b), value_free(&v), value_free(&o), value_free(&joined);
    return y;
}

static struct mer_array feed(struct walking *w, struct mer_array x, const struct model_layer *l)
{
    char params[60];
    snprintf(params, sizeof params, "act=%s", w->m->act);
    struct mer_array up = linear(w, x, l->of, UP, UP_BIAS), bent = up;
    struct row_question q = { .row = "feedforward", .out = "a", .params = params };
    if (l->of[GATE].data)
        bent = linear(w, x, l->of, GATE, GATE_BIAS);
    give(&q, "u", bent);
    struct mer_array a = ask(w, q, value(w, 2, w->n, up.dim[1], 0));
    if (l->of[GATE].data) {
        struct row_question both = { .row = "product", .out = "y", .params = "" };
        give(&both, "x", a), give(&both, "p", up);
        replace(&a, ask(w, both, value(w, 2, w->n, up.dim[1], 0)));
        value_free(&bent);
    }
    value_free(&up);
    struct mer_array y = linear(w, a, l->of, DOWN, DOWN_BIAS);
    value_free(&a);
    return y;
}

/* What a branch reads: x by its norm, or x itself, whose values may be float32 in any engine (struct stages). */
static struct mer_array entering(struct walking *w, struct mer_array x, const struct mer_array *of, int gain, int shift)
{
    if (of[gain].data)
        return norm(w, x, of, gain, shift);
    struct mer_array y = value(w, x.rank, x.dim[0], x.dim[1], x.dim[2]);
    y.type = x.type;
    memcpy(y.data, x.data, (size_t)mer_count(&x) * (x.type == MER_F32 ? sizeof(float) : w->e->size));
    return y;
}
/* What a branch gives: by its own norm, and multiplied. */
static void leaving(struct walking *w, struct mer_array *y, const struct mer_array *of, int gain)
{
    if (of[gain].data)
        replace(y, norm(w, *y, of, gain, ROLES));
    if (!*w->m->residual)
        return;
    struct mer_array by = { .type = MER_F32, .rank = 2, .dim = { y->dim[0], y->dim[1] } };
    float *p = by.data = need((size_t)mer_count(&by) + 32, sizeof(float));
    for (int64_t k = 0; k < mer_count(&by); k++)
        p[k] = strtof(w->m->residual, NULL);
    struct row_question q = { .row = "product", .out = "y", .params = "" };
    give(&q, "x", *y), give(&q, "p", by);
    replace(y, ask(w, q, value(w, 2, y->dim[0], y->dim[1], 0)));
    free(p);
}

static void layer(struct walking *w, const struct model_layer *l, struct mer_array *x)
{
    struct mer_array h = entering(w, *x, l->of, NORM1, NORM1_BIAS), a = attention(w, h, l), f;
    leaving(w, &a, l->of, POST1);
    if (!w->m->parallel)
        add(w, x, a);
    if (!w->m->parallel || l->of[NORM2].data)
        replace(&h, entering(w, *x, l->of, NORM2, NORM2_BIAS));
    f = feed(w, h, l);
    leaving(w, &f, l->of, POST2);
    if (w->m->parallel && !w->m->in_turn) {
        add(w, &f, a), add(w, &f, *x);
        replace(x, f);
    } else {
        if (w->m->parallel)
            add(w, x, a);
        add(w, x, f), value_free(&f);
    }
    value_free(&h), value_free(&a);
}

/* The logits of x[n][c]; scaled or capped, they are the scores of one head of attention. */
static struct mer_array logits(struct walking *w, struct mer_array x, const struct mer_array *of)
{
    char params[140];
    struct mer_array table = of[of[HEAD].data ? HEAD : EMBED];
    if (!*w->m->logit_scale && !*w->m->cap)
        return linear(w, x, of, of[HEAD].data ? HEAD : EMBED, HEAD_BIAS);
    snprintf(params, sizeof params, "scale=%s cap=%s stage=capped", *w->m->logit_scale ? w->m->logit_scale : "1",
        *w->m->cap ? w->m->cap : "0");
    struct row_question q = { .row = "attention", .out = "scores", .params = params, .fixed = true };
    struct mer_array head = { .type = x.type, .rank = 3, .dim = { 1, w->n, x.dim[1] }, .data = x.data };
    table.rank = 3, table.dim[2] = table.dim[1], table.dim[1] = table.dim[0], table.dim[0] = 1;
    give(&q, "q", head), give(&q, "k", table);
    struct mer_array y = ask(w, q, value(w, 3, 1, w->n, table.dim[1]));
    y.rank = 2, y.dim[0] = w->n, y.dim[1] = table.dim[1];
    return y;
}

int walk(struct engine *e, struct prompt q, struct stages *s, char *err, size_t n)
{
    const struct mer_array *of = q.m->layer[q.m->layers].of, none = { .data = NULL };
    struct walking w = { .e = e, .m = q.m, .n = q.n, .err = err, .room = n };
    w.count = need((size_t)q.n + 1, sizeof *w.count);
    for (long i = 0; i < q.n; i++)
        w.count[i] = i;
    struct mer_array x = lookup(&w, q.token, of[EMBED], none, q.m->embed_scale);
    if (of[PLACE].data) {
        struct mer_array place = lookup(&w, w.count, of[PLACE], none, "");
        add(&w, &x, place), value_free(&place);
    }
    for (long l = 0; l <= q.m->layers && !w.failed; l++) {
        progress_count("");
        s->at(s, l, &x);
        if (l < q.m->layers)
            layer(&w, &q.m->layer[l], &x);
        if (l + 1 == q.m->layers)
            replace(&x, norm(&w, x, of, NORM, NORM_BIAS));
    }
    replace(&x, logits(&w, x, of));
    if (!w.failed)
        s->at(s, q.m->layers + 1, &x);
    value_free(&x), free(w.count);
    return w.failed ? -1 : 0;
}

/* Whether weights[h][n][n] of equal scores have one above the diagonal that is not 0. */
static bool above_diagonal(const struct mer_array *y)
{
    const float *x = y->data;
    const int64_t n = y->dim[1];
    for (int64_t k = 0; k < y->dim[0] * n * n; k++)
        if (k % n > k / n % n && x[k] != 0)
            return true;
    return false;
}
bool walk_ahead(struct engine *e, const struct foreign *m, long n)
{
    char why[300];
    struct walking w = { .e = e, .m = m, .n = n < WALK_AHEAD ? n : WALK_AHEAD, .err = why, .room = sizeof why };
    const long h = m->size['h'], g = m->size['g'], d = m->size['d'];
    struct mer_array q = value(&w, 3, h, w.n, d), k = value(&w, 3, g, w.n, d);
    bool ahead = false;
    for (long l = 0; l < m->layers && !ahead && !w.failed; l++) {
        struct row_question of = { .row = "attention", .out = "weights", .params = m->layer[l].attention };
        give(&of, "q", q), give(&of, "k", k);
        struct mer_array y = ask(&w, of, value(&w, 3, h, w.n, w.n));
        ahead = !w.failed && above_diagonal(&y);
        value_free(&y);
    }
    value_free(&q), value_free(&k);
    return ahead;
}
