/* Row rope asked with angles or tables of another row; see angles.h. */
#include "rotary/angles.h"
#include <stdio.h>
#include "row/row.h"
extern const struct row row_rope;

struct mer_array rope_position(double *pos)
{
    return (struct mer_array){ .name = "pos", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = pos };
}
struct mer_array rope_unread(void)
{
    static double pos;
    return rope_position(&pos);
}

void angles_wave(struct ask *w, const char *out, const struct ball *const *angle, long K, const struct ball **y)
{
    const struct mer_array in[2] = { rope_unread(),
        { .name = "angle", .type = BALLS, .rank = 2, .dim = { 1, K }, .data = (void *)(uintptr_t)angle } };
    char words[40];
    snprintf(words, sizeof words, "dim=%ld", 2 * K);
    line_of(w, (struct page_of){ &row_rope, out, words, in, 2 }, NULL, K, y);
}
void angles_turn(struct ask *w, struct angles_turn p, const struct ball *const *t, const struct ball *const *x,
    const struct ball **y)
{
    const long K = p.d / 2;
    const struct mer_array in[4] = { { .name = p.back ? "dy" : "x", .type = BALLS, .rank = 3, .dim = { 1, 1, p.d },
        .data = (void *)(uintptr_t)x }, rope_unread(),
        /* mutant: constant 0c5d: no line of a table but the first is read, however many there are said to be. */
        { .name = "cos", .type = BALLS, .rank = 2, .dim = { 1, K }, .data = (void *)(uintptr_t)t },
        { .name = "sin", .type = BALLS, .rank = 2, .dim = { 1, K }, .data = (void *)(uintptr_t)(t + K) } };
    char words[60];
    snprintf(words, sizeof words, "dim=%ld layout=%s", p.d, p.interleaved ? "interleaved" : "half");
    line_of(w, (struct page_of){ &row_rope, p.back ? "dx" : "y", words, in, 4 }, NULL, p.d, y);
}
