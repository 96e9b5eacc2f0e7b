/* Multiplied positions: what the two forms do to the first token, in words of the command line; widths that are
 * undefined. */
#include <criterion/criterion.h>
#include "command.h"

static void says(const char *args, const char *line)
{
    cr_expect_eq(meridian("", args), 0, "%s: %s", args, err);
    cr_expect(strstr(out, line), "%s: %s", args, out);
}

Test(product, the_first_token_loses_half_of_itself_or_nothing)
{
    says("eval product z --pos 0 --x 3 --k 2", "z[0|2] = 0 "),
        says("eval product z --pos 0 --x 3 --k 3", "z[0|3] = 3 ");
    says("eval product z --form one_plus --pos 0 --x 3 --k 2", "z[0|2] = 3 "),
        says("eval product z --form one_plus --pos 0 --x 3 --k 3", "z[0|3] = 6 ");
    says("eval product y --x 3 --p -1 --k 0", "y[0|0] = -3 "),
        says("eval product y --form one_plus --x 3 --p -1 --k 0", "y[0|0] = 0 ");
}

Test(product, undefined_widths_and_bases_are_refused_in_one_line)
{
    static const struct {
        const char *args, *says;
    } t[] = { { "eval product z --dim 7 --pos 1", "dim: odd width" }, { "eval product z --dim 0", "dim" },
        { "eval product z --base 1", "base: must be greater than 1" }, { "eval product y --form sum", "form" } };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int rc = meridian("", t[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, t[k].says) && !*out, "%s: exit %d, %s%s", t[k].args, rc,
            err, out);
    }
}
