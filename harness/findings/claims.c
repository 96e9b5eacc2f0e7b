/* Reads data/errata.tsv. */
#include "findings/claims.h"
#include <stdio.h>
#include <stdlib.h>
#include "core/data.h"
#include "core/files.h"

int claims_each(int (*f)(const struct claim_line *l, void *with), void *with)
{
    char path[600], line[2600];
    struct claim_line c;
    int rc = 0;
    FILE *file = fopen(data_path("errata.tsv", path, sizeof path), "r");
    while (file && !rc && fgets(line, sizeof line, file))
        if (*line != '#')
            rc = sscanf(line, "%15[^\t]\t%63[^\t]\t%ld\t%399[^\t]\t%399[^\t]\t%299[^\t]\t%499[^\t]\t%199[^\n]", c.id,
                     c.file, &c.line, c.quote, c.claim, c.condition, c.corrected, c.source) == 8 ?
                f(&c, with) :
                -1;
    return file ? fclose(file), rc : -1;
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
