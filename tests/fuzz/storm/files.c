/* Packs, configurations, declarations, recipes, names, stores and baselines: made whole, then damaged by one to four
 * operators. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data.h"
#include "kind.h"
#include "pool.h"

/* Values that a JSON text may get: of every type, extreme ones, some that are no JSON. */
static void json_value(struct dice *d, struct bytes *t)
{
    static const char *const list[] = {
        "null", "true", "false", "0", "-1", "1", "2", "3", "7", "64", "1.5", "-0.0", "1e400", "1e308", "1e-320",
        "NaN", "-Infinity", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "[]", "{}", "[1]", "[1,2,3]", "[[1]]", "{\"a\":1}", "\"\"", "\"nosuch\"", "\"f32\"", "\"1e400\"",
        "\"x.npy\"", "\"../x\"", "\"/etc/passwd\"", "\"a b\"", "\"a=b\"", "\"\\u0000\"", "\"\\ud800\"", "\"\xff\"",
        "\"\xc3\xa9\"", "\"\\n\"", "", ",", "}", "\"", "'x'", "0x10", "01", "//",
    };
    struct bytes plain = { 0 };
    if (dice_one_in(d, 4)) {
        bytes_put(&plain, "\"", 1), pool_extreme(d, &plain), bytes_put(&plain, "\"", 1);
    } else if (dice_one_in(d, 4)) {
        bytes_put(&plain, "\"", 1), pool_name(d, &plain, pool_row(d)), bytes_put(&plain, "\"", 1);
    } else {
        const char *one = list[dice_below(d, sizeof list / sizeof *list)];
        bytes_put(&plain, one, strlen(one));
    }
    bytes_escaped(t, plain.s, plain.n);
    free(plain.s);
}

static unsigned place(struct dice *d) { return (unsigned)dice_below(d, dice_one_in(d, 3) ? 100000 : 60); }

static void damage_json(struct dice *d, struct script *s, const char *path)
{
    struct bytes t = { 0 };
    switch (dice_below(d, 10)) {
    case 0: script_add(s, "json %s %u drop", path, place(d)); break;
    case 1: script_add(s, "json %s %u double", path, place(d)); break;
    case 2: script_add(s, "json %s %u nest %u", path, place(d), dice_one_in(d, 8) ? 60000 : place(d) % 5); break;
    case 3: script_add(s, "json %s %u move %u", path, place(d), place(d)); break;
    case 4: script_add(s, "poke %s %u \\x%02x", path, place(d), (unsigned)dice_below(d, 256)); break;
    default:
        json_value(d, &t);
        t.n = t.n < 700 ? t.n : 700;
        script_add(s, "json %s %u replace %.*s", path, place(d), (int)t.n, t.s ? t.s : "");
    }
    free(t.s);
}

static void damage_bytes(struct dice *d, struct script *s, const char *path)
{
    const unsigned at = (unsigned)dice_below(d, 1u << (4 + dice_below(d, 14)));
    switch (dice_below(d, 4)) {
    case 0: script_add(s, "cut %s %u", path, at); break;
    case 1: script_add(s, "append %s \\x%02x\\x00abc", path, (unsigned)dice_below(d, 256)); break;
    case 2: script_add(s, "fill %s %u %u", path, at, (unsigned)dice_below(d, 5000)); break;
    default: script_add(s, "poke %s %u \\x%02x\\x%02x", path, at, place(d) & 255, place(d) & 255);
    }
}

static void damage_line(struct dice *d, struct script *s, const char *path)
{
    struct bytes t = { 0 }, plain = { 0 };
    switch (dice_below(d, 6)) {
    case 0: script_add(s, "line %s %u drop", path, place(d)); break;
    case 1: script_add(s, "line %s %u double", path, place(d)); break;
    case 2: script_add(s, "line %s %u swap %u", path, place(d), place(d)); break;
    case 3: damage_bytes(d, s, path); break;
    default:
        dice_one_in(d, 2) ? pool_extreme(d, &plain) : pool_name(d, &plain, pool_row(d));
        bytes_escaped(&t, plain.s ? plain.s : "", plain.n < 200 ? plain.n : 200);
        script_add(s, "line %s %u %s %s", path, place(d), dice_one_in(d, 3) ? "replace" : "field", t.s);
    }
    free(t.s), free(plain.s);
}

/* Of an array of the pack: which file is said by number, "@K", and found when the case is built. */
static void damage_array(struct dice *d, struct script *s)
{
    static const char *const headers[] = {
        "descr '<f8'", "descr '<f2'", "descr '<i8'", "descr '<i4'", "descr '<f4'", "descr '>f4'", "descr '|u1'",
        "descr '<c8'", "descr '|O'", "descr 7", "fortran_order True", "fortran_order 7", "shape ()", "shape (1,)",
        "shape (0,)", "shape (3, 1)", "shape (1, 3, 4)", "shape (2, 2, 2, 2)", "shape (-1,)",
        "shape (1, 1, 1, 1, 1, 1, 1)", "shape (9223372036854775807, 2)", "shape (1000000, 1000000)",
        "shape (4611686018427387904, 4)", "shape (3", "shape x",
    };
    static const char values[] =
        "nan inf -inf 0 -1 1 2 7 100 1e30 -1e30 1e300 1e-45 9007199254740993 "
        "9223372036854775807 -9223372036854775808 2147483648 4294967296";
    char path[40];
    snprintf(path, sizeof path, "pack/@%u", (unsigned)dice_below(d, 300));
    switch (dice_below(d, 8)) {
    case 0: case 1: script_add(s, "npy %s %s", path, headers[dice_below(d, sizeof headers / sizeof *headers)]); break;
    case 2: case 3: case 4: script_add(s, "element %s %u %s", path, place(d), dice_word(d, values)); break;
    case 5: script_add(s, "become %s %s", path, dice_word(d, "link loop fifo folder gone full dangling outside"));
        break;
    default: damage_bytes(d, s, path);
    }
}

static uint64_t times(struct dice *d) { return 1 + dice_below(d, 4) * !dice_one_in(d, 3); }

static void judge(struct dice *d, struct script *s)
{
    script_word(s, "meridian"), script_word(s, "judge"), script_word(s, "pack");
    if (dice_one_in(d, 4))
        script_word(s, "--junit"), script_word(s, "new.xml");
    if (dice_one_in(d, 6))
        script_word(s, "--json");
    if (dice_one_in(d, 2))
        script_word(s, "--lines"), script_word(s, "1");
    if (!dice_one_in(d, 8)) /* a diagnosis takes a hundred times as long as the verdict */
        script_word(s, "--verdicts");
}

void make_pack(struct dice *d, struct script *s)
{
    script_add(s, "pack %s pack", pool_row(d)->name);
    for (uint64_t k = times(d); k; k--)
        if (dice_one_in(d, 2))
            damage_json(d, s, "pack/pack.json");
        else
            damage_array(d, s);
    judge(d, s);
}

/* A file of a folder of data/ under the name `to`. */
static void copy_one(struct dice *d, struct script *s, const char *folder, const char *suffix, const char *to)
{
    char path[PATH_MAX], inside[100];
    struct dirent **list = NULL;
    snprintf(inside, sizeof inside, "%s", folder);
    const int n = scandir(data_path(inside, path, sizeof path), &list, NULL, alphasort);
    for (int tries = 0; n > 0 && tries < 100; tries++) {
        const char *name = list[dice_below(d, (uint64_t)n)]->d_name;
        if (*name == '.' || !strstr(name, suffix))
            continue;
        script_add(s, "copy data/%s/%s %s", folder, name, to);
        break;
    }
    for (int k = 0; k < n; k++)
        free(list[k]);
    free(list);
}

void make_config(struct dice *d, struct script *s)
{
    copy_one(d, s, "models", ".json", "config.json");
    for (uint64_t k = times(d); k; k--)
        damage_json(d, s, "config.json");
    script_word(s, "meridian"), script_word(s, "model"), script_word(s, "config.json");
    script_word(s, "--limit"), script_word(s, dice_one_in(d, 40) ? "8193" : dice_word(d, "64 1 4"));
    if (dice_one_in(d, 4))
        script_word(s, "--json");
}

static const char declaration[] =
    "{\"meridian_declaration\": 1, \"subject\": \"mine 1.2\", \"claims\": [{"
    "\"row\": \"rope\", \"outputs\": [\"y\"], \"types\": [\"f32\"], "
    "\"conventions\": [\"gpt-neox\", {\"layout\": \"half\", \"dim\": 64}], "
        "\"profile\": {\"phase\": \"f64\", \"table\": \"f32\", \"sum\": \"f32\"}, \"sizes\": {\"n\": [1, 9], "
    "\"d\": 64}, "
    "\"positions\": [0, 131071], "
        "\"known\": [{\"reason\": \"the fallback pairs neighbours\", "
    "\"params\": {\"layout\": \"half\"}, "
    "\"mistake\": \"interleaved\", \"cite\": \"owner/repo#7\"}]}]}";

static void declared(struct dice *d, struct script *s)
{
    script_tail(s, "file declaration.json", declaration, sizeof declaration - 1);
    for (uint64_t k = times(d); k; k--)
        damage_json(d, s, "declaration.json");
    script_add(s, "subject"), script_add(s, "env SUBJECT=right");
    static const char *const words[] = { "meridian", "judge", "./subject.so", "--declaration", "declaration.json",
        "--checks", "none" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        script_word(s, words[k]);
}

static void recipe(struct dice *d, struct script *s)
{
    static const char small[] =
        "title Errors\nseed = 1..2\nmeasure accuracy\nrow rope\nlength = 1 3 8..64 *4\ndim = 6 48\nn = 4\n"
        "lines = 1\nout = y\nmeasure accuracy\nrow shaw\nout = o\nn = 7\nm = 9\n"
        "memory = @m-@n\ntype = f32 bf16\nmeasure valid\nrow rope\nlimit = 30\n"
        "base = 500 10000\nfigure one x=base y=valid title=\"One\"\n";
    if (dice_one_in(d, 3))
        copy_one(d, s, "recipes", "", "its.recipe");
    else
        script_tail(s, "file its.recipe", small, sizeof small - 1);
    for (uint64_t k = times(d); k; k--)
        damage_line(d, s, "its.recipe");
    script_word(s, "meridian"), script_word(s, "sweep"), script_word(s, "its.recipe");
    static const char *const ways[] = { "--list", "--dump", "--out=new", "--emit=slurm", "--shard=0/3", "--jobs=2" };
    script_word(s, ways[dice_below(d, sizeof ways / sizeof *ways)]);
}

/* Tables that the program reads of its own data: a whole folder is the data of the run. */
static void tables(struct dice *d, struct script *s)
{
    static const struct { const char *folder, *verb, *more; } list[] = {
        { "names", "judge", "pack" }, { "mistakes", "check", "quick" }, { "golden", "golden", "--check" },
        { "classes", "power", "classes" }, { "models", "list", "" },
    };
    const size_t k = dice_below(d, sizeof list / sizeof *list);
    const struct row *r = pool_row(d);
    char path[100];
    script_add(s, "pack %s pack", r->name);
    script_add(s, "copy data/%s/%s.tsv its.tsv", list[k].folder, r->name);
    for (uint64_t n = times(d); n; n--)
        damage_line(d, s, "its.tsv");
    snprintf(path, sizeof path, "%s/%s.tsv", list[k].folder, r->name);
    script_add(s, "data its.tsv %s", path);
    script_word(s, "meridian"), script_word(s, list[k].verb);
    if (!strcmp(list[k].verb, "golden"))
        script_word(s, r->name);
    if (*list[k].more)
        script_word(s, list[k].more);
    if (!strcmp(list[k].verb, "check"))
        script_word(s, "--row"), script_word(s, r->name);
}

void make_data(struct dice *d, struct script *s)
{
    void (*const list[])(struct dice *, struct script *) = { declared, recipe, recipe, tables };
    list[dice_below(d, sizeof list / sizeof *list)](d, s);
}

void make_store(struct dice *d, struct script *s)
{
    static const char *const ways[][4] = {
        { "sweep", "store.db", "--dump" },
        { "sweep", "store.db", "--list" },
        { "merge", "store.db", "--out=new.db" },
        { "merge", "store.db", "other.db", "--out=new.db" },
        { "plot", "store.db", "--out=new" },
        { "sweep", "one.recipe", "--out=store" },
        { "judge", "own:scalar", "--row=alibi", "--baseline=store.db" },
    };
    static const char one[] =
        "measure valid\nrow rope\nlimit = 30\nbase = 500 10000\nfigure one x=base y=valid title=\"One\"\n";
    const size_t w = dice_below(d, sizeof ways / sizeof *ways);
    script_add(s, "store store.db");
    script_tail(s, "file one.recipe", one, sizeof one - 1);
    script_add(s, "store other.db");
    for (uint64_t k = times(d); k; k--)
        damage_bytes(d, s, "store.db");
    if (dice_one_in(d, 12))
        script_add(s, "become store.db %s", dice_word(d, "fifo folder gone full dangling loop"));
    script_word(s, "meridian");
    for (int k = 0; k < 4 && ways[w][k]; k++)
        script_word(s, ways[w][k]);
}
