/* Rotations. x = e_j for every channel j at one position: the channels of the answer that are not 0 are the pair,
 * its angle (atan2) is the phase, its length the amplitude.  Read at position 0 (where an offset shows), at 1, and
 * at 4^k, where each answer refines the frequency read before.  Tables (cos, sin) are read in the same way.  The
 * frequencies are then named: powers of one base, all divided by a factor, or divided from some pair on.  Bugs of
 * clusters A3, A4 and A5 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { PAIRS = 512, MAPS = 1024, FAR = 1024 }; /* FAR: the last position asked */
struct turns { long d, k; int partner[MAPS]; double w[PAIRS], amplitude, worst, at_zero; bool table; };

static bool ask_at(struct asking *a, struct trial *t, long d, double pos)
{
    char sizes[40];
    snprintf(sizes, sizeof sizes, "h=1 n=%ld", d);
    if (!reader_make(a, t, "", sizes))
        return false;
    struct mer_array *x = reader_in(t, "x"), *p = reader_in(t, "pos");
    for (long i = 0; x && i < d; i++)
        array_put(x, i * d + i, 1);
    reader_fill(p, pos);
    if (p && reader_ask(a, t))
        return true;
    trial_close(t);
    return false;
}

/* The phase of pair k in the answer, in (-pi, pi], and its amplitude. */
static double phase_of(struct turns *s, struct trial *t, long k, double *amplitude)
{
    const struct mer_array *y = reader_out(t, "y"), *c = reader_out(t, "cos"), *z = reader_out(t, "sin");
    double re, im;
    if (s->table)
        re = array_get(c, k), im = array_get(z, k);
    else {
        long j = 0, seen = 0;
        for (; j < s->d; j++)
            if (s->partner[j] > j && seen++ == k)
                break;
        re = array_get(y, j * s->d + j), im = array_get(y, j * s->d + s->partner[j]);
    }
    *amplitude = hypot(re, im);
    return atan2(im, re);
}

/* Finds the partner of each channel; -1: it is not rotated. false: they are no pairs. */
static bool map_of(struct turns *s, struct trial *t)
{
    const struct mer_array *y = reader_out(t, "y");
    for (long i = 0; i < s->d; i++) {
        s->partner[i] = -1;
        for (long j = 0; j < s->d; j++)
            if (j != i && array_get(y, i * s->d + j) != 0) {
                if (s->partner[i] >= 0)
                    return false;
                s->partner[i] = (int)j;
            }
    }
    for (long i = 0; i < s->d; i++) {
        if (s->partner[i] >= 0 && s->partner[s->partner[i]] != i)
            return false;
        s->k += s->partner[i] > i;
    }
    return true;
}

/* The most by which rounding cosine, sine and both components of the answer can rotate or stretch a unit vector. */
static double rounded(const struct asking *a) { return 4 * unit_of_type(a->type); }

static bool frequencies(struct asking *a, struct turns *s)
{
    struct trial t;
    double amplitude, sharp = rounded(a);
    for (double pos = 1; pos <= FAR; pos *= 4) {
        if (!ask_at(a, &t, s->table ? 1 : s->d, pos))
            return pos > 1;
        if (pos == 1 && !s->table && !map_of(s, &t))
            return trial_close(&t), false;
        if (s->table)
            s->k = reader_out(&t, "cos")->dim[1];
        for (long k = 0; k < s->k && k < PAIRS; k++) {
            double phi = phase_of(s, &t, k, &amplitude),
                   turns = pos == 1 ? 0 : round((s->w[k] * pos - phi) / 6.283185307179586);
            double better = (phi + 6.283185307179586 * turns) / pos;
            /* refines only as far as the subject's own arithmetic allows */
            if (pos == 1 || fabs(better - s->w[k]) <= 4 * sharp * fmax(1, fabs(s->w[k]) * pos) / (pos / 4))
                s->w[k] = better;
            s->amplitude = fmax(s->amplitude, amplitude);
        }
        trial_close(&t);
    }
    if (s->k > 0 && ask_at(a, &t, s->table ? 1 : s->d, 0)) { /* without a rotated pair there is nothing to read */
        s->at_zero = phase_of(s, &t, 0, &amplitude);
        trial_close(&t);
    }
    return s->k > 0;
}

/* whether the partners are as far apart as if all channels were rotated, while only the first pairs are */
static bool proportional(const struct turns *s)
{
    long first = 0;
    while (first < s->d && s->partner[first] < 0)
        first++;
    return !s->table && 2 * s->k < s->d && first < s->d && s->partner[first] - first == s->d / 2;
}

static void say_layout(struct asking *a, struct reader_facts *r, const struct turns *s)
{
    struct reader_fact *x = fact_add(r, "layout");
    long first = -1, span = 0;
    bool half = true, inter = true;
    for (long i = 0; i < s->d; i++)
        if (s->partner[i] > i) {
            first = first < 0 ? i : first, span = span ? span : s->partner[i] - i;
            half &= s->partner[i] - i == span, inter &= i % 2 == 0 && s->partner[i] == i + 1;
        }
    inter &= span == 1, half &= !inter || s->k == 1;
    snprintf(x->value, sizeof x->value,
        inter    ? "interleaved (2k, 2k+1)" :
            half ? "half (k, k+%ld)" :
                   "other pairs",
        span);
    snprintf(x->evidence, sizeof x->evidence, "e_%ld turns into e_%d too; %ld pairs", first, s->partner[first], s->k);
    long r_ = row_has(a->row, "rotary") ? 2 * s->k : 0;
    bool wide = half && !inter && proportional(s);
    if ((inter || half) && r_)
        snprintf(x->params, sizeof x->params, "layout=%s rotary=%ld partial=%s", inter ? "interleaved" : "half",
            r_ == s->d ? 0 : r_, wide ? "proportional" : "prefix");
    else if (inter || half)
        snprintf(x->params, sizeof x->params, "layout=%s", inter ? "interleaved" : "half");
    x = fact_add(r, "rotary width");
    snprintf(x->value, sizeof x->value,
        2 * s->k == s->d ? "all %ld channels" :
            wide         ? "%ld, proportional" :
                           "%ld, contiguous",
        2 * s->k);
    snprintf(x->evidence, sizeof x->evidence, "%ld of %ld channels pass through unchanged", s->d - 2 * s->k, s->d);
}

static void say_law(struct asking *a, struct reader_facts *r, const struct turns *s)
{
    struct reader_fact *x = fact_add(r, "frequency law");
    long K = s->k < PAIRS ? s->k : PAIRS, pairs = s->table ? K : proportional(s) ? s->d / 2 : s->k;
    while (K > 2 && s->w[K - 1] == 0) /* leaves out pairs that do not rotate (layout proportional) */
        K--;
    double exponent = 2.0 / (double)(2 * pairs), base = pow(fabs(s->w[1] / s->w[0]), -1 / exponent), worst = 0;
    double factor = 1 / s->w[0], last = s->w[0] * pow(base, -exponent * (double)(K - 1)) / s->w[K - 1];
    const double sharp = rounded(a) / FAR; /* how far a frequency may be off */
    /* the base follows from the ratio of the first two frequencies to the power of the width, so their errors grow
     * with k */
    for (long k = 1; k < K; k++) {
        const double blur = sharp * (1 / s->w[k] + (double)k / s->w[1] + (double)k / s->w[0]);
        worst = fmax(worst, fabs(s->w[k] * factor / pow(base, -exponent * (double)k) - 1) / fmax(blur, 1e-3));
    }
    bool one = worst <= 1;
    if (one && K > 2) /* more accurate from a middle pair, whose frequency is still read well */
        base = pow(fabs(s->w[K / 2] * factor), -1 / (exponent * (double)(K / 2)));
    snprintf(x->evidence, sizeof x->evidence, "w_0 %.8g, w_1 %.8g, w_%ld %.8g; amplitude %.8g", s->w[0], s->w[1], K - 1,
        s->w[K - 1], s->amplitude);
    if (one && fabs(factor - 1) < 1e-4)
        snprintf(x->value, sizeof x->value, "base %.6g", base),
            snprintf(x->params, sizeof x->params,
                row_has(a->row, "scaling") ? "scaling=default factor=1 base=%.6g" : "base=%.6g", base);
    else if (one)
        snprintf(x->value, sizeof x->value, "base %.6g, positions divided by %.6g", base, factor),
            snprintf(x->params, sizeof x->params, "scaling=linear factor=%.6g base=%.6g", factor, base);
    else {
        snprintf(x->value, sizeof x->value, "base %.6g at first, the last divided by %.6g", base, last);
        reader_hint(r, "factor=%.0f", last), reader_hint(r, "scaling=yarn"), reader_hint(r, "scaling=llama3"),
            reader_hint(r, "base=%.3g", base);
        snprintf(x->params, sizeof x->params, "base=%.3g factor=%.0f", base, last);
    }
    reader_hint(r, "base=%.6g", base), reader_hint(r, "base=%.0f", base);
    for (long L = 2048; L <= 262144; L *= 2)
        reader_hint(r, "trained=%ld", L);
    if (fabs(s->amplitude - 1) > fmax(rounded(a), 1e-3)) {
        x = fact_add(r, "amplitude");
        snprintf(x->value, sizeof x->value, "%.7g", s->amplitude);
        snprintf(x->evidence, sizeof x->evidence, "the length of a turned unit vector");
        reader_hint(r, "attention_factor=%.7g", s->amplitude);
    }
    if (fabs(s->at_zero) > fmax(rounded(a), 1e-3)) {
        x = fact_add(r, "position offset");
        snprintf(x->value, sizeof x->value, "%.4g", s->at_zero / s->w[0]);
        snprintf(x->evidence, sizeof x->evidence, "position 0 is turned by %.6g", s->at_zero);
    }
}

static void read_turns(struct asking *a, struct reader_facts *r)
{
    struct turns *s = need(1, sizeof *s);
    struct trial t;
    s->table = !reader_wants(a, "y") && reader_wants(a, "cos") && reader_wants(a, "sin");
    if (row_quantity(a->row, "angle") && (s->table || reader_wants(a, "y")) && reader_make(a, &t, "", "h=1 n=1")) {
        s->d = s->table ? 1 : reader_in(&t, "x")->dim[2];
        trial_close(&t);
        if (s->d <= MAPS && frequencies(a, s) && s->k > 1 && s->w[0] > 0 && s->w[1] > 0) {
            if (!s->table)
                say_layout(a, r, s);
            say_law(a, r, s);
        }
    }
    free(s);
}
const struct reader reader_turns = { "turns",
    "pairs, rotary width, frequencies, amplitude, offset: one unit vector a channel at one position", 1, read_turns };
