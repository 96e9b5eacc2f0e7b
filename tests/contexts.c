/* What context is worth: a group of models written by hand, its relative effective context lengths; the file of losses,
 * whole and damaged. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/gen.h"
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
        recl_of(l, 2, 1, want[k].r, false, recl);
        cr_expect(recl[0] == want[k].first && recl[1] == want[k].second, "%zu: %lld and %lld", k, (long long)recl[0],
            (long long)recl[1]);
        losses_close(&l[0]), losses_close(&l[1]);
    }
}

/* The losses of one who knows the law of task echo: a target whose symbol 24 places back is in the window has the
 * probability 7/8 + 1/128 of being it, every other one 1/128, and a target without it 1/16. */
static void known(struct losses *l, const struct corpus *c)
{
    const int64_t longest = l->length[l->lengths - 1], held = c->length - longest - 2;
    int64_t all = 0;
    for (int64_t k = 0; k < l->lengths; k++)
        all += l->length[k] * l->windows;
    l->nll = need((size_t)all, sizeof *l->nll);
    for (int64_t k = 0; k < l->lengths; k++)
        for (int64_t w = 0; w < l->windows; w++) {
            const uint16_t *end = c->symbol + longest + 1 + window_place(l->seed, w, l->windows, held);
            for (int64_t i = 0, n = l->length[k]; i < n; i++) {
                const uint16_t *target = end + i - n + 1;
                const bool seen = i + 1 >= ECHO_BACK, hit = seen && *target == target[-ECHO_BACK];
                ((float *)losses_at(l, k, w))[i] = (float)-log(hit ? 113.0 / 128 : seen ? 1.0 / 128 : 1.0 / 16);
            }
        }
}

/* The control of the page: on a text whose only distance is 24, the relative effective context length of one who knows
 * it is 24, on every share of targets, and of one who guesses, or who reads nothing, the shortest.  Where two steps
 * lead there, the measure stops at the first, as its definition says. */
Test(contexts, the_control_text_has_the_one_distance_that_it_was_drawn_by)
{
    static const double shares[] = { 0.1, 0.5, 1 };
    const struct task *t = task_named("echo");
    for (uint64_t seed = 1; seed < 4; seed++)
        for (int k = 0; k < 3; k++) {
            struct losses l[2] = { { .windows = 256, .seed = seed }, { .windows = 256, .seed = seed } };
            struct corpus c;
            int64_t recl[2];
            control_lengths(&l[0], t, 1024), control_lengths(&l[1], t, 1024);
            cr_assert(l[0].lengths == 7 && l[0].length[0] == 12 && l[0].length[1] == 24 && l[0].length[6] == 768);
            task_text(t, seed, 768 + 2 + 2 * 256 * t->distance, &c);
            known(&l[0], &c), known(&l[1], &c);
            for (int64_t i = 0; i < 256 * (12 + 24 + 48 + 96 + 192 + 384 + 768); i++)
                l[1].nll[i] = (float)log(16); /* a guess */
            for (int net = 0; net < 2; net++) {
                recl_of(l, 2, CONTROL_TAIL, shares[k], net, recl);
                cr_expect(recl[0] == 24 && recl[1] == 12, "r = %g: %lld and %lld", shares[k], (long long)recl[0],
                    (long long)recl[1]);
            }
            losses_close(&l[0]), l[0].length[0] = 6, l[0].length[1] = 12, l[0].length[2] = 24, l[0].lengths = 3;
            known(&l[0], &c);
            recl_of(l, 1, CONTROL_TAIL, shares[k], false, recl);
            cr_expect_eq(recl[0], 6);
            losses_close(&l[0]), losses_close(&l[1]), corpus_close(&c);
        }
}

/* One who knows nothing, but guesses otherwise at every length: as published the measure takes the better of two
 * guesses for what a longer context gave, up to the longest; net of what a step back gains, chance leaves one step at
 * most. */
Test(contexts, luck_is_no_context_once_a_step_back_is_taken_off)
{
    const int64_t all = 1024 * (12 + 24 + 48 + 96);
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct losses l = { .windows = 1024, .lengths = 4, .length = { 12, 24, 48, 96 } };
        int64_t recl, net;
        l.nll = need((size_t)all, sizeof *l.nll);
        for (int64_t i = 0; i < all; i++)
            l.nll[i] = (float)(log(16) + (double)(gen_bits(seed, 1, (uint64_t)i) >> 11) * 0x1p-53 - 0.5);
        recl_of(&l, 1, CONTROL_TAIL, 1, false, &recl), recl_of(&l, 1, CONTROL_TAIL, 1, true, &net);
        cr_expect(recl == 96 && net <= 24, "%lld as published, %lld net", (long long)recl, (long long)net);
        losses_close(&l);
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
    cr_expect_eq(losses_read(&back, "/proc/nonexistent/x", why, sizeof why), -1);
    unlink(path), unlink(spoilt);
}
