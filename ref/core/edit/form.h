/* A number of a page in another form, as many write it: 1 / sqrt(d) as one power of d.  It is the same number, so that
 * the page needs it only where an edit changes the form, and where operations are noted, to say that there is such an
 * edit.  The form is a function, whose lines are those between two marks:
 *   enum { IN_ONE_POWER = __LINE__ };
 *   static const struct ball *in_one_power(struct ask *w, const void *of) { .. }
 *   static const struct other_form one_power = { in_one_power, __FILE__, IN_ONE_POWER, __LINE__ };
 * and the page asks for it before it computes the number in its own form:
 *   const struct ball *power = site_form(w, &one_power, &d);
 *   return power ? power : b_div(w, b_si(w, 1), b_sqrt(w, b_si(w, d))); */
#ifndef FORM_H
#define FORM_H
#include "edit/noted.h"

/* The number in that form, of what the page hands on as `of`. */
typedef const struct ball *number_in_form(struct ask *w, const void *of);
/* Its lines stand between first and last of the file. */
struct other_form { number_in_form *number; const char *file; int first, last; };
/* The number in that form where the edit is of one of its lines; NULL: the page computes it in its own.  Of what the
 * lines of a form give, indices are not changed, as the page has the same number (struct site, .form). */
const struct ball *site_form(struct ask *w, const struct other_form *f, const void *of);
#endif
