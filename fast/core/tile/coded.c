/* Attention over a cache of codes: the installed functions, and the way from a call of row `quantized`, whose arrays
 * hold the numbers that codes stand for. */
#include "tile/coded.h"
#include <math.h>
#include "kernels.h"
#include "odd.h"

enum { CODES = MER_E2M1 + 1 };
static int is_small(int code) { return code == MER_INT4 || code == MER_UINT4 || code == MER_E2M1; }
/* The number of a code; NaN where it has none. */
static float number_of(int code, unsigned c)
{
    static const float e2m1[] = { 0, 0.5f, 1, 1.5f, 2, 3, 4, 6 };
    switch (code) {
    case MER_INT8:
        return (float)((int)c - (c > 127 ? 256 : 0));
    case MER_INT4:
        return (float)((int)c - (c > 7 ? 16 : 0));
    case MER_E4M3:
        return (c & 0x7f) == 0x7f ? NAN : 256 * from_f16((uint16_t)((c & 0x80) << 8 | (c & 0x7f) << 7));
    case MER_E5M2:
        return from_f16((uint16_t)(c << 8));
    case MER_E2M1:
        return c > 7 ? -e2m1[c - 8] : e2m1[c];
    default:
        return (float)c;
    }
}

/* Completes a cache whose `of`, lines and width are set. */
static void lay_cache(struct coded_cache *c, int32_t *column)
{
    const int64_t last = c->of.columns - 1;
    int each = 1, one = 1;
    c->bytes = is_small(c->of.code) ? (c->width + 1) / 2 : c->width, c->column = column;
    for (unsigned k = 0; k < 16; k++)
        c->table[k] = number_of(c->of.code, k);
    for (int64_t t = 0; t < tile_whole(c->width, 16); t++) {
        const int64_t in = t < c->width ? t : c->width - 1, at = in / c->of.width;
        column[t] = (int32_t)(at < last ? at : last);
        each &= column[t] == in, one &= column[t] == column[t / 16 * 16];
    }
    c->shift = column[c->width - 1] == 0 ? 62 : -1;
    for (int k = 4; k < 31; k++)
        c->shift = c->of.width == (int64_t)1 << k && (c->width - 1) >> k <= last ? k : c->shift;
    c->lie = column[c->width - 1] == 0 ? CODED_LINE : one ? CODED_ONE : each ? CODED_EACH : CODED_ANY;
}
/* Makes the room of a problem; 0: there is no memory.  The caller frees x->room. */
static int coded_open(struct coded_problem *x)
{
    const int64_t heads = tile_whole(x->h / x->g < TILE_MOST ? x->h / x->g : TILE_MOST, TILE_ROWS),
                  some = heads ? TILE_MOST / heads : 1;
    x->rows = heads * (some < x->n ? some : x->n);
    x->x = (struct tile_rows){ .q_wide = tile_whole(x->d, 16), .acc_wide = tile_whole(x->e, 64) };
    const int64_t columns = x->x.q_wide + x->x.acc_wide,
                  floats = tile_floats(&x->x, x->rows) + (TILE_KEYS + 1) * columns + 16;
    x->room = aligned_alloc(64, (size_t)tile_whole(floats, 16) * sizeof(float));
    if (!x->room)
        return 0;
    memset(x->room, 0, (size_t)tile_whole(floats, 16) * sizeof(float));
    float *room = x->room;
    tile_place(&x->x, x->rows, &room);
    x->keys = tile_take(&room, TILE_KEYS * x->x.q_wide), x->values = tile_take(&room, TILE_KEYS * x->x.acc_wide);
    int32_t *column = (int32_t *)(void *)tile_take(&room, columns);
    lay_cache(&x->k, column), lay_cache(&x->v, column + x->x.q_wide);
    return 1;
}

/* Whether a cache is one: a code that is known, and blocks. */
static int sound(const struct mer_codes *c, int64_t lines)
{
    const int64_t most = (int64_t)1 << 40;
    return c->code >= 0 && c->code < CODES && c->rows > 0 && c->columns > 0 && c->tokens > 0 && c->width > 0 &&
        c->rows <= most && c->columns <= INT32_MAX && (lines == 0 || (c->codes && c->scale));
}
/* Whether every rule is 0 that a cache of codes does not know. */
static int plain(const struct mer_attention *a)
{
    const struct mer_lay *lay[] = { &a->q_lay, &a->k_lay, &a->v_lay, &a->o_lay };
    int none = !a->bias && !a->bias1 && !a->keep && !a->right && !a->prefix && !a->chunk && !a->start && !a->first &&
        !a->padding && !a->cap_after && !a->mask && !a->sink && !a->warmth && !a->tiled && !a->bias_first &&
        !a->empty && !a->cu_q && !a->cu_k && !a->documents;
    for (int k = 0; k < 4; k++)
        none &= !lay[k]->head && !lay[k]->row;
    return none;
}
static struct coded_problem problem(const struct mer_attention *a, const struct mer_codes *k, const struct mer_codes *v)
{
    return (struct coded_problem){ .h = a->h, .g = a->g, .n = a->n, .m = a->m, .d = a->d, .e = a->e,
        .scale = a->scale == 0 ? (float)(1 / sqrt((double)a->d)) : a->scale, .cap = a->cap,
        .all = a->causal == MER_ALL, .binary = a->binary != 0, .window = a->window,
        .place = a->causal == MER_BOTTOM_RIGHT ? a->m - a->n : a->causal == MER_OFFSET ? a->offset : 0,
        .k = { .of = *k, .lines = a->m, .width = a->d }, .v = { .of = *v, .lines = a->m, .width = a->e } };
}

/* The numbers of a cache of g heads as float32, which the caller frees; NULL without memory. */
static float *unpacked(const struct coded_cache *c, int64_t g)
{
    float *y = malloc((size_t)(g * c->lines * c->width + 1) * sizeof *y);
    for (int64_t at = 0; y && at < g * c->lines * c->width; at++) {
        const int64_t line = at / c->width, in = at % c->width, small = is_small(c->of.code),
                      block = (line / c->lines * c->of.rows + coded_row(c, line % c->lines)) * c->of.columns +
            c->column[in];
        const unsigned byte = c->of.codes[line * c->bytes + (small ? in / 2 : in)];
        const float x = number_of(c->of.code, small ? byte >> 4 * (in % 2) & 15 : byte), s = c->of.scale[block],
                    zero = c->of.zero ? c->of.zero[block] : 0;
        y[at] = !c->of.zero ? x * s : c->of.after ? x * s + zero : (x - zero) * s;
    }
    return y;
}
/* Without vectors: the cache is unpacked as a whole, and row attention's kernel does the rest. */
static int by_floats(const struct coded_problem *x, const struct mer_attention *a)
{
    const int64_t queries = x->h * x->n;
    float *k = unpacked(&x->k, x->g), *v = unpacked(&x->v, x->g),
          *q = malloc((size_t)(queries * (x->d + x->e) + 1) * sizeof *q), *o = q ? q + queries * x->d : NULL;
    int rc = k && v && q ? MER_OK : MER_BAD;
    for (int64_t t = 0; rc == MER_OK && t < queries * x->d; t++)
        q[t] = load_float(x->q, t, x->type);
    rc = rc == MER_OK && !mer_attention_f32(x->o ? o : NULL, x->lse, q, k, v, a, NULL) ? MER_OK : MER_BAD;
    for (int64_t t = 0; rc == MER_OK && x->o && t < queries * x->e; t++)
        store_float(x->o, t, o[t], x->type);
    free(k), free(v), free(q);
    return rc;
}
static int attend(struct coded_problem *x, const struct mer_attention *a)
{
    if (!plain(a) || !mer_attention_scratch(a) || !sound(&x->k.of, a->m) || !sound(&x->v.of, a->m) || !coded_open(x))
        return -1;
    const int level = mer_isa_level(),
              rc = level >= 2 ? coded_avx512(x) : level == 1 ? coded_avx2(x) : by_floats(x, a);
    free(x->room);
    return rc == MER_OK ? 0 : -1;
}
int mer_attention_codes_f32(float *o, float *lse, const float *q, const struct mer_codes *k, const struct mer_codes *v,
    const struct mer_attention *a)
{
    struct coded_problem x = problem(a, k, v);
    x.q = q, x.o = o, x.lse = lse, x.type = x.lse_type = MER_F32;
    return attend(&x, a);
}
int mer_attention_codes_bf16(uint16_t *o, float *lse, const uint16_t *q, const struct mer_codes *k,
    const struct mer_codes *v, const struct mer_attention *a)
{
    struct coded_problem x = problem(a, k, v);
    x.q = q, x.o = o, x.lse = lse, x.type = MER_BF16, x.lse_type = MER_F32;
    return attend(&x, a);
}

/* of[b]: the code of the number whose bits begin with b, or -1; every number of a code is one of bf16. */
enum { HALVES = 1 << 16 };
static void codes_of_halves(int16_t *of, int code)
{
    memset(of, -1, HALVES * sizeof *of);
    of[0x8000] = 0; /* -0, where no code has it */
    for (int c = 0; c < (is_small(code) ? 16 : 256); c++)
        of[to_bf16(number_of(code, (unsigned)c))] = (int16_t)c;
}
static int code_of(const int16_t *of, float x)
{
    return x != x ? of[to_bf16(NAN)] : bits_of(x) & 0xffff ? -1 : of[bits_of(x) >> 16];
}
static float *floats_in(const struct mer_call *c, const char *name)
{
    const struct mer_array *a = mer_in(c, name);
    float *y = a ? malloc((size_t)(mer_count(a) + 1) * sizeof *y) : NULL;
    for (int64_t t = 0; y && t < mer_count(a); t++)
        y[t] = load_float(a->data, t, a->type);
    return y;
}
/* The names of what belongs to keys and to values. */
static const char *const of_keys[] = { "k", "k_scale", "k_zero", "k_tokens", "k_width", "k_code" };
static const char *const of_values[] = { "v", "v_scale", "v_zero", "v_tokens", "v_width", "v_code" };
/* A MER_ answer, as coded_pack. */
static int pack(const struct mer_call *c, const char *const *name, struct mer_codes *to)
{
    static const char *const names[] = { "int8", "uint8", "int4", "uint4", "e4m3", "e5m2", "e2m1" };
    const struct mer_array *a = mer_in(c, name[0]), *s = mer_in(c, name[1]);
    const int64_t width = a->dim[2], lines = a->dim[0] * a->dim[1];
    int code = 0, rc = MER_OK;
    while (code < CODES && !mer_is(c, name[5], names[code]))
        code++;
    if (code == CODES)
        return MER_SKIP;
    const int64_t small = is_small(code), bytes = small ? (width + 1) / 2 : width;
    int16_t *of = malloc(HALVES * sizeof *of);
    uint8_t *codes = calloc((size_t)(lines * bytes) + 1, 1);
    *to = (struct mer_codes){ code, codes, floats_in(c, name[1]), floats_in(c, name[2]), s->dim[1], s->dim[2],
        mer_int(c, name[3]), mer_int(c, name[4]), mer_is(c, "zero", "after") };
    if (!of || !codes || !to->scale || (mer_in(c, name[2]) && !to->zero))
        rc = MER_BAD;
    else
        codes_of_halves(of, code);
    for (int64_t at = 0; rc == MER_OK && at < lines * width; at++) {
        const int64_t in = at % width;
        const int y = code_of(of, load_float(a->data, at, a->type));
        if (y < 0)
            rc = MER_SKIP;
        else
            codes[at / width * bytes + (small ? in / 2 : in)] |= (uint8_t)(small ? y << 4 * (in % 2) : y);
    }
    free(of);
    return rc;
}
void coded_release(struct mer_codes *x)
{
    free((void *)(uintptr_t)x->codes), free((void *)(uintptr_t)x->scale), free((void *)(uintptr_t)x->zero);
}
int coded_pack(const struct mer_call *c, struct mer_codes *k, struct mer_codes *v)
{
    *k = *v = (struct mer_codes){ 0 };
    const int rc = pack(c, of_keys, k);
    return rc == MER_OK ? pack(c, of_values, v) : rc;
}

static int asked(const struct mer_call *c, const struct mer_codes *k, const struct mer_codes *v, coded_attend *by)
{
    const struct mer_array *q = mer_in(c, "q"), *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    const struct mer_attention a = { .h = q->dim[0], .g = mer_in(c, "k")->dim[0], .n = q->dim[1],
        .m = mer_in(c, "k")->dim[1], .d = q->dim[2], .e = mer_in(c, "v")->dim[2],
        .causal = mer_is(c, "causal", "none")      ? MER_ALL :
            mer_is(c, "causal", "topleft")         ? MER_TOP_LEFT :
            mer_is(c, "causal", "bottomright")     ? MER_BOTTOM_RIGHT :
                                                     MER_OFFSET,
        .offset = mer_is(c, "causal", "offset") ? mer_int(c, "offset") : 0, .window = mer_int(c, "window"),
        .cap = (float)mer_real(c, "cap"), .scale = (float)mer_real(c, "scale"), .binary = mer_is(c, "base", "2") };
    struct coded_problem x = problem(&a, k, v);
    if (!a.g || a.h % a.g || !sound(k, a.m) || !sound(v, a.m))
        return MER_SKIP;
    x.q = q->data, x.o = o ? o->data : NULL, x.lse = lse ? lse->data : NULL, x.type = x.lse_type = q->type;
    if (!coded_open(&x))
        return MER_BAD;
    const int rc = by(&x);
    free(x.room);
    return rc;
}
int coded_run(const struct mer_call *c, coded_attend *by)
{
    struct mer_codes k, v;
    int rc = coded_pack(c, &k, &v);
    rc = rc == MER_OK ? asked(c, &k, &v, by) : rc;
    coded_release(&k), coded_release(&v);
    return rc;
}
