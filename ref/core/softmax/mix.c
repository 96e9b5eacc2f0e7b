/* The routes of a softmax mixing, page by page as mix.h lists them. */
#include <stdlib.h>
#include "softmax/divided.h"
#include "softmax/plain.h"
#include "ball/trace.h"

const char mix_steps[] = "dot product score shift exp weight sum total rescale div log";

struct span span_at(const struct ask *w, const char *name, long i, long j)
{
    const struct mer_array *a = array_in(w, name);
    return (struct span){ a, a->rank == 3 ? (i * a->dim[1] + j) * a->dim[2] : a->rank == 2 ? i * a->dim[1] : 0 };
}

/* Element k of the line; 0 of a line that an edit has taken away. */
static const struct ball *spanned(struct ask *w, struct span x, long k)
{
    const struct source at = x.file ? (struct source){ x.file, x.line, NULL } : HERE;
    return x.at == SITE_NOWHERE ? b_si(w, 0) : site_element(w, at, x.a, x.at + k);
}
const struct ball *b_dot(struct ask *w, int product, int sum, struct span x, struct span y, long d)
{
    size_t mark = w->used;
    const struct ball *plain = plain_dot(w, product, sum, x, y, d);
    if (plain)
        return ask_keep(w, mark, plain);
    const struct ball **t = need((size_t)d + 1, sizeof *t);
    for (long k = 0; k < d; k++)
        t[k] = b_step_own(w, product, b_mul(w, spanned(w, x, k), spanned(w, y, k)));
    const struct ball *s = b_sum(w, sum, t, d);
    free(t);
    return ask_keep(w, mark, s); /* mutant: call 6db4: only memory is given back later. */
}

const struct ball *mix_qk(struct ask *w, long h, long i, long j)
{
    const struct span q = span(w, "q", h, i);
    const struct span k = span(w, "k", h, j);
    return b_dot(w, PRODUCT, DOT, q, k, dim_in(w, "q", 2));
}
const struct ball *mix_v(struct ask *w, long h, long i, long j, long c) { (void)i; return b_in(w, "v", h, j, c); }
const struct ball *b_width(struct ask *w, int step, mpq_srcptr scale, long d)
{
    if (scale && mpq_sgn(scale))
        return b_held(w, step, b_q(w, scale));
    const struct ball *root = b_sqrt(w, b_si(w, d));
    return b_held(w, step, b_div(w, b_si(w, 1), w->arith->how == WIDEN ? b_held(w, step, root) : root));
}
const struct ball *mix_terms(struct ask *w, int join, bool places_first, const struct ball *x, const struct ball *y,
    const struct ball *z)
{
    if (places_first && y && z)
        return b_step(w, join, b_add(w, x, b_step(w, join, b_add(w, y, z))));
    x = y ? b_step(w, join, b_add(w, x, y)) : x;
    return z ? b_step(w, join, b_add(w, x, z)) : x;
}
const struct ball *mix_by_width(struct ask *w, int scale, const struct ball *s)
{
    return scale == SCALE_NONE ? s : b_scaled(w, SCORE, s, mix_width(w));
}
struct mix_grad mix_grad_by_width(struct mix m, int scale)
{
    return (struct mix_grad){ m, "do", scale == SCALE_NONE ? NULL : mix_width };
}
const struct ball *mix_scaled(struct ask *w, const struct ball *s, mpq_srcptr scale)
{
    return b_scaled(w, SCORE, s, mix_scale(w, scale));
}
const struct ball *mix_width(struct ask *w) { return mix_scale(w, NULL); }
const struct ball *mix_scale(struct ask *w, mpq_srcptr scale) { return b_width(w, SCORE, scale, dim_in(w, "q", 2)); }

bool mix_kept(const struct ask *w, long h, long i, long j)
{
    const struct mer_array *keep = mer_in(w->call, "keep");
    return b_true(w, !keep || (j < keep->dim[2] && array_get(keep, (h * keep->dim[1] + i) * keep->dim[2] + j) != 0));
}

const struct ball *b_ln2(struct ask *w) { return b_log(w, b_si(w, 2)); }
/* On the exp2 route scores come as multiples of log 2; only a contract works with those. */
static bool base_2(const struct ask *w, const struct mix *m) { return m->route == EXP2 && w->arith->how == ROUND; }
static const struct ball *natural(struct ask *w, const struct mix *m, const struct ball *s)
{
    return m->route == EXP2 && !base_2(w, m) ? b_mul(w, s, b_ln2(w)) : s;
}

/* What the mixing is asked of head, query and key: themselves, unless an edit asks at other indices (edit/site.h).
 * False: an edit asks nothing, and what is asked is 0. */
struct pair { long h, i, j; };
static bool pair_at(const struct ask *w, struct source at, long keys, struct pair *p)
{
    const struct mer_array *q = sited(w) ? mer_in(w->call, "q") : NULL;
    const long extent[] = { q && q->rank == 3 ? q->dim[0] : 1, q && q->rank == 3 ? q->dim[1] : 1, keys };
    long index[] = { p->h, p->i, p->j };
    if (!sited(w))
        return true;
    const bool some = site_indices(w, at, 3, index, extent);
    *p = (struct pair){ index[0], index[1], index[2] };
    return some;
}
/* The index of p along the axis along which an edit sums up what is asked there, or of its key; first: where to
 * begin. */
static long *along(const struct ask *w, struct source at, struct pair *p, long *first)
{
    const int axis = site_index_summed(w, at);
    long *x = axis == 0 ? &p->h : axis == 1 ? &p->i : &p->j;
    *first = axis < 0 ? *x : 0;
    return x;
}
static bool mix_visible(const struct ask *w, const struct mix *m, struct pair p)
{
    const struct source at = HERE;
    if (!pair_at(w, at, m->keys, &p))
        return false;
    long first, *x = along(w, at, &p, &first), last = *x;
    bool sees = true;
    for (*x = first; sees && *x <= last; ++*x)
        sees = m->visible(w, p.h, p.i, p.j);
    return b_true(w, sees);
}
static const struct ball *mix_score(struct ask *w, const struct mix *m, struct pair p)
{
    return pair_at(w, HERE, m->keys, &p) ? m->score(w, p.h, p.i, p.j) : b_si(w, 0);
}
/* The score after its mask; NULL: the key is hidden, whose score is computed where an edit may need it elsewhere. */
static const struct ball *masked(struct ask *w, const struct mix *m, struct pair p)
{
    const bool sees = mix_visible(w, m, p);
    const struct ball *s = sees || tape_records(w) ? natural(w, m, mix_score(w, m, p)) : NULL;
    const bool scored = b_true(w, false); /* Is a hidden key one whose score is 0? */
    return sees ? s : scored ? b_si(w, 0) : site_hides(w) ? b_inf(w, -1) : NULL;
}
/* That of key j.  An edit may take score and mask together at other indices, or summed up along one, as a kernel does
 * that has put -inf into its scores before. */
static const struct ball *mix_masked(struct ask *w, const struct mix *m, long j)
{
    struct pair p = { w->at[0], w->at[1], j };
    const struct source at = HERE;
    if (!pair_at(w, at, m->keys, &p))
        return b_si(w, 0);
    long first, *x = along(w, at, &p, &first), last = *x;
    const struct ball *s = NULL;
    for (*x = first; *x <= last; ++*x) {
        const struct ball *one = masked(w, m, p);
        if (!one)
            return NULL;
        s = s ? b_add(w, s, one) : one;
    }
    return s;
}
const struct ball *mix_value(struct ask *w, const struct mix *m, long j, long c)
{
    struct pair p = { w->at[0], w->at[1], j };
    const bool some = pair_at(w, HERE, m->keys - m->sinks, &p);
    c = site_index(w, HERE, 3, c, w->len);
    return !some || c < 0 ? b_si(w, 0) :
        m->given          ? m->given[j * w->len + c] :
                            m->value(w, p.h, p.i, p.j, c);
}

void mix_value_line(struct ask *w, const struct mix *m, const struct ball **y)
{
    for (long c = 0; c < w->len; c++)
        y[c] = mix_value(w, m, w->at[2], c);
}

static void part(struct ask *w, long j, long keys) { ask_part(w, j, keys, "the keys"); }

static struct soft soft_room(long keys)
{
    size_t n = (size_t)keys + 1;
    return (struct soft){ .key = need(n, sizeof(long)), .s = need(n, sizeof(void *)), .e = need(n, sizeof(void *)) };
}
void soft_free(struct soft *s) { free(s->key), free(s->s), free(s->e); }

static void join(struct ask *w, struct soft *s, long key, const struct ball *score)
{
    s->key[s->n] = key;
    s->s[s->n] = score;
    s->max = s->n ? b_max(w, s->max, score) : score;
    s->n++;
}

/* Sets top, which is NULL before, to the one score that is certainly the largest, whose weight is exactly 1; it stays
 * NULL where that is open. */
static void find_top(struct soft *s)
{
    for (long j = 0, best = 0; j < s->n; j++) {
        best = mpfr_cmp(s->s[j]->mid, s->s[best]->mid) > 0 ? j : best;
        s->top = s->s[best];
    }
    for (long j = 0; s->top && j < s->n; j++)
        s->top = s->s[j] != s->top && b_cmp(s->top, s->s[j]) != 1 ? NULL : s->top;
}

struct soft soft_gather(struct ask *w, const struct mix *m)
{
    struct soft s = soft_room(m->keys);
    bool some = false, left_out = false;
    for (long j = 0; j < m->keys; j++) {
        size_t mark = w->used;
        part(w, j, m->keys);
        const struct ball *score = mix_masked(w, m, j);
        some |= score && !mpfr_inf_p(score->mid);
        left_out |= !score;
        if (score)
            join(w, &s, j, ask_keep(w, mark, score));
    }
    ask_whole(w);
    if (left_out)
        site_left_out(w);
    if (s.n && !some && site_hides(w)) /* Where all are hidden, a kernel takes 0 for the largest score. */
        s.max = b_si(w, 0);
    find_top(&s);
    /* The weights do not depend on the reference point, and a constant one has no corner at ties. */
    if (w->dual && s.n)
        s.max = b_at(w, s.max), s.top = NULL;
    return s;
}

static const struct ball *weight(struct ask *w, const struct mix *m, const struct ball *s, const struct ball *max)
{
    const struct ball *z = b_step(w, SHIFT, b_sub(w, s, max));
    return b_step(w, EXP, base_2(w, m) ? b_pow(w, b_si(w, 2), z) : b_exp(w, z));
}

void soft_two_passes(struct ask *w, const struct mix *m, struct soft *s)
{
    for (long j = 0; j < s->n; j++) {
        size_t mark = w->used;
        const bool one = s->s[j] == s->top && !sited(w); /* An edit may be of what makes it 1. */
        part(w, s->key[j], m->keys);
        s->e[j] = ask_keep(w, mark, one ? b_step(w, EXP, b_si(w, 1)) : weight(w, m, s->s[j], s->max));
    }
    ask_whole(w);
    s->total = b_sum(w, TOTAL, s->e, s->n);
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
        part(w, s->key[j], m->keys);
        t[j] = weighted(w, m, s->e[j], s->key[j], c);
    }
    ask_whole(w);
    const struct ball *y = b_step(w, DIV, b_div(w, b_sum(w, mix_sum(m), t, s->n), s->total));
    free(t);
    return y;
}

/* Online softmax (Milakov and Gimelshein 2018), and its lazy form.  Numerators to o[len]; the total; the last reference
 * point. */
static const struct ball *online(struct ask *w, const struct mix *m, const struct soft *s, const struct ball **o,
    long len, const struct ball **point)
{
    const struct ball *max = NULL, *total = b_si(w, 0);
    for (long c = 0; c < len; c++)
        o[c] = b_si(w, 0);
    for (long j = 0; j < s->n; j += m->block) {
        const struct ball *top = s->s[j], *by = NULL,
                          *limit = max && m->route == LAZY ? b_add(w, max, b_si(w, m->slack)) : max;
        long end = j + m->block < s->n ? j + m->block : s->n;
        for (long l = j; l < end; l++)
            top = b_max(w, top, s->s[l]);
        if (max && b_cmp(top, limit) > 0)
            by = weight(w, m, max, top = b_max(w, top, max));
        else if (max)
            top = max;
        total = by ? b_step(w, RESCALE, b_mul(w, total, by)) : total;
        for (long c = 0; c < len && by; c++)
            o[c] = b_step(w, RESCALE, b_mul(w, o[c], by));
        for (long l = j; l < end; l++) {
            const struct ball *e = weight(w, m, s->s[l], top);
            total = b_step(w, TOTAL, b_add(w, total, e));
            for (long c = 0; c < len; c++)
                o[c] = b_step(w, mix_sum(m), b_add(w, o[c], weighted(w, m, e, s->key[l], c)));
        }
        max = top;
    }
    *point = max;
    return total;
}

static const struct ball *finish_lse(
    struct ask *w, const struct mix *m, const struct ball *max, const struct ball *total)
{
    return b_add(w, base_2(w, m) ? b_step(w, LOG, b_mul(w, max, b_ln2(w))) : max, b_step(w, LOG, b_log(w, total)));
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

/* Are all weights of the line lost?  A kernel that knows by its total that a line sees no key ends it as such a line;
 * one that counts the keys divides by 0. */
static bool lost_all(const struct ask *w, const struct mix *m, const struct soft *s)
{
    return sited(w) && m->empty != EMPTY_NAN && mpfr_zero_p(s->total->mid) && s->total->rad.m == 0;
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
    const struct ball **p = first ? need((size_t)s->n + 1, sizeof *p) : NULL;
    if (blocks)
        s->total = online(w, m, s, o, o ? w->len : 0, &point);
    else
        soft_two_passes(w, m, s);
    const bool none = lost_all(w, m, s);
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
            join(w, &part, s->key[j], s->s[j]);
        find_top(&part);
        one_softmax(w, &inner, &part, o ? values + part.from / m->block * w->len : NULL, &score);
        join(w, &all, part.from / m->block, b_step(w, LOG, score));
    }
    find_top(&all);
    one_softmax(w, &outer, &all, o, lse);
    free(values), soft_free(&all);
}

static void empty(struct ask *w, const struct mix *m, const struct ball **o)
{
    struct mix flat = *m;
    struct soft s = soft_room(m->keys);
    for (long j = 0; m->empty == EMPTY_MEAN && j < m->keys - m->sinks; j++)
        join(w, &s, j, b_si(w, 0));
    flat.block = 0, flat.route = TWO_PASSES, flat.empty = EMPTY_NAN;
    if (s.n)
        one_softmax(w, &flat, &s, o, NULL);
    for (long c = 0; c < w->len && !s.n; c++)
        o[c] = m->empty == EMPTY_NAN ? b_nan(w) : b_si(w, 0);
    or_no_number(w, o, w->len);
    soft_free(&s);
}

void soft_forward(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, const struct ball **lse)
{
    if (m->route == SPLIT && w->arith->how != EXACT)
        split(w, m, s, o, lse);
    else
        one_softmax(w, m, s, o, lse);
}

void mix_output(struct ask *w, const struct mix *m, const struct ball **o)
{
    struct soft s = soft_gather(w, m);
    if (s.n)
        soft_forward(w, m, &s, o, NULL);
    else
        empty(w, m, o);
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
    if (s.n)
        soft_forward(w, m, &s, NULL, y);
    else
        y[0] = b_inf(w, -1), or_no_number(w, y, 1);
    soft_free(&s);
}

void mix_weights(struct ask *w, const struct mix *m, const struct ball **p)
{
    struct soft s = soft_gather(w, m);
    soft_two_passes(w, m, &s);
    const struct ball *none = b_si(w, 0);
    for (long j = 0; j < m->keys; j++)
        p[j] = none;
    const bool lost = s.n && lost_all(w, m, &s), zero = lost && m->empty == EMPTY_ZERO;
    for (long j = 0; j < s.n; j++)
        p[s.key[j]] = zero ? none : b_step_own(w, DIV, b_div(w, s.e[j], s.total));
    for (long j = 0; j < s.n && w->arith->divide_first; j++) /* Then they are an array, and stored as one. */
        p[s.key[j]] = b_step(w, WEIGHT, p[s.key[j]]);
    if (w->arith->divide_first && w->arith->how != EXACT)
        trace_word(w->trace, w->arith->divide_word, false);
    for (long j = 0; j < m->keys && !s.n && m->empty != EMPTY_ZERO; j++)
        p[j] = m->empty == EMPTY_NAN ? b_nan(w) : b_step(w, DIV, b_ratio(w, 1, m->keys - m->sinks));
    if (!s.n || lost)
        or_no_number(w, p, m->keys);
    soft_free(&s);
}
