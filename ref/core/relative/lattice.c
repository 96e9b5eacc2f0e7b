/* A sentence and its words as nodes, and the parameters of row flat; see lattice.h. */
#include "relative/lattice.h"
#include "edit/whole.h"
#include "row/shared.h"
#include "softmax/score.h"

long lattice_end(const struct ask *w, long i, int tail)
{
    const struct flat *p = w->params;
    if (i_less(w, i, p->chars))
        return i;
    const long at = site_written(w, i_add(w, i_mul(w, 2, lag(w, i, p->chars)), tail), p->words.n);
    return at < 0 ? 0 : list_long(&p->words, (int)at);
}
long lattice_distance(const struct ask *w, long i, long j, int k)
{
    const struct flat *p = w->params;
    const long apart = lag(w, lattice_end(w, i, k == TH || k == TT), lattice_end(w, j, k == HT || k == TT));
    return p->index == SHIFTED_INDEX ? i_add(w, apart, p->reach) : apart;
}
long lattice_nodes(const struct flat *p) { return p->chars + p->words.n / 2; }
const char *lattice_refuse(const void *q)
{
    const struct flat *p = q;
    if (!list_whole(&p->words, p->chars - 1))
        return "words: heads and tails are whole numbers from 0 to chars - 1";
    for (long k = 0; k + 1 < p->words.n; k += 2)
        if (list_long(&p->words, k) > list_long(&p->words, k + 1))
            return "words: a head lies behind its tail";
    return p->words.n % 2       ? "words: a head without its tail" :
        p->chars - 1 > p->reach ? "reach: the table of distances does not cover the sentence" :
                                  sine_row_refuse(&p->sine);
}
const struct param lattice_params[] = {
    { "chars", "4", "characters of the sentence", INT, offsetof(struct flat, chars), .least = 1, .most = 1 << 20 },
    { "words", "0,1,1,3", "heads and tails of its words: head,tail,head,tail ..", LIST, offsetof(struct flat, words) },
    { "reach", "128", "longest distance of the table", INT, offsetof(struct flat, reach), .least = 0,
        .most = 1L << 40 },
    { "dim", "6", "width c of P and R", INT, offsetof(struct flat, sine.dim), .least = 2, .most = 65536 },
    { .as = &param_timescale, .at = offsetof(struct flat, sine.base) },
    { "fusion", "four", "all distances, or hh and tt", ENUM, offsetof(struct flat, fusion), .choices = "four two" },
    { "index", "signed", "P at the distance, or at distance + reach", ENUM, offsetof(struct flat, index),
        .choices = "signed shifted" },
    { .as = &param_scaled, .at = offsetof(struct flat, scale) },
    { .as = &param_sine_layout, .at = offsetof(struct flat, sine.layout) },
    { "spacing", "paper", "exponent -2k/c, or -k/(c/2-1)", ENUM, offsetof(struct flat, sine.spacing),
        .choices = "paper shifted" },
    { .as = &param_sine_odd, .at = offsetof(struct flat, sine.odd) },
    { .as = &param_empty, .at = offsetof(struct flat, empty) },
    { .list = tiles_params, .at = offsetof(struct flat, tiles) },
    { 0 },
};
