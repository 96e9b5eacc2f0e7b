/* Reads configurations and class tables; see class.h. */
#include "lab/weights/class.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/tsv.h"
#include "core/data.h"
#include "core/field.h"

bool class_value(struct class_reading *r, const char *expression, char *text, size_t n)
{
    r->f.steps = 0, *r->f.missing = 0, *text = 0;
    json_t *v = formula_value(&r->f, expression);
    if (json_is_string(v))
        snprintf(text, n, "%s", json_string_value(v));
    else if (json_is_number(v))
        number_text(v, text, n);
    else if (json_is_boolean(v))
        snprintf(text, n, "%s", json_is_true(v) ? "yes" : "no");
    json_decref(v);
    return *text;
}

static int no_value(struct class_reading *r, const char *what, const char *expression, char *err, size_t n)
{
    return snprintf(err, n, "%.200s: %.40s, '%.100s', has no value: config.json %s%.60s", r->table, what, expression,
               *r->f.missing ? "lacks " : "does not fit", r->f.missing),
           -1;
}

/* The row's name of an activation. */
static int activation(const char *said, char *act, size_t size, char *err, size_t n)
{
    char path[600];
    struct tsv t;
    *act = 0;
    for (tsv_open(&t, data_path("weights/any.tsv", path, sizeof path)); tsv_next(&t);)
        if (t.n == 3 && !strcmp(t.col[0], "name") && !strcmp(t.col[1], said))
            snprintf(act, size, "%s", t.col[2]);
    tsv_close(&t);
    return *act ? 0 : (snprintf(err, n, "%.300s: no activation '%.60s'", path, said), -1);
}

/* Where a rule's number is kept; NULL: it is no number. */
static char *number_of(struct foreign *m, const char *name)
{
    const struct { const char *name; char *text; } all[] = { { "eps", m->eps }, { "offset", m->offset },
        { "embed_scale", m->embed_scale }, { "residual", m->residual }, { "logit_scale", m->logit_scale },
        { "cap", m->cap } };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!strcmp(name, all[k].name))
            return all[k].text;
    return NULL;
}

static int rule(struct class_reading *r, const char *name, const char *expression, char *err, size_t n)
{
    struct foreign *m = r->m;
    char text[80];
    if (!class_value(r, expression, text, sizeof text))
        return no_value(r, name, expression, err, n);
    if (!strcmp(name, "act"))
        return activation(text, m->act, sizeof m->act, err, n);
    char *number = number_of(m, name);
    if (number)
        return snprintf(number, sizeof m->eps, "%.39s", text), 0;
    const bool norm = !strcmp(name, "norm"), order = !strcmp(name, "order"), turn = !strcmp(text, "parallel-in-turn");
    if (norm && (!strcmp(text, "layernorm") || !strcmp(text, "rmsnorm")))
        return snprintf(m->norm, sizeof m->norm, "%.23s", text), 0;
    if (order && (!strcmp(text, "pre") || !strcmp(text, "parallel") || turn))
        return m->parallel = strcmp(text, "pre") != 0, m->in_turn = turn, 0;
    return snprintf(err, n, "%.300s: rule %.40s is '%.60s', which is none", r->table, name, text), -1;
}

static int size(struct class_reading *r, const char *letter, const char *expression, char *err, size_t n)
{
    char text[80];
    if (!class_value(r, expression, text, sizeof text))
        return no_value(r, letter, expression, err, n);
    const long x = strtol(text, NULL, 10);
    if (x < 1 || x > 1L << 30 || strspn(text, "0123456789") != strlen(text))
        return snprintf(err, n, "%.300s: %.100s is '%.40s', and must be a number from 1 to 2^30", r->table, expression,
                   text),
               -1;
    return r->m->size[*letter & 127] = x, 0;
}

int class_rules(struct class_reading *r, char *err, size_t n)
{
    struct tsv t;
    int rc = 0;
    if (!tsv_open(&t, r->table))
        rc = (snprintf(err, n, "models of type '%.60s' cannot be run here: there is no %.400s", r->m->type, r->table),
            -1);
    while (!rc && tsv_next(&t)) {
        const bool three = t.n == 3;
        if (three && !strcmp(t.col[0], "size"))
            rc = size(r, t.col[1], t.col[2], err, n);
        else if (three && !strcmp(t.col[0], "rule"))
            rc = rule(r, t.col[1], t.col[2], err, n);
        else if (strcmp(t.col[0], "tensor") && strcmp(t.col[0], "prefix"))
            rc = (snprintf(err, n, "%.400s:%ld: no line of a class", r->table, t.line), -1);
    }
    tsv_close(&t);
    if (!rc && (!*r->m->norm || !*r->m->eps || !*r->m->act || !r->m->size['c'] || !r->m->size['f'] || !r->m->size['v']))
        rc = (snprintf(err, n, "%.400s: needs the rules norm, eps and act and the sizes c, f and v", r->table), -1);
    return rc;
}

/* Puts "KEY=JSON" into the configuration. */
static int change(json_t *config, const char *text, char *err, size_t n)
{
    const char *value = strchr(text, '=');
    json_error_t why;
    char key[100];
    json_t *v = value ? json_loads(value + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why) : NULL;
    if (!v || value == text || value - text >= (long)sizeof key)
        return json_decref(v), snprintf(err, n, "--config '%.200s': must be KEY=JSON, as rms_norm_eps=1e-5", text), -1;
    snprintf(key, sizeof key, "%.*s", (int)(value - text), text);
    return json_object_set_new(config, key, v);
}

int class_open(struct class_reading *r, struct foreign *m, const char *folder, const char *const *set, char *err,
    size_t n)
{
    char path[1400];
    struct fields f = { .err = err, .n = n };
    snprintf(path, sizeof path, "%.1000s/config.json", folder);
    json_t *config = fields_load_python(&f, path);
    int rc = config ? 0 : -1;
    *r = (struct class_reading){ .m = m, .config = config }, *m = (struct foreign){ .layers = 0 };
    for (; !rc && *set; set++)
        rc = change(config, *set, err, n);
    rc = rc ? rc : class_begin(r, m, config, path, err, n);
    return rc ? rc : class_rules(r, err, n);
}

int class_begin(struct class_reading *r, struct foreign *m, json_t *config, const char *file, char *err, size_t n)
{
    char name[100];
    *r = (struct class_reading){ .m = m, .config = config }, *m = (struct foreign){ .layers = 0 };
    const char *type = json_string_value(json_object_get(r->config, "model_type"));
    if (!type || !name_is_plain(type) || strlen(type) >= sizeof m->type)
        return snprintf(err, n, "%.500s: no model_type", file), -1;
    strcpy(m->type, type);
    snprintf(name, sizeof name, "weights/%s.tsv", type);
    data_path(name, r->table, sizeof r->table);
    facts_read(&r->facts, type);
    r->f = (struct formula){ .facts = &r->facts, .root = r->config };
    return 0;
}

void class_close(struct class_reading *r)
{
    json_decref(r->config), facts_free(&r->facts);
    r->config = NULL;
}

void foreign_close(struct foreign *m)
{
    for (long l = 0; m->layer && l <= m->layers; l++) {
        for (int k = 0; k < ROLES; k++)
            free(m->layer[l].of[k].data);
        free(m->layer[l].rope), free(m->layer[l].attention);
    }
    free(m->layer), m->layer = NULL;
}
