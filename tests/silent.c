/* No word of a recording is passed over: every parameter of every recorded case, given another value, changes the
 * question, or is refused.  The words are those of data/peers, the values are made of the recorded ones. */
#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include "base/digest.h"
#include "base/tsv.h"
#include "pack/names.h"
#include "pack/pack_named.h"
#include "row/row.h"

/* What becomes of case c of the pack in dir: its questions with their arrays, or why it has none.  An arithmetic that
 * holds for an output is part of the question. */
static uint64_t meaning(const char *dir, json_t *c, int *read)
{
    struct pack p = { 0 };
    struct trial t;
    char err[900];
    uint64_t h = digest_start;
    const char *op = json_string_value(json_object_get(c, "op"));
    snprintf(p.dir, sizeof p.dir, "%s", dir);
    json_t *params = json_object_get(c, "params");
    const struct row *r = row_named(names_row(json_string_value(json_object_get(c, "row")), op, params));
    *read = 0;
    while (r && p.at == 0) {
        t = (struct trial){ .row = r };
        *err = 0;
        const int got = pack_named(&p, c, op, &t, err, sizeof err);
        *read += got == 1;
        h = digest(h, &got, sizeof got);
        h = got == 1 ? digest(h, t.text, strlen(t.text)) : digest(h, err, strlen(err));
        h = digest(h, t.profile, strlen(t.profile));
        for (int k = 0; k < t.call.n_in + t.call.n_out && got == 1; k++) {
            const struct mer_array *a = k < t.call.n_in ? &t.in[k] : &t.out[k - t.call.n_in];
            h = digest(h, a->name, strlen(a->name)), h = digest(h, a->dim, sizeof *a->dim * (size_t)a->rank);
            h = digest(h, a->data, (size_t)array_len(a) * type_size(a->type));
        }
        trial_close(&t);
    }
    return h;
}

/* Another value of the same kind, of integers one that is `by` more; NULL where there is none (null, an object). */
static json_t *another(const json_t *v, long by)
{
    switch (json_typeof(v)) {
    case JSON_TRUE: return json_false();
    case JSON_FALSE: return json_true();
    case JSON_INTEGER: return json_integer(json_integer_value(v) + by);
    case JSON_REAL: return json_real(json_real_value(v) * 1.5 + (json_real_value(v) == 0));
    case JSON_STRING: return json_sprintf("%sx", json_string_value(v));
    case JSON_ARRAY: {
        json_t *list = json_deep_copy(v), *first = json_array_size(v) ? another(json_array_get(v, 0), by) : NULL;
        if (!first)
            return json_decref(list), NULL;
        return json_array_set_new(list, 0, first), list;
    }
    default: return NULL;
    }
}

struct words { json_t *seen; const char *dir; json_t *c; uint64_t was; int asked; };

/* Is the word declared to be no part of the question, or the reason why somebody's run recorded nothing? */
static bool beside(const struct words *w, const char *path, bool *listed)
{
    struct names x;
    const struct rule *r;
    char first[80];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(path, "."), path);
    const char *op = json_string_value(json_object_get(w->c, "op")),
               *row = names_row(json_string_value(json_object_get(w->c, "row")), op, json_object_get(w->c, "params"));
    *listed = false;
    if (names_read(&x, row))
        return false;
    for (int k = 0; (r = names_next(&x, op, NULL, "says", &k));)
        *listed |= !strncmp(r->theirs, path, strlen(path)) && r->theirs[strlen(path)] == '=';
    return names_find(&x, op, NULL, "beside", path) || names_find(&x, op, NULL, "errors", first);
}

/* Every leaf of an object of the case, once for a row, op and word. */
static void each(struct words *w, json_t *object, const char *before)
{
    const char *key;
    json_t *v;
    void *safe;
    json_object_foreach_safe (object, safe, key, v) {
        char path[200], once[300];
        int read;
        snprintf(path, sizeof path, "%s%s%s", before, *before ? "." : "", key);
        snprintf(once, sizeof once, "%s %s %s", json_string_value(json_object_get(w->c, "row")),
            json_string_value(json_object_get(w->c, "op")), path);
        if (json_is_object(v)) {
            each(w, v, path);
            continue;
        }
        /* Numbers that mean one thing, such as versions, are known by a list; one far from it is tried then. */
        bool listed;
        const bool no_part = beside(w, path, &listed);
        json_t *other = another(v, listed ? 1000 : 1);
        if (!other || json_object_get(w->seen, once) || no_part) {
            json_decref(other);
            continue;
        }
        json_object_set_new(w->seen, once, json_true());
        json_t *kept = json_incref(v);
        json_object_set_new(object, key, other);
        w->asked++;
        if (meaning(w->dir, w->c, &read) == w->was)
            cr_expect(false, "%s %s: %s is passed over", w->dir, json_string_value(json_object_get(w->c, "id")), once);
        json_object_set_new(object, key, kept);
    }
}

static void each_case(const char *pack, json_t *seen, int *asked)
{
    char dir[80], path[120];
    snprintf(dir, sizeof dir, "data/peers/%s", pack);
    snprintf(path, sizeof path, "%s/pack.json", dir);
    json_t *root = json_load_file(path, 0, NULL), *c;
    cr_assert(root, "%s", path);
    size_t k;
    json_array_foreach(json_object_get(root, "cases"), k, c) {
        struct words w = { seen, dir, c, 0, 0 };
        int read = 0;
        if (json_object_get(c, "op"))
            w.was = meaning(dir, c, &read);
        if (read) { /* A case that is refused as it stands says nothing of its words. */
            each(&w, json_object_get(c, "params"), "");
            each(&w, json_object_get(c, "profile"), "profile");
        }
        *asked += w.asked;
    }
    json_decref(root);
}

Test(silent, every_word_of_every_recording_changes_the_question_or_is_refused)
{
    json_t *seen = json_object();
    glob_t packs;
    int asked = 0;
    cr_assert_eq(glob("data/peers/*/pack.json", 0, NULL, &packs), 0);
    for (size_t k = 0; k < packs.gl_pathc; k++) {
        const char *name = packs.gl_pathv[k] + strlen("data/peers/");
        char pack[60];
        snprintf(pack, sizeof pack, "%.*s", (int)strcspn(name, "/"), name);
        each_case(pack, seen, &asked);
    }
    cr_expect(packs.gl_pathc >= 27 && asked > 300, "%zu packs, %d words", packs.gl_pathc, asked);
    globfree(&packs);
    json_decref(seen);
}

/* A line of a kind that nobody reads would be passed over, and so would one that does not fit. */
Test(silent, every_line_of_data_names_is_of_a_kind_that_is_read)
{
    static const char kinds[] = " in out row given need list without fill flag before ones cut fold axis split param "
                                "value extent size times is root part counts says names errors difference same unlike "
                                "triangle beside unread only profile view ";
    char path[120], word[40];
    for (const struct row *const *r = all_rows; *r; r++) {
        struct tsv t;
        struct names x;
        int n = 0;
        snprintf(path, sizeof path, "data/names/%s.tsv", (*r)->name);
        if (!tsv_open(&t, path))
            continue;
        for (; tsv_next(&t); n++) {
            snprintf(word, sizeof word, " %s ", t.col[1]);
            cr_expect(strstr(kinds, word), "%s:%ld: kind '%s'", path, t.line, t.col[1]);
        }
        tsv_close(&t);
        cr_expect(!names_read(&x, (*r)->name) && x.n == n, "%s: %d of %d lines are read", path, x.n, n);
    }
}
