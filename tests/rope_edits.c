/* Row rope under edits: its tables are asked at other positions and pairs, and at none, and a pair takes the numbers of
 * another one. */
#include <criterion/criterion.h>
#include "law.h"
#include "page_line.h"

enum { POSITIONS = 3, PAIRS = 4, LINES = 150 };
static const char *const tables[] = { "cos", "sin", "angle" };

/* The last line of a table under these words; y[PAIRS].  given: angles are. */
static void table_line(const char *out, const char *words, bool given, double *y)
{
    static const char params[] = "dim=8 base=16";
    /* What lies beside the positions is no position. */
    static const double pos[POSITIONS + 2] = { 9, 5, 5, 5, 9 };
    double angle[POSITIONS * PAIRS];
    char err[300];
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *line[PAIRS];
    for (int k = 0; k < POSITIONS * PAIRS; k++)
        angle[k] = 0.5 + k % PAIRS;
    const struct given in[] = { { "pos", pos + 1, 1, { POSITIONS } }, { "angle", angle, 2, { POSITIONS, PAIRS } } };
    cr_assert_geq(arith_read(&l.a, row_named("rope"), words, ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named("rope"), out, params }, (struct givens){ in, given ? 2 : 1 },
        (long[MER_RANK]){ POSITIONS - 1 }, PAIRS, line);
    for (int k = 0; k < PAIRS; k++)
        y[k] = b_value(line[k]);
    law_close(&l, true);
}

/* Axis 0 of a table is that of positions, which are equal here, and axis 1 that of pairs. */
Test(rope_edits, a_table_is_asked_along_its_own_axes)
{
    int met = 0;
    for (int k = 0; k < 3 * LINES; k++) {
        const char *out = tables[k % 3];
        char words[2][80];
        double plain[PAIRS], y[2][PAIRS];
        table_line(out, "", false, plain);
        for (int axis = 0; axis < 2; axis++) {
            snprintf(words[axis], sizeof words[axis], "edit=rope.c:%d:index.%d:reverse", k / 3, axis);
            table_line(out, words[axis], false, y[axis]);
        }
        cr_expect(k % 3 < 2 || plain[0] == 5, "the first pair turns by %g", plain[0]);
        const bool turned = y[1][0] != plain[0];
        for (int p = 0; p < PAIRS; p++) {
            const double want = plain[turned ? PAIRS - 1 - p : p];
            cr_expect_eq(y[0][p], plain[p], "%s %s: pair %d is %g, not %g", out, words[0], p, y[0][p], plain[p]);
            cr_expect_eq(y[1][p], want, "%s %s: pair %d is %g, not %g", out, words[1], p, y[1][p], want);
        }
        met += turned;
    }
    cr_expect_eq(met, 5, "%d", met); /* the table of angles thrice, and those of cosines and sines */
}

/* An entry of no position, or of no pair, is 0: so is an angle, of which the cosine is 1, be it given or computed. */
Test(rope_edits, what_is_asked_nowhere_is_0)
{
    int met[2] = { 0 };
    for (int k = 0; k < 3 * LINES; k++)
        for (int n = 0; n < 4; n++) {
            const char *out = tables[k % 3];
            const int axis = n % 2;
            char words[80];
            double plain[PAIRS], y[PAIRS];
            snprintf(words, sizeof words, "edit=rope.c:%d:index.%d:without-last", k / 3, axis);
            table_line(out, "", n / 2, plain), table_line(out, words, n / 2, y);
            for (int p = 0; p < PAIRS; p++)
                cr_expect(y[p] == plain[p] || ((!axis || p == PAIRS - 1) && (y[p] == 0 || (y[p] == 1 && k % 3 == 0))),
                    "%s %s, pair %d: %g", out, words, p, y[p]);
            met[axis] += y[PAIRS - 1] != plain[PAIRS - 1];
        }
    cr_expect(met[0] == 2 * 5 && met[1] == 2 * 5, "%d, %d", met[0], met[1]);
}

/* The first number of each pair, taken from the pair behind it. */
Test(rope_edits, a_pair_takes_the_number_of_another_one)
{
    int met = 0;
    double y[2][2 * PAIRS];
    for (int line = 0; line < LINES; line++) {
        char words[80];
        snprintf(words, sizeof words, "edit=rope.c:%d:sub.p:roll", line);
        for (int k = 0; k < 2; k++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ "rope", "dim=8 layout=half", "y", MER_F64, "h=1 n=1", 5 },
                k ? words : "", ROUND);
            line_ask(&x);
            for (int c = 0; c < 2 * PAIRS; c++)
                y[k][c] = b_value(x.y[c]);
            line_close(&x);
        }
        const bool taken = y[1][0] != y[0][0];
        for (int c = 0; c < 2 * PAIRS; c++) {
            const double want = y[0][taken && c < PAIRS ? (c + 1) % PAIRS : c];
            cr_expect_eq(y[1][c], want, "%s, channel %d: %g, not %g", words, c, y[1][c], want);
        }
        met += taken;
    }
    cr_expect_eq(met, 1, "%d", met);
}
