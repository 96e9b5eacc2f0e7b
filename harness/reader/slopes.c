/* Slopes of a linear bias: differences of the bias between neighbouring keys far to the left, asked for 8 and for 12
 * heads (for a power of two the families of slopes are the same); the other side of the query for the form; and the
 * bias at the query's own key for the offset.  Bugs of cluster A7 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { SIDE = 7, HEADS = 12 };
/* the family "strided" is left out: it is "interleave" from head 1 on, with the same numbers in the same order */
static const char *const families[] = { "interleave", "geometric" };

static double exponent(int family, int h, int H) /* the exponent t_h of ref/alibi.c, with first = 1 */
{
    int down = 1, up = 1;
    while (2 * down <= H)
        down *= 2;
    while (up < H)
        up *= 2;
    if (family == 1 || up == H)
        return (h + 1.0) / H;
    return h < down ? (h + 1.0) / down : (2 * (h - down) + 1.0) / (2 * down);
}

/* of: the slope of each head; left, right: the differences on both sides; at_own: the bias at the query's own key;
 * beyond: how much further the key after the own one is than the key before. */
struct reader_slopes { double of[HEADS], left, right, at_own, beyond; };

static bool slopes_of(struct asking *a, int H, struct reader_slopes *s)
{
    struct trial t;
    char params[32], sizes[40];
    snprintf(params, sizeof params, "heads=%d", H), snprintf(sizes, sizeof sizes, "h=%d n=%d m=%d", H, SIDE, SIDE);
    if (!reader_make(a, &t, params, sizes))
        return false;
    const struct mer_array *b = reader_out(&t, "bias");
    bool ok = b && b->rank == 3 && b->dim[0] == H && reader_ask(a, &t);
    for (int h = 0; ok && h < H; h++)
        s->of[h] = fabs(array_get(b, (h * SIDE + SIDE - 1) * SIDE + 1) - array_get(b, (h * SIDE + SIDE - 1) * SIDE));
    /* of head 0: key 1 - key 0 of the last query; key 6 - key 5 of the first; the middle query at its own key */
    if (ok) {
        s->left = array_get(b, (SIDE - 1) * SIDE + 1) - array_get(b, (SIDE - 1) * SIDE),
        s->right = array_get(b, SIDE - 1) - array_get(b, SIDE - 2);
        s->at_own = array_get(b, SIDE / 2 * SIDE + SIDE / 2),
        s->beyond =
            fabs(array_get(b, SIDE / 2 * SIDE + SIDE / 2 + 1)) - fabs(array_get(b, SIDE / 2 * SIDE + SIDE / 2 - 1));
    }
    trial_close(&t);
    return ok;
}

static void read_slopes(struct asking *a, struct reader_facts *r)
{
    struct reader_slopes eight = { { 0 } }, twelve = { { 0 } };
    const double sharp = 16 * unit_of_type(a->type);
    if (!reader_wants(a, "bias") || !row_has(a->row, "family") || !slopes_of(a, 8, &eight) || !(eight.of[0] > 0))
        return;
    const char *found = NULL;
    double step = log2(eight.of[0] / eight.of[1]), B = 8 * step, first = -log2(eight.of[0]) / step;
    bool other = slopes_of(a, HEADS, &twelve);
    for (int f = 0; other && f < 2 && !found; f++) {
        bool all = true;
        for (int h = 0; h < HEADS; h++)
            all &= fabs(log2(twelve.of[h] / twelve.of[0]) + B * (exponent(f, h, HEADS) - exponent(f, 0, HEADS))) <=
                64 * sharp;
        found = all ? families[f] : NULL;
    }
    struct reader_fact *x = fact_add(r, "slopes");
    snprintf(x->value, sizeof x->value, "2^(-%.4g h/8), head 0 at h = %.3g; %s", B, first,
        found     ? (*found == 'i' ? "interleave, which is strided too" : found) :
            other ? "of no known family" :
                    "12 heads not answered");
    snprintf(x->evidence, sizeof x->evidence, "8 heads: %.6g %.6g .. %.6g; 12 heads: %.6g %.6g .. %.6g %.6g",
        eight.of[0], eight.of[1], eight.of[7], twelve.of[0], twelve.of[1], twelve.of[8], twelve.of[11]);
    x = fact_add(r, "form");
    bool plus = eight.left < 0, absolute = eight.left * eight.right < 0,
         key = !absolute && fabs(eight.at_own) > 0.5 * eight.of[0] * (SIDE / 2) - sharp &&
        fabs(eight.at_own / eight.left - SIDE / 2) < 0.1;
    double offset = key              ? 0 :
        absolute && eight.beyond > 0 ? eight.at_own / eight.left :
                                       0.0 - eight.at_own / eight.left;
    snprintf(x->value, sizeof x->value, "%s, far keys %s, own key at distance %.4g",
        absolute ? "|distance|" :
            key  ? "key index" :
                   "distance",
        plus ? "favoured" : "penalised", offset);
    snprintf(x->evidence, sizeof x->evidence,
        "head 0: key by key %.6g on the left, %.6g on the right; %.6g at the own key", eight.left, eight.right,
        eight.at_own);
    snprintf(x->params, sizeof x->params, "max=%.0f first=%.0f form=%s sign=%s offset=%.0f%s%s", B, first,
        absolute ? "absolute" :
            key  ? "key" :
                   "relative",
        plus ? "plus" : "minus", offset, found ? " family=" : "", found ? found : "");
}
const struct reader reader_slopes = { "slopes", "ALiBi family, form, sign and offset: differences of the bias", 1,
    read_slopes };
