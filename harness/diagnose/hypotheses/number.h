/* Reads a number that is known to lie in an interval: as the shortest decimal, or as an expression of what the question
 * holds. */
#ifndef NUMBER_H
#define NUMBER_H
#include "trial/trial.h"

/* What expressions are formed of: some constants, and the sizes and the parameters of a question by their names. */
enum { NUMBER_TERMS = 64 };
struct number_terms {
    int n;
    struct { char says[32]; double x; } of[NUMBER_TERMS];
};
/* The constants, the sizes of t above 2, and its numeric parameters that are neither 0 nor 1. */
void number_terms_of(struct number_terms *to, const struct trial *t);
/* Writes the decimal of fewest digits, at most `digits` <= 17, that lies in [low, high]: how many it has; 0: none
 * lies in it, and what text holds is no answer.  n >= 26. */
int number_decimal(double low, double high, int digits, char *text, size_t n);
/* What an expression may be: a term or its inverse; a power (1, 1/2, -1/2, -1) of one; a product of two of those. */
enum number_form { NUMBER_TERM, NUMBER_POWER, NUMBER_PRODUCT };
/* Looks for an expression up to that form that lies in [low, high], which have one sign and are not 0, the simplest
 * first.  It is found only where so many expressions would hardly hit so narrow an interval.  false: nothing is
 * written. */
bool number_expression(
    const struct number_terms *of, enum number_form form, double low, double high, double *x, char *text, size_t n);
#endif
