/* Operations over terms, done as the page does them or differently; see reduced.h. */
#include "edit/reduced.h"
#include "edit/site_parts.h"
#include "edit/tape.h"
#include "edit/terms.h"

const struct ball *site_reduced(
    struct ask *w, struct source at, enum site_kind kind, const struct ball *const *t, long n)
{
    const bool here = sited(w) && site_hit(w, at, kind);
    const struct ball *own = n ? terms_by(w, kind == SITE_LARGEST ? LARGEST : MEAN, t, n) : b_minus_inf(w);
    if (!here)
        return own;
    if (w->tape)
        return tape_turn(w, own);
    const struct ball *other = n ? terms_by(w, w->arith->edit.op, t, n) : NULL;
    return other ? other : site_value(w, w->arith->edit.op, own);
}
