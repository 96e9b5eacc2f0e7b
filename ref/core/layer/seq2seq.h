/* The recurrent encoder and decoder, shared by its page and that of its gradients; ref/seq2seq.c says what each
 * parameter is.  Gradients of the encoder: with dh upstream, g_t = (1 - h_t^2) (dh_t + wh^T g_{t+1}),
 *   dx_t = wx^T g_t      dwh = sum_t g_t h_{t-1}^T      dwx = sum_t g_t x_t^T      dbh = sum_t g_t
 * Of the whole (d<input>_logprob), for dlogprob: dl_t = dlogprob_t - p_t sum dlogprob_t,  ds_t = wo^T dl_t + ws^T
 * g_{t+1} + what the next contexts' queries give,  g_t = (1 - s_t^2) ds_t;  dc_t = wc^T g_t goes through softmax and
 * scores to every h_j and to the query's state;  ds_0 to h_last (init=last).
 * Under the fault "overwritten" only the last of all terms of a sum over time counts. */
#ifndef SEQ2SEQ_H
#define SEQ2SEQ_H
#include "softmax/mix.h"
#include "row/row.h"

struct seq2seq {
    long vocab, start, lag;
    struct tiles tiles;
    mpq_t scale;
    int attention, scorer, forcing, init, source;
};
enum { NONE, DOT_PRODUCT, ADDITIVE };
enum { TANH, LINEAR };
enum { SHIFTED, UNSHIFTED };
enum { LAST, ZERO };
enum { FORWARD, REVERSED };
enum { MULTIPLY = MIX_STEPS, GATHER, ACT, NORMAL, SLOPE };
extern const struct row row_seq2seq;
extern const struct param seq2seq_params[];
/* The extent that the parameters give an axis; 0: it is free. */
long seq2seq_extent(const void *params, char axis);
/* NULL, or why these parameters together are undefined. */
const char *seq2seq_refuse(const void *params);

/* A part of a sum: matrix x, or across matrix^T x, of an input `matrix`; x NULL: the part is left out. */
struct part { const char *matrix; const struct ball *const *x; bool across; };
/* Entry i of the sum of n parts and of the input `bias` (NULL: none): the one ball that is left of what it makes. */
const struct ball *seq2seq_affine(struct ask *w, const struct part *p, int n, const char *bias, long i);
/* y[d]: row i of an input [.,d]. */
void seq2seq_line(struct ask *w, const char *name, long i, const struct ball **y);
/* The number of the source's token that is read at step t; under an edit, too, it is one of them. */
long seq2seq_read_at(const struct ask *w, long t);
/* The id of the target's token that the decoder is given at step t. */
long seq2seq_input_id(const struct ask *w, long t);
/* The state that is the query of step t, from 0, the one before the first token, to t. */
long seq2seq_query_at(const struct ask *w, long t);
/* All states h[m][d] of the encoder, in the order of reading; the caller frees them. */
const struct ball **seq2seq_encode(struct ask *w);
/* y[len]: of these, laid out one behind the other, from place `from` on. */
void seq2seq_states(struct ask *w, long from, long len, const struct ball **y);
/* y[n][d]: the states of the decoder from number `from` on, of which number 0 stands before the first token; behind the
 * last one follow the contexts of all steps. */
void seq2seq_decoded(struct ask *w, long from, long n, const struct ball **y);
/* Pages of step at[0] of the decoder: its weights y[m]; its context, and its state, y[d]. */
void seq2seq_weights(struct ask *w, const struct ball **y);
void seq2seq_context(struct ask *w, const struct ball **y);
void seq2seq_state(struct ask *w, const struct ball **y);
/* Row `read` or `align` of this row, asked of one query and n states. */
void seq2seq_read_by(struct ask *w, const char *what, const struct ball *const *query, const struct ball *const *h,
    long n, long len, const struct ball **y);

enum seq2seq_input { X, WX, WH, BH, EMB, WY, WS, WC, BS, WA, UA, VA, WO, BO, INPUTS };
/* A page: all of the gradient of one input, from that of logprob. */
void seq2seq_grad(struct ask *w, enum seq2seq_input of, const struct ball **y);
/* Pages of gradients from dh, that of the encoder's states: y[c] of token at[0]; y[d] of row at[0] of wh; and y[c] of
 * row at[0] of wx, or (of_bias) all of bh. */
void seq2seq_source_grad(struct ask *w, const struct ball **y);
void seq2seq_recurrent_grad(struct ask *w, const struct ball **y);
void seq2seq_input_weights_grad(struct ask *w, bool of_bias, const struct ball **y);
#endif
