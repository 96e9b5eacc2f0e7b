/* From one convention to another: data/bridges.tsv. */
#include <stdio.h>
#include "core/data.h"
#include "fingerprint/fingerprint.h"

static bool fits(const char *rule, const char *value) { return !strcmp(rule, "*") || !strcmp(rule, value); }

/* $a, $b; $d: a - b, as "- 1" */
static void put_values(char *text, size_t n, const char *rule, const char *from, const char *to)
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

void fingerprint_advice(char *text, size_t n, const struct row *r, const char *trait, const char *from, const char *to)
{
    char path[600], line[900], row[24], name[32], a[64], b[64], what[500];
    FILE *f = fopen(data_path("bridges.tsv", path, sizeof path), "r");
    *text = 0;
    while (f && !*text && fgets(line, sizeof line, f))
        if (*line != '#' &&
            sscanf(line, "%23[^\t]\t%31[^\t]\t%63[^\t]\t%63[^\t]\t%499[^\n]", row, name, a, b, what) == 5 &&
            fits(row, r->name) && !strcmp(name, trait) && fits(a, from) && fits(b, to))
            put_values(text, n, what, from, to);
    if (f)
        fclose(f);
}

void fingerprint_bridge(
    char *text, size_t n, const struct row *r, const struct param *p, const char *from, const char *to)
{
    fingerprint_advice(text, n, r, p->name, from, to);
    if (!*text)
        snprintf(
            text, n, "pass %s=%s to the one, %s=%s to the other, or convert between them", p->name, from, p->name, to);
}
