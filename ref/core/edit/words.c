/* The words of operations done differently: what they are called, and which there are; see site.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "edit/maps.h"
#include "edit/site.h"
#include "edit/shift.h"
#include "edit/site_parts.h"
#include "edit/whole.h"

const char edit_nowhere[] = "edit=nowhere:0:add:zero";

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
    [AS_F16] = { "f16", "is rounded to f16" },
    [AS_BF16] = { "bf16", "is rounded to bf16" },
    [LARGEST] = { "largest", "is the largest of its terms" },
    [LEAST] = { "least", "is the least of its terms" },
    [MEAN] = { "mean", "is the mean of its terms" },
    [TOTAL] = { "total", "is the total of its terms" },
    [CUBE] = { "cube", "is of the third power" },
    [NOT] = { "not", "is its opposite" },
    [TRUE] = { "true", "always holds" },
    [FALSE] = { "false", "never holds" },
    [EITHER] = { "either", "hold where one of them does" },
    [IS_2] = { "two", "is 2" },
    [IS_HALF] = { "one-half", "is 1/2" },
    [IS_MINUS_1] = { "minus-one", "is -1" },
    [IS_MINUS_HALF] = { "minus-half", "is -1/2" },
    [TAN] = { "tan", "is a tangent" },
    [REST] = { "rest", "is the rest of the division" },
    [FROM_BELOW] = { "from-below", "is bounded from below alone" },
    [FROM_ABOVE] = { "from-above", "is bounded from above alone" },
    [FURTHER] = { "further", "holds for one more" },
    [SHORTER] = { "shorter", "holds for one less" },
    [EQUAL] = { "equal", "asks whether both are equal" },
    [UNEQUAL] = { "unequal", "asks whether they differ" },
    [IS_NAN] = { "nan", "is NaN" },
    [NONE_LESS] = { "none-less", "is left out, and 1 with it (as of log1p)" },
    [NONE_MORE] = { "none-more", "is left out, and a difference from 1 with it (as of expm1)" },
    [EXPONENTIAL] = { "exp", "is an exponential" },
    [MIRRORED] = { "mirrored", "is that of the number with the other sign" },
    [TWO_MORE] = { "two-more", "is two more" },
    [TWO_LESS] = { "two-less", "is two less" },
    [RIGHT_NEGATED] = { "right-negated", "is its second operand alone, negated" },
    [TIMES] = { "times-", "is multiplied by" },
    [PLUS] = { "plus-", "is larger by" },
};
/* of_all: of an operation over all its terms, where `says` is of the second number of a difference or quotient. */
static const struct { const char *name, *says, *of_all; } ways[WAYS] = {
    [TRANSPOSED] = { "transpose", "transposed with the next axis", "" },
    [LAST_WRITTEN] = { "written-", "written", "" }, /* a map follows */
    [ADDED_UP] = { "added-", "added up", "" },      /* likewise */
    [SUMMED] = { "summed", "summed up to it", "" },
    [ACROSS_LARGEST] = { "across-largest", "as the largest of all its first numbers", "as the largest of all" },
    [ACROSS_LEAST] = { "across-least", "as the least of all its first numbers", "as the least of all" },
    [ACROSS_MEAN] = { "across-mean", "as the mean of all its first numbers", "as the mean of all" },
    [ACROSS_TOTAL] = { "across-total", "as the total of all its first numbers", "as the total of all" },
};

/* The constants that formulas mostly have, one of which stands where all of the expression was. */
#define CONSTANT "two one-half minus-one minus-half"
#define ITSELF "zero negate double halve square f16 bf16"
#define NUMBER "zero one negate double halve square invert absolute f16 bf16"
#define COUNTED "more less zero one negate double halve absolute square"
/* Of an index, where a 1 with the wrong sign makes a difference of 2. */
#define COUNTED_UP COUNTED " two-more two-less"
#define OF_A_SUM "negate double halve square absolute"
#define OF_A_TERM OF_A_SUM " f16 bf16"
#define OF_A_FACTOR "square absolute f16 bf16"
#define ORDER "further shorter reversed equal unequal not true false"
/* What each kind is called, and the operations that make sense of it: those of its own, then those of its value.  Of a
 * kind with axes the list is that without an axis; every axis has the index maps.  of_one: the operations that make
 * sense of one of its two numbers, and do not do the same to what it gives. */
static const struct { const char *name, *says, *ops, *of_one; } kinds[SITE_KINDS] = {
    [SITE_ADD] = { "add", "the sum", "sub mul left right max " ITSELF, OF_A_TERM },
    [SITE_SUB] = { "sub", "the difference",
        "add reversed left right right-negated absolute " ITSELF, OF_A_TERM },
    [SITE_MUL] = { "mul", "the product", "div left right add " ITSELF, OF_A_FACTOR },
    [SITE_DIV] = { "div", "the quotient", "mul reversed left right one " CONSTANT " " ITSELF, OF_A_FACTOR },
    [SITE_POW] = { "pow", "the power", "mul left right invert one " CONSTANT " " ITSELF,
        "negate double halve square absolute" },
    [SITE_MAX] = { "max", "the larger of two", "min left right " ITSELF, "negate double halve square absolute" },
    [SITE_MIN] = { "min", "the smaller of two", "max left right " ITSELF, "negate double halve square absolute" },
    [SITE_NEG] = { "neg", "the negation", "none absolute zero double halve square f16 bf16" },
    [SITE_ABS] = { "abs", "the absolute value", "none " ITSELF },
    [SITE_EXP] = { "exp", "the exponential", "none none-more exp2 expm1 one invert " ITSELF },
    [SITE_LOG] = { "log", "the logarithm", "none none-less log2 log10 log1p " ITSELF },
    [SITE_SQRT] = { "sqrt", "the root", "none invert cube one " CONSTANT " " ITSELF },
    [SITE_SIN] = { "sin", "the sine", "cos tan none absolute " ITSELF },
    [SITE_COS] = { "cos", "the cosine", "sin tan none one " ITSELF },
    [SITE_TANH] = { "tanh", "the hyperbolic tangent", "none " ITSELF },
    [SITE_ERF] = { "erf", "the error function", "none " ITSELF },
    [SITE_SIGMOID] = { "sigmoid", "the sigmoid", "none one exp invert mirrored " ITSELF },
    [SITE_SOFTPLUS] = { "softplus", "the softplus", "none exp mirrored " ITSELF },
    [SITE_FLOOR] = { "floor", "the integer below", "none ceil more less one " ITSELF },
    [SITE_CEIL] = { "ceil", "the integer above", "none floor more less one " ITSELF },
    [SITE_RATIONAL] = { "rational", "the rational number", COUNTED " invert" },
    [SITE_INTEGER] = { "integer", "the whole number", COUNTED " invert" },
    [SITE_RATIO] = { "ratio", "the ratio", COUNTED " invert mul left right " CONSTANT },
    [SITE_SUM] = { "sum", "the sum over the terms", "largest least mean left right one invert " ITSELF },
    [SITE_LARGEST] = { "largest", "the largest of the terms", "least mean total left right absolute " ITSELF },
    [SITE_AVERAGE] = { "average", "the mean of the terms", "largest least total left right " ITSELF },
    [SITE_WHOLE] = { "whole", "the whole number", COUNTED_UP " two f16 bf16" },
    [SITE_APART] = { "apart", "the distance",
        "add reversed left right right-negated more less zero one double halve absolute square two-more two-less",
        OF_A_SUM },
    [SITE_PLUS] = { "plus", "the sum", "sub mul left right " COUNTED_UP, OF_A_SUM },
    [SITE_TIMES] = { "times", "the product", "add sub div left right " COUNTED, "more less square absolute" },
    [SITE_OVER] = { "over", "the whole part of the quotient", "mul add sub left right ceil rest " COUNTED,
        "more less double square absolute" },
    [SITE_MOD] = { "mod", "the rest of the division", "div left right " COUNTED, "more less double square absolute" },
    [SITE_CLIP] = { "clip", "the number within bounds", "none from-below from-above " COUNTED },
    [SITE_LESS] = { "less", "the comparison", ORDER, OF_A_SUM },
    [SITE_MOST] = { "most", "the comparison", ORDER, OF_A_SUM },
    [SITE_TRUTH] = { "truth", "the condition", "not true false" },
    [SITE_BOTH] = { "both", "the two conditions", "either left right not" },
    [SITE_MASK] = { "mask", "the score of a hidden key", "zero negate nan" },
    [SITE_INPUT] = { "input", "the element that is read", NUMBER },
    [SITE_ELEMENT] = { "element", "the element that is read", NUMBER },
    [SITE_LINE] = { "line", "the line that is read", "" },
    [SITE_INDEX] = { "index", "the part that is asked", "" },
    [SITE_OUT] = { "out", "the answer", NUMBER },
};

/* Writing and reading of words. */

static int named_op(const char *s, size_t n)
{
    int k = 0, input, axis;
    if (n == sizeof "extent-0-0" - 1 && sscanf(s, "extent-%1d-%1d", &input, &axis) == 2)
        return input < EXTENT_INPUTS && axis < EXTENT_AXES ? EXTENT + input * EXTENT_AXES + axis : -1;
    if (n == sizeof "given-0" - 1 && sscanf(s, "given-%1d", &input) == 1)
        return GIVEN + input;
    const int shift = shift_named(s, n);
    if (shift >= 0)
        return SHIFT + shift;
    while (k < OPS && (strlen(ops[k].name) != n || strncmp(ops[k].name, s, n)))
        k++;
    return k < OPS ? k : -1;
}
enum { NO_KIND = -1 };
static int named_kind(const char *s, size_t n)
{
    int k = 0;
    while (k < SITE_KINDS && (strlen(kinds[k].name) != n || strncmp(kinds[k].name, s, n)))
        k++;
    return k < SITE_KINDS ? k : NO_KIND;
}

/* Is it what an operation over all its terms gives, over more axes than it should: the sum of an array where that of a
 * line is due?  Largest numbers of sums, and sums of largest ones, nobody takes. */
static bool over_more(int kind, int way)
{
    return (kind == SITE_SUM && (way == ACROSS_TOTAL || way == ACROSS_MEAN)) ||
        (kind == SITE_LARGEST && way == ACROSS_LARGEST);
}
/* Is a map part of it? */
static bool of_map(int way) { return way == LAST_WRITTEN || way == ADDED_UP; }
/* Can an index of that kind, or of one of its numbers, be read in this way? */
static bool way_of(int kind, int operand, int way)
{
    if (way >= ACROSS)
        return operand == 2 ? kind == SITE_SUB || kind == SITE_DIV : !operand && over_more(kind, way);
    if (of_map(way))
        return kind == SITE_OUT;
    return kind == SITE_OUT || kind == SITE_INDEX || kind_taken(kind) ||
        (way == SUMMED && (kind == SITE_INPUT || kind == SITE_ELEMENT));
}
/* Of an operation's two numbers, one: the end of its kind's name. */
static const char *const operands[] = { "", "-left", "-right" };
static int operand_named(const char *kind, size_t n)
{
    for (int k = 1; k < 3; k++) {
        const size_t m = strlen(operands[k]);
        if (n > m && !strncmp(kind + n - m, operands[k], m))
            return k;
    }
    return 0;
}
/* The axis of that character: its number, p, t or a (tape.h); -1: none. */
static int axis_named(char c)
{
    return c == 'p' ? AXIS_PARTS : c == 't' ? AXIS_TURNS : c == 'a' ? AXIS_ALL :
        c >= '0' && c < '0' + MER_RANK ? c - '0' : -1;
}

static const char hidden[] = "hidden", guarded[] = "guarded";
static const char of_negative[] = "negative", of_positive[] = "positive"; /* those of its numbers */
static bool part_is(const char *s, size_t n, const char *word) { return n == strlen(word) && !strncmp(s, word, n); }
/* Reads the last part of a word, "2of4", "hidden", "guarded", "negative" or "positive". */
static bool occurrence_read(struct edit *e, const char *s, size_t n)
{
    e->guarded = part_is(s, n, guarded), e->hidden = e->guarded || part_is(s, n, hidden);
    e->sign = part_is(s, n, of_positive) - part_is(s, n, of_negative);
    return e->hidden || e->sign || turns_read(s, n, &e->which, &e->of) ||
        (sscanf(s, "%dof%d", &e->which, &e->of) == 2 && e->of >= 2 && e->of <= 9 && e->which >= 1 &&
            e->which <= e->of);
}

/* May what an operation of that kind gives be off by an extent? */
static bool shifts(int kind, int operand) { return !operand && (kind == SITE_APART || kind == SITE_PLUS); }

/* Reads the number behind "times-" or "plus-", n bytes: a sign, digits, and a point among these. */
static bool number_read(struct edit *e, const char *s, size_t n)
{
    enum { DIGITS = 18 }; /* Of so many both are numbers of 64 bits. */
    const bool negative = n && *s == '-';
    int digits = 0, points = 0;
    e->number_of = 0, e->number_over = 1;
    for (size_t k = negative; k < n; k++) {
        if (s[k] == '.') {
            points++;
            continue;
        }
        if (s[k] < '0' || s[k] > '9' || ++digits > DIGITS)
            return false;
        e->number_of = 10 * e->number_of + (s[k] - '0');
        e->number_over *= points ? 10 : 1;
    }
    e->number_of = negative ? -e->number_of : e->number_of;
    return digits && points < 2;
}
/* Reads the operation of a word without an axis. */
static int op_read(struct edit *e, const char *s, size_t n)
{
    for (int op = TIMES; op <= PLUS; op++) {
        const size_t head = strlen(ops[op].name);
        if (n >= head && !strncmp(s, ops[op].name, head))
            return number_read(e, s + head, n - head) ? op : -1;
    }
    return named_op(s, n);
}

/* Splits the word at its colons, of which there are three or four, and reads the parts; see site.h. */
bool site_read(struct edit *e, const char *value, size_t n)
{
    /* FILE, LINE, KIND, OPERATION and OCCURRENCE; those that are missing are empty. */
    const char *part[5] = { value, value, value, value, value };
    size_t len[5] = { 0 };
    int parts = 0;
    for (size_t k = 0; k < n; k++)
        if (value[k] == ':') {
            if (parts == 4)
                return false;
            part[++parts] = value + k + 1;
        } else
            len[parts]++;
    *e = (struct edit){ .step = SITE_EDIT };
    if (parts == 4 && !occurrence_read(e, part[4], len[4]))
        return false;
    const char *dot = memchr(part[2], '.', len[2]);
    const size_t whole = dot ? (size_t)(dot - part[2]) : len[2];
    e->operand = operand_named(part[2], whole);
    const size_t kind = whole - strlen(operands[e->operand]);
    e->kind = named_kind(part[2], kind);
    if (e->kind == NO_KIND || (dot && (len[2] != whole + 2 || axis_named(dot[1]) < 0)))
        return false;
    if (e->operand && !kinds[e->kind].of_one)
        return false;
    e->axis = dot ? axis_named(dot[1]) : -1;
    size_t head = 0; /* of the word, that of its way */
    for (int k = MAPPED + 1; dot && k < WAYS; k++)
        if (!strncmp(part[3], ways[k].name, strlen(ways[k].name)) && (len[3] == strlen(ways[k].name)) == !of_map(k))
            e->way = k, head = strlen(ways[k].name);
    if (!e->way || of_map(e->way))
        e->op = dot ? index_map_named(part[3] + head, len[3] - head) : op_read(e, part[3], len[3]);
    if ((e->way && !way_of(e->kind, e->operand, e->way)) || (e->axis == AXIS_ALL && e->way < ACROSS))
        return false;
    e->file = value, e->file_len = len[0], e->line = atoi(part[1]);
    return e->op >= 0 && (e->op < GIVEN || (e->op >= SHIFT ? shifts(e->kind, e->operand) : e->kind == SITE_OUT));
}

static bool taken(const struct site *s) { return kind_taken((int)s->kind); }
static const char *axis_says(const struct site *s, char axis)
{
    static const char *const leading[] = { "axis 0 of the answer", "axis 1 of the answer", "axis 2 of the answer",
        "axis 3 of the answer", "axis 4 of the answer", "axis 5 of the answer" };
    return axis == 'p' ? s->part_of :
        axis == 't'    ? "its turns" :
        axis == 'a'    ? "all axes at once" :
                         leading[axis - '0'];
}

/* Of how many turns one is meant: 4 of "2of4", 1 of all, and with hidden keys. */
static int every(const char *per)
{
    const char *of = strstr(per, "of");
    return of ? atoi(of + 2) : 1;
}
enum { WRITTEN_MOST = 40 }; /* Longer expressions are not repeated: who looks finds them at their place. */
/* Where words are given: of which number of the operation (0: of what it gives), of which of its turns, and, where
 * these are counted by an extent, what that says. */
struct about { const struct site *s; int operand; const char *per, *turns; };
/* Calls f with the word and its effect.  equal: an operation whose word asks the same here, or NULL. */
static void say_equal(const struct about *b, const char *axis, const char *op, const char *says, const char *equal,
    site_word *f, void *with)
{
    static const char *const of_one[] = { "", " has a first number that", " has a second number that" };
    const struct site *s = b->s;
    const char *per = b->per;
    char word[140], twin[140], effect[300], place[140] = "";
    const bool of_all = equal && !strcmp(equal, ops[ZERO].name); /* It is about all places of the axis. */
    const bool out = s->kind == SITE_OUT;
    char turn[80] = "";
    if (b->turns)
        snprintf(turn, sizeof turn, "%s", b->turns);
    else if (every(per) > 1)
        snprintf(turn, sizeof turn, " (number %d of every %d)", atoi(per), every(per));
    else if (per == of_negative || per == of_positive)
        snprintf(turn, sizeof turn, " (of %s numbers)", per);
    else if (*per)
        snprintf(turn, sizeof turn, " (of hidden keys, too, whose scores are -inf%s)",
            strcmp(per, guarded) ? "" : ", a total of 0 being 1");
    const int head = snprintf(word, sizeof word, "edit=%s:%d:%s%s%s:", site_file(s->at.file), s->at.line,
        kinds[s->kind].name, operands[b->operand], axis);
    snprintf(twin, sizeof twin, "%.*s%s%s%s%s", head - (of_all ? (int)strlen(axis) + 1 : 0), word, of_all ? ":" : "",
        equal ? equal : "", *per ? ":" : "", per);
    snprintf(word + head, sizeof word - (size_t)head, "%s%s%s", op, *per ? ":" : "", per);
    if (!out && s->at.text && strlen(s->at.text) < WRITTEN_MOST)
        snprintf(place, sizeof place, " '%s' at %s:%d", s->at.text, s->at.file, s->at.line);
    else if (!out)
        snprintf(place, sizeof place, " at %s:%d", s->at.file, s->at.line);
    snprintf(effect, sizeof effect, "%s%s%s%s %s%s%s", kinds[s->kind].says, place, turn, of_one[b->operand],
        !*axis ? "" : out ? "is given along its axis " : taken(s) ? "is taken along " : "is read along axis ",
        !*axis ? "" : taken(s) ? axis_says(s, axis[1]) : axis + 1, *axis ? " " : "");
    strncat(effect, says, sizeof effect - strlen(effect) - 1);
    f(word, effect, equal ? twin : NULL, with);
}
static void say(
    const struct about *b, const char *axis, const char *op, const char *says, site_word *f, void *with)
{
    say_equal(b, axis, op, says, NULL, f, with);
}

/* A whole number is an extent of an input: a kernel has taken the wrong size. */
static void each_extent(const struct about *b, site_word *f, void *with)
{
    for (int k = 0; k < EXTENT_INPUTS * EXTENT_AXES; k++) {
        char op[24], says[60];
        snprintf(op, sizeof op, "extent-%d-%d", k / EXTENT_AXES, k % EXTENT_AXES);
        snprintf(says, sizeof says, "is the extent of axis %d of input %d", k % EXTENT_AXES, k / EXTENT_AXES);
        say(b, "", op, says, f, with);
    }
}
/* It is off by an extent. */
static void each_shift(const struct about *b, site_word *f, void *with)
{
    const struct shift_places *p = b->s->places;
    for (int k = 0; p && k < p->n * SHIFT_WAYS; k++) {
        char op[40], says[80];
        shift_say(shift_at(p, k / SHIFT_WAYS, k % SHIFT_WAYS), op, sizeof op, says, sizeof says);
        say(b, "", op, says, f, with);
    }
}
/* Is the operation one of that list? */
static bool has_op(const char *list, int op)
{
    for (const char *o = list; *o; o += strspn(o, " ")) {
        const size_t n = strcspn(o, " ");
        if (named_op(o, n) == op)
            return true;
        o += n;
    }
    return false;
}
static void each_value(const struct about *b, site_word *f, void *with)
{
    const int kind = (int)b->s->kind;
    for (const char *o = b->operand ? kinds[kind].of_one : kinds[kind].ops; *o;) {
        const size_t n = strcspn(o, " ");
        const int k = named_op(o, n);
        /* Of a ratio, what is counted is its numerator. */
        const bool numerator = kind == SITE_RATIO && (k == MORE || k == LESS || k == ONE || k == SQUARE);
        char says[80];
        snprintf(says, sizeof says, "%s%s", numerator ? "has a numerator that " : "", ops[k].says);
        /* A number is of half precision wherever the operation takes it. */
        if (!b->operand || every(b->per) == 1 || (k != AS_F16 && k != AS_BF16))
            say(b, "", ops[k].name, says, f, with);
        o += n, o += strspn(o, " ");
    }
    if ((kind == SITE_INTEGER || kind == SITE_WHOLE) && !*b->per)
        each_extent(b, f, with);
    if (shifts(kind, b->operand) && !*b->per)
        each_shift(b, f, with);
}
/* The answer is written along that axis by a map under which several lines meet. */
static void each_written(const struct about *b, const char *axis, long extent, site_word *f, void *with)
{
    for (int way = LAST_WRITTEN; way <= ADDED_UP && way_of((int)b->s->kind, b->operand, way); way++)
        for (int k = 0; index_maps[k].name; k++) {
            char op[40], says[120];
            snprintf(op, sizeof op, "%s%s", ways[way].name, index_maps[k].name);
            snprintf(says, sizeof says, "%s %s, and what nothing is written to is 0", ways[way].says,
                index_maps[k].says);
            if (index_merges(k, extent))
                say(b, axis, op, says, f, with);
        }
}
/* One axis of that extent; next: the extent of the axis behind it, 0 where there is none. */
static void each_map(const struct about *b, const char *axis, long extent, long next, site_word *f, void *with)
{
    const bool zero = !b->operand && has_op(kinds[b->s->kind].ops, ZERO);
    for (int k = 0; index_maps[k].name && extent > 1; k++)
        if (index_tells(k, extent)) {
            const int first = index_first(k, extent);
            const char *equal = first < k ? index_maps[first].name : NULL;
            say_equal(b, axis, index_maps[k].name, index_maps[k].says, equal, f, with);
        } else if (zero && index_empties(k, extent))
            say_equal(b, axis, index_maps[k].name, index_maps[k].says, ops[ZERO].name, f, with);
    each_written(b, axis, extent, f, with);
    for (int k = MAPPED + 1; k < ACROSS && extent > 1; k++)
        if (!of_map(k) && way_of((int)b->s->kind, b->operand, k) && (k != TRANSPOSED || next > 1))
            say(b, axis, ways[k].name, ways[k].says, f, with);
}
/* The second number of a difference or quotient as what its first ones have in common along each axis of the answer,
 * over the page's parts, and over all; and what an operation over its terms gives over more axes than its own. */
static void each_across(const struct site *s, const char *per, site_word *f, void *with)
{
    const bool of_all = kind_reduces((int)s->kind);
    const struct about b = { s, of_all ? 0 : 2, per };
    for (int k = ACROSS; k < WAYS; k++) {
        const char *says = of_all ? ways[k].of_all : ways[k].says;
        int several = s->parts > 1 && !of_all;
        /* mutant: loop 1985: an axis that is not there has no extent. */
        for (int a = 0; a < s->axes && way_of((int)s->kind, b.operand, k); a++) {
            char axis[16];
            snprintf(axis, sizeof axis, ".%d", a);
            several += s->extent[a] > 1;
            if (s->extent[a] > 1)
                say(&b, axis, ways[k].name, says, f, with);
        }
        if (s->parts > 1 && !of_all && way_of((int)s->kind, b.operand, k))
            say(&b, ".p", ways[k].name, says, f, with);
        if (s->reduced && several > 1) /* Axes are counted of a way that the kind has. */
            say(&b, ".a", ways[k].name, says, f, with);
    }
}
/* Is every second, third or fourth turn of an operation one of its own along an axis?  Those of an operation that is
 * made for each key are those of one key, and of several for each pair one each; and where a line makes an even number,
 * it makes them in twos or fours. */
static bool turns_apart(const struct site *s, const char *per)
{
    const long of_part = s->parts ? s->count / s->parts : 0;
    const int of = every(per);
    if (s->parts)
        return s->count % s->parts == 0 && of_part <= 4 && of_part >= of && of_part % of == 0;
    return of != 3 || s->count % 2;
}
static void each_axis(const struct about *b, site_word *f, void *with)
{
    const struct site *s = b->s;
    /* What is asked of each key has its indices where the key is asked for. */
    const bool turns = (every(b->per) == 1 || turns_apart(s, b->per)) && !(s->kind == SITE_TRUTH && s->parts);
    for (int a = 0; a < s->axes && turns; a++) {
        char axis[8];
        snprintf(axis, sizeof axis, ".%d", a);
        each_map(b, axis, s->extent[a], s->extent[a + 1], f, with);
    }
    if (taken(s) && turns)
        each_map(b, ".p", s->parts, 0, f, with);
    if (kind_computed((int)s->kind) && turns)
        each_map(b, ".t", s->turns / every(b->per), 0, f, with);
}
/* Does "2of4" make sense for this kind, that is, are its occurrences counted?  They are not where an index is made, as
 * a page may ask for these in any order. */
static bool takes_turns(enum site_kind k)
{
    return kind_computed((int)k) || k == SITE_INPUT || k == SITE_ELEMENT;
}
/* Is what the operation gives, or one of its numbers, a matter of its own?  A number is where others take it as well,
 * or in all its turns the operation itself does. */
static bool own_number(const struct site *s, const char *per, int operand)
{
    return !operand ||
        (every(per) > 1                 ? s->again[operand - 1] && turns_apart(s, per) :
            kind_computed((int)s->kind) ? s->elsewhere[operand - 1] :
                                          true);
}
/* Does operation `op` multiply any number by x (of: TIMES), or add x to it (PLUS)?  Two numbers tell a multiple from a
 * sum, and both are even, as half of a whole number is cut. */
static bool is_same(int op, int of, double x)
{
    static const long numbers[] = { 12, 34 };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const double n = (double)numbers[k];
        if ((double)whole_edited(NULL, op, numbers[k]) != (of == TIMES ? x * n : n + x))
            return false;
    }
    return true;
}
bool site_number_has_word(const char *word, double x)
{
    struct edit e;
    char text[200];
    const char *value = word + strlen("edit=");
    if (snprintf(text, sizeof text, "%s1", value) >= (int)sizeof text || !site_read(&e, text, strlen(text)))
        return false;
    const char *of = e.operand ? kinds[e.kind].of_one : kinds[e.kind].ops;
    for (const char *s = of; *s; s += strspn(s, " ")) {
        const size_t n = strcspn(s, " ");
        if (is_same(named_op(s, n), e.op, x))
            return true;
        s += n;
    }
    return false;
}
/* Each of these as a multiple of what it is, and with a number added, and the same with hidden keys.  A factor of a
 * product is a factor of what it gives, and a term of a sum a term. */
static void each_number(const struct site *s, site_word *f, void *with)
{
    const char *const per[] = { "", hidden, guarded };
    const int kind = (int)s->kind;
    const bool whole = kind == SITE_FLOOR || kind == SITE_CEIL;
    if (whole || !(kind_computed(kind) || kind == SITE_INPUT || kind == SITE_ELEMENT || kind == SITE_OUT))
        return;
    for (int op = TIMES; op <= PLUS; op++) {
        const bool one = op == TIMES ? kind == SITE_MUL || kind == SITE_DIV : kind == SITE_ADD || kind == SITE_SUB;
        for (int operand = 0; operand < (kinds[kind].of_one && !one ? 3 : 1); operand++)
            for (int k = 0; k < (s->may_hide ? 3 : 1) && own_number(s, "", operand); k++)
                say(&(struct about){ s, operand, per[k] }, "", ops[op].name, ops[op].says, f, with);
    }
}
static void each_of(const struct site *s, const char *per, site_word *f, void *with)
{
    for (int operand = 0; operand < (kinds[s->kind].of_one ? 3 : 1); operand++) {
        const struct about b = { s, operand, per };
        const bool own = own_number(s, per, operand);
        if (own)
            each_value(&b, f, with);
        if (own && !s->form)
            each_axis(&b, f, with);
    }
    if (every(per) == 1 && !s->form)
        each_across(s, per, f, with);
}
/* What leaves an operation out. */
static void each_left_out(const struct about *b, site_word *f, void *with)
{
    static const int left_out[] = { ZERO, LEFT, RIGHT, NONE };
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
        if (has_op(kinds[b->s->kind].ops, left_out[k]))
            say(b, "", ops[left_out[k]].name, ops[left_out[k]].says, f, with);
}
/* Of an operation that is made as often as an axis is long, the first or the last time is left out. */
static void each_end(const struct site *s, site_word *f, void *with)
{
    const int places = s->places && kind_computed((int)s->kind) && !s->form ? s->places->n : 0;
    for (int k = 0; k < 2 * places; k++) {
        const long extent = s->places->at[k / 2].extent;
        char word[24], turns[80];
        turns_say(s->places, k / 2, k % 2 == 0, word, sizeof word, turns, sizeof turns);
        if (s->count >= extent && s->count % extent == 0)
            each_left_out(&(struct about){ s, 0, word, turns }, f, with);
    }
}
/* Where code has two branches, as of a sigmoid that overflows on neither side, a fault is in one of them. */
static void each_sign(const struct site *s, site_word *f, void *with)
{
    const bool branches = s->kind >= SITE_EXP && s->kind <= SITE_SOFTPLUS;
    if (branches && s->sign[0])
        each_value(&(struct about){ s, 0, of_negative }, f, with);
    if (branches && s->sign[1])
        each_value(&(struct about){ s, 0, of_positive }, f, with);
}
/* In some of all turns of a line: in one half of them, or left out in the first or the last.  Of two turns, or of as
 * many as an extent has, other words say the same. */
static void each_turn(const struct site *s, site_word *f, void *with)
{
    bool of_extent = false;
    if (s->form || s->count < 3 || !takes_turns(s->kind))
        return;
    for (int k = 0; s->places && k < s->places->n; k++)
        of_extent |= s->places->at[k].extent == s->count;
    for (int k = 0; k < LINE_TURNS; k++) {
        const struct about b = { s, 0, line_turns[k].name, line_turns[k].says };
        if (k < TURNS_FIRST && s->count % 2 == 0)
            each_value(&b, f, with);
        if (k >= TURNS_FIRST && !of_extent)
            each_left_out(&b, f, with);
    }
}
void site_each(const struct site *s, enum site_words words, site_word *f, void *with)
{
    const bool twins = words == WORDS_TWINS && s->may_hide;
    if (words == WORDS_ALL)
        each_of(s, "", f, with);
    if (words == WORDS_NUMBERS)
        each_number(s, f, with);
    /* A kernel that takes 0 for an infinite reference point does so without hidden keys, too. */
    if (twins || (words == WORDS_HIDDEN && (s->hides || (s->may_hide && s->kind == SITE_LARGEST))))
        each_of(s, hidden, f, with);
    if (twins || (words == WORDS_GUARDED && s->hides))
        each_of(s, guarded, f, with);
    if (words == WORDS_ENDS)
        each_end(s, f, with);
    if (words == WORDS_SIGNS)
        each_sign(s, f, with);
    if (words == WORDS_TURNS)
        each_turn(s, f, with);
    for (int of = 2; words == WORDS_APART && !s->form && of <= 4; of++)
        for (int which = 1; which <= of && s->count % of == 0 && s->count >= of && takes_turns(s->kind); which++) {
            char text[16];
            snprintf(text, sizeof text, "%dof%d", which, of);
            each_of(s, text, f, with);
        }
}
