/* The folder of a case, built from its lines. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "damage.h"
#include "made.h"
#include "arith/need.h"
#include "script.h"

void folder_empty(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char inner[PATH_MAX];
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        path_join(inner, path, e->d_name);
        if (!lstat(inner, &st) && S_ISDIR(st.st_mode))
            folder_empty(inner), rmdir(inner);
        else
            unlink(inner);
    }
    if (d)
        closedir(d);
}

bool folder_copy(const char *from, const char *to)
{
    struct stat st;
    struct bytes t = { 0 };
    if (lstat(from, &st))
        return false;
    if (S_ISREG(st.st_mode) && bytes_read(&t, from))
        bytes_write(to, t.s, t.n);
    free(t.s);
    DIR *d = S_ISDIR(st.st_mode) ? opendir(from) : NULL;
    if (d)
        mkdir(to, 0777);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char inner[PATH_MAX], there[PATH_MAX];
        path_join(inner, from, e->d_name);
        path_join(there, to, e->d_name);
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            folder_copy(inner, there);
    }
    if (d)
        closedir(d);
    return true;
}

static void add_word(struct world *w, const char *rest)
{
    struct bytes t = { 0 };
    bytes_plain(&t, rest);
    bytes_put(&t, "", 0);
    w->argv = need_more(w->argv, (size_t)w->argc + 2, sizeof *w->argv);
    w->argv[w->argc++] = t.s;
    w->argv[w->argc] = NULL;
    w->foreign |= !strcmp(t.s, "--exec") || strstr(t.s, "exec:") || strstr(t.s, "subject");
}

static void add_env(struct world *w, const char *rest)
{
    struct bytes t = { 0 };
    bytes_plain(&t, rest);
    bytes_put(&t, "", 0);
    bytes_put(&w->env, t.s, strlen(t.s) + 1);
    free(t.s);
}

static void add_subject(const struct places *p)
{
    static const char *const names[] = { "subject", "subject.so" };
    for (int k = 0; k < 2; k++) {
        char from[PATH_MAX], to[PATH_MAX];
        snprintf(from, sizeof from, "%s/storm-%s", p->build, names[k]);
        path_join(to, p->folder, names[k]);
        if (symlink(from, to) && errno != EEXIST)
            perror(to);
    }
}

/* A file of any kind; `path` is the PATH in the folder, `rest` what follows. */
static void add_file(const char *verb, const char *path, const char *rest, const struct places *p)
{
    struct bytes t = { 0 };
    if (!strcmp(verb, "file")) {
        bytes_plain(&t, rest);
        bytes_put(&t, "", 0);
        bytes_write(path, t.s, t.n);
        free(t.s);
    } else if (!strcmp(verb, "fifo"))
        mkfifo(path, 0666);
    else if (!strcmp(verb, "folder"))
        mkdir(path, 0777);
    else if (!strcmp(verb, "link") && symlink(rest, path) && errno != EEXIST)
        perror(path);
    else if (!strcmp(verb, "store"))
        made_store(p, path);
}

static void add_copy(const char *verb, const char *what, const char *path, const struct places *p)
{
    char from[PATH_MAX];
    if (!strcmp(verb, "pack"))
        made_pack(p, what, path);
    else {
        path_join(from, p->data, !strncmp(what, "data/", 5) ? what + 5 : what);
        folder_copy(from, path);
    }
}

/* "pack/@7": the seventh file of the folder that is not .json, in place. */
static void resolve(const struct places *p, char *path, size_t n)
{
    char folder[PATH_MAX], *star = strstr(path, "/@");
    struct dirent **list = NULL;
    unsigned long files = 0, pick = star ? strtoul(star + 2, NULL, 10) : 0;
    if (!star)
        return;
    snprintf(folder, sizeof folder, "%s/%.*s", p->folder, (int)(star - path), path);
    const int all = scandir(folder, &list, NULL, alphasort);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0, at = 0; k < all; k++) {
            const bool counts = *list[k]->d_name != '.' && !strstr(list[k]->d_name, ".json");
            if (pass && counts && (unsigned long)at++ == pick % files)
                snprintf(star + 1, n - (size_t)(star + 1 - path), "%s", list[k]->d_name);
            files += !pass && counts;
        }
    for (int k = 0; k < all; k++)
        free(list[k]);
    free(list);
}

static void become(const char *path, const char *what)
{
    char aside[PATH_MAX + 10];
    const char *name = strrchr(path, '/') + 1;
    snprintf(aside, sizeof aside, "%s.aside", path);
    if (rename(path, aside))
        return;
    if (!strcmp(what, "fifo"))
        mkfifo(path, 0666);
    else if (!strcmp(what, "folder"))
        mkdir(path, 0777);
    else if (strcmp(what, "gone")) {
        char to[PATH_MAX];
        snprintf(to, sizeof to, "%s.aside", name);
        if (symlink(!strcmp(what, "loop") ? name : !strcmp(what, "full") ? "/dev/full" : !strcmp(what, "dangling")
            ? "nowhere" : !strcmp(what, "outside") ? "/etc/hostname" : to, path))
            perror(path);
    }
    if (strcmp(what, "link"))
        unlink(aside);
}

/* A file of data/ exchanged for this run. */
static void replace_data(struct world *w, const char *from, const char *name, const struct places *p)
{
    char here[PATH_MAX], there[PATH_MAX];
    path_join(here, p->folder, from);
    path_join(there, p->data, name);
    bytes_put(&w->replaced, name, strlen(name) + 1);
    folder_copy(here, there);
}

static void apply(struct world *w, const char *line, const struct places *p)
{
    char verb[20] = "", first[200] = "", path[PATH_MAX];
    int used = 0, more = 0;
    sscanf(line, "%19s%n", verb, &used);
    const char *rest = line + used + (line[used] == ' ');
    sscanf(rest, "%199s%n", first, &more);
    const char *second = rest + more + (rest[more] == ' ');
    if (strcmp(verb, "word"))
        resolve(p, first, sizeof first);
    path_join(path, p->folder, first);
    if (!strcmp(verb, "word"))
        add_word(w, rest);
    else if (!strcmp(verb, "env"))
        add_env(w, rest);
    else if (!strcmp(verb, "stdout"))
        snprintf(w->out, sizeof w->out, "%s", first);
    else if (!strcmp(verb, "limit"))
        w->limit = strtoul(first, NULL, 10);
    else if (!strcmp(verb, "kill"))
        w->kill_ms = atoi(first), w->same = !strcmp(second, "same");
    else if (!strcmp(verb, "end"))
        w->end_ms = atoi(first), w->end_of = abs(atoi(second)), w->same = strstr(second, " same") != NULL;
    else if (!strcmp(verb, "refuse"))
        w->refuse = true;
    else if (!strcmp(verb, "guilty"))
        w->guilty = true;
    else if (!strcmp(verb, "subject"))
        add_subject(p), w->foreign = true;
    else if (!strcmp(verb, "pack") || !strcmp(verb, "copy")) {
        snprintf(path, sizeof path, "%s/%.*s", p->folder, (int)strcspn(second, " "), second);
        add_copy(verb, first, path, p);
    } else if (!strcmp(verb, "become"))
        become(path, second), bytes_say(&w->damaged, " %s", first);
    else if (!strcmp(verb, "data"))
        replace_data(w, first, second, p);
    else if (damage(path, verb, second))
        bytes_say(&w->damaged, " %s", first);
    else
        add_file(verb, path, second, p);
}

/* Whether a word that is nobody's stands where it must be refused: not where a flag before it would take it, nor
 * behind a call for help. */
static bool to_refuse(const struct world *w)
{
    bool refuse = false;
    for (int k = 2; k < w->argc; k++) {
        const char *last = w->argv[k - 1];
        if (!strncmp(w->argv[k], "--h", 3) || !strcmp(w->argv[k], "--"))
            return false;
        refuse |= strstr(w->argv[k], "nosuch") && (strncmp(last, "-", 1) || strchr(last, '='));
    }
    return refuse;
}

void world_build(struct world *w, const struct script *s, const struct places *p)
{
    *w = (struct world){ .limit = RLIM_INFINITY };
    mkdir(p->folder, 0777), mkdir(p->tmp, 0777);
    folder_empty(p->folder), folder_empty(p->tmp);
    bytes_put(&w->env, "", 0), bytes_put(&w->damaged, "", 0), bytes_put(&w->replaced, "", 0);
    for (int k = 0; k < s->n; k++)
        apply(w, s->line[k], p);
    w->refuse &= to_refuse(w);
}

/* data/ as it was: the files that the case exchanged, or all of them after a verb that writes there. */
static void restore(const struct world *w, const struct places *p)
{
    bool all = false;
    for (int k = 1; k < w->argc; k++)
        all |= !strncmp(w->argv[k], "--w", 3);
    if (all)
        folder_empty(p->data), folder_copy(p->origin, p->data);
    for (const char *name = w->replaced.s, *end = name + w->replaced.n; name < end; name += strlen(name) + 1) {
        char from[PATH_MAX], to[PATH_MAX];
        path_join(from, p->origin, name);
        path_join(to, p->data, name);
        if (!folder_copy(from, to))
            unlink(to);
    }
}

void world_free(struct world *w, const struct places *p)
{
    restore(w, p);
    for (int k = 0; k < w->argc; k++)
        free(w->argv[k]);
    free(w->argv), free(w->env.s), free(w->damaged.s), free(w->replaced.s);
}
