/* Blocks and stacks of them: every option of the kernels within its bound, and wrong sizes named. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "adjoint.h"
#include "compare/compare.h"
#include "subject/contain.h"
#include "kernels.h"
#include "trial/trial.h"

static double judged(const char *row, const char *out, const char *type, const char *params, const char *sizes)
{
    struct trial t;
    struct tally y;
    struct arith a;
    char err[400] = "";
    const struct mer_kernel *k = NULL;
    for (const struct slot *s = slots; s->name && !k; s++)
        for (const struct mer_kernel *one = s->kernel; one->row && !k; one++)
            k = !strcmp(one->row, row) && !strcmp(one->out, out) && !strcmp(one->type, type) ? one : NULL;
    cr_assert(k);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, params, out, type_named(type), sizes, 11 }, err, sizeof err),
        0, "%s", err);
    cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
    cr_assert_eq(contain_ask(k, &t.call, &usual_limits, err, sizeof err), MER_OK, "%s %s: %s", params, sizes, err);
    judge_outputs(&t, &a, 3, &y);
    cr_expect(tally_passes(&y), "%s.%s %s %s %s: %ld over, %g of the bound at %ld | %ld: got %a want %a", row, out,
        type, params, sizes, y.over, y.ratio, y.at[0], y.k, y.got, y.want);
    trial_close(&t);
    return y.ratio; /* A ratio of 0 means that nothing was asked. */
}

static const char *const list[][2] = {
    { "order=pre residual=doubled causal=topleft", "n=5 m=3 bi bo b1 sa sf xb xc sx token" },
    { "residual=none norm=rms eps=1e-3 act=gelu-tanh", "n=5 m=3 b2 source" },
    { "order=parallel residual=doubled act=gelu", "n=4 m=3 sa" }, { "order=parallel residual=none", "n=3 m=4" },
    { "order=parallel gated=yes act=silu heads=4 kv_heads=2 group=tile value_width=3 window=2", "n=5 m=3 bg keep" },
    { "keys=own cross_causal=topleft logit_scale=1/3", "n=4 m=6 token source" },
    { "order=pre memory_norm=again cross_causal=bottomright rope=on layout=interleaved", "n=4 m=6 source" },
};
/* Parameters that row layer has and block has not (left, right) were once read as 0: every key but the query's own was
 * hidden. */
Test(block, every_option_is_within_its_bound)
{
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int type = 0; type < 2; type++)
            for (int decoder = 0; decoder < 2; decoder++)
                cr_expect(judged("block", decoder ? "decoder" : "encoder", type ? "bf16" : "f32", list[k][0],
                              list[k][1]) > 0);
}
static const char *const gradients[] = { "dx dwi dbi dwo dbo dga dw1 db1 dw2 db2",
    "dx_decoder dmemory_decoder dwi_decoder dbi_decoder dwo_decoder dbo_decoder dga_decoder dxi_decoder dxb_decoder "
        "dxo_decoder dxc_decoder dgx_decoder dw1_decoder db1_decoder dw2_decoder db2_decoder dgf_decoder" };
Test(block, gradients_under_every_option_are_within_their_bounds, .timeout = 120)
{
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int decoder = 0; decoder < 2; decoder++)
            cr_expect(judged("block", gradients[decoder], (k + (size_t)decoder) % 2 ? "bf16" : "f32", list[k][0],
                          list[k][1]) > 0);
}
/* Pages under options that no preset has, against dual numbers: what each residual, a normed memory, own keys, and each
 * depth do to every path. */
static void adjoint(const char *row, const char *out, const char *of, const char *params, const char *sizes)
{
    static const struct arith exact = { 0 };
    const struct row *r = row_named(row);
    struct trial t;
    const struct ball *forward, *backward;
    struct ask w = { .arith = &exact };
    char both[80], err[400];
    snprintf(both, sizeof both, "%s %s", out, of);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, params, both, MER_F64, sizes, 4 }, err, sizeof err), 0, "%s",
        err);
    ask_reset(&w, 192);
    bool decided = adjoint_sides(&w, r, row_quantity(r, out), t.params, &t.call, 9, &forward, &backward);
    cr_expect(decided && b_overlap(forward, backward) && b_radius(forward) < 0x1p-90 && b_radius(backward) < 0x1p-90,
        "%s under %s: forward %.17g +- %g, backward %.17g +- %g", out, params, b_value(forward), b_radius(forward),
        b_value(backward), b_radius(backward));
    ask_clear(&w), trial_close(&t);
}
Test(block, gradients_under_every_option_are_adjoints, .timeout = 120)
{
    static const char *const inputs[] = { "x", "memory", "wi", "ga", "gx", "gf", "xi", "w2" };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int of = 0; of < 16; of++) {
            char out[60];
            const bool decoder = of >= 8;
            snprintf(out, sizeof out, "d%s%s", inputs[of % 8], decoder ? "_decoder" : "");
            if (row_quantity(row_named("block"), out))
                adjoint("block", out, decoder ? "decoder" : "encoder", list[k][0], list[k][1]);
        }
}
static const char *const stacks[][2] = { { "encoders=2 decoders=1 depth=each", "n=2 m=3 bi b1 sa" },
    { "order=pre positions=every decoders=2", "n=3 m=2 source sl" },
    { "positions=none final=always width=2 depth=each encoders=2 decoders=3 memory_norm=again",
        "n=2 m=3 xb xc sx gl" } };
Test(block, gradients_of_stacks_are_adjoints, .timeout = 120)
{
    static const char *const inputs[] = { "dsrc", "dtgt", "dwi", "dbi", "dw1", "dga", "dxi", "dgx", "dgl", "dsl",
        "dhead" };
    for (size_t k = 0; k < sizeof stacks / sizeof *stacks; k++)
        for (size_t d = 0; d < sizeof inputs / sizeof *inputs; d++) {
            char sizes[120];
            snprintf(sizes, sizeof sizes, "%s %s", stacks[k][1], inputs[d] + 1);
            adjoint("encdec", inputs[d], "logprob", stacks[k][0], sizes);
        }
}
Test(block, stacks_are_within_their_bounds)
{
    static const char *const list[][2] = { { "encoders=2 decoders=1 depth=each", "n=2 m=3 bi b1 sa" },
        { "order=pre positions=every", "n=3 m=2 source sl" },
        { "positions=none final=always width=2", "n=2 m=3 xb xc sx" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        cr_expect(judged("encdec", "encoded", "f32", list[k][0], list[k][1]) > 0);
        cr_expect(judged("encdec", "decoded", "f32", list[k][0], list[k][1]) > 0);
    }
}
Test(block, gradients_of_stacks_are_within_their_bounds)
{
    static const char *const out =
        "dsrc dtgt dwi dbi dwo dbo dga dsa dw1 db1 dw2 db2 dgf dsf dxi dxb dxo dxc dgx dsx dhead";
    for (size_t k = 0; k < sizeof stacks / sizeof *stacks; k++) {
        char sizes[120];
        snprintf(sizes, sizeof sizes, "%s small", stacks[k][1]);
        cr_expect(judged("encdec", out, "f32", stacks[k][0], sizes) > 0);
        if (k)
            cr_expect(judged("encdec", "dgl dsl", "f32", stacks[k][0], sizes) > 0);
    }
}
Test(block, a_wrong_size_is_named_with_the_right_one)
{
    static const struct { const char *row, *out, *name; int axis; long size; const char *says; } list[] = {
        { "block", "encoder", "wi", 1, 20, "array 'wi' axis s is 20, expected 24" },
        { "block", "decoder", "memory", 1, 5, "array 'memory' axis c is 5, expected 6" },
        { "block", "decoder", "w2", 0, 8, "array 'w2' axis f is 8, expected 7" },
        { "encdec", "logits", "head", 0, 7, "array 'head' axis c is 7, expected 6" },
        { "encdec", "logits", "xi", 0, 2, "array 'xi' axis q is 2, expected 1" },
        { "encdec", "encoded", "wo", 0, 3, "array 'wo' axis l is 3, expected 2" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        char err[400] = "";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ list[k].row, "", list[k].out, MER_F32, "n=3 m=4", 1 }, err,
            sizeof err), 0, "%s", err);
        trial_in(&t, list[k].name)->dim[list[k].axis] = list[k].size;
        cr_expect_neq(trial_check(&t, err, sizeof err), 0, "%s", list[k].name);
        cr_expect(strstr(err, list[k].says), "%s", err);
        trial_close(&t);
    }
}
