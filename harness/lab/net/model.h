/* A small Transformer: where its parameters lie in one flat array, and its passes over rows of tokens.
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

enum { BLOCKS_MOST = 256, LAYERS_MOST = 12, EXTRAS = 8 };
enum start { START_ZERO, START_ONE, START_UNIFORM };
/* elements [at, at + count), `lines` by count / lines; uniform in middle +- by; matrices decay */
struct net_block { char name[32]; int64_t at, count, lines; enum start start; double by, middle; };
/* numbers of blocks; gx .. xc: of cross-attention */
struct layer_blocks { int ga, sa, wi, bi, wo, bo, gx, sx, xi, xb, xo, xc, gf, sf, w1, b1, w2, b2, extra[EXTRAS]; };

struct model {
    struct lab_size size;
    const struct encoding *enc;
    struct net_block block[BLOCKS_MOST];
    /* place: -1 without a trained table, [1]: the encoder's; waves: amplitude, frequency, theta, in place of token */
    int blocks, token, place[2], waves[3], g, s, out;
    struct layer_blocks layer[LAYERS_MOST]; /* the encoder's behind the decoder's */
    char extra[EXTRAS][32];               /* names of the trained inputs of enc->attend, enc->bias or enc->place */
    int extras;
    int64_t count;                        /* of parameters */
};
extern const char *const model_waves[3];
/* 0, or -1 and one line: an unknown encoding, sizes that do not fit. */
int model_open(struct model *m, const char *encoding, const struct lab_size *s, char *err, size_t n);
/* Every block drawn by (seed, its name): models of one seed share what they have in common, whatever their
 * encodings. */
void model_draw(const struct model *m, const struct maths *a, uint64_t seed, void *params);

/* What an evaluation changes of a trained model, with no training: parameters of the encoding's row and of row
 * attention (later words win), a row in the
 * place of both (attend: it turns q and k itself), which keys are kept.  Texts may hold encoding.h's $l, $n ..  A key
 * is kept where it is among the last `window` or the first `sinks`; window NULL: all. */
/* of: the encoding it is for; NULL: any, "*": any that row attention serves */
struct variant { const char *name, *of, *encoding, *attention, *attend, *window, *sinks, *cite; };
extern const struct variant variants[]; /* the first is none at all; ends with name NULL */
int variant_fits(const struct variant *v, const struct encoding *e);

/* A pass: `rows` sequences of `length` tokens, its buffers, its operations.  One thread's at a time. */
struct pass {
    const struct model *m;
    const struct maths *a;
    int64_t rows, length, tokens;         /* tokens = rows length */
    struct op embed, place, norm, act, turn[2], attend; /* turn: q, k */
    struct op bias_of, weights, bias_back; /* of a trained bias */
    /* norm_back: dx, dgain, dshift */
    struct op table_back, place_back, norm_back[3], act_back, turn_back[2], attend_back;
    /* [tokens]: 0 .. length - 1 in every row; [h][length][length], or NULL; keep_row: elements from row to row, 0: one
     * for all */
    int64_t *pos, *keep, keep_row;
    void *arena, *bias, *places, *logits; /* bias[h][length][length], places[tokens][c], logits[tokens][vocab] */
    size_t used;                          /* bytes of the arena */
    /* what a layer leaves for its gradients; x, x1: before each half */
    struct tape {
        void *x, *n1, *qkv, *q, *k, *v, *o, *oc, *x1, *n2, *u, *t;
        struct cross_tape {
            void *q, *kv, *heads[3], *o, *oc, *x;
        } cross;
        void *x3;
    } layer[LAYERS_MOST];
    void *last, *hidden;                  /* x after all layers, [tokens][c]; normalised */
    /* [h][length][length]: weights of a row, unit matrices, gradients of weights and of the bias */
    void *w, *eye, *dw, *dbias;
    /* scratch; one: a block's gradient before it is added */
    void *dx, *dn, *dc, *dqkv, *dq, *dk, *dv, *dox, *du, *dt, *one, *raw[2], *extra[EXTRAS];
    int backward, turns;                  /* turns: q and k, by turn[] */
    int64_t first, layers;                /* of m->layer */
    int encoder;                          /* 1: an encoder's */
    struct pass *source;                  /* of a decoder: its encoder's; NULL: a decoder alone */
    struct op cross, cross_back;
    /* of an encoder-decoder: own tokens, padding 0; [rows][h][length][source's length] */
    int64_t *word, *cross_keep;
    void *dkv;                            /* [source's tokens][2 c] */
};
/* What a pass is made for.  source: tokens of an encoder-decoder's source, 0: a decoder alone; length: the
 * decoder's. */
struct pass_form {
    const struct maths *maths;
    int64_t rows, source, length;
    const struct variant *variant;        /* NULL: as the model is */
    int backward;                         /* its gradients, too */
};
int pass_open(struct pass *p, const struct model *m, struct pass_form f, char *err, size_t n);
void pass_close(struct pass *p);
int pass_forward(struct pass *p, const void *params, const int64_t *token);                 /* logits; a MER_ answer */
/* Heads of all rows, [rows][h][n][d], of columns first .. first + c - 1 of x[tokens][stride]; and back. */
void pass_split(const struct pass *p, void *heads, const void *x, int64_t first, int64_t stride);
void pass_join(const struct pass *p, void *x, const void *heads, int64_t first, int64_t stride);
/* of enc->embed, from p->dx */
int pass_waves_back(struct pass *p, const void *params, const int64_t *token, void *grad);
/* adds to grad; after pass_forward of the same */
int pass_backward(struct pass *p, const void *params, const int64_t *token, const void *dlogits, void *grad);
#endif
