/* Reads the conditions behind words of a profile and keeps what holds for given sizes; see sized.h. */
#include "trial/sized.h"
#include "base/words.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>

enum { LETTERS = 128 };
struct span_of { long least, most; }; /* of one letter, both included */


/* Reads the conditions behind a word into the extents that they allow for each letter, everything without one.  Returns
 * NULL, or what is wrong. */
static const char *read_conditions(const char *word, struct span_of *at)
{
    static const char wrong[] = "conditions: dot=f32[m>=64], or [m>=64,m<128]; a letter, one of < <= > >= =, a number";
    const char *s = word + strcspn(word, " ["), *end = word + strcspn(word, " ");
    for (int k = 0; k < LETTERS; k++)
        at[k] = (struct span_of){ 0, LONG_MAX };
    if (s == end)
        return NULL;
    do {
        char *behind;
        const unsigned char letter = (unsigned char)s[1];
        const char *rel = s + 2;
        const bool equal = rel[0] == '=' || (rel[0] && rel[1] == '=');
        if (!isalpha(letter) || letter >= LETTERS || !*rel || !strchr("<>=", *rel)) /* strchr finds the closing 0 */
            return wrong;
        const char *digits = rel + 1 + (*rel != '=' && equal);
        const long x = isdigit((unsigned char)*digits) ? strtol(digits, &behind, 10) : -1;
        if (x < 0 || x == LONG_MAX || (*behind != ',' && *behind != ']'))
            return wrong;
        struct span_of *l = &at[letter];
        const long least = *rel == '<' ? 0 : equal ? x : x + 1, most = *rel == '>' ? LONG_MAX : equal ? x : x - 1;
        l->least = least > l->least ? least : l->least, l->most = most < l->most ? most : l->most;
        s = behind;
    } while (*s == ',');
    return s + 1 == end ? NULL : wrong;
}

static bool possible(const struct span_of *at)
{
    for (int k = 0; k < LETTERS; k++)
        if (at[k].least > at[k].most)
            return false;
    return true;
}

static bool has_letter(const struct row *r, int c)
{
    for (const struct quantity *q = r->q; q->sign; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        for (int k = 0; k <= s.n_in; k++) {
            const struct axes *x = k < s.n_in ? &s.in[k] : &s.out;
            if (memchr(x->axis, c, (size_t)x->rank))
                return true;
        }
    }
    return false;
}

int sized_check(const struct row *r, const char *word, char *err, size_t n)
{
    struct span_of at[LETTERS];
    const char *wrong = read_conditions(word, at);
    const int len = (int)strcspn(word, " ");
    if (wrong)
        return snprintf(err, n, "'%.*s': %s", len, word, wrong), -1;
    if (!possible(at))
        return snprintf(err, n, "'%.*s': no size meets all of its conditions", len, word), -1;
    for (int c = 0; c < LETTERS; c++)
        if ((at[c].least > 0 || at[c].most < LONG_MAX) && !has_letter(r, c))
            return snprintf(err, n, "'%.*s': %c is no letter of the shapes of %s", len, word, c, r->name), -1;
    return 0;
}

bool sized_apart(const char *a, const char *b)
{
    struct span_of x[LETTERS], y[LETTERS];
    bool apart = false;
    if (read_conditions(a, x) || read_conditions(b, y))
        return false;
    for (int k = 0; k < LETTERS; k++)
        apart |= x[k].least > y[k].most || y[k].least > x[k].most;
    return apart;
}

static void blank(char *s, size_t from, size_t to) { memset(s + from, ' ', to - from); }

int sized_here(const char *text, const long *size, const bool *bound, char *to, size_t n, char *err, size_t m)
{
    snprintf(to, n, "%s", text);
    if (strlen(text) >= n)
        return snprintf(err, m, "a profile of %zu bytes", strlen(text)), -1;
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s)) {
        struct span_of at[LETTERS];
        const size_t word = (size_t)(s - text), end = word + strcspn(s, " "), bracket = word + strcspn(s, " [");
        const char *wrong = read_conditions(s, at);
        bool holds = true;
        if (wrong)
            return snprintf(err, m, "'%.*s': %s", (int)(end - word), s, wrong), -1;
        for (int c = 0; c < LETTERS && bracket < end; c++) {
            if ((at[c].least > 0 || at[c].most < LONG_MAX) && !bound[c])
                return snprintf(err, m, "'%.*s': this question has no %c", (int)(end - word), s, c), -1;
            holds &= !bound[c] || (size[c] >= at[c].least && size[c] <= at[c].most);
        }
        blank(to, holds ? bracket : word, end);
    }
    return 0;
}

void sized_all(const char *text, char *to, size_t n)
{
    snprintf(to, n, "%s", text);
    for (const char *s = to + strspn(to, " "); *s; s = word_next(s))
        blank(to, (size_t)(s - to) + strcspn(s, " ["), (size_t)(s - to) + strcspn(s, " "));
}

static bool same_key(const char *a, const char *b)
{
    const size_t n = strcspn(a, "= ");
    return n == strcspn(b, "= ") && !strncmp(a, b, n);
}

bool sized_way(const char *text, int way, char *to, size_t n)
{
    bool any = way == 0;
    sized_all(text, to, n);
    for (const char *s = text + strspn(text, " "); *s && strlen(text) < n; s = word_next(s)) {
        int later = 0, all = 0;
        for (const char *t = text + strspn(text, " "); *t; t = word_next(t))
            all += same_key(s, t), later += t > s && same_key(s, t);
        any |= all > way;
        if (later != (way < all ? way : all - 1))
            blank(to, (size_t)(s - text), (size_t)(s - text) + strcspn(s, " "));
    }
    return any;
}
