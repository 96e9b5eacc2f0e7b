/* Dense products and the layer made of them: every stride and transpose, with and without the library, contained, and
 * beyond any fixed number of keys. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "compare/compare.h"
#include "subject/contain.h"
#include "block/gemm.h"
#include "kernels.h"
#include "trial/trial.h"

enum { M = 7, N = 18, K = 5, WIDE = 23 };
static float number(int k) { return (float)(k * 37 % 101 - 50) / 8; }

/* Small dyadic numbers: every sum is exact, in any order. */
static void products_are_exact(void)
{
    float a[WIDE * WIDE], b[WIDE * WIDE], c[WIDE * WIDE];
    for (int ta = 0; ta < 2; ta++)
        for (int tb = 0; tb < 2; tb++)
            for (int add = 0; add < 2; add++)
                for (int k = K; k >= 0; k -= K) {
                    for (int j = 0; j < WIDE * WIDE; j++)
                        a[j] = number(j), b[j] = number(3 * j + 1), c[j] = number(j + 2);
                    gemm_f32(c, WIDE, (struct gemm_of){ a, WIDE - 1, ta }, (struct gemm_of){ b, WIDE - 2, tb }, M, N, k,
                        add);
                    for (int i = 0; i < WIDE; i++)
                        for (int j = 0; j < WIDE; j++) {
                            float old = number(i * WIDE + j + 2), s = i < M && j < N && !add ? 0 : old;
                            for (int t = 0; t < k && i < M && j < N; t++)
                                s += a[ta ? t * (WIDE - 1) + i : i * (WIDE - 1) + t] *
                                    b[tb ? j * (WIDE - 2) + t : t * (WIDE - 2) + j];
                            cr_assert_eq(c[i * WIDE + j], s, "%s, transposed %d %d, add %d, k %d at %d %d: %g, not %g",
                                gemm_by(), ta, tb, add, k, i, j, (double)c[i * WIDE + j], (double)s);
                        }
                }
}
Test(layer, dense_products_take_any_stride_and_transpose) { products_are_exact(); }
Test(layer, without_the_library_own_tiles_or_loops_multiply)
{
    setenv("MERIDIAN_BLAS", "own", 1);
    products_are_exact();
    cr_expect_str_eq(gemm_by(), "own");
}

/* More rows than are copied at once, more of k than the depth of a tile, and columns with a rest; every element is one
 * chain of small dyadic numbers again. */
Test(layer, own_tiles_take_sizes_beyond_their_blocks)
{
    enum { ROWS = 101, COLUMNS = 131, DEPTH = 259, LINE = 300, ALL = LINE * LINE };
    static float a[ALL], b[ALL], c[ALL];
    void (*const tiles[])(float *, int64_t, struct gemm_of, struct gemm_of, int64_t, int64_t, int64_t,
        int) = { gemm_own_f32, gemm_tiles_avx2, gemm_tiles_avx512 };
    for (int which = 0; which < 8 * (1 + (mer_isa_level() > 2 ? 2 : mer_isa_level())); which++) {
        const int ta = which & 1, tb = which >> 1 & 1, add = which >> 2 & 1;
        for (int j = 0; j < ALL; j++)
            a[j] = number(j), b[j] = number(3 * j + 1), c[j] = number(j + 2);
        tiles[which / 8](c, LINE, (struct gemm_of){ a, LINE - 1, ta }, (struct gemm_of){ b, LINE - 2, tb }, ROWS,
            COLUMNS, DEPTH, add);
        for (int i = 0; i < ROWS + 7; i++)
            for (int j = 0; j < COLUMNS + 70; j++) {
                const float old = number(i * LINE + j + 2);
                float s = i < ROWS && j < COLUMNS && !add ? 0 : old;
                for (int t = 0; t < DEPTH && i < ROWS && j < COLUMNS; t++)
                    s += a[ta ? t * (LINE - 1) + i : i * (LINE - 1) + t] *
                        b[tb ? j * (LINE - 2) + t : t * (LINE - 2) + j];
                cr_assert_eq(c[i * LINE + j], s, "%s, tiles %d, transposed %d %d, add %d at %d %d: %g, not %g",
                    gemm_own_by(), which / 8, ta, tb, add, i, j, (double)c[i * LINE + j], (double)s);
            }
    }
}

static const struct mer_kernel *kernel_of(const char *out, const char *type)
{
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row; k++)
            if (!strcmp(k->row, "layer") && !strcmp(k->out, out) && !strcmp(k->type, type))
                return k;
    cr_assert_fail("no kernel of layer.%s", out);
    return NULL;
}

/* params and sizes of one case, asked of the kernel in a child of limited memory. */
static void judged(const char *out, const char *type, const char *params, const char *sizes)
{
    struct trial t;
    struct tally y;
    struct arith a;
    char err[400] = "";
    const struct mer_kernel *k = kernel_of(out, type);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layer", params, out, type_named(type), sizes, 5 }, err,
        sizeof err), 0, "%s", err);
    cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
    cr_assert_eq(
        contain_ask(k, &t.call, &usual_limits, err, sizeof err), MER_OK, "%s %s %s: %s", out, params, sizes, err);
    judge_outputs(&t, &a, 4, &y);
    cr_expect(tally_passes(&y), "%s %s %s %s: %ld over, %g of the bound at %ld | %ld: got %a want %a", out, type,
        params, sizes, y.over, y.ratio, y.at[0], y.k, y.got, y.want);
    trial_close(&t);
}
static const char *const shapes[][2] = {
    { "heads=3 kv_heads=3 width=5 value_width=2 split=strided stored=out-in", "n=9 c=7 bq bk bv bo" },
    { "heads=6 kv_heads=2 group=tile causal=bottomright left=3", "n=9 c=7 token bo" },
    { "heads=2 ones=hidden empty=nan", "n=9 c=5 token keep bias bv" },
    { "heads=2 causal=offset offset=2 right=1 biases=no-input", "n=9 keep bq bo" },
    { "heads=4 kv_heads=2 cap=3 scale=2 causal=topleft chunk=4", "n=9 sink bo" },
    { "heads=2 softmax1=on causal=bottomright prefix=3 window=2", "n=9" },
    { "heads=2 rope=on layout=interleaved scaling=yarn factor=4 trained=2048 causal=topleft empty=mean",
        "n=9 pos token" },
};
Test(layer, every_mask_bias_and_layout_is_within_its_bound)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        judged("y", "f32", shapes[k][0], shapes[k][1]);
        judged("y", "bf16", shapes[k][0], shapes[k][1]);
        char other[120];
        snprintf(other, sizeof other, "%s m=14 in_bias out_bias", shapes[k][1]);
        judged("cross", "f32", shapes[k][0], other);
        judged("fused", "bf16", shapes[k][0], other);
    }
}
Test(layer, gradients_under_every_mask_bias_and_layout_are_within_their_bounds, .timeout = 120)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        char cross[120], fused[120];
        snprintf(cross, sizeof cross, "%s m=14", shapes[k][1]),
            snprintf(fused, sizeof fused, "%s in_bias out_bias", shapes[k][1]);
        judged("dx dwq dwk dwv dwo dbq dbv", k % 2 ? "f32" : "bf16", shapes[k][0], shapes[k][1]);
        judged("dbk", "f32", shapes[k][0], shapes[k][1]);
        judged("dwo_cross", "f32", shapes[k][0], cross);
        judged("dbo", "bf16", shapes[k][0], shapes[k][1]);
        judged("dx_cross dkey dvalue dwq_cross dwk_cross dwv_cross dbq_cross dbv_cross", k % 2 ? "bf16" : "f32",
            shapes[k][0], cross);
        judged("dx_fused din_proj din_bias dout_proj", k % 2 ? "f32" : "bf16", shapes[k][0], fused);
    }
}
/* Each output asked alone has the bits that it has beside the others: dx is gathered from three projections, and needs
 * no gradients of their weights. */
Test(layer, a_gradient_alone_has_the_bits_it_has_beside_the_others)
{
    const struct mer_kernel *k = kernel_of("dx dwq dwk dwv dwo dbq dbv", "f32");
    for (int o = 0; o < 7; o++) {
        struct trial t;
        char err[400];
        float all[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layer", "heads=4 kv_heads=2 rope=on causal=topleft", k->out,
            MER_F32, "n=9 bq bv", 3 }, err, sizeof err), 0, "%s", err);
        size_t bytes = (size_t)array_len(&t.out[o]) * sizeof(float);
        cr_assert(mer_ask(k, &t.call) == MER_OK && bytes <= sizeof all);
        memcpy(all, t.out[o].data, bytes), memset(t.out[o].data, 0xff, bytes);
        struct mer_call c = t.call;
        c.out = &t.out[o], c.n_out = 1;
        cr_assert_eq(mer_ask(k, &c), MER_OK);
        cr_expect(!memcmp(all, t.out[o].data, bytes), "%s", t.out[o].name);
        trial_close(&t);
    }
}
/* Scores of one query once stood in an array of 1024. */
Test(layer, keys_beyond_1024_are_read)
{
    judged("cross", "f32", "heads=2", "n=2 m=1500 c=4");
    judged("y", "f32", "heads=2 causal=bottomright window=5", "n=1100 c=4 token");
}
Test(layer, the_own_loop_makes_the_same_layer)
{
    setenv("MERIDIAN_BLAS", "own", 1);
    judged("y", "f32", shapes[0][0], shapes[0][1]);
    judged("fused", "f32", shapes[1][0], "n=9 c=7 token in_bias out_bias");
}
Test(layer, nothing_in_nothing_out)
{
    struct trial t;
    char err[300];
    trial_make(&t, &(struct trial_spec){ "layer", "", "cross", MER_F32, "n=3 m=4 bo", 1 }, err, sizeof err);
    for (int k = 0; k < t.call.n_in; k++)
        if (!strcmp(t.in[k].name, "key") || !strcmp(t.in[k].name, "value"))
            t.in[k].dim[0] = 0;
    cr_assert_eq(mer_ask(kernel_of("cross", "f32"), &t.call), MER_OK);
    for (int k = 0; k < 18; k++)
        cr_expect_eq(
            ((float *)t.out[0].data)[k], ((float *)trial_in(&t, "bo")->data)[k % 6], "no keys: the bias alone");
    t.in[0].dim[0] = 0, t.out[0].dim[0] = 0;
    cr_expect_eq(mer_ask(kernel_of("cross", "f32"), &t.call), MER_OK);
    t.in[0].dim[0] = 3, t.out[0].dim[0] = 3;
    trial_close(&t);
}
Test(layer, a_wrong_size_is_named_with_the_right_one)
{
    static const struct { const char *params, *name; int axis; long size; const char *says; } list[] = {
        { "", "wq", 1, 9, "array 'wq' axis f is 9, expected 8" },
        { "", "wk", 0, 5, "array 'wk' axis c is 5, expected 6" },
        { "heads=4 kv_heads=2", "wv", 1, 16, "array 'wv' axis v is 16, expected 8" },
        { "heads=3 value_width=2", "wo", 0, 12, "array 'wo' axis u is 12, expected 6" },
        { "", "token", 0, 4, "array 'token' axis n is 4, expected 5" },
        { "", "bo", 0, 8, "array 'bo' axis c is 8, expected 6" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        char err[400] = "";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "layer", list[k].params, "y", MER_F32, "n=5 token bo", 1 },
            err, sizeof err), 0, "%s", err);
        trial_in(&t, list[k].name)->dim[list[k].axis] = list[k].size;
        cr_expect_neq(trial_check(&t, err, sizeof err), 0, "%s", list[k].name);
        cr_expect(strstr(err, list[k].says), "%s", err);
        trial_close(&t);
    }
    struct trial t;
    char err[400];
    cr_expect_neq(trial_make(&t, &(struct trial_spec){ "layer", "heads=4 kv_heads=3", "y", MER_F32, "", 1 }, err,
        sizeof err), 0);
    cr_expect_str_eq(err, "layer: kv_heads: must divide heads");
    trial_close(&t);
    cr_expect_neq(trial_make(&t, &(struct trial_spec){ "layer", "heads=0", "y", MER_F32, "", 1 }, err, sizeof err), 0);
    trial_close(&t);
}
