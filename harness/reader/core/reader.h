/* A reader asks questions whose answers can be read off, about one trait of a subject each. harness/reader/NAME.c
 * defines reader_NAME, which the build finds by its name. */
#ifndef READER_H
#define READER_H
#include "subject/subject.h"
#include "trial/trial.h"

/* Who is asked: a kernel of a subject, and what it is told with every question; counts of questions. */
struct asking {
    const struct subject *s;
    const struct mer_kernel *k;
    const struct row *row;
    const char *told;
    int type, asked, answered;
    char sizes[100]; /* of the questions that no reader asks: "d=64 e=64" where the usual sizes are declined, else "" */
    char why[600];
};
/* One trait of a subject that a reader has read. */
struct reader_fact {
    char trait[24], value[200], evidence[400]; /* what the trait was found to be; what was asked and answered */
    /* the same in parameters of the row, "causal=bottomright window=3"; "": the row has none for it */
    char params[TEXT_MAX / 8];
};
enum { FACTS = 40, HINTS = 2048 };
/* What all readers have read. hints: values of parameters that are worth trying, "base=500000 window=4". */
struct reader_facts { struct reader_fact at[FACTS]; int n; char hints[HINTS]; };
/* A reader adds no fact where the subject's row or output lacks what it reads, or where the subject does not answer. */
struct reader { const char *name, *help; int order; void (*read)(struct asking *a, struct reader_facts *r); };
void readers_read(struct asking *a, struct reader_facts *r); /* runs all readers in ascending order */

/* Makes a question for the kernel, under a->told and `params`; sizes as trial_make's.  Reals are 0, integers as
 * trial_make fills them. false: the row has no such question; trial_close(t) is due after true. */
bool reader_make(struct asking *a, struct trial *t, const char *params, const char *sizes);
bool reader_ask(struct asking *a, struct trial *t);  /* asks it; true: t has the answers; false: a->why says why not */
bool reader_wants(const struct asking *a, const char *out);    /* whether the kernel has that output */
bool row_has(const struct row *r, const char *param);          /* whether the row has that parameter */
struct mer_array *reader_in(struct trial *t, const char *input);   /* the array of t; NULL: it has none of that name */
struct mer_array *reader_out(struct trial *t, const char *output);
void reader_fill(struct mer_array *a, double x);                  /* sets every element; a NULL: does nothing */
double unit_of_type(int type);                             /* 2^-p, half a unit in the last place of 1 */
/* A new fact, empty but for its trait; the last one is overwritten where there is no room. */
struct reader_fact *fact_add(struct reader_facts *r, const char *trait);
/* Appends a word to r->hints, "window=%ld". */
void reader_hint(struct reader_facts *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The weights [h,n,m] of a question whose scores its inputs determine: the output weights itself, or o with v
 * one-hot by key; v is overwritten. malloc'd, the caller frees them; NULL: the subject did not answer, or the row's
 * arrays of these names have other axes or fixed extents, so that nothing can be read. */
double *reader_weights(struct asking *a, struct trial *t, long n, long m);
#endif
