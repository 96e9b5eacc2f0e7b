/* The exact values of data/golden: write them, or prove that writing them again changes no byte. */
#include "cli.h"
#include "data.h"
#include "files.h"
#include "golden.h"
#include "goldenpack.h"
#include "version.h"

static int one(const char *row, bool write)
{
    char path[600], what[80], err[400];
    snprintf(what, sizeof what, "golden/%s.in", row);
    FILE *f = fopen(data_path(what, path, sizeof path), "r");
    if (!f)
        return 0;
    fclose(f);
    strcpy(path + strlen(path) - 3, ".tsv");
    char *made = golden_make(row, err, sizeof err), *there = golden_read(path);
    int bad = !made;
    if (made && write) {
        f = fopen(path, "w");
        bad = !f || fputs(made, f) < 0;
        bad |= f ? fclose(f) != 0 : 0;
        snprintf(err, sizeof err, "%s: cannot be written", path);
    } else if (made) {
        bad = !there || golden_intact(there, err, sizeof err);
        if (!there)
            snprintf(err, sizeof err, "%s: missing", path);
        else if (!bad && (bad = strcmp(made, there)))
            snprintf(err, sizeof err, "%s: made again, it differs", path);
    }
    printf("%s %s%s%s\n", bad ? "FAIL" : "PASS", row, bad ? ": " : "", bad ? err : "");
    free(made), free(there);
    return bad ? -1 : 1;
}

static int pack(const struct cli *c, const char *path)
{
    char err[600];
    size_t size = 0;
    char *text = goldenpack_make(MERIDIAN_VERSION, &size, err, sizeof err);
    int rc = !text || file_replace(path, text, size, err, sizeof err) ? cli_error(c, "%s", err) : 0;
    if (!rc)
        printf("%s: %zu bytes\n", path, size);
    free(text);
    return rc;
}

static int run(const struct cli *c)
{
    int bad = 0, seen = 0;
    if (cli_has(c, "pack"))
        return pack(c, cli_value(c, "pack", ""));
    if (cli_has(c, "write") == cli_has(c, "check"))
        return cli_error(c, "say --write, --check or --pack FILE");
    for (const struct row *const *r = all_rows; *r; r++)
        if (!c->row || c->row == *r) {
            int rc = one((*r)->name, cli_has(c, "write"));
            bad |= rc < 0;
            seen += rc != 0;
        }
    return !seen ? EXIT_NOTHING : bad ? EXIT_FAIL : EXIT_PASS;
}
static const struct flag flags[] = { { "write", NULL, "make data/golden/ROW.tsv" }, { "check", NULL, "byte equality with what would be made" }, { "pack", "FILE", "all rows as one tar file to vendor: inputs, exact values, bounds" }, { 0 } };
const struct verb verb_golden = { "golden", "[ROW]", "exact values as text: write or check data/golden", MAYBE_ROW, 0, 1, flags, run };
