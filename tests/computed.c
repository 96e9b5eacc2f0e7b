/* Numbers that a page computes, done differently: every word that an operation has gives what the word says, computed
 * here once more in doubles. */
#include <limits.h>
#include "edit/reduced.h"
#include "edit/site_parts.h"
#include "edit/whole.h"
#include "edit_as.h"
#include "words/each.h"
#include "words/read.h"

/* An operation of pages: its name, what computes it on balls, and what it is of doubles. */
typedef double real(double x, double y);
static double plus(double x, double y) { return x + y; }
static double minus(double x, double y) { return x - y; }
static double times(double x, double y) { return x * y; }
static double over(double x, double y) { return x / y; }
static double negated(double x, double y) { return (void)y, -x; }
static double size(double x, double y) { return (void)y, fabs(x); }
static double e_to(double x, double y) { return (void)y, exp(x); }
static double logarithm(double x, double y) { return (void)y, log(x); }
static double root(double x, double y) { return (void)y, sqrt(x); }
static double sine(double x, double y) { return (void)y, sin(x); }
static double cosine(double x, double y) { return (void)y, cos(x); }
static double hyperbolic(double x, double y) { return (void)y, tanh(x); }
static double error_of(double x, double y) { return (void)y, erf(x); }
static double logistic(double x, double y) { return (void)y, 1 / (1 + exp(-x)); }
static double soft(double x, double y) { return (void)y, log1p(exp(x)); }
static double below(double x, double y) { return (void)y, floor(x); }
static double above(double x, double y) { return (void)y, ceil(x); }
static const struct operation { const char *name; enum site_kind kind; ball_of_two *two; ball_of_one *one; real *of; }
    operations[] = {
        { "add", SITE_ADD, b_add, NULL, plus }, { "sub", SITE_SUB, b_sub, NULL, minus },
        { "mul", SITE_MUL, b_mul, NULL, times }, { "div", SITE_DIV, b_div, NULL, over },
        { "pow", SITE_POW, b_pow, NULL, pow }, { "max", SITE_MAX, b_max, NULL, fmax },
        { "min", SITE_MIN, b_min, NULL, fmin }, { "neg", SITE_NEG, NULL, b_neg, negated },
        { "abs", SITE_ABS, NULL, b_abs, size }, { "exp", SITE_EXP, NULL, b_exp, e_to },
        { "log", SITE_LOG, NULL, b_log, logarithm }, { "sqrt", SITE_SQRT, NULL, b_sqrt, root },
        { "sin", SITE_SIN, NULL, b_sin, sine }, { "cos", SITE_COS, NULL, b_cos, cosine },
        { "tanh", SITE_TANH, NULL, b_tanh, hyperbolic }, { "erf", SITE_ERF, NULL, b_erf, error_of },
        { "sigmoid", SITE_SIGMOID, NULL, b_sigmoid, logistic }, { "softplus", SITE_SOFTPLUS, NULL, b_softplus, soft },
        { "floor", SITE_FLOOR, NULL, b_floor, below }, { "ceil", SITE_CEIL, NULL, b_ceil, above } };

/* What the word of an operation makes of its numbers x and y. */
static double by_word(const char *word, const struct operation *o, double x, double y)
{
    const struct { const char *word; double is; } list[] = { { "add", x + y }, { "sub", x - y }, { "mul", x * y },
        { "div", x / y }, { "max", fmax(x, y) }, { "min", fmin(x, y) }, { "left", x }, { "right", y }, { "none", x },
        { "right-negated", -y },
        { "reversed", o->of(y, x) }, { "sin", sin(x) }, { "cos", cos(x) }, { "tan", tan(x) }, { "exp2", exp2(x) },
        { "expm1", expm1(x) }, { "log2", log2(x) }, { "log10", log10(x) }, { "log1p", log1p(x) },
        { "none-less", x - 1 }, { "none-more", x + 1 }, { "cube", x * sqrt(x) }, { "ceil", ceil(x) },
        { "floor", floor(x) }, { "exp", exp(x) }, { "mirrored", o->of(-x, y) } };
    double is;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (!strcmp(word, list[k].word))
            return list[k].is;
    cr_assert(of_number(word, o->of(x, y), &is), "%s:%s: no such word", o->name, word);
    return is;
}

static const struct ball *done(struct ask *w, struct source at, const struct operation *o, double x, double y)
{
    struct ball *a = (struct ball *)(b_si)(w, 0), *b = (struct ball *)(b_si)(w, 0);
    mpfr_set_d(a->mid, x, MPFR_RNDN), mpfr_set_d(b->mid, y, MPFR_RNDN);
    return o->two ? site_two(w, at, o->kind, o->two, a, b) : site_one(w, at, o->kind, o->one, a);
}

/* Asks the words of an operation, at places of the page where it is meant and where it is not. */
struct asked { const struct operation *o; int words; };
static void ask_word(const char *word, const char *effect, const char *equal, void *with)
{
    static const double of[][2] = { { 2.25, -1.5 }, { 0.75, 5 }, { 1.375, 0.25 } };
    struct asked *c = with;
    const char *s = word + strlen("edit=f.c:7:") + strlen(c->o->name);
    const int operand = !strncmp(s, "-left:", 6) ? 1 : !strncmp(s, "-right:", 7) ? 2 : 0;
    struct arith a = { .edit = edit_as(word + strlen("edit=f.c:7:")) }, plain = { 0 };
    (void)equal;
    s = strchr(s, ':') + 1;
    cr_assert(*effect);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        struct ask w = { .arith = &a }, page = { .arith = &plain };
        double x = of[k][0], y = of[k][1], want;
        const double own = c->o->of(x, y);
        if (operand)
            cr_assert(of_number(s, operand == 1 ? x : y, operand == 1 ? &x : &y), "%s", word);
        want = operand ? c->o->of(x, y) : by_word(s, c->o, x, y);
        ask_reset(&w, BITS), ask_reset(&page, BITS);
        const struct ball *got = done(&w, here, c->o, of[k][0], of[k][1]);
        cr_expect(is(got, want), "%s of %g and %g: %.17g, not %.17g", word, of[k][0], of[k][1], b_value(got), want);
        cr_expect(is(done(&w, beside, c->o, of[k][0], of[k][1]), own), "%s beside", word);
        cr_expect(is(done(&w, apart, c->o, of[k][0], of[k][1]), own), "%s in another file", word);
        cr_expect(is(done(&page, here, c->o, of[k][0], of[k][1]), own), "%s: %s without an edit", word, c->o->name);
        ask_clear(&w), ask_clear(&page);
    }
    c->words++;
}
Test(computed, every_word_of_a_number_gives_what_it_says)
{
    for (const struct operation *o = operations; o < operations + sizeof operations / sizeof *operations; o++) {
        const struct site s = { .at = here, .kind = o->kind, .count = 1, .elsewhere = { true, true } };
        struct asked c = { o, 0 };
        site_each(&s, WORDS_ALL, ask_word, &c);
        cr_expect_geq(c.words, 8, "%s: %d words", o->name, c.words);
    }
}

/* Of every second or third time that a line makes the operation, one. */
Test(computed, of_several_turns_the_one_that_is_meant_is_changed)
{
    for (int of = 2; of <= 4; of++)
        for (int which = 1; which <= of; which++) {
            char words[40];
            snprintf(words, sizeof words, "mul:zero:%dof%d", which, of);
            const struct arith a = { .edit = edit_as(words) };
            struct ask w = { .arith = &a };
            ask_reset(&w, BITS);
            for (int k = 0; k < 12; k++) {
                const bool zero = k % of == which - 1;
                cr_expect(is(done(&w, beside, &operations[2], 3, 5), 15), "%s beside", words);
                cr_expect(is(done(&w, here, &operations[2], 3, 5), zero ? 0 : 15), "%s, time %d", words, k);
            }
            ask_clear(&w);
        }
}

/* One of two branches, by the sign of the number that is taken: zeros have theirs, as 1 / x has. */
Test(computed, of_both_signs_the_one_that_is_meant_is_changed)
{
    static const double of[] = { -3, -0.25, -0.0, 0.0, 0.5, 2 };
    static const char *const sign[] = { "negative", "positive" };
    for (const struct operation *o = operations; o < operations + sizeof operations / sizeof *operations; o++)
        for (int k = 0; k < 2 && !o->two; k++) {
            char words[40];
            snprintf(words, sizeof words, "%s:zero:%s", o->name, sign[k]);
            const struct arith a = { .edit = edit_as(words) };
            struct ask w = { .arith = &a };
            ask_reset(&w, BITS);
            for (size_t j = 0; j < sizeof of / sizeof *of; j++) {
                const bool zero = (signbit(of[j]) != 0) == (k == 0);
                const double own = o->of(of[j], 0);
                if (isfinite(own))
                    cr_expect(is(done(&w, here, o, of[j], 0), zero ? 0 : own), "%s of %g", words, of[j]);
            }
            ask_clear(&w);
        }
}

/* Numbers that are solved for are read to their last digit, and texts that are none are refused. */
Test(computed, a_number_is_read_to_its_last_digit)
{
    static const struct { const char *text; double number; } list[] = { { "1.01", 1.01 }, { "-2", -2 },
        { "0.0013", 0.0013 }, { "-0.5", -0.5 }, { "12.75", 12.75 }, { ".25", 0.25 }, { "100", 100 },
        { "123456789.123456789", 123456789.123456789 } };
    static const char *const none[] = { "", "-", ".", "-.", "1.2.3", "x", "1e3", "--1", "+1", "1234567890123456789" };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int more = 0; more < 2; more++) {
            char words[60];
            snprintf(words, sizeof words, "mul:%s-%s", more ? "plus" : "times", list[k].text);
            const struct arith a = { .edit = edit_as(words) };
            struct ask w = { .arith = &a };
            ask_reset(&w, 128);
            const double x = list[k].number;
            cr_expect(is(done(&w, here, &operations[2], 0.5, 5), more ? 2.5 + x : 2.5 * x), "%s", words);
            ask_clear(&w);
        }
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        char text[60];
        struct edit e;
        snprintf(text, sizeof text, "f.c:7:mul:times-%s", none[k]);
        cr_expect(!site_read(&e, text, strlen(text)), "%s", text);
    }
}

/* Whole numbers, ratios and rational numbers of 7/4 (and 7), by their words. */
struct constant { const char *word; double of_7, of_7_4, of_rational; };
static const struct constant constants[] = { { "more", 8, 2, 2.75 }, { "less", 6, 1.5, 0.75 }, { "zero", 0, 0, 0 },
    { "one", 1, 0.25, 1 }, { "negate", -7, -1.75, -1.75 }, { "double", 14, 3.5, 3.5 }, { "halve", 3, 0.875, 0.875 },
    { "absolute", 7, 1.75, 1.75 }, { "square", 49, 12.25, 1.75 * 1.75 }, { "invert", 1 / 7.0, 4 / 7.0, 4 / 7.0 },
    { "mul", (double)NAN, 28, 0 }, { "left", 0, 7, 0 }, { "right", 0, 4, 0 }, { "two", 0, 2, 0 },
    { "one-half", 0, 0.5, 0 }, { "minus-one", 0, -1, 0 }, { "minus-half", 0, -0.5, 0 },
    { "times-1.5", 10.5, 2.625, 2.625 }, { "plus--0.25", 6.75, 1.5, 1.5 } };
static const struct constant *constant_of(const char *word)
{
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        if (!strcmp(word, constants[k].word))
            return &constants[k];
    return NULL;
}
static void ask_constant(const char *word, const char *effect, const char *equal, void *with)
{
    const enum site_kind kind = *(const enum site_kind *)with;
    const char *op = strrchr(word, ':') + 1;
    const struct constant *c = constant_of(op);
    const struct arith a = { .edit = edit_as(word + strlen("edit=f.c:7:")) };
    struct ask w = { .arith = &a };
    (void)equal;
    if (!strncmp(op, "extent-", 7))
        return;
    cr_assert(c != NULL, "%s (%s)", word, effect);
    const bool of_ratio = kind == SITE_RATIO, whole = kind == SITE_INTEGER;
    const double want = whole ? c->of_7 : of_ratio ? c->of_7_4 : c->of_rational, own = whole ? 7 : 1.75;
    const char *numerator = strstr(effect, "has a numerator that ");
    double said;
    if (of_ratio && of_number(op, 1.75, &said) && strcmp(op, "times-1.5"))
        cr_expect_eq(numerator != NULL, said != want, "%s: %s", word, effect);
    mpq_t q;
    mpq_init(q), mpq_set_si(q, 7, 4);
    ask_reset(&w, BITS);
    for (int k = 0; k < 2; k++) {
        const struct source at = k ? beside : here;
        const struct ball *got = whole ? site_integer(&w, at, 7) : of_ratio ? site_ratio(&w, at, 7, 4) :
                                                                              site_rational(&w, at, q);
        cr_expect(is(got, k ? own : want), "%s: %.17g, not %.17g", word, b_value(got), k ? own : want);
    }
    mpq_clear(q), ask_clear(&w);
}
Test(computed, every_word_of_a_constant_gives_what_it_says)
{
    static const enum site_kind kinds[] = { SITE_INTEGER, SITE_RATIO, SITE_RATIONAL };
    static const char *const names[] = { "integer", "ratio", "rational" };
    for (int k = 0; k < 3; k++) {
        enum site_kind kind = kinds[k];
        const struct site s = { .at = here, .kind = kind, .count = 1 };
        site_each(&s, WORDS_ALL, ask_constant, &kind);
        for (int n = 0; n < 2; n++) {
            char word[60];
            snprintf(word, sizeof word, "edit=f.c:7:%s:%s", names[k], n ? "times-1.5" : "plus--0.25");
            ask_constant(word, word, NULL, &kind);
        }
    }
}

/* Operations over the terms -3, 5, 2 and 8, and over none. */
struct over_terms { const char *word; double is; };
static const struct over_terms over_terms[] = { { "largest", 8 }, { "least", -3 }, { "mean", 3 }, { "total", 12 },
    { "left", -3 }, { "right", 8 } };
static void ask_terms(const char *word, const char *effect, const char *equal, void *with)
{
    static const double own[] = { 12, 8, 3 };
    const enum site_kind kind = *(const enum site_kind *)with;
    const struct arith a = { .edit = edit_as(word + strlen("edit=f.c:7:")) };
    struct ask w = { .arith = &a };
    const char *op = strrchr(word, ':') + 1;
    const double mine = own[kind - SITE_SUM];
    double want = (double)NAN;
    (void)effect, (void)equal;
    for (size_t k = 0; k < sizeof over_terms / sizeof *over_terms; k++)
        want = strcmp(op, over_terms[k].word) ? want : over_terms[k].is;
    if (isnan(want))
        cr_assert(of_number(op, mine, &want), "%s", word);
    ask_reset(&w, BITS);
    const struct ball *t[] = { b_si(&w, -3), b_si(&w, 5), b_si(&w, 2), b_si(&w, 8) };
    for (int k = 0; k < 2; k++) {
        const struct source at = k ? beside : here;
        const struct ball *got = kind == SITE_SUM ? site_terms(&w, at, 0, t, 4) : site_reduced(&w, at, kind, t, 4);
        cr_expect(is(got, k ? mine : want), "%s: %.17g, not %.17g", word, b_value(got), k ? mine : want);
    }
    const bool of_terms = isnan(want) || !of_number(op, 1, &(double){ 0 });
    const struct ball *none = kind == SITE_SUM ? site_terms(&w, here, 0, t, 0) : site_reduced(&w, here, kind, t, 0);
    double empty;
    if (of_number(op, kind == SITE_SUM ? 0 : -(double)INFINITY, &empty) && !strstr("f16 bf16 invert", op))
        cr_expect(is(none, empty), "%s of no terms: %g, not %g", word, b_value(none), empty);
    if (of_terms) /* There is none of them: what there is of none stays. */
        cr_expect(is(none, kind == SITE_SUM ? 0 : -(double)INFINITY), "%s of no terms: %g", word, b_value(none));
    ask_clear(&w);
}
Test(computed, every_word_of_an_operation_over_terms_gives_what_it_says)
{
    for (enum site_kind kind = SITE_SUM; kind <= SITE_AVERAGE; kind++) {
        const struct site s = { .at = here, .kind = kind, .count = 1 };
        site_each(&s, WORDS_ALL, ask_terms, &kind);
    }
}

/* Where nothing divides, an edit leaves what is there; and a ball that is rounded to two numbers holds both. */
Test(computed, numbers_that_have_no_result_stay)
{
    struct arith a = { .edit = edit_as("over:ceil") };
    struct ask w = { .arith = &a };
    cr_expect_eq(site_over(&w, here, 14, 0), 14);
    cr_expect_eq(site_plus(&w, here, LONG_MAX, 1), LONG_MAX);
    a.edit = edit_as("whole:times-2");
    cr_expect_eq(site_whole(&w, here, 9), 9, "a whole number is no multiple of a real one");
    a.edit = edit_as("over:ceil");
    cr_expect(site_over(&w, here, 12, 4) == 3 && site_over(&w, here, 13, 4) == 4);
    a.edit = edit_as("mul:f16");
    ask_reset(&w, 100);
    struct ball *x = (struct ball *)(b_si)(&w, 1);
    mpfr_set_d(x->mid, 1 + 0x1p-11 + 0x1p-60, MPFR_RNDN); /* just above the middle of two numbers of f16 */
    const struct ball *sharp = site_value(&w, a.edit.op, x);
    cr_expect(b_value(sharp) == 1 && b_radius(sharp) == 0, "a double is rounded to nearest: %g", b_value(sharp));
    x->rad = up_d(0x1p-30);
    const struct ball *both = site_value(&w, a.edit.op, x);
    cr_expect(b_value(both) - b_radius(both) <= 1 && b_value(both) + b_radius(both) >= 1 + 0x1p-10 &&
        b_radius(both) <= 0x1p-10, "%g +- %g", b_value(both), b_radius(both));
    ask_clear(&w);
}
