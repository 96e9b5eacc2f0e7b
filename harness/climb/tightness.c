/* Reads, writes and checks data/tightness/ROW.tsv; see tightness.h. */
#include "climb/tightness.h"
#include <stdlib.h>
#include <string.h>
#include "core/data.h"
#include "core/files.h"

static const char head[] = "# The largest share of its bound that each step was seen to use alone: written by "
                           "`meridian climb --only steps --write`; reasons by hand.\n# step\tshare\tcase\treason\n";

static const char *path_of(const struct row *row, char *path, size_t n)
{
    char what[100];
    snprintf(what, sizeof what, "tightness/%s.tsv", row->name);
    return data_path(what, path, n);
}

static int read_line(char *line, struct tightness *t)
{
    char *field[4], *end;
    for (int k = 0; k < 4; k++) {
        field[k] = line;
        line += strcspn(line, "\t\n");
        if (k < 3 && *line != '\t')
            return -1;
        *line++ = 0;
    }
    *t = (struct tightness){ .share = strtod(field[1], &end) };
    if (*end || !*field[1] || strlen(field[0]) >= sizeof t->step || strlen(field[2]) >= sizeof t->text ||
        strlen(field[3]) >= sizeof t->reason)
        return -1;
    strcpy(t->step, field[0]), strcpy(t->text, field[2]), strcpy(t->reason, field[3]);
    return 0;
}

int tightness_read(const struct row *row, struct tightness *at, char *err, size_t n)
{
    char path[700], *line = NULL;
    size_t room = 0;
    int lines = 0;
    FILE *f = file_open(path_of(row, path, sizeof path));
    if (!f)
        return snprintf(err, n, "%.600s: cannot be read", path), -1;
    while (lines >= 0 && getline(&line, &room, f) > 0)
        if (*line != '#' && (lines == STEPS || read_line(line, &at[lines++])))
            lines = -1,
            snprintf(err, n, "%.600s: '%.60s' is not step, share, case and reason with tabs between", path, line);
    free(line), fclose(f);
    return lines;
}

static struct tightness *line_of_step(struct tightness *at, int lines, const char *step)
{
    for (int k = 0; k < lines; k++)
        if (!strcmp(at[k].step, step))
            return &at[k];
    return NULL;
}

/* Takes over the store's largest share of a step, with its case, where it is larger than t's. */
static int raise(sqlite3 *db, const struct row *row, struct tightness *t)
{
    static const char sql[] = "SELECT value, witness FROM main.result WHERE measure='climb step' AND row=?1 AND "
                              "quantity=?2 AND witness<>'' AND value<=1 ORDER BY value DESC LIMIT 1";
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_text(q, 1, row->name, -1, SQLITE_STATIC), sqlite3_bind_text(q, 2, t->step, -1, SQLITE_STATIC);
    if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_double(q, 0) > t->share) {
        t->share = sqlite3_column_double(q, 0);
        snprintf(t->text, sizeof t->text, "%s", (const char *)sqlite3_column_text(q, 1));
    }
    return sqlite3_finalize(q), 0;
}

int tightness_write(sqlite3 *db, const struct row *row, char *err, size_t n)
{
    struct tightness *was = need(STEPS, sizeof *was);
    char path[700], *text = NULL;
    size_t len, bytes = 0;
    const char *step;
    const int lines = tightness_read(row, was, err, n);
    FILE *f = need_stream(&text, &bytes);
    int rc = 0;
    fputs(head, f);
    for (int k = 0; !rc && (step = row_step(row, k, &len)); k++) {
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)len, step);
        const struct tightness *old = line_of_step(was, lines, name);
        struct tightness t = old ? *old : (struct tightness){ .text = "-", .reason = "-" };
        snprintf(t.step, sizeof t.step, "%s", name);
        if (raise(db, row, &t))
            rc = -1, snprintf(err, n, "%s", sqlite3_errmsg(db));
        fprintf(f, "%s\t%.3f\t%s\t%s\n", t.step, t.share, t.text, t.share < TIGHT_FAIR ? t.reason : "-");
    }
    fclose(f);
    rc = rc ? rc : file_replace(path_of(row, path, sizeof path), text, bytes, err, n);
    free(text), free(was);
    return rc;
}

long tightness_check(const struct row *row, FILE *to)
{
    struct tightness *t = need(STEPS, sizeof *t);
    char err[900];
    size_t len;
    const char *step;
    long wrong = 0;
    int steps = 0;
    const int lines = tightness_read(row, t, err, sizeof err);
    if (lines < 0)
        wrong++, fprintf(to, "%s\n", err);
    for (; lines >= 0 && (step = row_step(row, steps, &len)); steps++) {
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)len, step);
        const struct tightness *x = line_of_step(t, lines, name);
        const bool reason = x && strcmp(x->reason, "-") && *x->reason;
        if (!x)
            wrong++, fprintf(to, "%s %s: data/tightness/%s.tsv has no line for it\n", row->name, name, row->name);
        else if (!(x->share >= TIGHT_FAIR) && !reason)
            wrong++,
                fprintf(to, "%s %s: uses %.3f of its bound, and data/tightness/%s.tsv gives no reason\n", row->name,
                    name, x->share, row->name);
        else if (x->share >= TIGHT_FAIR && reason)
            wrong++,
                fprintf(to, "%s %s: uses %.3f of its bound; its reason in data/tightness/%s.tsv is stale\n", row->name,
                    name, x->share, row->name);
    }
    if (lines > steps)
        wrong++,
            fprintf(
                to, "%s: data/tightness/%s.tsv has %d lines, the row %d steps\n", row->name, row->name, lines, steps);
    free(t);
    return wrong;
}
