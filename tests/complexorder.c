/* Complex-order embeddings: values by hand, the released product as its formula, and words outside the tables. */
#include <criterion/criterion.h>
#include "command.h"
#include "digits.h"

static const double two[2] = { 2, -3 }, rate[2] = { 0.5, 0.25 }, turn[2] = { 0.5, 0 };
static const struct ball *ask(struct ask *w, const char *out, const char *params, double word, double pos)
{
    const double key = 1, key_pos = 8;
    const struct given in[] = { { "word", &word, 1, { 1 } }, { "pos", &pos, 1, { 1 } },
        { "amplitude", two, 2, { 2, 1 } }, { "frequency", rate, 2, { 2, 1 } }, { "theta", turn, 2, { 2, 1 } },
        { "key", &key, 1, { 1 } }, { "key_pos", &key_pos, 1, { 1 } } };
    const struct ball *y[1];
    law_line(w, (struct law_of){ row_named("complexorder"), out, params }, (struct givens){ in, 7 }, NULL, 1, y);
    return y[0];
}

/* f_0(3) = 2 e^(2i) and f_1(8) = -3 e^(2i).  The conjugated score is -6, the unconjugated one -6 cos 4 - 6i sin 4.  As
 * re_q im_k = -6 cos 2 sin 2 = im_q re_k, `twice` changes nothing here. */
Test(complexorder, values_by_hand)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 200);
    cr_expect(digits_agree(ask(w, "re", "", 0, 3), "-0.832293673094284774") &&
        digits_agree(ask(w, "im", "", 0, 3), "1.818594853651363391"));
    cr_expect(digits_agree(ask(w, "score", "", 0, 3), "-6.00000000000000000") &&
        digits_agree(ask(w, "score", "value=modulus", 0, 3), "6.00000000000000000"));
    cr_expect(digits_agree(ask(w, "score", "pairing=unconjugated", 0, 3), "3.921861725181671488"));
    cr_expect(digits_agree(ask(w, "score", "pairing=unconjugated value=modulus", 0, 3), "6.00000000000000000"));
    cr_expect(digits_agree(
        ask(w, "score", "pairing=unconjugated value=modulus imaginary=twice", 0, 3), "6.00000000000000000"));
    law_close(&l, true);
}

/* With f_0(1) = 2 e^i and f_1(8) the product has the parts -6 cos 3 and -6 sin 3; the released one has the imaginary
 * part 2 re_q im_k = -12 cos 1 sin 2, so that its modulus differs. */
Test(complexorder, the_released_product_counts_one_term_twice)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 200);
    const struct ball *re = b_mul(w, b_si(w, -6), b_cos(w, b_si(w, 3))),
                      *im = b_mul(w, b_si(w, -12), b_mul(w, b_cos(w, b_si(w, 1)), b_sin(w, b_si(w, 2))));
    const struct ball *want = b_sqrt(w, b_add(w, b_mul(w, re, re), b_mul(w, im, im)));
    const struct ball *got = ask(w, "score", "pairing=unconjugated value=modulus imaginary=twice", 0, 1);
    cr_expect(b_overlap(got, want) && b_radius(got) < 0x1p-150 && b_cmp(got, b_si(w, 6)) == 1, "%.17g, by hand %.17g",
        b_value(got), b_value(want));
    law_close(&l, true);
}

Test(complexorder, a_word_outside_the_tables_is_refused_and_no_number)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 64);
    cr_expect(mpfr_nan_p(ask(w, "re", "", 2, 3)->mid) && mpfr_nan_p(ask(w, "im", "", -1, 3)->mid) &&
        mpfr_nan_p(ask(w, "score", "", 2, 3)->mid) && mpfr_number_p(ask(w, "re", "", 1, 3)->mid));
    law_close(&l, true);
    static const struct {
        const char *args, *says;
    } t[] = { { "eval complexorder re --word 4 --pos 1", "'word' element 0 is 4, allowed 0 to 3" },
        { "eval complexorder score --word 0 --key -1 --pos 1 --key_pos 1", "'key' element 0 is -1" } };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int rc = meridian("", t[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, t[k].says) && !*out, "%s: exit %d, %s%s", t[k].args, rc,
            err, out);
    }
}
