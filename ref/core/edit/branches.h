/* Functions that many write by exponentials, in one expression or in a branch for each sign of their number: other
 * forms (form.h) of one operation of the page, so that single faults of these expressions are edits, too.  It completes
 * site.h by the macros of both. */
#ifndef BRANCHES_H
#define BRANCHES_H
#include "edit/site.h"
/* Sigmoid and softplus of x, in such a form where the edit is of one of its lines. */
const struct ball *sigmoid_in_form(struct ask *w, const struct ball *x);
const struct ball *softplus_in_form(struct ask *w, const struct ball *x);

#define b_sigmoid(w, x) site_one(w, HERE_AS("sigmoid(" #x ")"), SITE_SIGMOID, sigmoid_in_form, x)
#define b_softplus(w, x) site_one(w, HERE_AS("softplus(" #x ")"), SITE_SOFTPLUS, softplus_in_form, x)
#endif
