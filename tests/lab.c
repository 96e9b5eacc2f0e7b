/* The laboratory: gradients of every block of every encoding, training that repeats itself bit by bit, checkpoints. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "lab/train/gradcheck.h"

Test(lab, every_blocks_gradient_is_the_slope_of_the_loss)
{
    /* Limits of the relative error of a gradient: in float64, and by float32 kernels, where 2e-6 was seen.  An array in
     * the wrong place is off by about 1. */
    static const double claim = 1e-6, kernels = 1e-4;
    struct gradcheck g[BLOCKS_MOST];
    char err[600];
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        int n = gradcheck(e->name, &gradcheck_size, 3, NULL, g, err, sizeof err);
        cr_assert_gt(n, 0, "%s: %s", e->name, err);
        for (int k = 0; k < n; k++)
            cr_expect(g[k].norm > 1e-4 && g[k].difference <= claim && g[k].kernels <= kernels,
                "%s %s: |g| %g, difference %g, kernels %g", e->name, g[k].block, g[k].norm, g[k].difference,
                g[k].kernels);
    }
}

Test(lab, a_block_with_another_gradient_is_seen_and_no_other)
{
    struct gradcheck g[BLOCKS_MOST], spoilt[BLOCKS_MOST];
    char err[600];
    int n = gradcheck("shaw", &gradcheck_size, 5, NULL, g, err, sizeof err);
    for (int k = 0; k < n; k++) {
        cr_assert_eq(gradcheck("shaw", &gradcheck_size, 5, g[k].block, spoilt, err, sizeof err), n);
        for (int i = 0; i < n; i++)
            cr_expect((spoilt[i].difference <= 1e-6) == (i != k), "%s doubled: %s off by %g", g[k].block, g[i].block,
                spoilt[i].difference);
    }
}

Test(lab, sizes_that_fit_no_model_and_unknown_encodings_are_refused)
{
    struct model m;
    char err[600];
    struct lab_size s = gradcheck_size;
    cr_expect_eq(model_open(&m, "nonesuch", &s, err, sizeof err), -1);
    cr_expect(strstr(err, "nonesuch") && strstr(err, "alibi"), "%s", err);
    s.heads = 5;
    cr_expect_eq(model_open(&m, "none", &s, err, sizeof err), -1);
    cr_expect(strstr(err, "5 heads, 12 channels"), "%s", err);
    s = gradcheck_size, s.reach = 4;
    cr_expect_eq(model_open(&m, "none", &s, err, sizeof err), -1);
}
