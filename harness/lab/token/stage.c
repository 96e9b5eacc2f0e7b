/* Reads and runs steps; see stage.h. */
#include "lab/token/stage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"

int part_flag(const json_t *of, const char *key, bool otherwise, bool *to, char *err, size_t n)
{
    const json_t *v = json_object_get(of, key);
    *to = v && !json_is_null(v) ? json_is_true(v) : otherwise;
    return !v || json_is_null(v) || json_is_boolean(v) ? 0 :
                                                         (snprintf(err, n, "%s is neither true nor false", key), -1);
}
int part_text(const json_t *of, const char *key, const char **to, size_t *length, char *err, size_t n)
{
    const json_t *v = json_object_get(of, key);
    if (!json_is_string(v))
        return snprintf(err, n, "no text '%s'", key), -1;
    *to = json_string_value(v), *length = json_string_length(v);
    return 0;
}
int part_choice(const json_t *of, const char *key, const char *const *names, int otherwise, int *to, char *err,
    size_t n)
{
    const json_t *v = json_object_get(of, key);
    const char *text = json_string_value(v);
    *to = otherwise;
    if (!v || json_is_null(v))
        return otherwise < 0 ? (snprintf(err, n, "no '%s'", key), -1) : 0;
    for (int k = 0; text && names[k]; k++)
        if (!strcmp(text, names[k]))
            return *to = k, 0;
    return snprintf(err, n, "%s '%.40s' is not known", key, text ? text : "(no text)"), -1;
}
int part_pattern(struct stage *s, const json_t *of, char *err, size_t n)
{
    const json_t *v = json_object_get(of, "pattern");
    const char *text = NULL;
    size_t length = 0;
    if (json_object_size(v) != 1 || !(json_object_get(v, "String") || json_object_get(v, "Regex")))
        return snprintf(err, n, "no pattern that is String or Regex"), -1;
    if (json_object_get(v, "String")) {
        if (part_text(v, "String", &text, &length, err, n))
            return -1;
        s->pattern = regex_plain(text, length);
        return 0;
    }
    char why[200];
    if (part_text(v, "Regex", &text, &length, err, n))
        return -1;
    s->pattern = regex_pattern(text, length, why, sizeof why);
    return s->pattern ? 0 : (snprintf(err, n, "Regex '%.60s': %s", text, why), -1);
}
int part_kept(struct stage *s, const json_t *of, const char *key, char *err, size_t n)
{
    const char *text;
    if (part_text(of, key, &text, &s->n, err, n))
        return -1;
    s->text = need(s->n + 1, 1);
    memcpy(s->text, text, s->n);
    return 0;
}

int32_t byte_character(unsigned char byte)
{
    static int32_t table[256];
    int32_t next = 0x100;
    for (int b = 0; b < 256 && !table[255]; b++)
        table[b] = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae ? b : next++;
    return table[byte];
}

/* Reads one step, or all of a Sequence, whose list is under `list`. */
static int read(struct stages_of *s, const json_t *of, const char *key, char *err, size_t n)
{
    const struct stage_kind *kinds = s->splits ? splitter_kinds : normalizer_kinds, *k = kinds;
    const char *type = json_string_value(json_object_get(of, "type"));
    if (!type)
        return snprintf(err, n, "%s: a step without its type", key), -1;
    if (!strcmp(type, "Sequence")) {
        const json_t *list = json_object_get(of, s->splits ? "pretokenizers" : "normalizers");
        if (!json_is_array(list))
            return snprintf(err, n, "%s 'Sequence' has no list", key), -1;
        for (size_t i = 0; i < json_array_size(list); i++)
            if (read(s, json_array_get(list, i), key, err, n))
                return -1;
        return 0;
    }
    while (k->type && strcmp(k->type, type))
        k++;
    if (!k->type)
        return snprintf(err, n, "%s '%.60s' is not known", key, type), -1;
    s->of = need_more(s->of, s->n + 1, sizeof *s->of);
    s->of[s->n] = (struct stage){ .kind = k };
    char why[300];
    if (k->read && k->read(&s->of[s->n++], of, why, sizeof why))
        return snprintf(err, n, "%s '%s': %s", key, type, why), -1;
    s->n += !k->read;
    return 0;
}

int stages_read(struct stages_of *s, const json_t *root, const char *key, char *err, size_t n)
{
    const json_t *of = json_object_get(root, key);
    *s = (struct stages_of){ .splits = strcmp(key, "normalizer") != 0 };
    return !of || json_is_null(of) ? 0 : read(s, of, key, err, n);
}
void stages_free(struct stages_of *s)
{
    for (size_t k = 0; k < s->n; k++)
        regex_free(s->of[k].pattern), free(s->of[k].text);
    free(s->of);
    *s = (struct stages_of){ .n = 0 };
}

int stages_run(const struct stages_of *s, struct pieces *p, char *err, size_t n)
{
    for (size_t k = 0; k < s->n; k++) {
        struct pieces to = { .n = 0 };
        int rc = 0;
        for (size_t i = 0; i < p->n && !rc; i++) {
            const struct piece_view v = pieces_view(p, i);
            const size_t before = to.n;
            if (p->of[i].id != NO_ID)
                pieces_part(&to, &v, 0, v.n);
            else
                rc = s->of[k].kind->run(&s->of[k], &v, &to, err, n);
            pieces_end(&to, p->of[i].id);
            if (!s->splits && to.n > before)
                to.of[to.n - 1].origin = v.from; /* a text that is rewritten begins where it began */
        }
        pieces_free(p);
        *p = to;
        if (rc)
            return -1;
    }
    return 0;
}
