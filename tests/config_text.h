/* Configurations that a test writes as text, in a file of their own for the time that they are read. */
#ifndef CONFIG_TEXT_H
#define CONFIG_TEXT_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "model/config.h"

/* What was read last, and the one line of what could not be read. */
static struct config c;
static char err[700];

static inline void write_file(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    cr_assert(f && fwrite(text, 1, n, f) == n && !fclose(f), "cannot write %s", path);
}

static inline int read_text(const char *text, size_t n, struct config *out)
{
    char path[] = "/tmp/meridian-config-XXXXXX";
    close(mkstemp(path));
    write_file(path, text, n);
    *err = 0;
    int rc = config_read(path, out, err, sizeof err);
    unlink(path);
    return rc;
}
#endif
