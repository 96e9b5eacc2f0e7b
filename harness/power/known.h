/* Known bugs of released software as whole chains, and which tests find them: the usual allclose, the derived bound,
 * the probe inputs.  data/known.tsv has the columns id, row, where (parameters and sizes), encoding, change, mistake
 * (row.id of data/mistakes, which has the citation), output. */
#ifndef KNOWN_H
#define KNOWN_H
#include "compare/compare.h"
#include "trial/mistake.h"
#include "trial/trial.h"
struct known { char id[48], row[16], where[160], encoding[160], change[160], mistake[64], out[16]; };
enum { KNOWN_MOST = 64 };
/* Reads data/known.tsv into k[KNOWN_MOST].  Returns how many, or -1 and one line in err. */
long known_read(struct known *k, char *err, size_t n);
/* Finds the mistake of data/mistakes that k is a case of.  0, or -1: it is not there. */
int known_mistake(const struct known *k, struct mistake *m);

/* The exact outputs of a chain with a bug, rounded to the type, against the right chain on the lines compared. */
struct known_told {
    /* against the derived bound: y.over > 0 rejects; otherwise these inputs cannot tell the two apart */
    struct tally y;
    /* worst |got - want| / (2e-2 + 2e-2 |want|), which allclose accepts up to 1; it describes others' tests and decides
     * nothing here */
    double close;
};
/* Fills told[count] for the bugs k[count] of one chain, whose row, where, encoding and out agree.  fill: a word of
 * inputs.h; lines: how many random lines, under a fixed seed.  0, or -1 and one line in err. */
int known_tell(const struct known *k, int count, int type, const char *fill, long lines, struct known_told *told,
    char *err, size_t n);
/* Whether two bugs are of one chain. */
bool known_together(const struct known *a, const struct known *b);

/* A bracket of the least relative change of the logit scale that leaves the bounds on the probe inputs: at `hidden`
 * every exact output lies in its ball, at `seen` one is certainly outside (witness).  n: elements compared; evaluated:
 * how many changes were tried. */
struct least { double hidden, seen; long n, evaluated; char witness[120]; };
/* Finds it for `keys` keys.  0, or -1 and one line in err. */
int scale_least(int type, long keys, struct least *l, char *err, size_t n);
#endif
