/* `doctor`: what is missing on this machine, what does not work without it, and what to type.  The things are those
 * of data/needs.tsv, from which harness/core/deps.sh installs; beside them stands what no package mends: the folder of
 * data, memory that is shared with subjects, and the instruction sets of own kernels.  Exit status 1: something that
 * has to be there is not. */
#include <dlfcn.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/tsv.h"
#include "base/words.h"
#include "core/cli.h"
#include "core/data.h"
#include "core/printable.h"
#include "kernels.h"
#include "row/row.h"

enum { SHOWN = 8 }; /* words of what was looked for that a line of the text shows */
extern char **environ;
/* A line of the table, or something that no package mends (packages "-"); `type` is what mends it; `lacks`: which
 * programs of several are not there. */
struct need {
    char name[40], packages[120], purpose[24], where[8], need[8], look[400], lost[200], type[200], lacks[400];
};
/* What was asked for and found so far. tree: the sources are beside the data. */
struct round { const struct cli *c; const char *purpose; bool json, tree; int there, missing, must, other; };

/* Whether a program of the name name[len] is on the path, or where a system keeps those of its administrator. */
static bool on_path(const char *name, size_t len)
{
    char file[600], path[8192];
    snprintf(path, sizeof path, "%.8000s:/usr/sbin:/sbin", getenv("PATH") ? getenv("PATH") : "");
    for (const char *s = path; *s; s += strcspn(s, ":"), s += *s == ':') {
        struct stat st;
        snprintf(file, sizeof file, "%.*s/%.*s", (int)strcspn(s, ":"), s, (int)len, name);
        if (!stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK))
            return true;
    }
    return false;
}

static bool command_there(const char *name) { return on_path(name, strlen(name)); }

/* Whether every one of "a b|c d" is there, of b and c one; the others are written to lacks[n]. */
static bool commands_there(const char *names, char *lacks, size_t n)
{
    size_t at = 0;
    *lacks = 0;
    for (const char *s = names; *s; s = word_next(s)) {
        const size_t word = strcspn(s, " ");
        bool there = false;
        for (size_t k = 0, len; k < word && !there; k += len + 1)
            len = strcspn(s + k, "| "), there = on_path(s + k, len);
        if (!there && at < n)
            at += (size_t)snprintf(lacks + at, n - at, "%s%.*s", at ? " " : "", (int)word, s);
    }
    return !*lacks;
}

/* Whether a program can be run and answers 0, in silence; no shell is involved. */
static bool succeeds(const char *const *argv)
{
    int status = -1;
    pid_t pid;
    posix_spawn_file_actions_t f;
    posix_spawn_file_actions_init(&f);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&f, fd, "/dev/null", O_RDWR, 0);
    const bool begun = !posix_spawnp(&pid, argv[0], &f, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&f);
    return begun && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *kind_of(const char *look, char *kind) /* the first word of a line's look, copied */
{
    const size_t n = strcspn(look, " ");
    memcpy(kind, look, n);
    return kind[n] = 0, kind;
}

/* Looks for "KIND NAME", in the words of the table's head. */
static bool looked(struct need *k)
{
    const char *look = k->look, *name = word_next(look);
    if (!strncmp(look, "command ", 8))
        return commands_there(name, k->lacks, sizeof k->lacks);
    if (!strncmp(look, "header ", 7))
        return succeeds((const char *const[]){ "cc", "-E", "-x", "c", "-include", name, "/dev/null", NULL });
    if (!strncmp(look, "module ", 7))
        return succeeds((const char *const[]){ "python3", "-c",
            "import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)", name, NULL });
    if (!strncmp(look, "debian ", 7))
        return !access(name, F_OK) || !command_there("dpkg");
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    return handle && !dlclose(handle);
}

static void tell(struct round *r, const struct need *k, bool there)
{
    r->there += there, r->missing += !there, r->must += !there && !strcmp(k->need, "must");
    if (r->json) {
        json_t *o = json_pack("{s:s,s:s,s:s,s:b,s:s,s:s,s:s}", "name", k->name, "for", k->purpose, "need", k->need,
            "there", there, "looked for", k->look, "without it", there ? "" : k->lost, "type", there ? "" : k->type);
        json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
        putchar('\n');
        json_decref(o);
    } else if (there) {
        const char *rest = k->look;
        for (int word = 0; word < SHOWN; word++)
            rest = word_next(rest);
        printf("there    %-11s %-11s %.*s%s\n", k->purpose, k->name, (int)(rest - k->look), k->look,
            *rest ? "..." : "");
    } else {
        printf("%s  %-11s %-11s %s\n", !strcmp(k->need, "must") ? "MISSING" : "missing", k->purpose, k->name, k->lost);
        if (strchr(k->lacks, ' ') || (*k->lacks && strcmp(word_next(k->look), k->lacks) != 0))
            printf("         %-11s lacks       %s\n", "", k->lacks);
        printf("         %-11s type        %s\n", "", k->type);
    }
}

/* Whether this line is asked: by the word on the command line, else where it is of use. */
static bool asked(const struct round *r, const struct need *k)
{
    return r->purpose ? !strcmp(r->purpose, k->purpose) : r->tree || strcmp(k->where, "tree") != 0;
}

static void installs(struct need *k)
{
    if (command_there("apt-get"))
        snprintf(k->type, sizeof k->type, "%sapt-get install -y %s", geteuid() ? "sudo " : "", k->packages);
    else
        snprintf(k->type, sizeof k->type, "your system's package of that name; Debian's: %s", k->packages);
}

/* The lines of the table, each looked for and told; with r NULL they are only read. 0; or -1 and one line in err: a
 * line has another form, or a kind that there is not. */
static int table(struct round *r, char *err, size_t n)
{
    char path[600];
    struct need k;
    struct tsv t;
    const struct tsv_place to[] = { { k.name, sizeof k.name }, { k.packages, sizeof k.packages },
        { k.purpose, sizeof k.purpose }, { k.where, sizeof k.where }, { k.need, sizeof k.need },
        { k.look, sizeof k.look }, { k.lost, sizeof k.lost }, { 0 } };
    char kind[sizeof k.look];
    bool bad = false;
    tsv_open(&t, data_path("needs.tsv", path, sizeof path));
    while (!bad && tsv_next(&t)) {
        bad = tsv_take(&t, to) != 7 || !words_have("command header library module debian", kind_of(k.look, kind));
        if (bad || !r)
            continue;
        if (asked(r, &k))
            installs(&k), tell(r, &k, looked(&k));
        else
            r->other++;
    }
    if (bad)
        snprintf(err, n, "%.300s:%ld: a line of another form; its head says which there is", path, t.line);
    return tsv_close(&t), bad ? -1 : 0;
}

/* The folder of data, with the table of mistakes that every row has. */
static void data_there(struct round *r)
{
    char what[100], path[600], lacks[100] = "";
    struct need k = { .name = "data", .packages = "-", .purpose = "judge", .where = "any", .need = "must",
        .lost = "mistakes are not named, goldens not checked, models not known" };
    for (const struct row *const *row = all_rows; *row && !*lacks; row++) {
        snprintf(what, sizeof what, "mistakes/%s.tsv", (*row)->name);
        if (access(data_path(what, path, sizeof path), R_OK))
            snprintf(lacks, sizeof lacks, "%s", what);
    }
    if (!*lacks && access(data_path("needs.tsv", path, sizeof path), R_OK))
        snprintf(lacks, sizeof lacks, "needs.tsv");
    if (*lacks)
        snprintf(k.look, sizeof k.look, "%.60s/%.50s", getenv("MERIDIAN_DATA") ? "$MERIDIAN_DATA" : "data", lacks);
    else
        snprintf(k.look, sizeof k.look, "%.*s", (int)(strlen(path) - strlen("/needs.tsv")), path);
    printable(k.look);
    snprintf(k.type, sizeof k.type, "export MERIDIAN_DATA=FOLDER, the data of the version of this program");
    tell(r, &k, !*lacks);
}

static void memory_there(struct round *r)
{
    const int fd = memfd_create("doctor", MFD_CLOEXEC);
    tell(r, &(struct need){ .name = "memory", .packages = "-", .purpose = "judge", .where = "any", .need = "must",
        .look = "a file in memory", .lost = "no plug-in and no process can be judged",
        .type = "another kernel or container: memfd_create is refused" }, fd >= 0);
    if (fd >= 0)
        close(fd);
}

/* The instruction sets that own kernels are written for. */
static void slots_there(struct round *r)
{
    const char *masked = getenv("MERIDIAN_ISA");
    for (const struct slot *s = slots; s->name; s++) {
        if (s > slots && !strcmp(s->name, s[-1].name))
            continue; /* one entry a row, and those of a slot stand together */
        struct need k = { .packages = "-", .purpose = "kernels", .where = "any", .need = "ask",
            .lost = "own kernels for it are not judged, and not used" };
        snprintf(k.name, sizeof k.name, "%s", s->name);
        snprintf(k.look, sizeof k.look, "instructions of the processor");
        snprintf(k.type, sizeof k.type, "%s", masked && *masked ? "unset MERIDIAN_ISA, which masks what is above it"
            : "nothing mends it but another processor");
        tell(r, &k, s->here());
    }
}

static int closing(const struct round *r)
{
    if (r->purpose && !(r->there + r->missing))
        return cli_error(r->c,
            "nothing is looked for under '%.40s'; `meridian doctor` prints what there is, in its second column",
            r->purpose);
    if (!r->json && r->other && !r->purpose)
        printf("not asked: %d things that are of use beside the sources; `meridian doctor build` asks\n", r->other);
    if (!r->json)
        printf("doctor: %d of %d there; missing: %d that must be there, %d others\n", r->there, r->there + r->missing,
            r->must, r->missing - r->must);
    return r->must ? EXIT_FAIL : EXIT_PASS;
}

static int run(const struct cli *c)
{
    static const struct { const char *purpose; void (*look)(struct round *r); } own[] = { { "judge", data_there },
        { "judge", memory_there }, { "kernels", slots_there } };
    char path[600], err[500];
    struct round r = { .c = c, .purpose = c->words ? c->word[0] : NULL, .json = cli_has(c, "json") };
    r.tree = !access(data_path("../harness/core/deps.sh", path, sizeof path), R_OK);
    if (table(NULL, err, sizeof err))
        return cli_error(c, "%s", err);
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!r.purpose || !strcmp(r.purpose, own[k].purpose))
            own[k].look(&r);
    if (table(&r, err, sizeof err))
        return cli_error(c, "%s", err);
    return closing(&r);
}
static const struct flag flags[] = { { "json", NULL, "one object a line" }, { 0 } };
const struct verb verb_doctor = { "doctor", "[PURPOSE]",
    "what is missing on this machine, what does not work then, what to type", NO_ROW, 0, 1, flags, run };
