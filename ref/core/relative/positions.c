/* Learned positions and their digits; see positions.h. */
#include "relative/positions.h"
#include "edit/whole.h"

/* The rows that positions have. */
static long base(const struct learned *p) { return p->rows - p->offset; }
long position_count(const struct learned *p) { return p->form == PLAIN ? base(p) : base(p) * base(p); }
long position_digit(const struct ask *w, long pos, int digit)
{
    const long b = base(w->params);
    return digit ? i_mod(w, pos, b) : i_div(w, pos, b);
}

const char *position_refuse(const void *q)
{
    const struct learned *p = q;
    bool alpha = mpq_sgn(p->alpha) > 0 && mpq_cmp_ui(p->alpha, 1, 1) < 0 && mpq_cmp_ui(p->alpha, 1, 2);
    if (p->offset >= p->rows)
        return "offset: must leave a row of the table";
    if (p->form == HIERARCHICAL && !alpha)
        return "alpha: must lie between 0 and 1 and not be 1/2, where (i, j) and (j, i) are one vector";
    return p->positions == UNPADDED && p->padding >= p->rows ? "padding: no such row" : NULL;
}
const struct param position_params[] = {
    { "rows", "512", "rows of the table", INT, offsetof(struct learned, rows), .least = 1, .most = 65536 },
    { "offset", "0", "the row of position 0", INT, offsetof(struct learned, offset), .least = 0, .most = 65535 },
    { "form", "table", "one row a position, or two digits of it mixed", ENUM, offsetof(struct learned, form),
        .choices = "table hierarchical" },
    { "alpha", "0.4", "share of the first digit; in (0, 1), not 1/2", RATIONAL, offsetof(struct learned, alpha) },
    { "positions", "index", "of tokens: their index, or padding does not count", ENUM,
        offsetof(struct learned, positions), .choices = "index unpadded" },
    { "padding", "1", "padding token, and the row of all padding", INT, offsetof(struct learned, padding), .least = 0,
        .most = 65535 },
    { "past", "0", "unpadded tokens before the first one here", INT, offsetof(struct learned, past), .least = 0,
        .most = 1L << 40 },
    { 0 },
};
