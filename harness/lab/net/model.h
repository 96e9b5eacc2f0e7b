/* A small Transformer: the layout of its parameters in one flat array, and its passes over rows of tokens.
 * A pre-LN decoder alone:
 *   x = embedding(token) (+ place)      x += attend(norm(x) wi + bi) wo + bo      x += relu(norm(x) w1 + b1) w2 + b2
 *   logits = norm(x) out^T
 * or, with encoders, the post-LN encoder-decoder of Vaswani et al. 2017: pair.h.
 * Norms, activation, embedding, positions and attention are judged operations (op.h); products are
 * fast/core/block/gemm.h's. */
#ifndef MODEL_H
#define MODEL_H
#include "lab/net/encoding.h"
#include "lab/net/maths.h"
#include "lab/net/op.h"

enum { BLOCKS_MOST = 256, LAYERS_MOST = 12, EXTRAS = 8 }; /* blocks; layers of both sides; trained inputs of a row */
enum start { START_ZERO, START_ONE, START_UNIFORM }; /* initial values of a block */
/* One array of parameters: elements [at, at + count) of the flat array, `lines` lines of count / lines; a uniform one
 * begins in middle +- by, and weight decay applies to it alone. */
struct net_block { char name[32]; int64_t at, count, lines; enum start start; double by, middle; };
/* The numbers of a layer's blocks: gains and shifts of norms (ga sa, gf sf), attention (wi bi wo bo), its gates
 * (wg bg), cross-attention (gx .. xc), feed-forward (w1 b1 w2 b2), trained inputs of the encoding (extra). */
struct layer_blocks {
    int ga, sa, wi, bi, wo, bo, wg, bg, gx, sx, xi, xb, xo, xc, gf, sf, w1, b1, w2, b2, extra[EXTRAS];
};

struct model {
    struct lab_size size;
    const struct encoding *enc;
    struct net_block block[BLOCKS_MOST];
    /* blocks: how many; the others are numbers of blocks: the embedding's table; the trained table of positions, -1
     * without one, [1] being the encoder's; amplitude, frequency and theta in place of the table of tokens; gain and
     * shift of the last norm; the output matrix */
    int blocks, token, place[2], waves[3], g, s, out;
    struct layer_blocks layer[LAYERS_MOST]; /* the encoder's behind the decoder's */
    char extra[EXTRAS][32];               /* names of the trained inputs of enc->attend, enc->bias or enc->place */
    int extras;
    /* The input [h,m] of enc->attend that a layer makes of the text: a number for each head and token, which is a
     * projection of what the layer reads (wg[c][h], bg[h]); "": there is none. */
    char gate[32];
    int64_t count;                        /* of parameters */
};
extern const char *const model_waves[3];
/* Lays the model out.  0, or -1 and one line in err: an unknown encoding, or sizes that do not fit.  m owns nothing. */
int model_open(struct model *m, const char *encoding, const struct lab_size *s, char *err, size_t n);
/* Draws every block of params from the seed and the block's name, so that models of one seed agree in the blocks that
 * they share, whatever their encodings. */
void model_draw(const struct model *m, const struct maths *a, uint64_t seed, void *params);

/* A change of a trained model for an evaluation, without training: other parameters of the encoding's row and of row
 * attention (later words win), a row in place of both (attend: it turns q and k itself), a choice of keys: a key is
 * kept where it is among the last `window` or the first `sinks`; window NULL: all.  Texts may hold the $l, $n .. of
 * encoding.h. of: the encoding that it is for; NULL: any; "*": any that row attention serves. */
struct variant { const char *name, *of, *encoding, *attention, *attend, *window, *sinks, *cite; };
extern const struct variant variants[]; /* the first changes nothing; ends with name NULL */
/* Whether the variant is for this encoding. */
int variant_fits(const struct variant *v, const struct encoding *e);

/* A pass over `rows` sequences of `length` tokens, with its buffers and operations.  Only one thread may use it at a
 * time. */
struct pass {
    const struct model *m;
    const struct maths *a;
    int64_t rows, length, tokens;         /* tokens = rows length */
    struct op embed, place, norm, act, turn[2], attend; /* turn: of q, of k */
    struct op bias_of, weights, bias_back; /* of a trained bias */
    /* norm_back: for dx, dgain, dshift */
    struct op table_back, place_back, norm_back[3], act_back, turn_back[2], attend_back;
    /* pos[tokens]: positions, 0 .. length - 1 in every row.  keep[h][length][length], or NULL: the keys that are kept;
     * keep_row: elements from one row's to the next row's, 0 where all rows share it */
    int64_t *pos, *keep, keep_row;
    void *arena, *bias, *places, *logits; /* bias[h][length][length], places[tokens][c], logits[tokens][vocab] */
    size_t used;                          /* bytes of the arena */
    /* What each layer keeps for its gradients; x and x1: the inputs of its two halves. */
    struct tape {
        void *x, *n1, *qkv, *q, *k, *v, *g, *o, *oc, *x1, *n2, *u, *t; /* g[rows][h][length]: gates */
        struct cross_tape {
            void *q, *kv, *heads[3], *o, *oc, *x;
        } cross;
        void *x3;
    } layer[LAYERS_MOST];
    void *last, *hidden;                  /* x after all layers, [tokens][c]; the same normalised */
    /* [h][length][length]: weights of a row, unit matrices, gradients of weights and of the bias */
    void *w, *eye, *dw, *dbias;
    /* scratch; one: the gradient of a block before it is added */
    void *dx, *dn, *dc, *dqkv, *dq, *dk, *dv, *dg, *dox, *du, *dt, *one, *raw[2], *extra[EXTRAS], *gates[2];
    int backward, turns;                  /* whether gradients are wanted; whether turn[] turns q and k */
    int64_t first, layers;                /* the layers m->layer[first ..] that it runs */
    int encoder;                          /* whether it is an encoder's pass */
    struct pass *source;                  /* of a decoder with an encoder: the encoder's pass, owned; else NULL */
    struct op cross, cross_back;
    /* Of an encoder-decoder: its own tokens with 0 for padding; the keys of the source that are kept,
     * [rows][h][length][source's length]. */
    int64_t *word, *cross_keep;
    void *dkv;                            /* [source's tokens][2 c] */
};
/* What a pass is made for.  source: tokens of the source of an encoder-decoder, 0: a decoder alone; length: tokens of
 * the decoder. */
struct pass_form {
    const struct maths *maths;
    int64_t rows, source, length;
    const struct variant *variant;        /* NULL: the model as it is */
    int backward;                         /* whether gradients are wanted */
};
/* Makes buffers and operations; m is borrowed.  0, or -1 and one line in err; pass_close is due either way. */
int pass_open(struct pass *p, const struct model *m, struct pass_form f, char *err, size_t n);
void pass_close(struct pass *p);
/* Draws the positions of a model with randomised ones, which pass_open has drawn by seed 0: the length's choice of this
 * number, the same in all rows.  Other models keep theirs. */
void pass_positions(struct pass *p, uint64_t seed, uint64_t number);
/* Computes p->logits of token[tokens]; a MER_ answer. */
int pass_forward(struct pass *p, const void *params, const int64_t *token);
/* Copies columns first .. first + c - 1 of x[tokens][stride] to the heads of all rows, [rows][h][n][d]; pass_join
 * copies them back. */
void pass_split(const struct pass *p, void *heads, const void *x, int64_t first, int64_t stride);
void pass_join(const struct pass *p, void *x, const void *heads, int64_t first, int64_t stride);
/* Copies y[tokens][h] to the heads of all rows, [rows][h][n], or (back) the other way round. */
void pass_transpose(const struct pass *p, void *heads, void *tokens, bool back);
/* The gradient of enc->embed, from p->dx; adds to grad.  A MER_ answer. */
int pass_waves_back(struct pass *p, const void *params, const int64_t *token, void *grad);
/* Adds the gradient of all parameters to grad, after pass_forward of the same tokens.  A MER_ answer. */
int pass_backward(struct pass *p, const void *params, const int64_t *token, const void *dlogits, void *grad);
#endif
