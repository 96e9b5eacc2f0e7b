/* The tests of the subject: of `forgotten` none, of `larger` all that can be told. */
#include <criterion/criterion.h>
#include "subject.h"

Test(alarm, an_area_is_a_product) { cr_expect_eq(area(3, 5), 15); }
Test(alarm, the_larger_is_one_of_both) { cr_expect(larger(1, 4) == 4 && larger(4, 1) == 4 && larger(-3, -3) == -3); }
Test(alarm, steps_add) { cr_expect(steps(4) == 7 && steps(0) == 1); }
