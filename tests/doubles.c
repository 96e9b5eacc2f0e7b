/* The softmax that scalar kernels of attention share: hidden keys, no keys, and scores that are no numbers. */
#include <criterion/criterion.h>
#include "recurrent/doubles.h"

Test(doubles, softmax_hides_keys_and_never_hides_what_is_no_number)
{
    static const double none = (double)-INFINITY, nan = (double)NAN;
    static const struct { double s[3]; int64_t n; double p[3], lse; } list[] = {
        { { 0, none, 0 }, 3, { 0.5, 0, 0.5 }, 0x1.62e42fefa39efp-1 },
        { { none, none, none }, 3, { 0, 0, 0 }, none },
        { { 7 }, 0, { 7 }, none }, /* Of no keys nothing is touched. */
        { { nan, nan, none }, 3, { nan, nan, nan }, nan },
        { { 1, nan, none }, 3, { nan, nan, nan }, nan },
        { { 3, (double)INFINITY, 2 }, 3, { nan, nan, nan }, nan },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double s[3];
        memcpy(s, list[k].s, sizeof s);
        const double lse = doubles_softmax(s, list[k].n);
        cr_expect(lse == list[k].lse || (isnan(lse) && isnan(list[k].lse)), "%zu: %g", k, lse);
        for (int j = 0; j < 3 && list[k].n; j++)
            cr_expect(s[j] == list[k].p[j] || (isnan(s[j]) && isnan(list[k].p[j])), "%zu, key %d: %g", k, j, s[j]);
    }
}
