/* Applies maps of elements and of indices to inputs; see rearrange.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "edit/maps.h"
#include "trial/rearrange.h"

enum { NEGATE, ZERO, ONE, DOUBLE, HALVE, SQUARE, ABSOLUTE, NOT, PLUS_1, MINUS_1, PLUS_2, MINUS_2, MOD_8, MOD_15, MOD_16,
    AS_F16, AS_BF16, ABSENT };
const struct rearrangement value_edits[] = {
    [NEGATE] = { "negate", "negated" },
    [ZERO] = { "zero", "as if it were 0" },
    [ONE] = { "one", "as if it were 1" },
    [DOUBLE] = { "double", "doubled" },
    [HALVE] = { "halve", "halved" },
    [SQUARE] = { "square", "squared" },
    [ABSOLUTE] = { "absolute", "without its sign" },
    [NOT] = { "not", "as its opposite, 0 for what is not 0" },
    [PLUS_1] = { "plus-1", "one too large" },
    [MINUS_1] = { "minus-1", "one too small" },
    [PLUS_2] = { "plus-2", "two too large" },
    [MINUS_2] = { "minus-2", "two too small" },
    [MOD_8] = { "mod-256", "modulo 256" },
    [MOD_15] = { "mod-32768", "modulo 32768" },
    [MOD_16] = { "mod-65536", "modulo 65536" },
    [AS_F16] = { "f16", "rounded to f16" },
    [AS_BF16] = { "bf16", "rounded to bf16" },
    [ABSENT] = { "absent", "not at all" },
    { NULL, NULL },
};
static int named(const struct rearrangement *list, const char *name)
{
    for (int k = 0; list[k].name; k++)
        if (!strcmp(list[k].name, name))
            return k;
    return -1;
}

bool input_axes(const struct trial *t, const char *name, struct axes *x)
{
    for (int o = 0; o < t->call.n_out; o++) {
        struct sign s;
        sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
        for (int k = 0; k < s.n_in; k++)
            if (!strcmp(s.in[k].name, name))
                return *x = s.in[k], true;
    }
    return false;
}

static double stored_as(enum mer_type type, double x)
{
    uint16_t bits = 0;
    struct mer_array one = { .type = (int32_t)type, .rank = 1, .dim = { 1 }, .data = &bits };
    array_put(&one, 0, x);
    return array_get(&one, 0);
}

static double value_of(int op, double x)
{
    switch (op) {
    case AS_F16: return stored_as(MER_F16, x);
    case AS_BF16: return stored_as(MER_BF16, x);
    case NEGATE: return -x;
    case ZERO: return 0;
    case ONE: return 1;
    case DOUBLE: return 2 * x;
    case HALVE: return x / 2;
    case SQUARE: return x * x;
    case ABSOLUTE: return fabs(x);
    case NOT: return x == 0;
    case PLUS_1: return x + 1;
    case MINUS_1: return x - 1;
    case PLUS_2: return x + 2;
    case MINUS_2: return x - 2;
    case MOD_8: return x - 256 * floor(x / 256);
    case MOD_15: return x - 32768 * floor(x / 32768);
    default: return x - 65536 * floor(x / 65536);
    }
}

static void remove_input(struct trial *t, struct mer_array *a)
{
    free(a->data);
    const long at = a - t->in;
    memmove(a, a + 1, (size_t)(t->call.n_in - 1 - at) * sizeof *a);
    t->call.n_in--;
}

static int change_values(struct trial *t, struct mer_array *a, int op)
{
    struct axes x;
    if (op == ABSENT) {
        if (!input_axes(t, a->name, &x) || !x.optional)
            return -1;
        remove_input(t, a);
        return 0;
    }
    for (long i = 0; i < array_len(a); i++) {
        const double is = array_get(a, i), to = value_of(op, is);
        array_put(a, i, isfinite(to) || a->type < MER_I64 ? to : is); /* no integer is infinite */
    }
    return 0;
}

/* a is dense (trial_copy). */
static void change_axis(struct mer_array *a, int axis, int op)
{
    const size_t width = type_size(a->type), bytes = (size_t)array_len(a) * width;
    char *was = need(bytes + 1, 1), *to = a->data;
    long inner = 1;
    memcpy(was, a->data, bytes);
    for (int k = axis + 1; k < a->rank; k++)
        inner *= a->dim[k];
    const long n = a->dim[axis], outer = n && inner ? array_len(a) / n / inner : 0;
    for (long o = 0; o < outer; o++)
        for (long i = 0; i < n; i++) {
            const long from = index_mapped(op, i, n);
            char *here = to + (size_t)((o * n + i) * inner) * width;
            if (from < 0) /* In every type all bytes of 0 are 0. */
                memset(here, 0, (size_t)inner * width);
            else
                memcpy(here, was + (size_t)((o * n + from) * inner) * width, (size_t)inner * width);
        }
    free(was);
}

enum { STRIDE, TRANSPOSE, PACKED, NUMBERED, FIRST, SECOND, LAST };
const struct rearrangement axes_edits[] = {
    [STRIDE] = { "stride", "with their extents exchanged" },
    [TRANSPOSE] = { "transpose", "transposed" },
    [PACKED] = { "packed", "in steps of one element of the latter" },
    [NUMBERED] = { "numbered", "from the number of the line, which is not multiplied by its length" },
    [FIRST] = { "first", "always at the first place of both" },
    [SECOND] = { "second", "always at the second place of both" }, /* A factor of an index is left out, and 1 stays. */
    [LAST] = { "last", "always at the last place of both" },
    { NULL, NULL },
};
/* Where the element (o, i, j) is read from, in those of [outer, n, m]. */
static long read_from(int how, long n, long m, const long at[3])
{
    const long o = at[0], i = at[1], j = at[2];
    switch (how) {
    case STRIDE: return (o * m + j) * n + i;
    case PACKED: return o * n * m + i + j;
    case NUMBERED: return o * n + i + j;
    case FIRST: return o * n * m;
    case SECOND: return o * n * m + (n * m > 1);
    case LAST: return (o + 1) * n * m - 1;
    default: return (o * n + i) * m + j;
    }
}
static void change_strides(struct mer_array *a, int p, int how)
{
    const size_t width = type_size(a->type), bytes = (size_t)array_len(a) * width;
    char *was = need(bytes + 1, 1), *to = a->data;
    long inner = 1;
    memcpy(was, a->data, bytes);
    for (int k = p + 2; k < a->rank; k++)
        inner *= a->dim[k];
    const long n = a->dim[p], m = a->dim[p + 1], outer = n && m && inner ? array_len(a) / n / m / inner : 0;
    for (long o = 0; o < outer; o++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < m; j++) {
                const long here = (o * n + i) * m + j, into = how == TRANSPOSE ? (o * m + j) * n + i : here,
                           from = read_from(how, n, m, (const long[]){ o, i, j });
                memcpy(to + (size_t)(into * inner) * width, was + (size_t)(from * inner) * width,
                    (size_t)inner * width);
            }
    free(was);
}

static int axis_of(const struct axes *x, char letter)
{
    for (int k = 0; k < x->rank; k++)
        if (x->axis[k] == letter)
            return k;
    return -1;
}

static int change_one(struct trial *t, struct mer_array *a, const char *letters, const char *word)
{
    struct axes x;
    if (!*letters)
        return named(value_edits, word) < 0 ? -1 : change_values(t, a, named(value_edits, word));
    if (!input_axes(t, a->name, &x))
        return -1;
    const int axis = axis_of(&x, *letters), op = index_map_named(word, strlen(word));
    if (axis < 0)
        return -1;
    const int how = letters[1] ? named(axes_edits, word) : -1;
    if (how >= 0 && axis_of(&x, letters[1]) == axis + 1) {
        change_strides(a, axis, how);
        return 0;
    }
    if (op < 0 || letters[1])
        return -1;
    change_axis(a, axis, op);
    return 0;
}

static bool split(const char *change, char key[32], char letters[8], char word[32])
{
    const char *at = strchr(change, '@'), *is = at ? strchr(at, '=') : NULL;
    if (!is || at - change > 31 || is - at > 7 || strlen(is + 1) > 31 || strchr(change, ' '))
        return false;
    snprintf(key, 32, "%.*s", (int)(at - change), change);
    snprintf(letters, 8, "%.*s", (int)(is - at - 1), at + 1);
    snprintf(word, 32, "%s", is + 1);
    return true;
}
bool is_rearrangement(const char *change)
{
    char key[32], letters[8], word[32];
    return split(change, key, letters, word);
}

int rearrange(struct trial *t, const char *change, char *err, size_t n)
{
    char key[32], letters[8], word[32];
    int done = 0;
    bool fits = split(change, key, letters, word);
    const bool values = fits && !*key && !letters[1] && index_map_named(word, strlen(word)) < 0;
    for (int k = t->call.n_in; fits && k-- > 0;) {
        struct axes x;
        const bool all = !*key && input_axes(t, t->in[k].name, &x) && axis_of(&x, *letters) >= 0;
        if (all || !strcmp(t->in[k].name, key))
            fits = !change_one(t, &t->in[k], values ? "" : letters, word), done++;
    }
    return fits && done ? 0 : (snprintf(err, n, "'%.60s': no such input, axis or word", change), -1);
}
