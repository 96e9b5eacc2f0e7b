/* Reads the lines of one model type from data/models/types.tsv. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "facts/facts.h"
#include "base/tsv.h"
#include "arith/need.h"
#include "core/data.h"

/* The whole table, read once in a process: its lines of five columns, and of each the first line behind it that is of
 * another type, so that 15,000 lines are passed over in 800 steps. */
struct facts_line { char *text; size_t next; };
static struct { char path[600]; struct facts_line *line; size_t n; } table;

static bool same_type(const char *a, const char *b)
{
    const size_t lead = strcspn(a, "\t");
    return !strncmp(a, b, lead) && b[lead] == '\t';
}

static void table_read(const char *path)
{
    struct tsv lines;
    if (!strcmp(table.path, path))
        return;
    for (size_t k = 0; k < table.n; k++)
        free(table.line[k].text);
    table.n = 0;
    snprintf(table.path, sizeof table.path, "%s", path);
    for (tsv_open(&lines, path); tsv_next(&lines);) {
        if (lines.n != 5)
            continue;
        if ((table.n & (table.n - 1)) == 0) /* 0, or full */
            table.line = need_more(table.line, table.n ? 2 * table.n : 1, sizeof *table.line);
        table.line[table.n++].text = need_copy(lines.text);
    }
    tsv_close(&lines);
    for (size_t k = table.n; k-- > 0;) {
        const bool with = k + 1 < table.n && same_type(table.line[k].text, table.line[k + 1].text);
        table.line[k].next = with ? table.line[k + 1].next : k + 1;
    }
}

/* Adds a line's fact, whose texts point into a copy of the line. */
static void add_line(struct type_facts *f, const char *line)
{
    f->of = need_more(f->of, f->n + 1, sizeof *f->of);
    f->text = need_more(f->text, f->n + 1, sizeof *f->text);
    char *at = f->text[f->n] = need_copy(line);
    struct type_fact *x = &f->of[f->n++];
    char **const to[] = { &x->place, &x->name, &x->value, &x->source };
    at += strcspn(at, "\t") + 1;
    for (int i = 0; i < 4; i++) {
        *to[i] = at;
        at += strcspn(at, "\t");
        if (*at)
            *at++ = 0;
    }
}

void facts_read(struct type_facts *f, const char *type)
{
    char path[600];
    const size_t lead = strlen(type);
    *f = (struct type_facts){ .n = 0 };
    snprintf(f->type, sizeof f->type, "%s", type);
    table_read(data_path("models/types.tsv", path, sizeof path));
    for (size_t k = 0; k < table.n; k = table.line[k].next) {
        if (strncmp(table.line[k].text, type, lead) || table.line[k].text[lead] != '\t')
            continue;
        for (size_t i = k; i < table.line[k].next; i++)
            add_line(f, table.line[i].text);
    }
}

void facts_free(struct type_facts *f)
{
    for (size_t k = 0; k < f->n; k++)
        free(f->text[k]);
    free(f->of), free(f->text);
    *f = (struct type_facts){ .n = 0 };
}

const struct type_fact *fact_of(const struct type_facts *f, const char *place, const char *name, const char *key)
{
    const size_t lead = strlen(name);
    for (size_t k = 0; k < f->n; k++)
        if (!strcmp(f->of[k].place, place) && !strncmp(f->of[k].name, name, lead) && !strcmp(f->of[k].name + lead, key))
            return &f->of[k];
    return NULL;
}

const struct type_fact *fact_anywhere(const struct type_facts *f, const char *name)
{
    for (size_t k = 0; k < f->n; k++)
        if (!strcmp(f->of[k].name, name))
            return &f->of[k];
    return NULL;
}

const char *fact_key_name(const struct type_facts *f, const char *key, size_t *at)
{
    enum { ITSELF, OWN, OTHERS }; /* from OTHERS on, *at counts facts */
    static const char lead[] = "alias.";
    const struct type_fact *own = *at == OWN ? fact_of(f, "-", lead, key) : NULL;
    const size_t step = *at;
    *at += step < OTHERS;
    if (step == ITSELF || own)
        return own ? own->value : key;
    while (*at - OTHERS < f->n) {
        const struct type_fact *x = &f->of[(*at)++ - OTHERS];
        if (!strncmp(x->name, lead, sizeof lead - 1) && !strcmp(x->value, key))
            return x->name + sizeof lead - 1;
    }
    return NULL;
}
