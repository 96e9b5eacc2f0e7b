/* Distances as they are printed; a node with itself; R of a word by hand; one, many and no words; spans that are
 * none. */
#include <criterion/criterion.h>
#include "command.h"
#include "compare/compare.h"
#include "digits.h"
#include "kernels.h"
#include "trial/trial.h"

extern const struct mer_kernel flat_scalar[];

/* Characters 0, 1, 2 and the word 0..1 (node 3). */
Test(flat, distances_of_characters_and_a_word_are_those_of_the_printed_example)
{
    static const struct {
        long i, j;
        double hh, ht, th, tt;
    } want[] = { { 2, 3, 2, 1, 2, 1 }, { 3, 2, -2, -2, -1, -1 }, { 3, 3, 0, -1, 1, 0 }, { 1, 1, 0, 0, 0, 0 },
        { 0, 2, -2, -2, -2, -2 } };
    struct trial t;
    char text[200];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "flat", "chars=3 words=0,1", "distance", MER_F32, "", 1 }, text,
        sizeof text), 0, "%s", text);
    for (int own = 0; own < 2; own++) {
        if (own)
            cr_assert_eq(mer_ask(&flat_scalar[2], &t.call), MER_OK);
        else
            reference_run(&t, &(struct arith){ 0 });
        for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
            const double w[] = { want[k].hh, want[k].ht, want[k].th, want[k].tt };
            for (int x = 0; x < 4; x++)
                cr_expect_eq(array_get(&t.out[0], (want[k].i * 4 + want[k].j) * 4 + x), w[x], "(%ld, %ld) %d",
                    want[k].i, want[k].j, x);
        }
    }
    trial_close(&t);
}

/* With dim = 2, P_t = (sin t, cos t).  The word with itself has hh 0, ht -1, th 1 and tt 0; a character with itself has
 * 0 everywhere.  Wf adds what it is given into column 0, and its negative into column 1, which the ReLU cuts: 2 + 2 cos
 * 1 and 4. */
Test(flat, a_word_with_itself_is_not_a_character_with_itself)
{
    double wf[16];
    for (int k = 0; k < 16; k++)
        wf[k] = k % 2 ? -1 : 1;
    struct given in = { "wf", wf, 2, { 8, 2 } };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 200);
    const struct ball *word[2], *character[2], *two[2];
    law_line(w, (struct law_of){ row_named("flat"), "r", "dim=2 chars=3 words=0,1" }, (struct givens){ &in, 1 },
        (long[MER_RANK]){ 3, 3 }, 2, word);
    law_line(w, (struct law_of){ row_named("flat"), "r", "dim=2 chars=3 words=0,1" }, (struct givens){ &in, 1 },
        (long[MER_RANK]){ 1, 1 }, 2, character);
    cr_expect(digits_agree(word[0], "3.0806046117362794348") && b_cmp(word[1], b_si(w, 0)) == 0);
    cr_expect(b_cmp(character[0], b_si(w, 4)) == 0 && b_cmp(character[1], b_si(w, 0)) == 0);
    /* hh and tt alone do not tell them apart: the released default sees a word with itself as a character with
     * itself. */
    in.dim[0] = 4;
    law_line(w, (struct law_of){ row_named("flat"), "r", "dim=2 chars=3 words=0,1 fusion=two" },
        (struct givens){ &in, 1 }, (long[MER_RANK]){ 3, 3 }, 2, two);
    cr_expect(b_cmp(two[0], b_si(w, 2)) == 0);
    law_close(&l, true);
}

Test(flat, sentences_of_one_and_two_characters_with_and_without_words_are_answered)
{
    static const char *const sentence[] = { "chars=1 words=", "chars=1 words=0,0",
        "chars=2 words=", "chars=2 words=0,1", "chars=2 words=0,1,1,1,0,1 fusion=two" };
    for (int k = 0; k < 5; k++) {
        struct trial t;
        struct tally y;
        struct arith a;
        char text[900];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "flat", sentence[k], "o lse", MER_F32, "bf br", 3 }, text,
            sizeof text), 0, "%s", text);
        cr_assert_gt(trial_profile(&t, flat_scalar[0].profile, &a, WIDEN, text, sizeof text), 0, "%s", text);
        cr_assert_eq(mer_ask(&flat_scalar[0], &t.call), MER_OK);
        judge_outputs(&t, &a, 64, &y);
        cr_expect(tally_passes(&y) && y.n, "%s: %ld over", sentence[k], y.over);
        trial_close(&t);
    }
}

Test(flat, spans_that_are_none_and_tables_too_short_are_refused_in_one_line)
{
    static const struct { const char *params, *says; } t[] = {
        { "--chars 4 --words 3,1", "a head lies behind its tail" },
        { "--chars 4 --words 0,4", "from 0 to chars - 1" },
        { "--chars 4 --words=-1,2", "from 0 to chars - 1" },
        { "--chars 4 --words 0,1/2", "whole numbers" },
        { "--chars 4 --words 0,1,2", "a head without its tail" },
        { "--chars 9 --words 0,1 --reach 7", "does not cover" },
        { "--dim 5", "odd width" },
        { "--dim 2 --spacing shifted", "is 0" },
        { "--chars 0", "chars" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char args[200];
        snprintf(args, sizeof args, "eval flat head %s", t[i].params);
        cr_expect_eq(meridian("", args), 2, "%s", args);
        cr_expect(strstr(err, t[i].says) && lines(err) == 1, "%s: %s", args, err);
    }
}
