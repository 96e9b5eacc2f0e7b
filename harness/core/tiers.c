/* The parts of the suite's own run: own kernels, laws, planted mistakes; and beyond quick every table entry, the goldens, recorded libraries. */
#include "tiers.h"
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
#include "data.h"
#include "exhaust.h"
#include "golden.h"
#include "kill.h"

static const char *const sizes[] = { "n=17 m=9", "n=1 m=6 normal", "n=40 m=33 h=4 g=2 probe", "n=40 m=33", "n=3 m=5 h=4 g=2", "n=2 m=70", "n=129 m=64", "n=300 m=257", "n=1000 m=1024" };

static bool other(const char *only, const char *row) { return only && strcmp(only, row); }

static void progress(const char *what, const char *row)
{
    if (isatty(2))
        fprintf(stderr, "\r\033[K%s %s", what, row ? row : "");
}

void check_kernels(struct sink *s, const char *row, const struct tier *tier, int half)
{
    char err[600], name[40];
    int pair = 0;
    for (const struct slot *o = slots, *last = NULL; o->name; last = o, o++) {
        struct subject who;
        if (last && !strcmp(last->name, o->name)) /* one subject holds the kernels of all rows */
            continue;
        snprintf(name, sizeof name, "own:%s", o->name);
        if (!o->here() || subject_open(&who, name, err, sizeof err)) {
            struct finding f = { .word = SKIPPED, .subject = name, .row = "*", .quantity = "*" };
            snprintf(f.reason, sizeof f.reason, "this machine has no %s, or MERIDIAN_ISA masks it", o->name);
            if (half == 0)
                sink_say(s, &f);
            continue;
        }
        for (const struct mer_kernel *k = who.kernel; k->row; k++) {
            progress(name, k->row);
            for (const struct preset *p = row_named(k->row)->presets; p->name && !other(row, k->row); p++)
                for (int z = 0, mine = pair++ % 2 == half; mine && z < tier->sizes; z++)
                    for (int seed = 1; seed <= tier->seeds; seed++) {
                        struct trial t;
                        struct tally y;
                        struct finding f;
                        struct question q = { &who, k, p->text, NULL, sizes[z], (uint64_t)(seed + 10 * z), tier->lines };
                        examine(&q, &t, &y, &f);
                        trial_close(&t);
                        sink_say(s, &f);
                    }
        }
        who.close(&who);
    }
    progress("", NULL);
}

void check_long(struct sink *s, const char *row, const struct tier *tier)
{
    char err[600], name[40];
    struct subject who;
    struct trial t;
    struct tally y;
    struct finding f = { .word = SKIPPED, .subject = "own", .row = "attention", .quantity = "o lse", .reason = "no kernel for it here" };
    const struct slot *o = slots;
    while (o->name)
        o++;
    progress("128k decode row", NULL);
    while (!other(row, "attention") && o-- != slots && f.word == SKIPPED) {
        snprintf(name, sizeof name, "own:%s", o->name);
        if (!o->here() || subject_open(&who, name, err, sizeof err))
            continue;
        for (const struct mer_kernel *k = who.kernel; k->row && f.word == SKIPPED; k++)
            if (!strcmp(k->row, "attention") && !strcmp(k->type, "f32")) {
                struct question q = { &who, k, "", NULL, "h=8 g=1 n=1 m=131072 d=64 e=64", 1, tier->recorded ? tier->lines : 1 };
                examine(&q, &t, &y, &f);
                trial_close(&t);
            }
        f.id = "128k decode row";
        if (f.word != SKIPPED)
            sink_say(s, &f);
        who.close(&who);
    }
    if (f.word == SKIPPED && !other(row, "attention"))
        sink_say(s, &f);
    progress("", NULL);
}

void check_laws(struct sink *s, const char *row, const struct tier *tier)
{
    for (const struct laws *l = all_laws; l->row; l++)
        for (const struct law *one = l->law; one->says && !other(row, l->row); one++) {
            progress("law", l->row);
            examine_law(s, l->row, one, tier->laws);
        }
    progress("", NULL);
}

void check_mistakes(struct sink *s, const char *row, FILE *matrix)
{
    for (const struct row *const *r = all_rows; *r; r++) {
        struct finding f = { .word = PASS, .subject = "mistakes", .row = (*r)->name, .quantity = "kill", .method = "all" };
        char *text = NULL;
        size_t n = 0;
        if (other(row, (*r)->name))
            continue;
        progress("mistakes of", (*r)->name);
        double start = now();
        FILE *to = need_stream(&text, &n);
        int bad = kill_matrix(to, *r);
        fclose(to);
        if (bad) {
            f.word = bad < 0 ? SKIPPED : FAILED;
            snprintf(f.reason, sizeof f.reason, bad < 0 ? "no data/mistakes/%s.tsv" : "mistakes of %s that survive, or are nowhere named as themselves: %d (--kill shows them)", (*r)->name, bad);
        }
        f.seconds = now() - start;
        progress("", NULL);
        if (matrix && text)
            fprintf(matrix, "%s\n", text);
        free(text);
        sink_say(s, &f);
    }
}

static void table(struct sink *s, const char *row, const struct preset *p, int type, long limit)
{
    enum { RECHECK = 10000 }; /* random entries asked of MPFR, whatever the double-doubles said */
    struct exhaust x;
    struct finding f = { .word = PASS, .subject = "libmeridian", .row = row, .quantity = "cos sin", .id = type_name[type], .method = "exhaustive" };
    snprintf(f.params, sizeof f.params, "%s", p->text);
    if (exhaust_run(row, p->text, limit, type, RECHECK, &x)) {
        f.word = SKIPPED;
        snprintf(f.reason, sizeof f.reason, "%s", x.err);
    } else {
        f.word = x.wrong || x.recheck_wrong || !(x.ulp <= 0.5) ? FAILED : x.open ? UNDECIDED_VERDICT : PASS;
        snprintf(f.reason, sizeof f.reason, "%lld entries below position %ld, worst %.12g ulp at position %lld, pair %ld, %s (%a); %lld wrong, %lld left open; of %lld random entries asked again %lld wrong", (long long)x.entries, limit, x.ulp,
            (long long)x.pos, x.k, x.sine ? "sin" : "cos", x.got, (long long)x.wrong, (long long)x.open, (long long)x.rechecked, (long long)x.recheck_wrong);
    }
    f.seconds = x.seconds;
    sink_say(s, &f);
}

void check_tables(struct sink *s, const char *row, const struct tier *tier)
{
    static const char *const rows[] = { "rope", "sinusoid" };
    static const int types[] = { MER_F32, MER_F16, MER_BF16 };
    for (int r = 0; r < 2; r++)
        for (const struct preset *p = row_named(rows[r])->presets; p->name && !other(row, rows[r]); p++)
            for (int t = 0; t < 3; t++) {
                progress("every entry of", p->name);
                table(s, rows[r], p, types[t], tier->limit);
            }
    progress("", NULL);
}

void check_goldens(struct sink *s, const char *row)
{
    for (const struct row *const *r = all_rows; *r; r++) {
        struct finding f = { .word = PASS, .subject = "data/golden", .row = (*r)->name, .quantity = "golden", .method = "all" };
        if (other(row, (*r)->name))
            continue;
        progress("golden", (*r)->name);
        double start = now();
        int rc = golden_check((*r)->name, f.reason, sizeof f.reason);
        f.word = rc < 0 ? FAILED : rc ? PASS : SKIPPED;
        f.seconds = now() - start;
        sink_say(s, &f);
    }
    progress("", NULL);
}

static void pack(struct sink *s, const char *path, const char *row, const struct tier *tier)
{
    char err[900] = "";
    struct subject who;
    struct trial t;
    int got;
    if (subject_open(&who, path, err, sizeof err)) {
        struct finding f = { .word = FAILED, .subject = path, .row = "?", .quantity = "?" };
        snprintf(f.reason, sizeof f.reason, "%.590s", err);
        sink_say(s, &f);
        return;
    }
    while ((got = who.next(&who, &t, err, sizeof err)) != 0) {
        struct finding f;
        struct tally y;
        struct mistake match;
        if (!row || (t.row && !strcmp(t.row->name, row))) {
            examine_case(&who, &t, got, err, tier->lines, true, &y, &f, &match);
            sink_say(s, &f);
        }
        trial_close(&t);
        if (got < 0)
            break;
    }
    who.close(&who);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

void check_packs(struct sink *s, const char *row, const struct tier *tier)
{
    enum { PACKS = 64 };
    char path[600], names[PACKS][64], one[1400];
    size_t n = 0;
    struct dirent *e;
    DIR *d = opendir(data_path("peers", path, sizeof path));
    while (d && (e = readdir(d)) && n < PACKS)
        if (!strchr(e->d_name, '.')) /* tables and . and .. have one */
            snprintf(names[n++], sizeof *names, "%.63s", e->d_name);
    if (d)
        closedir(d);
    qsort(names, n, sizeof *names, by_name);
    for (size_t k = 0; k < n; k++) {
        snprintf(one, sizeof one, "%.600s/%.63s", path, names[k]);
        progress("recorded", names[k]);
        pack(s, one, row, tier);
    }
    progress("", NULL);
    if (!n) {
        struct finding f = { .word = SKIPPED, .subject = "data/peers", .row = "*", .quantity = "*" };
        snprintf(f.reason, sizeof f.reason, "no recorded packs here");
        sink_say(s, &f);
    }
}
