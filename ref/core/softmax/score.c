/* Scores, masks and values of a softmax mixing; see score.h. */
#include "softmax/score.h"
#include <stdlib.h>
#include "edit/tape.h"
#include "row/shared.h"
#include "softmax/plain.h"

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
    return ask_keep(w, mark, s);
}

const struct ball *mix_qk(struct ask *w, long h, long i, long j)
{
    const struct span q = span(w, "q", h, i);
    const struct span k = span(w, "k", h, j);
    return b_dot(w, PRODUCT, DOT, q, k, dim_in(w, "q", 2));
}
const struct ball *mix_v(struct ask *w, long h, long i, long j, long c) { (void)i; return b_in(w, "v", h, j, c); }
/* 1 / sqrt(d) as one power of d, which is how much code writes it (edit/form.h). */
enum { IN_ONE_POWER = __LINE__ };
static const struct ball *in_one_power(struct ask *w, const void *of)
{
    const long d = *(const long *)of;
    return b_pow(w, b_si(w, d), b_ratio(w, -1, 2));
}
static const struct other_form one_power = { in_one_power, __FILE__, IN_ONE_POWER, __LINE__ };
const struct ball *b_width(struct ask *w, int step, mpq_srcptr scale, long d)
{
    if (scale && b_true(w, mpq_sgn(scale) != 0))
        return b_held(w, step, b_q(w, scale));
    const struct ball *power = site_form(w, &one_power, &d);
    return b_held(w, step, power ? power : b_div(w, b_si(w, 1), b_inner(w, step, b_sqrt(w, b_si(w, d)))));
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
    return b_true(w, scale == SCALE_NONE) ? s : b_scaled(w, SCORE, s, mix_width(w));
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

const struct param tiles_params[] = {
    { "softmax", "two-passes", "which algorithm rounds: ref/core/softmax/mix.h", ROUTE, offsetof(struct tiles, route),
        .choices = "two-passes online" },
    { .as = &param_online_block, .at = offsetof(struct tiles, block) },
    { 0 },
};
struct mix mix_on(const struct ask *w, struct mix m, const struct tiles *t)
{
    m.route = w->arith->how == EXACT ? TWO_PASSES : t->route;
    m.block = m.route == TWO_PASSES || m.route == EXP2 ? 0 : t->block;
    return m;
}

bool mix_kept(const struct ask *w, long h, long i, long j)
{
    const struct mer_array *keep = mer_in(w->call, "keep");
    return b_true(w, !keep || (j < keep->dim[2] && array_get(keep, (h * keep->dim[1] + i) * keep->dim[2] + j) != 0));
}

const struct ball *b_ln2(struct ask *w) { return b_log(w, b_si(w, 2)); }
/* With |c - ln 2| <= r, c / ln 2 is off by r / ln 2, and ln 2 / c by r / (ln 2 - r), which is more. */
struct up ln2_error(const struct ask *w)
{
    const struct up ln2 = up_d(0.6931471805599453), r = b_rounding(w, LOG, up_d(0.6931471805599454)); /* below, above */
    return up_div(r, up_gap(ln2, r));
}
bool mix_base_2(const struct ask *w, const struct mix *m) { return m->route == EXP2 && w->arith->how == ROUND; }
static const struct ball *natural(struct ask *w, const struct mix *m, const struct ball *s)
{
    return m->route == EXP2 && !mix_base_2(w, m) ? b_mul(w, s, b_ln2(w)) : s;
}

/* What the mixing is asked of head, query and key: themselves, unless an edit asks at other indices (edit/site.h).
 * False: an edit asks nothing, and what is asked is 0. */
struct score_pair { long h, i, j; };
static bool pair_at(const struct ask *w, struct source at, long keys, struct score_pair *p)
{
    const struct mer_array *q = sited(w) ? mer_in(w->call, "q") : NULL;
    const long extent[] = { q && q->rank == 3 ? q->dim[0] : 1, q && q->rank == 3 ? q->dim[1] : 1, keys };
    long index[] = { p->h, p->i, p->j };
    const bool some = site_indices(w, at, 3, index, extent);
    *p = (struct score_pair){ index[0], index[1], index[2] };
    return some;
}
/* The index of p along the axis along which an edit sums up what is asked there, or of its key; first: where to
 * begin. */
static long *along(const struct ask *w, struct source at, struct score_pair *p, long *first)
{
    const int axis = site_index_summed(w, at);
    long *x = axis == 0 ? &p->h : axis == 1 ? &p->i : &p->j;
    *first = axis < 0 ? *x : 0;
    return x;
}
/* An array that says what is seen hides what it does not reach; one that says what is hidden shows it. */
static bool mix_visible(const struct ask *w, const struct mix *m, struct score_pair p)
{
    struct score_pair other = p;
    if (!pair_at(w, HERE_AS("what hides keys"), m->keys, &other))
        return true;
    const struct source at = HERE;
    if (!pair_at(w, at, m->keys, &p))
        return false;
    long first, *x = along(w, at, &p, &first), last = *x;
    bool sees = true;
    for (*x = first; sees && *x <= last; ++*x)
        sees = m->visible(w, p.h, p.i, p.j);
    return b_true(w, sees);
}
static const struct ball *mix_score(struct ask *w, const struct mix *m, struct score_pair p)
{
    return pair_at(w, HERE, m->keys, &p) ? m->score(w, p.h, p.i, p.j) : b_si(w, 0);
}
/* The score after its mask; NULL: the key is hidden, whose score is computed where an edit may need it elsewhere. */
static const struct ball *masked(struct ask *w, const struct mix *m, struct score_pair p)
{
    const bool sees = mix_visible(w, m, p);
    const struct ball *s = sees || tape_records(w) ? natural(w, m, mix_score(w, m, p)) : NULL;
    return sees ? s : site_mask(w, HERE);
}
/* That of key j.  An edit may take score and mask together at other indices, or summed up along one, as a kernel does
 * that has put -inf into its scores before. */
const struct ball *mix_masked(struct ask *w, const struct mix *m, long j)
{
    struct score_pair p = { w->at[0], w->at[1], j };
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
    struct score_pair p = { w->at[0], w->at[1], j };
    const bool some = pair_at(w, HERE, m->keys - m->sinks, &p);
    c = site_index(w, HERE, 3, c, w->len);
    return !some || c < 0 ? b_si(w, 0) :
        m->given          ? m->given[j * w->len + c] :
                            m->value(w, p.h, p.i, p.j, c);
}
