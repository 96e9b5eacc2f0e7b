/* From the losses of every token (evaluate.h): what a longer context is worth.
 *   by position   mean loss at each octave of positions of the longest windows: on the left the curse of early tokens,
 *                 beyond training whatever happens there
 *   RECL          relative effective context length of a group of models                    Dai et al. 2019,
 *                 Transformer-XL, section 4.4 and appendix C
 *     b(c, t) = min over models of l_i(c, t)      T: the share r of targets with the greatest b(c, t)
 *     f_i(c, c') = mean over T of min(b(c, t), l_i(c', t))      g_i = (e^f(c,c) - e^f(c,c')) / e^f(c,c)
 *     from the shortest context on, c becomes c' while g_i >= 0.01; RECL is where it stops.  Contexts are the lengths
 *     that were asked, targets the last of each window, which are the same at every length.  It stops at the first step
 *     that gains nothing, so that what tells a symbol must not lie two steps ahead of all that does. */
#ifndef CONTEXTS_H
#define CONTEXTS_H
#include <sqlite3.h>
#include "lab/train/design.h"
#include "lab/train/evaluate.h"

enum { GROUP_MOST = 64 };
/* l[models] of the same lengths and windows; the last `tail` targets of each window; share r of them, 0 < r <= 1.
 * recl[models]: a length each.
 * net: what a step back from c' to c would gain is taken from g_i.  Of two guesses the better one is taken, so that any
 * change of them gains, in both directions alike; a model that knows nothing, but not the same at every length, would
 * else have the longest of all. */
void recl_of(const struct losses *l, int models, int64_t tail, double r, bool net, int64_t *recl);
/* Mean bits of positions first .. last (from 0) of the windows of length k. */
double losses_between(const struct losses *l, int64_t k, int64_t first, int64_t last);
/* Adds to TEMP TABLE context(task, encoding, seed, what, at, value) a study's runs whose answers are in `now` and whose
 * losses lie in DIR/lab, in place of what it had of that task: what 'position' at the octave's first position, in bits;
 * what 'recl' and 'net recl' at r.  Of a task with a distance, RECL is of the windows' last target.  Runs without that
 * file are left out.  0, or -1 and one line: a file of another kind, or cut short. */
int contexts_make(sqlite3 *db, const char *dir, const struct study *s, char *err, size_t n);
#endif
