/* Reads changes at evaluation; see changes.h. */
#include "lab/run/changes.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "core/files.h"

/* The length of a name that a part begins with, before ": "; 0: it begins with none. */
static size_t name_of(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || (s[n] && strchr("-_.+", s[n])))
        n++;
    return s[n] == ':' && (s[n + 1] == ' ' || !s[n + 1]) ? n : 0;
}

/* Puts words of a row before those that are there, so that they win. */
static int put_words(struct changed *y, const char *part, char *err, size_t n)
{
    const size_t length = strlen(part), before = strlen(y->words);
    char why[600];
    if (changed_words(part, why, sizeof why))
        return snprintf(err, n, "--changes: %s", why), -1;
    if (length + before + 3 > sizeof y->words)
        return snprintf(err, n, "--changes: '%.60s': more than %zu bytes of words", part, sizeof y->words - 1), -1;
    memmove(y->words + length + 2, y->words, before + 1);
    memcpy(y->words, part, length), memcpy(y->words + length, "; ", 2);
    return 0;
}
static int put(struct changed *y, const char *part, char *err, size_t n)
{
    const size_t key = strcspn(part, "= ");
    if (changed_row(part))
        return put_words(y, part, err, n);
    if (!key || part[key] != '=')
        return snprintf(err, n, "--changes: '%.100s' is neither ROW WORDS nor KEY=JSON", part), -1;
    if (y->sets == CONFIG_MOST)
        return snprintf(err, n, "--changes: '%.60s': more than %d values of the configuration", part, CONFIG_MOST), -1;
    y->set[y->sets++] = part;
    return 0;
}

static int begin(struct changes *y, const char *s, size_t length, const struct changed *base, char *err, size_t n)
{
    if (y->n == CHANGES_MOST)
        return snprintf(err, n, "--changes: more than %d", CHANGES_MOST - 1), -1;
    if (length >= CHANGE_NAME)
        return snprintf(err, n, "--changes: '%.40s..': a name of more than %d bytes", s, CHANGE_NAME - 1), -1;
    struct change *x = &y->of[y->n];
    x->of = *base;
    snprintf(x->name, sizeof x->name, "%.*s", (int)length, s);
    for (int k = 0; k < y->n; k++)
        if (!strcmp(y->of[k].name, x->name))
            return snprintf(err, n, "--changes: '%s' twice", x->name), -1;
    y->n++;
    return 0;
}

/* One part, without blanks at its ends; it may begin a change. */
static int part(struct changes *y, char *s, const struct changed *base, char *err, size_t n)
{
    s += strspn(s, " \t\r");
    for (size_t k = strlen(s); k && strchr(" \t\r", s[k - 1]);)
        s[--k] = 0;
    if (!*s || *s == '#')
        return 0;
    const size_t name = name_of(s);
    if (name && begin(y, s, name, base, err, n))
        return -1;
    s += name ? name + 1 : 0, s += strspn(s, " \t");
    if (!*s)
        return 0;
    if (y->n < 2)
        return snprintf(err, n, "--changes: '%.100s' stands before any NAME:", s), -1;
    return put(&y->of[y->n - 1].of, s, err, n);
}

int changes_read(struct changes *y, const char *said, const struct changed *base, char *err, size_t n)
{
    static const char unchanged[] = "unchanged";
    char *file = said ? file_read(said) : NULL;
    *y = (struct changes){ .of = need(CHANGES_MOST, sizeof *y->of) };
    y->text = file ? file : said ? need_copy(said) : NULL;
    int rc = begin(y, unchanged, sizeof unchanged - 1, base, err, n);
    if (said && !file && !strchr(said, ':'))
        return snprintf(err, n, "--changes: %.300s cannot be read, and is no 'NAME: PART; PART'", said), -1;
    for (char *s = y->text, *end; s && !rc; s = end) {
        end = strpbrk(s, file ? "\n;" : ";");
        if (file && s[strspn(s, " \t")] == '#')
            end = strchr(s, '\n');
        if (end)
            *end++ = 0;
        rc = part(y, s, base, err, n);
    }
    return rc;
}
void changes_free(struct changes *y)
{
    free(y->of), free(y->text);
    *y = (struct changes){ .n = 0 };
}
