/* The word that is written backwards: one letter to sixteen, repeated letters, each weight needed, and what the verb
 * prints and refuses. */
#include <criterion/criterion.h>
#include "command.h"
#include "lab/exact/reverse.h"

/* Is the word written backwards, with every number of input `spoil` set to 0 (NULL: of none)? */
static bool reversed(const char *word, const char *spoil)
{
    struct reverser r;
    struct beam_guess greedy, found[3];
    int64_t n = 0;
    char err[400];
    cr_assert_eq(reverse_open(&r, word, err, sizeof err), 0, "%s", err);
    if (spoil)
        memset(trial_in(&r.t, spoil)->data, 0, (size_t)array_len(trial_in(&r.t, spoil)) * sizeof(float));
    const struct beam_model model = reverse_model(&r);
    struct beam_rules rules = { .vocab = REVERSE_LETTERS, .pool = 2, .beam = 1, .greedy = 1, .length = r.length + 1 };
    cr_assert_eq(beam_search(&rules, &model, &greedy, &n), MER_OK);
    bool ok = n == 1 && greedy.ended && greedy.n == r.length + 1 && greedy.token[r.length] == 0;
    for (long k = 0; ok && k < r.length; k++)
        ok = greedy.token[k] == word[r.length - 1 - k] - 'a' + 1;
    rules.greedy = 0, rules.beam = 3, rules.now = 1;
    cr_assert_eq(beam_search(&rules, &model, found, &n), MER_OK);
    cr_expect(spoil ||
            (n == 3 && found[0].n == greedy.n &&
                !memcmp(found[0].token, greedy.token, (size_t)greedy.n * sizeof *greedy.token) &&
                found[0].sum == greedy.sum && found[1].sum < found[0].sum - 10),
        "%s", word);
    reverse_close(&r);
    return ok;
}

Test(demo, words_are_written_backwards_whatever_their_length_and_letters)
{
    static const char *const words[] = { "a", "ab", "zz", "aaa", "level", "meridian", "abcabcabc", "zyxwvutsrqponmlk",
        "qqqqqqqqqqqqqqqq" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        cr_expect(reversed(words[k], NULL), "%s", words[k]);
}

Test(demo, no_weight_is_there_for_nothing)
{
    static const char *const weights[] = { "wx", "wh", "ws", "wc", "wo" };
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++)
        cr_expect(!reversed("meridian", weights[k]), "%s", weights[k]);
}

/* A model too small and too little trained to reverse anything: what it computes is judged all the same, and what was
 * trained is not trained again. */
Test(demo, a_transformer_is_trained_once_searched_and_judged_part_by_part, .timeout = 60)
{
    char dir[60], args[300], *once, *greedy;
    snprintf(dir, sizeof dir, "/tmp/meridian-demo-%d", (int)getpid());
    snprintf(args, sizeof args,
        "demo reverse abcab --beam 2 --out %s --set 'layers=1 heads=2 channels=16 inner=24 batch=8 steps=30 warm=5'",
        dir);
    cr_assert_eq(meridian("", args), 0, "%s%s", err, out);
    cr_expect(strstr(out, "weights  ") && strstr(out, ", 30 steps, ") && strstr(out, "source   abcab\n") &&
            strstr(out, "beam 1   ") && strstr(out, "judged   PASS: 11 parts of the model") &&
            strstr(err, "trained 30 of 30"),
        "%s%s", out, err);
    cr_assert_not_null(greedy = strstr(out, "greedy   "));
    once = strdup(greedy);
    cr_assert_eq(meridian("", args), 0, "%s", err);
    cr_expect(strstr(out, "30 steps (before now)") && strstr(out, "greedy   ") &&
            !strcmp(strstr(out, "greedy   "), once) && !strstr(err, "trained"),
        "%s%s", out, err);
    snprintf(args, sizeof args,
        "demo reverse abcab --out %s --set 'layers=1 heads=2 channels=16 inner=24 batch=8 steps=30 warm=5 seed=2'",
        dir);
    cr_assert_eq(meridian("", args), 0, "%s", err);
    cr_expect(strstr(err, "trained 30 of 30"), "another training's weights were taken: %s", out);
    snprintf(args, sizeof args, "rm -r %s", dir);
    cr_expect_eq(system(args), 0);
    free(once);
}

Test(demo, the_verb_prints_both_searches_judges_and_draws)
{
    char dir[60], args[200], file[100], remove[100];
    snprintf(dir, sizeof dir, "/tmp/meridian-demo-%d", (int)getpid());
    snprintf(args, sizeof args, "demo reverse meridian --model seq2seq --beam 2 --out %s", dir),
        snprintf(file, sizeof file, "%s/demo-reverse.tsv", dir), snprintf(remove, sizeof remove, "rm -r %s", dir);
    cr_assert_eq(meridian("", args), 0, "%s", err);
    cr_expect(strstr(out, "greedy   naidirem. ") && strstr(out, "beam 1   naidirem. ") && strstr(out, "beam 2   ") &&
            !strstr(out, "beam 3") && strstr(out, "judged   PASS"),
        "%s", out);
    FILE *f = fopen(file, "r");
    double weight;
    long j, t, n = 0, right = 0;
    cr_assert(f);
    while (fscanf(f, "%ld %ld %lf", &j, &t, &weight) == 3)
        n++, right += j == 8 - t ? weight > 0.99 : weight < 0.01;
    fclose(f);
    cr_expect(n == 81 && right == 81, "%ld of %ld", right, n);
    cr_expect(strstr(out, "drawn") || strstr(err, "not drawn: "), "%s%s", out, err);
    cr_expect_eq(system(remove), 0);
}

Test(demo, impossible_words_and_beams_are_refused_in_one_line)
{
    static const struct { const char *args, *says; } t[] = {
        { "demo reverse ''", "word 2 is empty" },
        { "demo reverse abcdefghijklmnopq", "a word of 17 letters, allowed 1 to 16" },
        { "demo reverse abCd", "letter 3 is 'C', allowed a to z" },
        { "demo reverse 'a b'", "letter 2 is ' ', allowed a to z" },
        { "demo reverse \xc3\xa9", "letter 1 is byte 0xc3, allowed a to z" },
        { "demo reverse ab --beam 0", "from 1 to 27" },
        { "demo reverse ab --beam 28", "from 1 to 27" },
        { "demo forwards ab", "no demo 'forwards'; there is: reverse" },
        { "demo reverse", "usage" },
        { "demo reverse ab --out /proc/none", "/proc/none" },
        { "demo reverse ab --model nonesuch", "no model 'nonesuch'; there are: encdec seq2seq" },
        { "demo reverse ab --set nonesuch=1 --out /tmp", "'nonesuch' is no parameter of training" },
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int rc = meridian("", t[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, t[k].says) && !*out, "%s: exit %d, %s%s", t[k].args, rc,
            err, out);
    }
}
