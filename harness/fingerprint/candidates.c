/* Lists values worth trying for a parameter whose value is not known. */
#include <stdio.h>
#include "fingerprint/candidates.h"
#include "trial/mistake.h"
#include "base/words.h"

struct list_of { const struct param *p; const char *now; char (*v)[96]; int n; };

static void add(struct list_of *l, const char *value, size_t len)
{
    char text[96];
    if (len >= sizeof text || l->n == CANDIDATES)
        return;
    snprintf(text, sizeof text, "%.*s", (int)len, value);
    for (int k = 0; k < l->n; k++)
        if (!strcmp(l->v[k], text))
            return;
    strcpy(l->v[l->n++], text);
}
static void add_long(struct list_of *l, long x)
{
    char text[32];
    if (l->p->least < l->p->most && (x < l->p->least || x > l->p->most))
        return;
    add(l, text, (size_t)snprintf(text, sizeof text, "%ld", x));
}

/* adds the values of p that stand in "key=value ..." or "key+=by" */
static void from_text(struct list_of *l, const char *text)
{
    size_t key = strlen(l->p->name);
    for (const char *s = text; *s; s = word_next(s)) {
        if (strncmp(s, l->p->name, key))
            continue;
        if (s[key] == '=')
            add(l, s + key + 1, strcspn(s + key + 1, " "));
        if (s[key] == '+' && s[key + 1] == '=' && l->p->kind == INT)
            add_long(l, strtol(l->now, NULL, 10) + strtol(s + key + 2, NULL, 10));
    }
}
static int of_mistake(const struct mistake *m, void *with)
{
    return from_text(with, m->change), from_text(with, m->where), 0;
}

int candidates(const struct row *r, const struct param *p, const char *now, const char *hints, char v[][96])
{
    struct list_of l = { p, now, v, 0 };
    long at = strtol(now, NULL, 10);
    add(&l, now, strlen(now));
    add(&l, p->value, strlen(p->value));
    for (const char *c = p->choices; c && *c; c = word_next(c))
        add(&l, c, strcspn(c, " "));
    from_text(&l, hints);
    mistakes_each(r->name, of_mistake, &l);
    for (const struct preset *s = r->presets; s->name; s++)
        from_text(&l, s->text);
    if (p->kind == INT)
        for (long d = -1; d <= 1; d += 2)
            add_long(&l, at + d), add_long(&l, d < 0 ? at / 2 : at * 2);
    for (long two = 2; p->kind == INT && two <= 128; two *= 2)
        add_long(&l, two);
    if (p->kind == RATIONAL)
        for (int k = 0; k < 6; k++)
            add(&l, (const char *const[]){ "0", "1", "2", "1/2", "4", "1/4" }[k],
                strlen((const char *const[]){ "0", "1", "2", "1/2", "4", "1/4" }[k]));
    return l.n;
}
