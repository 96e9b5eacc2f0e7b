/* The encoder-decoder Transformer: whose attention its masks are of. */
#include <criterion/criterion.h>
#include <string.h>
#include "compare/compare.h"
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
