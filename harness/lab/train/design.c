/* Reads the design of the runs from data/extrapolate.tsv; see design.h. */
#include "lab/train/design.h"
#include "base/tsv.h"
#include "base/words.h"
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
        if (end == s || n == most || (*end && *end != ' '))
            return -1;
        x[n++] = v;
    }
    return n;
}

/* Reads at most `most` whole numbers with blanks between into x.  Returns how many; -1: something else is there. */
static long whole_numbers(const char *text, long *x, long most)
{
    long n = 0;
    char *end;
    for (const char *s = text; *s; s = end) {
        errno = 0;
        const long v = strtol(s, &end, 10);
        if (end == s || n == most || (*end && *end != ' ') || errno)
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

/* What is wrong with the sizes, which are read from this text; NULL: nothing. */
static const char *fault_of_sizes(const struct study *s, const struct task *t, const char *text)
{
    static char why[300];
    if (s->sizes < 1)
        return snprintf(why, sizeof why, "sizes '%.60s': allowed are 1 to %d whole numbers", text, SIZES), why;
    for (long k = 0; k < s->sizes; k++) {
        if (s->size[k] < t->least || (k && s->size[k] <= s->size[k - 1]))
            return snprintf(why, sizeof why, "sizes ascend from %lld at least", (long long)t->least), why;
        if (s->size[k] > (t->limit ? t->limit : 1 << 18))
            return snprintf(why, sizeof why, "size %ld: task '%s' has at most %lld", s->size[k], t->name,
                       (long long)(t->limit ? t->limit : 1 << 18)),
                   why;
    }
    return NULL;
}

/* What is wrong with the depths, which are read from this text; NULL: nothing. */
static const char *fault_of_depths(const struct study *s, const struct task *t, const char *depths)
{
    static char why[300];
    if (s->depths < 0)
        return snprintf(why, sizeof why, "depths '%.60s': allowed are at most %d numbers, or -", depths, DEPTHS), why;
    if (s->depths && !t->deep)
        return snprintf(why, sizeof why, "depths: task '%s' has none, write -", t->name), why;
    for (long k = 0; k < s->depths; k++)
        if (!(s->depth[k] >= 0 && s->depth[k] <= 1))
            return "a depth is a share, from 0 to 1";
    for (long k = 1; k < s->depths; k++)
        if (!(s->depth[k] > s->depth[k - 1]))
            return snprintf(why, sizeof why, "depths '%.60s': they ascend, each said once", depths), why;
    return NULL;
}

const char *fault_of_set(const char *set, bool column)
{
    static char why[300];
    for (const char *s = set; *s; s = word_next(s)) {
        const size_t n = strcspn(s, "= ");
        if (n == 4 && !memcmp(s, "seed", n))
            return snprintf(why, sizeof why, "found '%.*s', allowed: every parameter of training but seed; runs have "
                       "the seeds from 1 to the number of column 3 or --seeds", (int)strcspn(s, " "), s), why;
        if (column && n == 5 && !memcmp(s, "steps", n))
            return snprintf(why, sizeof why, "found '%.*s', allowed: every parameter of training but steps and seed; "
                       "steps are column 2", (int)strcspn(s, " "), s), why;
    }
    return NULL;
}

static const char *fault(const struct study *s, const char *sizes, const char *depths)
{
    static char text[400];
    const struct task *t = task_named(s->task);
    if (!t)
        return snprintf(text, sizeof text, "unknown task '%s'", s->task), text;
    const char *why = fault_of_sizes(s, t, sizes);
    why = why ? why : fault_of_depths(s, t, depths);
    why = why ? why : fault_of_encodings(s, t);
    if (why || !(why = fault_of_set(s->set, true)))
        return why;
    return snprintf(text, sizeof text, "set: %s", why), text;
}

/* Reads the columns of the whole numbers of a study: what is wrong with one of them, or NULL. */
static const char *fault_of_counts(struct study *s, const char *steps, const char *seeds, const char *trials)
{
    static char why[200];
    const struct { const char *name, *text; long most, *to; } column[] = { { "steps", steps, STEPS_MOST, &s->steps },
        { "seeds", seeds, SEEDS_MOST, &s->seeds }, { "trials", trials, TRIALS_MOST, &s->trials } };
    for (size_t k = 0; k < sizeof column / sizeof *column; k++)
        if (whole_numbers(column[k].text, column[k].to, 1) != 1 || *column[k].to < 1 || *column[k].to > column[k].most)
            return snprintf(why, sizeof why, "%s '%.40s': allowed is a whole number from 1 to %ld", column[k].name,
                       column[k].text, column[k].most),
                   why;
    return NULL;
}

/* What is wrong with one line behind the first `count` of a design; of settings, a task may be trained several times,
 * as long as it is asked the same.  NULL: nothing. */
static const char *fault_of_order(const struct study *s, long count, const struct study *one, bool settings)
{
    for (const struct study *b = s; b < s + count; b++) {
        const bool same = !strcmp(b->task, one->task);
        if (!same && task_named(b->task)->reads && task_named(one->task)->reads)
            return "an earlier line reads the text as well, cut otherwise; a page has one of them: give this one a "
                   "design and a folder of its own";
        if (same && !settings)
            return "an earlier line has this task";
        if (same && b->steps == one->steps && !strcmp(b->set, one->set))
            return "an earlier line trains this task with the same steps and parameters";
        if (same && (b->sizes != one->sizes || memcmp(b->size, one->size, sizeof b->size) || b->trials != one->trials ||
                b->depths != one->depths || memcmp(b->depth, one->depth, sizeof b->depth)))
            return "an earlier line asks this task other sizes, depths or trials";
    }
    return NULL;
}

static long lines_read(struct study *s, const char *path, bool settings, char *err, size_t n)
{
    char sizes[200], depths[100], steps[24], seeds[24], trials[24];
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
            one.sizes = whole_numbers(sizes, one.size, SIZES), one.depths = numbers(depths, one.depth, DEPTHS);
            why = fault_of_counts(&one, steps, seeds, trials);
            why = why ? why : fault(&one, sizes, depths);
        }
        if (!strcmp(one.set, "-"))
            *one.set = 0;
        why = why ? why : fault_of_order(s, count, &one, settings);
        why = !why && count == STUDIES ? "more lines than are read" : why;
        if (why)
            return snprintf(err, n, "%.400s: line %ld: %s", path, t.line, why), tsv_close(&t), -1;
        s[count++] = one;
    }
    tsv_close(&t);
    return count ? count : (snprintf(err, n, "%.400s: no line says what is trained", path), -1);
}
long design_read(struct study *s, const char *path, char *err, size_t n) { return lines_read(s, path, false, err, n); }
long settings_read(struct study *s, const char *path, char *err, size_t n) { return lines_read(s, path, true, err, n); }
