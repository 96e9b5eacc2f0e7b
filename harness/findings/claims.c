/* Reads data/errata.tsv, and looks quotes up in the articles. */
#include "findings/claims.h"
#include "base/tsv.h"
#include <stdio.h>
#include <stdlib.h>
#include "core/data.h"
#include "core/files.h"

int claims_each(int (*f)(const struct claim_line *l, void *with), void *with)
{
    char path[600], line[24];
    struct claim_line c;
    const struct tsv_place to[] = { { c.id, sizeof c.id }, { c.file, sizeof c.file }, { line, sizeof line },
        { c.quote, sizeof c.quote }, { c.claim, sizeof c.claim }, { c.condition, sizeof c.condition },
        { c.corrected, sizeof c.corrected }, { c.source, sizeof c.source }, { 0 } };
    struct tsv t;
    int rc = 0;
    if (!tsv_open(&t, data_path("errata.tsv", path, sizeof path)))
        return -1;
    while (!rc && tsv_next(&t)) {
        rc = tsv_take(&t, to) == 8 && sscanf(line, "%ld", &c.line) == 1 ? 0 : -1;
        rc = rc ? rc : f(&c, with);
    }
    return tsv_close(&t), rc;
}

int claim_quoted(const struct claim_line *l, const char *folder, char *err, size_t n)
{
    char path[4400];
    long at = 1;
    snprintf(path, sizeof path, "%.4200s/%s", folder, l->file);
    char *text = file_read(path), *s = text;
    for (; s && at < l->line; at++)
        s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL;
    if (s)
        s[strcspn(s, "\n")] = 0;
    bool found = s && strstr(s, l->quote);
    snprintf(err, n, "%s: %s", l->id,
        !text ? "its article is not in that folder" : "its quote is not in that line of the article");
    free(text);
    return found ? 0 : -1;
}
