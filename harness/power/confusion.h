/* The diagnosis tested: outputs of a known mistake, on three families of inputs and in two formats, must be named as
 * that mistake, or as one that these inputs cannot tell from it.  And the classes: which mistakes of a row no generated
 * case tells apart. */
#ifndef CONFUSION_H
#define CONFUSION_H
#include "diagnose/diagnose.h"
enum { FAMILIES = 3, PROBES = 5 };
/* Names of ways to fill inputs (inputs.h): the three families are normal, small and heavy; classes use uniform and
 * probe as well. */
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
/* What the diagnosis makes of the mistake in one quantity; d: the diagnosis, where the outputs fail. */
enum told confusion_tell(
    const struct row *r, const struct mistake *m, const char *out, int type, const char *family, struct diagnosis *d);
/* The same in the first quantity of the row whose outputs fail; *out: its name, or NULL where none fails. */
enum told confusion_first(
    const struct row *r, const struct mistake *m, int type, const char *family, const char **out, struct diagnosis *d);

/* Writes the classes of a row in a format as lines "type id id ..", in the order of the list.  Two mistakes are one
 * class where all quantities on all five fills agree within their bounds, at the parameters of both; classes are closed
 * under that.  Returns how many classes, or -1: the row has no list of mistakes. */
int classes_write(FILE *f, const struct row *r, int type);
/* Writes data/classes/ROW.tsv anew, in f32 and bf16.  Returns how many classes, or -1 and one line in err. */
int classes_file(const struct row *r, char *err, size_t n);
#endif
