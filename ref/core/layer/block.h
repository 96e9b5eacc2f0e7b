/* The Transformer block, shared by its pages and those of its gradients; ref/block.c says what each parameter is.
 * A sublayer f (self-attention, cross-attention, feed-forward) of rows h:
 *   post  u = h, s = h + f(u), out = N(s)      pre  u = N(h), out = h + f(u)
 * Backward, for dout that of out:   ds = N'(s; dout), pre: dout   du = f'(u; ds)   dh = ds + du, pre: ds + N'(h; du)
 * (residual=doubled: f' of ds + ds, and nothing straight through; none: nothing straight through).  Every norm gives
 * its gain and shift, every f its weights and biases; the memory gets what comes through keys and values.  ReLU at 0:
 * slope 0. */
#ifndef BLOCK_H
#define BLOCK_H
#include "layer/project.h"

struct block {
    long heads, kv_heads, width, value_width, window, keys_a_step;
    mpq_t eps, scale, base;
    int order, norm, residual, keys, memory, act, gated, causal, cross_causal, group, rope, layout, route, moments,
        apply;
};
extern const struct param block_params[];
/* The parameters that row layer is given for every attention, and for self-attention alone: text, as both together are
 * what it may refuse. */
#define BLOCK_ATTENDING "heads kv_heads width value_width group route block"
#define BLOCK_TURNING   "causal window rope base layout"
/* Members of row block: extents that the parameters fix, whether an optional input is read, why the parameters are
 * undefined (NULL: they are not). */
long block_extent(const void *params, char axis);
bool block_needs(const void *params, const char *input);
const char *block_refuse(const void *params);
enum { POST, PRE, PARALLEL };
enum { LAYER, RMS };
enum { INPUT, DOUBLED, NONE };
enum { MEMORY, OWN };
enum { AS_IT_IS, AGAIN };
enum { ADDITION }; /* The one step adds what a sublayer is given and what it makes. */
extern const struct row row_block, row_layer, row_layernorm, row_rmsnorm, row_feedforward, row_attention, row_rope;
/* The columns of q (part 0), k (1) or v (2) in wi and xi, all heads together. */
static inline long block_size(const struct block *p, int part)
{
    const long g = p->kv_heads ? p->kv_heads : p->heads;
    return part == 0 ? p->heads * p->width :
        part == 1    ? g * p->width :
                       g * (p->value_width ? p->value_width : p->width);
}

/* A part as another row is asked for it: its n inputs, of which in[from] .. in[to - 1] are owned, and its parameters
 * in words.  The caller calls sublayer_free. */
struct sublayer { const struct row *row; struct mer_array in[18]; int n, from, to; char text[TEXT_MAX + 100]; };
/* The norm of the rows x[n][c], with the inputs that gain and shift name. */
struct sublayer block_norm(struct ask *w, const char *gain, const char *shift, const struct ball **x, long n);
/* Attention of the rows x over the rows z; z NULL: self-attention.  own: z is x itself, whose keys
 * the input token hides, not source. */
struct sublayer block_attention(struct ask *w, const struct mer_array *x, const struct mer_array *z, bool own);
struct sublayer block_feed(struct ask *w, const struct ball **x, long n);
void sublayer_line(struct ask *w, const struct sublayer *s, const char *out, long i, long len, const struct ball **y);
void sublayer_free(struct sublayer *s);
static inline struct mer_array rows_of(const char *name, const struct ball **x, long n, long c)
{
    return (struct mer_array){ .name = name, .type = BALLS, .rank = 2, .dim = { n, c }, .data = x };
}

/* Gradients, in the order in which a decoder's inputs stand; an encoder has none of the memory and of
 * cross-attention. */
enum block_input {
    DX,
    DMEMORY,
    DWI,
    DBI,
    DWO,
    DBO,
    DGA,
    DSA,
    DXI,
    DXB,
    DXO,
    DXC,
    DGX,
    DSX,
    DW1,
    DB1,
    DWG,
    DBG,
    DW2,
    DB2,
    DGF,
    DSF,
    BLOCK_INPUTS
};
/* A page: all of the gradient of one input. */
void block_grad(struct ask *w, bool decoder, enum block_input of, const struct ball **y);
#endif
