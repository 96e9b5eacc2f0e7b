/* Looks for files in the folders that data.h lists. */
#include "core/data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *data_path(const char *what, char *path, size_t n)
{
    static const char *const beside[] = { "../data", "../../data", "../share/meridian/data" };
    const char *given = getenv("MERIDIAN_DATA");
    char self[512];
    snprintf(path, n, "%s/%s", given && *given ? given : "data", what);
    if ((given && *given) || !access(path, R_OK))
        return path;
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len < 0 ? 0 : len] = 0;
    char *slash = strrchr(self, '/');
    for (size_t k = 0; slash && k < sizeof beside / sizeof *beside; k++) {
        snprintf(path, n, "%.*s/%s/%s", (int)(slash - self), self, beside[k], what);
        if (!access(path, R_OK))
            return path;
    }
    snprintf(path, n, "data/%s", what);
    return path;
}
