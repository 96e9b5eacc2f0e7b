/* Complex-order word embeddings.                                                       Wang et al., ICLR 2020, eq. 7
 *   f_j(pos)_k = r_jk exp(i (w_jk pos + theta_jk))   re = r cos(..), im = r sin(..)   three tables [word][dimension]
 *   pairing=conjugated    <f_a(m), f_b(n)> = sum_k f_a(m)_k conj f_b(n)_k: with one frequency for both words a function
 *                         of m - n
 *   pairing=unconjugated  no conj: a function of m + n
 * Gradients, with angle = w_jk pos + theta_jk and dre, dim those of re, im, summed over the positions where word j
 * stands (under the fault "overwritten" only the last one counts):
 *   damplitude = sum cos(..) dre + sin(..) dim      dtheta = r sum cos(..) dim - sin(..) dre
 *   dfrequency = r sum pos (cos(..) dim - sin(..) dre)
 * score is its real part, or its modulus (value=modulus).  imaginary=twice: the released Transformer's modulus has re_q
 * im_k twice in place of re_q im_k + im_q re_k. */
#include <stdlib.h>
#include "row/row.h"

struct complexorder { int pairing, value, imaginary; };
enum { CONJUGATED, UNCONJUGATED }; enum { REAL, MODULUS }; enum { BOTH, TWICE };
/* PHASE rounds w pos and its sum with theta; WAVE sin and cos; PRODUCT r times those; TERM the products of two words or
 * of a gradient, SUM their sum; ROOT the squares of the modulus, their sum and its root. */
enum { PHASE, WAVE, PRODUCT, TERM, SUM, ROOT };

struct complexorder_wave { const struct ball *re, *im; };
static struct complexorder_wave turned(struct ask *w, long word, long pos, long k) /* Its modulus is 1. */
{
    const struct ball *turn = b_step(w, PHASE, b_mul(w, b_in(w, "frequency", word, k, 0), b_si(w, pos)));
    const struct ball *angle = b_step(w, PHASE, b_add(w, turn, b_in(w, "theta", word, k, 0)));
    return (struct complexorder_wave){ b_step(w, WAVE, b_cos(w, angle)), b_step(w, WAVE, b_sin(w, angle)) };
}
static struct complexorder_wave encoded(struct ask *w, long word, long pos, long k)
{
    const struct ball *r = b_in(w, "amplitude", word, k, 0);
    struct complexorder_wave z = turned(w, word, pos, k);
    return (struct complexorder_wave){ b_step(w, PRODUCT, b_mul(w, r, z.re)), b_step(w, PRODUCT, b_mul(w, r, z.im)) };
}

/* Column k of the word at i; a word outside the tables has no numbers there, and both parts are NaN. */
static struct complexorder_wave at(struct ask *w, const char *words, const char *positions, long i, long k)
{
    return encoded(w, i_in(w, words, i, 0), i_in(w, positions, i, 0), k);
}
static void real(struct ask *w, const struct ball **y) /* y[d] */
{
    for (long k = 0; k < w->len; k++)
        y[k] = at(w, "word", "pos", w->at[0], k).re;
}
static void imaginary(struct ask *w, const struct ball **y) /* y[d] */
{
    for (long k = 0; k < w->len; k++)
        y[k] = at(w, "word", "pos", w->at[0], k).im;
}

static const struct ball *term(struct ask *w, struct source at, const struct ball *x, const struct ball *y)
{
    return b_step(w, TERM, site_two(w, at, SITE_MUL, b_mul, x, y));
}

enum { AMPLITUDE, THETA, FREQUENCY };
static void gradient(struct ask *w, int of, const struct ball **y) /* The line y[d] belongs to word at[0]. */
{
    const long n = array_in(w, "word")->dim[0], word = w->at[0];
    const struct ball **t = need(2 * (size_t)n + 1, sizeof *t);
    for (long k = 0; k < w->len; k++) {
        long terms = 0;
        for (long i = 0; i < n; i++) {
            if (b_true(w, i_in(w, "word", i, 0) != word))
                continue;
            terms = w->arith->fault == FAULT_OVERWRITTEN ? 0 : terms;
            struct complexorder_wave z =
                of == AMPLITUDE ? turned(w, word, i_in(w, "pos", i, 0), k) : encoded(w, word, i_in(w, "pos", i, 0), k);
            const struct ball *re = b_in(w, "dre", i, k, 0), *im = b_in(w, "dim", i, k, 0),
                              *pos = b_si(w, i_in(w, "pos", i, 0));
            re = b_true(w, of == AMPLITUDE) ? term(w, HERE, z.re, re) : b_neg(w, term(w, HERE, z.im, re)),
            im = term(w, HERE, b_true(w, of == AMPLITUDE) ? z.im : z.re, im);
            t[terms++] = b_true(w, of == FREQUENCY) ? term(w, HERE, re, pos) : re,
            t[terms++] = b_true(w, of == FREQUENCY) ? term(w, HERE, im, pos) : im;
        }
        y[k] = b_sum(w, SUM, t, terms);
    }
    free(t);
}
static void amplitude_grad(struct ask *w, const struct ball **y) { gradient(w, AMPLITUDE, y); }
static void theta_grad(struct ask *w, const struct ball **y) { gradient(w, THETA, y); }
static void frequency_grad(struct ask *w, const struct ball **y) { gradient(w, FREQUENCY, y); }

static void score(struct ask *w, const struct ball **y)
{
    const struct complexorder *p = w->params;
    long d = array_in(w, "amplitude")->dim[1];
    bool conj = p->pairing == CONJUGATED;
    const struct ball **re = need(4 * (size_t)d + 1, sizeof *re), **im = re + 2 * d;
    for (long k = 0; k < d; k++) {
        struct complexorder_wave a = at(w, "word", "pos", w->at[0], k), b = at(w, "key", "key_pos", w->at[1], k);
        const struct ball *cross = term(w, HERE, a.re, b.im), *square = term(w, HERE, a.im, b.im),
                          *other = b_true(w, p->imaginary == TWICE) ? cross : term(w, HERE, a.im, b.re);
        re[2 * k] = term(w, HERE, a.re, b.re), re[2 * k + 1] = b_true(w, conj) ? square : b_neg(w, square);
        im[2 * k] = b_true(w, conj) ? b_neg(w, cross) : cross, im[2 * k + 1] = other;
    }
    y[0] = b_sum(w, SUM, re, 2 * d);
    if (b_true(w, p->value == MODULUS) && mpfr_number_p(y[0]->mid)) {
        const struct ball *i = b_sum(w, SUM, im, 2 * d),
                          *squares = b_add(w, b_step(w, ROOT, b_mul(w, y[0], y[0])), b_step(w, ROOT, b_mul(w, i, i)));
        y[0] = b_step(w, ROOT, b_sqrt(w, b_step(w, ROOT, squares)));
    }
    free(re);
}

static const struct param params[] = {
    { "pairing", "conjugated", "of two words", ENUM, offsetof(struct complexorder, pairing),
        .choices = "conjugated unconjugated" },
    { "value", "real", "score is the real part, or the modulus", ENUM, offsetof(struct complexorder, value),
        .choices = "real modulus" },
    { "imaginary", "both", "terms of the imaginary part", ENUM, offsetof(struct complexorder, imaginary),
        .choices = "both twice" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1912.12333" },
    { "seed", "", "001_46dc594335e7cb0b.txt: the list of d numbers, the same" },
    { "modulus", "value=modulus", "of the conjugated product: as blind to a common rotation" },
    { "unconjugated", "pairing=unconjugated", "the product of the released Transformer, its real part" },
    { "code:iclr-complex-order/complex-order", "pairing=unconjugated value=modulus imaginary=twice",
        "complex_mem_transformer.py, one of its two terms" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32", "phase=f32 wave=f32:2 product=f32 term=f32 sum=f32 root=f32", "every operation in float32" }, { 0 },
};
const struct row row_complexorder = {
    .name = "complexorder", .title = "complex-order word embeddings", .cite = "Wang et al. 2020",
    .steps = { "phase wave product term sum root" },
    .declares = params, .size = sizeof(struct complexorder), .presets = presets, .contracts = contracts,
    .sizes = "v=4",
    .q = { { "int word[n]<v int pos[n] amplitude[v,d] frequency[v,d] theta[v,d] -> re[n|d]", real },
           { "int word[n]<v int pos[n] amplitude[v,d] frequency[v,d] theta[v,d] -> im[n|d]", imaginary },
           { "int word[n]<v int pos[n] int key[m]<v int key_pos[m] amplitude[v,d] frequency[v,d] theta[v,d] -> "
               "score[n,m|]", score },
           { "int word[n]<v int pos[n] frequency[v,d] theta[v,d] dre[n,d] dim[n,d] -> damplitude[v|d]",
               amplitude_grad },
           { "int word[n]<v int pos[n] amplitude[v,d] frequency[v,d] theta[v,d] dre[n,d] dim[n,d] -> dfrequency[v|d]",
               frequency_grad },
           { "int word[n]<v int pos[n] amplitude[v,d] frequency[v,d] theta[v,d] dre[n,d] dim[n,d] -> dtheta[v|d]",
               theta_grad } },
};
