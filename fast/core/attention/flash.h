/* What every slot of the row `attention` shares: the problem, which keys a query sees, scratch memory, the adapter from
 * a call.
 *   s[j] = scale <q_i, k_j> + bias   p = exp(s - max s)   o_i = sum_j p[j] v_j / sum p   lse_i = max s + log sum p
 * Keys are taken KEYS at a time.  Up to KEYS keys that is softmax in two passes; beyond, a block that raises a row's
 * maximum rescales what the row has gathered (Milakov and Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022,
 * arXiv:2205.14135). */
#ifndef FLASH_H
#define FLASH_H
#include "libmeridian.h"
#include "inline.h"
#include "meridian.h"

enum flash_finite { FLASH_HIDE, FLASH_ADD, FLASH_FILL };
enum flash_empty { FLASH_ZERO, FLASH_NAN, FLASH_MEAN }; /* mean: of all values, seen or not */
/* What a relative encoding adds, of one head.  Against query i, key j stands left of i + at, in the band i + at .. i +
 * at + width - 1, or right of
 * it; a table of width + 2 has what left keys share, the band's in order, what right keys share.  Terms are added to
 * <q, k> before the scale, each of them 0 where NULL. */
struct flash_place {
    int64_t at, width;
    const float *score;          /* [n][columns]: of the query */
    const int32_t *column;       /* [width + 2]: columns of score; NULL: 0, 1, ... */
    int64_t columns;
    /* in place of score: <query_i, line>; query[n][d], the band's lines as pack_lines leaves them, [n][2] of left and
     * right keys */
    const float *query, *lines, *ends;
    const float *back;           /* [rows][d]: <k_j, back_r>, r by row[] */
    const int32_t *row;          /* [width + 2]: rows of back, times FLASH_LINE */
    int64_t rows;
    const float *marks, *mark;   /* [n][m][2], [n][2]: sum over c of marks[i][j][c] mark[i][c] */
    const float *value;          /* [width + 2][e to whole 16s], finite: added to v_j; NULL: none */
};

/* How an array [heads][rows][width] lies: by how many elements the next head, the next row lie farther away than in a
 * dense one; may be negative. */
struct flash_lay { int64_t head, row; };

struct flash {
    /* heads, key heads (h = g times a whole number), queries, keys, width of q and k, of v and o */
    int64_t h, g, n, m, d, e;
    const void *q, *k, *v;       /* [h][n][d], [g][m][d], [g][m][e], float or bf16 */
    void *o;                     /* [h][n][e], same type; NULL: not wanted */
    struct flash_lay q_lay, k_lay, v_lay, o_lay; /* dense under a place, and for gradients */
    float *lse;                  /* [h][n]; NULL: not wanted */
    int bf16;
    float scale;
    int tiled;                   /* query head x reads key head x mod g, not x / (h / g) */
    int bias_first;              /* scale (<q, k> + bias) */
    int binary;                  /* lse in base 2 */
    enum flash_empty empty;      /* o of a query that sees no key */
    int bounded;                 /* j <= c + right, c = i + shift, or j < prefix */
    int64_t shift, right, window; /* window > 0: j > c - window */
    /* ahead > 0: j < c + ahead; chunk > 0: j of c's chunk, counted from start; so many keys of padding in front,
     * behind */
    int64_t prefix, ahead, chunk, start, padded, padding;
    float cap;                   /* > 0: cap tanh(s / cap), before the bias */
    int cap_last;                /* after bias and mask: a hidden key has -cap */
    enum flash_finite finite;    /* what hides adds `constant`, or gives it */
    float constant;
    const float *sink;           /* [h]: a logit that joins maximum and total; NULL: none */
    const float *warm, *warmth;  /* [n]: scale of each query in place of scale, and by what it differs; NULL: none */
    /* of (h, i, j): bias[h bias_head + i bias_row + bias_at + j]; NULL: none; -inf hides */
    const float *bias;
    int64_t bias_head, bias_row, bias_at;
    const uint8_t *keep;         /* [h][n][m], 0 hides; NULL: all kept */
    const struct flash_place *place; /* float32 and h = g = 1 only; NULL: none */
    void *scratch;               /* flash_scratch bytes, 64-byte aligned */
};
/* rows of a sweep; sweeps a packing serves: 1024 queries need one */
enum { FLASH_TILE = 48, FLASH_TILES = 22, FLASH_KEYS = 512, FLASH_FEW = 2 };
enum { FLASH_LINE = FLASH_KEYS + 16 };      /* floats from row to row of a block's scores */

/* Where a row begins: of query i, key j, in elements. */
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
static inline int64_t flash_key_head(const struct flash *f, int64_t h)
{
    return f->tiled ? h % f->g : h / (f->h / f->g);
}
/* the k-th that reads key head g */
static inline int64_t flash_query_head(const struct flash *f, int64_t g, int64_t k)
{
    return f->tiled ? k * f->g + g : g * (f->h / f->g) + k;
}
/* softmax sees hidden keys too */
static inline int flash_every(const struct flash *f) { return f->finite != FLASH_HIDE || (f->cap_last && f->cap > 0); }
static inline int64_t flash_chunk(const struct flash *f, int64_t i) /* where c's chunk begins */
{
    int64_t x = i + f->shift - f->start, C = f->chunk;
    return f->start + (x >= 0 ? x / C : -((C - 1 - x) / C)) * C;
}
static inline int64_t flash_clamp(const struct flash *f, int64_t j) { return j < 0 ? 0 : j > f->m ? f->m : j; }
/* Keys first .. end - 1 are in reach of query i; both grow with i. */
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
/* Keys that softmax sees of query i: those, or every one. */
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
static inline int flash_unseen(const struct flash *f, int64_t h, int64_t i, int64_t j)
{
    return j < flash_seen_first(f, i) || j >= flash_seen_end(f, i) || (f->keep && !f->keep[(h * f->n + i) * f->m + j]);
}
static inline int flash_struck(const struct flash *f, int64_t h, int64_t i, int64_t j)
{
    return f->bias && flash_bias(f, h, i)[j] == -__builtin_inff();
}
static inline int flash_hidden(const struct flash *f, int64_t h, int64_t i, int64_t j) /* from softmax */
{
    return j < 0 || j >= f->m || (!flash_every(f) && flash_unseen(f, h, i, j)) ||
        (!(f->cap_last && f->cap > 0) && flash_struck(f, h, i, j));
}

/* natural; of base 2 the double product is rounded once */
static inline void flash_put_lse(const struct flash *f, int64_t h, int64_t i, float lse)
{
    if (f->lse)
        f->lse[h * f->n + i] = f->binary ? (float)((double)lse * 0x1.71547652b82fep+0) : lse;
}
void flash_put_empty(const struct flash *f, int64_t h, int64_t i); /* o and lse of a query that sees no key */

/* bytes, of every slot; does not grow with m or, beyond 1056 rows, with n */
size_t flash_scratch(const struct flash *f);
int flash_wide(const struct flash *f);      /* slot avx512 in float32, for what slots avx512bf16 and amx leave to it */

struct flash_slot { /* a slot's tiles, for rows that make a problem of their own */
    int (*attend)(const struct flash *f);
    /* y[n][columns] = x[n][d] w[columns][d]^T of f's place */
    void (*multiply_rows)(const struct flash *f, float *y, const float *x, const float *w);
    /* lines[rows][d]; to: rows to whole 64s, times d */
    void (*pack_lines)(float *to, const float *lines, int64_t rows, int64_t d);
    /* y[rows][d] = x[rows][c] w[c][d] */
    void (*project_rows)(float *y, const float *x, const float *w, int64_t rows, int64_t c, int64_t d);
};
extern const struct flash_slot flash_slot_avx2, flash_slot_avx512;

/* of a key that is not hidden; slope: NULL, or its derivative by scale <q, k>, without t_i */
float flash_score(const struct flash *f, int64_t h, int64_t i, int64_t j, float dot, float *slope);
/* What every slot's arithmetic is of the parts that only some calls have; tanh is each slot's own. */
#define FLASH_EXTRAS "quotient=f32 capped=f32 masking=f32 warmth=f32 squares=f64 unit=f32 "
void flash_tanh_avx2(float *y, const float *x, int64_t n);
void flash_tanh_avx512(float *y, const float *x, int64_t n);
float flash_exp_avx2(float *y, const float *x, int64_t n, float by); /* y = exp(x - by), y == x allowed; the sum of y */
float flash_exp_avx512(float *y, const float *x, int64_t n, float by);
/* c[16][16] += a[16][32] b: one TDPBF16PS, b[16][16][2] by pairs of rows */
void flash_product_amx(float *c, const uint16_t *a, const uint16_t *b);

/* The kernels of a slot: run = flash_run(c, which, attend).  Few: at most FLASH_FEW queries, rows read as they lie;
 * many: tiles.
 * Short: at most FLASH_KEYS keys.  MER_SKIP where the call is another kernel's. */
enum flash_which { FLASH_FEW_SHORT, FLASH_FEW_LONG, FLASH_MANY_SHORT, FLASH_MANY_LONG, FLASH_ANY };
int flash_run(const struct mer_call *c, enum flash_which which, int (*attend)(const struct flash *f));
int flash_prepare(struct mer_call *c);
void flash_release(void *state);
struct flash flash_asked(const struct mer_call *c);  /* after flash_prepare: the call's arrays, as kernels read them */
void flash_see(struct flash *f, const struct mer_call *c); /* the rules of reach, of f's n and m */
/* kept[h][n][m] by keep and documents; MER_BAD: cumulative lengths that are none */
int flash_hide(const struct flash *f, const struct mer_call *c, uint8_t *kept);
/* a problem of one's own, by the best slot here; type "f32" or "bf16" */
int flash_best(struct flash *f, const char *type);
#endif
