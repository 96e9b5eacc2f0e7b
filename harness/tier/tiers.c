/* The parts of the suite's own run: own kernels, laws, planted mistakes; and beyond quick every table entry, the
 * goldens, recorded libraries. */
#include "pack/open.h"
#include "base/clock.h"
#include "tier/tiers.h"
#include "trial/valid.h"
#include <dirent.h>
#include <stdlib.h>
#include "compare/answers.h"
#include "tier/climb_tier.h"
#include "core/data.h"
#include "base/words.h"
#include "context/exhaust.h"
#include "golden/golden.h"
#include "power/kill.h"
#include "checks/core/probe.h"

const char *const part_name[PARTS] = { "mistakes", "long", "laws", "checks", "kernels", "tables", "goldens", "packs",
    "climb" };
/* The sizes that kernels are asked.  For each tier: { every so many presets of a row, others on another day, and twice
 * as many of a row that is asked alone (0: none), so many seeds }.  whole: the size in place of text for outputs that
 * are computed whole, those of a layer or a model, which are expensive and whose bounds are narrow only for inputs such
 * as a layer has; NULL: not asked. */
static const struct asked_at {
    const char *text;
    struct {
        int every, seeds;
    } of[TIERS];
    const char *whole;
} sizes[] = {
    /* more queries than keys; tails of vectors of 8 and 16 */
    { "n=17 m=9", { { 2, 1 }, { 1, 3 }, { 1, 400 } }, "n=17 m=9 small" },
    { "n=1 m=6 normal", { { 2, 1 }, { 1, 3 }, { 1, 400 } }, "n=3 m=5 small" }, /* one query: decoding */
    /* weights read out, shared key heads, tiles and their rests */
    { "n=40 m=33 h=4 g=2 probe", { { 4, 1 }, { 1, 1 }, { 1, 400 } } },
    /* the same tiles with as many key heads as heads, and weights all alike */
    { "n=40 m=33", { { 8, 1 }, { 1, 1 }, { 1, 400 } } },
    { "n=3 m=5 h=4 g=2", { { 8, 1 }, { 1, 3 }, { 1, 400 } } }, /* less than a vector */
    { "n=2 m=70", { { 8, 1 }, { 1, 3 }, { 1, 400 } } }, /* keys in several blocks */
    /* several tiles of queries, keys a power of two */
    { "n=129 m=64", { { 0, 0 }, { 4, 1 }, { 1, 400 } }, "n=40 m=33 small" },
    { "n=300 m=257", { { 0, 0 }, { 0, 0 }, { 1, 400 } } },
    { "n=1000 m=1024", { { 0, 0 }, { 0, 0 }, { 1, 400 } } },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

const char *plan_size(int size) { return size < SIZES ? sizes[size].text : NULL; }

static void kernel(struct sink *s, const struct tier_plan *p, const struct tier_unit *u, const struct subject *who,
    const struct mer_kernel *k, const char *size)
{
    for (int seed = 1; seed <= sizes[u->size].of[p->tier->level].seeds; seed++) {
        struct trial t;
        struct tally y;
        struct finding f;
        struct question q = { who, k, u->preset->text, NULL, size, (uint64_t)(seed + 10 * u->size), p->tier->lines };
        examine(&q, &t, &y, &f);
        trial_close(&t);
        sink_say(s, &f);
    }
}

static void kernels(struct sink *s, const struct tier_plan *p, const struct tier_unit *u)
{
    for (int type = 0; type < MER_TYPES; type++) /* those of one type are asked the same */
        for (int o = 0; o < p->slots; o++)
            for (const struct mer_kernel *k = p->who[o].kernel; k->row; k++)
                if (!strcmp(k->row, u->row) && type_named(k->type) == type) {
                    const char *size =
                        valid_whole(row_named(u->row), k->out) ? sizes[u->size].whole : sizes[u->size].text;
                    if (size)
                        kernel(s, p, u, &p->who[o], k, size);
                }
}

static void checks(struct sink *s, const struct tier_plan *p, const struct tier_unit *u)
{
    for (int o = 0; o < p->slots; o++) {
        struct checking k = { .who = &p->who[o],
            .names = p->checks,
            .row = u->row,
            .preset = u->preset ? u->preset->name : NULL,
            .with = "",
            .seed = (uint64_t)o + 1,
            .every = u->preset ? 1 : 16,
            .own = true };
        checks_ask(s, &k);
    }
}

static void decode_row(struct sink *s, const struct tier_plan *p)
{
    struct trial t;
    struct tally y;
    struct finding f = {
        .word = SKIPPED, .subject = "own", .row = "attention", .quantity = "o lse", .reason = "no kernel for it here"
    };
    for (int o = p->slots; o-- && f.word == SKIPPED;)
        for (const struct mer_kernel *k = p->who[o].kernel; k->row && f.word == SKIPPED; k++)
            if (!strcmp(k->row, "attention") && !strcmp(k->type, "f32")) {
                struct question q = { &p->who[o], k, "", NULL, "h=8 g=1 n=1 m=131072 d=64 e=64", 1,
                    p->tier->recorded ? p->tier->lines : 1 };
                examine(&q, &t, &y, &f);
                trial_close(&t);
            }
    f.id = "128k decode row";
    sink_say(s, &f);
}

/* A diagnosis is the dear part: of so many mistakes of a row one is named in `check quick`, others on other days. */
enum { NAMED_OF = 3 };

static void mistakes(struct sink *s, const struct tier_plan *p, const struct tier_unit *u)
{
    const bool whole = p->matrix || p->tier->recorded;
    const long every = whole || p->row ? 1 : NAMED_OF;
    struct finding f = { .word = PASS, .subject = "mistakes", .row = u->row, .quantity = "kill",
        .method = every == 1 ? "all" : "sample" };
    char *text = NULL;
    size_t n = 0;
    double start = now();
    FILE *to = need_stream(&text, &n);
    int bad = kill_matrix(to, row_named(u->row), whole, every, climb_tier_seed());
    fclose(to);
    if (bad) {
        f.word = bad < 0 ? SKIPPED : FAILED;
        snprintf(f.reason, sizeof f.reason,
            bad < 0 ? "no data/mistakes/%s.tsv" :
                      "mistakes of %s that survive, or are nowhere named as themselves: %d (--kill shows them)",
            u->row, bad);
    }
    f.seconds = now() - start;
    if (p->matrix && text)
        printf("%s\n", text);
    free(text);
    sink_say(s, &f);
}

static void table(struct sink *s, const char *row, const struct preset *p, int type, long limit)
{
    enum { RECHECK = 10000 }; /* random entries asked of MPFR, whatever the double-doubles said */
    struct exhaust x;
    struct finding f = { .word = PASS,
        .subject = "libmeridian",
        .row = row,
        .quantity = "cos sin",
        .id = type_name[type],
        .method = "exhaustive" };
    snprintf(f.params, sizeof f.params, "%s", p->text);
    if (exhaust_run(row, p->text, limit, type, RECHECK, &x)) {
        f.word = SKIPPED;
        snprintf(f.reason, sizeof f.reason, "%s", x.err);
    } else {
        f.word = x.wrong || x.recheck_wrong || !(x.ulp <= 0.5) ? FAILED : x.open ? UNDECIDED_VERDICT : PASS;
        snprintf(f.reason, sizeof f.reason,
            "%lld entries below position %ld, worst %.12g ulp at position %lld, pair %ld, %s (%a); %lld wrong, %lld "
            "left open; of %lld random entries asked again %lld wrong",
            (long long)x.entries, limit, x.ulp, (long long)x.pos, x.k, x.sine ? "sin" : "cos", x.got,
            (long long)x.wrong, (long long)x.open, (long long)x.rechecked, (long long)x.recheck_wrong);
    }
    f.seconds = x.seconds;
    sink_say(s, &f);
}

static void goldens(struct sink *s, const struct tier_unit *u)
{
    struct finding f = { .word = PASS, .subject = "data/golden", .row = u->row, .quantity = "golden", .method = "all" };
    double start = now();
    int rc = golden_check(u->row, f.reason, sizeof f.reason);
    f.word = rc < 0 ? FAILED : rc ? PASS : SKIPPED;
    f.seconds = now() - start;
    sink_say(s, &f);
}

static void pack(struct sink *s, const char *name, const char *row, const struct tier *tier)
{
    char path[700];
    char folder[600], err[900] = "";
    struct subject who;
    struct trial t;
    int got;
    snprintf(path, sizeof path, "%s/%s", data_path("peers", folder, sizeof folder), name);
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
            examine_case(&(struct pack_case){ &who, got, err, tier->lines, .planted = true }, &t, &y, &f, &match);
            sink_say(s, &f);
        }
        trial_close(&t);
        if (got < 0)
            break;
    }
    who.close(&who);
}

static void part(struct sink *s, long k, void *with)
{
    const struct tier_plan *p = with;
    const struct tier_unit *u = &p->unit[k];
    switch (u->part) {
    case MISTAKES: mistakes(s, p, u); break;
    case LONG: decode_row(s, p); break;
    case LAWS: examine_law(s, u->row, u->law, p->tier->laws); break;
    case CHECKS: checks(s, p, u); break;
    case KERNELS: kernels(s, p, u); break;
    case TABLES: table(s, u->row, u->preset, u->type, p->tier->limit); break;
    case GOLDENS: goldens(s, u); break;
    case CLIMB: climb_tier(s, p->row, (double)p->tier->climb); break;
    default: pack(s, u->pack, p->row, p->tier);
    }
}

static const char *part_says(long k, void *with)
{
    static char text[200];
    const struct tier_unit *u = &((const struct tier_plan *)with)->unit[k];
    snprintf(text, sizeof text, "%s %s %.60s", part_name[u->part], *u->pack ? u->pack : u->row,
        u->law        ? u->law->says :
            u->preset ? u->preset->name :
                        "");
    return text;
}

void plan_run(struct tier_plan *p, struct sink *s, int hands, struct spent *spent)
{
    crew_run(s, p->n, hands, part, part_says, p, spent);
}

static void add(struct tier_plan *p, struct tier_unit u)
{
    if (p->row && strcmp(p->row, u.row) && u.part != PACKS)
        return;
    if ((p->n & (p->n - 1)) == 0) /* 0, or full */
        p->unit = need_more(p->unit, p->n ? 2 * (size_t)p->n : 1, sizeof *p->unit);
    p->unit[p->n++] = u;
}

/* Is the k-th preset of a row asked at size z? */
static bool is_asked(const struct tier_plan *p, long k, int z)
{
    const int every = sizes[z].of[p->tier->level].every;
    return every && (every == 1 || (k + z + climb_tier_seed()) % (p->row ? every / 2 : every) == 0);
}

static void add_kernels(struct tier_plan *p, const char *row)
{
    bool any = false;
    for (int o = 0; o < p->slots; o++)
        for (const struct mer_kernel *k = p->who[o].kernel; k->row && !any; k++)
            any = !strcmp(k->row, row);
    const struct preset *first = row_named(row)->presets;
    for (const struct preset *q = first; any && q->name; q++)
        for (int z = 0; z < SIZES; z++) {
            if (p->row && strcmp(p->row, row))
                continue;
            p->of++;
            if (is_asked(p, q - first, z))
                add(p, (struct tier_unit){ .part = KERNELS, .row = row, .preset = q, .size = z }), p->asked++;
        }
}

static void add_checks(struct tier_plan *p, const char *row)
{
    bool any = false;
    for (const struct check *const *c = all_checks; *c && strcmp(p->checks, "none"); c++)
        for (const struct quantity *q = row_named(row)->q; q->sign && !any; q++) {
            struct sign s;
            sign_read(&s, q->sign);
            any = check_asks(*c, row, s.out.name);
        }
    for (const struct preset *q = row_named(row)->presets; any && p->tier->recorded && q->name; q++)
        add(p, (struct tier_unit){ .part = CHECKS, .row = row, .preset = q });
    if (any && !p->tier->recorded)
        add(p, (struct tier_unit){ .part = CHECKS, .row = row });
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void add_packs(struct tier_plan *p, struct sink *s)
{
    enum { PACKS_MOST = 64 };
    char path[600], names[PACKS_MOST][64];
    size_t n = 0;
    struct dirent *e;
    DIR *d = opendir(data_path("peers", path, sizeof path));
    while (d && (e = readdir(d)) && n < PACKS_MOST)
        if (!strchr(e->d_name, '.')) /* tables and . and .. have one */
            snprintf(names[n++], sizeof *names, "%.63s", e->d_name);
    if (d)
        closedir(d);
    qsort(names, n, sizeof *names, by_name);
    for (size_t k = 0; k < n; k++) {
        struct tier_unit u = { .part = PACKS, .row = "*" };
        memcpy(u.pack, names[k], sizeof u.pack);
        add(p, u);
    }
    if (!n) {
        struct finding f = { .word = SKIPPED, .subject = "data/peers", .row = "*", .quantity = "*" };
        snprintf(f.reason, sizeof f.reason, "no recorded packs here");
        sink_say(s, &f);
    }
}

static void open_slots(struct tier_plan *p, struct sink *s)
{
    char err[600], name[40];
    int n = 0;
    for (const struct slot *o = slots; o->name; o++)
        n++;
    p->who = need((size_t)n + 1, sizeof *p->who);
    for (const struct slot *o = slots, *last = NULL; o->name; last = o, o++) {
        if (last && !strcmp(last->name, o->name)) /* one subject holds the kernels of all rows */
            continue;
        snprintf(name, sizeof name, "own:%s", o->name);
        if (o->here() && !subject_open(&p->who[p->slots], name, err, sizeof err)) {
            p->who[p->slots++].answers = p->answers;
            continue;
        }
        struct finding f = { .word = SKIPPED, .subject = name, .row = "*", .quantity = "*" };
        snprintf(f.reason, sizeof f.reason, "this machine has no %s, or MERIDIAN_ISA masks it", o->name);
        sink_say(s, &f);
    }
}

void plan_open(struct tier_plan *p, struct sink *s)
{
    static const char *const tabled[] = { "rope", "sinusoid" };
    static const int types[] = { MER_F32, MER_F16, MER_BF16 };
    p->answers = answers_open();
    open_slots(p, s);
    add(p, (struct tier_unit){ .part = CLIMB, .row = p->row ? p->row : "*" });
    for (const struct row *const *r = all_rows; *r; r++)
        add(p, (struct tier_unit){ .part = MISTAKES, .row = (*r)->name });
    add(p, (struct tier_unit){ .part = LONG, .row = "attention" });
    if (p->tier->recorded)
        add_packs(p, s);
    for (int r = 0; r < 2 && p->tier->limit; r++)
        for (const struct preset *q = row_named(tabled[r])->presets; q->name; q++)
            for (int t = 0; t < 3; t++)
                add(p, (struct tier_unit){ .part = TABLES, .row = tabled[r], .preset = q, .type = types[t] });
    for (const struct row *const *r = all_rows; *r && p->tier->recorded; r++)
        add(p, (struct tier_unit){ .part = GOLDENS, .row = (*r)->name });
    for (const struct laws *l = all_laws; l->row; l++)
        for (const struct law *one = l->law; one->says; one++)
            add(p, (struct tier_unit){ .part = LAWS, .row = l->row, .law = one });
    for (const struct row *const *r = all_rows; *r; r++)
        add_checks(p, (*r)->name);
    for (const struct row *const *r = all_rows; *r; r++)
        add_kernels(p, (*r)->name);
}

void plan_close(struct tier_plan *p)
{
    for (int o = 0; o < p->slots; o++)
        p->who[o].close(&p->who[o]);
    free(p->who), free(p->unit), answers_close(p->answers);
}
