/* The encoder-decoder Transformer: whose attention its masks are of. */
#include <criterion/criterion.h>
#include <string.h>
#include "compare/compare.h"
#include "page_line.h"
#include "trial/trial.h"

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
