/* Newton's method with secants on the numbers of a page; see solved.h. */
#include "diagnose/hypotheses/solved.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/hypotheses/edits.h"
#include "diagnose/hypotheses/number.h"
#include "trial/trial.h"
#include "words/each.h"

enum { TURNS = 12, SHORT_TURNS = 24, DIGITS_MOST = 8, WRONG = 3, CLEAR = 100, LINES = 8 };
static const double AWAY = 0x1p-12, NEAR = 0x1p-20; /* of the number: for a first slope, and for one where it is */
static const double OWN = 0x1p-40; /* of the number: what slopes and differences of doubles leave unknown of it */
static const double LARGEST = 1e6;  /* of what is added, of what a number is multiplied by, and of its inverse */
static const double SMALL = 0x1p-8; /* What is added, and is less, is changed as if it were as large, for a slope. */
static const double CHANCE = 0.02;                   /* that a number of so few digits lies where the outputs have it */
static const double PLAIN = 1e9;                     /* Whole numbers below it are written without an exponent. */

/* The unknown number, and what is asked with it.  c is counted in `unit`: what a parameter is as declared, and 1 of an
 * edit. */
struct unknown {
    const struct spots *on;
    const char *word, *effect; /* to be followed by the number */
    bool edit, added;          /* else the word is a parameter's; the number is added, and not multiplied by */
    bool unread;               /* numbers that cannot be read are reported, and none that can */
    double unit;
    struct place p;
    long len;
    double *got, *value, *radius; /* of line p: the outputs; its numbers and radii as declared */
    double *at, *last, *within;   /* its numbers for the last two values of c, and the radii of the first of these */
    double c, before;             /* which they were */
};

/* Writes x with at most 17 digits, without an exponent where it is a factor. */
static void number_write(const struct unknown *u, double x, char *text, size_t n)
{
    const int whole = x == 0 ? 1 : (int)floor(log10(fabs(x))) + 1;
    if (!u->edit)
        snprintf(text, n, "%.17g", x);
    else
        snprintf(text, n, "%.*f", 17 - (whole < 1 ? 1 : whole), x);
}

/* Evaluates the line for c: at and within.  false: it gives no numbers. */
static bool evaluate(struct unknown *u, double c)
{
    char change[200], number[60], err[400];
    struct hypothesis h;
    double *was = u->last;
    u->last = u->at, u->at = was, u->before = u->c, u->c = c;
    number_write(u, c * u->unit, number, sizeof number);
    if (snprintf(change, sizeof change, "%s%s", u->word, number) >= (int)sizeof change)
        return false;
    const bool is = (u->edit ? hypothesis_over(&h, &u->on->own, change) :
                               hypothesis_open(&h, u->on->t, change, NULL) && !trial_check(&h.own, err, sizeof err)) &&
        hypothesis_middles(&h, &u->p, u->at, u->within);
    hypothesis_close(&h);
    return is;
}

/* How far c is changed, for a slope, as a share of what it is. */
static double aside(const struct unknown *u, double share)
{
    return share * (u->added ? fmax(fabs(u->c), SMALL) : u->c);
}
static double slope(const struct unknown *u, long k) { return (u->at[k] - u->last[k]) / (u->c - u->before); }
static bool is_wrong(const struct unknown *u, long k) { return !(fabs(u->got[k] - u->value[k]) <= u->radius[k]); }

/* The element that tells most of c, or (least) of those that tell it to a hundredth the one that changes least with it:
 * far from the answer an angle of many turns says nothing.  -1: none. */
static long telling(const struct unknown *u, bool least)
{
    long best = -1;
    double most = 0;
    for (long k = 0; k < u->len; k++) {
        const double s = fabs(slope(u, k)), tells = s / u->within[k];
        const double rank = least ? 1 / s : tells;
        if (isfinite(u->got[k]) && tells > 100 && rank > most)
            best = k, most = rank;
    }
    return best;
}

/* Moves c until element k is as it was got, each time by at most that share of c (or of 1, if that is more, where the
 * number is added).  false: it does not come there. */
static bool move(struct unknown *u, long k, double share)
{
    for (int turn = 0; turn < (isinf(share) ? TURNS : SHORT_TURNS); turn++) {
        const double most = share * (u->added ? fmax(fabs(u->c), 1) : fabs(u->c));
        const double step = fmax(-most, fmin(most, (u->got[k] - u->at[k]) / slope(u, k))), to = u->c + step;
        if (fabs(u->got[k] - u->at[k]) <= u->within[k] / 4)
            return true;
        if (!(fabs(to) <= LARGEST && (u->added || fabs(to) >= 1 / LARGEST)) || to == u->c || !evaluate(u, to))
            return false;
    }
    return fabs(u->got[k] - u->at[k]) <= u->within[k];
}

/* The values [low, high] of c that give all elements, by their slopes around u->c.  false: there are none. */
static bool narrow(struct unknown *u, double *low, double *high)
{
    const double c = u->c;
    if (!evaluate(u, c + aside(u, NEAR)))
        return false;
    *low = -HUGE_VAL, *high = HUGE_VAL;
    for (long k = 0; k < u->len; k++) {
        const double s = slope(u, k), off = u->got[k] - u->last[k], r = u->within[k];
        if (!(fabs(s) > 0)) {
            if (!(fabs(off) <= r))
                return false;
            continue;
        }
        const double a = c + (off - r) / s, b = c + (off + r) / s;
        *low = fmax(*low, fmin(a, b)), *high = fmin(*high, fmax(a, b));
    }
    return *low <= *high && isfinite(*high - *low);
}

static void look_at(struct unknown *u, struct place p)
{
    u->p = p, u->len = place_len(u->on->t, &p);
    for (long k = 0; k < u->len; k++)
        u->got[k] = array_get(&u->on->t->out[p.out], p.line * u->len + k);
}

/* Narrows [low, high] by other lines, from the c of the first.  A line that does not come to what was got, or comes
 * there elsewhere, by another turn of an angle, says nothing: whether the number explains it is asked in the end. */
static void by_other_lines(struct unknown *u, double *low, double *high)
{
    const struct place first = u->p;
    const double c = u->c;
    int lines = 0;
    for (int k = 0; k < u->on->n && lines < LINES; k++) {
        double l, h;
        if (u->on->at[k].p.out == first.out && u->on->at[k].p.line == first.line)
            continue;
        look_at(u, u->on->at[k].p), lines++;
        if (!evaluate(u, c) || !evaluate(u, c + aside(u, NEAR)))
            continue;
        const long last = telling(u, false);
        if (last >= 0 && move(u, last, HUGE_VAL) && narrow(u, &l, &h) && l <= *high && h >= *low)
            *low = fmax(*low, l), *high = fmin(*high, h);
    }
    look_at(u, first);
}

/* What does not change with c has to be right already, and something has to change. */
static bool may_explain(struct unknown *u)
{
    bool changes = false;
    for (long k = 0; k < u->len; k++) {
        changes |= u->at[k] != u->value[k];
        if (u->at[k] == u->value[k] && is_wrong(u, k))
            return false;
    }
    return changes;
}

/* A number that was read: its value, and what the effect says of it. */
struct read_as { double x; bool decimal; char says[120]; };

/* Reads the number in [low, high], which are not 0.  false: it may be any number. */
static bool readable(const struct unknown *u, double low, double high, struct read_as *f)
{
    struct number_terms of;
    char text[40], says[60];
    const double mid = low + (high - low) / 2, width = fmax(high - low, fabs(mid) * 0x1p-52);
    const double chance = CHANCE * pow(10, floor(log10(fabs(mid)))); /* of numbers of one digit; of two a tenth, .. */
    int most = 0;
    while (most < DIGITS_MOST && width <= chance * pow(10, -most))
        most++;
    if (number_decimal(low, high, most, text, sizeof text)) {
        f->x = strtod(text, NULL);
        if (f->x == floor(f->x) && fabs(f->x) < PLAIN)
            snprintf(text, sizeof text, "%.0f", f->x);
        f->decimal = true, snprintf(f->says, sizeof f->says, "%s", text);
        return true;
    }
    number_terms_of(&of, u->on->t);
    if (!number_expression(&of, NUMBER_PRODUCT, low, high, &f->x, says, sizeof says))
        return false;
    f->decimal = false, snprintf(f->says, sizeof f->says, "%.6g (%s)", f->x, says);
    return true;
}

/* The number of fewest digits in [low, high], whatever they are worth.  false: more digits than are asked for. */
static bool shortest(double low, double high, struct read_as *f)
{
    *f = (struct read_as){ .decimal = true };
    if (!number_decimal(low, high, 2 * DIGITS_MOST, f->says, sizeof f->says))
        return false;
    f->x = strtod(f->says, NULL);
    return true;
}

static void report(const struct unknown *u, const struct read_as *x, site_word *f, void *with)
{
    char change[300], effect[400], number[120];
    number_write(u, x->x, number, sizeof number);
    if (u->edit) { /* "1.010000000000" is 1.01. */
        char *end = number + strlen(number);
        while (end[-1] == '0')
            *--end = 0;
        if (end[-1] == '.')
            *--end = 0;
    } else if (x->decimal)
        snprintf(number, sizeof number, "%s", x->says);
    snprintf(change, sizeof change, "%s%s", u->word, number);
    snprintf(effect, sizeof effect, "%s %s", u->effect, x->says);
    f(change, effect, NULL, with);
}

/* Numbers that are edits of their own, and that of what is declared. */
static bool has_a_word(const struct unknown *u, double x)
{
    return u->edit && (x == (u->added ? 0 : 1) || site_number_has_word(u->word, x));
}

/* Moves c until all elements are as they were got, beginning with one of them: that which tells most, or (least) that
 * which changes least.  [*low, *high] are the values that give them.  false: it does not come there. */
static bool comes_there(struct unknown *u, bool least, double share, double *low, double *high)
{
    const long first = telling(u, least);
    if (first < 0 || !move(u, first, share) || !evaluate(u, u->c + aside(u, NEAR))) /* Far apart, two tell no slope. */
        return false;
    const long last = telling(u, false);
    return last >= 0 && move(u, last, HUGE_VAL) && narrow(u, low, high);
}

/* Looks for the number, from what it is as declared: by whole secants, and where these lead elsewhere (powers, angles
 * that pass an end) by short ones. */
static void solve(struct unknown *u, site_word *f, void *with)
{
    static const struct { bool least; double share; } way[] = {
        { true, HUGE_VAL },
        { true, 0.125 },
        { false, 0.125 },
    };
    const double from = u->added ? 0 : 1;
    double low, high;
    bool is = false;
    struct read_as x;
    u->c = from, memcpy(u->at, u->value, (size_t)u->len * sizeof *u->at);
    if (!evaluate(u, from + AWAY) || !may_explain(u))
        return;
    for (size_t k = 0; k < sizeof way / sizeof *way && !is; k++)
        is = (!k || (evaluate(u, from) && evaluate(u, from + AWAY))) &&
            comes_there(u, way[k].least, way[k].share, &low, &high);
    if (!is)
        return;
    by_other_lines(u, &low, &high);
    low = (low - fabs(aside(u, OWN))) * u->unit, high = (high + fabs(aside(u, OWN))) * u->unit;
    if (!(low > 0 || high < 0))
        return;
    const double least = fmin(low, high), most = fmax(low, high);
    if (u->unread != readable(u, least, most, &x) && (!u->unread || shortest(least, most, &x)) && !has_a_word(u, x.x))
        report(u, &x, f, with);
}

/* Whether the line for the number n, of a parameter that is a whole one, is what was got. */
static bool is_it(struct unknown *u, long n)
{
    u->c = 0;
    if (!evaluate(u, (double)n))
        return false;
    for (long k = 0; k < u->len; k++)
        if (!(fabs(u->got[k] - u->at[k]) <= u->within[k]))
            return false;
    return true;
}

static void report_whole(const struct unknown *u, long n, site_word *f, void *with)
{
    struct read_as x = { .x = (double)n, .decimal = true };
    snprintf(x.says, sizeof x.says, "%ld", n);
    report(u, &x, f, with);
}

/* found: a number was found for the word asked last. */
struct solving { struct unknown *u; double most; site_word *f; void *with; bool found; char number[60]; };
/* A number is passed on, and kept. */
static void passed_on(const char *change, const char *effect, const char *equal, void *with)
{
    struct solving *a = with;
    a->found = true, snprintf(a->number, sizeof a->number, "%s", change + strlen(a->u->word));
    a->f(change, effect, equal, a->with);
}

static void of_site(const char *word, const char *effect, const char *equal, void *with)
{
    struct solving *a = with;
    (void)equal;
    const size_t len = strlen(word);
    if (word[len - 1] != '-') { /* With hidden keys as well: the lines that the number was read from may hide none. */
        char change[300], says[460];
        const char *keys = strrchr(word, ':');
        snprintf(change, sizeof change, "%.*s%s%s", (int)(keys - word), word, a->number, keys);
        snprintf(says, sizeof says, "%s %s", effect, a->number);
        if (a->found)
            a->f(change, says, NULL, a->with);
        return;
    }
    a->found = false;
    a->u->word = word, a->u->effect = effect, a->u->edit = true, a->u->unit = 1;
    a->u->added = len > strlen("plus-") && !strcmp(word + len - strlen("plus-"), "plus-");
    if (hypotheses_work() < a->most)
        solve(a->u, passed_on, a);
}

/* Whole numbers have no slope: the powers of two, and the sizes of the question with their neighbours, are tried. */
static void of_whole(const struct solving *a)
{
    enum { MOST = 20 };
    const long *size = a->u->on->t->size;
    a->u->unit = 1;
    for (int power = 0; power <= MOST && hypotheses_work() < a->most; power++)
        if (is_it(a->u, 1l << power))
            report_whole(a->u, 1l << power, a->f, a->with);
    for (char c = 'a'; c <= 'z'; c++)
        for (long n = size[(int)c] - 1; size[(int)c] > 0 && n <= size[(int)c] + 1 && hypotheses_work() < a->most; n++)
            if (n > 0 && (n & (n - 1)) && is_it(a->u, n))
                report_whole(a->u, n, a->f, a->with);
}

static void of_params(const struct solving *a)
{
    const struct trial *t = a->u->on->t;
    for (const struct param *p = row_params(t->row); p->name; p++) {
        char word[80], effect[100];
        if ((p->kind != RATIONAL && p->kind != INT) || p->route || hypotheses_work() >= a->most)
            continue;
        snprintf(word, sizeof word, "%s=", p->name);
        snprintf(effect, sizeof effect, "the parameter %s is", p->name);
        a->u->word = word, a->u->effect = effect, a->u->unit = mer_real(&t->call, p->name);
        a->u->edit = a->u->added = false;
        if (p->kind == INT && !a->u->unread)
            of_whole(a);
        else if (p->kind != INT && a->u->unit != 0 && isfinite(a->u->unit))
            solve(a->u, a->f, a->with);
    }
}

/* Fills what is known of line p.  false: as declared it has elements that are not finite. */
static bool read_line(struct unknown *u, struct hypothesis *declared, struct place p)
{
    look_at(u, p);
    return hypothesis_middles(declared, &p, u->value, u->radius);
}

/* How far the line is from what it should be, in its largest number: infinite where it has fewer than WRONG elements
 * that say how far. */
static double how_far(const struct unknown *u)
{
    double top = 0, far = 0;
    int clear = 0;
    for (long k = 0; k < u->len; k++) {
        const double off = fabs(u->got[k] - u->value[k]);
        if (!isfinite(off))
            return HUGE_VAL;
        top = fmax(top, fmax(fabs(u->got[k]), fabs(u->value[k]))), far = fmax(far, off);
        clear += off > CLEAR * u->radius[k];
    }
    return clear >= WRONG || clear == u->len ? far / top : (double)HUGE_VAL;
}

/* Reads the wrong line that is least far from what it should be, as an answer far away may be reached by many turns of
 * an angle.  false: no line says how far it is. */
static bool nearest_line(struct unknown *u, struct hypothesis *declared)
{
    double least = HUGE_VAL;
    struct place best = { 0 };
    for (int k = 0; k < u->on->n; k++)
        if (read_line(u, declared, u->on->at[k].p)) {
            const double far = how_far(u);
            if (far > 0 && far < least)
                least = far, best = u->p;
        }
    return isfinite(least) && read_line(u, declared, best);
}

/* The most elements that a line has. */
static size_t longest(const struct spots *on)
{
    long most = 0;
    for (int k = 0; k < on->n; k++) {
        const long len = place_len(on->t, &on->at[k].p);
        most = len > most ? len : most;
    }
    return (size_t)most + 1;
}

/* What solved_each and solved_unread do. */
static void each(const struct spots *on, bool unread, double most, site_word *f, void *with)
{
    if (!on->sharps || on->all - on->declared < WRONG)
        return;
    const size_t len = longest(on);
    double *numbers = need(6 * len, sizeof *numbers);
    struct unknown u = { .on = on, .unread = unread, .got = numbers, .value = numbers + len,
        .radius = numbers + 2 * len, .at = numbers + 3 * len, .last = numbers + 4 * len, .within = numbers + 5 * len };
    struct hypothesis declared;
    const bool is = hypothesis_open(&declared, on->t, "", NULL) && nearest_line(&u, &declared);
    hypothesis_close(&declared);
    struct solving a = { .u = &u, .most = most, .f = f, .with = with };
    if (is) {
        of_params(&a);
        edits_of_sites(on->t, &u.p, 1, WORDS_NUMBERS, of_site, &a);
    }
    free(numbers);
}

void solved_each(const struct spots *on, double most, site_word *f, void *with) { each(on, false, most, f, with); }
void solved_unread(const struct spots *on, double most, site_word *f, void *with) { each(on, true, most, f, with); }
