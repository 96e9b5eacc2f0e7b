/* Operations over terms; see terms.h. */
#include "edit/terms.h"
#include "ball/ball.h"
#include "edit/site_parts.h"

static const struct ball *extreme(struct ask *w, bool largest, const struct ball *const *t, long n)
{
    const struct ball *y = t[0];
    for (long k = 1; k < n; k++)
        y = largest ? b_max(w, y, t[k]) : b_min(w, y, t[k]);
    return y;
}
static const struct ball *total(struct ask *w, const struct ball *const *t, long n)
{
    const struct ball *y = t[0];
    for (long k = 1; k < n; k++)
        y = b_add(w, y, t[k]);
    return y;
}
const struct ball *terms_by(struct ask *w, int op, const struct ball *const *t, long n)
{
    switch (op) {
    case LARGEST: return extreme(w, true, t, n);
    case LEAST: return extreme(w, false, t, n);
    case TOTAL: return total(w, t, n);
    case MEAN: return b_div(w, total(w, t, n), b_si(w, n));
    case LEFT: return t[0];
    case RIGHT: return t[n - 1];
    default: return NULL;
    }
}
