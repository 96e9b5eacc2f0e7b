/* A reader: a question made so that its answer can be read off, one trait each.  harness/reader/NAME.c defines
 * reader_NAME; nothing else knows of it. */
#ifndef READER_H
#define READER_H
#include "subject/subject.h"
#include "trial/trial.h"

struct asking {
    const struct subject *s;
    const struct mer_kernel *k;
    const struct row *row;
    const char *told;
    int type, asked, answered;
    char why[600];
};
struct reader_fact {
    char trait[24], value[200], evidence[400]; /* what was read; what was asked and answered */
    /* in the row's own words, "causal=bottomright window=3"; "": it has none for this */
    char params[TEXT_MAX / 8];
};
enum { FACTS = 40, HINTS = 2048 };
/* hints: values worth trying, "base=500000 window=4" */
struct reader_facts { struct reader_fact at[FACTS]; int n; char hints[HINTS]; };
/* Silent where the subject's row or output has no such thing, or where it does not answer. */
struct reader { const char *name, *help; int order; void (*read)(struct asking *a, struct reader_facts *r); };
void readers_read(struct asking *a, struct reader_facts *r); /* all, ascending order */

/* A question for the kernel, under told and `params`; sizes as trial_make's.  Reals are 0, integers as trial_make fills
 * them.  False: it has no such shape. */
bool reader_make(struct asking *a, struct trial *t, const char *params, const char *sizes);
bool reader_ask(struct asking *a, struct trial *t);  /* the answer is in t; false: a->why */
bool reader_wants(const struct asking *a, const char *out);    /* among the kernel's outputs */
bool row_has(const struct row *r, const char *param);
struct mer_array *reader_in(struct trial *t, const char *input);  /* or NULL */
struct mer_array *reader_out(struct trial *t, const char *output); /* or NULL */
void reader_fill(struct mer_array *a, double x);                  /* NULL: nothing */
double unit_of_type(int type);                             /* 2^-p */
/* zeroed; the last is overwritten where there is no room */
struct reader_fact *fact_add(struct reader_facts *r, const char *trait);
/* "window=%ld" */
void reader_hint(struct reader_facts *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Weights w[h,n,m] of a question whose scores are already in its inputs: the output weights itself, or o with v one-hot
 * by key.  v is
 * overwritten.  NULL: it did not answer, or its row's arrays of these names do not lie so (other axes, or extents of
 * its own): then nothing can be read off; else the caller's. */
double *reader_weights(struct asking *a, struct trial *t, long n, long m);
#endif
