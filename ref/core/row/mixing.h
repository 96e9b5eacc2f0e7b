/* What a row that mixes values by softmax weights says of itself: its scores, values and visible keys, as functions,
 * the algorithm whose roundings are meant, and how its scores depend on its inputs.  softmax/mix.h and
 * softmax/mix_grad.h read it; the types stand apart so that a row's table can hold functions that return them. */
#ifndef MIXING_H
#define MIXING_H
#include "ball/ball.h"
/* One line along the last axis of an array; `at` is where its first element stands, counted flat.  file, line: where a
 * page reads it, so that each reading is an operation of its own (edit/site.h); NULL, 0 of a line made otherwise. */
struct span { const struct mer_array *a; long at; const char *file; int line; };
/* By which route a mixing rounds (enum mix_route of score.h), and the keys of a tile where that goes by tiles. */
struct tiles { long block; int route; };
/* A mixing.  In its functions h is the query head, i the query, j the key and c the column of the value. */
struct mix {
    long keys;
    const struct ball *(*score)(struct ask *w, long h, long i, long j);
    const struct ball *(*value)(struct ask *w, long h, long i, long j, long c);
    bool (*visible)(const struct ask *w, long h, long i, long j);
    long block; /* The keys of a step on the routes online, lazy and split; 0 otherwise. */
    int route, empty;
    long slack;
    const struct ball *const *given; /* The values [key][len] in place of value(); NULL: value() gives them. */
    int gather;                      /* The step of the sum of weighted values; 0 is SUM. */
    int sinks;                       /* So many of the last keys are sinks: they count in the sums only. */
    /* Where value(.., j, c) is element c of an input's line, this gives that line, for speed; NULL: it is not. */
    struct span (*values)(const struct ask *w, long h, long i, long j);
    /* Is the score of query i and key j a number?  Else whatever sees the pair is none, too.  NULL: all scores are. */
    bool (*defined)(const struct ask *w, long i, long j);
    const void *with; /* What the row tells functions that its family shares; it is w->with while the row is asked. */
};

struct mix_grad {
    struct mix m;
    const char *seed;                            /* The name of the input that holds the gradient of o, do[h,n,e]. */
    const struct ball *(*scale)(struct ask *w);  /* The factor of s = scale <..., ...>; NULL is a factor of 1. */
    /* Where s_j = f(scale <..., ...>), this is f' at that place, which multiplies ds_j; NULL is a slope of 1. */
    const struct ball *(*slope)(struct ask *w, long h, long i, long j);
};
/* Element c of what multiplies ds_ij in a gradient's line: mix_key where that depends on the key, mix_query where it
 * depends on the query alone. */
typedef const struct ball *mix_key(struct ask *w, long h, long i, long j, long c);
typedef const struct ball *mix_query(struct ask *w, long h, long i, long c);
/* Does the asked line, w->at, gather the pair of query i and key j of head h? */
typedef bool mix_picks(const struct ask *w, long h, long i, long j);
/* What a gradient's line is made of: the pairs it gathers, and what each of them gives, which is query or key, and with
 * `last` key times that: a factor that a program may leave to the end, when key has met ds already. */
struct mix_met { mix_picks *of; mix_query *query; mix_key *key, *last; };

/* Has the asked line no value, since a query sees a pair that is not defined?  Where `of` is NULL, that is the query of
 * w->at, head at[0] and place at[1]; else it is any query of input q, through the pairs that the line gathers. */
bool mixing_undefined(const struct ask *w, const struct mix *m, mix_picks *of);
#endif
