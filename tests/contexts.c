/* What context is worth: a group of models written by hand, its relative effective context lengths; the file of losses,
 * whole and damaged. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lab/page/contexts.h"

/* Two models, A and B, at lengths 2, 4 and 8, with three windows of one target each, the last token.
 * last[length][window] are the losses of the targets in nats; all other tokens get losses of 100 and more, which would
 * show.  Of the targets
 *   A has 1 2 6, then 1 2 3, then 1 2 2.5; B has 3 3 7, then 3 3 7, then 0.99 2 7.
 * At length 2 the better of both has 1 2 6.  Over all targets (r = 1) A gains from 2 to 4, where its mean falls from 3
 * to 2 and g is 1 - e^-1, and from 4 to 8, where it falls to 11/6 and g is 1 - e^(-1/6): its RECL is 8.  B gains
 * nothing at 4, as min(b, l) stays 3 in the mean, and so it stops at 2 whatever comes later. r = 1/3 takes the hardest
 * target alone, the third. */
static void fill(struct losses *l, const float last[3][3])
{
    static const int64_t length[3] = { 2, 4, 8 };
    *l = (struct losses){ .lengths = 3, .windows = 3, .nll = need(3 * 14, sizeof *l->nll) };
    memcpy(l->length, length, sizeof length);
    for (int k = 0; k < 3; k++)
        for (int w = 0; w < 3; w++)
            for (int64_t i = 0; i < length[k]; i++)
                ((float *)losses_at(l, k, w))[i] = i == length[k] - 1 ? last[k][w] : 100 + (float)(10 * w + i);
}
static const float a[3][3] = { { 1, 2, 6 }, { 1, 2, 3 }, { 1, 2, 2.5f } },
                   b[3][3] = { { 3, 3, 7 }, { 3, 3, 7 }, { 0.99f, 2, 7 } },
                   still[3][3] = { { 1, 2, 6 }, { 1, 2, 5.995f }, { 1, 2, 3 } },
                   lost[3][3] = { { 1, 2, 6 }, { NAN, NAN, NAN }, { 1, 2, 3 } };

Test(contexts, a_length_is_effective_while_the_next_one_gains_a_hundredth)
{
    static const struct { const float (*x)[3], (*y)[3]; double r; int64_t first, second; } want[] = {
        { a, b, 1, 8, 2 },
        { a, b, 1.0 / 3, 8, 2 },
        { b, a, 1, 2, 8 },
        { still, b, 1, 2, 2 },
        { a, still, 1, 8, 2 },
        { still, still, 1.0 / 3, 2, 2 },
        { lost, b, 1, 2, 2 },
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        struct losses l[2];
        int64_t recl[2];
        fill(&l[0], want[k].x), fill(&l[1], want[k].y);
        recl_of(l, 2, 1, want[k].r, recl);
        cr_expect(recl[0] == want[k].first && recl[1] == want[k].second, "%zu: %lld and %lld", k, (long long)recl[0],
            (long long)recl[1]);
        losses_close(&l[0]), losses_close(&l[1]);
    }
}

Test(contexts, a_mean_by_position_is_of_those_positions)
{
    struct losses l;
    fill(&l, a);
    cr_expect(fabs(losses_between(&l, 2, 0, 0) * log(2) - 110) < 1e-12 &&
        fabs(losses_between(&l, 2, 2, 3) * log(2) - 112.5) < 1e-12 &&
        fabs(losses_between(&l, 1, 3, 3) * log(2) - 2) < 1e-12);
    losses_close(&l);
}

Test(contexts, losses_are_read_as_they_were_written_and_damaged_files_are_refused)
{
    static const char *const spoil[] = { "head -c 150 %s > %s.s", "{ cat %s; printf x; } > %s.s",
        "sed '1s/losses 1/losses 2/' %s > %s.s", "sed '1s/ 4 8/ 8 4/' %s > %s.s",
        "sed '1s/windows 3/windows 4/' %s > %s.s", ": %s; : > %s.s" };
    struct losses l, back;
    char path[80], command[300], spoilt[90], why[600];
    snprintf(path, sizeof path, "/tmp/meridian-contexts-%d", (int)getpid()),
        snprintf(spoilt, sizeof spoilt, "%s.s", path);
    fill(&l, a);
    cr_assert_eq(losses_write(&l, path, why, sizeof why), 0, "%s", why);
    cr_assert_eq(losses_read(&back, path, why, sizeof why), 0, "%s", why);
    cr_expect(back.lengths == 3 && back.windows == 3 && back.length[2] == 8 &&
        !memcmp(back.nll, l.nll, 3 * 14 * sizeof *l.nll));
    losses_close(&back), losses_close(&l);
    for (size_t k = 0; k < sizeof spoil / sizeof *spoil; k++) {
        snprintf(command, sizeof command, spoil[k], path, path);
        cr_assert_eq(system(command), 0);
        cr_expect(
            losses_read(&back, spoilt, why, sizeof why) == -1 && strstr(why, "cut short"), "%s: %s", spoil[k], why);
    }
    cr_expect_eq(losses_read(&back, "/nonexistent/x", why, sizeof why), -1);
    unlink(path), unlink(spoilt);
}
