/* Files written whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"
#include "need.h"

int file_replace(const char *path, const char *text, size_t length, char *err, size_t n)
{
    char tmp[4300];
    snprintf(tmp, sizeof tmp, "%.4200s.new-%ld", path, (long)getpid());
    FILE *f = fopen(tmp, "wb");
    bool ok = f && fwrite(text, 1, length, f) == length && fflush(f) == 0 && fsync(fileno(f)) == 0;
    int why = errno;
    if (f && fclose(f) && ok)
        ok = false, why = errno;
    if (ok && rename(tmp, path))
        ok = false, why = errno;
    if (ok)
        return 0;
    unlink(tmp);
    return snprintf(err, n, "%.200s: %s; what was there is kept", path, strerror(why)), -1;
}

char *file_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    char *text = f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) ? need((size_t)st.st_size + 1, 1) : NULL;
    if (text)
        text[fread(text, 1, (size_t)st.st_size, f)] = 0;
    if (f)
        fclose(f);
    return text;
}

int folder_make(const char *path, char *err, size_t n)
{
    char part[4200];
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
        return snprintf(err, n, "%.200s: %s", path, !stat(path, &st) && !S_ISDIR(st.st_mode) ? "not a folder" : strerror(errno)), -1;
    return 0;
}

static uint64_t mix(uint64_t h, const void *data, size_t n)
{
    for (const unsigned char *s = data; n--; s++)
        h = (h ^ *s) * 1099511628211u;
    return h;
}

uint64_t file_digest(const char *path, uint64_t h)
{
    struct stat st;
    if (stat(path, &st))
        return mix(h, "absent", 7);
    if (S_ISDIR(st.st_mode)) {
        struct dirent **list;
        int count = scandir(path, &list, NULL, alphasort);
        for (int k = 0; k < count; k++) {
            char inner[4400];
            snprintf(inner, sizeof inner, "%.4000s/%.255s", path, list[k]->d_name);
            if (*list[k]->d_name != '.')
                h = file_digest(inner, mix(h, list[k]->d_name, strlen(list[k]->d_name) + 1));
            free(list[k]);
        }
        if (count >= 0)
            free(list);
        return h;
    }
    FILE *f = fopen(path, "rb");
    unsigned char part[1 << 15];
    for (size_t got; f && (got = fread(part, 1, sizeof part, f)) > 0;)
        h = mix(h, part, got);
    if (f)
        fclose(f);
    return h;
}
