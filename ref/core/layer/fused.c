/* The fused layer, asked of row layer itself with the stacked weights taken apart; see mha.h. */
#include <stdio.h>
#include <stdlib.h>
#include "layer/mha.h"

/* What row layer's other quantities read.  The caller frees in[1] .. in[owned - 1]. */
struct unfused { struct mer_array in[16]; int n, owned; char text[TEXT_MAX]; };
static long size_of(const struct layer *p, int part) { return mha_heads(p, part) * mha_width(p, part); }

static void add(struct unfused *s, const struct mer_array *a, const char *name)
{
    s->in[s->n] = *a, s->in[s->n++].name = name;
}
static struct unfused unfuse(struct ask *w)
{
    static const char *const names[] = { "wq", "wk", "wv", "bq", "bk", "bv" },
                             *const as[][2] = { { "out_bias", "bo" }, { "token", "token" }, { "keep", "keep" },
                                 { "pos", "pos" }, { "sink", "sink" }, { "dfused", "dy" } };
    const struct layer *p = w->params;
    const struct mer_array *all = array_in(w, "in_proj"), *bias = mer_in(w->call, "in_bias");
    const long c = all->dim[1];
    struct unfused s = { .in = { *array_in(w, "x") }, .n = 1 };
    for (int part = 0, from = 0; part < PARTS; from += (int)size_of(p, part++)) {
        s.in[s.n++] = part_of(w, names[part], all, from * c, c, 1, size_of(p, part), c);
        if (bias)
            s.in[s.n] = part_of(w, names[part + PARTS], bias, from, 1, 0, size_of(p, part), 1), s.in[s.n].rank = 1,
            s.in[s.n].dim[0] = s.in[s.n].dim[1], s.n++;
    }
    s.owned = s.n;
    /* It is handed on as it lies; the parameter stored, below, says how that is. */
    add(&s, array_in(w, "out_proj"), "wo");
    s.in[s.n - 1].dim[0] = p->heads * mha_width(p, VALUES), s.in[s.n - 1].dim[1] = c;
    snprintf(s.text, sizeof s.text, "%s stored=%s", w->call->params, p->stored == OUT_IN ? "in-out" : "out-in");
    for (int k = 0; k < w->call->n_in; k++)
        for (size_t j = 0; j < sizeof as / sizeof *as; j++)
            if (!strcmp(w->call->in[k].name, as[j][0]))
                add(&s, &w->call->in[k], as[j][1]);
    return s;
}
static void ask_line(struct ask *w, const struct unfused *s, const char *out, long len, const struct ball **y)
{
    line_of(w, (struct page_of){ &row_layer, out, s->text, s->in, s->n }, w->at, len, y);
}
static void close_unfused(struct unfused *s)
{
    while (--s->owned)
        free(s->in[s->owned].data);
}

void fused_page(struct ask *w, const struct ball **y)
{
    static const char *const out[] = { [FUSED_OUTPUT] = "y", [FUSED_INPUT_GRAD] = "dx", [FUSED_OUT_PROJ] = "dwo",
        [FUSED_OUT_BIAS] = "dbo" };
    struct unfused s = unfuse(w);
    ask_line(w, &s, out[w->of], w->len, y);
    close_unfused(&s);
}
void fused_stacked(struct ask *w, const struct ball **y)
{
    static const char *const out[] = { "dwq", "dwk", "dwv", "dbq", "dbk", "dbv" };
    const struct layer *p = w->params;
    const bool bias = w->form;
    const long c = bias ? 1 : array_in(w, "x")->dim[1];
    struct unfused s = unfuse(w);
    const struct ball **t = need((size_t)w->len + 1, sizeof *t);
    for (int part = 0; part < PARTS; y += c * size_of(p, part++)) {
        const long f = size_of(p, part);
        ask_line(w, &s, out[part + PARTS * bias], c * f, t);
        for (long k = 0; k < c * f; k++)
            y[k % f * c + k / f] = t[k];
    }
    free(t), close_unfused(&s);
}
