/* Operators and functions of the expressions of data/models/types.tsv (formula.h), on JSON values as Python has them:
 * true and false count as 1 and 0.  What is not defined is NULL, and whatever takes NULL gives it. */
#ifndef FACTS_VALUE_H
#define FACTS_VALUE_H
#include <jansson.h>
#include <stdbool.h>

/* The most entries of a list that is made by repeating one; a model that says to have more layers has so many. */
enum { VALUE_ENTRIES = 4096 };
/* Whether Python takes the value for true. */
bool value_true(const json_t *v);
/* The value of a number, of true or of false; of one that is not finite (base/nonfinite.h), too, with which only
 * comparisons have a result. */
double value_number(const json_t *v);
/* Whether it is a whole number, true or false. */
bool value_whole(const json_t *v);
/* A new value: a whole number where `integer` is set and x fits, else a double; NULL where x is not finite. */
json_t *value_result(double x, bool integer);
/* a op b, new, of "+" "-" "*" "/" "//" "%" "**"; lists are joined and repeated.  a and b are consumed. */
json_t *value_arithmetic(json_t *a, json_t *b, const char *op);
/* a op b, new, of the comparisons, "in" and "is" and their opposites.  a and b are consumed. */
json_t *value_compared(json_t *a, json_t *b, const char *op);
/* The function of that name of n arguments, new; the arguments stay the caller's. */
json_t *value_function(const char *name, json_t **arg, int n);
/* of[by], new: of a dictionary, a list or, one character of it, a text.  Both are consumed. */
json_t *value_indexed(json_t *of, json_t *by);
#endif
