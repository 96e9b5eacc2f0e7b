/* Edits of operations that a page has noted: tests look an operation up by its kind and write the edit's words. */
#ifndef NOTED_EDITS_H
#define NOTED_EDITS_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "edit/site.h"
#include "words/read.h"

/* The edit of an operation that has been noted, by its words: "index.0:roll", "truth:not". */
static inline struct edit edit_of(const struct site *s, const char *words, bool hidden)
{
    static char text[200]; /* Edits borrow it. */
    struct edit e;
    snprintf(text, sizeof text, "%s:%d:%s%s", strstr(s->at.file, "softmax/"), s->at.line, words,
        hidden ? ":hidden" : "");
    cr_assert(site_read(&e, text, strlen(text)), "%s", text);
    return e;
}

/* The n-th noted operation of a kind. */
static inline const struct site *noted_as(const struct sites *all, enum site_kind kind, int n)
{
    for (int k = 0; k < all->n; k++)
        if (all->s[k].kind == kind && !n--)
            return &all->s[k];
    cr_assert(false, "operation %d of kind %d is not noted", n, (int)kind);
    return NULL;
}

/* An edit of no place: pages are looked at under it and answer what they answer otherwise. */
static const struct edit none = { .step = SITE_EDIT, .kind = SITE_MUL, .file = "none.c", .file_len = 6, .line = 1,
    .axis = -1 };
#endif
