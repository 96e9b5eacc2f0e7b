/* Every erratum is decided by what it computes: under a changed premise each of its statements comes out the other
 * way. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "findings/claims.h"
#include "command.h"
#include "mat.h"

static const char *const truth_word[] = { "no", "yes", "undecided" };

Test(errata, every_statement_comes_out_the_other_way_under_a_changed_premise)
{
    for (const struct errata *t = all_errata; t->theme; t++)
        for (const struct erratum *e = t->list; e->id; e++) {
            static struct claim c[3];
            const char *change[] = { "", e->flip, e->spoil ? e->spoil : e->flip };
            enum claim_verdict v[3];
            for (int k = 0; k < 3; k++) {
                v[k] = claim_decide(&c[k], e, change[k]);
                cr_expect(c[k].written != UNDECIDED && c[k].corrected != UNDECIDED &&
                        (!c[k].conditional || c[k].within != UNDECIDED),
                    "%s is undecided under '%s'", e->id, change[k]);
            }
            cr_expect(v[0] != CLAIM_OPEN && v[0] != v[1], "%s: %s, and under '%s' %s", e->id, claim_word[v[0]], e->flip,
                claim_word[v[1]]);
            cr_expect_neq(c[0].written, c[1].written, "%s: the claim is %s, and under '%s' too", e->id,
                truth_word[c[0].written], e->flip);
            cr_expect_eq(c[0].corrected, YES, "%s: what is said to be right is not", e->id);
            cr_expect(c[1].corrected == NO || c[2].corrected == NO, "%s: what is right is so under '%s' and '%s' too",
                e->id, change[1], change[2]);
            cr_expect(!c[0].conditional || c[0].within == YES, "%s: its condition does not save it", e->id);
            cr_expect(!c[0].conditional || c[1].within == NO || c[2].within == NO,
                "%s: its condition saves it under '%s' and '%s' too", e->id, change[1], change[2]);
            cr_expect(*c[0].witness && strlen(c[0].witness) + 1 < sizeof c[0].witness && !strstr(c[0].witness, "?"),
                "%s: witness '%s'", e->id, c[0].witness);
        }
}

static int has_program(const struct claim_line *l, void *with)
{
    const struct erratum *e = erratum_named(l->id);
    struct claim c;
    cr_expect(e, "%s has a line and no program", l->id);
    if (e && claim_decide(&c, e, "") != CLAIM_UNDECIDED)
        cr_expect_eq(c.conditional, strcmp(l->condition, "-") != 0, "%s: condition '%s'", l->id, l->condition);
    return ++*(int *)with, 0;
}
struct seen { const char *id; int n; };
static int count_id(const struct claim_line *l, void *with)
{
    struct seen *s = with;
    s->n += !strcmp(l->id, s->id);
    return 0;
}

Test(errata, every_line_has_one_program_and_every_program_one_line)
{
    int n = 0, programs = 0;
    cr_assert_eq(claims_each(has_program, &n), 0, "data/errata.tsv: %d lines were read", n);
    for (const struct errata *t = all_errata; t->theme; t++)
        for (const struct erratum *e = t->list; e->id; e++, programs++) {
            struct seen s = { e->id, 0 };
            claims_each(count_id, &s);
            cr_expect_eq(s.n, 1, "%s has %d lines", e->id, s.n);
            cr_expect_eq(erratum_named(e->id), e, "%s has two programs", e->id);
        }
    cr_expect_eq(n, programs);
}

/* The verdicts as of the last release; this only notices that one has changed, as the programs are tested above. */
static const char golden[] =
    " E1 false; E2 false; E3 true only if; E4 notation; E5 true; E6 true only if; E7 notation; E8 true only if; E9 "
        "notation; E10 false; E11 false;"
    " E12 notation; E13 true only if; E14 true; E15 true; E16 true; E17 true only if; E18 true only if; E19 true only "
        "if; E20 true only if; E21 notation;"
    " E22 true; E23 true only if; E24 notation; E25 true; E26 true only if; E27 true; E28 true; E29 true; E30 true; "
        "E31 true; E32 true;"
    " E33 true; E34 true; E35 true only if; E36 true; E37 true; E38 true; E39 true; E40 true; E41 true; E42 true; E43 "
        "true only if; E44 true; E45 true;"
    " E46 true; E47 true only if; E48 true; E49 true; E50 true; E51 true; E52 true; E53 true; E54 true; E55 true; E56 "
        "true; E57 true only if;"
    " E58 true; E59 true only if; E60 true; E61 true; E62 true; E63 true; E64 true; E65 true only if;";
static int as_before(const struct claim_line *l, void *with)
{
    struct claim c;
    char want[80];
    (void)with;
    snprintf(want, sizeof want, " %s %s;", l->id, claim_word[claim_decide(&c, erratum_named(l->id), "")]);
    cr_expect(strstr(golden, want), "not as before:%s", want);
    return 0;
}
Test(errata, verdicts_are_as_before) { cr_expect_eq(claims_each(as_before, NULL), 0); }

static enum truth three[3];
static bool conditional, shapes;
static void stated(struct claim *c)
{
    c->written = three[0], c->within = three[1], c->corrected = three[2], c->conditional = conditional,
    c->shapes = shapes;
}
static void open_question(struct claim *c) { c->written = c->corrected = YES, c->w->undecided = true; }

Test(errata, the_verdict_follows_from_the_three_statements)
{
    static const struct {
        enum truth written, within, corrected;
        bool conditional, shapes;
        enum claim_verdict v;
    } list[] = {
        { YES, NO, YES, false, false, CLAIM_TRUE },
        { NO, NO, YES, false, false, CLAIM_FALSE },
        { NO, YES, YES, false, false, CLAIM_FALSE },
        { NO, YES, YES, true, false, CLAIM_ONLY_IF },
        { NO, NO, YES, true, false, CLAIM_FALSE },
        { NO, NO, YES, false, true, CLAIM_NOTATION },
        { YES, YES, NO, true, false, CLAIM_OPEN },
        { NO, NO, NO, false, true, CLAIM_OPEN },
        { UNDECIDED, YES, YES, false, false, CLAIM_UNDECIDED },
        { NO, UNDECIDED, YES, true, false, CLAIM_UNDECIDED },
        { NO, UNDECIDED, YES, false, false, CLAIM_FALSE },
        { YES, YES, UNDECIDED, false, false, CLAIM_UNDECIDED },
    };
    struct erratum e = { .id = "test", .decide = stated };
    struct claim c;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        three[0] = list[k].written, three[1] = list[k].within, three[2] = list[k].corrected,
        conditional = list[k].conditional, shapes = list[k].shapes;
        cr_expect_eq(claim_decide(&c, &e, ""), list[k].v, "case %zu", k);
    }
    e.decide = open_question;
    cr_expect_eq(claim_decide(&c, &e, ""), CLAIM_UNDECIDED, "a page left a question open");
}

static void once_in_three(struct claim *c) /* A statement about all made-up numbers that one of three refutes. */
{
    struct mat x = mat_made(c, 1, 1, 1);
    c->written = truth_of(mat_get(x, 0, 0) && c->variant != 2), c->corrected = YES;
    claim_say(c, "%u", c->variant);
}
Test(errata, made_up_numbers_are_made_up_three_times)
{
    struct erratum e = { .id = "test", .decide = once_in_three };
    struct claim c;
    cr_expect_eq(claim_decide(&c, &e, ""), CLAIM_FALSE);
    cr_expect_str_eq(c.witness, "0", "the witness is the first");
}

static void tools(struct claim *c)
{
    struct ask *w = c->w;
    const struct ball *third = b_ratio(w, 1, 3), *wide = b_widen(w, b_ratio(w, 1, 4), (struct up){ 0.5, -20 }),
                      *across = b_widen(w, b_si(w, 0), (struct up){ 0.5, -20 });
    struct mat a = mat_made(c, 2, 3, 1), b = mat_made(c, 3, 4, 2), wrong = mat_mul(w, b, a);
    c->written = c->corrected = YES;
    cr_expect_str_eq(claim_digits(c, third, 12), "0.333333333333");
    cr_expect_str_eq(claim_digits(c, wide, 12), "0.25"); /* 0.25 +- 4.8e-7: no more digits than both ends share. */
    cr_expect_str_eq(claim_digits(c, across, 12), "?");
    /* [0.3516, 0.3594]: the lower end does not round to 0.36, */
    cr_expect_str_eq(claim_digits(c, b_widen(w, b_ratio(w, 91, 256), (struct up){ 0.5, -7 }), 12), "0.4");
    /* [0.3477, 0.3555]: nor do both ends round to one digit. */
    cr_expect_str_eq(claim_digits(c, b_widen(w, b_ratio(w, 90, 256), (struct up){ 0.5, -7 }), 12), "?");
    cr_expect_eq(claim_same(wide, b_ratio(w, 1, 4)), UNDECIDED, "a wide ball proves no equality");
    cr_expect_eq(claim_same(third, wide), NO);
    cr_expect_eq(claim_same(third, b_div(w, b_si(w, 2), b_si(w, 6))), YES);
    cr_expect(claim_less(wide, third) == YES && claim_less(third, third) == UNDECIDED && claim_less(third, wide) == NO);
    c->variant += 5;
    cr_expect_eq(mat_same(a, mat_made(c, 2, 3, 1)), NO, "another variant, the same numbers");
    c->variant -= 5;
    cr_expect_eq(mat_same(a, mat_made(c, 2, 3, 1)), YES);
    cr_expect(mat_is(mat_mul(w, a, b), 2, 4) && !mat_is(wrong, 3, 3) && wrong.n == 0,
        "a product of shapes that do not fit is undefined");
    cr_expect(
        mat_add(w, a, b).n == 0 && mat_t(wrong).n == 0 && mat_mul(w, wrong, a).n == 0 && mat_same(wrong, wrong) == NO);
    cr_expect_eq(mat_same(mat_t(mat_mul(w, a, b)), mat_mul(w, mat_t(b), mat_t(a))), YES);
    cr_expect_eq(mat_same(mat_swap(mat_t(a), 0, 2), mat_t(a)), NO);
    cr_expect_eq(mat_same(mat_row(mat_t(a), 1), mat_t(mat_columns(a, 1, 1))), YES);
    cr_expect_eq(truth_and(UNDECIDED, NO), NO);
    cr_expect_eq(truth_not(UNDECIDED), UNDECIDED);
}
Test(errata, its_tools_do_not_lie)
{
    struct erratum e = { .id = "test", .decide = tools };
    struct claim c;
    claim_decide(&c, &e, "");
}

Test(errata, a_quote_must_stand_in_its_line)
{
    struct claim_line l = { .id = "test", .file = "errata.tsv", .quote = "id\tfile", .line = 2 };
    char why[200];
    cr_expect_eq(claim_quoted(&l, "data", why, sizeof why), 0, "%s", why);
    l.line = 1;
    cr_expect_neq(claim_quoted(&l, "data", why, sizeof why), 0, "in another line");
    l.line = 100000;
    cr_expect_neq(claim_quoted(&l, "data", why, sizeof why), 0, "behind the last line");
    l.line = 2;
    cr_expect_neq(claim_quoted(&l, "tests", why, sizeof why), 0, "no such file");
    cr_expect(strstr(why, "not in that folder"), "%s", why);
}

Test(errata, the_verb_answers_in_three_ways)
{
    cr_expect_eq(meridian("", "errata E2"), 0, "%s", err);
    cr_expect(strstr(out, "E2   false") && strstr(out, "S(44) = 134.77035138939") && strstr(out, ":114 "), "%s", out);
    cr_expect_eq(meridian("", "errata E2 E4 --json"), 0);
    cr_expect(lines(out) == 2 && strstr(out, "\"verdict\":\"false\"") && strstr(out, "\"verdict\":\"notation\"") &&
            strstr(out, "\"written\":\"no\""),
        "%s", out);
    cr_expect_eq(meridian("", "errata --md"), 0);
    cr_expect(strstr(out, "| E2 | ") && strstr(out, "# Claims"), "%s", out);
    cr_expect_eq(meridian("", "errata E999"), 2);
    cr_expect(strstr(err, "no claim 'E999'") && !*out, "%s", err);
    cr_expect_eq(meridian("", "errata --articles build"), 1, "quotes that nobody can check");
    cr_expect(lines(err) == 2 && strstr(err, "65 claims are not decided"), "%s", err);
    cr_expect_eq(meridian("", "errata E2 --articles /proc/nonexistent"), 2, "no folder");
    cr_expect(lines(err) == 1 && strstr(err, "'/proc/nonexistent' is no folder"), "%s", err);
}
