/* Learned positions: the sixteen of a table of four, printed elsewhere; row numbers of padded texts; and a position
 * outside the table is refused by name. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "digits.h"
#include "trial/trial.h"

Test(learned, four_rows_make_the_known_sixteen)
{
    static const char *const known[] = { "1", "3", "-2", "5", "2.333333", "4.333333", "-.666667", "6.333333", "-1", "1",
        "-4", "3", "3.666667", "5.666667", ".666667", "7.666667" };
    const double table[] = { 1, 3, -2, 5 };
    for (int k = 0; k < 16; k++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 200);
        const double pos = k;
        const struct given in[] = { { "pos", &pos, 1, { 1 } }, { "table", table, 2, { 4, 1 } } };
        const struct ball *y[1];
        law_line(w, (struct law_of){ row_named("learned"), "p", "rows=4 form=hierarchical alpha=0.4" },
            (struct givens){ in, 2 }, NULL, 1, y);
        cr_expect(digits_agree(y[0], known[k]), "q[%d] is %.9g, printed %s", k, b_value(y[0]), known[k]);
        law_close(&l, true);
    }
}

Test(learned, a_line_outside_the_table_is_no_number)
{
    static const struct {
        const char *params;
        double pos;
        bool number;
    } t[] = { { "rows=4", 3, true }, { "rows=4", 4, false }, { "rows=4", -1, false }, { "rows=4 offset=2", 1, true },
        { "rows=4 offset=2", 2, false }, { "rows=4 form=hierarchical", 15, true },
        { "rows=4 form=hierarchical", 16, false }, { "rows=4 offset=2 form=hierarchical", 4, false } };
    const double table[] = { 1, 3, -2, 5 };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 64);
        const struct given in[] = { { "pos", &t[k].pos, 1, { 1 } }, { "table", table, 2, { 4, 1 } } };
        const struct ball *y[1];
        law_line(w, (struct law_of){ row_named("learned"), "p", t[k].params }, (struct givens){ in, 2 }, NULL, 1, y);
        cr_expect_eq(mpfr_number_p(y[0]->mid) != 0, t[k].number, "%s at %g", t[k].params, t[k].pos);
        law_close(&l, true);
    }
}

Test(learned, the_command_line_says_what_is_out_of_range)
{
    static const struct { const char *args, *says; } t[] = {
        { "eval learned p --pos 512", "'pos' element 0 is 512, allowed 0 to 511" },
        { "eval learned p --pos 5,-1", "'pos' element 1 is -1, allowed 0 to 511" },
        { "eval learned p --rows 1026 --offset 2 --pos 1024", "allowed 0 to 1023" },
        { "eval learned p --rows 4 --form hierarchical --pos 16", "allowed 0 to 15" },
        { "eval learned p --form hierarchical --alpha 0.5", "alpha: must lie between 0 and 1 and not be 1/2" },
        { "eval learned p --form hierarchical --alpha 1", "alpha" },
        { "eval learned p --form hierarchical --alpha -0.1", "alpha" },
        { "eval learned p --rows 2 --offset 2", "offset: must leave a row" },
        { "eval learned p --rows 0", "rows" },
        { "eval learned row --positions unpadded --rows 3 --padding 3 --token 1", "padding: no such row" },
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int rc = meridian("", t[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, t[k].says) && !*out, "%s: exit %d, %s%s", t[k].args, rc,
            err, out);
    }
    cr_expect_eq(meridian("", "eval learned p --rows 1 --pos 0 --table 3 --k 0"), 0, "%s", err);
}

/* Letters that bound integers: read, drawn below, and enforced on arrays of others. */
Test(learned, bounded_integers_are_drawn_and_held_below_their_bound)
{
    struct sign s;
    struct trial t;
    char why[400] = "";
    sign_read(&s, "int pos[n]<s table[r,d] -> p[n|d]");
    cr_assert(s.n_in == 2 && s.in[0].below == 's' && s.in[0].rank == 1 && !s.in[1].below &&
        !strcmp(s.in[1].name, "table") && !s.out.below);
    for (uint64_t seed = 1; seed < 9; seed++) {
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "learned", "rows=5 form=hierarchical", "p", MER_F32, "n=40",
            seed }, why, sizeof why), 0, "%s", why);
        cr_expect_eq(trial_check(&t, why, sizeof why), 0, "%s", why);
        cr_expect(array_get(&t.in[0], 0) == 24 && array_get(&t.in[0], 1) == 0);
        array_put(&t.in[0], 39, 25);
        cr_expect(
            trial_check(&t, why, sizeof why) && strstr(why, "'pos' element 39 is 25, allowed 0 to 24"), "%s", why);
        array_put(&t.in[0], 39, 24);
        t.in[1].dim[0] = 4;
        cr_expect(trial_check(&t, why, sizeof why) && strstr(why, "array 'table' axis r is 4, expected 5"), "%s", why);
        t.in[1].dim[0] = 5;
        trial_close(&t);
    }
}

/* Where such a row would begin in memory is no 64-bit number any more. */
Test(learned, a_line_however_far_outside_the_table_is_no_number)
{
    const double table[] = { 1, 3, -2, 5, 7, 11, 13, 17 };
    for (int bits = 1; bits < 63; bits++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 64);
        const double pos = ldexp(1, bits);
        const struct given in[] = { { "pos", &pos, 1, { 1 } }, { "table", table, 2, { 2, 4 } } };
        const struct ball *y[4];
        law_line(w, (struct law_of){ row_named("learned"), "p", "rows=2" }, (struct givens){ in, 2 }, NULL, 4, y);
        for (int c = 0; c < 4; c++)
            cr_expect(mpfr_nan_p(y[c]->mid), "2^%d: %g", bits, b_value(y[c]));
        law_close(&l, true);
    }
}

/* The second token has the row of its own position, and a gradient goes from each channel to that channel. */
Test(learned, a_token_reads_the_row_of_its_own_position)
{
    const double pos[] = { 2, 1 }, table[] = { 1, 2, 3, 4, 5, 6 }, dp[] = { 7, 8, 9, 10 };
    const struct given in[] = { { "pos", pos, 1, { 2 } }, { "table", table, 2, { 3, 2 } }, { "dp", dp, 2, { 2, 2 } } };
    const long second = 1;
    for (int back = 0; back < 2; back++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 64);
        const struct ball *y[2];
        const struct given of[] = { in[0], in[back ? 2 : 1] };
        law_line(w, (struct law_of){ row_named("learned"), back ? "dtable" : "p", "rows=3" }, (struct givens){ of, 2 },
            &second, 2, y);
        for (int c = 0; c < 2; c++)
            cr_expect_eq(b_value(y[c]), back ? 9 + c : 3 + c, "%d, channel %d: %g", back, c, b_value(y[c]));
        law_close(&l, true);
    }
}
