/* What every slot of the row `attention` shares: the problem, which keys a query sees, scratch memory, and the adapter
 * from a call.
 *   s[j] = scale <q_i, k_j> + bias   p = exp(s - max s)   o_i = sum_j p[j] v_j / sum p   lse_i = max s + log sum p
 * Keys are taken FLASH_KEYS at a time.  Up to so many keys that is softmax in two passes; beyond, a block that raises a
 * row's maximum rescales what the row has gathered (Milakov and Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022,
 * arXiv:2205.14135). */
#ifndef FLASH_H
#define FLASH_H
#include "libmeridian.h"
#include "inline.h"
#include "meridian.h"

/* What becomes of a hidden key: it is left out, or a finite constant is added to its score, or is its score. */
enum flash_finite { FLASH_HIDE, FLASH_ADD, FLASH_FILL };
/* What o is of a query that sees no key; the mean is that of all values, seen or not. */
enum flash_empty { FLASH_ZERO, FLASH_NAN, FLASH_MEAN };
/* What a relative encoding adds to scores and values, of one head.  Seen from query i, a key stands left of key i + at,
 * in the band i + at .. i + at + width - 1, or right of it.  A table of width + 2 entries has first what all left keys
 * share, then the band's in the order of keys, then what all right keys share.  Terms of scores are added to <q, k>
 * before the scale; a member that is NULL adds nothing. */
struct flash_place {
    int64_t at, width;
    const float *score;          /* [n][columns]: terms of query i, looked up by column */
    const int32_t *column;       /* [width + 2]: the column of score of each entry; NULL: 0, 1, 2 and so on */
    int64_t columns;             /* of score; 0: there are no terms of queries */
    /* In place of score where the band is long: <query_i, line>, with query[n][d], the band's lines as pack_lines
     * leaves them, and ends[n][2], the terms of left and of right keys. */
    const float *query, *lines, *ends;
    const float *back;           /* [rows][d]: the term <k_j, back[r]>, where row[] says r */
    const int32_t *row;          /* [width + 2]: the row of back of each entry, times FLASH_LINE */
    int64_t rows;                /* of back */
    const float *marks, *mark;   /* [n][m][2], [n][2]: the term sum over c of marks[i][j][c] mark[i][c] */
    const float *value;          /* [width + 2][e rounded up to whole 16s], finite: added to v_j; NULL: none */
};

/* Other lines of one head for pairs that stand far apart, where position is turned into queries and keys by other
 * angles: key j <= i + shift - from meets query i with these.  No key or query is read as a line that it has no pair
 * for, but memory of all is there: packing reads whole blocks. */
struct flash_far { const float *q, *k; int64_t from; }; /* [n][d], [m][d] */

/* How an array [heads][rows][width] lies: by how many elements the next head and the next row begin farther away than
 * in a dense array; may be negative. */
struct flash_lay { int64_t head, row; };

/* One problem, whose memory is all the caller's.  What is 0 or NULL adds no rule. */
struct flash {
    /* heads, key heads (g divides h), queries, keys, width of q and k, width of v and o */
    int64_t h, g, n, m, d, e;
    const void *q, *k, *v;       /* [h][n][d], [g][m][d], [g][m][e] */
    void *o;                     /* [h][n][e], of the same type; NULL: not wanted */
    struct flash_lay q_lay, k_lay, v_lay, o_lay; /* all 0, that is dense, with a place and for gradients */
    float *lse;                  /* [h][n]; NULL: not wanted */
    int32_t type;                /* of q, k, v and o: MER_F32, MER_BF16 or MER_F16 */
    float scale;                 /* of every query; see warm */
    int tiled;                   /* query head x reads key head x mod g, not x / (h / g) */
    int bias_first;              /* scale (<q, k> + bias) */
    int binary;                  /* lse is a logarithm to base 2 */
    enum flash_empty empty;      /* o of a query that sees no key */
    int bounded;                 /* only keys j <= c + right, where c = i + shift, or j < prefix */
    int64_t shift, right, window; /* window > 0: only keys j > c - window */
    /* ahead > 0: only keys j < c + ahead.  chunk > 0: only keys of c's chunk, counted from start.  The first `padded`
     * and the last `padding` keys are padding. */
    int64_t prefix, ahead, chunk, start, padded, padding;
    float cap;                   /* > 0: a score becomes cap tanh(s / cap), before the bias is added */
    int cap_last;                /* that is done after bias and mask, so a hidden key has the score -cap */
    enum flash_finite finite;    /* what becomes of a hidden key */
    float constant;              /* that FLASH_ADD and FLASH_FILL take */
    const float *sink;           /* [h]: a logit that joins maximum and total; NULL: none */
    const float *warm, *warmth;  /* [n]: the scale of each query in place of scale, and warm / scale; NULL: none */
    /* The bias of (h, i, j) is bias[h bias_head + i bias_row + bias_at + j], and -inf hides the key.  NULL: none. */
    const float *bias;
    int64_t bias_head, bias_row, bias_at;
    const uint8_t *keep;         /* [h][n][m], 0 hides; NULL: all kept */
    const struct flash_place *place; /* with float32 and h = g = 1 only; NULL: none */
    const struct flash_far *far; /* the same */
    void *scratch;               /* flash_scratch bytes, 64-byte aligned */
};
/* A tile has at most FLASH_TILE queries; FLASH_TILES tiles share a packed block of FLASH_KEYS keys, so 1024 queries
 * need one packing.  With at most FLASH_FEW queries keys are read as they lie, without packing, for FLASH_ROWS queries
 * of all heads that read them together. */
enum { FLASH_TILE = 48, FLASH_TILES = 22, FLASH_KEYS = 512, FLASH_FEW = 8, FLASH_ROWS = 64 };
enum { FLASH_LINE = FLASH_KEYS + 16 };      /* floats from row to row of a block's scores */

/* Where a row begins, in elements: that of query i in q and in o, that of key j in k and in v. */
static inline int64_t flash_q(const struct flash *f, int64_t h, int64_t i)
{
    return h * (f->n * f->d + f->q_lay.head) + i * (f->d + f->q_lay.row);
}
static inline int64_t flash_k(const struct flash *f, int64_t g, int64_t j)
{
    return g * (f->m * f->d + f->k_lay.head) + j * (f->d + f->k_lay.row);
}
static inline int64_t flash_v(const struct flash *f, int64_t g, int64_t j)
{
    return g * (f->m * f->e + f->v_lay.head) + j * (f->e + f->v_lay.row);
}
static inline int64_t flash_o(const struct flash *f, int64_t h, int64_t i)
{
    return h * (f->n * f->e + f->o_lay.head) + i * (f->e + f->o_lay.row);
}
/* The key head that query head h reads. */
static inline int64_t flash_key_head(const struct flash *f, int64_t h)
{
    return f->tiled ? h % f->g : h / (f->h / f->g);
}
/* The k-th query head that reads key head g. */
static inline int64_t flash_query_head(const struct flash *f, int64_t g, int64_t k)
{
    return f->tiled ? k * f->g + g : g * (f->h / f->g) + k;
}
/* Whether softmax sees hidden keys too, with a finite score. */
static inline int flash_every(const struct flash *f) { return f->finite != FLASH_HIDE || (f->cap_last && f->cap > 0); }
static inline int64_t flash_chunk(const struct flash *f, int64_t i) /* the first key of query i's chunk */
{
    int64_t x = i + f->shift - f->start, C = f->chunk;
    return f->start + (x >= 0 ? x / C : -((C - 1 - x) / C)) * C;
}
static inline int64_t flash_clamp(const struct flash *f, int64_t j) { return j < 0 ? 0 : j > f->m ? f->m : j; }
/* Keys first .. end - 1 are in reach of query i, as far as shift, window, chunk and padding say; neither falls as i
 * grows. */
static inline int64_t flash_seen_first(const struct flash *f, int64_t i)
{
    int64_t first = f->window ? i + f->shift - f->window + 1 : 0;
    first = f->chunk && flash_chunk(f, i) > first ? flash_chunk(f, i) : first;
    return flash_clamp(f, first < f->padded ? f->padded : first);
}
static inline int64_t flash_seen_end(const struct flash *f, int64_t i)
{
    int64_t end = f->bounded ? i + f->shift + f->right + 1 : f->m;
    end = end < f->prefix ? f->prefix : end;
    end = f->ahead && i + f->shift + f->ahead < end ? i + f->shift + f->ahead : end;
    end = f->chunk && flash_chunk(f, i) + f->chunk < end ? flash_chunk(f, i) + f->chunk : end;
    return flash_clamp(f, f->padding && f->m - f->padding < end ? f->m - f->padding : end);
}
/* The keys that softmax sees of query i: those, or every one. */
static inline int64_t flash_first(const struct flash *f, int64_t i)
{
    return flash_every(f) ? 0 : flash_seen_first(f, i);
}
static inline int64_t flash_end(const struct flash *f, int64_t i)
{
    return flash_every(f) ? f->m : flash_seen_end(f, i);
}
static inline float flash_scale(const struct flash *f, int64_t i) { return f->warm ? f->warm[i] : f->scale; }
static inline const float *flash_bias(const struct flash *f, int64_t h, int64_t i)
{
    return f->bias + h * f->bias_head + i * f->bias_row + f->bias_at;
}
/* Whether key j is hidden from query i by reach or by keep; by a bias of -inf; from softmax, for any of these. */
static inline int flash_unseen(const struct flash *f, int64_t h, int64_t i, int64_t j)
{
    return j < flash_seen_first(f, i) || j >= flash_seen_end(f, i) || (f->keep && !f->keep[(h * f->n + i) * f->m + j]);
}
static inline int flash_struck(const struct flash *f, int64_t h, int64_t i, int64_t j)
{
    return f->bias && flash_bias(f, h, i)[j] == -__builtin_inff();
}
static inline int flash_hidden(const struct flash *f, int64_t h, int64_t i, int64_t j)
{
    return j < 0 || j >= f->m || (!flash_every(f) && flash_unseen(f, h, i, j)) ||
        (!(f->cap_last && f->cap > 0) && flash_struck(f, h, i, j));
}

/* Stores a natural logarithm; to base 2, as the product in double, rounded once. */
static inline void flash_put_lse(const struct flash *f, int64_t h, int64_t i, float lse)
{
    if (f->lse)
        f->lse[h * f->n + i] = f->binary ? (float)((double)lse * 0x1.71547652b82fep+0) : lse;
}
/* Stores o and lse of a query that sees no key. */
void flash_put_empty(const struct flash *f, int64_t h, int64_t i);

/* Floats rounded up to whole cache lines. */
static inline size_t flash_lined(size_t floats) { return (floats + 15) / 16 * 16; }
/* Bytes of scratch that suffice in every slot.  They do not grow with m, nor with n beyond FLASH_TILE FLASH_TILES =
 * 1056 rows of one key head. */
size_t flash_scratch(const struct flash *f);
/* The float32 arithmetic of slot avx512, for inputs that slots avx512bf16 and amx leave to it.  A MER_ answer. */
int flash_wide(const struct flash *f);

/* The tiles of a slot, for rows that make a problem of their own (band.h).  All float32. */
struct flash_slot {
    int (*attend)(const struct flash *f);  /* a MER_ answer */
    /* y[n][columns] = x[n][d] w[columns][d]^T with n and d of f and columns of its place; uses f's scratch. */
    void (*multiply_rows)(const struct flash *f, float *y, const float *x, const float *w);
    /* lines[rows][d] as struct flash_place wants them; `to` has room for rows, rounded up to whole 64s, times d. */
    void (*pack_lines)(float *to, const float *lines, int64_t rows, int64_t d);
    /* y[rows][d] = x[rows][c] w[c][d] */
    void (*project_rows)(float *y, const float *x, const float *w, int64_t rows, int64_t c, int64_t d);
    int (*attend_few)(const struct flash *f); /* attend of few queries, without a place; for any number, but slowly */
};
extern const struct flash_slot flash_slot_avx2, flash_slot_avx512;

/* The score of a key that is not hidden from softmax, from dot = <q_i, k_j>.  *slope, where slope is not NULL, is its
 * derivative by scale <q, k>, without the factor warmth[i]. */
float flash_score(const struct flash *f, int64_t h, int64_t i, int64_t j, float dot, float *slope);
/* The declared arithmetic, alike in every slot, of the parts that only some calls have; tanh is each slot's own. */
#define FLASH_EXTRAS "quotient=f32 capped=f32 masking=f32 warmth=f32 squares=f64 unit=f32 "
/* y[n] = tanh(x[n]); y == x is allowed. */
void flash_tanh_avx2(float *y, const float *x, int64_t n);
void flash_tanh_avx512(float *y, const float *x, int64_t n);
/* y[n] = exp(x[n] - by); y == x is allowed.  Returns the sum of y. */
float flash_exp_avx2(float *y, const float *x, int64_t n, float by);
float flash_exp_avx512(float *y, const float *x, int64_t n, float by);
/* c[16][16] += a[16][32] b[32][16] by one TDPBF16PS, bf16 bits; b is given as [16][16][2], two rows together. */
void flash_product_amx(float *c, const uint16_t *a, const uint16_t *b);

/* The kernels of a slot: run = flash_run(c, which, attend).  Few: at most FLASH_FEW queries, whose keys and values are
 * read as they lie; many: by tiles; neither: any number.  Short: at most FLASH_KEYS keys.  Each answers MER_SKIP where
 * a call is another one's. */
enum flash_which {
    FLASH_FEW_SHORT, FLASH_FEW_LONG, FLASH_MANY_SHORT, FLASH_MANY_LONG, FLASH_SHORT, FLASH_LONG, FLASH_ANY
};
int flash_run(const struct mer_call *c, enum flash_which which, int (*attend)(const struct flash *f));
int flash_meant(const struct flash *f, enum flash_which which); /* whether a problem is of this kind */
/* Makes c->state: the problem, and memory for what the call has in another form.  MER_BAD without memory, or where
 * cumulative lengths are none. */
int flash_prepare(struct mer_call *c);
void flash_release(void *state);
/* After flash_prepare: the problem with the arrays of this call, as kernels read them. */
struct flash flash_asked(const struct mer_call *c);
/* Sets the rules of reach of f from the call's parameters and from f's n and m. */
void flash_see(struct flash *f, const struct mer_call *c);
/* Fills kept[h][n][m], 0 where a key is hidden by keep, by its document or by reach within the document.  MER_BAD where
 * cumulative lengths do not begin with 0, fall, or do not end with n and m. */
int flash_hide(const struct flash *f, const struct mer_call *c, uint8_t *kept);
/* Answers a problem of the caller's own by the best slot here.  A MER_ answer. */
int flash_best(struct flash *f);
#endif
