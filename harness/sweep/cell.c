/* Reads and checks the text of cells axis by axis, and makes the trials of measures that ask kernels. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "sweep/measure.h"
#include "measures.h"
#include "base/words.h"

const struct measure *const *const all_measures = found_measures;
static const struct own_axis seed_axis = { "seed", "1", NULL, "of the generator", 1, 1L << 40 };

const struct measure *measure_named(const char *name)
{
    for (const struct measure *const *m = all_measures; *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return NULL;
}

const struct own_axis *cell_axis(const struct measure *m, const char *name)
{
    for (int list = 0; list < 2 && m->axes[list]; list++)
        for (const struct own_axis *a = m->axes[list]; a->name; a++)
            if (!strcmp(a->name, name))
                return a;
    return strcmp(name, "seed") ? NULL : &seed_axis;
}

static const struct param *row_param(const struct row *r, const char *name)
{
    for (const struct param *p = r ? row_params(r) : NULL; p && p->name; p++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

static bool has_letter(const struct row *r, char letter)
{
    for (const struct quantity *q = r ? r->q : NULL; q && q->sign; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        for (int k = 0; k <= s.n_in; k++) {
            const struct axes *x = k < s.n_in ? &s.in[k] : &s.out;
            if (memchr(x->axis, letter, (size_t)x->rank))
                return true;
        }
    }
    return false;
}

static bool is_integer(const char *value, long least, long most)
{
    char *end;
    errno = 0;
    long x = strtol(value, &end, 10);
    return end != value && !*end && !errno && x >= least && x <= most;
}

const char *axis_refuses(
    const struct measure *m, const struct row *row, const char *axis, const char *value, char *why, size_t n)
{
    const struct own_axis *own = cell_axis(m, axis);
    if (own && own->choices && !words_have(own->choices, value))
        return snprintf(why, n, "%s: found '%.80s', allowed: %s", axis, value, own->choices), why;
    if (own && own->least < own->most && !is_integer(value, own->least, own->most) && strcmp(value, own->value))
        return snprintf(why, n, "%s: found '%.80s', allowed: an integer from %ld to %ld", axis, value, own->least,
                   own->most),
               why;
    if (own)
        return NULL;
    if (row_param(row, axis)) {
        char text[400];
        void *params = need(1, row->size);
        snprintf(text, sizeof text, "%s=%.300s", axis, value);
        bool bad = strpbrk(value, " =") || params_read(row_params(row), params, text, why, n);
        params_clear(row_params(row), params);
        free(params);
        return bad ? why : NULL;
    }
    if (strlen(axis) == 1 && isalpha((unsigned char)*axis) && has_letter(row, *axis))
        return is_integer(value, 1, 1L << 40) ?
            NULL :
            (snprintf(why, n, "%s: found '%.80s', allowed: an integer from 1", axis, value), why);
    size_t at = (size_t)snprintf(why, n, "unknown axis '%.60s'; %s has", axis, m->name);
    for (int list = 0; list < 2 && m->axes[list]; list++)
        for (const struct own_axis *a = m->axes[list]; a->name && at < n; a++)
            at += (size_t)snprintf(why + at, n - at, " %s", a->name);
    if (at < n)
        at += (size_t)snprintf(why + at, n - at, " seed%s%s%s", row ? "; " : "", row ? row->name : "",
            row ? " the letters of its shapes and" : "");
    for (const struct param *p = row ? row_params(row) : NULL; p && p->name && at < n; p++)
        at += (size_t)snprintf(why + at, n - at, " %s", p->name);
    return why;
}

static int put(char *to, size_t room, const char *key, const char *value)
{
    size_t at = strlen(to);
    return (size_t)snprintf(to + at, room - at, "%s%s=%s", at ? " " : "", key, value) < room - at ? 0 : -1;
}

int cell_read(struct cell *c, const char *what, char *err, size_t n)
{
    char text[CELL_TEXT], *save = NULL;
    *c = (struct cell){ .seed = 1 };
    if (strlen(what) >= sizeof text)
        return snprintf(err, n, "a cell of more than %d bytes", CELL_TEXT - 1), -1;
    strcpy(text, what);
    char *word = strtok_r(text, " ", &save), *row = strtok_r(NULL, " ", &save);
    c->measure = word ? measure_named(word) : NULL;
    c->row = row ? row_named(row) : NULL;
    if (!c->measure || !row || (c->measure->rows ? !c->row : strcmp(row, "-")))
        return snprintf(err, n, "no cell: '%.80s'", what), -1;
    while ((word = strtok_r(NULL, " ", &save))) {
        char *value = strchr(word, '=');
        if (!value)
            return snprintf(err, n, "'%.80s' is no key=value", word), -1;
        *value++ = 0;
        if (axis_refuses(c->measure, c->row, word, value, err, n))
            return -1;
        const struct own_axis *own = cell_axis(c->measure, word);
        if (own == &seed_axis)
            c->seed = strtoull(value, NULL, 10);
        else if (own) {
            if (c->fields == CELL_FIELDS || strlen(value) >= sizeof c->field[0].value)
                return snprintf(err, n, "%s: too long", word), -1;
            snprintf(c->field[c->fields].name, sizeof c->field[0].name, "%s", word);
            strcpy(c->field[c->fields++].value, value);
        } else if (put(row_param(c->row, word) ? c->params : c->sizes, CELL_TEXT, word, value))
            return snprintf(err, n, "%s: too long", word), -1;
    }
    return 0;
}

const char *cell_text(const struct cell *c, const char *axis)
{
    for (int k = 0; k < c->fields; k++)
        if (!strcmp(c->field[k].name, axis))
            return c->field[k].value;
    const struct own_axis *a = cell_axis(c->measure, axis);
    return a ? a->value : "";
}
long cell_long(const struct cell *c, const char *axis) { return strtol(cell_text(c, axis), NULL, 10); }

const struct own_axis cell_kernel_axes[] = {
    { "out", "y", NULL, "one output of the row" },
    { "type", "f32", "f64 f32 f16 bf16", "format of the arrays" },
    { "slot", "best", "best scalar avx2 avx512 avx512bf16 amx", "whose kernel; best: the highest here that has one" },
    { "inputs", "uniform", "uniform normal small probe", "how arrays are filled (inputs.h)" },
    { "length", "-", NULL, "positions lie in [0, length), the last one among them; -: as made-up cases have them", 1,
        1L << 40 },
    { 0 },
};

static const char *sizes_of(const struct cell *c, char *text, size_t n)
{
    return snprintf(text, n, "%s %s", c->sizes, cell_text(c, "inputs")), text;
}

int cell_trial(const struct cell *c, struct trial *t, char *err, size_t n)
{
    char sizes[CELL_TEXT + 40];
    long length = cell_long(c, "length");
    if (trial_make(t, &(struct trial_spec){ c->row->name, c->params, cell_text(c, "out"),
        type_named(cell_text(c, "type")), sizes_of(c, sizes, sizeof sizes), c->seed }, err, n))
        return -1;
    struct mer_array *pos = length ? mer_find(t->in, t->call.n_in, "pos") : NULL;
    for (long i = 0; pos && i < array_len(pos); i++)
        array_put(
            pos, i, (double)(i == 0 ? length - 1 : (long)(gen_bits(c->seed, 77, (uint64_t)i) % (uint64_t)length)));
    return 0;
}

double cell_trial_bytes(const struct cell *c)
{
    char sizes[CELL_TEXT + 40], err[400];
    struct trial t;
    double bytes;
    int rc = trial_size(&t, &(struct trial_spec){ c->row->name, c->params, cell_text(c, "out"),
        type_named(cell_text(c, "type")), sizes_of(c, sizes, sizeof sizes) }, &bytes, err, sizeof err);
    trial_close(&t);
    return rc ? 0 : bytes;
}

int cell_check(const struct cell *c, char *err, size_t n)
{
    char sizes[CELL_TEXT + 40];
    struct trial t;
    double bytes;
    int rc = 0;
    if (!row_quantity(c->row, cell_text(c, "out")))
        return snprintf(err, n, "out: %s has no output '%.60s'", c->row->name, cell_text(c, "out")), -1;
    bool known = trial_size(&t, &(struct trial_spec){ c->row->name, c->params, cell_text(c, "out"),
        type_named(cell_text(c, "type")), sizes_of(c, sizes, sizeof sizes) }, &bytes, err, n) == 0;
    /* parameters that exclude each other are no mistake of the recipe: that cell becomes a SKIP when it is run */
    for (const char *s = c->sizes; known && *s && !rc; s = word_next(s))
        if (t.size[(int)*s] && t.size[(int)*s] != atol(s + 2))
            rc = (snprintf(err, n, "%c: it is %ld by the parameters of %s, and %ld cannot be swept", *s,
                      t.size[(int)*s], c->row->name, atol(s + 2)),
                -1);
    if (known && !rc && cell_long(c, "length") && !mer_find(t.in, t.call.n_in, "pos"))
        rc = (snprintf(err, n,
                  "length: %s.%s reads no positions, so length says nothing; its keys are a letter of its shape",
                  c->row->name, cell_text(c, "out")),
            -1);
    trial_close(&t);
    return rc;
}

const struct mer_kernel *cell_kernel(const struct cell *c, struct trial *t, const char **slot)
{
    const char *wanted = cell_text(c, "slot"), *out = cell_text(c, "out"), *type = cell_text(c, "type");
    int last = 0;
    while (slots[last].name)
        last++;
    for (const struct slot *s = slots + last - 1; last--; s--)
        for (const struct mer_kernel *k = s->kernel;
             (!strcmp(wanted, "best") || !strcmp(wanted, s->name)) && s->here() && k->row; k++)
            if (!strcmp(k->row, c->row->name) && !strcmp(k->type, type) && words_have(k->out, out) &&
                mer_ask(k, &t->call) == MER_OK) {
                snprintf(t->profile, sizeof t->profile, "%s", k->profile);
                *slot = s->name;
                return k;
            }
    return NULL;
}

void cell_skip(const struct cell *c, struct outcome *o, const char *why)
{
    outcome_put(o,
        &(struct entry){ .row = c->row ? c->row->name : "",
            .quantity = cell_text(c, "out"),
            .measure = "not run",
            .value = (double)NAN,
            .bound = (double)NAN,
            .witness = why,
            .verdict = "SKIP",
            .seed = c->seed });
}
