/* Byte-pair encoding: what is learned is what counting everything anew at every step gives, no subword reaches beyond a
 * word, and what is held out teaches nothing. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "arith/need.h"
#include "core/files.h"
#include "core/gen.h"
#include "lab/text/bytepair.h"
#include "lab/text/corpus.h"
#include "lab/train/design.h"

enum { LETTERS = 6, MOST = 3000, VOCAB = 60 };
static const char letters[LETTERS + 1] = " abcd.";
static int symbol[256];

static void symbols(void)
{
    for (int k = 0; k < LETTERS; k++)
        symbol[(unsigned char)letters[k]] = k;
}

/* Whether a word begins at text[at]: at every blank and every sign, at a letter behind a sign, and at the beginning. */
static bool begins(const char *text, int64_t at)
{
    return !at || !isalpha((unsigned char)text[at]) || (!isalpha((unsigned char)text[at - 1]) && text[at - 1] != ' ');
}

/* The algorithm as it is written, on the text itself: token[n] are the subwords, first[k] tells whether a word begins
 * there, taught[k] whether its word ends within the first `train` bytes.  Returns how many there are in the end. */
static int64_t slowly(const char *text, int64_t length, int64_t train, int vocab, uint16_t *token, int *kinds)
{
    static bool first[MOST], taught[MOST];
    static long count[VOCAB][VOCAB];
    int64_t n = length;
    for (int64_t k = 0, end; k < length; k++) {
        for (end = k + 1; end < length && !begins(text, end); end++)
            ;
        token[k] = (uint16_t)symbol[(unsigned char)text[k]], first[k] = begins(text, k), taught[k] = end <= train;
    }
    for (*kinds = LETTERS; *kinds < vocab; ++*kinds) {
        long best = 1;
        int a = -1, b = -1;
        memset(count, 0, sizeof count);
        for (int64_t k = 0; k + 1 < n; k++)
            if (!first[k + 1] && taught[k])
                count[token[k]][token[k + 1]]++;
        for (int i = 0; i < *kinds; i++)
            for (int j = 0; j < *kinds; j++)
                if (count[i][j] > best)
                    best = count[i][j], a = i, b = j;
        if (a < 0)
            break;
        int64_t to = 0;
        for (int64_t k = 0; k < n; k++, to++) {
            const bool both = k + 1 < n && !first[k + 1] && token[k] == a && token[k + 1] == b;
            token[to] = both ? (uint16_t)*kinds : token[k], first[to] = first[k], taught[to] = taught[k];
            k += both;
        }
        n = to;
    }
    return n;
}

Test(lab_subwords, what_is_learned_is_what_counting_anew_gives, .timeout = 60)
{
    static uint16_t got[MOST], want[MOST];
    long joined = 0, stopped = 0;
    symbols();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char text[MOST + 1];
        const int64_t length = 1 + (int64_t)(gen_bits(seed, 1, 0) % (MOST - 1));
        for (int64_t k = 0; k < length; k++) /* a few letters far more often than others, and runs of one */
            text[k] = letters[gen_bits(seed, 2, (uint64_t)k) % 3 ? gen_bits(seed, 3, (uint64_t)k) % 3 :
                                                                   gen_bits(seed, 4, (uint64_t)k) % LETTERS];
        const int64_t train = length * (int64_t)(gen_bits(seed, 5, 0) % 101) / 100;
        const int vocab = LETTERS + (int)(gen_bits(seed, 6, 0) % (VOCAB - LETTERS + 1));
        int kinds, made;
        int64_t taught;
        const struct bytepair of = { text, length, train, symbol, LETTERS, vocab };
        const int64_t n = bytepair_cut(&of, got, &kinds, &taught);
        const int64_t slow = slowly(text, length, train, vocab, want, &made);
        cr_assert(n == slow && kinds == made && !memcmp(got, want, (size_t)n * sizeof *got),
            "seed %d: %ld subwords of %d kinds, wanted %ld of %d", (int)seed, (long)n, kinds, (long)slow, made);
        cr_assert(taught >= 0 && taught <= n && (train < length || taught == n), "seed %d: %ld of %ld", (int)seed,
            (long)taught, (long)n);
        joined += length - n, stopped += kinds < vocab;
    }
    cr_expect(joined > 10000 && stopped > 5, "%ld joined, %ld stopped early", joined, stopped);
}

/* Sennrich et al. 2016, figure 1, with the blank before a word in the place of their sign at its end: what is frequent
 * in words is joined first, and what is held out is cut by it and adds nothing. */
Test(lab_subwords, the_example_of_the_paper)
{
    static const struct { const char *word; int times; } of[] = { { " low", 5 }, { " lower", 2 }, { " newest", 6 },
        { " widest", 3 } };
    char text[300] = "";
    int map[256] = { 0 }, kinds, symbols_there = 0;
    uint16_t to[300];
    int64_t taught;
    for (size_t k = 0; k < 4; k++)
        for (int i = 0; i < of[k].times; i++)
            strcat(text, of[k].word);
    const int64_t train = (int64_t)strlen(text);
    strcat(text, " lowest");
    for (const char *s = " deilnorstw"; *s; s++)
        map[(unsigned char)*s] = symbols_there++;
    const struct bytepair how = { text, (int64_t)strlen(text), train, map, symbols_there, symbols_there + 7 };
    const int64_t n = bytepair_cut(&how, to, &kinds, &taught);
    /* es 9, est 9; " l" 7, " lo" 7, " low" 7; then " n" 6, " ne" 6, of which the pairs of lower numbers come first. */
    cr_assert_eq(kinds, symbols_there + 7);
    cr_expect_eq(n - taught, 2, "' lowest' is ' low' and 'est': %ld subwords", (long)(n - taught));
    cr_expect(to[taught] == symbols_there + 4 && to[taught + 1] == symbols_there + 1, "%d %d", to[taught],
        to[taught + 1]);
}

/* The text itself, where it is installed. */
Test(lab_subwords, of_the_corpus_as_many_as_the_task_has, .timeout = 60)
{
    struct corpus c, of;
    char why[500];
    int most = 0;
    if (corpus_open(&c, TEXT_SUBWORDS, why, sizeof why)) {
        cr_expect(strstr(why, "apt-get install"), "%s", why);
        return (void)fprintf(stderr, "not run: %s\n", why);
    }
    cr_assert(!corpus_open(&of, TEXT_CHARACTERS, why, sizeof why), "%s", why);
    for (int64_t k = 0; k < c.length; k++)
        most = c.symbol[k] > most ? c.symbol[k] : most;
    cr_expect_eq(most, CORPUS_SUBWORDS - 1);
    cr_expect(of.characters == 1 && c.characters > 2 && c.characters < 4, "%g", c.characters);
    cr_expect(c.unigram > of.unigram && c.unigram / c.characters < of.unigram, "%g bits, of characters %g",
        c.unigram, of.unigram);
    corpus_close(&c), corpus_close(&of);
}

/* A design has the text in one form, and its page speaks of that one. */
Test(lab_subwords, a_page_speaks_of_subwords_or_of_characters, .timeout = 60)
{
    static const char set[] = "layers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=1 reach=32";
    char dir[80], command[600], why[600], *page;
    struct study s[STUDIES];
    snprintf(dir, sizeof dir, "/tmp/meridian-subwords-%d", (int)getpid());
    snprintf(command, sizeof command,
        "rm -rf %s; mkdir %s; cd %s; printf 'lm\\t2\\t1\\tnone\\t16 32\\t-\\t2\\t%s\\n' >one.tsv; "
        "sed s/lm/subwords/ one.tsv >sub.tsv; cat one.tsv sub.tsv >both.tsv", dir, dir, dir, set);
    cr_assert_eq(system(command), 0);
    snprintf(command, sizeof command, "%s/both.tsv", dir);
    cr_expect(design_read(s, command, why, sizeof why) < 0 &&
            strstr(why, "line 2: an earlier line reads the text as well"), "%s", why);
    cr_assert_eq(design_read(s, "data/middle.tsv", why, sizeof why), 2, "%s", why);
    for (int k = 0; k < 2; k++) {
        snprintf(command, sizeof command, "extrapolate --design %s/%s.tsv --out %s/%d", dir, k ? "sub" : "one", dir,
            k);
        const int rc = meridian("", command);
        cr_expect(rc == 0 || (rc == 77 && strstr(err, k ? "task subwords: no text" : "task lm: no text")), "%d: %s",
            rc, err);
        if (rc)
            continue;
        snprintf(command, sizeof command, "%s/%d/extrapolation.md", dir, k);
        page = file_read(command);
        cr_assert_not_null(page);
        cr_expect(strstr(page, k ? "## Next subwords" : "## Next characters") &&
                strstr(page, k ? "Tail: bits a subword by" : "Tail: bits a character by") &&
                !strstr(page, k ? "bits a character by" : "subword") && (!k || !strstr(page, "character (tail)")),
            "%.3000s", page);
        cr_expect(!k || strstr(page, "A subword is 2.6"), "%.3000s", page);
        free(page);
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_expect_eq(system(command), 0);
}
