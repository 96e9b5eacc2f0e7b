/* Operations of pages done differently; see site.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "edit/site.h"

const char edit_nowhere[] = "edit=nowhere:0:add:zero";

enum op { ZERO, ONE, NEGATE, DOUBLE, HALVE, SQUARE, INVERT, ABSOLUTE, MORE, LESS, ADD, SUB, MUL, DIV, LARGER, SMALLER,
    REVERSED, LEFT, RIGHT, NONE, SIN, COS, EXP2, EXPM1, LOG2, LOG10, LOG1P, UP, DOWN, TRANSPOSE, OPS };
static const struct { const char *name, *says; } ops[OPS] = {
    [ZERO] = { "zero", "is 0" },
    [ONE] = { "one", "is 1" },
    [NEGATE] = { "negate", "is negated" },
    [DOUBLE] = { "double", "is doubled" },
    [HALVE] = { "halve", "is halved" },
    [SQUARE] = { "square", "is squared" },
    [INVERT] = { "invert", "is inverted (1/x)" },
    [ABSOLUTE] = { "absolute", "loses its sign" },
    [MORE] = { "more", "is one more" },
    [LESS] = { "less", "is one less" },
    [ADD] = { "add", "is a sum" },
    [SUB] = { "sub", "is a difference" },
    [MUL] = { "mul", "is a product" },
    [DIV] = { "div", "is a quotient" },
    [LARGER] = { "max", "is the larger of the two" },
    [SMALLER] = { "min", "is the smaller of the two" },
    [REVERSED] = { "reversed", "has its operands exchanged" },
    [LEFT] = { "left", "is its first operand alone" },
    [RIGHT] = { "right", "is its second operand alone" },
    [NONE] = { "none", "is left out" },
    [SIN] = { "sin", "is a sine" },
    [COS] = { "cos", "is a cosine" },
    [EXP2] = { "exp2", "is a power of 2" },
    [EXPM1] = { "expm1", "lacks 1 (expm1)" },
    [LOG2] = { "log2", "is one to base 2" },
    [LOG10] = { "log10", "is one to base 10" },
    [LOG1P] = { "log1p", "has one more in its argument (log1p)" },
    [UP] = { "ceil", "is the integer above" },
    [DOWN] = { "floor", "is the integer below" },
    [TRANSPOSE] = { "transpose", "stands at the transposed place" },
};

/* What each kind is called, and the operations that make sense of it: those of its own, then those of its value.  Of a
 * kind with axes the list is that without an axis; every axis has the index maps. */
#define ITSELF "zero negate double halve"
#define NUMBER "zero one negate double halve square invert absolute"
#define COUNTED "more less zero one negate double halve absolute"
static const struct { const char *name, *says, *ops; } kinds[SITE_KINDS] = {
    [SITE_ADD] = { "add", "the sum", "sub mul left right max " ITSELF },
    [SITE_SUB] = { "sub", "the difference", "add reversed left right absolute " ITSELF },
    [SITE_MUL] = { "mul", "the product", "div left right add square " ITSELF },
    [SITE_DIV] = { "div", "the quotient", "mul reversed left right " ITSELF },
    [SITE_POW] = { "pow", "the power", "mul left right invert " ITSELF },
    [SITE_MAX] = { "max", "the larger of two", "min left right" },
    [SITE_MIN] = { "min", "the smaller of two", "max left right" },
    [SITE_NEG] = { "neg", "the negation", "none zero" },
    [SITE_ABS] = { "abs", "the absolute value", "none negate" },
    [SITE_EXP] = { "exp", "the exponential", "none exp2 expm1 one invert " ITSELF },
    [SITE_LOG] = { "log", "the logarithm", "none log2 log10 log1p " ITSELF },
    [SITE_SQRT] = { "sqrt", "the root", "none one invert " ITSELF },
    [SITE_SIN] = { "sin", "the sine", "cos none absolute " ITSELF },
    [SITE_COS] = { "cos", "the cosine", "sin none one " ITSELF },
    [SITE_TANH] = { "tanh", "the hyperbolic tangent", "none " ITSELF },
    [SITE_ERF] = { "erf", "the error function", "none " ITSELF },
    [SITE_FLOOR] = { "floor", "the integer below", "none ceil" },
    [SITE_CEIL] = { "ceil", "the integer above", "none floor" },
    [SITE_SINCOS] = { "sincos", "sine and cosine", "reversed left right" },
    [SITE_RATIONAL] = { "rational", "the rational number", COUNTED " invert square" },
    [SITE_INTEGER] = { "integer", "the whole number", COUNTED },
    [SITE_RATIO] = { "ratio", "the ratio", COUNTED " invert" },
    [SITE_WHOLE] = { "whole", "the whole number", COUNTED },
    [SITE_INPUT] = { "input", "the element that is read", NUMBER },
    [SITE_ELEMENT] = { "element", "the element that is read", NUMBER },
    [SITE_LINE] = { "line", "the line that is read", "" },
    [SITE_INDEX] = { "index", "the part that is asked", "" },
    [SITE_OUT] = { "out", "the answer", NUMBER },
};

enum { REVERSE, ROLL, BACK, FIRST, LAST, ODD, EVEN, SWAP, HALF, SPREAD, GATHER, NEXT, BEFORE, TAIL_1, TAIL_4, TAIL_8,
    TAIL_16, TAIL_32, TAIL_64, TAIL_128 };
const struct index_map index_maps[] = {
    [REVERSE] = { "reverse", "backwards" },
    [ROLL] = { "roll", "one further, the last as the first" },
    [BACK] = { "back", "one before, the first as the last" },
    [FIRST] = { "first", "always at its first place" },
    [LAST] = { "last", "always at its last place" },
    [ODD] = { "odd", "at the odd one of each pair" },
    [EVEN] = { "even", "at the even one of each pair" },
    [SWAP] = { "swap", "with both halves exchanged" },
    [HALF] = { "half", "at half the index" },
    [SPREAD] = { "spread", "as evens, then odds" },
    [GATHER] = { "gather", "as halves of which pairs are made" },
    [NEXT] = { "next", "one further, the last twice" },
    [BEFORE] = { "before", "one before, the first twice" },
    [TAIL_1] = { "without-last", "as 0 at its last place" },
    [TAIL_4] = { "tail-4", "as 0 behind the last whole block of 4" },
    [TAIL_8] = { "tail-8", "as 0 behind the last whole block of 8" },
    [TAIL_16] = { "tail-16", "as 0 behind the last whole block of 16" },
    [TAIL_32] = { "tail-32", "as 0 behind the last whole block of 32" },
    [TAIL_64] = { "tail-64", "as 0 behind the last whole block of 64" },
    [TAIL_128] = { "tail-128", "as 0 behind the last whole block of 128" },
    { NULL, NULL },
};
int index_map_named(const char *name, size_t n)
{
    for (int k = 0; index_maps[k].name; k++)
        if (strlen(index_maps[k].name) == n && !strncmp(index_maps[k].name, name, n))
            return k;
    return -1;
}
long index_mapped(int map, long i, long n)
{
    switch (map) {
    case REVERSE: return n - 1 - i;
    case ROLL: return (i + 1) % n;
    case BACK: return (i + n - 1) % n;
    case FIRST: return 0;
    case LAST: return n - 1;
    case ODD: return (i | 1) < n ? i | 1 : n - 1;
    case EVEN: return i & ~1L;
    case SWAP: return (i + n / 2) % n;
    case HALF: return i / 2;
    case SPREAD: return 2 * i < n ? 2 * i : 2 * (i - (n + 1) / 2) + 1;
    case GATHER: return i % 2 ? (n + 1) / 2 + i / 2 : i / 2;
    case NEXT: return i + 1 < n ? i + 1 : n - 1;
    case BEFORE: return i ? i - 1 : 0;
    case TAIL_1: return i + 1 < n ? i : -1;
    default: return i < n >> (map - TAIL_4 + 2) << (map - TAIL_4 + 2) ? i : -1;
    }
}

bool index_tells(int map, long extent)
{
    long same = 0, nothing = 0;
    for (long i = 0; i < extent; i++)
        same += index_mapped(map, i, extent) == i, nothing += index_mapped(map, i, extent) < 0;
    return same < extent && nothing < extent;
}

/* Writing and reading of words. */

/* A file as words have it: below ref/ or ref/core/, however the compiler was given it. */
static const char *short_file(const char *file)
{
    for (const char *s; (s = strstr(file, "ref/"));)
        file = s + 4;
    return strncmp(file, "core/", 5) ? file : file + 5;
}
static int named_op(const char *s, size_t n)
{
    int k = 0;
    while (k < OPS && (strlen(ops[k].name) != n || strncmp(ops[k].name, s, n)))
        k++;
    return k < OPS ? k : -1;
}
static int named_kind(const char *s, size_t n)
{
    int k = 0;
    while (k < SITE_KINDS && (strlen(kinds[k].name) != n || strncmp(kinds[k].name, s, n)))
        k++;
    return k < SITE_KINDS ? k : -1;
}

/* The parts of a word between its colons, from the last: up to four. */
bool site_read(struct edit *e, const char *value, size_t n)
{
    const char *part[5] = { value }; /* FILE LINE KIND OPERATION OCCURRENCE */
    size_t len[5] = { 0 };
    int parts = 0;
    for (size_t k = 0; k < n; k++)
        if (value[k] == ':') {
            if (parts == 4)
                return false;
            part[++parts] = value + k + 1;
        } else
            len[parts]++;
    *e = (struct edit){ .step = SITE_EDIT, .axis = -1 };
    if (parts < 3 || (parts == 4 && (sscanf(part[4], "%dof%d", &e->which, &e->of) != 2 || e->of < 2 || e->of > 9 ||
        e->which < 1 || e->which > e->of)))
        return false;
    const char *dot = memchr(part[2], '.', len[2]);
    const size_t kind = dot ? (size_t)(dot - part[2]) : len[2];
    e->kind = named_kind(part[2], kind);
    if (dot && (len[2] != kind + 2 || dot[1] < '0' || dot[1] >= '0' + MER_RANK))
        return false;
    e->axis = dot ? dot[1] - '0' : -1;
    e->op = dot && !(len[3] == 9 && !strncmp(part[3], "transpose", 9)) ? index_map_named(part[3], len[3]) :
                                                                         named_op(part[3], len[3]);
    e->transposed = dot && *part[3] == 't' && part[3][1] == 'r';
    e->file = value, e->file_len = len[0], e->line = atoi(part[1]);
    return e->kind >= 0 && e->op >= 0;
}

static void say(const struct site *s, const char *axis, const char *op, const char *says, const char *per,
    void (*f)(const char *, const char *, void *), void *with)
{
    char word[120], effect[220], place[100] = "";
    const bool out = s->kind == SITE_OUT;
    const int which = *per ? atoi(per) : 0, of = *per ? atoi(strstr(per, "of") + 2) : 0;
    char turn[32] = "";
    if (which)
        snprintf(turn, sizeof turn, " (number %d of every %d)", which, of);
    snprintf(word, sizeof word, "edit=%s:%d:%s%s:%s%s%s", short_file(s->at.file), s->at.line, kinds[s->kind].name,
        axis, op, *per ? ":" : "", per);
    if (!out)
        snprintf(place, sizeof place, " at %s:%d", s->at.file, s->at.line);
    snprintf(effect, sizeof effect, "%s%s%s %s%s%s%s", kinds[s->kind].says, place, turn,
        *axis ? out ? "is given " : "is read " : "", *axis && !out ? "along axis " : *axis ? "along its axis " : "",
        *axis ? axis + 1 : "", *axis ? " " : "");
    strncat(effect, says, sizeof effect - strlen(effect) - 1);
    f(word, effect, with);
}

static void each_value(const struct site *s, const char *per, void (*f)(const char *, const char *, void *), void *with)
{
    for (const char *o = kinds[s->kind].ops; *o;) {
        const size_t n = strcspn(o, " ");
        const int k = named_op(o, n);
        say(s, "", ops[k].name, ops[k].says, per, f, with);
        o += n, o += strspn(o, " ");
    }
}
static void each_axis(const struct site *s, const char *per, void (*f)(const char *, const char *, void *), void *with)
{
    for (int a = 0; a < s->axes; a++) {
        char axis[8];
        snprintf(axis, sizeof axis, ".%d", a);
        for (int k = 0; index_maps[k].name; k++)
            if (index_tells(k, s->extent[a]))
                say(s, axis, index_maps[k].name, index_maps[k].says, per, f, with);
        if (s->kind == SITE_OUT && a + 1 < s->axes && s->extent[a] > 1 && s->extent[a + 1] > 1)
            say(s, axis, "transpose", "transposed with the next axis", per, f, with);
    }
}
/* Are its times counted?  Where an index is made, a page may ask in any order. */
static bool takes_turns(enum site_kind k)
{
    return k != SITE_WHOLE && k != SITE_LINE && k != SITE_INDEX && k != SITE_OUT;
}
void site_each(const struct site *s, bool per, void (*f)(const char *, const char *, void *), void *with)
{
    if (!per)
        each_value(s, "", f, with), each_axis(s, "", f, with);
    for (int of = 2; per && of <= 4; of++)
        for (int which = 1; which <= of && s->count % of == 0 && s->count >= of && takes_turns(s->kind); which++) {
            char text[16];
            snprintf(text, sizeof text, "%dof%d", which, of);
            each_value(s, text, f, with), each_axis(s, text, f, with);
        }
}

/* Where pages meet them. */

static bool same_place(struct source a, struct source b) { return a.line == b.line && !strcmp(a.file, b.file); }
static void note(struct sites *all, struct source at, enum site_kind kind, const struct mer_array *a)
{
    struct site *s = all->s;
    while (s < all->s + all->n && (s->kind != kind || !same_place(s->at, at)))
        s++;
    if (s == all->s + SITES)
        return;
    if (s == all->s + all->n)
        *s = (struct site){ .at = at, .kind = kind }, all->n++;
    s->count++;
    for (int k = 0; a && k < a->rank; k++)
        s->extent[k] = a->dim[k] > s->extent[k] ? a->dim[k] : s->extent[k], s->axes = k + 1 > s->axes ? k + 1 : s->axes;
}
void sites_join(struct sites *to, const struct sites *line)
{
    for (int k = 0; k < line->n; k++) {
        const struct site *x = &line->s[k];
        struct site *s = to->s;
        while (s < to->s + to->n && (s->kind != x->kind || !same_place(s->at, x->at)))
            s++;
        if (s == to->s + SITES)
            continue;
        if (s == to->s + to->n)
            *s = *x, to->n++;
        s->count = s->count > x->count ? s->count : x->count;
    }
}
static bool is_here(const struct edit *e, struct source at, enum site_kind kind)
{
    const char *file = e->kind == (int)kind && e->line == at.line ? short_file(at.file) : NULL;
    return file && !strncmp(file, e->file, e->file_len) && !file[e->file_len];
}
/* Is the edit one of this operation, and this its turn? */
static bool hit(struct ask *w, struct source at, enum site_kind kind)
{
    const struct edit *e = &w->arith->edit;
    if (w->sites)
        note(w->sites, at, kind, NULL);
    return is_here(e, at, kind) && (!e->of || w->site_turns++ % e->of == e->which - 1);
}

/* The operations of a value, whatever made it. */
static const struct ball *value_edited(struct ask *w, int op, const struct ball *x)
{
    switch (op) {
    case ZERO: return (b_si)(w, 0);
    case ONE: return (b_si)(w, 1);
    case NEGATE: return (b_neg)(w, x);
    case DOUBLE: return (b_add)(w, x, x);
    case HALVE: return (b_div)(w, x, (b_si)(w, 2));
    case SQUARE: return (b_mul)(w, x, x);
    case INVERT: return (b_div)(w, (b_si)(w, 1), x);
    case ABSOLUTE: return mpfr_signbit(x->mid) ? (b_neg)(w, x) : x;
    default: return x;
    }
}

const struct ball *site_two_edited(struct ask *w, struct source at, enum site_kind kind, ball_of_two *f,
    const struct ball *x, const struct ball *y)
{
    if (!hit(w, at, kind))
        return f(w, x, y);
    switch (w->arith->edit.op) {
    case ADD: return (b_add)(w, x, y);
    case SUB: return (b_sub)(w, x, y);
    case MUL: return (b_mul)(w, x, y);
    case DIV: return (b_div)(w, x, y);
    case LARGER: return (b_max)(w, x, y);
    case SMALLER: return (b_min)(w, x, y);
    case REVERSED: return f(w, y, x);
    case LEFT: return x;
    case RIGHT: return y;
    default: return value_edited(w, w->arith->edit.op, f(w, x, y));
    }
}

const struct ball *site_one_edited(
    struct ask *w, struct source at, enum site_kind kind, ball_of_one *f, const struct ball *x)
{
    if (!hit(w, at, kind))
        return f(w, x);
    switch (w->arith->edit.op) {
    case NONE: return x;
    case SIN: return (b_sin)(w, x);
    case COS: return (b_cos)(w, x);
    case EXP2: return (b_pow)(w, (b_si)(w, 2), x);
    case EXPM1: return (b_sub)(w, (b_exp)(w, x), (b_si)(w, 1));
    case LOG2: return (b_div)(w, (b_log)(w, x), (b_log)(w, (b_si)(w, 2)));
    case LOG10: return (b_div)(w, (b_log)(w, x), (b_log)(w, (b_si)(w, 10)));
    case LOG1P: return (b_log)(w, (b_add)(w, x, (b_si)(w, 1)));
    case UP: return (b_ceil)(w, x);
    case DOWN: return (b_floor)(w, x);
    default: return value_edited(w, w->arith->edit.op, f(w, x));
    }
}

void site_sincos_edited(
    struct ask *w, struct source at, const struct ball *x, const struct ball **sin, const struct ball **cos)
{
    const bool here = hit(w, at, SITE_SINCOS);
    const int op = w->arith->edit.op;
    (b_sincos)(w, x, sin, cos);
    const struct ball *s = *sin, *c = *cos;
    if (here)
        *sin = op == LEFT ? s : c, *cos = op == RIGHT ? c : s;
}

const struct ball *site_rational_edited(struct ask *w, struct source at, mpq_srcptr q)
{
    const bool here = hit(w, at, SITE_RATIONAL);
    const int op = w->arith->edit.op;
    const struct ball *x = (b_q)(w, q);
    return !here   ? x :
        op == MORE ? (b_add)(w, x, (b_si)(w, 1)) :
        op == LESS ? (b_sub)(w, x, (b_si)(w, 1)) :
                     value_edited(w, op, x);
}

/* The operations of a whole number. */
static long whole_edited(int op, long n)
{
    switch (op) {
    case MORE: return n + 1;
    case LESS: return n - 1;
    case ZERO: return 0;
    case ONE: return 1;
    case NEGATE: return -n;
    case DOUBLE: return 2 * n;
    case HALVE: return n / 2;
    case ABSOLUTE: return labs(n);
    default: return n;
    }
}
const struct ball *site_integer_edited(struct ask *w, struct source at, long n)
{
    return (b_si)(w, hit(w, at, SITE_INTEGER) ? whole_edited(w->arith->edit.op, n) : n);
}
const struct ball *site_ratio_edited(struct ask *w, struct source at, long n, long d)
{
    if (!hit(w, at, SITE_RATIO))
        return (b_ratio)(w, n, d);
    const int op = w->arith->edit.op;
    return op == INVERT ? (b_div)(w, (b_si)(w, 1), (b_ratio)(w, n, d)) :
        op == HALVE     ? (b_div)(w, (b_ratio)(w, n, d), (b_si)(w, 2)) :
                          (b_ratio)(w, whole_edited(op, n), d);
}
long site_whole_edited(const struct ask *w, struct source at, long n)
{
    if (w->sites)
        note(w->sites, at, SITE_WHOLE, NULL);
    return is_here(&w->arith->edit, at, SITE_WHOLE) ? whole_edited(w->arith->edit.op, n) : n;
}
long site_index_edited(const struct ask *w, struct source at, int axis, long i, long extent)
{
    const struct edit *e = &w->arith->edit;
    struct mer_array a = { .rank = axis + 1 };
    a.dim[axis] = extent;
    if (w->sites)
        note(w->sites, at, SITE_INDEX, &a);
    return is_here(e, at, SITE_INDEX) && e->axis == axis && i >= 0 && i < extent ? index_mapped(e->op, i, extent) : i;
}

const struct ball *site_input_edited(struct ask *w, struct source at, const char *name, const long index[3])
{
    const struct edit *e = &w->arith->edit;
    const struct mer_array *a = array_in(w, name);
    long to[3] = { index[0], index[1], index[2] };
    if (w->sites)
        note(w->sites, at, SITE_INPUT, a);
    if (!is_here(e, at, SITE_INPUT) || (e->of && w->site_turns++ % e->of != e->which - 1))
        return (b_in)(w, name, to[0], to[1], to[2]);
    if (e->axis < 0)
        return value_edited(w, e->op, (b_in)(w, name, to[0], to[1], to[2]));
    if (e->axis < a->rank && e->axis < 3 && to[e->axis] >= 0 && to[e->axis] < a->dim[e->axis])
        to[e->axis] = index_mapped(e->op, to[e->axis], a->dim[e->axis]);
    return e->axis < 3 && to[e->axis] < 0 ? (b_si)(w, 0) : (b_in)(w, name, to[0], to[1], to[2]);
}

/* Its axes are counted from the last, which is what a flat index runs along. */
const struct ball *site_element_edited(struct ask *w, struct source at, const struct mer_array *a, long k)
{
    const struct edit *e = &w->arith->edit;
    const long n = a->rank ? a->dim[a->rank - 1] : 0;
    if (w->sites)
        note(w->sites, at, SITE_ELEMENT, &(struct mer_array){ .rank = 1, .dim = { n } });
    if (!is_here(e, at, SITE_ELEMENT) || (e->of && w->site_turns++ % e->of != e->which - 1))
        return (b_element)(w, a, k);
    if (e->axis < 0)
        return value_edited(w, e->op, (b_element)(w, a, k));
    const long c = n > 0 && k >= 0 ? index_mapped(e->op, k % n, n) : k;
    return c < 0 ? (b_si)(w, 0) : (b_element)(w, a, n > 0 && k >= 0 ? k - k % n + c : k);
}

long site_line_edited(const struct ask *w, struct source at, const struct mer_array *a, long from)
{
    const struct edit *e = &w->arith->edit;
    const int axes = a->rank - 1;
    struct mer_array lead = *a;
    lead.rank = axes;
    if (w->sites && axes > 0)
        note(w->sites, at, SITE_LINE, &lead);
    if (!is_here(e, at, SITE_LINE) || e->axis < 0 || e->axis >= axes)
        return from;
    long below = a->dim[axes];
    for (int k = e->axis + 1; k < axes; k++)
        below *= a->dim[k];
    const long n = a->dim[e->axis], i = n && below ? from / below % n : 0, to = n ? index_mapped(e->op, i, n) : i;
    return to < 0 ? SITE_NOWHERE : from + (to - i) * below;
}

static bool of_answer(const struct ask *w, const struct mer_array *out)
{
    if (!sited(w) || !out)
        return false;
    if (w->sites)
        note(w->sites, (struct source){ "out", 0 }, SITE_OUT, out);
    return w->arith->edit.kind == SITE_OUT;
}
bool site_before(struct ask *w, const struct mer_array *out, int lead, const struct ball **y)
{
    const struct edit *e = &w->arith->edit;
    if (!of_answer(w, out) || e->axis < 0 || e->axis >= lead)
        return true;
    long *i = &w->at[e->axis], n = out->dim[e->axis], m = e->axis + 1 < lead ? out->dim[e->axis + 1] : 0;
    if (e->transposed && m) { /* Written as [m, n], read as [n, m]. */
        const long flat = i[0] * m + i[1];
        i[0] = flat % n, i[1] = flat / n;
        return true;
    }
    const long to = e->transposed ? *i : index_mapped(e->op, *i, n);
    for (long k = 0; to < 0 && k < w->len; k++)
        y[k] = (b_si)(w, 0);
    *i = to < 0 ? *i : to;
    return to >= 0;
}
void site_after(struct ask *w, const struct mer_array *out, int lead, const struct ball **y)
{
    const struct edit *e = &w->arith->edit;
    if (!sited(w) || !out || e->kind != SITE_OUT || e->transposed)
        return;
    for (long k = 0; e->axis < 0 && k < w->len; k++)
        y[k] = value_edited(w, e->op, y[k]);
    if (e->axis != lead || out->rank != lead + 1)
        return;
    const struct ball **was = need((size_t)w->len + 1, sizeof *was);
    memcpy(was, y, (size_t)w->len * sizeof *y);
    for (long k = 0; k < w->len; k++) {
        const long from = index_mapped(e->op, k, w->len);
        y[k] = from < 0 ? (b_si)(w, 0) : was[from];
    }
    free(was);
}
