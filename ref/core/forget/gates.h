/* The decays of forgetting attention between a query and a key; ref/forget.c says what each part is. */
#ifndef FORGET_GATES_H
#define FORGET_GATES_H
#include "row/row.h"
struct forget { mpq_t scale; int gate, first, right, start, route; };
enum { GATE_LOG, GATE_LOGSIGMOID };
enum { FIRST_NEXT, FIRST_OWN };
enum { RIGHT_HIDDEN, RIGHT_DIFFERENCE };
enum { START_END, START_ZERO };
enum { ROUTE_SUM, ROUTE_PREFIX };
/* Steps: what is made of a gate's logit; sums of gates, and their differences; gradients by a logit, and their sums. */
enum { STEP_LOGIT, STEP_CUMULATE, STEP_DIFFERENCE, STEP_SLOPE, STEP_GATHER };
/* The place of query i of n among m keys; below 0: in front of them. */
long gates_place(const struct ask *w, long i, long n, long m);
/* y[m]: the biases of head h at place p. */
void gates_bias(struct ask *w, long h, long p, long m, const struct ball **y);
/* Fills y[w->len] with the gradients by the gates of head w->at[0], of which each counts where it lies between a key
 * and a query; up[n][w->len]: those by the biases of n queries. */
void gates_gather(struct ask *w, const struct ball *const *up, long n, const struct ball **y);
#endif
