/* The layout of a model's parameters, and how they are drawn; see model.h. */
#include "lab/net/model.h"
#include "base/digest.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/gen.h"

static int add(struct model *m, const char *name, int layer, int64_t lines, int64_t width, enum start start, double by)
{
    struct net_block *b = &m->block[m->blocks];
    if (layer < 0)
        snprintf(b->name, sizeof b->name, "%s", name);
    else
        snprintf(b->name, sizeof b->name, layer < m->size.layers ? "%d.%s" : "e%d.%s",
            (int)(layer < m->size.layers ? layer : layer - m->size.layers), name);
    b->at = m->count, b->lines = lines, b->count = lines * width, b->start = start, b->by = by;
    m->count += b->count;
    return m->blocks++;
}
static int gains(struct model *m, const char *name, int layer, int64_t c, enum start start)
{
    return add(m, name, layer, 1, c, start, 0);
}
/* Adds a matrix whose elements have the variance by^2 / in. */
static int matrix(struct model *m, const char *name, int layer, int64_t in, int64_t out, double by)
{
    return add(m, name, layer, in, out, START_UNIFORM, by * sqrt(3 / (double)in));
}

/* Adds a trained input of the encoding.  One that is called as a block of the layer is gets a longer name, by which it
 * is drawn and checked. */
static int add_input(struct model *m, int layer, const char *input, int64_t lines, int64_t width)
{
    char name[40];
    struct net_block *of = &m->block[add(m, input, layer, lines, width, START_UNIFORM, 0.1)];
    bool called = false;
    for (const struct net_block *b = m->block; b < of; b++)
        called |= !strcmp(b->name, of->name);
    if (called) {
        const int before = (int)strcspn(of->name, ".");
        snprintf(name, sizeof name, "%.*s.encoding.%s", before, of->name, input);
        snprintf(of->name, sizeof of->name, "%.31s", name);
    }
    return (int)(of - m->block);
}

/* Whether an input is one number for each head and token, which a layer makes by a projection; there is one of them. */
static bool is_gate(const struct model *m, const struct axes *x)
{
    return m->enc->attend && !m->enc->shared && x->rank == 2 && x->axis[0] == 'h' && x->axis[1] == 'm' &&
        (!*m->gate || !strcmp(m->gate, x->name));
}
static void add_gate(struct model *m, int layer, const char *name)
{
    struct layer_blocks *b = &m->layer[layer];
    snprintf(m->gate, sizeof m->gate, "%s", name);
    b->wg = matrix(m, "wg", layer, m->size.channels, m->size.heads, 1);
    b->bg = gains(m, "bg", layer, m->size.heads, START_ZERO);
}

/* Adds blocks for the trained inputs of the encoding's row: those of its signature that attention does not have; of a
 * bias or a table of positions all. */
static int add_extras(struct model *m, int layer, char *err, size_t n)
{
    char params[400], sizes[200], own[80], text[400];
    const struct encoding *e = m->enc;
    const char *name = e->attend ? e->attend :
        e->bias                  ? e->bias :
                                   e->place,
               *out = e->attend ? "o" :
        e->bias                 ? "bias" :
                                  "p";
    const struct row *r = row_named(name);
    const struct quantity *q = r ? row_quantity(r, out) : NULL;
    struct sign s;
    if (!q)
        return snprintf(err, n, "%s has no quantity '%s'", name, out), -1;
    snprintf(text, sizeof text, "%s %s", m->enc->params, layer < m->size.layers ? "" : m->enc->source);
    encoding_text(params, sizeof params, text, &m->size, m->size.length);
    encoding_text(own, sizeof own, m->enc->sizes, &m->size, m->size.length);
    const int d = (int)(e->attend || e->bias ? m->size.channels / m->size.heads : m->size.channels);
    snprintf(sizes, sizeof sizes, "h=%d d=%d e=%d %s", (int)m->size.heads, d, d, own);
    struct trial t = { .row = r };
    int rc = trial_params(&t, params, err, n);
    sign_read(&s, q->sign);
    m->extras = 0;
    for (int k = 0; k < s.n_in && !rc; k++) {
        const struct axes *x = &s.in[k];
        int64_t count = 1, line = 1;
        if (x->optional || x->integer || !strcmp(x->name, "q") || !strcmp(x->name, "k") || !strcmp(x->name, "v"))
            continue;
        if (is_gate(m, x)) {
            add_gate(m, layer, x->name);
            continue;
        }
        for (int j = 0; j < x->rank; j++)
            line = op_extent(r, t.params, x->axis[j], sizes), count *= line;
        if (m->extras == EXTRAS || !count)
            rc = (snprintf(err, n, "%s: input '%s' has no place in a model", r->name, x->name), -1);
        else {
            snprintf(m->extra[m->extras], sizeof m->extra[0], "%s", x->name);
            m->layer[layer].extra[m->extras++] = add_input(m, layer, x->name, count / line, line);
            if (m->enc->from != m->enc->to)
                m->block[m->blocks - 1].by = (m->enc->to - m->enc->from) / 2,
                                     m->block[m->blocks - 1].middle = (m->enc->to + m->enc->from) / 2;
        }
    }
    trial_close(&t);
    return rc;
}

const char *const model_waves[3] = { "amplitude", "frequency", "theta" };

int model_open(struct model *m, const char *encoding, const struct lab_size *s, char *err, size_t n)
{
    const int64_t c = s->channels, f = s->inner, v = s->vocab;
    *m = (struct model){ .size = *s, .enc = encoding_named(encoding), .place = { -1, -1 }, .g = -1, .s = -1 };
    if (!m->enc) {
        size_t at = (size_t)snprintf(err, n, "unknown encoding '%s'; there are", encoding);
        for (const struct encoding *e = encoding_next(NULL); e && at < n; e = encoding_next(e))
            at += (size_t)snprintf(err + at, n - at, " %s", e->name);
        return -1;
    }
    if (s->encoders && !m->enc->source)
        return snprintf(err, n,
                   "encoding %s is not for an encoder-decoder: its row looks back only, or has no gradient there",
                   encoding),
               -1;
    if (s->layers < 1 || s->encoders < 0 || s->layers + s->encoders > LAYERS_MOST || s->heads < 1 || c < 1 ||
        c % s->heads || f < 1 || v < 2 || v > MATHS_VOCAB || s->length < 1 || s->reach < s->length ||
        (m->enc->embed && c % 2))
        return snprintf(err, n,
                   "a model of %d layers, %d of an encoder, %d heads, %d channels, %d inner, %d symbols: layers 1 to "
                   "%d in all, channels a multiple of heads, symbols 2 to %d, reach %d at least the trained length %d",
                   (int)s->layers, (int)s->encoders, (int)s->heads, (int)c, (int)f, (int)v, LAYERS_MOST, MATHS_VOCAB,
                   (int)s->reach, (int)s->length),
               -1;
    /* two residual branches a layer (GPT-2, section 2.3); post-LN norms every sum */
    const double deep = s->encoders ? 1 : 1 / sqrt(2 * (double)s->layers);
    if (m->enc->embed) { /* a wave's mean square is half its amplitude's */
        const double by[] = { sqrt(6), 1, acos(-1) };
        for (int k = 0; k < 3; k++)
            m->waves[k] = add(m, model_waves[k], -1, v, c / 2, START_UNIFORM, by[k]);
    } else
        m->token = add(m, "token", -1, v, c, START_UNIFORM, sqrt(3 / (double)c));
    if (m->enc->place && !strcmp(m->enc->place, "learned"))
        for (int k = 0; k < (s->encoders ? 2 : 1); k++)
            m->place[k] = add(m, k ? "source place" : "place", -1, s->reach, c, START_UNIFORM, 0.1);
    for (int l = 0; l < s->layers + s->encoders; l++) {
        struct layer_blocks *b = &m->layer[l];
        b->ga = gains(m, "ga", l, c, START_ONE), b->sa = gains(m, "sa", l, c, START_ZERO);
        b->wi = matrix(m, "wi", l, c, 3 * c, 1), b->bi = gains(m, "bi", l, 3 * c, START_ZERO);
        b->wo = matrix(m, "wo", l, c, c, deep), b->bo = gains(m, "bo", l, c, START_ZERO);
        if (s->encoders && l < s->layers) { /* row block's names */
            b->gx = gains(m, "gx", l, c, START_ONE), b->sx = gains(m, "sx", l, c, START_ZERO);
            b->xi = matrix(m, "xi", l, c, 3 * c, 1), b->xb = gains(m, "xb", l, 3 * c, START_ZERO);
            b->xo = matrix(m, "xo", l, c, c, deep), b->xc = gains(m, "xc", l, c, START_ZERO);
        }
        b->gf = gains(m, "gf", l, c, START_ONE), b->sf = gains(m, "sf", l, c, START_ZERO);
        b->w1 = matrix(m, "w1", l, c, f, 1), b->b1 = gains(m, "b1", l, f, START_ZERO);
        b->w2 = matrix(m, "w2", l, f, c, deep), b->b2 = gains(m, "b2", l, c, START_ZERO);
        const int own = m->enc->attend || m->enc->bias || (m->enc->place && m->enc->grads),
                  first = l < s->layers ? 0 : (int)s->layers;
        if (own && (l == first || !m->enc->shared) && add_extras(m, l, err, n))
            return -1;
        if (own && l != first && m->enc->shared)
            memcpy(b->extra, m->layer[first].extra, sizeof b->extra);
    }
    if (!s->encoders)
        m->g = gains(m, "g", -1, c, START_ONE), m->s = gains(m, "s", -1, c, START_ZERO);
    m->out = add(m, "out", -1, v, c, START_UNIFORM, sqrt(3 / (double)c));
    return 0;
}

void model_draw(const struct model *m, const struct maths *a, uint64_t seed, void *params)
{
    for (const struct net_block *b = m->block; b < m->block + m->blocks; b++)
        for (int64_t k = 0; k < b->count; k++) {
            /* [-1, 1), 53 bits */
            const double unit = (double)(gen_bits(seed, digest_text(b->name), (uint64_t)k) >> 11) * 0x1p-52 - 1;
            /* the same numbers in both types */
            a->put(params, b->at + k,
                b->start == START_ZERO    ? 0 :
                    b->start == START_ONE ? 1 :
                                            (double)(float)(b->middle + unit * b->by));
        }
}
