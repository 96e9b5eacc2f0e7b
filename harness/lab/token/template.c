/* Reads post-processors; see template.h. */
#include "lab/token/template.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(struct ids *to, const json_t *id, char *err, size_t n)
{
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) > INT32_MAX)
        return snprintf(err, n, "no number of a token"), -1;
    ids_add(to, json_integer_value(id));
    return 0;
}

/* "single": a list of {"Sequence": {"id": "A"}}, the text, and {"SpecialToken": {"id": NAME}}. */
static int single(struct template *t, const json_t *of, char *err, size_t n)
{
    const json_t *list = json_object_get(of, "single"), *tokens = json_object_get(of, "special_tokens");
    bool text = false;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *x = json_array_get(list, k), *sequence = json_object_get(x, "Sequence");
        const char *name = json_string_value(json_object_get(json_object_get(x, "SpecialToken"), "id"));
        const char *which = json_string_value(json_object_get(sequence, "id"));
        const json_t *ids = name ? json_object_get(json_object_get(tokens, name), "ids") : NULL;
        if (sequence ? text || !which || strcmp(which, "A") : !json_is_array(ids))
            return snprintf(
                       err, n, "single: entry %zu is neither the text, once, nor a special token that is listed", k),
                   -1;
        text = text || sequence;
        for (size_t i = 0; !sequence && i < json_array_size(ids); i++)
            if (number(text ? &t->behind : &t->before, json_array_get(ids, i), err, n))
                return -1;
    }
    return text ? 0 : (snprintf(err, n, "single: the text is not in it"), -1);
}
static int between(struct template *t, const json_t *of, char *err, size_t n)
{
    return number(&t->before, json_array_get(json_object_get(of, "cls"), 1), err, n) ||
            number(&t->behind, json_array_get(json_object_get(of, "sep"), 1), err, n) ?
        -1 :
        0;
}

static int read(struct template *t, const json_t *of, char *err, size_t n)
{
    const char *type = json_string_value(json_object_get(of, "type"));
    const json_t *list = json_object_get(of, "processors");
    const bool more = t->before.n || t->behind.n;
    char why[200];
    int rc = 0;
    if (!type)
        return snprintf(err, n, "post_processor: a step without its type"), -1;
    if (!strcmp(type, "ByteLevel"))
        return 0;
    if (!strcmp(type, "Sequence") && json_is_array(list)) {
        for (size_t k = 0; k < json_array_size(list) && !rc; k++)
            rc = read(t, json_array_get(list, k), err, n);
        return rc;
    }
    if (more)
        return snprintf(err, n, "post_processor '%.60s': a second one that adds tokens", type), -1;
    if (!strcmp(type, "TemplateProcessing"))
        rc = single(t, of, why, sizeof why);
    else if (!strcmp(type, "BertProcessing") || !strcmp(type, "RobertaProcessing"))
        rc = between(t, of, why, sizeof why);
    else
        return snprintf(err, n, "post_processor '%.60s' is not known", type), -1;
    return rc ? (snprintf(err, n, "post_processor '%s': %s", type, why), -1) : 0;
}

int template_read(struct template *t, const json_t *root, char *err, size_t n)
{
    const json_t *of = json_object_get(root, "post_processor");
    *t = (struct template){ .before = { .n = 0 } };
    return !of || json_is_null(of) ? 0 : read(t, of, err, n);
}
void template_free(struct template *t)
{
    free(t->before.of), free(t->behind.of);
    *t = (struct template){ .before = { .n = 0 } };
}
