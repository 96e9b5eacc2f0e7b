/* Reads the lines of one model type from data/models/types.tsv. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/facts.h"
#include "base/tsv.h"
#include "ball/need.h"
#include "core/data.h"

void facts_read(struct type_facts *f, const char *type)
{
    char path[600];
    struct tsv lines;
    *f = (struct type_facts){ .n = 0 };
    snprintf(f->type, sizeof f->type, "%s", type);
    for (tsv_open(&lines, data_path("models/types.tsv", path, sizeof path)); tsv_next(&lines);) {
        if (lines.n != 5 || strcmp(lines.col[0], type))
            continue;
        f->of = need_more(f->of, f->n + 1, sizeof *f->of);
        f->text = need_more(f->text, f->n + 1, sizeof *f->text);
        const size_t lead = strlen(lines.col[0]) + 1;
        char *copy = f->text[f->n] = need(1, strlen(lines.text) + 1);
        memcpy(copy, lines.text, strlen(lines.text) + 1);
        char *at = copy + lead;
        struct type_fact *x = &f->of[f->n++];
        char **const to[] = { &x->place, &x->name, &x->value, &x->source };
        for (int k = 0; k < 4; k++) {
            *to[k] = at;
            at += strcspn(at, "\t");
            if (*at)
                *at++ = 0;
        }
    }
    tsv_close(&lines);
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
