/* The parameters of Fourier position embeddings; see fourier.h. */
#include "rotary/fourier.h"
#include "row/shared.h"

/* How many frequencies are above 2 pi / trained: k < dim ln(trained / (2 pi)) / (2 ln base), which is no whole
 * number. */
static long above(const struct fope *p)
{
    mpfr_t x, y;
    mpfr_inits2(256, x, y, (mpfr_ptr)0);
    mpfr_const_pi(x, MPFR_RNDN), mpfr_mul_2ui(x, x, 1, MPFR_RNDN), mpfr_si_div(x, p->trained, x, MPFR_RNDN);
    /* mutant: rounding b5c9: in 256 bits the quotient is far enough from every whole number for either rounding. */
    mpfr_log(x, x, MPFR_RNDN), mpfr_set_q(y, p->base, MPFR_RNDN), mpfr_log(y, y, MPFR_RNDN);
    mpfr_mul_si(x, x, p->dim, MPFR_RNDN), mpfr_div(x, x, y, MPFR_RNDN), mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    mpfr_ceil(x, x);
    const long k = mpfr_sgn(x) <= 0 ? 0 : mpfr_cmp_si(x, p->dim / 2) > 0 ? p->dim / 2 : mpfr_get_si(x, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return k;
}
long fourier_kept(const struct fope *p)
{
    return p->keep ? p->keep : p->clip == UNCLIPPED ? p->dim / 2 : above(p);
}
bool fourier_floored(const struct fope *p) { return p->clip == TO_FLOOR && !p->keep; }
long fourier_inputs(const struct fope *p)
{
    return p->zeros == DROPPED && !fourier_floored(p) ? fourier_kept(p) : p->dim / 2;
}
long fourier_outputs(const struct fope *p) { return p->outputs ? p->outputs : fourier_inputs(p); }

long fourier_extent(const void *params, char axis)
{
    const struct fope *p = params;
    const long K = p->dim / 2;
    return axis == 'd' ? p->dim : axis == 'k' ? K : axis == 'i' ? fourier_inputs(p) : axis == 'o' ? fourier_outputs(p) :
                                                                                                    0;
}
const char *fourier_refuse(const void *params)
{
    const struct fope *p = params;
    return p->dim % 2                  ? "dim: must be even" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
        p->keep > p->dim / 2           ? "keep: more than dim/2 frequencies" :
        p->outputs > p->dim / 2        ? "outputs: more than dim/2 pairs" :
        !fourier_inputs(p)             ? "trained: no frequency turns once in so few tokens" :
                                         NULL;
}
const struct param fourier_params[] = {
    { .as = &param_rotary_width, .at = offsetof(struct fope, dim) },
    { .as = &param_base, .at = offsetof(struct fope, base) },
    { .as = &param_pairs, .at = offsetof(struct fope, layout) },
    { "trained", "512", "tokens of a training text: frequencies below 2 pi / trained are clipped", INT,
        offsetof(struct fope, trained), .least = 1, .most = 1L << 40 },
    { "clip", "zero", "what a low frequency becomes", ENUM, offsetof(struct fope, clip), .choices = "zero floor none" },
    { "keep", "0", "so many frequencies are kept, the others 0; 0 = by clip", INT, offsetof(struct fope, keep),
        .least = 0, .most = 1 << 20 },
    { "zeros", "dropped", "frequencies of 0 in the sums", ENUM, offsetof(struct fope, zeros),
        .choices = "dropped mixed" },
    { "outputs", "0", "pairs that have sums; 0 = as many as inputs", INT, offsetof(struct fope, outputs), .least = 0,
        .most = 1 << 20 },
    { "pad", "zero", "sin of a pair without a sum", ENUM, offsetof(struct fope, pad), .choices = "zero one" },
    { 0 },
};
