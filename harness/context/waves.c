/* Frequencies and amplitude of the reference in MPFR: those of rope from its pages, those of sinusoid from its
 * formula. */
#include <stdio.h>
#include "context/waves.h"
#include "trial/trial.h"

static int by_page(struct waves *w, const char *params, char *err, size_t n)
{
    struct trial t;
    struct arith exact = { 0 };
    const struct ball *y[32768 + 1];
    if (trial_make(&t, &(struct trial_spec){ "rope", params, "freq", MER_F64, "", 1 }, err, n))
        return -1;
    struct ask ask = { .arith = &exact };
    ask_reset(&ask, WAVES_BITS);
    w->pairs = array_len(&t.out[0]);
    w->w = need((size_t)w->pairs, sizeof *w->w);
    line_of(&ask, (struct page_of){ t.row, "freq", t.text, t.in, 0 }, (long[MER_RANK]){ 0 }, w->pairs, y);
    for (long k = 0; k < w->pairs; k++) {
        mpfr_init2(w->w[k], WAVES_BITS);
        mpfr_set(w->w[k], y[k]->mid, MPFR_RNDN);
        if (!(b_radius(y[k]) <= 0x1p-330 * fabs(b_value(y[k]))))
            snprintf(err, n, "the page does not know frequency %ld to 2^-330", k), w->pairs = k + 1;
    }
    line_of(&ask, (struct page_of){ t.row, "amplitude", t.text, t.in, 0 }, (long[MER_RANK]){ 0 }, 1, y);
    mpfr_set(w->amplitude, y[0]->mid, MPFR_RNDN);
    if (!(b_radius(y[0]) <= 0x1p-330 * fabs(b_value(y[0]))))
        snprintf(err, n, "the page does not know the amplitude to 2^-330");
    ask_clear(&ask);
    trial_close(&t);
    return *err ? -1 : 0;
}

/* w_k = m (base/m)^(-2k/d), or with the exponent -k/max(d/2 - 1, 1). */
static int by_formula(struct waves *w, const char *params, char *err, size_t n)
{
    struct trial t;
    if (trial_make(&t, &(struct trial_spec){ "sinusoid", params, "p", MER_F32, "n=1", 1 }, err, n))
        return -1;
    long d = mer_int(&t.call, "dim"), last = d / 2 > 1 ? d / 2 - 1 : 1;
    mpfr_t base, first, e;
    mpq_t q;
    mpfr_inits2(WAVES_BITS, base, first, e, (mpfr_ptr)0);
    mpq_init(q);
    for (int i = 0; i < 2; i++) { /* values of the canonical text are p or p/q */
        char word[200];
        snprintf(word, sizeof word, "%s", mer_text(&t.call, i ? "min_timescale" : "base"));
        word[strcspn(word, " ")] = 0;
        mpq_set_str(q, word, 10);
        mpfr_set_q(i ? first : base, q, MPFR_RNDN);
    }
    mpfr_div(base, base, first, MPFR_RNDN);
    w->pairs = (d + mer_is(&t.call, "odd", "drop")) / 2;
    w->w = need((size_t)w->pairs, sizeof *w->w);
    for (long k = 0; k < w->pairs; k++) {
        int shifted = mer_is(&t.call, "spacing", "shifted");
        mpfr_init2(w->w[k], WAVES_BITS);
        mpfr_set_si(e, shifted ? -k : -2 * k, MPFR_RNDN);
        mpfr_div_si(e, e, shifted ? last : d, MPFR_RNDN);
        mpfr_pow(w->w[k], base, e, MPFR_RNDN);
        mpfr_mul(w->w[k], w->w[k], first, MPFR_RNDN);
    }
    mpfr_set_si(w->amplitude, 1, MPFR_RNDN);
    mpfr_clears(base, first, e, (mpfr_ptr)0);
    mpq_clear(q);
    trial_close(&t);
    return 0;
}

int waves_open(struct waves *w, const char *row, const char *params, char *err, size_t n)
{
    *w = (struct waves){ 0 };
    *err = 0;
    mpfr_init2(w->amplitude, WAVES_BITS);
    int rc = !strcmp(row, "rope") ? by_page(w, params, err, n) :
        !strcmp(row, "sinusoid")  ? by_formula(w, params, err, n) :
                                    (snprintf(err, n, "row '%.32s' has no angles", row), -1);
    if (rc)
        waves_close(w);
    return rc;
}

void waves_close(struct waves *w)
{
    for (long k = 0; k < w->pairs; k++)
        mpfr_clear(w->w[k]);
    free(w->w);
    mpfr_clear(w->amplitude);
}

void waves_at(const struct waves *w, int64_t p, long k, mpfr_t cos, mpfr_t sin)
{
    mpfr_t t;
    mpfr_init2(t, WAVES_BITS);
    mpfr_mul_si(t, w->w[k], p, MPFR_RNDN);
    mpfr_sin_cos(sin, cos, t, MPFR_RNDN);
    mpfr_mul(cos, cos, w->amplitude, MPFR_RNDN);
    mpfr_mul(sin, sin, w->amplitude, MPFR_RNDN);
    mpfr_clear(t);
}
