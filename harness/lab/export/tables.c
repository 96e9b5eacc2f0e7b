/* Tables of trained positions; see tables.h. */
#include "lab/export/tables.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "arith/need.h"
#include "lab/export/relative.h"

enum { ARRAYS = 2048 }; /* of a list at most: the blocks of a model, and its tables */

/* A pass of one row that is as long as there are positions. */
static int open_pass(struct pass *p, const struct trained *t, char *err, size_t n)
{
    return pass_open(p, &t->m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = t->positions }, err, n);
}
static int failed(const struct trained *t, char *err, size_t n)
{
    return snprintf(err, n, "encoding %s: its row has no answer for %lld positions", t->m.enc->name,
               (long long)t->positions),
           -1;
}
static void *block(const struct trained *t, int k) { return (void *)trained_block(t, k); }

int tables_places(const struct trained *t, float *to, char *err, size_t n)
{
    struct pass p;
    int rc = 0;
    if (!t->m.enc->place)
        return 0;
    if (!(rc = open_pass(&p, t, err, n))) {
        int64_t *token = need((size_t)t->positions, sizeof *token);
        rc = pass_forward(&p, t->stored.params, token) == MER_OK ? 0 : failed(t, err, n);
        memcpy(to, p.places, (size_t)(t->positions * t->m.size.channels) * sizeof(float));
        free(token);
    }
    pass_close(&p);
    return rc;
}

int tables_vectors(const struct trained *t, float *to, char *err, size_t n)
{
    char sizes[80];
    struct op o;
    const int64_t v = t->m.size.vocab;
    int64_t *token = need((size_t)v, sizeof *token);
    for (int64_t k = 0; k < v; k++)
        token[k] = k;
    snprintf(sizes, sizeof sizes, "n=%lld v=%lld d=%lld", (long long)v, (long long)v, (long long)t->m.size.channels);
    int rc = op_open(&o, MER_F32, "embedding", "scale=0", "y", sizes, err, n);
    op_set(&o, "token", token), op_set(&o, "table", block(t, t->m.token)), op_set(&o, "y", to);
    rc = rc || op_run(&o) == MER_OK ? rc : failed(t, err, n);
    op_close(&o);
    free(token);
    return rc;
}

/* words[P,v,c]: the real parts of all waves, then the imaginary ones. */
static int words(struct pass *p, const struct trained *t, struct released *list, char *err, size_t n)
{
    const int64_t v = t->m.size.vocab, c = t->m.size.channels, half = c / 2;
    float *y = released_add(list, "words", t->positions, v, c, 0), *part[2];
    int64_t *token = need((size_t)t->positions, sizeof *token);
    int rc = 0;
    for (int k = 0; k < 2; k++)
        part[k] = need((size_t)(t->positions * half) + 32, sizeof(float)), op_set(&p->embed, k ? "im" : "re", part[k]);
    for (int k = 0; k < 3; k++)
        op_set(&p->embed, model_waves[k], block(t, t->m.waves[k]));
    op_set(&p->embed, "word", token);
    for (int64_t s = 0; s < v && !rc; s++) {
        for (int64_t i = 0; i < t->positions; i++)
            token[i] = s;
        rc = op_run(&p->embed) == MER_OK ? 0 : failed(t, err, n);
        for (int64_t i = 0; i < t->positions * c; i++)
            y[(i / c * v + s) * c + i % c] = part[i % c >= half][i / c * half + i % half];
    }
    free(part[0]), free(part[1]), free(token);
    return rc;
}

/* turn.q or turn.k: column j of the matrix of a position is what becomes of the unit vector j there. */
static int turn(struct pass *p, int k, const struct trained *t, struct released *list, char *err, size_t n)
{
    const int64_t h = t->m.size.heads, d = t->m.size.channels / h, all = h * t->positions * d;
    float *y = released_add(list, k ? "turn.k" : "turn.q", t->positions, d, d, 0),
          *x = need((size_t)all + 32, sizeof *x), *of = need((size_t)all + 32, sizeof *of);
    int rc = 0;
    op_set(&p->turn[k], "x", x), op_set(&p->turn[k], "y", of);
    for (int64_t j = 0; j < d && !rc; j++) {
        for (int64_t i = 0; i < all; i++)
            x[i] = i % d == j;
        rc = op_run(&p->turn[k]) == MER_OK ? 0 : failed(t, err, n);
        for (int64_t i = 0; i < t->positions * d; i++)
            y[i * d + j] = of[i];
    }
    free(x), free(of);
    return rc;
}

/* Whether bias[h][P][P] hangs on the distance alone, among keys that a query sees. */
static bool by_distance(const float *bias, int64_t h, int64_t most)
{
    for (int64_t k = 0; k < h; k++)
        for (int64_t i = 0; i < most; i++)
            for (int64_t j = 0; j <= i; j++)
                if (bias[(k * most + i) * most + j] != bias[(k * most + i - j) * most])
                    return false;
    return true;
}
static int bias(struct pass *p, int layer, const struct trained *t, struct released *list, char *err, size_t n)
{
    const struct model *m = &t->m;
    const int64_t h = m->size.heads, most = t->positions;
    const float *x = p->bias;
    char name[40] = "bias";
    for (int k = 0; k < m->extras; k++)
        op_set(&p->bias_of, m->extra[k], block(t, m->layer[layer].extra[k]));
    if (m->extras && !m->enc->shared)
        snprintf(name, sizeof name, "%d.bias", layer);
    if (op_run(&p->bias_of) != MER_OK)
        return failed(t, err, n);
    if (by_distance(x, h, most)) {
        float *y = released_add(list, name, h, most, 0, 0);
        for (int64_t i = 0; i < h * most; i++)
            y[i] = x[i * most];
    } else
        memcpy(released_add(list, name, h, most, most, 0), x, (size_t)(h * most * most) * sizeof(float));
    return 0;
}

static int open_tables(struct pass *p, const struct trained *t, struct released *list, char *err, size_t n)
{
    const struct encoding *e = t->m.enc;
    const int layers = (int)t->m.size.layers;
    int rc = open_pass(p, t, err, n);
    if (!rc && e->embed)
        rc = words(p, t, list, err, n);
    for (int k = 0; !rc && e->turn && k < 2; k++)
        rc = turn(p, k, t, list, err, n);
    for (int l = 0; !rc && e->bias && l < (t->m.extras && !e->shared ? layers : 1); l++)
        rc = bias(p, l, t, list, err, n);
    return rc;
}

/* Refuses what no table over positions says. */
static int refused(const struct trained *t, char *err, size_t n)
{
    const struct encoding *e = t->m.enc;
    char one[400], all[400];
    encoding_text(one, sizeof one, e->params, &t->m.size, 1);
    encoding_text(all, sizeof all, e->params, &t->m.size, t->positions);
    const char *why = t->m.size.encoders ? "an encoder-decoder of this laboratory is of no class that is read here" :
        e->randomised                    ? "positions are drawn anew for every length" :
        strcmp(one, all) != 0            ? "its parameters hang on how long the text is" :
        *t->m.gate                       ? "its gates are of the text, not of places" :
        e->attend && e->by               ? "attention that another program computes has no tables" :
                                           NULL;
    return why ? (snprintf(err, n, "encoding %s: %s, so that it cannot be written", e->name, why), -1) : 0;
}

int tables_of(const struct trained *t, struct released *list, double *scale, char *err, size_t n)
{
    const struct encoding *e = t->m.enc;
    struct pass p = { .m = NULL };
    *list = (struct released){ .of = need(ARRAYS, sizeof *list->of) };
    *scale = 1 / sqrt((double)(t->m.size.channels / t->m.size.heads));
    if (refused(t, err, n))
        return -1;
    for (int k = 0; k < t->m.blocks; k++) {
        const struct net_block *b = &t->m.block[k];
        const int64_t line = b->count / b->lines;
        memcpy(released_add(list, b->name, b->lines > 1 ? b->lines : line, b->lines > 1 ? line : 0, 0, 0),
            t->stored.params + b->at, (size_t)b->count * sizeof(float));
    }
    int rc = open_tables(&p, t, list, err, n);
    pass_close(&p);
    if (!rc && e->place)
        rc = tables_places(t, released_add(list, "places", t->positions, t->m.size.channels, 0, 0), err, n);
    for (int l = 0; !rc && e->attend && l < (e->shared || !t->m.extras ? 1 : (int)t->m.size.layers); l++)
        rc = relative_tables(t, l, list, scale, err, n);
    return rc;
}
