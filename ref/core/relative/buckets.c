/* Logarithmic buckets of distances; see buckets.h. */
#include "relative/buckets.h"
#include <string.h>
#include "edit/site.h"
#include "edit/site_parts.h"

/* Is an edited number one that buckets are counted with? */
static bool is_count(long x) { return x >= 0 && x <= 1L << 40; }
struct bucket bucket_counted(const struct ask *w, struct bucket b)
{
    const struct bucket was = b;
    b.x.n = counted(w, b.x.n);
    b.x.exact = counted(w, b.x.exact);
    b.x.far = counted(w, b.x.far);
    b.x.steps = counted(w, b.x.steps);
    b.most = counted(w, b.most);
    b.first = counted(w, b.first);
    return b.x.n >= 0 && b.x.exact > 0 && b.x.exact < b.x.far && is_count(b.x.steps) && b.most >= 0 ? b : was;
}

/* Is the distance its own bucket?  Rounded up, the first of the others is that behind `exact`. */
static bool own_bucket(const struct bucket *b) { return b->x.n < b->x.exact + (b->how == BUCKET_UP); }

/* The number of buckets beyond `exact`, rounded as b->how says. */
static long steps_beyond(const struct bucket *b)
{
    return b->how == BUCKET_UP   ? log_index_ceil(&b->x) :
        b->how == BUCKET_NEAREST ? log_index_nearest(&b->x, b->most) :
                                   log_index_floor(&b->x, b->most);
}

long bucket_number(const struct bucket *b)
{
    return b->first + (own_bucket(b) ? b->x.n : b->x.exact + steps_beyond(b));
}

static const struct ball *logarithm(struct ask *w, struct bucket_steps s, int ratio, long n, long over)
{
    const struct ball *x = b_ratio(w, n, over);
    return b_step(w, s.log, b_log(w, ratio < 0 ? x : b_step(w, ratio, x)));
}
/* Does the edit change a number of this page of logarithms? */
static bool logarithms_edited(const struct ask *w, struct bucket_steps s)
{
    const struct edit *e = &w->arith->edit;
    const char *here = site_file(__FILE__);
    if (!sited(w))
        return e->step && (edited(w, s.ratio) || edited(w, s.log) || edited(w, s.quotient) || edited(w, s.span));
    return kind_computed(e->kind) && strlen(here) == e->file_len && !strncmp(here, e->file, e->file_len);
}
static const struct ball *ball_beyond(struct ask *w, const struct bucket *b, struct bucket_steps s)
{
    const struct log_index *l = &b->x;
    const struct ball *x = logarithm(w, s, s.ratio, l->n, l->exact);
    x = b_step(w, s.quotient, b_div(w, x, logarithm(w, s, s.far, l->far, l->exact)));
    x = b_step(w, s.span, b_mul(w, x, b_si(w, l->steps)));
    x = b->how == BUCKET_NEAREST ? b_add(w, x, b_ratio(w, 1, 2)) : x;
    const bool rounds = b_rounds(w, s.ratio, s.ratio) || b_rounds(w, s.log, s.log) ||
        b_rounds(w, s.quotient, s.quotient) || b_rounds(w, s.span, s.span);
    const long near = mpfr_get_si(x->mid, MPFR_RNDN);
    /* mutant: argument 8a31: whether the order of two balls is open is the same in either order. */
    if (!rounds && b_cmp(x, b_si(w, near)) == 2) /* The integers know nothing of an edit. */
        return b_si(w, logarithms_edited(w, s) ? near : steps_beyond(b));
    /* Code converts to an integer, which is the one below except of negative numbers. */
    const bool up = b->how == BUCKET_UP || (logarithms_edited(w, s) && b_cmp(x, b_si(w, 0)) == -1);
    return up ? b_ceil(w, x) : b_floor(w, x);
}
const struct ball *bucket_ball(struct ask *w, const struct bucket *b, struct bucket_steps s)
{
    const struct ball *in = own_bucket(b) ? b_si(w, b->x.n) : b_add(w, b_si(w, b->x.exact), ball_beyond(w, b, s));
    in = own_bucket(b) || b->how == BUCKET_UP ? in : b_min(w, in, b_si(w, b->x.exact + b->most));
    return b_add(w, b_si(w, b->first), in);
}

long bucket_read(const struct ask *w, const struct bucket *b, struct bucket_steps s)
{
    const bool edit = logarithms_edited(w, s);
    if (!edit && !w->sites)
        return bucket_number(b);
    /* An index has no balls of its own; these are of the line that asks for it, and go with it. */
    const struct ball *x = bucket_ball((struct ask *)(uintptr_t)w, b, s);
    return edit && mpfr_number_p(x->mid) ? mpfr_get_si(x->mid, MPFR_RNDN) : bucket_number(b);
}
