/* Asks questions that were written before once more of today's reference: the corpus of tests/second. */
#include <jansson.h>
#include <string.h>
#include "golden/second.h"

/* Appends a word for each member of an object: "name=value" for a parameter, [kind, value], or a size; "name" for an
 * input. false: text[n] has no room for all of them. */
static bool add_words(json_t *of, char *text, size_t n)
{
    const char *name;
    json_t *v;
    size_t used = strlen(text);
    json_object_foreach(of, name, v) {
        char number[24];
        const char *value = json_string_value(json_array_get(v, 1));
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
        value = json_is_integer(v) ? number : value;
        used += (size_t)snprintf(text + used, n - used, "%s%s%s ", name, value ? "=" : "", value ? value : "");
        if (used >= n)
            return false;
    }
    return true;
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

static int ask_again(FILE *f, json_t *q, long lines, char *err, size_t n)
{
    char params[TEXT_MAX] = "", sizes[1000] = "";
    struct trial t = { 0 };
    const char *row = json_string_value(json_object_get(q, "row")), *id = json_string_value(json_object_get(q, "id")),
               *quantity = json_string_value(json_object_get(q, "quantity"));
    if (!row || !quantity || !id)
        return snprintf(err, n, "no question: id, row and quantity are needed"), -1;
    if (!add_words(json_object_get(q, "params"), params, sizeof params) ||
        !add_words(json_object_get(q, "sizes"), sizes, sizeof sizes) ||
        !add_words(json_object_get(q, "in"), sizes, sizeof sizes))
        return snprintf(err, n, "%.80s: its parameters or sizes are too long to be asked", id), -1;
    int bad = trial_make(&t, &(struct trial_spec){ row, params, quantity, MER_F64, sizes, 1 }, err, n) ||
        filled(&t, q, err, n);
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
        else if ((bad = ask_again(f, q, lines, why, sizeof why)))
            snprintf(err, n, "line %ld: %s", line, why);
        json_decref(q);
    }
    free(text);
    return bad;
}
