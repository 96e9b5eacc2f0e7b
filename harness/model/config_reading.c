/* Notes, refuses and adds; see config_reading.h. */
#include "model/config_reading.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "row/row.h"

void config_note(struct config *c, const char *format, ...)
{
    char text[240];
    va_list v;
    va_start(v, format);
    vsnprintf(text, sizeof text, format, v);
    va_end(v);
    for (int k = 0; k < c->n_notes; k++)
        if (!strcmp(c->note[k], text))
            return;
    if (c->n_notes < CONFIG_NOTES)
        snprintf(c->note[c->n_notes++], sizeof c->note[0], "%s", text);
}

void config_open(struct config_reading *r, const struct scope *s, const char *key, const char *format, ...)
{
    char text[400];
    va_list v;
    va_start(v, format);
    vsnprintf(text, sizeof text, format, v);
    va_end(v);
    r->c->open |= !r->f->bad;
    fields_refuse(r->f, s, key, "%s", text);
}

struct config_encoding *config_add(struct config_reading *r, const char *row, const char *evidence)
{
    if (r->c->n == CONFIG_ENCODINGS) {
        fields_refuse(r->f, &r->s, "", "found more than %d encodings", CONFIG_ENCODINGS);
        return NULL;
    }
    struct config_encoding *e = &r->c->e[r->c->n++];
    *e = (struct config_encoding){ .most = r->most };
    snprintf(e->row, sizeof e->row, "%s", row);
    snprintf(e->evidence, sizeof e->evidence, "%s", evidence);
    return e;
}

void config_finish(struct config_reading *r, struct config_encoding *e, const char *params)
{
    const struct row *row = row_named(e->row);
    char err[300];
    if (r->f->bad)
        return;
    void *p = need(1, row->size);
    if (row_knows(row, params, err, sizeof err) || params_read(row_params(row), p, params, err, sizeof err))
        fields_refuse(r->f, &r->s, "", "%s", err);
    else if (row->refuse && row->refuse(p))
        fields_refuse(r->f, &r->s, "", "%s", row->refuse(p));
    else
        params_brief(row_params(row), p, e->params, sizeof e->params);
    params_clear(row_params(row), p);
    free(p);
}

bool type_default(const struct type *t, const char *key, char *value, size_t n)
{
    struct mer_call c = { .params = t->defaults };
    const char *v = t->known ? mer_text(&c, key) : "";
    snprintf(value, n, "%.*s", (int)strcspn(v, " "), v);
    return *value;
}
