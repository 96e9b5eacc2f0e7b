/* Sweeps in a folder of their own, for tests. */
#ifndef SWEEPING_H
#define SWEEPING_H
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sqlite3.h>
#include "command.h"

static char sweeping_dir[64];
/* A few hundred cells of about a millisecond. */
#define SWEEPING_MANY                                                                                                  \
    "seed = 1..6\nmeasure accuracy\nrow rope\nlength = 1 3 8..2^20 *5\ndim = 6 48\nn = 40\nlines = 0\nout = y\n"       \
    "measure accuracy\nrow shaw\nout = o\nn = 7\nm = 30 55\nmemory = @m-@n\ntype = f32 bf16\nmeasure valid\nrow "      \
    "rope\nlimit = 3000\nbase = 500 10000\n"

static inline void sweeping_open(void)
{
    strcpy(sweeping_dir, "/tmp/meridian-sweep-XXXXXX");
    cr_assert(mkdtemp(sweeping_dir));
}

static inline void sweeping_close(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", sweeping_dir);
    cr_assert_eq(system(command), 0);
}

static inline void sweeping_recipe(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", sweeping_dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Replaces every %s by the folder, in which a recipe lies. */
static inline void sweeping_args(char *to, size_t n, const char *args)
{
    size_t used = 0;
    if (*args != '%')
        used += (size_t)snprintf(to, n, "%s/", sweeping_dir);
    for (const char *s = args; *s && used + 70 < n; s++)
        if (s[0] == '%' && s[1] == 's')
            used += (size_t)snprintf(to + used, n - used, "%s", sweeping_dir), s++;
        else
            to[used++] = *s;
    to[used] = 0;
}

static inline int sweeping_in(const char *before, const char *args)
{
    char all[1000] = "sweep ";
    sweeping_args(all + 6, sizeof all - 6, args);
    return meridian(before, all);
}
static inline int sweeping(const char *args) { return sweeping_in("", args); }

/* Starts the meridian without waiting for it, and not under a shell, which would outlive it. */
static inline pid_t sweeping_start(const char *args)
{
    char self[400], all[1000], *argv[20] = { "meridian", "sweep" }, *save = NULL;
    int n = 2;
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 16);
    self[len < 0 ? 0 : len] = 0;
    strcpy(strrchr(self, '/'), "/meridian");
    sweeping_args(all, sizeof all, args);
    for (char *w = strtok_r(all, " ", &save); w && n < 19; w = strtok_r(NULL, " ", &save))
        argv[n++] = w;
    pid_t pid = fork();
    if (!pid) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1), dup2(null, 2);
        execv(self, argv);
        _exit(127);
    }
    return pid;
}

static inline void sweeping_sql(const char *file, const char *sql)
{
    char path[200];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/%s", sweeping_dir, file);
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static inline void sweeping_damage(const char *file) /* Damages a page in the middle of the file. */
{
    char path[200], page[4096];
    snprintf(path, sizeof path, "%s/%s", sweeping_dir, file);
    memset(page, 0x5a, sizeof page);
    int fd = open(path, O_WRONLY);
    cr_assert(fd >= 0 && pwrite(fd, page, sizeof page, 4096) == sizeof page);
    close(fd);
}
#endif
