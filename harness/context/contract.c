/* Opens a contract (what the page says of frequencies) and computes single elements, which MPFR decides; see
 * contract.h. */
#include <math.h>
#include <stdio.h>
#include "context/contract.h"
#include "rotary/rotary.h"

enum { WIDE = 224 };
static const struct format wide = { "wide", WIDE, -1022, 1023 };

static const struct rounding *step_named(const struct row *r, struct arith *a, const char *name)
{
    size_t len;
    const char *s;
    for (int k = 0; (s = row_step(r, k, &len)); k++)
        if (strlen(name) == len && !strncmp(s, name, len))
            return &a->at[k];
    return NULL;
}
static const struct format *format_of(const struct row *r, struct arith *a, const char *name)
{
    const struct rounding *s = step_named(r, a, name);
    return s ? s->f : NULL;
}

static bool finite_exact(const struct ball *b) { return b->rad.m == 0 && mpfr_number_p(b->mid); }

/* The frequencies of rope: its quantity freq, rounded and exact. */
static int read_freq(struct contract *c, const void *params, struct arith *a, char *err, size_t n)
{
    static const struct arith none = { 0 };
    const struct quantity *q = row_quantity(c->row, "freq");
    struct mer_call call = { .row = c->row->name };
    struct ask w = { .params = params, .call = &call, .arith = a, .len = c->pairs };
    const struct ball **y = need((size_t)c->pairs, sizeof *y);
    int rc = 0;
    for (int exact = 0; exact < 2 && !rc; exact++) {
        w.arith = exact ? &none : a;
        if (line_eval(&w, q, exact ? &wide : &formats[0], y) != YES)
            rc = (snprintf(err, n, "no frequencies: a step of this contract overflows, and what follows is undefined"),
                -1);
        for (long k = 0; k < c->pairs && !rc; k++) {
            if (exact)
                mpfr_set(c->exact[k], y[k]->mid, MPFR_RNDN);
            else if (!finite_exact(y[k]))
                rc = (snprintf(err, n, "the frequency of pair %ld is not a finite number in this arithmetic", k), -1);
            else
                c->freq[k] = mpfr_get_d(y[k]->mid, MPFR_RNDN);
        }
    }
    ask_clear(&w);
    free(y);
    return rc;
}

/* sinusoid has no quantity of frequencies: they are the angles at position 1, atan2(sin, cos), with no rounding
 * behind the angle.  As w <= 1 < pi (min_timescale is 1), an angle is never folded. */
static int read_angles(struct contract *c, const char *text, struct arith *a, char *err, size_t n)
{
    static struct arith none = { 0 };
    static const char *const behind[] = { "phase", "table", "store" };
    struct mer_call t = { .params = text };
    int64_t one = 1;
    char plain[TEXT_MAX];
    struct mer_array pos = { "pos", MER_I64, 1, { 1 }, &one };
    snprintf(plain, sizeof plain, "%.8100s origin=0%s", text, *mer_text(&t, "padding") ? " padding=-1" : "");
    if (*mer_text(&t, "min_timescale") && !mer_is(&t, "min_timescale", "1"))
        return snprintf(err, n, "min_timescale: only 1 is evaluated natively"), -1;
    if (mer_int(&t, "dim") % 2)
        return snprintf(err, n, "dim: odd widths are not evaluated natively"), -1;
    long width = 2 * c->pairs, half = mer_is(&t, "layout", "concat") ? c->pairs : 0;
    struct arith only = *a;
    void *params = need(1, c->row->size);
    for (int k = 0; k < 3; k++) {
        struct rounding *r = (struct rounding *)step_named(c->row, &only, behind[k]);
        if (r)
            *r = (struct rounding){ 0 };
    }
    int rc = params_read(row_params(c->row), params, plain, err, n);
    struct mer_call call = { .row = c->row->name, .params = plain, .n_in = 1, .in = &pos };
    struct ask w = { .params = params, .call = &call, .len = width };
    const struct ball **y = need((size_t)width, sizeof *y);
    mpfr_t f;
    mpfr_init2(f, WIDE);
    for (int exact = 0; exact < 2 && !rc; exact++) {
        w.arith = exact ? &none : &only;
        if (line_eval(&w, row_quantity(c->row, "p"), &wide, y) != YES && !rc)
            rc = (snprintf(err, n, "frequencies undecided at 4096 bits"), -1);
        for (long k = 0; k < c->pairs && !rc; k++) {
            const struct ball *s = half ? y[k] : y[2 * k], *cs = half ? y[half + k] : y[2 * k + 1];
            mpfr_atan2(f, s->mid, cs->mid, MPFR_RNDN);
            if (exact)
                mpfr_set(c->exact[k], f, MPFR_RNDN);
            else
                c->freq[k] = mpfr_get_d(f, MPFR_RNDN);
        }
    }
    mpfr_clear(f);
    ask_clear(&w);
    params_clear(row_params(c->row), params);
    free(params), free(y);
    return rc;
}

/* The weights near and far of the law at pair k, x -> near x + far (x / factor), read from the page under factors so
 * small or so large that one term is left: with 2^-100 the value at x = 1 is 2^100 far to the last bit, with 2^100
 * it is near (what remains below 2^-50 comes from far). */
static void read_weights(struct contract *c, struct ask *w, struct rotary *p, long k)
{
    mpq_t factor;
    double y[2] = { 0, 0 };
    mpq_init(factor);
    mpq_set(factor, p->factor);
    for (int far = 0; far < 2; far++) {
        mpq_set_ui(p->factor, 1, 1);
        far ? mpq_div_2exp(p->factor, p->factor, 100) : mpq_mul_2exp(p->factor, p->factor, 100);
        for (mpfr_prec_t prec = 128; prec <= 4096; prec *= 2) {
            ask_reset(w, prec);
            y[far] = b_value(frequency_scale(w, p, k, b_si(w, 1)));
            if (!w->undecided)
                break;
        }
    }
    mpq_set(p->factor, factor);
    mpq_set(c->law[k].divisor, factor);
    mpq_clear(factor);
    c->law[k].near = y[0] < 0x1p-50 ? 0 : y[0];
    c->law[k].far = y[1] < 0x1p50 ? 0 : y[1] * 0x1p-100;
    c->law[k].divides = c->law[k].far != 0;
    c->law[k].blends = true;
}

static int read_law(struct contract *c, struct rotary *p, struct arith *a, char *err, size_t n)
{
    struct mer_call call = { .row = c->row->name };
    struct ask w = { .params = p, .call = &call, .arith = a, .len = 1 };
    const struct format *f = format_of(c->row, a, "freq");
    if (p->scaling != DEFAULT && (!f || f != c->phase || f->p > 24 || !mpz_sgn(mpq_numref(p->factor))))
        return snprintf(err, n, "iterated angles: freq and phase must share one of f32, f16, bf16"), -1;
    for (mpfr_prec_t prec = 128; prec <= 4096; prec *= 2) {
        ask_reset(&w, prec);
        c->ratio = b_value(frequency_ratio(&w, p, -2));
        if (!w.undecided)
            break;
    }
    for (long k = 0; k < c->pairs; k++) {
        mpq_init(c->law[k].divisor);
        mpq_set_ui(c->law[k].divisor, 1, 1);
        c->law[k].near = 1, c->law[k].far = 0;
        if (p->scaling == LINEAR || p->scaling == LONGROPE) {
            const struct list *ext = p->length > p->trained ? &p->long_factor : &p->short_factor;
            mpq_set(c->law[k].divisor, p->scaling == LINEAR ? p->factor : ext->v[k]);
            c->law[k].near = 0, c->law[k].far = 1, c->law[k].divides = true;
        } else if (p->scaling == YARN || p->scaling == LLAMA3)
            read_weights(c, &w, p, k);
    }
    ask_clear(&w);
    return 0;
}

static int fits_24(const struct contract *c)
{
    for (long k = 0; k < c->pairs; k++)
        if ((double)(float)c->freq[k] != c->freq[k])
            return 0;
    return 1;
}

/* The loops of cosine.c end a format in infinities. */
static int read_formats(struct contract *c, struct arith *a, char *err, size_t n)
{
    static const char *const rounds[] = { "position", "freq", "phase", "table" };
    const struct format *f[4];
    for (int k = 0; k < 4; k++) {
        f[k] = format_of(c->row, a, rounds[k]);
        if (!f[k] && k > 0)
            return snprintf(err, n, "contract: freq, phase and table must each be rounded"), -1;
        if (f[k] && f[k]->saturates)
            return snprintf(err, n, "contract: %s=%s ends in its largest number, and tables are searched in "
                "formats that end in infinities; declare one, such as f16", rounds[k], f[k]->name), -1;
    }
    c->position = f[0], c->phase = f[2], c->table = f[3];
    return 0;
}

int contract_open(struct contract *c, const char *row, const char *params, const char *text, char *err, size_t n)
{
    struct arith a;
    char all[TEXT_MAX + 1024], canonical[TEXT_MAX];
    *c = (struct contract){ .row = row_named(row), .padding = -1 };
    bool rope = !strcmp(row, "rope");
    if (!c->row || (!rope && strcmp(row, "sinusoid")))
        return snprintf(err, n, "row %s has no table over positions", row), -1;
    for (const struct preset *p = c->row->contracts; p->name; p++)
        if (!strcmp(p->name, text))
            text = p->text;
    if (snprintf(all, sizeof all, "%s %s", params, text) >= (int)sizeof all)
        return snprintf(err, n, "parameters too long"), -1;
    if (row_knows(c->row, all, err, n) || arith_read(&a, c->row, text, ROUND, err, n) < 0)
        return -1;
    void *p = need(1, c->row->size);
    const char *bad = NULL;
    int rc = params_read(row_params(c->row), p, all, err, n);
    params_write(row_params(c->row), p, canonical, sizeof canonical);
    struct mer_call t = { .params = canonical };
    if (!rc && c->row->refuse && (bad = c->row->refuse(p)))
        rc = (snprintf(err, n, "%s", bad), -1);
    if (!rc)
        rc = read_formats(c, &a, err, n);
    if (!rc) {
        c->pairs = rope ? c->row->extent(p, 'k') : c->row->extent(p, 'd') / 2;
        c->origin = mer_int(&t, "origin");
        c->padding = *mer_text(&t, "padding") && mer_int(&t, "padding") >= 0 ? mer_int(&t, "padding") - c->origin : -1;
        c->freq = need((size_t)c->pairs, sizeof *c->freq);
        c->exact = need((size_t)c->pairs, sizeof *c->exact);
        for (long k = 0; k < c->pairs; k++)
            mpfr_init2(c->exact[k], WIDE);
        if (rope)
            rc = read_freq(c, p, &a, err, n);
        else
            rc = read_angles(c, canonical, &a, err, n);
        if (!rc && rope && ((struct rotary *)p)->route == ITERATED) {
            c->iterated = true;
            c->law = need((size_t)c->pairs, sizeof *c->law);
            rc = read_law(c, p, &a, err, n);
        }
        if (!rc && c->phase->p < 53 && !fits_24(c))
            rc = (snprintf(err, n, "contract: a phase narrower than f64 needs frequencies of 24 bits"), -1);
    }
    params_clear(row_params(c->row), p);
    free(p);
    if (rc)
        contract_close(c);
    return rc;
}

void contract_close(struct contract *c)
{
    for (long k = 0; k < c->pairs && c->exact; k++)
        mpfr_clear(c->exact[k]);
    for (long k = 0; k < c->pairs && c->law; k++)
        if (mpq_denref(c->law[k].divisor)->_mp_d)
            mpq_clear(c->law[k].divisor);
    free(c->freq), free(c->exact), free(c->law);
    *c = (struct contract){ 0 };
}

double contract_position(const struct contract *c, int64_t pos)
{
    double x = (double)(pos + c->origin);
    return c->position ? wave_round(x, c->position) : x;
}

/* x / q rounded to the format.  The quotient in double errs by at most 2^-52 (q's own rounding and the division);
 * where a change of 2^-51 does not change the rounding, it is decided, else MPFR decides. */
static double divide(double x, mpq_srcptr q, const struct format *f)
{
    double y = x / mpq_get_d(q), d = y * 0x1p-51, lo = wave_round(y - d, f), hi = wave_round(y + d, f);
    if (lo == hi || !isfinite(y))
        return lo;
    mpfr_t z;
    mpfr_init2(z, 256);
    mpfr_set_d(z, x, MPFR_RNDN);
    mpfr_div_q(z, z, q, MPFR_RNDN);
    round_to(z, f);
    y = mpfr_get_d(z, MPFR_RNDN);
    mpfr_clear(z);
    return y;
}

/* Sums and products of two floats that are rounded first to double and then to float are as if rounded once, since
 * 53 >= 2 * 24 + 2. */
double contract_scaled(const struct contract *c, long k, double x)
{
    const struct multiplier *m = &c->law[k];
    const struct format *f = c->phase;
    double far = m->divides ? divide(x, m->divisor, f) : 0;
    if (m->blends)
        far = wave_round(wave_round(far * m->far, f) + wave_round(x * m->near, f), f);
    return m->blends || m->divides ? far : wave_round(x, f);
}

void contract_scaled_wave(const struct contract *c, long k, const double *x, double *y)
{
    const struct multiplier *m = &c->law[k];
    const struct wave *v = wave_here();
    double far[WAVE], near[WAVE];
    if (!m->divides && m->blends)
        memset(y, 0, WAVE * sizeof *y);
    else if (!m->divides)
        v->scale(x, 1, c->phase, y);
    else {
        const double q = mpq_get_d(m->divisor); /* as in divide: the quotient errs by at most 2^-52 */
        for (int i = 0; i < WAVE; i++)
            y[i] = x[i] / q;
        if (v->round(y, c->phase))
            for (int i = 0; i < WAVE; i++)
                y[i] = isnan(y[i]) ? divide(x[i], m->divisor, c->phase) : y[i];
    }
    if (!m->blends)
        return;
    v->scale(y, m->far, c->phase, far);
    v->scale(x, m->near, c->phase, near);
    for (int i = 0; i < WAVE; i++)
        near[i] = far[i] + near[i];
    v->scale(near, 1, c->phase, y);
}

double contract_angle(const struct contract *c, int64_t pos, long k)
{
    double x = contract_position(c, pos);
    if (mpfr_zero_p(c->exact[k]))
        return 0;
    if (!c->iterated)
        return wave_round(x * c->freq[k], c->phase);
    for (long j = 0; j < k; j++)
        x = wave_round(x * c->ratio, c->phase);
    return contract_scaled(c, k, x);
}

double contract_wave(const struct contract *c, double angle, bool is_sin)
{
    if (!isfinite(angle))
        return (double)NAN;
    if (angle == 0)
        return is_sin ? 0 : 1;
    mpfr_t lo, hi;
    double y;
    mpfr_init2(lo, 53), mpfr_init2(hi, 53);
    /* cos and sin of a nonzero algebraic number are transcendental (Lindemann), so never on a boundary of rounding:
     * this loop ends */
    for (mpfr_prec_t prec = 160;; prec *= 2) {
        mpfr_set_prec(lo, prec), mpfr_set_prec(hi, prec);
        mpfr_set_d(hi, angle, MPFR_RNDN);
        is_sin ? mpfr_sin(lo, hi, MPFR_RNDD) : mpfr_cos(lo, hi, MPFR_RNDD);
        mpfr_set(hi, lo, MPFR_RNDN);
        mpfr_nextabove(hi);
        round_to(lo, c->table), round_to(hi, c->table);
        y = mpfr_get_d(lo, MPFR_RNDN);
        if (mpfr_equal_p(lo, hi))
            break;
    }
    mpfr_clear(lo), mpfr_clear(hi);
    return y;
}

double contract_value(const struct contract *c, int64_t pos, long k, bool is_sin)
{
    return contract_wave(c, contract_angle(c, pos, k), is_sin);
}

/* With |pos| < 2^30, w <= 1 and w's relative error of 2^-200 the angle errs by less than 2^-170. */
void contract_exact(const struct contract *c, int64_t pos, long k, bool is_sin, mpfr_t y)
{
    mpfr_t t;
    mpfr_init2(t, WIDE + 64);
    mpfr_mul_si(t, c->exact[k], pos + c->origin, MPFR_RNDN);
    is_sin ? mpfr_sin(y, t, MPFR_RNDN) : mpfr_cos(y, t, MPFR_RNDN);
    mpfr_clear(t);
}
