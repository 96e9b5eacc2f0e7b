/* A table of sines.  At position 0 (less the origin) a column is 0 or 1, which tells sines from cosines; at position
 * 1 the asin of a sine is its frequency, and the columns that share one tell the layout; the last frequency tells
 * the spacing, and the first gap the origin.  Bugs of cluster A10 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { WIDTH = 1024, FAR = 4 };

static bool table(struct asking *a, struct trial *t) /* asks for the rows of positions -FAR .. FAR */
{
    if (!reader_make(a, t, "", "n=9"))
        return false;
    struct mer_array *p = reader_in(t, "pos");
    for (int i = 0; p && i < 2 * FAR + 1; i++)
        array_put(p, i, i - FAR);
    if (p && reader_ask(a, t))
        return true;
    trial_close(t);
    return false;
}

static void read_waves(struct asking *a, struct reader_facts *r)
{
    struct trial t;
    if (!reader_wants(a, "p") || !row_has(a->row, "spacing") || !row_has(a->row, "origin") || !table(a, &t))
        return;
    const struct mer_array *p = reader_out(&t, "p");
    long d = p->dim[1];
    int zero = -1; /* the row whose angles are all 0, so that every column is 0 or 1 */
    for (int i = 0; i < 2 * FAR + 1; i++) {
        bool flat = true, one = false;
        for (long c = 0; c < d; c++)
            flat &= array_get(p, i * d + c) == 0 || array_get(p, i * d + c) == 1, one |= array_get(p, i * d + c) == 1;
        zero = flat && one ? i : zero;
    }
    if (zero >= 0 && zero < 2 * FAR && d >= 4 && d <= WIDTH) {
        const long at = zero * d;
        double sign = 1, other = 0;
        for (long c = 0; c < d; c++)
            other += fabs(array_get(p, (zero + 1) * d + c));
        if (other == 0 && zero > 0) /* the row behind is padding: takes the other neighbour, where sines are negative */
            sign = -1;
        const long next = (zero + (int)sign) * d;
        bool first_is_sine = array_get(p, at) == 0, concat = array_get(p, at + 1) == array_get(p, at);
        long K = d / 2, origin = FAR - zero, second = concat ? 1 : 2, last = concat ? K - 1 : 2 * (K - 1);
        double w[3];
        for (int j = 0; j < 3; j++) {
            double y = array_get(p, next + (j == 0 ? 0 : j == 1 ? second : last));
            w[j] = first_is_sine ? asin(sign * y) : acos(y);
        }
        double paper = pow(w[1] / w[0], -(double)d / 2), shifted = pow(w[1] / w[0], -(double)(K - 1));
        bool is_shifted =
            fabs(w[2] * shifted / w[0] - 1) < fabs(w[2] * pow(paper, 2.0 * (double)(K - 1) / (double)d) / w[0] - 1) ||
            fabs(shifted - round(shifted)) < 1e-4 * shifted;
        is_shifted = is_shifted && !(fabs(paper / pow(10, round(log10(paper))) - 1) < 1e-3);
        struct reader_fact *x = fact_add(r, "layout");
        snprintf(x->value, sizeof x->value, "%s, %s first", concat ? "halves" : "interleaved",
            first_is_sine ? "sines" : "cosines");
        snprintf(x->evidence, sizeof x->evidence, "columns 0, 1, 2 of angle 0: %g %g %g", array_get(p, at),
            array_get(p, at + 1), array_get(p, at + 2));
        snprintf(x->params, sizeof x->params, "layout=%s origin=%ld spacing=%s", concat ? "concat" : "interleaved",
            origin, is_shifted ? "shifted" : "paper");
        x = fact_add(r, "frequencies");
        snprintf(x->value, sizeof x->value, "base %.6g by exponent -2k/d, or %.6g by -k/(d/2-1)", paper * 1, shifted);
        snprintf(x->evidence, sizeof x->evidence, "w_0 %.8g, w_1 %.8g, w_last %.8g at d = %ld", w[0], w[1], w[2], d);
        reader_hint(r, "base=%.5g", paper), reader_hint(r, "base=%.5g", shifted),
            reader_hint(r, "min_timescale=%.6g", w[0]);
        x = fact_add(r, "origin");
        snprintf(x->value, sizeof x->value, "position 0 is row %ld", origin);
        snprintf(x->evidence, sizeof x->evidence, "every angle is 0 at position %d", zero - FAR);
    }
    for (int i = 0; i < 2 * FAR + 1; i++) { /* finds the row of padding: all zero, cosines too */
        bool none = true;
        for (long c = 0; c < d; c++)
            none &= array_get(p, i * d + c) == 0;
        if (none) {
            struct reader_fact *x = fact_add(r, "padding row");
            snprintf(x->value, sizeof x->value, "position %d is all zero", i - FAR);
            snprintf(x->evidence, sizeof x->evidence, "sines and cosines");
            reader_hint(r, "padding=%d", zero >= 0 ? i - zero : i - FAR), reader_hint(r, "padding=%d", i - FAR);
        }
    }
    trial_close(&t);
}
const struct reader reader_waves = { "waves",
    "order, frequencies, origin and padding row of a sinusoidal table: positions around 0", 1, read_waves };
