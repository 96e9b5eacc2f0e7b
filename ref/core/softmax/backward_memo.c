/* Every line of dk, dv and of a table's gradient needs the weights of all queries: they are made once for all lines of
 * one asker, and kept while the question stays the same (question.h). */
#include <stdio.h>
#include <stdlib.h>
#include "softmax/backward.h"
#include "row/memo.h"
#include "row/question.h"

/* KEPT is the number of questions kept at once (a line's own precision, its first raise, ..); MOST is the largest
 * product of queries and keys of a question that is kept. */
enum { KEPT = 3, MOST = 1 << 14 };
/* One question, in words, and back[queries]: an entry whose s.key is NULL has not been made yet. */
struct backward_question { struct spelling text; long queries; struct backward *back; };
struct backward_kept { struct backward_question at[KEPT]; struct spelling now; int newest; };

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

/* Frees what the question holds; its place is to be written anew, or freed. */
static void forget(struct backward_question *q)
{
    for (long k = 0; k < q->queries; k++) {
        struct backward *b = &q->back[k];
        for (long j = 0; j < b->s.n; j++)
            ball_disown(b->p[j]), ball_disown(b->dp[j]), ball_disown(b->g[j]), ball_disown(b->ds[j]);
        ball_disown(b->D);
        b->kept = false;
        backward_free(b);
    }
    free(q->back), free(q->text.at);
}
static void forget_all(void *with)
{
    struct backward_kept *k = with;
    for (int q = 0; q < KEPT; q++)
        forget(&k->at[q]);
    free(k->now.at), free(k);
}

struct backward *backward_kept(struct ask *w, const struct mix_grad *g)
{
    const struct mer_array *seed = array_in(w, g->seed);
    const long queries = seed->dim[0] * seed->dim[1];
    if (queries * g->m.keys > MOST || queries == 0)
        return NULL;
    struct backward_kept **slot = memo_own(w, sizeof **slot, forget_all), *k = *slot;
    if (!spell(&k->now, w, g))
        return NULL;
    for (int q = 0; q < KEPT; q++) {
        struct backward_question *old = &k->at[q];
        if (old->text.used == k->now.used && !memcmp(old->text.at, k->now.at, k->now.used))
            return old->back;
    }
    struct backward_question *new = &k->at[k->newest = (k->newest + 1) % KEPT];
    forget(new); /* mutant: statement 5cfe: only memory is not given back. */
    *new = (struct backward_question){ .queries = queries, .back = need((size_t)queries, sizeof *new->back) };
    new->text = (struct spelling){ need(k->now.used + 1, 1), k->now.used, k->now.used };
    memcpy(new->text.at, k->now.at, k->now.used);
    return new->back;
}

void backward_keep(struct backward *kept, struct backward *b)
{
    for (long j = 0; j < b->s.n; j++)
        b->p[j] = ball_own(b->p[j]), b->dp[j] = ball_own(b->dp[j]), b->g[j] = ball_own(b->g[j]),
        b->ds[j] = ball_own(b->ds[j]);
    b->D = b->D ? ball_own(b->D) : NULL;
    free(b->s.s), free(b->s.e); /* No sum over keys asks for these. */
    b->s.s = b->s.e = NULL, b->s.max = b->s.top = b->s.total = NULL;
    b->kept = true;
    *kept = *b;
}
