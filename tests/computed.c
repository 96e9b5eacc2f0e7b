/* Numbers that a page computes, done differently: every word that an operation has gives what the word says, computed
 * here once more in doubles; an index that is read elsewhere is read there; and numbers of other parts, turns and lines
 * are those that were computed there. */
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include "edit/maps.h"
#include "edit/reduced.h"
#include "edit/site.h"
#include "edit/site_parts.h"
#include "edit/tape.h"
#include "trial/trial.h"

enum { LINE = 7, BITS = 64 };
static const struct source here = { "f.c", LINE, NULL }, beside = { "f.c", LINE + 1, NULL },
                           apart = { "ref/g.c", LINE, NULL };

/* Reads the edit "f.c:7:" and `words`. */
static struct edit edit_as(const char *words)
{
    static char text[100]; /* Edits borrow it. */
    struct edit e;
    snprintf(text, sizeof text, "f.c:%d:%s", LINE, words);
    cr_assert(site_read(&e, text, strlen(text)), "%s", text);
    return e;
}

/* The double nearest to x in an array of that type. */
static double held(double x, enum mer_type type)
{
    uint64_t room = 0;
    struct mer_array one = { .type = type, .rank = 1, .dim = { 1 }, .data = &room };
    array_put(&one, 0, x);
    return array_get(&one, 0);
}

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
        { "floor", SITE_FLOOR, NULL, b_floor, below }, { "ceil", SITE_CEIL, NULL, b_ceil, above } };

/* What the word of one number makes of x; NaN, and false, where it is no such word. */
static bool of_number(const char *word, double x, double *to)
{
    static const struct { const char *word; double times, more; } linear[] = { { "zero", 0, 0 }, { "one", 0, 1 },
        { "negate", -1, 0 }, { "double", 2, 0 }, { "halve", 0.5, 0 }, { "more", 1, 1 }, { "less", 1, -1 },
        { "two", 0, 2 }, { "one-half", 0, 0.5 }, { "minus-one", 0, -1 }, { "minus-half", 0, -0.5 } };
    for (size_t k = 0; k < sizeof linear / sizeof *linear; k++)
        if (!strcmp(word, linear[k].word))
            return *to = (linear[k].times != 0 ? linear[k].times * x : 0) + linear[k].more, true;
    *to = !strcmp(word, "square") ? x * x :
        !strcmp(word, "invert")   ? 1 / x :
        !strcmp(word, "absolute") ? fabs(x) :
        !strcmp(word, "f16")      ? held(x, MER_F16) :
        !strcmp(word, "bf16")     ? held(x, MER_BF16) :
                                    (double)NAN;
    return !isnan(*to) || !strcmp(word, "nan");
}
/* What the word of an operation makes of its numbers x and y. */
static double by_word(const char *word, const struct operation *o, double x, double y)
{
    const struct { const char *word; double is; } list[] = { { "add", x + y }, { "sub", x - y }, { "mul", x * y },
        { "div", x / y }, { "max", fmax(x, y) }, { "min", fmin(x, y) }, { "left", x }, { "right", y }, { "none", x },
        { "reversed", o->of(y, x) }, { "sin", sin(x) }, { "cos", cos(x) }, { "tan", tan(x) }, { "exp2", exp2(x) },
        { "expm1", expm1(x) }, { "log2", log2(x) }, { "log10", log10(x) }, { "log1p", log1p(x) },
        { "cube", x * sqrt(x) }, { "ceil", ceil(x) }, { "floor", floor(x) } };
    double is;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (!strcmp(word, list[k].word))
            return list[k].is;
    cr_assert(of_number(word, o->of(x, y), &is), "%s:%s: no such word", o->name, word);
    return is;
}

/* Is the ball that number, of which the C library knows all bits but the last two?  What is none may be any. */
static bool is(const struct ball *b, double x)
{
    const double far = 4 * 0x1p-53 * fabs(x);
    return isnan(x) ? mpfr_nan_p(b->mid) || isinf(b_radius(b)) : isinf(x) ? b_value(b) == x && b_radius(b) == 0 :
                                                           fabs(b_value(b) - x) <= far && b_radius(b) <= 0x1p-55;
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

/* Where each of the indices of an axis of 5 and of 6 reads under each map; "-": nowhere. */
static const struct { const char *name, *of_5, *of_6; } maps[] = { { "reverse", "43210", "543210" },
    { "roll", "12340", "123450" }, { "back", "40123", "501234" }, { "first", "00000", "000000" },
    { "last", "44444", "555555" }, { "odd", "11334", "113355" }, { "even", "00224", "002244" },
    { "swap", "23401", "345012" }, { "half", "00112", "001122" }, { "spread", "02413", "024135" },
    { "gather", "03142", "031425" }, { "next", "12344", "123455" }, { "before", "00123", "001234" },
    { "without-last", "0123-", "01234-" }, { "tail-4", "0123-", "0123--" }, { "tail-8", "-----", "------" } };
static long read_at(const char *map, long i) { return map[i] == '-' ? -1 : map[i] - '0'; }
Test(computed, an_index_is_read_where_its_map_says)
{
    const size_t n = sizeof maps / sizeof *maps;
    for (size_t k = 0; k < n; k++) {
        const int map = index_map_named(maps[k].name, strlen(maps[k].name));
        cr_expect_str_eq(index_maps[map].name, maps[k].name);
        cr_expect_eq(index_map_named(maps[k].name, strlen(maps[k].name) - 1), -1, "%s", maps[k].name);
        for (long i = 0; i < 6; i++) {
            cr_expect(i == 5 || index_mapped(map, i, 5) == read_at(maps[k].of_5, i), "%s of 5: %ld", maps[k].name, i);
            cr_expect_eq(index_mapped(map, i, 6), read_at(maps[k].of_6, i), "%s of 6: %ld", maps[k].name, i);
        }
        cr_expect_eq(index_tells(map, 6), strcmp(maps[k].name, "tail-8") != 0, "%s", maps[k].name);
        cr_expect(!index_tells(map, 0), "%s", maps[k].name);
        size_t first = 0;
        while (strcmp(maps[first].of_6, maps[k].of_6))
            first++;
        cr_expect_eq(index_first(map, 6), index_map_named(maps[first].name, strlen(maps[first].name)), "%s",
            maps[k].name);
    }
    for (int bits = 2; bits <= 7; bits++) {
        char name[20];
        snprintf(name, sizeof name, "tail-%d", 1 << bits);
        const int map = index_map_named(name, strlen(name));
        for (long i = 0; i < 300; i++)
            cr_expect_eq(index_mapped(map, i, 299), i < 299 >> bits << bits ? i : -1, "%s: %ld", name, i);
    }
    cr_expect(!index_tells(index_map_named("half", 4), 1) && index_tells(index_map_named("half", 4), 2));
    cr_expect_null(index_maps[index_map_named("tail-128", 8) + 1].name);
}

/* An array x[5][6] of the numbers 10 i + j, one with three axes, and a call that holds both. */
enum { I = 5, J = 6, U = 2, V = 3, W = 2 };
static float grid[I * J], cube[U * V * W];
static struct mer_array in[2] = { { "x", MER_F32, 2, { I, J }, grid }, { "z", MER_F32, 3, { U, V, W }, cube } };
static const struct mer_call call = { .n_in = 2, .in = in };
static void fill(void)
{
    for (int k = 0; k < I * J; k++)
        grid[k] = (float)(10 * (k / J) + k % J);
    for (int k = 0; k < U * V * W; k++)
        cube[k] = (float)(100 * (k / W / V) + 10 * (k / W % V) + k % W);
}

Test(computed, an_element_is_that_of_the_index_that_is_read)
{
    fill();
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
        for (int axis = 0; axis < 2; axis++) {
            char words[40];
            snprintf(words, sizeof words, "input.%d:%s", axis, maps[m].name);
            struct arith a = { .edit = edit_as(words) };
            struct ask w = { .arith = &a, .call = &call };
            ask_reset(&w, BITS);
            for (long i = 0; i < I; i++)
                for (long j = 0; j < J; j++) {
                    const long u = axis ? i : read_at(maps[m].of_5, i), v = axis ? read_at(maps[m].of_6, j) : j;
                    const double want = u < 0 || v < 0 ? 0 : (double)(10 * u + v), own = (double)(10 * i + j);
                    cr_expect(is(site_input(&w, here, "x", i, j, 0), want), "%s: %ld %ld", words, i, j);
                    cr_expect(is(site_input(&w, beside, "x", i, j, 0), own), "%s beside", words);
                    long index[2] = { i, j };
                    snprintf(words, sizeof words, "index.%d:%s", axis, maps[m].name);
                    const struct arith parts = { .edit = edit_as(words) };
                    w.arith = &parts;
                    const long extent[2] = { I, J }, asked = axis ? j : i, of = axis ? v : u;
                    cr_expect_eq(site_indices(&w, here, 2, index, extent), of >= 0, "%s", words);
                    cr_expect(of < 0 || (index[0] == u && index[1] == v), "%s: %ld %ld", words, i, j);
                    cr_expect_eq(site_index(&w, here, axis, asked, extent[axis]), of, "%s: %ld", words, asked);
                    cr_expect_eq(site_index(&w, here, !axis, asked, extent[axis]), asked, "%s: another axis", words);
                    cr_expect_eq(site_index(&w, beside, axis, asked, extent[axis]), asked, "%s beside", words);
                    cr_expect_eq(site_index(&w, here, axis, extent[axis], extent[axis]), extent[axis], "%s", words);
                    cr_expect_eq(site_index(&w, here, axis, -1, extent[axis]), -1, "%s", words);
                    w.arith = &a;
                    snprintf(words, sizeof words, "input.%d:%s", axis, maps[m].name);
                    a.edit = edit_as(words);
                }
            if (axis) { /* The last axis, read flat. */
                snprintf(words, sizeof words, "element.0:%s", maps[m].name);
                a.edit = edit_as(words);
                for (long k = 0; k < I * J; k++) {
                    const long to = read_at(maps[m].of_6, k % J);
                    const double want = to < 0 ? 0 : (double)(10 * (k / J) + to);
                    cr_expect(is(site_element(&w, here, &in[0], k), want), "%s: %ld", words, k);
                    cr_expect(is(site_element(&w, beside, &in[0], k), (double)grid[k]), "%s beside", words);
                }
            }
            ask_clear(&w);
        }
}

Test(computed, an_element_is_the_sum_of_those_up_to_it)
{
    fill();
    for (int axis = 0; axis < 2; axis++) {
        char words[40];
        snprintf(words, sizeof words, "input.%d:summed", axis);
        struct arith a = { .edit = edit_as(words) };
        struct ask w = { .arith = &a, .call = &call };
        ask_reset(&w, BITS);
        for (long i = 0; i < I; i++)
            for (long j = 0; j < J; j++) {
                double want = 0;
                for (long k = 0; k <= (axis ? j : i); k++)
                    want += (double)(axis ? 10 * i + k : 10 * k + j);
                cr_expect(is(site_input(&w, here, "x", i, j, 0), want), "%s: %ld %ld", words, i, j);
            }
        a.edit = edit_as("element.0:summed");
        for (long k = 0; k < I * J; k++) {
            double want = 0;
            for (long j = k - k % J; j <= k; j++)
                want += (double)grid[j];
            cr_expect(is(site_element(&w, here, &in[0], k), want), "element %ld", k);
        }
        a.edit = edit_as("index.1:summed");
        cr_expect(site_index_summed(&w, here) == 1 && site_index_summed(&w, beside) == -1);
        a.edit = edit_as("index.1:roll");
        cr_expect_eq(site_index_summed(&w, here), -1);
        ask_clear(&w);
    }
}

/* Read with both axes exchanged, index [i][j] of an array [n][m] is the element of the same place in its transpose. */
Test(computed, two_axes_are_read_exchanged)
{
    const struct arith a = { .edit = edit_as("index.0:transpose") };
    struct ask w = { .arith = &a };
    for (long i = 0; i < I; i++)
        for (long j = 0; j < J; j++) {
            const long extent[2] = { I, J }, flat = i * J + j;
            long index[2] = { i, j }, last[2] = { i, j };
            cr_expect(site_indices(&w, here, 2, index, extent) && index[0] == flat % I && index[1] == flat / I,
                "%ld %ld: %ld %ld", i, j, index[0], index[1]);
            cr_expect(site_indices(&w, beside, 2, last, extent) && last[0] == i && last[1] == j);
        }
    const long extent[1] = { I };
    long one[1] = { 3 };
    cr_expect(site_indices(&w, here, 1, one, extent) && one[0] == 3);
    const struct arith whole = { .edit = edit_as("index:zero") };
    w.arith = &whole;
    long room[2] = { -1, 3 };
    cr_expect(site_indices(&w, here, 1, room + 1, extent) && room[0] == -1 && room[1] == 3,
        "a word without an axis is of none");
    const struct arith backwards = { .edit = edit_as("index.0:reverse") };
    w.arith = &backwards, one[0] = I;
    cr_expect(site_indices(&w, here, 1, one, extent) && one[0] == I, "what is no index of the axis stays");
}

/* The lines that an edit of the answer or of a number reads: one, all up to it, or all; and which. */
Test(computed, a_line_of_the_answer_is_the_one_that_is_read)
{
    static const struct { const char *words; bool so_far, all; } list[] = { { "exp.0:roll", false, false },
        { "exp.0:summed", true, false }, { "sub-right.0:across-mean", true, true } };
    static const struct mer_array out = { "y", MER_F32, 3, { I, J, 2 }, NULL };
    struct arith a = { 0 };
    struct ask w = { .arith = &a };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        long first, last;
        a.edit = edit_as(list[k].words);
        site_lines(&w, 3, 7, &first, &last);
        cr_expect(first == (list[k].so_far ? 0 : 3) && last == (list[k].all ? 6 : 3), "%s", list[k].words);
    }
    for (long i = 0; i < I; i++)
        for (long j = 0; j < J; j++) {
            const long flat = i * J + j;
            a.edit = edit_as("out.0:transpose"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) && w.at[0] == flat % I && w.at[1] == flat / I, "%ld %ld", i, j);
            a.edit = edit_as("out.1:transpose"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) && w.at[0] == i && w.at[1] == j, "there is no axis behind it");
            a.edit = edit_as("out.1:reverse"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) && w.at[0] == i && w.at[1] == J - 1 - j, "%ld %ld", i, j);
            a.edit = edit_as("out.2:reverse"), w.at[0] = i, w.at[1] = j, w.at[2] = 1;
            cr_expect(site_moved(&w, &out, 2) && w.at[2] == 1, "an axis behind the bar is no line");
            a.edit = edit_as("out.0:without-last"), w.at[0] = i, w.at[1] = j;
            cr_expect(site_moved(&w, &out, 2) == (i < I - 1) && w.at[0] == i);
        }
}
Test(computed, an_answer_is_read_along_its_line_as_its_word_says)
{
    static const struct { const char *word; double is[4]; } list[] = { { "reverse", { 7, 5, 3, 2 } },
        { "roll", { 3, 5, 7, 2 } }, { "without-last", { 2, 3, 5, 0 } }, { "summed", { 2, 5, 10, 17 } },
        { "first", { 2, 2, 2, 2 } } };
    static const struct mer_array out = { "y", MER_F32, 2, { 3, 4 }, NULL };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[40];
        struct arith a = { 0 };
        struct ask w = { .arith = &a, .len = 4 };
        snprintf(text, sizeof text, "out:0:out.1:%s", list[k].word);
        cr_assert(site_read(&a.edit, text, strlen(text)));
        ask_reset(&w, BITS);
        const struct ball *y[] = { b_si(&w, 2), b_si(&w, 3), b_si(&w, 5), b_si(&w, 7) };
        cr_expect(site_before(&w, &out, 1, y));
        site_after(&w, &out, 1, y);
        for (int j = 0; j < 4; j++)
            cr_expect(is(y[j], list[k].is[j]), "%s: %d", text, j);
        snprintf(text, sizeof text, "out:0:out.0:%s", list[k].word);
        cr_assert(site_read(&a.edit, text, strlen(text)));
        w.at[0] = 2;
        const bool there = strcmp(list[k].word, "without-last") != 0;
        cr_expect_eq(site_before(&w, &out, 1, y), there, "%s", text);
        for (int j = 0; j < 4 && !there; j++)
            cr_expect(is(y[j], 0), "a line that is nowhere is 0");
        cr_expect_eq(site_summed(&w, &out, 1), !strcmp(list[k].word, "summed") ? 0 : -1, "%s", text);
        ask_clear(&w);
    }
}

/* The score of a hidden key; and of what is read, one of several times. */
Test(computed, a_hidden_key_has_the_score_that_its_word_says)
{
    static const struct { const char *words; double is, beside; } list[] = { { "mask:zero", 0, -(double)INFINITY },
        { "mask:negate", (double)INFINITY, -(double)INFINITY }, { "mask:nan", (double)NAN, -(double)INFINITY },
        { "exp:zero:hidden", -(double)INFINITY, -(double)INFINITY } };
    struct arith a = { 0 };
    struct ask w = { .arith = &a };
    ask_reset(&w, BITS);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        a.edit = edit_as(list[k].words);
        const struct ball *there = site_mask(&w, here), *else_where = site_mask(&w, beside);
        cr_expect(there && else_where && is(else_where, list[k].beside), "%s", list[k].words);
        cr_expect(isnan(list[k].is) ? mpfr_nan_p(there->mid) != 0 : is(there, list[k].is), "%s", list[k].words);
    }
    a.edit = edit_as("exp:zero");
    cr_expect(site_mask(&w, here) == NULL && !site_hides(&w));
    ask_clear(&w);
}
Test(computed, of_several_elements_the_one_that_is_meant_is_changed)
{
    fill();
    for (int which = 1; which <= 3; which++) {
        char words[2][40];
        snprintf(words[0], sizeof *words, "input:zero:%dof3", which);
        snprintf(words[1], sizeof *words, "element:zero:%dof3", which);
        for (int kind = 0; kind < 2; kind++) {
            const struct arith a = { .edit = edit_as(words[kind]) };
            struct ask w = { .arith = &a, .call = &call };
            ask_reset(&w, BITS);
            for (int k = 0; k < 9; k++) {
                const struct ball *x = kind ? site_element(&w, here, &in[0], 8) : site_input(&w, here, "x", 1, 2, 0);
                cr_expect(is(x, k % 3 == which - 1 ? 0 : 12), "%s, time %d", words[kind], k);
            }
            ask_clear(&w);
        }
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
    cr_expect(b_value(both) == 1 + 0x1p-10 && b_radius(both) == 0x1p-10, "%g +- %g", b_value(both), b_radius(both));
    ask_clear(&w);
}

/* A line along the last axis of z[2][3][2] begins where its leading indices say. */
Test(computed, a_line_is_that_of_the_index_that_is_read)
{
    for (int axis = 0; axis < 2; axis++) {
        char words[40];
        snprintf(words, sizeof words, "line.%d:reverse", axis);
        struct arith a = { .edit = edit_as(words) };
        struct ask w = { .arith = &a, .call = &call };
        for (long u = 0; u < U; u++)
            for (long v = 0; v < V; v++) {
                const long from = (u * V + v) * W, p = axis ? u : U - 1 - u, q = axis ? V - 1 - v : v;
                a.edit = edit_as(words);
                cr_expect_eq(site_line(&w, here, &in[1], from), (p * V + q) * W, "%s: %ld %ld", words, u, v);
                cr_expect_eq(site_line(&w, beside, &in[1], from), from, "%s beside", words);
                a.edit = edit_as(axis ? "line.1:without-last" : "line.0:without-last");
                const bool last = axis ? v == V - 1 : u == U - 1;
                cr_expect_eq(site_line(&w, here, &in[1], from), last ? SITE_NOWHERE : from);
                a.edit = edit_as("line.2:reverse");
                cr_expect_eq(site_line(&w, here, &in[1], from), from, "the last axis leads no line");
            }
    }
    const struct arith a = { .edit = edit_as("line.0:reverse") };
    const struct ask w = { .arith = &a };
    const struct mer_array none[2] = { { "z", MER_F32, 3, { 0, V, W }, cube }, { "z", MER_F32, 3, { U, 0, W }, cube } };
    cr_expect(site_line(&w, here, &none[0], 0) <= 0 && site_line(&w, here, &none[1], 0) == 0, "an axis without lines");
}

/* Inputs and the answer have words of numbers, too. */
struct at_kind { enum site_kind kind; int words; };
static void ask_read(const char *word, const char *effect, const char *equal, void *with)
{
    struct at_kind *k = with;
    struct arith a = { .edit = edit_as(word + strlen("edit=f.c:7:")) };
    struct ask w = { .arith = &a, .call = &call, .len = 3 };
    double want, same;
    (void)effect, (void)equal;
    cr_assert(of_number(strrchr(word, ':') + 1, 34, &want) && of_number(strrchr(word, ':') + 1, 21, &same));
    ask_reset(&w, BITS);
    const struct ball *x = k->kind == SITE_INPUT ? site_input(&w, here, "x", 3, 4, 0) :
                                                   site_element(&w, here, &in[0], 3 * J + 4);
    cr_expect(is(x, want), "%s: %g", word, b_value(x));
    if (k->kind == SITE_INPUT) {
        const char *op = strrchr(word, ':') + 1;
        char out[40];
        const struct mer_array answer = { "y", MER_F32, 2, { 2, 3 }, grid };
        const struct ball *y[3] = { b_si(&w, 34), b_si(&w, 21), b_si(&w, 34) };
        snprintf(out, sizeof out, "out:0:out:%s", op);
        cr_assert(site_read(&a.edit, out, strlen(out)), "%s", out);
        cr_expect(site_before(&w, &answer, 1, y));
        site_after(&w, &answer, 1, y);
        cr_expect(is(y[0], want) && is(y[1], same) && is(y[2], want), "%s", out);
    }
    ask_clear(&w), k->words++;
}
Test(computed, every_word_of_what_is_read_or_answered_gives_what_it_says)
{
    fill();
    for (int k = 0; k < 2; k++) {
        struct at_kind c = { k ? SITE_ELEMENT : SITE_INPUT, 0 };
        const struct site s = { .at = here, .kind = c.kind, .count = 1 };
        site_each(&s, WORDS_ALL, ask_read, &c);
        cr_expect_geq(c.words, 10, "%d", c.words);
    }
}
