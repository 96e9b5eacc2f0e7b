/* Conditions in words; see condition.h. */
#include "diagnose/joint/condition.h"
#include <stdio.h>
#include <string.h>
#include "diagnose/diagnosis.h"

bool under_holds(const struct trial *t, const char *under)
{
    char name[UNDER];
    const size_t len = strcspn(under, "!=");
    const bool other = under[len] == '!';
    if (!*under)
        return true;
    snprintf(name, sizeof name, "%.*s", (int)len, under);
    const char *is = mer_text(&t->call, name), *word = under + len + (other ? 2 : 1);
    const bool same = strcspn(is, " ") == strlen(word) && !strncmp(is, word, strlen(word));
    return same != other;
}

bool under_is(const struct row *r, const char *text)
{
    const size_t len = strcspn(text, "!=");
    const struct param *p = row_params(r);
    while (p->name && (strlen(p->name) != len || strncmp(p->name, text, len)))
        p++;
    return p->name && strlen(text) < UNDER && !strchr(text, ' ') && (text[len] == '=' || !strncmp(text + len, "!=", 2));
}
