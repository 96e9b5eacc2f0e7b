/* Drafts, whole files, folders and their digests; see files.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/files.h"
#include "base/digest.h"
#include "base/leftover.h"
#include "arith/need.h"

int draft_open(struct draft *d, const char *path, char *err, size_t n)
{
    *d = (struct draft){ 0 };
    d->path = need_copy(path), d->part = need(strlen(path) + 32, 1);
    sprintf(d->part, "%s.part-%ld", path, (long)getpid()); /* two processes may be writing a file of the same name */
    struct stat st;
    const bool regular = stat(path, &st) || S_ISREG(st.st_mode);
    leftover_add(d->part);
    d->file = regular ? fopen(d->part, "w") : NULL;
    if (d->file)
        return 0;
    const char *why = regular ? strerror(errno) : "it is no regular file";
    leftover_settle(d->part, true);
    snprintf(err, n, "cannot write %.200s: %s; %s", path, why, access(path, F_OK)
             ? "give a file in a folder that exists and is writable" : "what was there is kept");
    free(d->path), free(d->part);
    *d = (struct draft){ 0 };
    return -1;
}

static int draft_end(struct draft *d, int rc)
{
    leftover_settle(d->part, !rc);
    free(d->path), free(d->part);
    *d = (struct draft){ 0 };
    return rc;
}

int draft_keep(struct draft *d, char *err, size_t n)
{
    if (!d->file)
        return 0;
    bool bad = ferror(d->file) != 0 || fflush(d->file) || fsync(fileno(d->file));
    bad = fclose(d->file) != 0 || bad;
    if (!bad && !rename(d->part, d->path))
        return draft_end(d, 0);
    snprintf(err, n, "cannot write all of %.200s: %s; what was there is kept", d->path, strerror(errno));
    return draft_end(d, -1);
}

void draft_drop(struct draft *d)
{
    if (d->file)
        fclose(d->file), draft_end(d, -1);
}

int file_replace(const char *path, const char *text, size_t length, char *err, size_t n)
{
    struct draft d;
    if (draft_open(&d, path, err, n))
        return -1;
    fwrite(text, 1, length, d.file); /* an error stays with the stream, and draft_keep reports it */
    return draft_keep(&d, err, n);
}

FILE *file_open(const char *path)
{
    /* O_NONBLOCK: opening a pipe that nobody writes to must not wait */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    FILE *f = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

char *file_read(const char *path)
{
    FILE *f = file_open(path);
    struct stat st;
    char *text = f && !fstat(fileno(f), &st) ? need((size_t)st.st_size + 1, 1) : NULL;
    if (text)
        text[fread(text, 1, (size_t)st.st_size, f)] = 0;
    if (f)
        fclose(f);
    return text;
}

int folder_make(const char *path, char *err, size_t n)
{
    char part[4200];
    if (!*path)
        return snprintf(err, n, "'': a folder needs a name"), -1;
    if (strlen(path) >= sizeof part)
        return snprintf(err, n, "'%.100s...': a path of more than %zu bytes", path, sizeof part - 1), -1;
    snprintf(part, sizeof part, "%s", path);
    for (char *s = part + 1; s[-1]; s++)
        if (*s == '/' || !*s) {
            char keep = *s;
            *s = 0;
            if (mkdir(part, 0777) && errno != EEXIST)
                return snprintf(err, n, "%.200s: %s", part, strerror(errno)), -1;
            *s = keep;
            if (!keep)
                break;
        }
    struct stat st;
    if (stat(path, &st) || !S_ISDIR(st.st_mode) || access(path, W_OK | X_OK))
        return snprintf(err, n, "%.200s: %s", path,
                   !stat(path, &st) && !S_ISDIR(st.st_mode) ? "not a folder" : strerror(errno)),
               -1;
    return 0;
}

uint64_t file_digest(const char *path, uint64_t h)
{
    struct stat st;
    if (stat(path, &st))
        return digest(h, "absent", 7);
    if (S_ISDIR(st.st_mode)) {
        struct dirent **list;
        int count = scandir(path, &list, NULL, alphasort);
        for (int k = 0; k < count; k++) {
            char inner[4400];
            snprintf(inner, sizeof inner, "%.4000s/%.255s", path, list[k]->d_name);
            if (*list[k]->d_name != '.')
                h = file_digest(inner, digest(h, list[k]->d_name, strlen(list[k]->d_name) + 1));
            free(list[k]);
        }
        if (count >= 0)
            free(list);
        return h;
    }
    FILE *f = file_open(path);
    unsigned char part[1 << 15];
    for (size_t got; f && (got = fread(part, 1, sizeof part, f)) > 0;)
        h = digest(h, part, got);
    if (f)
        fclose(f);
    return h;
}
