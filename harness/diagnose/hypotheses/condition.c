/* Conditions in words; see condition.h. */
#include "diagnose/hypotheses/condition.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"

bool under_holds(const struct trial *t, const char *under)
{
    char name[UNDER];
    const size_t len = strcspn(under, "!=");
    const bool other = under[len] == '!';
    if (!*under)
        return true;
    if (under_input(under))
        return mer_in(&t->call, under) != NULL;
    snprintf(name, sizeof name, "%.*s", (int)len, under);
    const char *is = mer_text(&t->call, name), *word = under + len + (other ? 2 : 1);
    const bool same = strcspn(is, " ") == strlen(word) && !strncmp(is, word, strlen(word));
    return same != other;
}

bool under_input(const char *under) { return *under && !strchr(under, '='); }
const char *under_says(const char *under, char *text, size_t n)
{
    *text = 0;
    if (*under)
        snprintf(text, n, under_input(under) ? " where %s is given" : " under %s", under);
    return text;
}

/* Whether it is the name of an optional input of some quantity. */
static bool is_optional(const struct row *r, const char *name)
{
    struct sign s;
    for (const struct quantity *q = r->q; q->sign; q++) {
        sign_read(&s, q->sign);
        for (int k = 0; k < s.n_in; k++)
            if (s.in[k].optional && !strcmp(s.in[k].name, name))
                return true;
    }
    return false;
}
bool under_is(const struct row *r, const char *text)
{
    const size_t len = strcspn(text, "!=");
    const struct param *p = row_params(r);
    if (under_input(text))
        return strlen(text) < UNDER && is_optional(r, text);
    while (p->name && (strlen(p->name) != len || strncmp(p->name, text, len)))
        p++;
    return p->name && strlen(text) < UNDER && !strchr(text, ' ') && (text[len] == '=' || !strncmp(text + len, "!=", 2));
}

void under_word(const struct row *r, const char *under, const char *is, int k, char word[UNDER])
{
    const size_t len = strcspn(under, "!=");
    const struct param *p = row_params(r);
    snprintf(word, UNDER, "%s", under_input(under) ? "" : under);
    if (under[len] != '!')
        return;
    while (strlen(p->name) != len || strncmp(p->name, under, len))
        p++;
    const char *w = p->choices;
    const long own = strtol(is, NULL, 10), number[] = { own, 2 * own, own + 1, 3 * own };
    for (int at = 0; p->kind == ENUM && at < k + 1; at++) {
        w = *word_next(w) ? word_next(w) : p->choices;
        w = !word_is(w, under + len + 2) ? w : *word_next(w) ? word_next(w) : p->choices;
    }
    if (p->kind == INT)
        snprintf(word, UNDER, "%.*s=%ld", (int)len, under, number[(k + 1) % 4]);
    else
        snprintf(word, UNDER, "%.*s=%.*s", (int)len, under, (int)strcspn(p->kind == ENUM ? w : is, " "),
            p->kind == ENUM ? w : is);
}
