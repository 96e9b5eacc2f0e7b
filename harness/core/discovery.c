/* Findings in the field, read from data/findings.tsv and judged again. */
#include "discovery.h"
#include <stdio.h>
#include <string.h>
#include "data.h"
#include "examine.h"

enum { LINES = 64 }; /* of each output, as `meridian judge` does */

int discoveries_each(int (*f)(const struct discovery *d, void *with), void *with)
{
    char path[600], line[1200];
    int rc = 0;
    FILE *file = fopen(data_path("findings.tsv", path, sizeof path), "r");
    while (file && !rc && fgets(line, sizeof line, file)) {
        struct discovery d;
        if (*line == '#')
            continue;
        bool whole = sscanf(line, "%31[^\t]\t%23[^\t]\t%23[^\t]\t%239[^\t]\t%159[^\t]\t%159[^\n]", d.library, d.version, d.row, d.effect, d.witness, d.command) == 6;
        rc = whole && sscanf(d.command, "meridian judge data/peers/%63[^/ ] --case %95s", d.pack, d.id) == 2 ? f(&d, with) : -1;
    }
    return file ? fclose(file), rc : -1;
}

bool discovery_seen(const struct discovery *d, struct tally *y, char *seen, size_t n)
{
    char what[80], path[600], err[600] = "", got[200];
    struct subject s;
    struct trial t;
    struct finding f;
    struct mistake match;
    bool found = false;
    int rc;
    snprintf(what, sizeof what, "peers/%s", d->pack);
    snprintf(seen, n, "no such case");
    if (subject_pack(&s, data_path(what, path, sizeof path), err, sizeof err))
        return snprintf(seen, n, "%s", err), false;
    snprintf(s.name, sizeof s.name, "%s", d->pack);
    while (!found && (rc = s.next(&s, &t, err, sizeof err)) > 0) {
        size_t same = strcspn(t.id, "/");
        if (strlen(d->id) == same && !strncmp(t.id, d->id, same)) {
            examine_case(&s, &t, rc, err, LINES, false, y, &f, &match);
            snprintf(got, sizeof got, "%s[%ld,%ld|%ld] got %a exactly %s", y->out ? y->out : "?", y->at[0], y->at[1], y->k, y->got, y->digits);
            snprintf(seen, n, "%s%s%s", f.word == KNOWN_DEVIATION ? "" : word_name[f.word], f.word == KNOWN_DEVIATION ? "" : ": ", f.word == SKIPPED ? err : got);
            found = f.word == KNOWN_DEVIATION && !strcmp(got, d->witness) && !strcmp(t.row->name, d->row);
        }
        trial_close(&t);
    }
    s.close(&s);
    return found;
}
