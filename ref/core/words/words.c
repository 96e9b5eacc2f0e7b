/* What operations done differently are called; see words.h. */
#include "words/words.h"
#include <stdio.h>
#include <string.h>
#include "edit/shift.h"

const struct op_word op_words[OPS] = {
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
const struct way_word way_words[WAYS] = {
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
const struct kind_word kind_words[SITE_KINDS] = {
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

int op_named(const char *s, size_t n)
{
    int k = 0, input, axis;
    if (n == sizeof "extent-0-0" - 1 && sscanf(s, "extent-%1d-%1d", &input, &axis) == 2)
        return input < EXTENT_INPUTS && axis < EXTENT_AXES ? EXTENT + input * EXTENT_AXES + axis : -1;
    if (n == sizeof "given-0" - 1 && sscanf(s, "given-%1d", &input) == 1)
        return GIVEN + input;
    const int shift = shift_named(s, n);
    if (shift >= 0)
        return SHIFT + shift;
    while (k < OPS && (strlen(op_words[k].name) != n || strncmp(op_words[k].name, s, n)))
        k++;
    return k < OPS ? k : -1;
}
/* Is it what an operation over all its terms gives, over more axes than it should: the sum of an array where that of a
 * line is due?  Largest numbers of sums, and sums of largest ones, nobody takes. */
static bool over_more(int kind, int way)
{
    return (kind == SITE_SUM && (way == ACROSS_TOTAL || way == ACROSS_MEAN)) ||
        (kind == SITE_LARGEST && way == ACROSS_LARGEST);
}
/* Is a map part of it? */
bool way_has_map(int way) { return way == LAST_WRITTEN || way == ADDED_UP; }
/* Can an index of that kind, or of one of its numbers, be read in this way? */
bool way_of(int kind, int operand, int way)
{
    if (way >= ACROSS)
        return operand == 2 ? kind == SITE_SUB || kind == SITE_DIV : !operand && over_more(kind, way);
    if (way_has_map(way))
        return kind == SITE_OUT;
    return kind == SITE_OUT || kind == SITE_INDEX || kind_taken(kind) ||
        (way == SUMMED && (kind == SITE_INPUT || kind == SITE_ELEMENT));
}
/* Of an operation's two numbers, one: the end of its kind's name. */
const char *const operand_words[OPERANDS] = { "", "-left", "-right" };
const char word_hidden[] = "hidden", word_guarded[] = "guarded";
const char word_negative[] = "negative", word_positive[] = "positive"; /* those of its numbers */
/* May what an operation of that kind gives be off by an extent? */
bool kind_shifts(int kind, int operand) { return !operand && (kind == SITE_APART || kind == SITE_PLUS); }
