/* Functions that many write by exponentials, in one expression or in a branch for each sign of their number: other
 * forms (form.h) of one operation of the page, so that single faults of these expressions are edits, too.  It completes
 * site.h by the macros of both. */
#ifndef BRANCHES_H
#define BRANCHES_H
#include "edit/site.h"
/* Sigmoid and softplus of x, in such a form where the edit is of one of its lines. */
const struct ball *sigmoid_in_form(struct ask *w, const struct ball *x);
const struct ball *softplus_in_form(struct ask *w, const struct ball *x);

/* The larger one of x and 0, where the page writes it at `at`, and the slope of that, which is at_0 at 0; in a form
 * that asks on which side of a border x is, where the edit is of one of its lines. */
const struct ball *relu_in_form(struct ask *w, struct source at, const struct ball *x);
const struct ball *heaviside_in_form(struct ask *w, const struct ball *x, const struct ball *at_0);

#define b_relu(w, x) relu_in_form(w, HERE_AS("max(" #x ", 0)"), x)
#define b_sigmoid(w, x) site_one(w, HERE_AS("sigmoid(" #x ")"), SITE_SIGMOID, sigmoid_in_form, x)
#define b_softplus(w, x) site_one(w, HERE_AS("softplus(" #x ")"), SITE_SOFTPLUS, softplus_in_form, x)
#endif
