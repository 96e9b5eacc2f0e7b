/* Words, drawn from the tables that the program itself reads. */
#include "pool.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/cli.h"
#include "core/data.h"
#include "kernels.h"
#include "checks/core/probe.h"

const struct row *pool_row(struct dice *d)
{
    uint64_t n = 0;
    while (all_rows[n])
        n++;
    return all_rows[dice_below(d, n)];
}

const char *pool_output(struct dice *d, const struct row *r)
{
    static struct sign s;
    uint64_t n = 0;
    while (r->q[n].sign)
        n++;
    sign_read(&s, r->q[dice_below(d, n)].sign);
    return s.out.name;
}

static const char *preset(struct dice *d, const struct preset *list)
{
    uint64_t n = 0;
    while (list && list[n].name)
        n++;
    return n ? list[dice_below(d, n)].name : "paper";
}

static void step(struct dice *d, struct bytes *t, const struct row *r)
{
    static const char formats[] = "f32 f64 f16 bf16 exact f64:2 f32:1.5 f32/h20 f32/lanes16 f31 f32:";
    size_t len;
    int n = 0;
    while (row_step(r, n, &len))
        n++;
    const char *s = n ? row_step(r, (int)dice_below(d, (uint64_t)n), &len) : NULL;
    bytes_say(t, "%.*s=%s", s ? (int)len : 3, s ? s : "sum", dice_word(d, formats));
}

static const char *check(struct dice *d)
{
    uint64_t n = 0;
    while (all_checks[n])
        n++;
    return all_checks[dice_below(d, n)]->name;
}

void pool_name(struct dice *d, struct bytes *t, const struct row *r)
{
    struct sign s;
    switch (dice_below(d, 12)) {
    case 0: bytes_say(t, "%s", r->name); break;
    case 1: case 2: bytes_say(t, "%s", pool_output(d, r)); break;
    case 3: bytes_say(t, "%s", preset(d, r->presets)); break;
    case 4: bytes_say(t, "%s", preset(d, r->contracts)); break;
    case 5: pool_params(d, t, r); break;
    case 6: step(d, t, r); break;
    case 7: bytes_say(t, "%s", check(d)); break;
    case 8: bytes_say(t, "%s", dice_word(d, "f64 f32 f16 bf16 i64 all none quick full")); break;
    case 9: bytes_say(t, "%s=%d m=%d", dice_word(d, "n h d e m"), (int)dice_below(d, 9), (int)dice_below(d, 9)); break;
    case 10: bytes_say(t, "%s %s", pool_output(d, r), pool_output(d, r)); break;
    default:
        sign_read(&s, r->q[0].sign);
        bytes_say(t, "%s", s.n_in ? s.in[dice_below(d, (uint64_t)s.n_in)].name : "pos");
    }
}

void pool_param(struct dice *d, struct bytes *t, const struct param *p)
{
    if (dice_one_in(d, 5))
        pool_extreme(d, t);
    else if (p->choices && !dice_one_in(d, 6))
        bytes_say(t, "%s", dice_word(d, p->choices));
    else if (dice_one_in(d, 3))
        bytes_say(t, "%s", p->value);
    else
        pool_number(d, t);
}

void pool_params(struct dice *d, struct bytes *t, const struct row *r)
{
    uint64_t n = 0;
    while (row_params(r)[n].name)
        n++;
    for (uint64_t k = 0, times = n ? 1 + dice_below(d, 3) : 0; k < times; k++) {
        const struct param *p = &row_params(r)[dice_below(d, n)];
        bytes_say(t, "%s%s=", k ? " " : "", p->name);
        pool_param(d, t, p);
    }
}

void pool_number(struct dice *d, struct bytes *t)
{
    static const char usual[] =
        "0 1 2 3 4 5 6 7 8 16 58 64 96 128 247 1000 4096 131072 1.5 0.5 10000 500000 1/3 1e3 2^20";
    const int times = dice_one_in(d, 6) ? 1 + (int)dice_below(d, 5) : 1;
    for (int k = 0; k < times; k++)
        bytes_say(t, "%s%s%s", k ? "," : "", dice_one_in(d, 10) ? "-" : "", dice_word(d, usual));
}

void pool_extreme(struct dice *d, struct bytes *t)
{
    static const char *const list[] = {
        "", " ", "-", "--", "-1", "00", "+1", "1e400", "-1e400", "1e-400", "nan", "-nan", "inf", "-inf", "infinity",
            "0x10", "1/0", "0/0", "1/3/5", "2^63", "2^-1",
        "2147483647", "2147483648", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
            "-9223372036854775808", "18446744073709551616",
        "99999999999999999999999999", "1e999999999", "1/99999999999999999999", "\xc3\xa9", "\xe4\xb8\xad\xe6\x96\x87",
            "\xff\xfe", "\xf0\x9f\x98\x80", "\x01", "\x1b[31m", "a\nb", "\n", "\t",
        "a\rb", "\x7f", "%s%n%d", "%999999d", "=", "a=b", "a=", "=b", ",", ",,", "1,", ",1", "1,,2", "dim=8 dim=8",
            "dim", "'", "\"", "\\", "`", "$x", ";", "|", "*", "?", "[", "{", "{}", "[]",
        "null", "true", "None", "1 2", "1;2", "..", "...", "/", "nosuch", "banana", "-o", "--out", "--help",
            "\xc0\x80", "\xed\xa0\x80", "e", ".", "-.", "1.", ".5", "1e", "1e+", "0e0",
    };
    static const struct { char byte; size_t n; } long_ones[] = { { 'a', 300 }, { '9', 300 }, { 'a', 5000 }, { '9',
        70000 }, { ',', 200 }, { '[', 3000 }, { '-', 100 }, { '\xff', 200 }, { ' ', 500 }, { '/', 5000 }, { '.',
        2000 } };
    const uint64_t n = sizeof list / sizeof *list, m = sizeof long_ones / sizeof *long_ones, k = dice_below(d, n + m);
    if (k < n)
        bytes_put(t, list[k], strlen(list[k]));
    else
        for (size_t b = 0; b < long_ones[k - n].n; b++)
            bytes_put(t, &long_ones[k - n].byte, 1);
}

/* A file of a folder of data/, "models/llama.json". */
static bool a_file_of(struct dice *d, const char *folder, struct bytes *t)
{
    char path[PATH_MAX];
    struct dirent **list = NULL;
    int n = scandir(data_path(folder, path, sizeof path), &list, NULL, alphasort), from = 0;
    while (from < n && *list[from]->d_name == '.')
        from++;
    if (n > from)
        bytes_say(t, "%s/%s", folder, list[from + (int)dice_below(d, (uint64_t)(n - from))]->d_name);
    for (int k = 0; k < n; k++)
        free(list[k]);
    free(list);
    return n > from;
}

void pool_path(struct dice *d, struct bytes *t, struct script *s)
{
    static const char *const folders[] = { "models", "recipes", "mistakes", "golden", "peers" };
    static const char *const new[] = { "new", "new.db", "new.xml", "new.json", "new.md", "new.tar", "missing/new.xml",
        "missing/new.db", ".", "/", "/dev/null", "/proc/nonexistent/x", "", "new/" };
    struct bytes from = { 0 };
    switch (dice_below(d, 12)) {
    case 0: script_add(s, "fifo fifo"); bytes_say(t, "fifo"); break;
    case 1: script_add(s, "folder folder"); bytes_say(t, "folder"); break;
    case 2: script_add(s, "link dangling nowhere"); bytes_say(t, "dangling"); break;
    case 3: script_add(s, "link loop loop"); bytes_say(t, "loop"); break;
    case 4: bytes_say(t, "/dev/full"); break;
    case 5: script_add(s, "store store.db"); bytes_say(t, "store.db"); break;
    case 6: script_add(s, "pack %s pack", pool_row(d)->name); bytes_say(t, "pack"); break;
    case 7: script_add(s, "file words some words\\x0a"); bytes_say(t, "words"); break;
    case 8: case 9:
        if (a_file_of(d, folders[dice_below(d, sizeof folders / sizeof *folders)], &from)) {
            const char *dot = strrchr(from.s, '.');
            const char *name = dot && strlen(dot) < 9 && isalpha((unsigned char)dot[1]) ? dot + 1 : "folder";
            script_add(s, "copy data/%s its.%s", from.s, name);
            bytes_say(t, "its.%s", name);
        }
        break;
    default: bytes_say(t, "%s", new[dice_below(d, sizeof new / sizeof *new)]);
    }
    free(from.s);
}

static void subject_file(struct dice *d, struct script *s, struct bytes *t)
{
    static const char *const ways[] = { "env SUBJECT=", "env SUBJECT=run:exit", "env SUBJECT=load:abort",
        "env SUBJECT=run:hang" };
    script_add(s, "%s", ways[dice_below(d, sizeof ways / sizeof *ways)]);
    script_add(s, "subject");
    bytes_say(t, "./subject.so");
}

void pool_subject(struct dice *d, struct bytes *t, struct script *s)
{
    static const char slots_of[] = "own own:scalar own:scalar own:avx2 own:avx512 own:mmx own: own:scalar:x ownership";
    switch (dice_below(d, 8)) {
    case 0: subject_file(d, s, t); break;
    case 1: script_add(s, "pack %s pack", pool_row(d)->name); bytes_say(t, "pack"); break;
    case 2: pool_path(d, t, s); break;
    default: bytes_say(t, "%s", dice_word(d, slots_of));
    }
}

static void command(struct dice *d, struct bytes *t, struct script *s)
{
    static const char *const list[] = { "./subject", "./subject", "true", "false", "", "exit 5", "cat",
        "nosuch-command", "sleep 60", "yes", "kill -9 $$", "./subject x", "echo '{\"status\":0}'", "exec ./subject" };
    script_add(s, "subject");
    bytes_say(t, "%s", list[dice_below(d, sizeof list / sizeof *list)]);
}

void pool_value(struct dice *d, struct bytes *t, const char *value, const struct row *r, struct script *s)
{
    value += strspn(value, "'\"[");
    if (dice_one_in(d, 5))
        pool_extreme(d, t);
    else if (!strncmp(value, "ROW", 3))
        bytes_say(t, "%s", r->name);
    else if (!strncmp(value, "FILE", 4) || !strncmp(value, "DIR", 3) || !strncmp(value, "CONFIG", 6))
        pool_path(d, t, s);
    else if (!strncmp(value, "COMMAND", 7))
        command(d, t, s);
    else if (!strncmp(value, "SUBJECT", 7))
        pool_subject(d, t, s);
    else if (!strncmp(value, "QUANTITY", 8))
        bytes_say(t, "%s", pool_output(d, r));
    else if (isdigit((unsigned char)*value) || !strcmp(value, "N") || !strcmp(value, "i/n"))
        dice_one_in(d, 12) ? pool_name(d, t, r) : pool_number(d, t), bytes_say(t, "%s", strcmp(value, "i/n") ? ""
            : "/3");
    else if (islower((unsigned char)*value) && !dice_one_in(d, 3))
        bytes_say(t, "%.*s", (int)strcspn(value, "|]'\" "), value);
    else
        pool_name(d, t, r);
}
