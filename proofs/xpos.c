/* Laws of xpos: what a score depends on, and how it decays. */
#include <stdio.h>
#include "law.h"
extern const struct row row_rope;
enum { D = 12 };

/* The query's or key's vector x[D] at position pos, as `side` says. */
static void at(struct ask *w, const struct row *r, const char *params, const char *side, double pos, const double *x,
    const struct ball **y)
{
    char text[200];
    const struct given in[] = { { "x", x, 3, { 1, 1, D } }, { "pos", &pos, 1, { 1 } } };
    law_line(w, (struct law_of){ r, "y", law_text(text, sizeof text, params, side) }, (struct givens){ in, 2 }, NULL, D,
        y);
}
static const struct ball *score(
    struct ask *w, const struct row *r, const char *params, uint64_t seed, double i, double j)
{
    double q[D], k[D];
    const struct ball *a[D], *b[D];
    law_fill(q, D, seed), law_fill(k, D, seed + 9);
    at(w, r, params, "side=query", i, q, a), at(w, r, params, "side=key", j, k, b);
    return law_dot(w, a, b, D);
}

/* score(i, j) = score(i + s, j + s). */
static enum truth relative(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double s = 65539 + (double)seed;
    return law_close(&l, law_same(score(w, r, params, seed, 40, 3), score(w, r, params, seed, 40 + s, 3 + s)));
}

/* A score is the same for every centre, though every single y differs. */
static enum truth centre(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    char text[200];
    law_text(text, sizeof text, params, seed % 2 ? "centre=33" : "centre=-70001");
    return law_close(&l, law_same(score(w, r, params, seed, 40, 3), score(w, r, text, seed, 40, 3)));
}

/* At the centre every scale is 1, and it is rope. */
static enum truth rope_at_the_centre(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double x[D], pos = 777;
    const struct ball *a[D], *b[D];
    const struct given in[] = { { "x", x, 3, { 1, 1, D } }, { "pos", &pos, 1, { 1 } } };
    law_fill(x, D, seed);
    law_line(w, (struct law_of){ r, "y", params }, (struct givens){ in, 2 }, NULL, D, a);
    law_line(w, (struct law_of){ &row_rope, "y", "dim=12 layout=interleaved" }, (struct givens){ in, 2 }, NULL, D, b);
    return law_close(&l, law_same_line(a, b, D));
}

/* The scale of pair k grows by zeta_k in scale_base = 512 positions.  For a single pair with q = k the score is
 * zeta_k^(D/B) cos(w_k D) |x|^2, so that a far key counts less than a near one in the same phase. */
static enum truth decay(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *z[2][D / 2];
    double pos[2] = { 100, 100 + 512 };
    long k = (long)(seed % (D / 2));
    for (int i = 0; i < 2; i++)
        law_line(w, (struct law_of){ r, "scale", params },
            (struct givens){ &(struct given){ "pos", &pos[i], 1, { 1 } }, 1 }, NULL, D / 2, z[i]);
    /* zeta_k = (2k/12 + 2/5) / (7/5) = (10 k + 24) / 84. */
    return law_close(&l, law_same(b_div(w, z[1][k], z[0][k]), b_ratio(w, 10 * k + 24, 84)));
}

const struct law xpos_laws[] = {
    { "a score depends on the distance only", "dim=12", relative, "scale=f32" },
    { "no score knows the centre", "dim=12", centre, "scale=f32" },
    { "at the centre it is rope", "dim=12 centre=777", rope_at_the_centre, "centre=776" },
    { "in scale_base positions the scale falls by zeta_k", "dim=12", decay, "gamma=1/2" },
    { 0 },
};
