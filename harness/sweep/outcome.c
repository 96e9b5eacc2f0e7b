/* The results of a measure as lines of text, in which form a worker sends them to the one process that writes.
 *   entry  row quantity subject params measure value bound witness method n seed verdict     point  series x y
 *          numbers by their bits */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sweep/measure.h"

/* Writes a field, with tabs and line ends replaced. */
static void text(FILE *to, const char *s)
{
    fputc('\t', to);
    for (; s && *s; s++)
        fputc(*s == '\t' || *s == '\n' ? ' ' : *s, to);
}
static void real(FILE *to, double x)
{
    char bits[17];
    bits_write(x, bits);
    text(to, bits);
}

void outcome_put(struct outcome *o, const struct entry *e)
{
    const char *five[] = { e->row, e->quantity, e->subject, e->params, e->measure };
    fputs("entry", o->to);
    for (int k = 0; k < 5; k++)
        text(o->to, five[k]);
    real(o->to, e->value), real(o->to, e->bound);
    text(o->to, e->witness), text(o->to, e->method);
    fprintf(o->to, "\t%" PRId64 "\t%" PRIu64, e->n, e->seed);
    text(o->to, e->verdict);
    fputc('\n', o->to);
}

void outcome_point(struct outcome *o, const char *series, double x, double y)
{
    fputs("point", o->to);
    text(o->to, series), real(o->to, x), real(o->to, y);
    fputc('\n', o->to);
}

int outcome_store(const char *from, struct store *s)
{
    enum { FIELDS = 13 };
    char *copy = need_copy(from), *line = copy;
    int rc = 0;
    while (rc == 0 && *line) {
        char *f[FIELDS] = { line }, *end = strchr(line, '\n');
        int fields = 1;
        if (!end) {
            rc = -1;
            break;
        }
        *end = 0;
        for (char *tab = line; fields < FIELDS && (tab = strchr(tab, '\t')); fields++)
            *tab++ = 0, f[fields] = tab;
        if (fields == FIELDS && !strcmp(f[0], "entry"))
            store_put(s,
                &(struct entry){ f[1], f[2], f[3], f[4], f[5], bits_read(f[6]), bits_read(f[7]), f[8], f[9],
                    strtoll(f[10], NULL, 10), strtoull(f[11], NULL, 10), f[12] });
        else if (fields == 4 && !strcmp(f[0], "point"))
            store_point(s, f[1], bits_read(f[2]), bits_read(f[3]));
        else
            rc = -1;
        line = end + 1;
    }
    free(copy);
    return rc;
}
