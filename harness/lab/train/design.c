/* Reads the design of the runs from data/extrapolate.tsv; see design.h. */
#include "lab/train/design.h"
#include "base/tsv.h"
#include <stdio.h>
#include <string.h>
#include "core/data.h"

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

static const char *fault(const struct study *s, const char *sizes, const char *depths)
{
    static char why[300];
    const struct task *t = task_named(s->task);
    const char *at = NULL;
    char name[40];
    if (!t)
        return snprintf(why, sizeof why, "unknown task '%s'", s->task), why;
    if (s->steps < 1 || s->seeds < 1 || s->trials < 1)
        return "steps, seeds and trials are at least 1";
    if (s->sizes < 1 || s->depths < 0)
        return snprintf(why, sizeof why,
                   "sizes '%.60s' or depths '%.60s': at most %d and %d numbers, at least one size", sizes, depths,
                   SIZES, DEPTHS),
               why;
    for (long k = 0; k < s->sizes; k++)
        if (s->size[k] < t->least || (k && s->size[k] <= s->size[k - 1]))
            return snprintf(why, sizeof why, "sizes ascend from %lld at least", (long long)t->least), why;
    while (study_next(s, &at, name))
        if (!encoding_named(name))
            return snprintf(why, sizeof why, "unknown encoding '%s'", name), why;
    return NULL;
}

long design_read(struct study *s, char *err, size_t n)
{
    char path[600], sizes[200], depths[100], steps[24], seeds[24], trials[24];
    double size[SIZES];
    long count = 0;
    struct tsv t;
    if (!tsv_open(&t, data_path("extrapolate.tsv", path, sizeof path)))
        return snprintf(err, n, "no %.500s", path), -1;
    while (count < STUDIES && tsv_next(&t)) {
        struct study *one = &s[count];
        *one = (struct study){ .steps = 0 };
        const struct tsv_place to[] = { { one->task, sizeof one->task }, { steps, sizeof steps },
            { seeds, sizeof seeds }, { one->encodings, sizeof one->encodings }, { sizes, sizeof sizes },
            { depths, sizeof depths }, { trials, sizeof trials }, { one->set, sizeof one->set }, { 0 } };
        const bool whole = tsv_take(&t, to) == 8 && sscanf(steps, "%ld", &one->steps) == 1 &&
            sscanf(seeds, "%ld", &one->seeds) == 1 && sscanf(trials, "%ld", &one->trials) == 1;
        const char *why = whole ? NULL : "eight columns";
        if (!why) {
            one->sizes = numbers(sizes, size, SIZES), one->depths = numbers(depths, one->depth, DEPTHS);
            for (long k = 0; k < one->sizes; k++)
                one->size[k] = (long)size[k];
            why = fault(one, sizes, depths);
        }
        if (why)
            return snprintf(err, n, "%.400s: line %ld: %s", path, t.line, why), tsv_close(&t), -1;
        if (!strcmp(one->set, "-"))
            *one->set = 0;
        count++;
    }
    tsv_close(&t);
    return count;
}
