/* Distances of words by single letters: see near.h. */
#include "row/near.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS = 63 };

static int least(int a, int b) { return a < b ? a : b; }
static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* How many letters are to be left out, added, changed or exchanged with their neighbours to make b[m] of a[n]; upper
 * and lower case count as the same.  Neither word has more than LETTERS letters. */
static int distance(const char *a, size_t n, const char *b, size_t m)
{
    int row[3][LETTERS + 1]; /* The distances of the last three prefixes of a to every prefix of b. */
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

struct near near_of(const char *word, size_t n) { return (struct near){ .word = word, .n = n }; }

void near_try(struct near *x, const char *known, size_t len)
{
    const size_t longer = len > x->n ? len : x->n;
    if (longer > LETTERS)
        return;
    const int apart = distance(x->word, x->n, known, len);
    if (apart > 1 && apart > (int)(longer / 3))
        return;
    /* A distance of a whole word says nothing: one change makes any letter of any other. */
    if ((size_t)apart >= len || (size_t)apart >= x->n || (x->is && apart >= x->apart))
        return;
    x->is = known, x->len = len, x->apart = apart;
}

void near_list(struct near *x, const char *known)
{
    for (const char *s = known; *s; s += strcspn(s, " "), s += strspn(s, " "))
        near_try(x, s, strcspn(s, " "));
}

const char *near_text(const struct near *x, char *to, size_t n)
{
    if (n)
        *to = 0;
    if (x->is && (x->len != x->n || strncmp(x->is, x->word, x->n))) /* The written word itself is no proposal. */
        snprintf(to, n, " (did you mean '%.*s'?)", (int)x->len, x->is);
    return to;
}
