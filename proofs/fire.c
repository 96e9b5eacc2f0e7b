/* Laws of fire: what a distance of nothing and one of everything are, where the bias depends on distances alone, and
 * where c does not matter. */
#include "law.h"

enum { S = 4, H = 2 };
struct fire_weights { double w1[S], b1[S], w2[H * S], b2[H]; };
static void draw(struct fire_weights *x, uint64_t seed)
{
    law_fill(x->w1, S, seed), law_fill(x->b1, S, seed + 1);
    law_fill(x->w2, H * S, seed + 2), law_fill(x->b2, H, seed + 3);
}
static const struct ball *bias(struct ask *w, struct law_of of, const struct fire_weights *x, long h, long i, long j)
{
    const struct given in[] = { { "w1", x->w1, 1, { S } }, { "b1", x->b1, 1, { S } }, { "w2", x->w2, 2, { H, S } },
        { "b2", x->b2, 1, { H } } };
    const struct ball *y[1];
    law_line(w, of, (struct givens){ in, 4 }, (long[MER_RANK]){ h, i, j }, 1, y);
    return y[0];
}
/* The network at a share x of 0 or 1, all in multiples of 1/256: exact. */
static const struct ball *at_share(struct ask *w, const struct fire_weights *x, long h, int share)
{
    long sum = (long)(256 * x->b2[h]);
    for (int s = 0; s < S; s++) {
        const long z = (long)(16 * (x->b1[s] + share * x->w1[s]));
        sum += z > 0 ? (long)(16 * x->w2[h * S + s]) * z : 0;
    }
    return b_ratio(w, sum, 256);
}

/* Whether a query from 9 on gives its own key (share 0) or the first one (share 1) what the network makes of that
 * share. */
static enum truth end_of_shares(const struct row *r, const char *params, uint64_t seed, int share)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct fire_weights x;
    draw(&x, seed);
    const long i = 9 + (long)(seed % 997), h = (long)(seed % H);
    const struct ball *y = bias(w, (struct law_of){ r, "bias", params }, &x, h, i, share ? 0 : i);
    return law_close(&l, law_same(y, at_share(w, &x, h, share)));
}
/* The query's own key has a share of 0, at every length. */
static enum truth nothing(const struct row *r, const char *params, uint64_t seed)
{
    return end_of_shares(r, params, seed, 0);
}
/* Beyond the threshold, and without eps, the first key has a share of 1. */
static enum truth everything(const struct row *r, const char *params, uint64_t seed)
{
    return end_of_shares(r, params, seed, 1);
}
/* Below the threshold the bias depends on the distance alone. */
static enum truth by_distance(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct fire_weights x = { .w1 = { 1, 1, 1, 1 }, .w2 = { 1, 1, 1, 1, 1, 1, 1, 1 } }; /* no hidden unit is off */
    const long i = 9 + (long)(seed % 40), step = 1 + (long)(seed % 31);
    const struct law_of of = { r, "bias", params };
    return law_close(&l, law_same(bias(w, of, &x, 1, i, i - 7), bias(w, of, &x, 1, i + step, i + step - 7)));
}
/* Of distances themselves, without eps, c does not matter. */
static enum truth without_c(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct fire_weights x = { .w1 = { 1, 1, 1, 1 }, .w2 = { 1, 1, 1, 1, 1, 1, 1, 1 } };
    char text[200];
    const long i = 9 + (long)(seed % 997);
    law_text(text, sizeof text, "rate=7/3", params);
    return law_close(&l, law_same(bias(w, (struct law_of){ r, "bias", params }, &x, 0, i, 3),
                             bias(w, (struct law_of){ r, "bias", text }, &x, 0, i, 3)));
}

const struct law fire_laws[] = {
    { "the query's own key is at a share of 0", "", nothing, "offset=3" },
    { "the first key is at a share of 1", "threshold=6 eps=0", everything, "eps=1/10" },
    { "below the threshold the distance alone matters", "threshold=100", by_distance, "threshold=2" },
    { "c does not matter where nothing is transformed", "transform=linear threshold=5 eps=0", without_c,
        "transform=log" },
    { 0 },
};
