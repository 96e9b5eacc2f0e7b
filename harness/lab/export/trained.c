/* Reads trained models; see trained.h. */
#include "lab/export/trained.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/words.h"

const char *const trained_act = "relu";
double trained_eps(void)
{
    const struct param *p = row_params(row_named("layernorm"));
    mpq_t x;
    while (strcmp(p->name, "eps"))
        p++;
    mpq_init(x);
    mpq_set_str(x, p->value, 10);
    const double y = mpz_get_d(mpq_numref(x)) / mpz_get_d(mpq_denref(x)); /* rounded to nearest */
    mpq_clear(x);
    return y;
}

/* The checkpoint that a path means. */
static int find(const char *path, char *to, size_t size, char *err, size_t n)
{
    static const char end[] = ".checkpoint";
    struct stat st;
    int found = 0;
    snprintf(to, size, "%s", path);
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        return 0;
    DIR *d = opendir(path);
    for (struct dirent *f; d && (f = readdir(d));) {
        const size_t len = strlen(f->d_name);
        if (len < sizeof end || strcmp(f->d_name + len - sizeof end + 1, end))
            continue;
        snprintf(to, size, "%s/%s", path, f->d_name), found++;
    }
    if (d)
        closedir(d);
    return found == 1 ? 0 :
                        (snprintf(err, n, "%.300s: %d checkpoints (*%s) in this folder; give the one that is meant",
                             path, found, end),
                            -1);
}

/* Takes the identity apart: encoding, what is told of a user's own, task, parameters, program. */
static int identity(struct trained *t, const char *path, bool other, char *err, size_t n)
{
    char name[40], task[40], text[TEXT_MAX], program[40];
    const char *s = t->stored.identity, *end = strstr(s, " program=");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(s, " "), s);
    const struct encoding *e = encoding_named(name);
    if (!e)
        return snprintf(err, n, "%.300s: encoding '%s' is not here; one of your own needs its --own", path, name), -1;
    s = word_next(s);
    const size_t told = e->told ? strlen(e->told) : 0;
    if (told && (strncmp(s, e->told, told) || s[told] != ' '))
        return snprintf(err, n, "%.300s: encoding '%s' was another when it was trained", path, name), -1;
    s += told ? told + 1 : 0;
    snprintf(task, sizeof task, "%.*s", (int)strcspn(s, " "), s), s = word_next(s);
    if (!(t->task = task_named(task)) || !end || end < s)
        return snprintf(err, n, "%.300s: no task and parameters in '%.100s'", path, t->stored.identity), -1;
    snprintf(text, sizeof text, "%.*s", (int)(end - s), s);
    snprintf(program, sizeof program, "%016llx", (unsigned long long)training_program());
    if (!other && strncmp(end + 9, program, 16))
        return snprintf(err, n,
                   "%.300s: trained by another build of this program (%.16s, this one is %s); --other-program if its "
                   "encoding '%s' is known to be the same",
                   path, end + 9, program, name),
               -1;
    if (params_read(training_params, &t->set, text, err, n))
        return -1;
    const struct lab_size size = training_size(&t->set, t->task);
    return model_open(&t->m, name, &size, err, n);
}

int trained_open(struct trained *t, const char *path, int64_t positions, bool other, char *err, size_t n)
{
    char file[4400];
    *t = (struct trained){ .task = NULL };
    if (find(path, file, sizeof file, err, n) || checkpoint_load(&t->stored, file, err, n) ||
        identity(t, file, other, err, n))
        return -1;
    if (t->m.count != t->stored.count)
        return snprintf(err, n, "%.300s: %lld parameters, where its model has %lld", file, t->stored.count,
                   (long long)t->m.count),
               -1;
    t->positions = positions ? positions : t->m.size.reach;
    if (t->positions > t->m.size.reach)
        return snprintf(err, n, "--length %lld: the model's reach is %lld", (long long)positions,
                   (long long)t->m.size.reach),
               -1;
    return 0;
}

void trained_close(struct trained *t)
{
    kept_free(&t->stored);
    params_clear(training_params, &t->set);
}

const float *trained_block(const struct trained *t, int block)
{
    return block < 0 ? NULL : t->stored.params + t->m.block[block].at;
}
