/* tests/mutants.tsv against the sources that it breaks: a line whose text no longer stands there would kill nothing (make mutants stops at it). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "files.h"

static int on_a_line(const char *source, const char *text, const char *before) /* within one line, and not what the mutant puts there */
{
    const char *at = strstr(source, text);
    return at && !strchr(text, '\n') && strcmp(text, before) != 0;
}

Test(mutants, every_planted_fault_finds_its_place)
{
    char line[1000], path[200], from[400], to[400];
    long lines = 0;
    FILE *f = fopen("tests/mutants.tsv", "r");
    cr_assert_not_null(f);
    while (fgets(line, sizeof line, f)) {
        if (*line == '#' || *line == '\n')
            continue;
        *to = 0;
        cr_assert(sscanf(line, "%199[^\t]\t%399[^\t]\t%399[^\t]", path, from, to) >= 2, "%s", line);
        char whole[260];
        snprintf(whole, sizeof whole, "ref/core/%s", path);
        char *source = file_read(whole);
        cr_assert_not_null(source, "%s", whole);
        cr_expect(on_a_line(source, from, to), "%s: no '%s'", whole, from);
        free(source), lines++;
    }
    fclose(f);
    cr_expect_geq(lines, 100, "%ld", lines);
}
