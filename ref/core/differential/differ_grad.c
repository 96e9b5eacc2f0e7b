/* Gradients of differential attention, by those of row attention of its halves; see differential.h. */
#include <stdlib.h>
#include "differential/differential.h"
#include "layer/norm.h"
#include "row/question.h"
#include "state/stretch.h"
#include "state/token.h"

enum { EXACT_PAIRS = 16 };

static const struct differential *own(const struct ask *w) { return w->params; }
/* Where each gradient begins, behind one another. */
static void places(const struct ask *w, long place[DIFF_ALL + 1])
{
    const struct differ s = differ_of(w);
    const long q = s.heads * s.n * s.d, k = s.groups * s.m * s.d, vectors = s.gated ? 0 : s.d;
    const long size[] = { q, q, k, s.gated ? 0 : k, s.groups * s.m * s.e, vectors, vectors, vectors, vectors,
        s.gated ? s.heads * s.n : 0, s.e };
    stretch_places(size, DIFF_ALL, place);
}
static const struct ball *times(struct ask *w, struct source at, const struct ball *x, const struct ball *y)
{
    return b_step(w, DIFF_SLOPE, site_two(w, at, SITE_MUL, b_mul, x, y));
}

/* What the way back meets of all queries: their outputs by the second half times the gradient of what is left, minus
 * the gradient by lambda, [h][n][e]; and the terms of the gain's gradient, [e][h][n]. */
struct met { const struct ball **share, **gain; };
/* Query i of a head: from the gradient of its output to those of its halves' outputs, which it fills. */
static void query_back(struct ask *w, struct half x[2], long h, long i, struct met *to)
{
    const struct differ s = differ_of(w);
    const struct ball **first = need(4 * (size_t)s.e + 1, sizeof *first), **second = first + s.e, **z = second + s.e,
                      **up = z + s.e, *share = differ_share(w, h, i), *fade = differ_fade(w);
    differ_ask(w, &x[0], "o", i, s.e, first), differ_ask(w, &x[1], "o", i, s.e, second);
    differ_rest(w, share, first, second, z);
    for (long c = 0; c < s.e; c++) {
        up[c] = b_in(w, s.gated ? "dgated" : "do", h, i, c);
        if (b_true(w, own(w)->fade == FADE_ON))
            up[c] = times(w, HERE, fade, up[c]);
    }
    struct norm n = differ_norm(w);
    struct normed m = { .r = NULL };
    if (b_true(w, own(w)->norm == NORM_RMS))
        m = norm_open(w, &n, z, s.e);
    for (long c = 0; c < s.e; c++) {
        to->gain[(c * s.heads + h) * s.n + i] = times(w, HERE, up[c], m.r ? m.y[c] : z[c]);
        up[c] = differ_gained(w, DIFF_SLOPE, up[c], c);
    }
    /* mutant: condition f619: what was not normalised has no width, and its way back does nothing. */
    if (m.r)
        norm_back(w, &n, &m, up, up);
    for (long c = 0; c < s.e; c++) {
        x[0].up[i * s.e + c] = up[c];
        x[1].up[i * s.e + c] = b_neg(w, times(w, HERE, share, up[c]));
        to->share[(h * s.n + i) * s.e + c] = times(w, HERE, up[c], second[c]);
    }
    free(first), norm_close(&m);
}
/* A gradient by a head of keys or values as it adds up over the halves that read it: size numbers, `used` of `room`
 * terms each. */
struct pile { const struct ball **t; long size, room, *used; };
static struct pile pile_of(long heads, long size, long room)
{
    return (struct pile){ need((size_t)(heads * size * room) + 1, sizeof(struct ball *)), size, room,
        need((size_t)heads + 1, sizeof(long)) };
}
/* Adds a term to each of n numbers from `from` on of that head. */
static void pile_add(struct pile *p, long head, long from, const struct ball *const *x, long n)
{
    for (long k = 0; k < n; k++)
        p->t[(head * p->size + from + k) * p->room + p->used[head]] = x[k];
}
/* The sums of all heads; it frees the pile. */
static void pile_end(struct ask *w, struct pile *p, long heads, const struct ball **y)
{
    for (long k = 0; k < heads * p->size; k++)
        y[k] = site_gathered(w, HERE, DIFF_GATHER, p->t + k * p->room, p->used[k / p->size]);
    free(p->t), free(p->used);
}

/* Both halves of head h: the gradients of its queries, and what those of keys (two piles) and values grow by. */
static void head_back(struct ask *w, long h, struct met *to, struct pile pile[3], const struct ball **dq[2])
{
    const struct differ s = differ_of(w);
    const long both = 2 * s.n * s.e;
    const struct ball **room = need((size_t)(both + s.d + s.e) + 1, sizeof *room), **line = room + both;
    struct half x[2] = { differ_open(w, h, 0), differ_open(w, h, 1) };
    x[0].up = room, x[1].up = room + s.n * s.e;
    for (long i = 0; i < s.n; i++)
        query_back(w, x, h, i, to);
    for (int half = 0; half < 2; half++) {
        int of;
        const long g = differ_key(w, h, half, &of), values = differ_value(w, h);
        struct pile *keys = &pile[s.gated ? 0 : of];
        for (long i = 0; i < s.n; i++)
            differ_ask(w, &x[half], "dq", i, s.d, dq[half] + (h * s.n + i) * s.d);
        for (long j = 0; j < s.m; j++) {
            differ_ask(w, &x[half], "dk", j, s.d, line), pile_add(keys, g, j * s.d, line, s.d);
            differ_ask(w, &x[half], "dv", j, s.e, line), pile_add(&pile[2], values, j * s.e, line, s.e);
        }
        keys->used[g]++, pile[2].used[values]++;
    }
    differ_close(&x[0]), differ_close(&x[1]), free(room);
}
/* The gradients by the four vectors, of which each power of lambda has two. */
static void vectors_back(struct ask *w, const struct ball *share, const struct ball **all, const long *place)
{
    static const char *const vector[] = { "lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2" };
    for (int k = 0; k < 4; k++) {
        const struct ball *by = times(w, HERE, share, differ_power(w, k / 2));
        for (long c = 0; c < dim_in(w, vector[k], 0); c++) {
            const struct ball *y = times(w, HERE, by, b_in(w, vector[k ^ 1], c, 0, 0));
            all[place[DIFF_LQ1 + k] + c] = b_true(w, k < 2) ? b_neg(w, y) : y;
        }
    }
}
static void share_back(struct ask *w, const struct met *to, const struct ball **all, const long *place)
{
    const struct differ s = differ_of(w);
    if (!s.gated) {
        vectors_back(w, site_gathered(w, HERE, DIFF_GATHER, to->share, s.heads * s.n * s.e), all, place);
        return;
    }
    /* mutant: loop 4e73: one more stands where the first gain is written behind it. */
    for (long k = 0; k < s.heads * s.n; k++) {
        const struct ball *a = b_element(w, array_in(w, "a"), k), *above = token_sigmoid(w, DIFF_SHARE, a),
                          *slope = times(w, HERE, above, token_sigmoid(w, DIFF_SHARE, b_neg(w, a)));
        const struct ball *sum = site_gathered(w, HERE, DIFF_GATHER, to->share + k * s.e, s.e);
        all[place[DIFF_A] + k] = b_neg(w, times(w, HERE, sum, slope));
    }
}
static void make(struct ask *w, const struct ball **all)
{
    const struct differ s = differ_of(w);
    const long queries = s.heads * s.n, room = 2 * s.heads;
    long place[DIFF_ALL + 1];
    places(w, place);
    struct met to = { .share = need(2 * (size_t)(queries * s.e) + 1, sizeof *to.share) };
    to.gain = to.share + queries * s.e;
    struct pile pile[3] = { pile_of(s.groups, s.m * s.d, room), pile_of(s.groups, s.m * s.d, room),
        pile_of(s.groups, s.m * s.e, room) };
    const struct ball **dq[2] = { all, all + place[DIFF_Q2] }; /* That by q1 is the first. */
    for (long h = 0; h < s.heads; h++)
        head_back(w, h, &to, pile, dq);
    pile_end(w, &pile[0], s.groups, all + place[DIFF_K1]);
    pile_end(w, &pile[1], s.gated ? 0 : s.groups, all + place[DIFF_K2]);
    pile_end(w, &pile[2], s.groups, all + place[DIFF_V]);
    share_back(w, &to, all, place);
    for (long c = 0; c < s.e; c++)
        all[place[DIFF_GAIN] + c] = site_gathered(w, HERE, DIFF_GATHER, to.gain + c * queries, queries);
    free(to.share);
}
void differ_grad(struct ask *w, const struct ball **y)
{
    const struct differ s = differ_of(w);
    /* Lines of a head; that of lambda has one, and what is not of a head is one line. */
    const long lines = w->of <= DIFF_Q2 ? s.n : w->of <= DIFF_V ? s.m : 1;
    long place[DIFF_ALL + 1];
    places(w, place);
    /* The exact path keeps nothing, so that it would make all gradients once a line: it is for few keys. */
    const bool exact = w->exact;
    if (s.heads * s.n * s.m > EXACT_PAIRS)
        w->exact = false;
    question_line(w, make, place[DIFF_ALL], place[w->of] + (w->at[0] * lines + w->at[1]) * w->len, y);
    w->exact = exact;
}
