/* Sizes of kernels that declare none: whatever rule a kernel declines by, sizes that it takes are found, and the design
 * asks those that it takes and no others. */
#include <criterion/criterion.h>
#include "command.h"
#include "design/cover.h"
#include "design/narrow.h"
#include "design/offered.h"

/* A kernel that answers where the extents of its letters hold a rule.  all: the letters; multiple, only: what each
 * extent is (0: anything); equal: all are the same. */
struct rule { const char *all; long multiple, only; bool equal; };
static struct rule rule;
static long asked;

/* The extent of a letter in a call of the quantity that the kernel k offers. */
static long extent_of(const struct mer_kernel *k, const struct mer_call *c, char letter)
{
    char name[32];
    struct sign s;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(k->out, " "), k->out);
    sign_read(&s, row_quantity(row_named(k->row), name)->sign);
    for (int i = 0; i < s.n_in; i++) {
        const struct mer_array *a = mer_in(c, s.in[i].name);
        for (int x = 0; a && x < s.in[i].rank; x++)
            if (s.in[i].axis[x] == letter)
                return a->dim[x];
    }
    return 0;
}

static int run(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    (void)s, (void)why, (void)n;
    asked++;
    const long first = extent_of(k, c, *rule.all);
    for (const char *l = rule.all; *l; l++) {
        const long x = extent_of(k, c, *l);
        if ((rule.equal && x != first) || (rule.multiple && x % rule.multiple) || (rule.only && x != rule.only))
            return MER_SKIP;
    }
    return MER_OK;
}

static bool takes(void *of, const char *sizes)
{
    const struct declared *c = of;
    const struct mer_kernel k[2] = { { .row = c->row->name, .out = c->outs, .type = "f32" } };
    const struct subject who = { .kernel = k, .run = run };
    return offered_at(&who, k, c->outs, c->found, sizes);
}

/* Finds the sizes of a kernel of the row's first output under `rule`; the design is narrowed to them in *c.  false: the
 * usual ones are taken, or none. */
static bool found(const struct row *r, struct cover *c, struct declaration *d)
{
    struct sign s;
    static char outs[32];
    sign_read(&s, r->q[0].sign);
    snprintf(outs, sizeof outs, "%s", s.out.name);
    const struct mer_kernel k[2] = { { .row = r->name, .out = outs, .type = "f32" } };
    const struct subject who = { .kernel = k, .run = run };
    const struct asked all = { .found = d };
    *d = (struct declaration){ 0 };
    offered_find(&all, &who, k);
    cover_open(c, r, r->presets, outs, MER_F32, NULL);
    if (d->n)
        narrow(c, d->claim->size, d->claim->n_sizes, takes, d->claim);
    return d->n;
}

/* Writes the narrowed choice of a letter, "d=e=64,128". */
static const char *levels_of(const struct cover *c, char letter)
{
    static char text[400];
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < c->n; k++)
        if (c->choice[k].kind == OF_LETTER && strchr(c->choice[k].name, letter)) {
            for (const char *l = c->choice[k].name; *l; l++)
                at += (size_t)snprintf(text + at, sizeof text - at, "%c=", *l);
            for (int x = 0; x < c->choice[k].n; x++)
                at += (size_t)snprintf(text + at, sizeof text - at, x ? ",%ld" : "%ld", c->choice[k].level[x]);
        }
    return text;
}

Test(offered, sizes_are_found_and_the_design_has_no_others)
{
    static const struct { const char *row; struct rule rule; const char *sizes, *letter, *levels; } list[] = {
        { "attention", { "de", .equal = true }, "d=8 e=8", "d", "d=e=1,2,3,4,7,8,13,16,17,24,32,33,64,67,128,256" },
        { "attention", { "de", .only = 64 }, "d=64 e=64", "e", "d=e=64" },
        { "attention", { "de", .multiple = 16 }, "d=16 e=16", "d", "d=16,32,64,128,256" },
        { "attention", { "de", .multiple = 64, .equal = true }, "d=64 e=64", "d", "d=e=64,128,256" },
        { "attention", { "d", .only = 128 }, "d=128 e=128", "e", "e=1,2,3,4,7,8,13,16,17,24,32,33,64,67,128,256" },
        { "attention", { "n", .only = 1 }, "n=1", "n", "n=1" },
        { "attention", { "nm", .multiple = 64 }, "n=64 m=64", "m", "m=64,128,192,256" },
        { "attention", { "hg", .equal = true }, "h=2 g=2", "d", "d=1,2,3,4,7,8,13,16,17,24,32,33,64,67,128,256" },
        { "gateddelta", { "de", .only = 128 }, "d=128 e=128", "d", "d=e=128" },
        { "rope", { "n", .multiple = 16 }, "n=16", "n", "n=16,32,64,128,192,256" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct cover c;
        struct declaration d;
        char sizes[100] = "";
        rule = list[k].rule;
        cr_assert(found(row_named(list[k].row), &c, &d), "%zu", k);
        for (int i = 0; i < d.claim->n_sizes; i++)
            snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%c=%ld", i ? " " : "",
                d.claim->size[i].letter, d.claim->size[i].least);
        cr_expect_str_eq(sizes, list[k].sizes, "%zu", k);
        cr_expect_str_eq(levels_of(&c, *list[k].letter), list[k].levels, "%zu", k);
        cover_close(&c), declaration_close(&d);
    }
}

/* The widths of the row's first output that can be chosen alone. */
static const char *widths_of(const struct row *r)
{
    static char widths[COVER_CHOICES];
    struct cover c;
    struct sign s;
    memset(widths, 0, sizeof widths);
    sign_read(&s, r->q[0].sign);
    cover_open(&c, r, r->presets, s.out.name, MER_F32, NULL);
    for (int k = 0; k < c.n; k++)
        if (c.choice[k].kind == OF_LETTER && !cover_is_length(&c, *c.choice[k].name))
            widths[strlen(widths)] = *c.choice[k].name;
    cover_close(&c);
    return widths;
}

/* Rules over the widths of every row: a narrowed design asks nothing that is declined. */
Test(offered, every_row_is_asked_at_what_its_kernel_takes, .timeout = 120)
{
    static const struct rule rules[] = { { .only = 64 }, { .multiple = 16 }, { .equal = true } };
    long narrowed = 0;
    for (const struct row *const *r = all_rows; *r; r++)
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
            struct cover c;
            struct declaration d;
            struct cover_question q;
            long answered = 0;
            rule = rules[k], rule.all = widths_of(*r);
            if (!*rule.all)
                continue;
            if (found(*r, &c, &d)) {
                const struct mer_kernel offer[2] = { { .row = (*r)->name, .out = d.claim->outs, .type = "f32" } };
                const struct subject who = { .kernel = offer, .run = run };
                for (narrowed++; answered < 60 && cover_next(&c, &q); answered++, cover_answered(&c, &q))
                    cr_expect(offered_at(&who, offer, d.claim->outs, c.presets[q.preset].text, q.sizes),
                        "%s, rule %zu, preset %d: %s is declined", (*r)->name, k, q.preset, q.sizes);
                cr_expect_gt(answered, 0, "%s, rule %zu", (*r)->name, k);
            }
            cover_close(&c), declaration_close(&d);
        }
    cr_expect_gt(narrowed, 20, "%ld", narrowed);
}

/* A kernel that takes what is usual is asked once, and nothing is found. */
Test(offered, usual_sizes_are_not_searched)
{
    struct cover c;
    struct declaration d;
    rule = (struct rule){ "d", .multiple = 1 }, asked = 0;
    cr_expect(!found(row_named("attention"), &c, &d) && asked == 1, "%ld calls", asked);
    cover_close(&c);
}

/* A plug-in that takes one number of positions alone is judged there; before, nothing of it was. */
Test(offered, a_plug_in_of_one_size_is_judged, .timeout = 120)
{
    cr_assert_eq(system("sed 's/if (!mer_is(c, \"scaling\"/if (mer_in(c, \"x\")->dim[mer_in(c, \"x\")->rank - 2] % "
                        "16 || !mer_is(c, \"scaling\"/' harness/adapters/examples/rope.c > build/sixteen.c && cc "
                        "-std=c11 -O2 -ffp-contract=off -Ifast -fPIC -shared -o build/sixteen.so build/sixteen.c -lm"),
        0);
    cr_expect(meridian("", "judge build/sixteen.so --checks none --preset paper") == 0 &&
            strstr(out, "n=16,32,64,128,192,256") && strstr(out, "it declines the usual sizes"), "%s%s", out, err);
    cr_expect(meridian("", "fingerprint build/sixteen.so") == 0 &&
            strstr(out, "rope.y f32: 1536 of 1536 elements explained"), "%s%s", out, err);
}
