/* Questions that were printed once, asked again of today's reference: the corpus of tests/second. */
#include <jansson.h>
#include <string.h>
#include "golden/second.h"

/* "name=value ..." of the object of [kind, value]; "c=7 ... name ..." of sizes and inputs. */
static void params_text(json_t *q, char *text, size_t n)
{
    const char *name;
    json_t *p;
    size_t used = 0;
    *text = 0;
    json_object_foreach(json_object_get(q, "params"), name, p)
        if (used < n)
            used += (size_t)snprintf(text + used, n - used, "%s=%s ", name, json_string_value(json_array_get(p, 1)));
}
static void sizes_text(json_t *q, char *text, size_t n)
{
    const char *name;
    json_t *v;
    size_t used = 0;
    *text = 0;
    json_object_foreach(json_object_get(q, "sizes"), name, v)
        if (used < n)
            used += (size_t)snprintf(text + used, n - used, "%s=%lld ", name, (long long)json_integer_value(v));
    json_object_foreach(json_object_get(q, "in"), name, v)
        if (used < n)
            used += (size_t)snprintf(text + used, n - used, "%s ", name);
}

static int filled(struct trial *t, json_t *q, char *err, size_t n)
{
    for (int k = 0; k < t->call.n_in; k++) {
        json_t *v = json_object_get(json_object_get(json_object_get(q, "in"), t->in[k].name), "v");
        if ((long)json_array_size(v) != array_len(&t->in[k]))
            return snprintf(err, n, "input %s: %zu numbers, expected %ld", t->in[k].name, json_array_size(v),
                       array_len(&t->in[k])), -1;
        for (long i = 0; i < array_len(&t->in[k]); i++) {
            json_t *x = json_array_get(v, (size_t)i);
            array_put(&t->in[k], i, json_is_string(x) ? strtod(json_string_value(x), NULL) : json_number_value(x));
        }
    }
    return trial_check(t, err, n);
}

static int one(FILE *f, json_t *q, long lines, char *err, size_t n)
{
    char params[TEXT_MAX], sizes[1000];
    struct trial t = { 0 };
    const char *row = json_string_value(json_object_get(q, "row")), *id = json_string_value(json_object_get(q, "id")),
               *quantity = json_string_value(json_object_get(q, "quantity"));
    if (!row || !quantity || !id)
        return snprintf(err, n, "no question: id, row and quantity are needed"), -1;
    params_text(q, params, sizeof params), sizes_text(q, sizes, sizeof sizes);
    int bad = trial_make(&t, row, params, quantity, MER_F64, sizes, 1, err, n) || filled(&t, q, err, n);
    if (!bad)
        second_ask(f, "kept", id, &t, NULL, lines);
    trial_close(&t);
    return bad;
}

int second_asked(FILE *f, FILE *from, long lines, char *err, size_t n)
{
    char *text = NULL, why[400];
    size_t room = 0;
    json_error_t at;
    int bad = 0;
    for (long line = 1; !bad && getline(&text, &room, from) > 0; line++) {
        json_t *q = json_loads(text, 0, &at);
        if (!q)
            bad = -1, snprintf(err, n, "line %ld: %.200s", line, at.text);
        else if ((bad = one(f, q, lines, why, sizeof why)))
            snprintf(err, n, "line %ld: %s", line, why);
        json_decref(q);
    }
    free(text);
    return bad;
}
