/* Relative biases of windows.         Liu et al. 2021, arXiv:2103.14030, eq. 4; V2: Liu et al. 2022, arXiv:2111.09883
 * A window has `height` rows and `width` columns of tokens, row by row: token i lies in row i div width, column i mod
 * width.  With the rows and columns from key to query, dy = y_i - y_j and dx = x_i - x_j,
 *   index[i][j] = (dy + height - 1)(2 width - 1) + dx + width - 1        bias[h][i][j] = table[index[i][j]][h]
 * Version 2 makes the bias of a pair by a small network of log-spaced distances (continuous position bias):
 *   c = (8 dy / (height' - 1), 8 dx / (width' - 1))     c' = sign(c) log2(|c| + 1) / 3
 *   continuous[h][i][j] = 16 sigmoid(sum_s w2[h][s] max(0, b1[s] + w1[s][0] c'_y + w1[s][1] c'_x))
 * where height', width' are those of the window it was trained for (trained_height, trained_width; 0: this one).
 * Gradients: a table's row collects all pairs of its index; the slope of max(0, x) at 0 is 0.
 * Traps: a square window hides an exchange of axes in sizes, not in numbers; of a window of one row or column version 2
 * has no distances (0/0). */
#include <stdio.h>
#include "window/windows.h"
#include "row/shared.h"

static const struct swin *own(const struct ask *w) { return w->params; }
static long index_of(const struct ask *w, long i, long j)
{
    const struct swin *p = own(w);
    const long dy = window_apart(w, 0, i, j), dx = window_apart(w, 1, i, j);
    const long row = i_add(w, dy, p->height - 1), column = i_add(w, dx, p->width - 1);
    return i_add(w, i_mul(w, row, 2 * p->width - 1), column);
}
static void bias(struct ask *w, const struct ball **y)
{
    for (long j = 0; j < w->len; j++)
        y[j] = b_in(w, "table", index_of(w, w->at[1], j), w->at[0], 0);
}

static void continuous(struct ask *w, const struct ball **y)
{
    const long i = w->at[1];
    for (long j = 0; j < w->len; j++)
        y[j] = window_continuous(w, w->at[0], window_apart(w, 0, i, j), window_apart(w, 1, i, j));
}
static void table_grad(struct ask *w, const struct ball **y)
{
    const struct swin *p = own(w);
    const long wide = 2 * p->width - 1, dy = lag(w, i_div(w, w->at[0], wide), p->height - 1);
    const long dx = lag(w, i_mod(w, w->at[0], wide), p->width - 1);
    y[0] = window_collected(w, "dbias", w->at[1], dy, dx);
}
static long extent(const void *params, char axis)
{
    const struct swin *p = params;
    return axis == 'n' ? p->height * p->width : axis == 't' ? (2 * p->height - 1) * (2 * p->width - 1) :
        axis == 'c'    ? 2 : 0;
}
static const char *refuse(const void *params)
{
    const struct swin *p = params;
    return p->trained_height == 1 || p->trained_width == 1 ?
        "trained_height, trained_width: of 1 there are no distances; 0 is the window's own" :
        mpq_sgn(p->top) <= 0 ? "top: must be above 0" :
                               NULL;
}
static int misfit(const void *params, const struct mer_call *c, char *why, size_t n)
{
    const struct swin *p = params;
    if (mer_find(c->in, c->n_in, "w1") &&
        ((p->height == 1 && !p->trained_height) || (p->width == 1 && !p->trained_width)))
        return snprintf(why, n, "a window of one row or column has no distances (0/0); say the size that it was "
            "trained for: trained_height, trained_width"), -1;
    return 0;
}
static const struct param params[] = {
    { "height", "4", "rows of tokens in a window", INT, offsetof(struct swin, height), .least = 1, .most = 64 },
    { "width", "3", "tokens in a row", INT, offsetof(struct swin, width), .least = 1, .most = 64 },
    { "order", "rows", "tokens row by row, or column by column", ENUM, offsetof(struct swin, order),
        .choices = "rows columns" },
    { .as = &param_sign, .at = offsetof(struct swin, sign) },
    { "trained_height", "0", "rows that version 2 was trained for; 0 = height", INT,
        offsetof(struct swin, trained_height), .least = 0, .most = 64 },
    { "trained_width", "0", "columns that version 2 was trained for; 0 = width", INT,
        offsetof(struct swin, trained_width), .least = 0, .most = 64 },
    { "spacing", "log", "distances of version 2", ENUM, offsetof(struct swin, spacing), .choices = "log linear" },
    { "top", "16", "the largest bias of version 2", RATIONAL, offsetof(struct swin, top) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "height=7 width=7", "arXiv:2103.14030: M = 7" },
    { "window 12", "height=12 width=12", "microsoft/swin-base-patch4-window12-384" },
    { "version 2", "height=8 width=8", "arXiv:2111.09883; microsoft/swinv2-tiny-patch4-window8-256" },
    { "version 2, finer", "height=6 width=5 trained_height=4 trained_width=3",
        "microsoft/swinv2-base-patch4-window12to16: pretrained_window_sizes" },
    { "columns", "order=columns", "meshgrid with indexing=xy" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "distance=f32 log=f32:4 product=f32 hidden=f32 score=f32 curve=f32:5 slope=f32:8 gather=f32",
        "every operation in float32" },
    { 0 }
};
#define NETWORK "w1[s,c] b1[s] w2[h,s] "
const struct row row_swin = {
    .name = "swin", .title = "relative biases of windows", .cite = "Liu et al. 2021, 2022",
    .steps = { "distance log product hidden score curve slope gather" },
    .declares = params, .size = sizeof(struct swin), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .misfit = misfit, .sizes = "s=5 h=2",
    .q = { { "-> int index[n,n|]", .index = index_of }, { "table[t,h] -> bias[h,n|n]", bias },
        { NETWORK "-> continuous[h,n|n]", continuous }, { "dbias[h,n,n] -> dtable[t,h|]", table_grad },
        { NETWORK "dcontinuous[h,n,n] -> dw1[s,c|]", window_network_grad, .of = '1' },
        { NETWORK "dcontinuous[h,n,n] -> db1[s|]", window_network_grad, .of = 'b' },
        { NETWORK "dcontinuous[h,n,n] -> dw2[h,s|]", window_network_grad, .of = '2' } },
};
