/* The encoder-decoder Transformer, shared by its pages and those of its gradients; ref/encdec.c says what each
 * parameter is.  Backward, for a seed dlogprob (S_i = sum_k dlogprob_ik):
 *   dlogits = dlogprob - exp(logprob) S      dhead = t^T dlogits      dt = dlogits head^T
 * then through the final norm and the decoder's blocks from the last to the first, each giving its weights, its input
 * and the memory; what all of them give the memory is summed, and goes through the encoder the same way.  Positions are
 * constants.  Under the fault "overwritten" the last gradient replaces the sum of those of the memory. */
#ifndef ENCDEC_H
#define ENCDEC_H
#include "row/row.h"

struct encdec {
    long encoders, decoders, heads, width, keys_a_step;
    mpq_t eps;
    int order, act, final, positions, depth, causal, cross_causal, residual, memory, route, moments, apply;
};
enum { FIRST, EVERY, NONE }; enum { WITH_PRE, ALWAYS, NEVER }; enum { LAST, EACH }; enum { POST, PRE };
/* PLACE rounds x + p; HEAD and READ the products and sums of the head; OFF both differences of logprob, ODDS its exp,
 * MASS its sum and LOGMASS the logarithm; JOIN the sum of the memory's gradients. */
enum { PLACE, HEAD, READ, OFF, ODDS, MASS, LOGMASS, JOIN };
extern const struct row row_encdec, row_block, row_layer, row_layernorm, row_rmsnorm, row_feedforward, row_attention,
    row_rope, row_sinusoid;

/* A part as its own row is asked for it; its inputs are borrowed. */
struct model_part { const struct row *row; struct mer_array in[28]; int n; char text[TEXT_MAX + 100]; };
/* Block b over all rows of x[n][c]; memory[m][c] makes it a decoder's, NULL an encoder's. */
struct model_part encdec_block(struct ask *w, long b, const struct ball **x, long n, const struct ball **memory);
/* The norm at the end of a stack: of the encoder (which = 0), of the decoder (1). */
struct model_part encdec_norm(struct ask *w, int which, const struct ball **x, long n);
bool encdec_normed(const struct encdec *p);
struct mer_array encdec_rows(const char *name, const struct ball **x, long n, long c);

/* The rows of src behind the first `blocks` blocks of the encoder, and behind its norm where that is all of them; the
 * rows of tgt behind the decoder.  in,
 * out: room for the rows before (positions added) and behind each block, or NULL.  The caller frees the answer. */
const struct ball **encdec_encode(struct ask *w, long blocks, const struct ball **in, const struct ball **out);
const struct ball **encdec_decode(struct ask *w, const struct ball **in, const struct ball **out);
/* The logits y[n][v] of the decoder's rows t[n][c]; log-probabilities y[n][v] from logits, in place. */
void encdec_logits(struct ask *w, const struct ball *const *t, const struct ball **y);
void encdec_logprob(struct ask *w, const struct ball **y, long n, long v);

/* The gradients of logprob stand in this order. */
enum encdec_input {
    D_SRC,
    D_TGT,
    D_WI,
    D_BI,
    D_WO,
    D_BO,
    D_GA,
    D_SA,
    D_W1,
    D_B1,
    D_W2,
    D_B2,
    D_GF,
    D_SF,
    D_XI,
    D_XB,
    D_XO,
    D_XC,
    D_GX,
    D_SX,
    D_GL,
    D_SL,
    D_HEAD,
    ENCDEC_INPUTS
};
/* The .misfit of row encdec: 0, or -1 and why there are no positions as wide as src. */
int encdec_misfit(const void *q, const struct mer_call *c, char *why, size_t n);
/* A page: all of the gradient of one input. */
void encdec_grad(struct ask *w, enum encdec_input of, const struct ball **y);
#endif
