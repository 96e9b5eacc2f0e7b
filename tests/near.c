/* The word that somebody may have meant, against the same distance written down as it is defined. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "guard.h"
#include "row/near.h"

static bool alike(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* So many single letters are left out, added, changed or exchanged with a neighbour to make b[m] of a[n]. */
static size_t apart(const char *a, size_t n, const char *b, size_t m)
{
    if (!n || !m)
        return n + m;
    size_t least = apart(a, n - 1, b, m - 1) + !alike(a[n - 1], b[m - 1]);
    for (int k = 0; k < 2; k++) {
        const size_t other = 1 + (k ? apart(a, n - 1, b, m) : apart(a, n, b, m - 1));
        least = other < least ? other : least;
    }
    if (n > 1 && m > 1 && alike(a[n - 1], b[m - 2]) && alike(a[n - 2], b[m - 1])) {
        const size_t exchanged = apart(a, n - 2, b, m - 2) + 1;
        least = exchanged < least ? exchanged : least;
    }
    return least;
}
/* May a word of n letters have been meant for one of m? */
static bool is_near(const char *a, size_t n, const char *b, size_t m)
{
    const size_t longer = n > m ? n : m, most = longer < 3 ? 1 : longer / 3, d = apart(a, n, b, m);
    return n && m && d <= most && d < n && d < m;
}
/* A copy of n bytes that ends where no byte can be read. */
static const char *at_the_end(const char *s, size_t n) { return memcpy(guarded(n, true), s, n); }

static const char *const words[] = { "a", "b", "ab", "ba", "bA", "abc", "acb", "cab", "abcd", "bacd", "badc", "dim",
    "dmi", "mid", "phase", "phse", "hpase", "shape", "table", "Talbe", "freq", "frqe", "qerf", "ab_cd", "axb_cd",
    "abcdef", "abcfed", "badcfe", "abcde", "edcba", "" };
enum { ALL = sizeof words / sizeof *words };

/* Each pair of words is near, or not, and so far apart as it is said; nothing beside the words is read. */
Test(near, words_are_near_by_single_letters)
{
    int near = 0;
    for (int k = 0; k < ALL; k++)
        for (int l = 0; l < ALL; l++) {
            const size_t n = strlen(words[k]), m = strlen(words[l]);
            const char *a = at_the_end(words[k], n), *b = at_the_end(words[l], m);
            struct near x = near_of(a, n);
            near_try(&x, b, m);
            const bool is = is_near(a, n, b, m);
            cr_expect(x.is == (is ? b : NULL), "%s, %s: %d", words[k], words[l], !is);
            cr_expect(!is || (x.len == m && x.apart == (int)apart(a, n, b, m)), "%s, %s: %d", words[k], words[l],
                x.apart);
            near += is && k != l;
        }
    cr_expect(near > 40, "%d", near);
}

/* Of several, the first of the nearest wins, in whatever order they are tried. */
Test(near, the_nearest_wins)
{
    static const struct { const char *word, *list, *is; } list[] = { { "abcdefghi", "abcdefxyz abcdefgxi abcdefyhi",
        "abcdefgxi" }, { "abcdefghi", "abcdefgxi abcdefxyz abcdefyhi", "abcdefgxi" },
        { "abcdefghi", "  abcdefgxi  abcdefxyz abcdefghi ", "abcdefghi" }, { "abcdefghi", "abcdefgh_ abcdefg_i",
        "abcdefgh_" }, { "abcdefghi", "", NULL }, { "abcdefghi", "dim base", NULL } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct near x = near_of(list[k].word, strlen(list[k].word));
        near_list(&x, list[k].list);
        cr_expect(list[k].is ? x.is && x.len == strlen(list[k].is) && !strncmp(x.is, list[k].is, x.len) : !x.is, "%zu",
            k);
    }
}

/* Words of 63 letters are compared, whichever of both has them, and longer ones are near to none. */
Test(near, long_words_are_near_to_none)
{
    char text[100];
    memset(text, 'x', sizeof text);
    for (size_t n = 60; n < 67; n++)
        for (size_t m = 60; m < 67; m++) {
            struct near x = near_of(at_the_end(text, n), n);
            near_try(&x, at_the_end(text, m), m);
            cr_expect_eq(x.is != NULL, n <= 63 && m <= 63, "%zu, %zu", n, m);
        }
}

/* The proposal is cut where there is no room, and nobody proposes what was written. */
Test(near, what_was_meant_is_proposed)
{
    char text[40];
    struct near x = near_of("dmi=3", 3);
    near_list(&x, "base dim");
    cr_expect_str_eq(near_text(&x, text, sizeof text), " (did you mean 'dim'?)");
    for (size_t n = 0; n < 10; n++) {
        memset(text, '#', sizeof text);
        near_text(&x, text, n);
        cr_expect(text[n] == '#' && (!n || strlen(text) == n - 1), "%zu", n);
    }
    x = near_of("dim=3", 3), near_list(&x, "base dim");
    cr_expect_str_eq(near_text(&x, text, sizeof text), "");
    x = near_of("DIM=3", 3), near_list(&x, "base dim");
    cr_expect_str_eq(near_text(&x, text, sizeof text), " (did you mean 'dim'?)");
}
