/* Made by the program itself, once: under a name of this process, then renamed, so that two may make the same. */
#include "made.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "launch.h"
#include "row/row.h"
#include "trial/trial.h"
#include "trial/valid.h"

static const char recipe[] =
    "seed = 1..2\nmeasure accuracy\nrow rope\nlength = 1 3 8\ndim = 6\nn = 4\nlines = 1\n"
    "out = y\nmeasure valid\nrow rope\nlimit = 30\n"
                             "base = 500 10000\nfigure one x=base y=valid title=\"One\"\n";

static bool make(const struct places *p, const char *name, const char *const *word)
{
    char at[PATH_MAX], own[PATH_MAX];
    path_join(at, p->made, name);
    if (!access(at, F_OK))
        return true;
    snprintf(own, sizeof own, "%s/%ld", p->made, (long)getpid());
    mkdir(own, 0777);
    char sweep[PATH_MAX];
    path_join(sweep, own, "one.recipe");
    bytes_write(sweep, recipe, sizeof recipe - 1);
    launch_plain(p, own, word, NULL);
    char result[PATH_MAX];
    path_join(result, own, name);
    const bool there = !rename(result, at) || !access(at, F_OK);
    folder_empty(own), rmdir(own);
    return there;
}

/* Whether a case of the row may have three queries and keys, which its own parameters do not set. */
static bool is_free(const struct row *r)
{
    struct trial t;
    struct sign s;
    char err[400];
    double bytes;
    sign_read(&s, r->q[0].sign);
    const bool is = !trial_size(&t, &(struct trial_spec){ r->name, r->presets->text, s.out.name, MER_F32, "n=3 m=3" },
        &bytes, err, sizeof err) && valid_sized_so(&t, "n=3 m=3", err, sizeof err);
    trial_close(&t);
    return is;
}

bool made_pack(const struct places *p, const char *row, const char *to)
{
    char name[80], at[PATH_MAX];
    struct bytes profile = { 0 };
    const struct row *r = row_named(row);
    const char *step;
    size_t len;
    if (!r)
        return false;
    for (int k = 0; (step = row_step(r, k, &len)); k++)
        bytes_say(&profile, "%s%.*s=f32", k ? " " : "", (int)len, step);
    snprintf(name, sizeof name, "pack-%.60s", row);
    path_join(at, p->made, name);
    const char *word[12] = { "meridian", "export", row, "--reference", "--out", name };
    int n = 6;
    if (profile.n)
        word[n++] = "--profile", word[n++] = profile.s;
    if (is_free(r))
        word[n++] = "--sizes", word[n++] = "n=3 m=3";
    const bool there = make(p, name, word) && folder_copy(at, to);
    free(profile.s);
    return there;
}

bool made_store(const struct places *p, const char *to)
{
    char at[PATH_MAX];
    snprintf(at, sizeof at, "%s/store.db", p->made);
    return make(p, "store.db", (const char *const[]){ "meridian", "sweep", "one.recipe", "--out", "store", "--jobs",
        "1", NULL }) && folder_copy(at, to);
}
