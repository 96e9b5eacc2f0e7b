/* Differential attention: which half of which head of keys a half reads where they are repeated one by one, and what
 * its gradients, and those of latent attention, leave of the ask that wants them. */
#include <criterion/criterion.h>
#include "differential/differential.h"
#include "trial/trial.h"

/* The 2 G halves of keys are repeated one by one, H / G times each: half s of head h reads the one of place
 * floor((2 h + s) G / H). */
Test(differential, halves_of_keys_that_are_repeated_one_by_one)
{
    static const long heads[][2] = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 2 }, { 6, 2 }, { 8, 1 }, { 6, 3 } };
    const struct arith exact = { 0 };
    const struct differential p = { .keys = KEYS_REPEATED };
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        struct mer_array in[] = { { .name = "q1", .rank = 3, .dim = { heads[k][0], 1, 1 } },
            { .name = "v", .rank = 3, .dim = { heads[k][1], 1, 1 } } };
        const struct mer_call call = { .n_in = 2, .in = in };
        const struct ask w = { .params = &p, .call = &call, .arith = &exact };
        for (long x = 0; x < 2 * heads[k][0]; x++) {
            int of;
            const long place = x * heads[k][1] / heads[k][0], g = differ_key(&w, x / 2, (int)(x % 2), &of);
            cr_expect(g == place / 2 && of == place % 2, "%ld heads of %ld: half %ld reads half %d of %ld", heads[k][0],
                heads[k][1], x, of, g);
        }
    }
}

/* Gradients that are too many for the exact path leave it as it was for what is asked next. */
Test(differential, gradients_leave_the_path_as_it_was)
{
    static const struct { const char *row, *out, *sizes[2]; } list[] = {
        { "differential", "dv", { "h=1 g=1 n=2 m=2", "h=1 g=1 n=4 m=5" } },
        { "mla", "dw_uv", { "h=1 n=2 m=2", "h=1 n=4 m=5" } },
    };
    for (int k = 0; k < 8; k++) {
        struct trial t;
        const struct arith exact = { 0 };
        const struct ball *y[64];
        char err[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ list[k / 4].row, "", list[k / 4].out, MER_F64,
            list[k / 4].sizes[k / 2 % 2], 5 }, err, sizeof err), 0, "%s", err);
        struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .exact = k % 2,
            .len = t.out[0].dim[t.out[0].rank - 1] };
        ask_reset(&w, 100);
        line_page(&w, row_quantity(t.row, list[k / 4].out), NULL, y);
        cr_expect_eq(w.exact, k % 2, "%s, %s", list[k / 4].row, list[k / 4].sizes[k / 2 % 2]);
        ask_clear(&w), trial_close(&t);
    }
}
