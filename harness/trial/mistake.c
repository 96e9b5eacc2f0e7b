/* Reads data/mistakes/ROW.tsv; see mistake.h. */
#include <stdio.h>
#include "core/data.h"
#include "trial/mistake.h"

int mistakes_each(const char *row, int (*f)(const struct mistake *m, void *with), void *with)
{
    char path[600], line[800], what[80];
    struct mistake m;
    int rc = 0;
    snprintf(what, sizeof what, "mistakes/%s.tsv", row);
    FILE *file = fopen(data_path(what, path, sizeof path), "r");
    while (file && !rc && fgets(line, sizeof line, file))
        if (*line != '#' &&
            (*m.repair = 0,
                sscanf(line, "%47[^\t]\t%159[^\t]\t%95[^\t]\t%159[^\t]\t%119[^\t\n]\t%159[^\n]", m.id, m.where,
                    m.change, m.effect, m.cite, m.repair)) >= 5) {
            if (!strcmp(m.where, "-"))
                *m.where = 0;
            rc = f(&m, with);
        }
    return file ? fclose(file), rc : -1;
}
