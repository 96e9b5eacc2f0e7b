/* `golden`: writes the exact values of data/golden, or proves that writing them again changes no byte; writes the
 * golden pack. */
#include <stdlib.h>
#include <string.h>
#include "base/progress.h"
#include "core/cli.h"
#include "core/files.h"
#include "golden/golden.h"
#include "golden/goldenpack.h"
#include "version.h"

/* Makes the row's goldens and writes them into the folder `to`, or where that is NULL into data/golden. 1; 0: the
 * row has no questions; -1 and err. */
static int write_again(const char *row, const char *to, char *err, size_t n)
{
    char path[700];
    if (!golden_path(row, path, 600))
        return 0;
    char *made = golden_make(row, err, n);
    if (!made)
        return -1;
    if (to)
        snprintf(path, sizeof path, "%.600s/%.60s.tsv", to, row);
    const int bad = file_replace(path, made, strlen(made), err, n);
    free(made);
    return bad ? -1 : 1;
}

static int pack(const struct cli *c, const char *path)
{
    char err[600];
    size_t size = 0;
    struct draft d;
    if (draft_open(&d, path, err, sizeof err)) /* opened before the work, which takes a minute */
        return cli_error(c, "--pack: %s", err);
    progress_of("golden", "cases", 0);
    char *text = goldenpack_make(MERIDIAN_VERSION, NULL, (struct goldenpack_asked){ 0 }, &size, err, sizeof err);
    if (text)
        fwrite(text, 1, size, d.file);
    else
        draft_drop(&d);
    int rc = !text || draft_keep(&d, err, sizeof err) ? cli_error(c, "%s", err) : 0;
    if (!rc)
        printf("%s: %zu bytes\n", path, size);
    free(text);
    return rc;
}

static int run(const struct cli *c)
{
    int bad = 0, seen = 0;
    char err[400];
    if (cli_has(c, "pack") && c->row)
        return cli_error(c, "--pack holds all rows; leave out '%s'", c->row->name);
    if (cli_has(c, "pack"))
        return pack(c, cli_value(c, "pack", ""));
    if (cli_has(c, "write") == cli_has(c, "check"))
        return cli_error(c, "say --write, --check or --pack FILE");
    const char *to = cli_value(c, "to", NULL);
    if (to && folder_make(to, err, sizeof err))
        return cli_error(c, "--to: %s", err);
    struct progress how;
    long done = 0, rows = 0;
    while (all_rows[rows])
        rows++;
    progress_begin(&how, "golden", "rows", c->row ? 1 : (double)rows);
    for (const struct row *const *r = all_rows; *r; r++)
        if (!c->row || c->row == *r) {
            progress_step(&how, (double)done++, (*r)->name);
            int rc = cli_has(c, "write") ? write_again((*r)->name, to, err, sizeof err) :
                                           golden_check((*r)->name, err, sizeof err);
            progress_wipe(&how);
            if (rc)
                printf("%s %s%s%s\n", rc < 0 ? "FAIL" : "PASS", (*r)->name, rc < 0 ? ": " : "", rc < 0 ? err : "");
            bad |= rc < 0;
            seen += rc != 0;
        }
    if (cli_has(c, "write") && !to && seen)
        puts("written without a second system's word; `make data` asks it first");
    return !seen ? EXIT_NOTHING : bad ? EXIT_FAIL : EXIT_PASS;
}
static const struct flag flags[] = { { "write", NULL, "make data/golden/ROW.tsv" },
    { "to", "DIR", "write there: `make data` asks a second system before it replaces a file", .needs = "write" },
    { "check", NULL, "byte equality with what would be made" },
    { "pack", "FILE", "all rows as one tar file to vendor: inputs, exact values, bounds", .writes = true }, { 0 } };
const struct verb verb_golden = { "golden", "[ROW]", "exact values as text: write or check data/golden", MAYBE_ROW, 0,
    1, flags, run };
