/* Scores computed once with other code, digit by digit; how long a sentence the released table bears; what is
 * refused. */
#include <criterion/criterion.h>
#include "command.h"
#include "compare/compare.h"
#include "digits.h"
#include "trial/trial.h"

static const struct ball *score(struct ask *w, const char *params, long d, const double *q, const double *k,
    const double *u, const double *v, const char *out)
{
    static double one = 1;
    struct given in[] = { { "q", q, 3, { 1, 1, d } }, { "k", k, 3, { 1, 1, d } }, { "v", &one, 3, { 1, 1, 1 } },
        { "u", u, 2, { 1, d } }, { "w", v, 2, { 1, d } } };
    const struct ball *y;
    law_line(w, (struct law_of){ row_named("tener"), out, params }, (struct givens){ in, 5 }, (long[MER_RANK]){ 0 }, 1,
        &y);
    return y;
}

Test(tener, scores_agree_with_digits_computed_elsewhere)
{
    static const double q[] = { 1, 2, -1, 3 }, k[] = { 3, -1, 2, 1 }, u[] = { 0.5, 0.25, 1, -1 },
                        v[] = { -1, 2, 1, 0.5 }, v2[] = { 3, 2 };
    static const char code[] = "dim=4 sign=key-query extra=key layout=concat spacing=shifted",
                      *digits[][2] = { { "-1.145489954162312940683", "6.34815478009700893800586544564618959277" },
                          { "-2.274450018641250717489", "7.19187482850121227040783426292877984274" } };
    for (int s = 0; s < 2; s++) { /* Distances 3 and -3. */
        struct law_ask l;
        char text[200];
        struct ask *w = law_open(&l, "", 256);
        const struct ball *paper = score(w, s ? "dim=2 memory=-3" : "dim=2 memory=3", 2, q, k, u, v2, "lse");
        cr_expect(digits_agree(paper, digits[s][0]), "paper: %.20g", b_value(paper));
        const struct ball *released =
            score(w, law_text(text, sizeof text, code, s ? "memory=3" : "memory=-3"), 4, q, k, u, v, "lse");
        cr_expect(digits_agree(released, digits[s][1]), "code: %.20g", b_value(released));
        law_close(&l, true);
    }
}

/* The released table has 1201 rows, of which row 601 is distance 0, and is made anew only for sentences longer than
 * 601.  So a sentence of 600 tokens fits, one of 601 reads behind the table, and one of 602 has a new table. */
Test(tener, the_released_table_bears_600_tokens_and_not_601)
{
    enum { ROWS = 1201, ORIGIN = 601 };
    for (int L = 599; L <= 601; L++) {
        struct trial t;
        char sizes[40], text[200];
        snprintf(sizes, sizeof sizes, "n=%d m=%d", L, L);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "tener", "sign=key-query", "index", MER_F32, sizes, 1 }, text,
            sizeof text), 0, "%s", text);
        reference_run(&t, &(struct arith){ 0 });
        double most = 0, least = 0;
        for (long k = 0; k < (long)L * L; k++) {
            double x = array_get(&t.out[0], k);
            most = x > most ? x : most, least = x < least ? x : least;
        }
        cr_expect(least + ORIGIN >= 0 && (most + ORIGIN < ROWS) == (L <= 600), "%d: %g", L, most);
        trial_close(&t);
    }
}

Test(tener, impossible_configurations_are_refused_in_one_line)
{
    static const struct {
        const char *params, *says;
    } t[] = { { "--dim 7", "odd width" }, { "--dim 2 --spacing shifted", "is 0" },
        { "--dim 3 --odd zero --spacing shifted", "is 0" }, { "--base 1", "base" }, { "--extra query", "extra" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char args[200];
        snprintf(args, sizeof args, "eval tener r --distance 1 %s", t[i].params);
        cr_expect_eq(meridian("", args), 2, "%s", args);
        cr_expect(strstr(err, t[i].says) && lines(err) == 1, "%s: %s", args, err);
    }
}

/* At distance 0 every sine is 0 and every cosine 1; row n of the output is that of distance n. */
Test(tener, each_row_is_that_of_its_own_distance)
{
    static const double distance[] = { 3, 0, -3 };
    const struct given in = { "distance", distance, 1, { 3 } };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    for (long n = 0; n < 3; n++) {
        const struct ball *y[2], *x = b_si(w, (long)distance[n]);
        law_line(w, (struct law_of){ row_named("tener"), "r", "dim=2" }, (struct givens){ &in, 1 },
            (long[MER_RANK]){ n }, 2, y);
        cr_expect(b_overlap(y[0], b_sin(w, x)) && b_overlap(y[1], b_cos(w, x)) && b_radius(y[0]) < 0x1p-100,
            "row %ld: %g, %g", n, b_value(y[0]), b_value(y[1]));
    }
    law_close(&l, true);
}
