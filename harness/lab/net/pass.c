/* The buffers and the judged operations of a pass; see model.h. */
#include <stdio.h>
#include <string.h>
#include "core/gen.h"
#include "lab/net/own_subject.h"
#include "lab/net/pair.h"

enum { TEXT = 700 };

/* Takes n elements of the arena, at a multiple of 64 bytes; NULL while the size of the arena is only being measured. */
static void *take(struct pass *p, int64_t n)
{
    void *at = p->arena ? (char *)p->arena + p->used : NULL;
    p->used += ((size_t)n * p->a->size + 63) / 64 * 64;
    return at;
}

static void lay(struct pass *p)
{
    const struct lab_size *s = &p->m->size;
    const int64_t N = p->tokens, c = s->channels, f = s->inner;
    int64_t most = s->reach * c;
    p->used = 0;
    for (const struct net_block *b = p->m->block; b < p->m->block + p->m->blocks; b++)
        most = b->count > most ? b->count : most;
    for (int64_t l = 0; l < p->layers; l++) {
        struct tape *t = &p->layer[l];
        if (l && !p->backward) { /* nothing is read again */
            *t = p->layer[0];
            continue;
        }
        t->x = take(p, N * c), t->n1 = take(p, N * c), t->qkv = take(p, 3 * N * c), t->q = take(p, N * c),
        t->k = take(p, N * c), t->v = take(p, N * c);
        t->g = take(p, *p->m->gate ? N * s->heads : 0);
        t->o = take(p, N * c), t->oc = take(p, N * c), t->x1 = take(p, N * c),
        t->n2 = p->encoder ? t->n1 : take(p, N * c), t->u = take(p, N * f), t->t = take(p, N * f);
        t->x3 = take(p, s->encoders ? N * c : 0);
        if (p->source) {
            struct cross_tape *x = &t->cross;
            x->q = take(p, N * c), x->kv = take(p, 2 * p->source->tokens * c), x->heads[0] = take(p, N * c),
            x->heads[1] = take(p, p->source->tokens * c), x->heads[2] = take(p, p->source->tokens * c);
            x->o = take(p, N * c), x->oc = take(p, N * c), x->x = take(p, N * c);
        }
    }
    p->last = take(p, N * c), p->hidden = s->encoders ? p->last : take(p, N * c), p->logits = take(p, N * s->vocab),
    p->places = take(p, N * c);
    p->raw[0] = take(p, N * c), p->raw[1] = take(p, N * c);
    if (*p->m->gate)
        p->gates[0] = take(p, N * s->heads), p->gates[1] = take(p, p->backward ? N * c : 0);
    const int64_t cells = p->m->enc->bias ? s->heads * p->length * p->length : 0;
    p->bias = take(p, cells);
    if (!p->backward)
        return;
    p->dx = take(p, N * c), p->dn = take(p, N * c), p->dc = take(p, N * c), p->dqkv = take(p, 3 * N * c),
    p->dox = take(p, N * c);
    p->dg = take(p, *p->m->gate ? N * s->heads : 0);
    p->dq = take(p, N * c), p->dk = take(p, N * c), p->dv = take(p, N * c), p->du = take(p, N * f),
    p->dt = take(p, N * f), p->one = take(p, most);
    if (p->source)
        p->dkv = take(p, 2 * p->source->tokens * c);
    if (p->m->extras && cells)
        p->w = take(p, cells), p->eye = take(p, cells), p->dw = take(p, cells), p->dbias = take(p, cells);
    for (int k = 0; k < 3 && p->m->enc->embed; k++)
        p->extra[k] = take(p, p->m->block[p->m->waves[k]].count);
    for (int k = 0; k < p->m->extras; k++)
        p->extra[k] = take(p, p->m->block[p->m->layer[0].extra[k]].count);
}

static int64_t number(const char *text, const struct lab_size *s, int64_t length)
{
    char of[80]; /* encoding_text leaves room for a number */
    encoding_text(of, sizeof of, text, s, length);
    return atoll(of);
}

/* Opens an operation in the pass's type; one of the encoding's own row is answered by whoever answers for it. */
static int open_op(struct pass *p, struct op *o, const char *row, const char *params, const char *outs,
    const char *sizes, char *err, size_t n)
{
    const char *own = p->m->enc->by ? encoding_row(p->m->enc) : NULL;
    const int rc = op_open(o, p->a->type, row, params, outs, sizes, err, n);
    o->by = own && !strcmp(own, row) ? p->m->enc->by : NULL;
    return rc;
}

/* Says that what needs no parameters could not be computed. */
static int no_kernel(const struct pass *p, const char *row, const char *params, char *err, size_t n)
{
    if (p->m->enc->by)
        return snprintf(err, n, "%s: %s", p->m->enc->name, own_said()), -1;
    return snprintf(err, n, "%s: no kernel for %s", row, params), -1;
}

int pass_weights(struct pass *p, const char *row, const char *params, int keep, char *err, size_t n)
{
    const long long h = p->m->size.heads, d = p->m->size.channels / h, l = p->length;
    char sizes[200];
    if (!p->w)
        return 0;
    snprintf(
        sizes, sizeof sizes, "h=%lld g=%lld n=%lld m=%lld d=%lld e=%lld bias%s", h, h, l, l, d, l, keep ? " keep" : "");
    for (int64_t t = 0; t < h * l; t++)
        p->a->put(p->eye, t * l + t % l, 1);
    int rc = open_op(p, &p->weights, row, params, "o", sizes, err, n);
    op_set(&p->weights, "v", p->eye), op_set(&p->weights, "o", p->w);
    return rc;
}

static int open_attend(struct pass *p, const struct variant *v, char *err, size_t n)
{
    const struct model *m = p->m;
    const struct lab_size *s = &m->size;
    const char *const attend = v && v->attend ? v->attend : m->enc->attend, *row = attend ? attend : "attention";
    char params[TEXT] = "causal=bottomright", own[80], sizes[200], outs[96] = "dq dk dv", text[TEXT];
    if (p->encoder)
        return pair_attend(p, err, n);
    if (attend) {
        snprintf(text, sizeof text, "%s %s", m->enc->params, v && v->encoding ? v->encoding : "");
        encoding_text(params, sizeof params, text, s, p->length);
    } else if (v && v->attention) {
        snprintf(text, sizeof text, "causal=bottomright %s", v->attention);
        encoding_text(params, sizeof params, text, s, p->length);
    }
    encoding_text(own, sizeof own, m->enc->sizes, s, p->length);
    const int plain = v && v->window && !v->sinks && !attend; /* row attention has windows of its own */
    if (plain)
        snprintf(params + strlen(params), sizeof params - strlen(params), " window=%lld",
            (long long)number(v->window, s, p->length));
    /* a variant's row sees the past */
    const int keep = op_takes(row_named(row), "o", "keep") &&
        ((attend == m->enc->attend && !strstr(params, "causal=")) || (v && v->window && !plain));
    const long long h = s->heads, d = s->channels / s->heads, l = p->length;
    snprintf(sizes, sizeof sizes, "h=%lld g=%lld n=%lld m=%lld d=%lld e=%lld%s%s %s", h, h, l, l, d, d,
        keep ? " keep" : "", m->enc->bias ? " bias" : "", own);
    if (keep) {
        p->keep = need((size_t)(h * l * l), sizeof *p->keep);
        const int64_t window = v && v->window ? number(v->window, s, p->length) : l,
                      sinks = v && v->sinks ? number(v->sinks, s, p->length) : 0;
        for (int64_t t = 0; t < h * l * l; t++) {
            const int64_t i = t / l % l, j = t % l;
            p->keep[t] = j <= i && (j > i - window || j < sinks);
        }
    }
    for (int k = 0; m->enc->attend && k < m->extras; k++)
        snprintf(outs + strlen(outs), sizeof outs - strlen(outs), " d%s", m->extra[k]);
    if (*m->gate)
        snprintf(outs + strlen(outs), sizeof outs - strlen(outs), " d%s", m->gate);
    if (open_op(p, &p->attend, row, params, "o", sizes, err, n) ||
        (p->backward && open_op(p, &p->attend_back, row, params, outs, sizes, err, n)))
        return -1;
    if (pass_weights(p, row, params, keep, err, n))
        return -1;
    struct op *both[] = { &p->attend, &p->attend_back, &p->weights };
    for (int k = 0; k < 3; k++)
        op_set(both[k], "keep", p->keep), op_set(both[k], "bias", p->bias);
    return 0;
}

/* Opens the operations of positions, and computes what does not depend on parameters once: fixed biases and tables. */
static int open_positions(struct pass *p, const struct variant *v, char *err, size_t n)
{
    const struct model *m = p->m;
    const struct lab_size *s = &m->size;
    const char *row = m->enc->place ? m->enc->place : m->enc->turn ? m->enc->turn : m->enc->bias;
    char params[TEXT], sizes[120], text[TEXT];
    if (!row || (m->enc->turn && v && v->attend))
        return 0;
    p->turns = m->enc->turn != NULL;
    snprintf(text, sizeof text, "%s %s %s", m->enc->params, p->encoder ? m->enc->source : "",
        v && v->encoding ? v->encoding : "");
    encoding_text(params, sizeof params, text, s, p->length);
    if (m->enc->bias) {
        encoding_text(text, sizeof text, m->enc->sizes, s, p->length);
        snprintf(sizes, sizeof sizes, "h=%lld n=%lld m=%lld %.60s", (long long)s->heads, (long long)p->length,
            (long long)p->length, text);
        int rc = open_op(p, &p->bias_of, row, params, "bias", sizes, err, n);
        op_set(&p->bias_of, "bias", p->bias);
        if (!rc && !m->extras && op_run(&p->bias_of) != MER_OK)
            rc = no_kernel(p, row, params, err, n);
        if (!rc && m->extras && p->backward)
            rc = open_op(p, &p->bias_back, row, params, m->enc->grads, sizes, err, n),
            op_set(&p->bias_back, "dbias", p->dbias);
        return rc;
    }
    if (m->enc->place) {
        /* trained from position to position: once for all rows */
        const int64_t lines = m->extras ? p->length : p->tokens;
        encoding_text(text, sizeof text, m->enc->sizes, s, p->length);
        snprintf(sizes, sizeof sizes, "n=%lld d=%lld s=%lld %.60s", (long long)lines, (long long)s->channels,
            (long long)s->reach, text);
        int rc = open_op(p, &p->place, row, params, "p", sizes, err, n);
        op_set(&p->place, "pos", p->pos), op_set(&p->place, "p", p->places);
        if (!rc && m->extras && p->backward)
            rc = open_op(p, &p->place_back, row, params, m->enc->grads, sizes, err, n),
            op_set(&p->place_back, "dp", p->one);
        if (!rc && m->place[0] < 0 && !m->extras && op_run(&p->place) != MER_OK)
            rc = no_kernel(p, row, params, err, n);
        if (!rc && m->place[0] >= 0 && p->backward)
            rc = open_op(p, &p->place_back, row, params, "dtable", sizes, err, n),
            op_set(&p->place_back, "pos", p->pos);
        return rc;
    }
    snprintf(sizes, sizeof sizes, "h=%lld n=%lld d=%lld", (long long)(p->rows * s->heads), (long long)p->length,
        (long long)(s->channels / s->heads));
    for (int k = 0; k < 2; k++) {
        if (k && m->enc->keys)
            snprintf(params + strlen(params), sizeof params - strlen(params), " %s", m->enc->keys);
        if (open_op(p, &p->turn[k], row, params, "y", sizes, err, n) ||
            (p->backward && open_op(p, &p->turn_back[k], row, params, "dx", sizes, err, n)))
            return -1;
        op_set(&p->turn[k], "pos", p->pos), op_set(&p->turn_back[k], "pos", p->pos);
    }
    return 0;
}

static int open_waves(struct pass *p, char *err, size_t n)
{
    const struct lab_size *s = &p->m->size;
    char sizes[120];
    snprintf(sizes, sizeof sizes, "n=%lld d=%lld v=%lld", (long long)p->tokens, (long long)(s->channels / 2),
        (long long)s->vocab);
    if (open_op(p, &p->embed, p->m->enc->embed, p->m->enc->params, "re im", sizes, err, n) ||
        (p->backward &&
            open_op(p, &p->table_back, p->m->enc->embed, p->m->enc->params, "damplitude dfrequency dtheta",
                sizes, err, n)))
        return -1;
    op_set(&p->embed, "pos", p->pos), op_set(&p->table_back, "pos", p->pos);
    return 0;
}

int pass_open(struct pass *p, const struct model *m, struct pass_form f, char *err, size_t n)
{
    *p = (struct pass){ .m = m, .layers = m->size.layers };
    if (m->size.encoders)
        return snprintf(err, n, "a pass of an encoder-decoder needs the length of its source"), -1;
    return pass_make(p, &f, f.length, err, n);
}

/* Each position is chosen with the probability that leaves every choice of `length` of them equally likely: Knuth, The
 * Art of Computer Programming 2, section 3.4.2, algorithm S. */
void pass_positions(struct pass *p, uint64_t seed, uint64_t number)
{
    enum { POSITIONS = 7003 };
    if (!p->m->enc->randomised)
        return;
    const int64_t reach = p->m->size.reach;
    int64_t chosen = 0;
    for (int64_t x = 0; x < reach && chosen < p->length; x++) {
        const uint64_t bits = gen_bits(seed, POSITIONS, number * (uint64_t)reach + (uint64_t)x);
        if ((double)(bits >> 11) * 0x1p-53 * (double)(reach - x) < (double)(p->length - chosen))
            p->pos[chosen++] = x;
    }
    for (int64_t k = p->length; k < p->tokens; k++)
        p->pos[k] = p->pos[k - p->length];
}

int pass_make(struct pass *p, const struct pass_form *f, int64_t length, char *err, size_t n)
{
    const struct maths *a = f->maths;
    const struct variant *v = f->variant;
    const int64_t rows = f->rows;
    const bool backward = f->backward;
    static const char *const norms[] = { "dx", "dgain", "dshift" };
    const struct model *m = p->m;
    const struct lab_size *s = &m->size;
    char lines[120], wide[120];
    p->a = a, p->rows = rows, p->length = length, p->tokens = rows * length, p->backward = backward;
    if (rows < 1 || length < 1 || length > s->reach)
        return snprintf(err, n, "%lld rows of %lld tokens; length is 1 to the model's reach, %lld", (long long)rows,
                   (long long)length, (long long)s->reach),
               -1;
    lay(p);
    p->arena = aligned_alloc(64, p->used + 64);
    if (!p->arena)
        return snprintf(err, n, "out of memory: %.1f MB for %lld rows of %lld tokens", (double)p->used / 1e6,
                   (long long)rows, (long long)length),
               -1;
    memset(p->arena, 0, p->used + 64);
    lay(p);
    p->pos = need((size_t)p->tokens, sizeof *p->pos);
    for (int64_t k = 0; k < p->tokens; k++)
        p->pos[k] = k % length;
    pass_positions(p, 0, (uint64_t)length);
    snprintf(lines, sizeof lines, "n=%lld d=%lld v=%lld gain shift", (long long)p->tokens, (long long)s->channels,
        (long long)s->vocab);
    snprintf(wide, sizeof wide, "n=%lld f=%lld", (long long)p->tokens, (long long)s->inner);
    int rc = (m->enc->embed ? open_waves(p, err, n) :
                              open_op(p, &p->embed, "embedding",
                                  m->enc->place ? "scale=0 positions=yes" : "scale=0", "y", lines, err, n)) ||
        open_op(p, &p->norm, "layernorm", "", "y", lines, err, n) ||
        open_op(p, &p->act, "feedforward", "act=relu", "a", wide, err, n) || open_positions(p, v, err, n) ||
        open_attend(p, v, err, n);
    if (!rc && backward)
        rc = (!m->enc->embed && open_op(p, &p->table_back, "embedding", "scale=0", "dtable", lines, err, n)) ||
            open_op(p, &p->act_back, "feedforward", "act=relu", "du", wide, err, n);
    for (int k = 0; !rc && backward && k < 3; k++)
        rc = open_op(p, &p->norm_back[k], "layernorm", "", norms[k], lines, err, n);
    op_set(&p->embed, "place", p->places);
    return rc ? -1 : 0;
}

void pass_close(struct pass *p)
{
    struct op *all[] = { &p->embed, &p->place, &p->norm, &p->act, &p->turn[0], &p->turn[1], &p->attend, &p->bias_of,
        &p->weights, &p->bias_back, &p->table_back, &p->place_back, &p->norm_back[0], &p->norm_back[1],
        &p->norm_back[2], &p->act_back, &p->turn_back[0], &p->turn_back[1], &p->attend_back, &p->cross,
        &p->cross_back };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        op_close(all[k]);
    free(p->arena), free(p->pos), free(p->keep), free(p->word), free(p->cross_keep);
    if (p->source)
        pass_close(p->source), free(p->source);
    *p = (struct pass){ 0 };
}
