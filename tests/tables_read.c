/* Tables of data/ are read whole: a line that does not fit is left out, and said so with its file, its number and the
 * reason; of the tables that come with the program none is. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>
#include "base/tsv.h"
#include "judge/deviation.h"
#include "pack/names.h"
#include "row/row.h"
#include "trial/mistake.h"

static int mistakes(const struct mistake *m, void *with) { (void)m; return ++*(int *)with, 0; }
static int deviations(const struct deviation *d, void *with) { (void)d; return ++*(int *)with, 0; }

Test(tables_read, no_line_of_the_own_tables_is_left_out)
{
    static char said[4000];
    int n = 0, own = 0;
    cr_redirect_stderr();
    for (const struct row *const *r = all_rows; *r; r++) {
        struct names x;
        mistakes_each((*r)->name, mistakes, &n);
        own += !names_read(&x, (*r)->name);
    }
    deviations_each("deviations", deviations, &n), deviations_each("planted", deviations, &n);
    fflush(stderr);
    FILE *f = cr_get_redirected_stderr();
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    cr_expect(!*said && n > 700 && own > 20, "%d lines, %d tables of names: %s", n, own, said);
}

Test(tables_read, a_line_that_does_not_fit_is_told_once)
{
    static const struct { const char *line, *says; } list[] = {
        { "a\tlonger\tc", ":1: column 2 has 6 bytes, at most 3 are read; the line is left out\n" },
        { "a\t\tc", ":1: column 2 is empty; the line is left out\n" },
        { "a", ":1: 1 columns, 2 to 3 are known; the line is left out\n" },
        { "a\tb\tc\td", ":1: 4 columns, 2 to 3 are known; the line is left out\n" },
    };
    static char said[4000];
    cr_redirect_stderr();
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char a[4], b[4], c[4], path[20];
        const struct tsv_place to[] = { { a, sizeof a }, { b, sizeof b }, { c, sizeof c }, { 0 } };
        struct tsv t;
        snprintf(path, sizeof path, "table%zu", k);
        tsv_text(&t, list[k].line);
        t.path = path;
        cr_assert(tsv_next(&t) && tsv_take(&t, to) < 2);
        tsv_left_out(&t, to, 2), tsv_left_out(&t, to, 2);
        tsv_close(&t);
    }
    fflush(stderr);
    FILE *f = cr_get_redirected_stderr();
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    const char *at = said;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const char *found = strstr(at, list[k].says);
        cr_expect(found, "no '%s' in %s", list[k].says, said);
        at = found ? found + strlen(list[k].says) : at;
    }
    cr_expect(!*at, "told twice: %s", at);
}
