/* Reading packs that use other names: see names.c. */
#ifndef NAMES_H
#define NAMES_H
#include <jansson.h>
#include "core/arrayfile.h"
#include "trial/trial.h"
enum { NAMES = 224 };
struct rule { char op[32], kind[16], theirs[320], ours[400], axes[48]; };
struct names { const struct row *row; int n; struct rule rule[NAMES]; };
struct laid { /* how a recorded array lies */
    int rank, times[MER_RANK];            /* how often each index is stored */
    char axis[MER_RANK], inner[MER_RANK]; /* letters; inner: a second one merged into the axis ("hd") */
    int part[MER_RANK], parts[MER_RANK];  /* of a stacked axis ("hd:1/3"): which of how many; others 0 of 1 */
    /* copies lie side by side ("k2"), not in blocks ("2k"); evens first, then odds */
    bool adjacent[MER_RANK], split[MER_RANK];
};
int names_read(struct names *x, const char *row); /* 0, or -1: no file */
/* view NULL: any */
const struct rule *names_find(
    const struct names *x, const char *op, const char *view, const char *kind, const char *theirs);
/* the next of the same op, kind and name: one array of theirs, several of ours; or NULL */
const struct rule *names_again(const struct names *x, const struct rule *r);
/* our name of a recorded row ("transformer-xl") under that op and these parameters; itself where no file says
 * otherwise */
const char *names_row(const char *theirs, const char *op, json_t *params);
/* each rule of a kind; *k = 0 first */
const struct rule *names_next(const struct names *x, const char *op, const char *view, const char *kind, int *k);
/* those that case c has outputs and needs for; how many, at most 16 */
int names_views(const struct names *x, const char *op, json_t *c, char view[][32]);
/* Their parameters as our words; one that no line is about and that our row has stands for itself.  0, or -1 and what
 * is not understood, with what is near. */
int names_params(const struct names *x, const char *op, json_t *c, char *text, size_t n, char *err, size_t m);
/* The first of the alternatives "n,2k|n,k" that has a's rank and whose stored copies agree; 0, or -1 and why none
 * does. */
int names_axes(const struct names *x, const char *op, const char *view, const char *shape, const struct mer_array *a,
    struct laid *l, char *err, size_t n);
/* rows: what axis P looks up; -1: an index lies outside */
int names_lay(struct mer_array *ours, const struct axes *x, const struct mer_array *theirs, const struct laid *l,
    const long *size, long b, const struct mer_array *rows);
#endif
