/* The parts of a Transformer block, as their own rows are asked for them: block.h. */
#include "layer/block.h"
#include <stdio.h>
#include <stdlib.h>


/* Hands the input `theirs` on to the part under the name `ours`, where it is given. */
static void named(struct sublayer *s, struct ask *w, const char *theirs, const char *ours)
{
    if (has_in(w, theirs))
        s->in[s->n] = *array_in(w, theirs), s->in[s->n++].name = ours;
}
void sublayer_line(struct ask *w, const struct sublayer *s, const char *out, long i, long len, const struct ball **y)
{
    line_of(w, (struct page_of){ s->row, out, s->text, s->in, s->n }, (long[MER_RANK]){ i }, len, y);
}
void sublayer_free(struct sublayer *s)
{
    while (s->to > s->from)
        free(s->in[--s->to].data);
}

struct sublayer block_norm(struct ask *w, const char *gain, const char *shift, const struct ball **x, long n)
{
    const struct block *p = w->params;
    struct sublayer s = {
        .row = p->norm == RMS ? &row_rmsnorm : &row_layernorm, .in = { rows_of("x", x, n, dim_in(w, "x", 1)) }, .n = 1
    };
    named(&s, w, gain, "gain");
    if (p->norm == LAYER)
        named(&s, w, shift, "shift");
    params_pick(row_params(&row_block), p, p->norm == RMS ? "eps" : "eps apply", s.text, sizeof s.text - 60);
    if (p->norm == LAYER)
        snprintf(s.text + strlen(s.text), 60, " affine=%s route=%s", s.n == 3 ? "gain-shift" : "gain",
            (const char *[]){ "two-passes", "one-pass", "welford" }[p->moments]);
    return s;
}

struct sublayer block_attention(struct ask *w, const struct mer_array *x, const struct mer_array *z, bool own)
{
    static const char *const names[] = { "wq", "wk", "wv", "bq", "bk", "bv" };
    const struct block *p = w->params;
    const struct mer_array *weight = array_in(w, z ? "xi" : "wi"), *shift = mer_in(w->call, z ? "xb" : "bi");
    const long all = weight->dim[1];
    struct sublayer s = { .row = &row_layer, .in = { *x }, .n = 1, .from = 1 };
    for (long k = 0, from = 0; k < 3; from += block_size(p, (int)k++)) {
        s.in[s.n++] = part_of(w, names[k], weight, from, weight->dim[0], all, block_size(p, (int)k), 1);
        if (shift)
            s.in[s.n] = part_of(w, names[k + 3], shift, from, 1, 0, block_size(p, (int)k), 1), s.in[s.n].rank = 1,
            s.in[s.n].dim[0] = s.in[s.n].dim[1], s.n++;
    }
    s.to = s.n;
    named(&s, w, z ? "xo" : "wo", "wo"), named(&s, w, z ? "xc" : "bo", "bo"),
        named(&s, w, z && !own ? "source" : "token", "token");
    if (z)
        s.in[s.n] = *z, s.in[s.n++].name = "key", s.in[s.n] = *z, s.in[s.n++].name = "value";
    else
        named(&s, w, "keep", "keep");
    params_pick(row_params(&row_block), p, BLOCK_ATTENDING, s.text, sizeof s.text);
    size_t at = strlen(s.text);
    at += (size_t)gmp_snprintf(s.text + at, sizeof s.text - at, " scale=%Qd ", p->scale);
    if (z)
        snprintf(s.text + at, sizeof s.text - at, "causal=%s",
            (const char *[]){ "none", "topleft", "bottomright" }[p->cross_causal]);
    else
        params_pick(row_params(&row_block), p, BLOCK_TURNING, s.text + at, sizeof s.text - at);
    return s;
}

struct sublayer block_feed(struct ask *w, const struct ball **x, long n)
{
    static const char *const weights[] = { "w1", "w2", "wg" }, *const shifts[] = { "b1", "b2", "bg" };
    const struct block *p = w->params;
    const bool shifted = has_in(w, "b1") || has_in(w, "b2") || has_in(w, "bg");
    struct sublayer s = { .row = &row_feedforward, .in = { rows_of("x", x, n, dim_in(w, "x", 1)) }, .n = 1, .from = 1 };
    for (int k = 0; k < 2 + p->gated; k++)
        if (!has_in(w, shifts[k])) { /* A bias that is not given is 0, and not read where none is given. */
            const long d = array_in(w, weights[k])->dim[1];
            s.in[s.n++] = (struct mer_array){
                .name = shifts[k], .type = MER_F64, .rank = 1, .dim = { d }, .data = need((size_t)d + 1, sizeof(double))
            };
        }
    s.to = s.n;
    for (int k = 0; k < 2 + p->gated; k++)
        named(&s, w, weights[k], weights[k]), named(&s, w, shifts[k], shifts[k]);
    params_pick(row_params(&row_block), p, "act gated", s.text, sizeof s.text);
    /* mutant: call 7402: a bias of 0, which is there for each that is not given, changes no number. */
    snprintf(s.text + strlen(s.text), 40, " bias=%s", shifted ? "yes" : "no");
    return s;
}
