/* Caches of codes by the installed functions: against row attention of the numbers that the codes stand for, at every
 * instruction set; NaN shows where it is seen; and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include "libmeridian.h"

enum { H = 4, G = 2, N = 2, M = 70, D = 129, E = 128 };
static const char *const isas[] = { "scalar", "avx2", "avx512" };
static uint8_t codes[2][G * M * D];
static float scale[G * M * D], zero[G * M * D], q[H * N * D], k[G * M * D], v[G * M * E];

/* A number of a code by the definition of its format: sign, exponent of `e` bits, mantissa of `m` bits. */
static float by_fields(unsigned c, int e, int m)
{
    const int bias = (1 << (e - 1)) - 1, exponent = (int)(c >> m) & ((1 << e) - 1);
    const double part = (double)(c & ((1u << m) - 1)) / (1 << m);
    const double x = exponent ? ldexp(1 + part, exponent - bias) : ldexp(part, 1 - bias);
    return (float)(c >> (e + m) & 1 ? -x : x);
}
static float number(int code, unsigned c)
{
    const int whole[] = { (int8_t)c, (int)c, (int)(c ^ 8) - 8, (int)c };
    return code <= MER_UINT4 ? (float)whole[code] :
        code == MER_E4M3     ? by_fields(c, 4, 3) :
        code == MER_E5M2     ? by_fields(c, 5, 2) :
                               by_fields(c, 2, 1);
}
static int is_small(int code) { return code == MER_INT4 || code == MER_UINT4 || code == MER_E2M1; }

/* Fills a cache and the numbers y[G][M][width] that it stands for. */
static void fill(struct mer_codes *x, uint8_t *to, float *y, int width)
{
    const int small = is_small(x->code), bytes = small ? (width + 1) / 2 : width;
    memset(to, 0, (size_t)(G * M * bytes));
    for (int at = 0; at < G * M * width; at++) {
        const int line = at / width, c = at % width, j = line % M;
        /* Without the greatest exponent, which has infinities and NaN. */
        const unsigned keep = x->code >= MER_E4M3 && !small ? 0xbf : 0xff,
                       code = (unsigned)(at * 37 + line * 11 + 5) % (small ? 16 : 256) & keep;
        const int64_t row = j / x->tokens < x->rows ? j / x->tokens : x->rows - 1,
                      column = c / x->width < x->columns ? c / x->width : x->columns - 1,
                      block = (line / M * x->rows + row) * x->columns + column;
        to[line * bytes + (small ? c / 2 : c)] |= (uint8_t)(small ? code << 4 * (c % 2) : code);
        y[at] = x->after ? number(x->code, code) * scale[block] + (x->zero ? zero[block] : 0) :
                           (number(x->code, code) - (x->zero ? zero[block] : 0)) * scale[block];
    }
    x->codes = to, x->scale = scale;
}
static void numbers(void)
{
    for (int t = 0; t < G * M * D; t++)
        scale[t] = ldexpf((float)(1 + t % 7), -7), zero[t] = (float)(t % 5) / 4;
    for (int t = 0; t < H * N * D; t++)
        q[t] = (float)((t * 29) % 17 - 8) / 32;
}

/* Blocks of each kind: a scale for all, one a token, blocks of channels in whole vectors and across them, one a
 * channel; zeros before and after. */
static const struct blocks { struct mer_codes of; } blocks[] = {
    { { .rows = 1, .columns = 1, .tokens = 1, .width = 1 } },
    { { .rows = M, .columns = 1, .tokens = 1, .width = 16 } },
    { { .rows = M, .columns = 4, .tokens = 1, .width = 32 } },
    { { .rows = 3, .columns = 43, .tokens = 32, .width = 3 } },
    { { .rows = 3, .columns = D, .tokens = 32, .width = 1, .zero = zero, .after = 1 } },
    { { .rows = M, .columns = 8, .tokens = 1, .width = 16, .zero = zero } },
};
Test(coded, every_code_and_block_is_attention_of_its_numbers)
{
    static float o[H * N * E], want[H * N * E], lse[H * N], l[H * N];
    numbers();
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (int code = MER_INT8; code <= MER_E2M1; code++)
            for (int d = 128; d <= D; d++)
                for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
                    struct mer_codes x = blocks[b].of, y = blocks[b].of;
                    struct mer_attention a = { .h = H, .g = G, .n = N, .m = M, .d = d, .e = E,
                        .causal = MER_BOTTOM_RIGHT, .window = b % 2 ? 40 : 0, .cap = b == 2 ? 5 : 0 };
                    x.code = y.code = code;
                    fill(&x, codes[0], k, d), fill(&y, codes[1], v, E);
                    setenv("MERIDIAN_ISA", isas[isa], 1);
                    cr_assert_eq(mer_attention_codes_f32(o, lse, q, &x, &y, &a), 0);
                    cr_assert_eq(mer_attention_f32(want, l, q, k, v, &a, NULL), 0);
                    float most = 0, off = 0;
                    for (int t = 0; t < H * N * E; t++)
                        most = fmaxf(most, fabsf(want[t])), off = fmaxf(off, fabsf(o[t] - want[t]));
                    for (int t = 0; t < H * N; t++)
                        off = fmaxf(off, fabsf(lse[t] - l[t]));
                    cr_expect(off <= 1e-4f * (most + 1), "blocks %zu, code %d, d %d, %s: %g of %g", b, code, d,
                        isas[isa], (double)off, (double)most);
                }
    unsetenv("MERIDIAN_ISA");
}

/* Queries and scales so large and so small that neither a query's product with codes nor a weight's with a scale would
 * keep its bits, though scores are moderate. */
Test(coded, scales_of_any_size_keep_all_bits)
{
    static float o[H * N * E], want[H * N * E];
    static const int sizes[] = { 124, 120, -100, 61, 60, -60 };
    float lse[H], l[H];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int code = MER_INT8; code <= MER_E2M1; code++)
            for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
                struct mer_codes x = blocks[1].of, y = blocks[1].of;
                const struct mer_attention a = { .h = H, .g = G, .n = 1, .m = M, .d = 128, .e = E };
                numbers();
                for (int t = 0; t < G * M; t++)
                    scale[t] = ldexpf(scale[t], -sizes[s]);
                for (int t = 0; t < H * 128; t++)
                    q[t] = ldexpf(q[t], sizes[s]);
                x.code = y.code = code;
                fill(&x, codes[0], k, 128), fill(&y, codes[1], v, E);
                setenv("MERIDIAN_ISA", isas[isa], 1);
                cr_assert_eq(mer_attention_codes_f32(o, lse, q, &x, &y, &a), 0);
                cr_assert_eq(mer_attention_f32(want, l, q, k, v, &a, NULL), 0);
                float most = 0, off = 0;
                for (int t = 0; t < H * E; t++)
                    most = fmaxf(most, fabsf(want[t])), off = fmaxf(off, fabsf(o[t] - want[t]));
                cr_expect(off <= 1e-4f * most && most < INFINITY, "2^%d, code %d, %s: %g of %g", sizes[s], code,
                    isas[isa], (double)off, (double)most);
                for (int t = 0; t < H; t++)
                    cr_expect(fabsf(lse[t] - l[t]) <= 1e-4f * (1 + fabsf(l[t])), "2^%d, code %d, %s: lse %g, %g",
                        sizes[s], code, isas[isa], (double)lse[t], (double)l[t]);
            }
    unsetenv("MERIDIAN_ISA");
}

/* The NaN of e4m3 and the infinity of e5m2 show in the queries that see them, and in no others. */
Test(coded, a_number_that_is_none_shows_where_it_is_seen)
{
    static float o[H * N * E];
    static const struct { int code; uint8_t is; } list[] = { { MER_E4M3, 0x7f }, { MER_E4M3, 0xff },
        { MER_E5M2, 0x7e } };
    numbers();
    for (size_t c = 0; c < sizeof list / sizeof *list; c++)
        for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
            struct mer_codes x = blocks[1].of, y = blocks[1].of;
            x.code = y.code = list[c].code;
            fill(&x, codes[0], k, 128), fill(&y, codes[1], v, E);
            codes[1][(M - 1) * E + 3] = list[c].is; /* the last key of head 0, which the last query alone sees */
            setenv("MERIDIAN_ISA", isas[isa], 1);
            cr_assert_eq(mer_attention_codes_f32(o, NULL, q, &x, &y, &(struct mer_attention){ .h = H, .g = G, .n = N,
                .m = M, .d = 128, .e = E, .causal = MER_BOTTOM_RIGHT }), 0);
            for (int t = 0; t < H * N * E; t++)
                cr_expect_eq(isnan(o[t]) != 0, t % E == 3 && t / E % N == 1 && t / E / N < H / G, "%zu %s: %d is %g", c,
                    isas[isa], t, (double)o[t]);
        }
    unsetenv("MERIDIAN_ISA");
}

Test(coded, what_a_cache_cannot_be_is_refused)
{
    static float o[H * N * E];
    const struct mer_attention good = { .h = H, .g = G, .n = N, .m = M, .d = 128, .e = E };
    struct mer_attention bad[] = { good, good, good, good };
    bad[0].g = 3, bad[1].bias = scale, bad[2].prefix = 1, bad[3].q_lay.row = 256;
    struct mer_codes x = { .codes = codes[0], .scale = scale, .rows = 1, .columns = 1, .tokens = 1, .width = 1 },
                     none[] = { x, x, x, x, x };
    none[0].code = MER_E2M1 + 1, none[1].rows = 0, none[2].tokens = 0, none[3].scale = NULL, none[4].width = -1;
    cr_expect_eq(mer_attention_codes_f32(o, NULL, q, &x, &x, &good), 0);
    for (size_t t = 0; t < sizeof bad / sizeof *bad; t++)
        cr_expect_eq(mer_attention_codes_f32(o, NULL, q, &x, &x, &bad[t]), -1, "%zu", t);
    for (size_t t = 0; t < sizeof none / sizeof *none; t++) {
        cr_expect_eq(mer_attention_codes_f32(o, NULL, q, &none[t], &x, &good), -1, "keys %zu", t);
        cr_expect_eq(mer_attention_codes_f32(o, NULL, q, &x, &none[t], &good), -1, "values %zu", t);
    }
}
