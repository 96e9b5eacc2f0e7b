/* What operators and functions of an expression make of values; see value.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/nonfinite.h"
#include "facts/value.h"

bool value_true(const json_t *v)
{
    if (json_is_number(v))
        return json_number_value(v) != 0;
    if (json_is_string(v))
        return *json_string_value(v) != 0;
    return json_is_true(v) || json_array_size(v) > 0 || json_object_size(v) > 0;
}

static bool is_number(const json_t *v) { return json_is_number(v) || json_is_boolean(v) || nonfinite(v); }

double value_number(const json_t *v)
{
    if (nonfinite(v))
        return strtod(nonfinite(v), NULL);
    return json_is_boolean(v) ? json_is_true(v) : json_number_value(v);
}

bool value_whole(const json_t *v) { return json_is_integer(v) || json_is_boolean(v); }

/* A whole number where both operands were and the result fits, else a double. */
json_t *value_result(double x, bool integer)
{
    if (!isfinite(x))
        return NULL;
    return integer && fabs(x) < 0x1p53 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *repeated(const json_t *list, const json_t *times)
{
    if (!value_whole(times) || value_number(times) * (double)json_array_size(list) > VALUE_ENTRIES)
        return NULL;
    json_t *out = json_array();
    for (long k = 0; k < (long)value_number(times); k++)
        json_array_extend(out, (json_t *)list);
    return out;
}

json_t *value_arithmetic(json_t *a, json_t *b, const char *op)
{
    json_t *v = NULL;
    const double x = value_number(a), y = value_number(b);
    const bool both = value_whole(a) && value_whole(b);
    if (*op == '*' && !op[1] && json_is_array(a))
        v = repeated(a, b);
    else if (*op == '+' && json_is_array(a) && json_is_array(b))
        v = json_copy(a), json_array_extend(v, b);
    else if (!a || !b || !is_number(a) || !is_number(b))
        v = NULL;
    else if (!strcmp(op, "**"))
        v = value_result(pow(x, y), both && y >= 0);
    else if (!strcmp(op, "//"))
        v = y != 0 ? value_result(floor(x / y), both) : NULL;
    else if (*op == '%')
        v = y != 0 ? value_result(x - y * floor(x / y), both) : NULL;
    else if (*op == '/')
        v = y != 0 ? value_result(x / y, false) : NULL;
    else
        v = value_result(*op == '*' ? x * y : *op == '+' ? x + y : x - y, both);
    json_decref(a), json_decref(b);
    return v;
}

static bool same(const json_t *a, const json_t *b)
{
    return is_number(a) && is_number(b) ? value_number(a) == value_number(b) : json_equal((json_t *)a, (json_t *)b);
}

static bool within(const json_t *a, const json_t *list)
{
    if (json_is_string(a) && json_is_object(list))
        return json_object_get(list, json_string_value(a)) != NULL;
    if (json_is_string(a) && json_is_string(list))
        return strstr(json_string_value(list), json_string_value(a)) != NULL;
    for (size_t k = 0; k < json_array_size(list); k++)
        if (same(a, json_array_get(list, k)))
            return true;
    return false;
}

json_t *value_compared(json_t *a, json_t *b, const char *op)
{
    json_t *v = NULL;
    if (a && b) {
        const double x = value_number(a), y = value_number(b);
        const bool numbers = is_number(a) && is_number(b);
        if (!strcmp(op, "==") || !strcmp(op, "is"))
            v = json_boolean(same(a, b));
        else if (!strcmp(op, "!=") || !strcmp(op, "is not"))
            v = json_boolean(!same(a, b));
        else if (!strcmp(op, "in") || !strcmp(op, "not in"))
            v = json_boolean(within(a, b) == (*op == 'i'));
        else if (numbers)
            v = json_boolean(*op == '<' ? (op[1] ? x <= y : x < y) : op[1] ? x >= y : x > y);
    }
    json_decref(a), json_decref(b);
    return v;
}

/* The scale of latent attention under YaRN: times (0.1 mscale_all_dim ln factor + 1) squared, where both are said
 * (transformers, modeling_rope_utils.py, yarn_apply_mscale). */
static json_t *mscale(const json_t *rope, const json_t *scale)
{
    const char *type = json_string_value(json_object_get(rope, "rope_type"));
    const double all = json_number_value(json_object_get(rope, "mscale_all_dim"));
    const double factor = json_number_value(json_object_get(rope, "factor"));
    double m = 1;
    if (type && strcmp(type, "default") && all != 0 && factor > 1)
        m = 0.1 * all * log(factor) + 1;
    return is_number(scale) ? json_real(value_number(scale) * m * m) : NULL;
}

json_t *value_function(const char *name, json_t **arg, int n)
{
    if (!strcmp(name, "yarn_apply_mscale") && n == 2)
        return mscale(arg[0], arg[1]);
    if ((!strcmp(name, "max") || !strcmp(name, "min")) && n == 2 && is_number(arg[0]) && is_number(arg[1]))
        return json_incref(arg[(value_number(arg[1]) > value_number(arg[0])) == (*name == 'm' && name[1] == 'a')]);
    if (n != 1 || !arg[0])
        return NULL;
    if (!strcmp(name, "bool"))
        return json_boolean(value_true(arg[0]));
    if (!strcmp(name, "len"))
        return json_integer((json_int_t)(json_is_string(arg[0]) ? json_string_length(arg[0]) :
                json_is_array(arg[0])                           ? json_array_size(arg[0]) :
                                                                  json_object_size(arg[0])));
    if (!strcmp(name, "list") || !strcmp(name, "tuple") || !strcmp(name, "dict"))
        return json_incref(arg[0]);
    if (!is_number(arg[0]))
        return NULL;
    if (!strcmp(name, "int"))
        return value_result(trunc(value_number(arg[0])), true);
    if (!strcmp(name, "float"))
        return json_real(value_number(arg[0]));
    if (!strcmp(name, "abs"))
        return value_result(fabs(value_number(arg[0])), value_whole(arg[0]));
    if (!strcmp(name, "log"))
        return value_result(log(value_number(arg[0])), false);
    return !strcmp(name, "sqrt") ? value_result(sqrt(value_number(arg[0])), false) : NULL;
}

/* of[by]: of a dictionary, a list or, one character of it, a text. */
json_t *value_indexed(json_t *of, json_t *by)
{
    const json_int_t n = json_is_string(of) ? (json_int_t)json_string_length(of) : (json_int_t)json_array_size(of);
    json_int_t k = json_integer_value(by);
    json_t *v = NULL;
    k += k < 0 ? n : 0;
    if (json_is_object(of) && json_is_string(by))
        v = json_incref(json_object_get(of, json_string_value(by)));
    else if (json_is_integer(by) && k >= 0 && k < n)
        v = json_is_string(of) ? json_stringn(json_string_value(of) + k, 1) :
                                 json_incref(json_array_get(of, (size_t)k));
    json_decref(of), json_decref(by);
    return v;
}
