/* The field's known bugs as whole chains, and what can tell them: the field's usual allclose, the derived bound, own
 * probes.  data/known.tsv: id, row, where (parameters and sizes), encoding, change, mistake (row.id of data/mistakes,
 * which has the citation), output. */
#ifndef KNOWN_H
#define KNOWN_H
#include "compare/compare.h"
#include "trial/mistake.h"
#include "trial/trial.h"
struct known { char id[48], row[16], where[160], encoding[160], change[160], mistake[64], out[16]; };
enum { KNOWN_MOST = 64 };
long known_read(struct known *k, char *err, size_t n); /* k[KNOWN_MOST]; how many, or -1 and err */
int known_mistake(const struct known *k, struct mistake *m); /* the line it instances: 0, or -1: not there */

/* a bug's exact outputs, rounded to the type, against the right chain, on the lines looked at */
struct known_told {
    /* against the derived bound: y.over > 0 rejects; else the two cannot be told on these inputs */
    struct tally y;
    /* worst |got - want| / (2e-2 + 2e-2 |want|): at most 1 is what others' allclose accepts. A description, never a
     * gate */
    double close;
};
/* Bugs k[0 .. count) of one chain (the same row, where, encoding and out).  fill: a word of inputs.h; lines: how many
 * random ones, under a fixed seed. */
int known_tell(const struct known *k, int count, int type, const char *fill, long lines, struct known_told *told,
    char *err, size_t n);
bool known_together(const struct known *a, const struct known *b);

/* The least relative change of `scale` that leaves the widened ball on the probe, n keys: bracketed, both ends
 * evaluated.  Exact outputs at `hidden` lie in their balls, every one; at `seen` one is certainly outside. */
struct least { double hidden, seen; long n, evaluated; char witness[120]; };
int scale_least(int type, long keys, struct least *l, char *err, size_t n);
#endif
