/* The diagnosis against the truth: a mistake's own outputs, on three families of inputs and in two formats, must be
 * named as that mistake, or as one
 * that these inputs cannot tell from it.  And the classes: which mistakes of a row no probe tells apart. */
#ifndef CONFUSION_H
#define CONFUSION_H
#include "diagnose/diagnose.h"
enum { FAMILIES = 3, PROBES = 5 };
/* unit normal, small magnitude, heavy-tailed with outlier channels; of classes also uniform and the probe */
extern const char *const family_name[PROBES];

enum told {
    ABSENT,  /* the change is of an input that no quantity has */
    UNTOLD,  /* it differs from the right row by less than the sum of their bounds: one class with it here */
    RIGHT,   /* named first, itself or a member of its class here */
    OTHER,   /* another one was named */
    NOTHING, /* it fails, and nothing was named */
    MISSED,  /* it passes, and the classes say that it could be told: a failure of the suite */
    TOLDS
};
extern const char *const told_name[TOLDS];
/* Of one quantity.  d: what was said, where it failed. */
enum told confusion_tell(
    const struct row *r, const struct mistake *m, const char *out, int type, const char *family, struct diagnosis *d);
/* Of the first quantity of the row whose outputs fail; *out: which, or NULL. */
enum told confusion_first(
    const struct row *r, const struct mistake *m, int type, const char *family, const char **out, struct diagnosis *d);

/* Classes of a row in a format: text lines "type id id ..", one a class, in the list's order.  Two mistakes are one
 * class where, at the
 * parameters of both, all quantities on all five fills say the same; classes are closed under that.  How many, or -1:
 * no list. */
int classes_write(FILE *f, const struct row *r, int type);
/* data/classes/ROW.tsv in f32 and bf16, again; how many, or -1 and err */
int classes_file(const struct row *r, char *err, size_t n);
#endif
