/* How much of a step's bound was reached with this step alone, by the case that data/tightness keeps.  A bound that
 * became looser, or a page that forgot the step's term, uses less of it; one that is too small is left.  Which steps
 * have no fair share yet, and no reason: `meridian climb --table --tight`.
 * mutants: what this suite expects is earlier output of this code. */
#include <criterion/criterion.h>
#include "climb/climb.h"
#include "climb/tightness.h"

/* How much less of its bound than was recorded may be used, as records have three digits. */
static const double looser = 1.25;

static void ask_again(struct climber *m, const struct row *row, const struct tightness *t)
{
    struct climb *c = need(1, sizeof *c);
    struct climb_answer y = { .share = 0 };
    char err[900];
    cr_assert_eq(climb_read(c, t->text, err, sizeof err), 0, "%s %s: %s", row->name, t->step, err);
    climb_ask(m, c, &y);
    cr_expect(y.asked && y.share <= 1 && y.share * looser >= t->share - 0.0005,
        "%s %s: %.4g of its bound, recorded %.3f: meridian climb --case '%s'", row->name, t->step, y.share, t->share,
        t->text);
    climb_close(c), free(c);
}

Test(tightness, of_every_step_is_what_was_recorded_or_better, .timeout = 300)
{
    struct tightness *t = need(STEPS, sizeof *t);
    struct climber *m = climber_open();
    climber_own(m);
    char err[900];
    long asked = 0;
    for (const struct row *const *row = all_rows; *row; row++) {
        const int n = tightness_read(*row, t, err, sizeof err);
        cr_expect_geq(n, 0, "%s", err);
        for (int k = 0; k < n; k++)
            if (strcmp(t[k].text, "-"))
                ask_again(m, *row, &t[k]), asked++;
    }
    cr_expect_gt(asked, 200);
    climber_close(m), free(t);
}

Test(tightness, a_file_that_cannot_be_right_is_refused_in_one_line)
{
    struct tightness *t = need(STEPS, sizeof *t);
    struct row strange = { .name = "nosuchrow" };
    char err[900] = "";
    cr_expect(tightness_read(&strange, t, err, sizeof err) == -1 && strstr(err, "nosuchrow") && !strchr(err, '\n'),
        "%s", err);
    free(t);
}
