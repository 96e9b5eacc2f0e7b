/* Columns of a state: centres, and how far an implementation may be from them.  state.h says why. */
#ifndef COLUMN_H
#define COLUMN_H
#include "state/rule.h"

/* Column c of a state: x[d], far[d] bounds what each entry of an implementation's column is away from x, norm the
 * Euclidean norm of all that.  Where balls go their own way (centred() is false), x holds the radii, and far and norm
 * are 0.  It is number c of `all`, which edits of what is computed of it ask. */
struct state_column { const struct ball **x; struct up *far, norm; long c, all; };
/* A token as columns meet it, with bounds of the norms of q and k, the largest decay (0 where nothing decays), and
 * the factor of the delta rule's map. */
struct meeting { struct state_token t; struct up q, k, a, factor; };

/* Do columns carry norms?  Not under roundings to nearest, whose states are numbers, nor with names or tangents. */
bool centred(const struct ask *w);
/* Room for a state of e columns of d entries, all at 0; columns_free frees it. */
struct state_column *columns_of(const struct state_rule *r);
void columns_free(struct state_column *c);
/* Sets entry i of a column to the ball x, which is borrowed; column_begun is due behind the last. */
void column_set(struct ask *w, struct state_column *c, long i, const struct ball *x);
void column_begun(struct state_column *c, long d);
/* Entry i with its radius. */
const struct ball *column_entry(struct ask *w, const struct state_column *c, long i);

/* Room for a token of this rule, and the token itself as it is met; meeting_free frees the room. */
void meeting_room(struct meeting *m, const struct state_rule *r);
void meeting_make(struct ask *w, struct meeting *m, const struct state_rule *r, long h, long t);
void meeting_free(struct meeting *m);

/* x <- diag(a) x. */
void column_decay(struct ask *w, const struct state_rule *r, struct state_column *c, const struct meeting *m);
/* x <- x + k beta (v - x^T k), where state_late diag(a) x + the same; v NULL: a v of 0. */
void column_correct(
    struct ask *w, const struct state_rule *r, struct state_column *c, const struct meeting *m, const struct ball *v);
/* x <- x + k v. */
void column_write(
    struct ask *w, const struct state_rule *r, struct state_column *c, const struct ball *const *k,
    const struct ball *v);
/* x^T y of a vector y of norm at most `norm`; the sum is added up at step s. */
const struct ball *column_read(struct ask *w, const struct state_rule *r, const struct state_column *c, int s,
    const struct ball *const *y, struct up norm);

/* Balls that outlive a token.  Where balls may be given up (not with names or tangents), shelf_put copies x to place k
 * and answers the copy, so that the token's own balls may go; else it answers x.  shelf_taken answers a ball of the
 * ask's for a copy or x itself. */
struct shelf { struct ball *at; long n; };
bool shelved(const struct ask *w);
struct shelf shelf_of(const struct ask *w, long n);
const struct ball *shelf_put(const struct ask *w, struct shelf *s, long k, const struct ball *x);
const struct ball *shelf_taken(struct ask *w, const struct ball *x);
void shelf_free(struct shelf *s);
#endif
