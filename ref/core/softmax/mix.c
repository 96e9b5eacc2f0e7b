/* The routes of a softmax mixing, page by page as mix.h lists them. */
#include <stdlib.h>
#include "ball/adverse.h"
#include "ball/trace.h"
#include "edit/reduced.h"
#include "edit/tape.h"
#include "softmax/divided.h"
#include "softmax/mean.h"
#include "softmax/mix.h"

void mix_value_line(struct ask *w, const struct mix *m, const struct ball **y)
{
    for (long c = 0; c < w->len; c++)
        y[c] = mix_value(w, m, w->at[2], c);
}

/* The weights are divided already: no total is left. */
static const struct ball *divided_column(
    struct ask *w, const struct mix *m, const struct soft *s, const struct ball *const *p, long c)
{
    const struct ball **t = need((size_t)s->n + 1, sizeof *t);
    for (long j = 0; j < s->n; j++)
        t[j] = b_step(w, PRODUCT, b_mul(w, p[j], mix_value(w, m, s->key[j], c)));
    const struct ball *y = b_sum(w, mix_sum(m), t, s->n);
    free(t);
    return y;
}

static const struct ball *weighted(struct ask *w, const struct mix *m, const struct ball *e, long key, long c)
{
    return b_step(w, PRODUCT, b_mul(w, b_step(w, WEIGHT, e), mix_value(w, m, key, c)));
}

static const struct ball *column(struct ask *w, const struct mix *m, const struct soft *s, long c)
{
    const struct ball **t = need((size_t)s->n + 1, sizeof *t);
    for (long j = 0; j < s->n; j++) {
        mix_part(w, s->key[j], m->keys);
        t[j] = weighted(w, m, s->e[j], s->key[j], c);
    }
    ask_whole(w);
    const struct ball *y = b_step(w, DIV, b_div(w, b_sum(w, mix_sum(m), t, s->n), s->total));
    free(t);
    return y;
}

/* Running sums side by side, which an online softmax rescales: of a total, or of a column (adverse.h).  placed: terms
 * go to them by the places of their keys, where hidden keys count.  t[waiting] are terms of the block at hand, which
 * begins at place `from`, that wait for its end; NULL: none waits. */
struct running { int step; bool placed; long lanes, waiting, from; const struct ball **sum, **t; };
static struct running running_open(
    struct ask *w, const struct mix *m, const struct soft *s, int step, bool placed)
{
    /* A tree of some height is one of the terms that there are. */
    struct running r = { .step = step, .placed = placed && !w->arith->at[step].height };
    r.lanes = running_sums(w, step, r.placed ? m->keys : s->n);
    r.t = running_waits(w, step) ? need((size_t)m->block, sizeof *r.t) : NULL;
    r.sum = need((size_t)r.lanes, sizeof *r.sum);
    for (long l = 0; l < r.lanes; l++)
        r.sum[l] = b_si(w, 0);
    return r;
}
static const struct ball *running_close(struct ask *w, struct running *r)
{
    const struct ball *y = running_total(w, r->step, r->sum, r->lanes);
    free(r->sum), free(r->t);
    return y;
}
/* Where visible key number l joins: at a place, and there one of the sums. */
static long place_of(const struct running *r, const struct soft *s, long l) { return r->placed ? s->key[l] : l; }
static const struct ball **sum_at(const struct running *r, const struct soft *s, long l)
{
    return &r->sum[place_of(r, s, l) % r->lanes];
}
/* Its term t joins; `both` is t and that sum. */
static void running_join(struct ask *w, struct running *r, const struct soft *s, long l, const struct ball *t,
    const struct ball *both)
{
    const struct ball **to = sum_at(r, s, l);
    const long behind = place_of(r, s, l) - r->from;
    if (!r->t)
        *to = running_joined(w, r->step, *to, t, both);
    else
        for (; r->waiting <= behind; r->waiting++) /* Hidden keys are terms of 0. */
            r->t[r->waiting] = r->waiting < behind ? b_si(w, 0) : t;
}
/* A block ends. */
static void running_end(struct ask *w, struct running *r)
{
    if (r->t)
        *r->sum = running_block(w, r->step, *r->sum, r->t, r->waiting);
    r->waiting = 0;
}

/* Online softmax (Milakov and Gimelshein 2018), and its lazy form.  Numerators to o[len]; the total; the last reference
 * point. */
static const struct ball *online(struct ask *w, const struct mix *m, const struct soft *s, const struct ball **o,
    long len, const struct ball **point)
{
    const struct ball *max = NULL;
    const bool placed = w->arith->adverse && w->arith->adverse->seed & 1;
    struct running total = running_open(w, m, s, TOTAL, placed), *column = need((size_t)len + 1, sizeof *column);
    for (long c = 0; c < len; c++)
        column[c] = running_open(w, m, s, mix_sum(m), placed);
    for (long j = 0, end; j < s->n; j = end) {
        const struct ball *top = s->s[j], *by = NULL,
                          *limit = max && m->route == LAZY ? b_add(w, max, b_si(w, m->slack)) : max;
        end = soft_block_end(m, s, j, placed);
        total.from = placed ? s->key[j] / m->block * m->block : j;
        for (long l = j; l < end; l++)
            top = b_max(w, top, s->s[l]);
        const int passed = max ? b_cmp(top, limit) : 0;
        w->undecided |= passed == 2 && w->arith->how == ROUND;
        if (passed > 0)
            by = soft_weight(w, m, max, top = b_max(w, top, max));
        else if (max)
            top = max;
        for (long l = 0; l < total.lanes && by; l++)
            total.sum[l] = b_step(w, RESCALE, b_mul(w, total.sum[l], by));
        for (long c = 0; c < len && by; c++)
            for (long l = 0; l < column[c].lanes; l++)
                column[c].sum[l] = b_step(w, RESCALE, b_mul(w, column[c].sum[l], by));
        for (long l = j; l < end; l++) {
            const struct ball *e = soft_weight(w, m, s->s[l], top), *t;
            running_join(w, &total, s, l, e, b_add(w, *sum_at(&total, s, l), e));
            for (long c = 0; c < len; c++) {
                column[c].from = total.from, t = weighted(w, m, e, s->key[l], c);
                running_join(w, &column[c], s, l, t, b_add(w, *sum_at(&column[c], s, l), t));
            }
        }
        running_end(w, &total);
        for (long c = 0; c < len; c++)
            running_end(w, &column[c]);
        max = top;
    }
    for (long c = 0; c < len; c++)
        o[c] = running_close(w, &column[c]);
    free(column), *point = max;
    return running_close(w, &total);
}

static const struct ball *finish_lse(
    struct ask *w, const struct mix *m, const struct ball *max, const struct ball *total)
{
    if (mix_base_2(w, m))
        max = b_step(w, LOG, b_mul(w, max, b_given(w, LOG, b_ln2(w))));
    return b_inner(w, LOG, b_add(w, max, b_step(w, LOG, b_log(w, total)))); /* a contract leaves it to the store */
}

/* A line without keys ends as o[n] says; but under an edit of a number no number at all may stand there, too: this page
 * has such lines apart, while a kernel may reach them by the same arithmetic, and divide by a total of 0. */
static void or_no_number(struct ask *w, const struct ball **o, long n)
{
    const struct edit *e = &w->arith->edit;
    const bool number = e->step && (e->step != SITE_EDIT || kind_computed(e->kind));
    for (long c = 0; number && w->arith->how == WIDEN && c < n; c++) {
        struct ball *y = (struct ball *)b_widen(w, o[c], (struct up){ 0, 0 });
        b_or_none(y), o[c] = y;
    }
}
static void empty(struct ask *w, const struct mix *m, const struct ball **o);

/* Are all weights of the line lost, as an edit may have it?  A kernel that knows by its total that a line sees no key
 * ends it as such a line; one that counts the keys divides by 0. */
static bool lost_all(const struct mix *m, const struct soft *s)
{
    return m->empty != EMPTY_NAN && mpfr_zero_p(s->total->mid) && s->total->rad.m == 0;
}
/* One softmax over s, which is not empty and not split.  It fills o[len] and lse, each where it is not NULL. */
static void one_softmax(
    struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, const struct ball **lse)
{
    if (w->arith->how != ROUND && !w->dual && !w->arith->edit.step) {
        if (o)
            divided(w, m) ? divided_output(w, m, s, o, NULL) : soft_output(w, m, s, o, NULL);
        if (lse)
            *lse = soft_lse(w, m, s);
        return;
    }
    const struct ball *point = s->max;
    const bool blocks = m->block && !w->dual, first = divided(w, m);
    const struct ball **p = need(first ? (size_t)s->n : 0, sizeof *p);
    if (blocks)
        s->total = online(w, m, s, o, o ? w->len : 0, &point);
    else
        soft_two_passes(w, m, s);
    if (site_guards(w) && mpfr_zero_p(s->total->mid)) /* The exponential of a visible key is no 0 in the page. */
        s->total = b_si(w, 1);
    const bool none = lost_all(m, s);
    if (none && o)
        empty(w, m, o);
    if (first)
        divided_weights(w, s, p);
    for (long c = 0; o && !none && c < w->len; c++) {
        size_t mark = w->used;
        o[c] = first ? ask_keep(w, mark, divided_column(w, m, s, p, c)) :
            blocks   ? b_step(w, DIV, b_div(w, o[c], s->total)) :
                       ask_keep(w, mark, column(w, m, s, c));
    }
    if (lse)
        *lse = finish_lse(w, m, point, s->total);
    free(p);
}

/* Each block of keys by itself, then the blocks as keys with scores lse and values o: nothing but softmaxes, so its
 * bound is theirs. A block without a visible key has weight 0 and is left out. */
static void split(
    struct ask *w, const struct mix *m, const struct soft *s, const struct ball **o, const struct ball **lse)
{
    long parts = (m->keys + m->block - 1) / m->block;
    struct mix inner = *m, outer = *m;
    struct soft all = soft_room(parts);
    const struct ball **values = need((size_t)(parts * w->len) + 1, sizeof *values);
    inner.keys = m->block, outer.keys = parts, inner.block = outer.block = 0, inner.route = outer.route = TWO_PASSES,
    outer.given = values;
    for (long j = 0; j < s->n;) {
        struct soft part = { .from = s->key[j] / m->block * m->block, .key = s->key + j, .s = s->s + j, .e = s->e + j };
        const struct ball *score;
        for (; j < s->n && s->key[j] < part.from + m->block; j++)
            soft_join(w, &part, s->key[j], s->s[j]);
        soft_find_top(&part);
        one_softmax(w, &inner, &part, o ? values + part.from / m->block * w->len : NULL, &score);
        soft_join(w, &all, part.from / m->block, b_step(w, LOG, score));
    }
    soft_find_top(&all);
    one_softmax(w, &outer, &all, o, lse);
    free(values), soft_free(&all);
}

/* The mean of column c of the values of s as code has it that takes it apart from its weights: another form. */
struct averaged { const struct mix *m; const struct soft *s; long c; };
enum { AVERAGED = __LINE__ };
static const struct ball *averaged(struct ask *w, const void *of)
{
    const struct averaged *x = of;
    const struct ball **v = need((size_t)x->s->n + 1, sizeof *v);
    for (long j = 0; j < x->s->n; j++)
        v[j] = mix_value(w, x->m, x->s->key[j], x->c);
    const struct ball *mean = b_average(w, v, x->s->n);
    free(v);
    return mean;
}
static const struct other_form average = { averaged, __FILE__, AVERAGED, __LINE__ };
/* That mean of every column; false: it is asked neither by an edit of it, nor by one that takes weights of lines that
 * have some. */
static bool means(struct ask *w, const struct mix *m, const struct soft *s, const struct ball **o)
{
    bool asked = false;
    for (long c = 0; c < w->len; c++) {
        const struct averaged at = { m, s, c };
        const struct ball *mean = w->tape ? averaged(w, &at) : site_form(w, &average, &at);
        o[c] = mean ? mean : o[c], asked = mean != NULL;
    }
    return asked;
}

static void empty(struct ask *w, const struct mix *m, const struct ball **o)
{
    struct mix flat = *m;
    struct soft s = soft_room(m->keys);
    for (long j = 0; m->empty == EMPTY_MEAN && j < m->keys - m->sinks; j++)
        soft_join(w, &s, j, b_si(w, 0));
    flat.block = 0, flat.route = TWO_PASSES, flat.empty = EMPTY_NAN;
    if (s.n && !means(w, m, &s, o))
        one_softmax(w, &flat, &s, o, NULL);
    for (long c = 0; c < w->len && !s.n; c++)
        o[c] = b_true(w, m->empty == EMPTY_NAN) ? b_nan(w) : b_si(w, 0);
    or_no_number(w, o, w->len);
    soft_free(&s);
}

static void zeros(struct ask *w, const struct ball **o)
{
    for (long c = 0; c < w->len; c++)
        o[c] = b_si(w, 0);
}

void soft_forward(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, const struct ball **lse)
{
    if (m->route == SPLIT && w->arith->how != EXACT)
        split(w, m, s, o, lse);
    else
        one_softmax(w, m, s, o, lse);
}

/* Does the line see a key?  A kernel may know it by the total, which an edit may take from another line. */
static bool sees_any(struct ask *w, const struct mix *m, struct soft *s)
{
    if (!w->tape || m->block || site_guards(w))
        return s->n > 0;
    soft_two_passes(w, m, s);
    return mpfr_sgn(s->total->mid) > 0;
}

void mix_output(struct ask *w, const struct mix *m, const struct ball **o)
{
    struct soft s = soft_gather(w, m);
    const bool sees = b_true(w, sees_any(w, m, &s));
    if (s.n && sees)
        soft_forward(w, m, &s, o, NULL);
    else if (!sees)
        empty(w, m, o);
    else
        zeros(w, o); /* It is taken for a query that sees a key, whose values add up to 0 here. */
    soft_free(&s);
}

void mix_apart(struct ask *w, const struct mix *values, const struct mix *places, int join, const struct ball **o)
{
    const struct ball **t = need((size_t)w->len + 1, sizeof *t);
    mix_output(w, values, o);
    mix_output(w, places, t);
    for (long c = 0; c < w->len; c++)
        o[c] = b_step(w, join, b_add(w, o[c], t[c]));
    free(t);
}

void mix_lse(struct ask *w, const struct mix *m, const struct ball **y)
{
    struct soft s = soft_gather(w, m);
    const bool sees = b_true(w, sees_any(w, m, &s));
    if (s.n && sees)
        soft_forward(w, m, &s, NULL, y);
    else {
        if (tape_records(w) && !m->block) /* Another line may take what is computed here, too. */
            finish_lse(w, m, b_si(w, 0), s.total);
        y[0] = b_minus_inf(w), or_no_number(w, y, 1);
    }
    soft_free(&s);
}

void mix_weights(struct ask *w, const struct mix *m, const struct ball **p)
{
    struct soft s = soft_gather(w, m);
    soft_two_passes(w, m, &s);
    const struct ball *none = b_si(w, 0);
    for (long j = 0; j < m->keys; j++)
        p[j] = none;
    const bool lost = s.n && lost_all(m, &s), zero = lost && m->empty == EMPTY_ZERO;
    for (long j = 0; j < s.n; j++)
        p[s.key[j]] = zero ? none : b_step_own(w, DIV, b_div(w, s.e[j], s.total));
    for (long j = 0; j < s.n && w->arith->divide_first; j++) /* Then they are an array, and stored as one. */
        p[s.key[j]] = b_step(w, WEIGHT, p[s.key[j]]);
    if (w->arith->divide_first && w->arith->how != EXACT)
        trace_word(w->trace, w->arith->divide_word, false);
    for (long j = 0; j < m->keys && !s.n && m->empty != EMPTY_ZERO; j++)
        p[j] = b_true(w, m->empty == EMPTY_NAN) ? b_nan(w) : b_step(w, DIV, b_ratio(w, 1, m->keys - m->sinks));
    if (!s.n || lost)
        or_no_number(w, p, m->keys);
    for (long j = 0; j < m->keys && soft_has_no_numbers(w, &s); j++)
        p[j] = b_widen(w, none, up_inf());
    soft_free(&s);
}
