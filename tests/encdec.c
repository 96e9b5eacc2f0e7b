/* The encoder-decoder Transformer: whose attention its masks are of, what its decoder reads, what its gradients sum up
 * and round, and what it refuses. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "compare/compare.h"
#include "layer/encdec.h"
#include "page_line.h"
#include "trial/trial.h"

static void fill(struct mer_array *a, long from, long to, double x)
{
    for (long k = from; k < to; k++)
        array_put(a, k, x);
}

/* Neither `causal` nor `cross_causal` is of the encoder: what it answers is the same under each. */
Test(encdec, masks_of_the_decoder_are_not_of_the_encoder)
{
    static const char *const params[] = { "causal=none heads=1 width=2", "causal=topleft heads=1 width=2" };
    double first[64];
    for (int k = 0; k < 2; k++) {
        struct trial t;
        char err[400];
        const struct trial_spec of = { "encdec", params[k], "encoded", MER_F64, "m=3 c=2", 5 };
        cr_assert_eq(trial_make(&t, &of, err, sizeof err), 0, "%s", err);
        const size_t n = (size_t)array_len(&t.out[0]);
        cr_assert(n > 0 && n <= 64);
        reference_run(&t, &(struct arith){ 0 });
        if (k)
            cr_expect_eq(memcmp(first, t.out[0].data, n * sizeof *first), 0, "another answer under causal=topleft");
        memcpy(first, t.out[0].data, n * sizeof *first);
        trial_close(&t);
    }
}

/* Where heads are together wider than the rows: without values nothing goes through wo, and its gradient is 0; that of
 * bo is what comes back. */
Test(encdec, gradients_of_heads_that_are_wider_than_rows_lie_apart)
{
    static const char *const out[] = { "dwo", "dbo" };
    for (int o = 0; o < 2; o++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "encdec", "heads=1 width=3", out[o], MER_F32, "n=1 m=1 c=2 f=2 v=3", 5 },
            "", EXACT);
        struct mer_array *wi = trial_in(&x.t, "wi");
        for (long k = 0; k < array_len(wi); k++)
            array_put(wi, k, 0);
        line_ask(&x);
        for (long k = 0; k < x.w.len; k++)
            cr_expect_eq(b_value(x.y[k]) != 0, o, "%s[%ld]: %g", out[o], k, b_value(x.y[k]));
        line_close(&x);
    }
}
/* depth=last reads the last block of the encoder at every depth, depth=each the block of the decoder's own: the first
 * block of the decoder changes with the second of the encoder under the one, and not under the other. */
Test(encdec, a_decoder_reads_the_last_block_of_the_encoder)
{
    static const char *const words[] = { "encoders=2 decoders=1 heads=1 width=1 depth=last",
        "encoders=2 decoders=1 heads=1 width=1 depth=each" };
    for (int each = 0; each < 2; each++) {
        struct page_line x[2];
        for (int other = 0; other < 2; other++) {
            line_open(&x[other], &(struct trial_spec){ "encdec", words[each], "decoded", MER_F32, "n=1 m=2 c=2 f=2",
                5 }, "", EXACT);
            struct mer_array *gain = trial_in(&x[other].t, "gf"); /* [blocks, c], two of the encoder first */
            fill(gain, 2, 4, other ? 3 : 1);
            line_ask(&x[other]);
        }
        cr_expect_eq(b_overlap(x[0].y[0], x[1].y[0]), each, "%s: %g and %g", words[each], b_value(x[0].y[0]),
            b_value(x[1].y[0]));
        line_close(&x[0]), line_close(&x[1]);
    }
}

/* Where the decoder's rows are all 1, what is left of the head's gradient is that of the logits, which is a difference
 * that one step rounds. */
Test(encdec, gradients_of_logits_are_rounded_as_differences)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "encdec", "heads=1 width=1", "dhead", MER_F32, "n=1 m=1 c=2 f=2 v=3 sf", 5 },
        "off=bf16", ROUND);
    struct mer_array *gain = trial_in(&x.t, "gf"), *shift = trial_in(&x.t, "sf");
    fill(gain, 0, array_len(gain), 0), fill(shift, 0, array_len(shift), 1);
    line_ask(&x);
    for (long k = 0; k < x.w.len; k++)
        cr_expect(mpfr_regular_p(x.y[k]->mid) && mpfr_min_prec(x.y[k]->mid) <= 8, "number %ld: %.17g", k,
            b_value(x.y[k]));
    line_close(&x);
}

/* A block whose cross-attention gives nothing has nothing for the memory.  Under "overwritten" what the first block of
 * the decoder gives, the last one on the way back, is all there is. */
Test(encdec, overwritten_gradients_of_the_memory_are_those_of_the_first_block)
{
    for (int without = 0; without < 2; without++)
        for (int fault = 0; fault < 2; fault++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ "encdec", "decoders=2 heads=1 width=2", "dsrc", MER_F32,
                "n=2 m=2 c=3 f=2 v=3", 5 }, "", EXACT);
            x.a.fault = fault ? FAULT_OVERWRITTEN : FAULT_NONE;
            struct mer_array *xo = trial_in(&x.t, "xo");
            const long one = array_len(xo) / 2;
            fill(xo, without * one, (without + 1) * one, 0);
            line_ask(&x);
            double most = 0;
            for (long k = 0; k < x.w.len; k++)
                most = fmax(most, fabs(b_value(x.y[k])));
            cr_expect_eq(most < 0x1p-60, fault && !without, "without block %d, fault %d: up to %g", without, fault,
                most);
            line_close(&x);
        }
}

/* Positions are as wide as the source, and row sinusoid has no such width as this. */
Test(encdec, a_source_too_wide_for_positions_is_a_misfit)
{
    struct mer_array src = { .name = "src", .type = MER_F32, .rank = 2, .dim = { 1, 1L << 40 } };
    const struct mer_call c = { .n_in = 1, .in = &src };
    char why[300] = "";
    struct encdec p = { .positions = FIRST };
    cr_expect_eq(encdec_misfit(&p, &c, why, sizeof why), -1);
    cr_expect(strstr(why, "positions that are added to src[m,1099511627776]"), "%s", why);
    p.positions = NONE;
    cr_expect_eq(encdec_misfit(&p, &c, why, sizeof why), 0);
    src.dim[1] = 8, p.positions = EVERY;
    cr_expect_eq(encdec_misfit(&p, &c, why, sizeof why), 0);
}

/* The norm behind the last block has the stack's eps: where that is huge, nothing but its shift is left. */
Test(encdec, the_norm_at_the_end_has_the_eps_of_the_stack)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "encdec", "heads=1 width=1 final=always eps=1000000000000", "encoded", MER_F32,
        "m=2 c=4 f=2", 5 }, "", EXACT);
    struct mer_array *first = trial_in(&x.t, "ga"), *second = trial_in(&x.t, "gf");
    /* What the block's own norms make small they make large again. */
    fill(first, 0, array_len(first), 1e6), fill(second, 0, array_len(second), 1e6);
    line_ask(&x);
    for (long k = 0; k < x.w.len; k++)
        cr_expect(fabs(b_value(x.y[k])) < 0x1p-10, "number %ld: %g", k, b_value(x.y[k]));
    line_close(&x);
}
