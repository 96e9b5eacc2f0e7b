/* Row rope asked by rows that change its tables; see rope_words.h. */
#include <stdio.h>
#include <stdlib.h>
#include "rotary/angles.h"
#include "rotary/rope_words.h"
extern const struct row row_rope;
const struct row *const rope_parts[] = { &row_rope, NULL };

static const char *words(struct rope_words p, char *text) /* text[TEXT_MAX] */
{
    char *base = mpq_get_str(NULL, 10, p.base);
    snprintf(text, TEXT_MAX, "dim=%ld base=%.8000s layout=%s", p.dim, base, p.interleaved ? "interleaved" : "half");
    free(base);
    return text;
}

void rope_at(struct ask *w, struct rope_words p, const char *out, double pos, long len, const struct ball **y)
{
    char text[TEXT_MAX];
    const struct mer_array in = rope_position(&pos);
    line_of(w, (struct page_of){ &row_rope, out, words(p, text), &in, strcmp(out, "freq") != 0 }, NULL, len, y);
}

void rope_turn(struct ask *w, struct rope_words p, bool back, const struct ball **t, const struct ball **y)
{
    const char *name = back ? "dy" : "x";
    const long d = p.dim;
    const struct ball **x = need((size_t)d + 1, sizeof *x);
    for (long c = 0; c < d; c++)
        x[c] = b_in(w, name, w->at[0], w->at[1], c);
    angles_turn(w, (struct angles_turn){ d, p.interleaved, back }, t, x, y);
    free(x);
}
