/* Checks statements about recorded arrays; see recorded.h. */
#include "pack/recorded.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/arrayfile.h"

json_t *recorded_at(json_t *params, const char *path)
{
    char key[96];
    for (; params && *path; path += strcspn(path, "."), path += *path == '.') {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "."), path);
        params = json_object_get(params, key);
    }
    return params;
}

static json_t *array_of(json_t *c, const char *key)
{
    json_t *in = json_object_get(json_object_get(c, "in"), key);
    return in ? in : json_object_get(json_object_get(c, "out"), key);
}

bool recorded_shape(json_t *c, const char *key)
{
    char array[80];
    const size_t len = strlen(key);
    if (len < 7 || len - 6 >= sizeof array || strcmp(key + len - 6, "_shape"))
        return false;
    snprintf(array, sizeof array, "%.*s", (int)(len - 6), key);
    return array_of(c, array) != NULL;
}

static bool ends(const char *name, const char *with)
{
    const size_t n = strlen(name), m = strlen(with);
    return n == m ? !strcmp(name, with) : n > m && name[n - m - 1] == '_' && !strcmp(name + n - m, with);
}

/* names: the list of a node's inputs or outputs ("" where one is absent) agrees with the arrays of the case.  ours:
 * "in", or "out", whose names may have a word in front ("expected_Y"). */
static int names(const struct recorded *of, char *err, size_t n)
{
    json_t *arrays = json_object_get(of->c, of->r->ours), *w, *v;
    const char *key;
    size_t k;
    json_array_foreach (of->v, k, w) {
        const char *name = json_string_value(w);
        bool there = name && !*name;
        json_object_foreach (arrays, key, v)
            there = there || (name && ends(key, name));
        if (!there)
            return snprintf(err, n, "says %.60s, which the case has not", name ? name : "something that is no name"), 1;
    }
    json_object_foreach (arrays, key, v) {
        bool said = false;
        json_array_foreach(of->v, k, w) said |= json_is_string(w) && *json_string_value(w) &&
            ends(key, json_string_value(w));
        if (!said)
            return snprintf(err, n, "does not say %.60s, which the case has", key), 1;
    }
    return json_is_array(of->v) ? 0 : (snprintf(err, n, "is no list of names"), 1);
}

/* errors: {"onnxruntime": "..."}: a run that ended with an error must have recorded nothing. */
static int errors(const struct recorded *of, char *err, size_t n)
{
    const char *who, *key;
    json_t *v, *w;
    json_object_foreach (of->v, who, v)
        json_object_foreach (json_object_get(of->c, "out"), key, w)
            if (!strncmp(key, who, strlen(who)) && key[strlen(who)] == '_')
                return snprintf(err, n, "says that %.40s failed, and %.60s is its output", who, key), 1;
    return json_is_object(of->v) ? 0 : (snprintf(err, n, "is no object by who failed"), 1);
}

/* The largest difference of two recorded arrays, as doubles; NaN beside NaN and equal infinities count 0. */
static bool apart(const struct recorded *of, const char *one, const char *other, double *most)
{
    struct mer_array a = { 0 }, b = { 0 };
    const char *name[2] = { json_string_value(array_of(of->c, one)), json_string_value(array_of(of->c, other)) };
    char err[400];
    *most = 0;
    bool ok = name[0] && name[1] && !array_file(of->p->dir, name[0], true, &a, err, sizeof err) &&
        !array_file(of->p->dir, name[1], true, &b, err, sizeof err) && array_len(&a) == array_len(&b);
    for (long k = 0; ok && k < array_len(&a); k++) {
        const double x = array_get(&a, k), y = array_get(&b, k), d = fabs(x - y);
        *most = x == y || (isnan(x) && isnan(y)) ? *most : d > *most || isnan(d) ? d : *most;
    }
    free(a.data), free(b.data);
    return ok;
}

/* difference: {"expected|reference|Y": 0.0}: the largest difference of expected_Y and reference_Y. */
static int difference(const struct recorded *of, char *err, size_t n)
{
    const char *key;
    json_t *v;
    json_object_foreach (of->v, key, v) {
        char one[160], other[160];
        double most = 0;
        const char *bar = strchr(key, '|'), *last = strrchr(key, '|');
        if (!bar || bar == last || strlen(key) >= sizeof one || !json_is_number(v))
            return snprintf(err, n, "%.80s is no difference of two", key), 1;
        snprintf(one, sizeof one, "%.*s_%s", (int)(bar - key), key, last + 1);
        snprintf(other, sizeof other, "%.*s_%s", (int)(last - bar - 1), bar + 1, last + 1);
        if (!apart(of, one, other, &most))
            return snprintf(err, n, "%.80s: the case has no such two arrays", key), 1;
        if (most != json_number_value(v))
            return snprintf(err, n, "%.80s is %.17g, the arrays differ by %.17g", key, json_number_value(v), most), 1;
    }
    return json_is_object(of->v) ? 0 : (snprintf(err, n, "is no object of differences"), 1);
}

/* same: equals another parameter of the case. */
static int same(const struct recorded *of, char *err, size_t n)
{
    json_t *w = recorded_at(json_object_get(of->c, "params"), of->r->ours);
    const bool holds = json_is_number(w) && json_is_number(of->v) ?
        json_number_value(w) == json_number_value(of->v) : w && json_equal(w, of->v);
    return holds ? 0 : (snprintf(err, n, "is not what %.60s says", of->r->ours), 1);
}

/* unlike: says whether the batches of an array differ.  ours: the array; axes: which of its axes counts batches. */
static int unlike(const struct recorded *of, char *err, size_t n)
{
    struct mer_array a = { 0 };
    char why[400];
    const char *file = json_string_value(array_of(of->c, of->r->ours));
    const int axis = atoi(of->r->axes);
    if (!file || array_file(of->p->dir, file, true, &a, why, sizeof why))
        return snprintf(err, n, "is about %.60s, which the case has not", of->r->ours), 1;
    bool differ = false;
    long inner = 1;
    for (int k = axis + 1; k < a.rank; k++)
        inner *= a.dim[k];
    for (long k = 0; axis < a.rank && k < array_len(&a); k++) {
        const long at = k / inner % a.dim[axis];
        differ |= array_get(&a, k) != array_get(&a, k - at * inner);
    }
    free(a.data);
    return json_is_boolean(of->v) && json_is_true(of->v) == differ ?
        0 : (snprintf(err, n, "is otherwise: the batches of %.60s %s", of->r->ours, differ ? "differ" : "agree"), 1);
}

/* triangle: says whether our mask hides from each query all keys behind its own position, positions counted from the
 * last one. */
static int triangle(const struct recorded *of, char *err, size_t n)
{
    const struct mer_array *a = mer_find(of->t->in, of->t->call.n_in, of->r->ours);
    bool later = false;
    for (long k = 0; a && a->rank >= 2 && k < array_len(a); k++) {
        const long m = a->dim[a->rank - 1], q = a->dim[a->rank - 2], i = k / m % q, j = k % m;
        later |= j > i + m - q && array_get(a, k) != 0;
    }
    return a && json_is_boolean(of->v) && json_is_true(of->v) != later ?
        0 : (snprintf(err, n, "is otherwise: %.60s %s", of->r->ours,
            !a ? "is not there" : later ? "shows later keys" : "shows no later key"), 1);
}

int recorded_hold(const struct recorded *of, char *err, size_t n)
{
    static const struct { const char *kind; int (*holds)(const struct recorded *, char *, size_t); } kinds[] = {
        { "names", names }, { "errors", errors }, { "difference", difference }, { "same", same },
        { "unlike", unlike }, { "triangle", triangle },
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(of->r->kind, kinds[k].kind))
            return kinds[k].holds(of, err, n);
    return -1;
}
