/* Vocabularies, and the choice of a model; see cutter.h. */
#include "lab/token/cutter.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int vocabulary_read(struct vocabulary *v, const json_t *of, char *err, size_t n)
{
    struct hash_table seen = { .n = 0 };
    int rc = json_is_object(of) ? 0 : (snprintf(err, n, "no vocabulary, an object 'vocab'"), -1);
    for (void *i = rc ? NULL : json_object_iter((json_t *)of); i && !rc; i = json_object_iter_next((json_t *)of, i)) {
        const char *text = json_object_iter_key(i);
        const json_t *number = json_object_iter_value(i);
        const int64_t id = json_is_integer(number) ? json_integer_value(number) : -1;
        if (id < 0 || id > INT32_MAX) {
            rc = (snprintf(err, n, "vocab: '%.60s' has no number from 0 to 2^31 - 1", text), -1);
            break;
        }
        int64_t *twice = table_put(&seen, (uint64_t)id);
        if (*twice)
            rc = (snprintf(err, n, "vocab: the number %lld twice, of '%.60s' too", (long long)id, text), -1);
        *twice = 1;
        *trie_put(&v->of, text, strlen(text)) = id;
        v->n++, v->largest = id > v->largest ? id : v->largest;
    }
    free(seen.of);
    return rc;
}

bool vocabulary_bytes(const struct vocabulary *v, const char *s, size_t n, struct ids *to)
{
    const size_t before = to->n;
    for (size_t k = 0; k < n; k++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)(unsigned char)s[k]);
        const int64_t id = trie_find(&v->of, name, 6);
        if (id == TRIE_NONE)
            return to->n = before, false;
        ids_add(to, id);
    }
    return true;
}

int cutter_read(struct cutter *c, const json_t *root, char *err, size_t n)
{
    static const struct cutter_kind *const kinds[] = { &cutter_bpe, &cutter_unigram, &cutter_wordpiece,
        &cutter_wordlevel };
    const json_t *of = json_object_get(root, "model");
    const char *type = json_string_value(json_object_get(of, "type"));
    char why[300];
    *c = (struct cutter){ .vocabulary = { .largest = -1 } };
    if (!json_is_object(of))
        return snprintf(err, n, "no object 'model'"), -1;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && type; k++)
        if (!strcmp(kinds[k]->type, type))
            c->kind = kinds[k];
    if (!c->kind && !type && json_object_get(of, "merges")) /* older files of this model do not name it */
        c->kind = &cutter_bpe;
    if (!c->kind)
        return snprintf(err, n, "model '%.60s' is not known", type ? type : "(no type)"), -1;
    return c->kind->read(c, of, why, sizeof why) ? (snprintf(err, n, "model %s: %s", c->kind->type, why), -1) : 0;
}
void cutter_free(struct cutter *c)
{
    if (c->kind && c->kind->drop && c->own)
        c->kind->drop(c);
    trie_free(&c->vocabulary.of);
    *c = (struct cutter){ .kind = NULL };
}
