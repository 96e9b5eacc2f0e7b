/* Reads tables line by line; see tsv.h for what counts as a line and who owns the columns. */
#include "base/tsv.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tsv_open(struct tsv *t, const char *path)
{
    /* A pipe without a writer would keep the program waiting for one. */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    *t = (struct tsv){ .path = path };
    if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode))
        errno = EINVAL;
    else if (fd >= 0 && (t->file = fdopen(fd, "r")))
        return true;
    if (fd >= 0)
        close(fd);
    return false;
}

void tsv_text(struct tsv *t, const char *text)
{
    *t = (struct tsv){ .path = "", .file = *text ? fmemopen((char *)text, strlen(text), "r") : NULL };
}

bool tsv_next(struct tsv *t)
{
    while (t->file) {
        const ssize_t len = getline(&t->text, &t->room, t->file);
        if (len < 0)
            return false;
        t->line++;
        t->text[strcspn(t->text, "\r\n")] = 0;
        if (*t->text && *t->text != '#')
            break;
    }
    if (!t->file)
        return false;
    free(t->cut), t->cut = strdup(t->text), t->n = 0;
    for (char *s = t->cut; s; t->n++) {
        char *end = strchr(s, '\t');
        if (t->n < TSV_COLUMNS)
            t->col[t->n] = s;
        if (end)
            *end++ = 0;
        s = end;
    }
    return t->cut != NULL;
}

void tsv_close(struct tsv *t)
{
    if (t->file)
        fclose(t->file);
    free(t->text), free(t->cut);
    *t = (struct tsv){ .path = t->path };
}

int tsv_take(const struct tsv *t, const struct tsv_place *to)
{
    int places = 0, k = 0;
    while (to[places].to)
        places++;
    if (t->n > places)
        return -1;
    for (; k < t->n; k++) {
        const size_t len = strlen(t->col[k]);
        if (!len || len >= to[k].size)
            break;
        memcpy(to[k].to, t->col[k], len + 1);
    }
    return k;
}

/* Whether a line was not told before; after MOST lines none is told any more. */
static bool first_time(const char *path, long line)
{
    enum { MOST = 64 };
    static struct { const char *path; long line; } told[MOST];
    static int n;
    for (int k = 0; k < n; k++)
        if (told[k].line == line && !strcmp(told[k].path, path))
            return false;
    if (n == MOST)
        return false;
    char *kept = strdup(path);
    if (kept)
        told[n].path = kept, told[n++].line = line;
    return true;
}

void tsv_left_out(const struct tsv *t, const struct tsv_place *to, int least)
{
    const char *path = t->path ? t->path : "a table";
    int places = 0, k = 0;
    while (to[places].to)
        places++;
    if (!first_time(path, t->line))
        return;
    while (t->n <= places && k < t->n && t->col[k][0] && strlen(t->col[k]) < to[k].size)
        k++;
    if (t->n > places || k == t->n)
        fprintf(stderr, "meridian: %s:%ld: %d columns, %d to %d are known; the line is left out\n", path, t->line, t->n,
            least, places);
    else if (!t->col[k][0])
        fprintf(stderr, "meridian: %s:%ld: column %d is empty; the line is left out\n", path, t->line, k + 1);
    else
        fprintf(stderr, "meridian: %s:%ld: column %d has %zu bytes, at most %zu are read; the line is left out\n", path,
            t->line, k + 1, strlen(t->col[k]), to[k].size - 1);
}
