/* Says one change of a word or of numbers in other words; see reword.h. */
#include "diagnose/reword.h"
#include "base/words.h"
#include "trial/change.h"
#include <stdio.h>
#include <string.h>

void word_moved(const struct trial *t, const char *change, struct reworded r[2])
{
    char key[32], value[48], was[48], more[2];
    *r[0].change = *r[1].change = 0;
    if (sscanf(change, "%31[A-Za-z_0-9]=%47[^ ]%1s", key, value, more) != 2)
        return;
    const char *now = mer_text(&t->call, key);
    snprintf(was, sizeof was, "%.*s", (int)strcspn(now, " "), now);
    for (const struct param *p = row_params(t->row); p->name; p++) {
        long n = 0, to = -1, from = -1;
        for (const char *s = p->kind == ENUM && !strcmp(p->name, key) ? p->choices : ""; *s; s = word_next(s), n++)
            to = word_is(s, value) ? n : to, from = word_is(s, was) ? n : from;
        if (to < 0 || from < 0 || to == from)
            continue;
        snprintf(
            r[0].effect, sizeof r->effect, "%s: %s where %s is declared, and so on through its words", key, value, was);
        snprintf(r[n == 2 ? 0 : 1].effect, sizeof r->effect, "%s: %s where %s is declared, and the other way round",
            key, value, was);
        snprintf(r[0].change, sizeof r[0].change, "%s+=%ld", key, (to - from + n) % n);
        if (n > 2)
            snprintf(r[1].change, sizeof r[1].change, "%.40s<>%.40s", to < from ? value : was, to < from ? was : value);
    }
}

void values_after(const struct trial *t, const struct mistake *m, char *text, size_t n)
{
    struct trial after;
    char err[400];
    size_t at = 0;
    *text = 0;
    if (!trial_copy(&after, t, err, sizeof err) && !trial_change(&after, m->change, err, sizeof err))
        for (const struct param *p = row_params(t->row); p->name && at < n; p++) {
            const char *was = mer_text(&t->call, p->name), *is = mer_text(&after.call, p->name);
            const size_t len = strcspn(is, " ");
            if ((p->kind == INT || p->kind == RATIONAL) && (len != strcspn(was, " ") || memcmp(was, is, len)))
                at += (size_t)snprintf(text + at, n - at, "%s%s=%.*s", at ? " " : "", p->name, (int)len, is);
        }
    trial_close(&after);
}
