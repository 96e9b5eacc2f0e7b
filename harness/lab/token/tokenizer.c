/* Reads a tokenizer.json and cuts texts by it; see tokenizer.h. */
#include "lab/token/tokenizer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arith/need.h"
#include "core/files.h"
#include "core/printable.h"
#include "lab/text/unicode.h"

/* The file's JSON, owned; NULL and one line. */
static json_t *load(const char *path, char *err, size_t n)
{
    enum { MOST = 256 << 20 };
    FILE *f = file_open(path);
    struct stat st;
    json_error_t why;
    json_t *root = NULL;
    if (!f || fstat(fileno(f), &st))
        snprintf(err, n, "%.300s cannot be read; give --tokens", path);
    else if (st.st_size > MOST)
        snprintf(err, n, "%.300s: more than %d MiB", path, MOST >> 20);
    else {
        char *text = need((size_t)st.st_size + 1, 1);
        const size_t length = fread(text, 1, (size_t)st.st_size, f);
        root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
        if (!root)
            snprintf(err, n, "%.300s:%d:%d: %.150s", path, why.line, why.column, why.text);
        free(text);
    }
    if (f)
        fclose(f);
    return root;
}

static void larger(int64_t *largest, const struct ids *x)
{
    for (size_t k = 0; k < x->n; k++)
        *largest = x->of[k] > *largest ? x->of[k] : *largest;
}

int tokenizer_open(struct tokenizer *t, const char *folder, char *err, size_t n)
{
    char path[1400], why[400];
    snprintf(path, sizeof path, "%.1000s/tokenizer.json", folder);
    *t = (struct tokenizer){ .largest = -1 };
    json_t *root = load(path, err, n);
    if (!root)
        return printable(err), -1;
    const json_t *version = json_object_get(root, "version");
    int rc = json_is_object(root) ? 0 : (snprintf(why, sizeof why, "no object"), -1);
    if (!rc && version && (!json_is_string(version) || strcmp(json_string_value(version), "1.0")))
        rc = (snprintf(why, sizeof why, "another version of this format than 1.0"), -1);
    rc = rc ? rc : stages_read(&t->normalizer, root, "normalizer", why, sizeof why);
    rc = rc ? rc : stages_read(&t->splitter, root, "pre_tokenizer", why, sizeof why);
    rc = rc ? rc : cutter_read(&t->cutter, root, why, sizeof why);
    rc = rc ? rc : added_read(&t->added, root, &t->cutter.vocabulary, &t->normalizer, why, sizeof why);
    rc = rc ? rc : template_read(&t->special, root, why, sizeof why);
    if (rc)
        snprintf(err, n, "%.300s: %s; give --tokens", path, why), printable(err);
    t->largest = t->cutter.vocabulary.largest > t->added.largest ? t->cutter.vocabulary.largest : t->added.largest;
    larger(&t->largest, &t->special.before), larger(&t->largest, &t->special.behind);
    json_decref(root);
    return rc;
}
void tokenizer_free(struct tokenizer *t)
{
    stages_free(&t->normalizer), stages_free(&t->splitter);
    cutter_free(&t->cutter), added_free(&t->added), template_free(&t->special);
}

static void ids_join(struct ids *to, const struct ids *x)
{
    for (size_t k = 0; k < x->n; k++)
        ids_add(to, x->of[k]);
}

int tokenizer_cut(const struct tokenizer *t, const char *text, size_t length, bool special, struct ids *to, char *err,
    size_t n)
{
    const size_t wrong = utf8_wrong(text, length);
    struct pieces p = { .n = 0 };
    if (wrong < length)
        return snprintf(err, n, "byte %zu is no UTF-8", wrong), -1;
    if (length > INT32_MAX)
        return snprintf(err, n, "2^31 bytes or more"), -1;
    for (size_t at = 0, bytes; at < length; at += bytes) {
        utf8_read(text + at, &bytes);
        pieces_text(&p, text + at, bytes, (int32_t)at);
    }
    pieces_end(&p, NO_ID);
    added_split(&t->added, false, &p);
    int rc = stages_run(&t->normalizer, &p, err, n);
    if (!rc)
        added_split(&t->added, true, &p);
    rc = rc ? rc : stages_run(&t->splitter, &p, err, n);
    if (special && !rc)
        ids_join(to, &t->special.before);
    for (size_t k = 0; k < p.n && !rc; k++) {
        const struct piece_view v = pieces_view(&p, k);
        if (p.of[k].id != NO_ID)
            ids_add(to, p.of[k].id);
        else
            rc = t->cutter.kind->cut(&t->cutter, v.text, v.n, to, err, n);
    }
    if (special && !rc)
        ids_join(to, &t->special.behind);
    pieces_free(&p);
    return rc;
}
