/* One row of a sinusoidal table: sine_row.h. */
#include "row/row.h"
#include "rotary/sine_row.h"
extern const struct row row_sinusoid;

/* Writes the parameters of row sinusoid into text[n], and answers it. */
static const char *words(const struct sine_row *s, char *text, size_t n)
{
    static const char *const layout[] = { "interleaved", "concat" }, *const spacing[] = { "paper", "shifted" },
                             *const odd[] = { "refuse", "zero", "drop" };
    gmp_snprintf(text, n, "dim=%ld base=%Qd layout=%s spacing=%s odd=%s route=%s", s->dim, s->base, layout[s->layout],
        spacing[s->spacing], odd[s->odd], s->logarithm ? "logarithm" : "powers");
    return text;
}

int sine_row_takes(const struct sine_row *s, char *why, size_t n)
{
    char text[TEXT_MAX];
    return row_takes(&row_sinusoid, words(s, text, sizeof text), why, n);
}

void sine_row(struct ask *w, const struct sine_row *s, long t, const struct ball **y)
{
    char text[TEXT_MAX];
    double pos = (double)t;
    struct mer_array in = { .name = "pos", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &pos };
    line_of(w, (struct page_of){ &row_sinusoid, "p", words(s, text, sizeof text), &in, 1 }, NULL, s->dim, y);
}

const char *sine_row_refuse(const struct sine_row *s)
{
    return s->dim % 2 && s->odd == ODD_REFUSED ? "dim: odd width is undefined; say odd=zero or odd=drop"
         : s->spacing == SPACED_BY_LAST && s->dim < 4 ? "dim: spacing=shifted divides by d/2 - 1, which is 0"
         : mpq_cmp_ui(s->base, 1, 1) <= 0 ? "base: must be greater than 1" : NULL;
}
