/* Every line of dk, dv and of a table's gradient needs the weights of all queries: they are made once for all lines of
 * one asker, and kept while the question stays the same (question.h). */
#include <stdio.h>
#include <stdlib.h>
#include "softmax/backward.h"
#include "row/memo.h"
#include "row/question.h"

/* KEPT is the number of questions kept at once (a line's own precision, its first raise, ..).  MOST is how many pairs
 * of a query and a visible key they hold in all, of some 800 bytes each; of more queries than QUERIES nothing is
 * kept. */
enum { KEPT = 3, MOST = 1 << 17, QUERIES = 1 << 14 };
/* One question, in words, and back[queries], of which those that are kept say so.  asked[queries] is the line that used
 * each last. */
struct backward_question {
    struct spelling text;
    long queries, *asked;
    struct backward *back;
    struct backward_all *all;
};
/* line counts the lines of the asker, pairs what is kept, and swept is the line in which there was no room last. */
struct backward_all {
    struct backward_question at[KEPT];
    struct spelling now;
    int newest;
    long line, pairs, swept;
};

static bool spell(struct spelling *t, const struct ask *w, const struct mix_grad *g)
{
    const struct mix *m = &g->m;
    struct { long numbers[6]; char seed[32]; const void *score, *value, *visible, *with; } of = {
        .numbers = { m->keys, m->block, m->route, m->empty, m->slack, m->gather },
        .with = m->with /* The rows of a family share one score function and differ in this. */
    };
    snprintf(of.seed, sizeof of.seed, "%s", g->seed);
    memcpy(&of.score, &m->score, sizeof m->score), memcpy(&of.value, &m->value, sizeof m->value),
        memcpy(&of.visible, &m->visible, sizeof m->visible);
    return !m->given && question_spell(t, w, &of, sizeof of);
}

static long pairs_of(const struct backward *b) { return b->s.n + 1; }

/* Gives entry i of the question up, if it is kept. */
static void forget_one(struct backward_question *q, long i)
{
    struct backward *b = &q->back[i];
    if (!b->kept)
        return;
    q->all->pairs -= pairs_of(b);
    b->kept = false;
    free(b->balls), backward_free(b);
}
/* Frees what the question holds; its place is to be written anew, or freed. */
static void forget(struct backward_question *q)
{
    for (long k = 0; k < q->queries; k++)
        forget_one(q, k);
    free(q->back), free(q->asked), free(q->text.at);
}
static void forget_all(void *with)
{
    struct backward_all *k = with;
    for (int q = 0; q < KEPT; q++)
        forget(&k->at[q]);
    free(k->now.at), free(k);
}

/* Gives up what neither this line nor the one before it used: the heads and the questions that the asker has left.
 * What this line uses stays where it is, as the caller holds copies of it. */
static void sweep(struct backward_all *k)
{
    for (int q = 0; q < KEPT; q++)
        for (long i = 0; i < k->at[q].queries; i++)
            if (k->at[q].asked[i] < k->line - 1)
                forget_one(&k->at[q], i);
    k->swept = k->line; /* mutant: statement 27ae: a second time in a line nothing more is given up. */
}

struct backward_question *backward_kept(struct ask *w, const struct mix_grad *g)
{
    const struct mer_array *seed = array_in(w, g->seed);
    const long queries = seed->dim[0] * seed->dim[1];
    if (queries > QUERIES || queries == 0)
        return NULL;
    struct backward_all **slot = memo_own(w, sizeof **slot, forget_all), *k = *slot;
    k->line++;
    if (!spell(&k->now, w, g))
        return NULL;
    for (int q = 0; q < KEPT; q++) {
        struct backward_question *old = &k->at[q];
        if (old->text.used == k->now.used && !memcmp(old->text.at, k->now.at, k->now.used))
            return old;
    }
    struct backward_question *new = &k->at[k->newest = (k->newest + 1) % KEPT];
    forget(new);
    *new = (struct backward_question){ .queries = queries,
        .all = k,
        .back = need((size_t)queries, sizeof *new->back),
        .asked = need((size_t)queries, sizeof *new->asked) };
    new->text = (struct spelling){ need(k->now.used + 1, 1), k->now.used, k->now.used };
    memcpy(new->text.at, k->now.at, k->now.used);
    return new;
}

const struct backward *backward_found(struct backward_question *q, long query)
{
    q->asked[query] = q->all->line;
    return q->back[query].kept ? &q->back[query] : NULL;
}

/* The balls of b become copies, in a block of their own. */
static void own_balls(struct backward *b)
{
    const struct ball **lists[] = { b->p, b->dp, b->g, b->ds, &b->D };
    const long n = b->s.n, all = 4 * n + 1;
    const struct ball **x = need((size_t)all, sizeof *x);
    for (long k = 0; k < all; k++)
        x[k] = lists[n ? k / n : 4][n ? k % n : 0];
    b->balls = balls_own(x, all);
    for (long k = 0; k < all; k++)
        lists[n ? k / n : 4][n ? k % n : 0] = x[k] ? &b->balls[k] : NULL;
    free(x);
}

bool backward_keep(struct backward_question *q, long query, struct backward *b)
{
    struct backward_all *k = q->all;
    if (k->pairs + pairs_of(b) > MOST && k->swept != k->line)
        sweep(k);
    if (k->pairs + pairs_of(b) > MOST)
        return false;
    own_balls(b);
    free(b->s.s), free(b->s.e); /* No sum over keys asks for these. */
    b->s.s = b->s.e = NULL, b->s.max = b->s.top = b->s.total = NULL;
    b->kept = true;
    k->pairs += pairs_of(b);
    q->back[query] = *b;
    return true;
}
