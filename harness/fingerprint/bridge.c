/* Ways from one convention to another: data/bridges/ROW.tsv, then any.tsv, which holds for every row. */
#include <stdio.h>
#include "base/tsv.h"
#include "core/data.h"
#include "fingerprint/bridge.h"

static bool fits(const char *rule, const char *value) { return !strcmp(rule, "*") || !strcmp(rule, value); }

/* Writes the rule with its variables replaced: $a and $b are the two values, $d is a - b, as "- 1". */
static void write_rule(char *text, size_t n, const char *rule, const char *from, const char *to)
{
    size_t at = 0;
    for (const char *s = rule; *s && at + 1 < n; s++) {
        if (*s == '$' && (s[1] == 'a' || s[1] == 'b'))
            at += (size_t)snprintf(text + at, n - at, "%s", *++s == 'a' ? from : to);
        else if (*s == '$' && s[1] == 'd')
            at += (size_t)snprintf(text + at, n - at, strtol(from, NULL, 10) < strtol(to, NULL, 10) ? "- %ld" : "+ %ld",
                labs(strtol(from, NULL, 10) - strtol(to, NULL, 10))),
                s++;
        else
            text[at++] = *s;
        at = at < n ? at : n - 1;
    }
    text[at] = 0;
}

/* The text of the first line of data/bridges/NAME.tsv about the trait and both values; false: there is none. */
static bool advice_of(char *text, size_t n, const char *name, const char *trait, const char *from, const char *to)
{
    char what[80], path[600];
    struct tsv t;
    *text = 0;
    snprintf(what, sizeof what, "bridges/%s.tsv", name);
    for (tsv_open(&t, data_path(what, path, sizeof path)); !*text && tsv_next(&t);)
        if (t.n == 4 && !strcmp(t.col[0], trait) && fits(t.col[1], from) && fits(t.col[2], to))
            write_rule(text, n, t.col[3], from, to);
    tsv_close(&t);
    return *text != 0;
}

void fingerprint_advice(char *text, size_t n, const struct row *r, const char *trait, const char *from, const char *to)
{
    if (!advice_of(text, n, r->name, trait, from, to))
        advice_of(text, n, "any", trait, from, to);
}

void fingerprint_bridge(
    char *text, size_t n, const struct row *r, const struct param *p, const char *from, const char *to)
{
    fingerprint_advice(text, n, r, p->name, from, to);
    if (!*text)
        snprintf(
            text, n, "pass %s=%s to the one, %s=%s to the other, or convert between them", p->name, from, p->name, to);
}
