/* The rules of data/names, by which recorded cases that use the names and layouts of another library are read; the
 * kinds of rules stand in names.c. */
#ifndef NAMES_H
#define NAMES_H
#include <jansson.h>
#include "core/arrayfile.h"
#include "trial/trial.h"
enum { NAMES = 224 }; /* rules of one file at most */
/* One line of data/names/ROW.tsv: the recorded operation, "op" or "op:view", or "*"; the kind of rule; their name or
 * value; ours; axes or an addition to it. */
struct rule { char op[32], kind[16], theirs[320], ours[400], axes[48]; };
struct names { const struct row *row; int n; struct rule rule[NAMES]; };
struct laid {                             /* the layout of a recorded array, axis by axis */
    int rank, times[MER_RANK];            /* times: how often each index is stored */
    char axis[MER_RANK], inner[MER_RANK]; /* letters; inner: a second one merged into the axis ("hd") */
    int part[MER_RANK], parts[MER_RANK];  /* of a stacked axis ("hd:1/3"): which of how many; else 0 of 1 */
    /* adjacent: copies lie side by side ("k2"), not in blocks ("2k"); split: even indices first, then odd ones */
    bool adjacent[MER_RANK], split[MER_RANK];
};
/* Reads the rules of a row; 0, or -1: there is no such file. */
int names_read(struct names *x, const char *row);
/* The first rule of that op, view (NULL: any), kind and name of theirs, valid as long as x; NULL: none. */
const struct rule *names_find(
    const struct names *x, const char *op, const char *view, const char *kind, const char *theirs);
/* The next rule with the op, kind and name of r, where one array of theirs is several of ours; NULL: none. */
const struct rule *names_again(const struct names *x, const struct rule *r);
/* Our name of a recorded row ("transformer-xl") under that op and these parameters; `theirs` itself where no rule
 * renames it. */
const char *names_row(const char *theirs, const char *op, json_t *params);
/* The next rule of a kind for op and view; *k is 0 at first and is advanced.  NULL: no more. */
const struct rule *names_next(const struct names *x, const char *op, const char *view, const char *kind, int *k);
/* Lists the views of op for which case c has an output and all needed arrays, and returns how many, at most 16. */
int names_views(const struct names *x, const char *op, json_t *c, char view[][32]);
/* Reads into l the first of the alternatives "n,2k|n,k" that has the rank of a and whose stored copies agree.  0, or -1
 * and why none does. */
int names_axes(const struct names *x, const char *op, const char *view, const char *shape, const struct mer_array *a,
    struct laid *l, char *err, size_t n);
/* Makes our dense array, with axes x, of batch b of theirs, which lies as l says: axes are transposed, copies and
 * single axes resolved, missing axes repeated.  size: extents by letter; rows: the array through which axis P is looked
 * up. Allocates ours->data, which the caller owns.  0; -1: an index lies outside, or the array would be too large. */
int names_lay(struct mer_array *ours, const struct axes *x, const struct mer_array *theirs, const struct laid *l,
    const long *size, long b, const struct mer_array *rows);
#endif
