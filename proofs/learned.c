/* Laws of learned: hierarchical positions, and row numbers from tokens. */
#include <stdio.h>
#include "law.h"

enum { ROWS = 7, DIM = 3 };
static const double table[ROWS * DIM] = { 1, -3, 0.5, 3, 0.25, -2, -2, 5, 7, 5, 1, -0.125, 0.75, -6, 2, -4, 9, 11, 6,
    -1.5, 0.375 };

/* The vector y[DIM] of a position in the table t. */
static void vector(
    struct ask *w, const struct row *r, const char *params, const double *t, double pos, const struct ball **y)
{
    struct given in[] = { { "pos", &pos, 1, { 1 } }, { "table", t, 2, { ROWS, DIM } } };
    law_line(w, (struct law_of){ r, "p", params }, (struct givens){ in, 2 }, NULL, DIM, y);
}

/* Below n the hierarchical positions are the table's own rows: with u_p = (T_p - alpha T_0) / (1 - alpha), u_0 = T_0
 * and alpha u_0 + (1 - alpha) u_p = T_p. */
static enum truth extends(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *y[DIM];
    bool ok = true;
    for (long p = 0; p < ROWS; p++) {
        vector(w, r, params, table, (double)((p + (long)seed) % ROWS), y);
        for (int c = 0; c < DIM; c++) {
            double t = table[(p + (long)seed) % ROWS * DIM + c];
            ok &= fabs(b_value(y[c]) - t) <= 0x1p-200 && b_radius(y[c]) <= 0x1p-200;
        }
    }
    return law_close(&l, ok);
}

/* (1 - alpha) (q_(i n + j) - q_(j n + i)) = (2 alpha - 1) (T_i - T_j), so that no two of them are one vector unless
 * alpha = 1/2. */
static enum truth apart(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *x[DIM], *y[DIM];
    bool ok = true;
    long i = (long)(seed % ROWS), j = (i + 1 + (long)(seed / ROWS) % (ROWS - 1)) % ROWS;
    vector(w, r, params, table, (double)(i * ROWS + j), x), vector(w, r, params, table, (double)(j * ROWS + i), y);
    for (int c = 0; c < DIM; c++) { /* With alpha = 3/10 this is 7 (q - q') = -4 (T_i - T_j). */
        const struct ball *t = b_ratio(w, (long)(8000 * (table[i * DIM + c] - table[j * DIM + c])), 8000);
        ok &= b_overlap(b_mul(w, b_si(w, 7), b_sub(w, x[c], y[c])), b_mul(w, b_si(w, -4), t));
    }
    return law_close(&l, ok);
}

/* The weights of T_i, T_j and T_0 add up to 1, so that a vector added to every row is added to every position. */
static enum truth moves(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *x[DIM], *y[DIM];
    double moved[ROWS * DIM], p = (double)(seed * 31 % (ROWS * ROWS));
    bool ok = true;
    for (int k = 0; k < ROWS * DIM; k++)
        moved[k] = table[k] + 13;
    vector(w, r, params, table, p, x), vector(w, r, params, moved, p, y);
    for (int c = 0; c < DIM; c++)
        ok &= b_overlap(b_add(w, x[c], b_si(w, 13)), y[c]);
    return law_close(&l, ok);
}

/* The row that token i of n reads. */
static long row_of(struct ask *w, const struct row *r, const char *params, const double *token, long n, long i)
{
    struct given in = { "token", token, 1, { n } };
    const struct ball *y[1];
    law_line(w, (struct law_of){ r, "row", params }, (struct givens){ &in, 1 }, (long[MER_RANK]){ i }, 1, y);
    return (long)b_value(y[0]);
}

/* Padding before a text leaves the text's rows as they are. */
static enum truth left_padding(const struct row *r, const char *params, uint64_t seed)
{
    static const double text[] = { 1, 1, 1, 5, 17, 5, 1, 131071 };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    bool ok = true;
    for (long i = 3; i < 8; i++)
        ok &= row_of(w, r, params, text, 8, i) == row_of(w, r, params, text + 3, 5, i - 3);
    return law_close(&l, ok);
}

/* Row i of a text without padding is the row of a decode step after i tokens. */
static enum truth decode(const struct row *r, const char *params, uint64_t seed)
{
    double text[9];
    char past[40], more[200];
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64);
    bool ok = true;
    for (int i = 0; i < 9; i++)
        text[i] = (double)(i == 4 ? 7 : 100 + i * (long)seed);
    for (long i = 0; i < 9; i++) {
        snprintf(past, sizeof past, "past=%ld", i);
        ok &=
            row_of(w, r, params, text, 9, i) == row_of(w, r, law_text(more, sizeof more, params, past), text + i, 1, 0);
    }
    return law_close(&l, ok);
}

const struct law learned_laws[] = {
    { "hierarchical positions are the table's own rows below n", "rows=7 form=hierarchical alpha=0.3", extends,
        "unit=bf16" },
    { "exchanging the two digits moves a position by (2 alpha - 1)/(1 - alpha) times the difference of their rows",
        "rows=7 form=hierarchical alpha=3/10", apart, "alpha=0.4" },
    { "a vector added to every row is added to every hierarchical position", "rows=7 form=hierarchical alpha=0.45",
        moves, "unit=bf16" },
    { "padding on the left does not move a text", "rows=514 offset=2 positions=unpadded padding=1", left_padding,
        "positions=index" },
    { "the row of a prefill is the row of a decode", "rows=514 offset=2 positions=unpadded padding=1", decode,
        "padding=7" },
    { 0 },
};
