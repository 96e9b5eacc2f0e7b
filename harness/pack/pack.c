/* Reads packs: a folder with pack.json and arrays (.npy, .safetensors), which as a subject brings its own cases and
 * recorded outputs.  A pack.json that is no list of cases with a name each is refused as a whole, in one line, and so
 * is a pack without any case that can be judged.  A broken case is refused by its name, and the others are judged; a
 * case with an unknown name in it is a SKIP. */
#include "pack/pack.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/arrayfile.h"
#include "core/kept.h"
#include "base/words.h"
#include "row/near.h"
#include "pack/names.h"
#include "pack/pack_named.h"
#include "pack/pack_own.h"
#include "core/printable.h"

/* What is left of the allowed nesting below v; 0: it is deeper. */
static int depth_of(const json_t *v, int left)
{
    const char *key;
    json_t *w;
    size_t i;
    if (!left)
        return 0;
    if (json_is_object(v))
        json_object_foreach ((json_t *)(uintptr_t)v, key, w)
            if (!depth_of(w, left - 1))
                return 0;
    if (json_is_array(v))
        json_array_foreach (v, i, w)
            if (!depth_of(w, left - 1))
                return 0;
    return 1;
}

/* What is wrong with the id of a case, by which it is reported; NULL: nothing. */
static const char *name_fault(json_t *c)
{
    const char *id = json_string_value(json_object_get(c, "id"));
    if (!json_is_object(c) || !id || !*id || strlen(id) > 80)
        return "every case is an object with an id of 1 to 80 bytes";
    for (const char *s = id; *s; s++)
        if ((unsigned char)*s < 32 || *s == 127)
            return "an id holds a control character";
    return NULL;
}

/* The first key of case c that cases do not have, with the nearest known one in why; NULL: there is none. */
static const char *strange(json_t *c, char *why, size_t n)
{
    static const char keys[] = "id row op params profile in out note source truth";
    const char *key;
    char hint[100];
    json_t *v;
    json_object_foreach (c, key, v) {
        struct near near = near_of(key, strlen(key));
        if (words_have(keys, key) && !strchr(key, ' '))
            continue;
        near_list(&near, keys);
        snprintf(why, n, "not understood: '%.60s' of the case%s", key, near_text(&near, hint, sizeof hint));
        return one_line(why), key;
    }
    return NULL;
}

static const char *case_fault(json_t *c)
{
    static const char *const kinds[] = { "in", "out" };
    json_t *params = json_object_get(c, "params"), *profile = json_object_get(c, "profile");
    const char *key;
    json_t *v;
    if (!json_is_string(json_object_get(c, "row")))
        return "no row";
    if (json_object_get(c, "op") && !json_is_string(json_object_get(c, "op")))
        return "op is no string";
    if (params && !json_is_object(params))
        return "params is no object";
    if (profile && !json_is_object(profile) && !json_is_string(profile))
        return "profile is neither an object nor a text";
    for (int k = 0; k < 2; k++) {
        if (!json_is_object(json_object_get(c, kinds[k])))
            return k ? "no object 'out'" : "no object 'in'";
        json_object_foreach (json_object_get(c, kinds[k]), key, v)
            if (!name_is_plain(json_string_value(v)))
                return "an array's file is not a plain name inside the folder";
    }
    return NULL;
}

json_t *pack_parse(const char *text, size_t len, char *err, size_t n)
{
    json_error_t e;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e), *cases = json_object_get(root, "cases"), *seen,
           *c;
    size_t i;
    if (!root)
        return snprintf(err, n, "line %d: %.200s", e.line, e.text), one_line(err), NULL;
    const char *fault = !depth_of(root, PACK_DEPTH) ? "nested too deeply" :
        !json_is_array(cases)                       ? "no list 'cases'" :
        json_array_size(cases) > PACK_CASES         ? "too many cases" :
                                                      NULL;
    if (fault)
        return snprintf(err, n, "%s", fault), json_decref(root), NULL;
    seen = json_object();
    json_array_foreach (cases, i, c) {
        const char *id = json_string_value(json_object_get(c, "id"));
        if (!(fault = name_fault(c)) && json_object_get(seen, id))
            fault = "this id is used twice";
        if (fault)
            break;
        json_object_set_new(seen, id, json_true());
    }
    if (fault)
        snprintf(err, n, "case %zu: %s", i + 1, fault), json_decref(root), root = NULL;
    json_decref(seen);
    return root;
}

static int recorded(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    (void)why, (void)n, (void)s, (void)k, (void)c;
    return MER_OK;
}

static const struct row *row_of(json_t *c)
{
    const char *op = json_string_value(json_object_get(c, "op")), *row = json_string_value(json_object_get(c, "row"));
    return row ? row_named(names_row(row, op ? op : "", json_object_get(c, "params"))) : NULL;
}

static void begin(struct trial *t, json_t *c)
{
    *t = (struct trial){ .row = row_of(c) };
    snprintf(t->id, sizeof t->id, "%s", json_string_value(json_object_get(c, "id")));
}

static int refuse(const struct trial *t, const char *fault, char *err, size_t n)
{
    return snprintf(err, n, "%s: %s", t->id, fault), -1;
}

/* Reads the headers of all arrays of a case.  0, or -1 and what is wrong with the first broken one. */
static int check_arrays(const struct pack *p, json_t *c, char *err, size_t n)
{
    static const char *const kinds[] = { "in", "out" };
    struct mer_array a;
    const char *key;
    json_t *v;
    for (int k = 0; k < 2; k++)
        json_object_foreach (json_object_get(c, kinds[k]), key, v)
            if (array_file(p->dir, json_string_value(v), false, &a, err, n))
                return -1;
    return 0;
}

static void unknown_row(const char *id, const char *row, char *err, size_t n)
{
    char hint[100];
    struct near near = near_of(row, strlen(row));
    for (const struct row *const *r = all_rows; *r; r++)
        near_try(&near, (*r)->name, strlen((*r)->name));
    snprintf(err, n, "%s: unknown row '%.60s'%s", id, row, near_text(&near, hint, sizeof hint)), one_line(err);
}

static int next_case(struct subject *s, struct trial *t, char *err, size_t n)
{
    struct pack *p = s->state;
    json_t *c = json_array_get(json_object_get(p->root, "cases"), p->at);
    const char *op = json_string_value(json_object_get(c, "op")), *fault = c ? case_fault(c) : NULL;
    char why[300];
    if (!c)
        return 0;
    begin(t, c);
    if (!fault && strange(c, err, n))
        return p->at++, 2;
    const bool named = t->row && op && !fault && !pack_is_own(t->row, c), first = !p->view && !p->batch;
    if (named && first && check_arrays(p, c, why, sizeof why))
        fault = why;
    if (named && !fault)
        return pack_named(p, c, op, t, err, n);
    p->at++;
    if (fault)
        return refuse(t, fault, err, n);
    p->told = false;
    return t->row ? pack_own(p, c, true, t, err, n) :
                    (unknown_row(t->id, json_string_value(json_object_get(c, "row")), err, n), 2);
}

/* Checks a case before anything is judged: all headers, and everything that is in our own words.  0, or -1. */
static int check_case(const struct pack *p, json_t *c, char *err, size_t n)
{
    const char *fault = case_fault(c);
    struct trial t;
    int rc = 0;
    begin(&t, c);
    if (fault)
        return refuse(&t, fault, err, n);
    if (check_arrays(p, c, err, n))
        return -1;
    if (pack_is_own(t.row, c))
        rc = pack_own(p, c, false, &t, err, n);
    trial_close(&t);
    return rc < 0 ? -1 : 0;
}

const char *pack_reason(const char *id, const char *why)
{
    const size_t len = strlen(id);
    return strncmp(why, id, len) || strncmp(why + len, ": ", 2) ? why : why + len + 2;
}

/* Checks all cases.  0; -1: none can be judged, and err has the reason for the first. */
static int check_cases(const struct pack *p, char *err, size_t n)
{
    char why[600];
    const char *id;
    json_t *c;
    size_t i, refused = 0, all = json_array_size(json_object_get(p->root, "cases"));
    json_array_foreach(json_object_get(p->root, "cases"), i, c) if (check_case(p, c, why, sizeof why) && !refused++)
        id = json_string_value(json_object_get(c, "id")),
        snprintf(err, n, "%.200s: case '%s': %.400s", p->dir, id, pack_reason(id, why));
    return all && refused == all ? -1 : 0;
}

bool pack_case(const struct subject *s, long k, const char **id, const struct row **r)
{
    const struct pack *p = s->state;
    json_t *c = json_array_get(json_object_get(p->root, "cases"), (size_t)k);
    if (!c)
        return false;
    *id = json_string_value(json_object_get(c, "id")), *r = row_of(c);
    return true;
}

void pack_only(struct subject *s, const char *id)
{
    struct pack *p = s->state;
    json_t *cases = json_object_get(p->root, "cases");
    for (size_t k = json_array_size(cases); k--;)
        if (strcmp(json_string_value(json_object_get(json_array_get(cases, k), "id")), id))
            json_array_remove(cases, k);
}

static void close_pack(struct subject *s)
{
    struct pack *p = s->state;
    json_decref(p->root);
    free(p);
}

static char *slurp(const char *path, size_t *len, char *err, size_t n)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    *len = 0;
    if (fd < 0 || fstat(fd, &st))
        snprintf(err, n, "%.300s: %m", path);
    else if (!S_ISREG(st.st_mode) || st.st_size > PACK_JSON_MAX)
        snprintf(err, n, "%.300s: no regular file of at most %d MiB", path, PACK_JSON_MAX >> 20);
    else if ((text = need((size_t)st.st_size + 1, 1)))
        for (ssize_t got = 1; *len < (size_t)st.st_size && got > 0; *len += got > 0 ? (size_t)got : 0)
            got = read(fd, text + *len, (size_t)st.st_size - *len);
    if (fd >= 0)
        close(fd);
    return text;
}

int subject_pack(struct subject *s, const char *dir, char *err, size_t n)
{
    char path[300], why[400];
    size_t len;
    struct pack *p = need(1, sizeof *p);
    *s = (struct subject){ .told = kept(dir), .state = p, .run = recorded, .next = next_case, .close = close_pack };
    snprintf(s->name, sizeof s->name, "%s", dir);
    snprintf(p->dir, sizeof p->dir, "%s", dir);
    snprintf(path, sizeof path, "%.250s/pack.json", dir);
    char *text = slurp(path, &len, err, n);
    if (text && !(p->root = pack_parse(text, len, why, sizeof why)))
        snprintf(err, n, "%s: %.300s", path, why);
    free(text);
    if (p->root && !check_cases(p, err, n))
        return 0;
    close_pack(s);
    return -1;
}
