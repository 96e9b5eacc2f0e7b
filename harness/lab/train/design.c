/* Reads the design of the runs from data/extrapolate.tsv; see design.h. */
#include "lab/train/design.h"
#include "base/tsv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long numbers(const char *text, double *x, long most)
{
    long n = 0;
    char *end;
    for (const char *s = text; strcmp(text, "-") && *s; s = end) {
        const double v = strtod(s, &end);
        if (end == s || n == most)
            return -1;
        x[n++] = v;
    }
    return n;
}

int study_next(const struct study *s, const char **at, char name[40])
{
    const char *e = *at ? *at + strcspn(*at, " ") : s->encodings;
    e += strspn(e, " "), *at = e;
    const size_t n = strcspn(e, " "), inner = n > 2 && *e == '(' && e[n - 1] == ')' ? n - 2 : n;
    snprintf(name, 40, "%.*s", inner < 39 ? (int)inner : 39, e + (inner < n));
    return n ? 1 + (inner < n) : 0;
}

/* What is wrong with the encodings; NULL: nothing. */
static const char *fault_of_encodings(const struct study *s, const struct task *t)
{
    static char why[300];
    const char *at = NULL, *other;
    char name[40], again[40];
    int names = 0;
    while (study_next(s, &at, name)) {
        const struct encoding *e = encoding_named(name);
        int times = 0;
        if (!e)
            return snprintf(why, sizeof why, "unknown encoding '%s'; meridian lab list names them", name), why;
        if (t->source && !e->source)
            return snprintf(why, sizeof why, "encoding '%s' has no form for an encoder, which task '%s' wants", name,
                       t->name),
                   why;
        for (other = NULL; study_next(s, &other, again);)
            times += !strcmp(again, name);
        if (times > 1)
            return snprintf(why, sizeof why, "encoding '%s' is there twice", name), why;
        names++;
    }
    return names ? NULL : "no encoding";
}

static const char *fault(const struct study *s, const char *sizes, const char *depths)
{
    static char why[300];
    const struct task *t = task_named(s->task);
    if (!t)
        return snprintf(why, sizeof why, "unknown task '%s'", s->task), why;
    if (s->steps < 1 || s->seeds < 1 || s->trials < 1)
        return "steps, seeds and trials are at least 1";
    if (s->sizes < 1 || s->depths < 0)
        return snprintf(why, sizeof why,
                   "sizes '%.60s' or depths '%.60s': at most %d and %d numbers, at least one size", sizes, depths,
                   SIZES, DEPTHS),
               why;
    for (long k = 0; k < s->sizes; k++) {
        if (s->size[k] < t->least || (k && s->size[k] <= s->size[k - 1]))
            return snprintf(why, sizeof why, "sizes ascend from %lld at least", (long long)t->least), why;
        if (s->size[k] > (t->limit ? t->limit : 1 << 18))
            return snprintf(why, sizeof why, "size %ld: task '%s' has at most %lld", s->size[k], t->name,
                       (long long)(t->limit ? t->limit : 1 << 18)),
                   why;
    }
    if (s->depths && !t->deep)
        return snprintf(why, sizeof why, "depths: task '%s' has none, write -", t->name), why;
    for (long k = 0; k < s->depths; k++)
        if (!(s->depth[k] >= 0 && s->depth[k] <= 1))
            return "a depth is a share, from 0 to 1";
    for (long k = 1; k < s->depths; k++)
        if (!(s->depth[k] > s->depth[k - 1]))
            return snprintf(why, sizeof why, "depths '%.60s': they ascend, each said once", depths), why;
    return fault_of_encodings(s, t);
}

/* A whole number of a column, which has nothing else; -1: it is none. */
static long whole(const char *text)
{
    char *end;
    const long x = strtol(text, &end, 10);
    return end != text && !*end ? x : -1;
}

long design_read(struct study *s, const char *path, char *err, size_t n)
{
    char sizes[200], depths[100], steps[24], seeds[24], trials[24];
    double size[SIZES];
    long count = 0;
    struct tsv t;
    if (!tsv_open(&t, path))
        return snprintf(err, n, errno == EINVAL ? "%.500s: a folder, a device or a pipe; give a file" : "no %.500s",
                   path),
               tsv_close(&t), -1;
    while (tsv_next(&t)) {
        struct study one = { .steps = 0 };
        const struct tsv_place to[] = { { one.task, sizeof one.task }, { steps, sizeof steps },
            { seeds, sizeof seeds }, { one.encodings, sizeof one.encodings }, { sizes, sizeof sizes },
            { depths, sizeof depths }, { trials, sizeof trials }, { one.set, sizeof one.set }, { 0 } };
        const char *why = tsv_take(&t, to) == 8 ? NULL : "eight columns";
        if (!why) {
            one.steps = whole(steps), one.seeds = whole(seeds), one.trials = whole(trials);
            one.sizes = numbers(sizes, size, SIZES), one.depths = numbers(depths, one.depth, DEPTHS);
            for (long k = 0; k < one.sizes; k++)
                one.size[k] = size[k] >= 1 && size[k] <= 1 << 20 ? (long)size[k] : 0;
            why = fault(&one, sizes, depths);
        }
        for (long k = 0; k < count && !why; k++)
            why = strcmp(s[k].task, one.task) ? NULL : "an earlier line has this task";
        why = !why && count == STUDIES ? "more tasks than are read" : why;
        if (why)
            return snprintf(err, n, "%.400s: line %ld: %s", path, t.line, why), tsv_close(&t), -1;
        if (!strcmp(one.set, "-"))
            *one.set = 0;
        s[count++] = one;
    }
    tsv_close(&t);
    return count ? count : (snprintf(err, n, "%.400s: no line says what is trained", path), -1);
}
