/* Laws of dualchunk: where it is rope, that no distance is beyond the chunk, and which neighbours keep theirs. */
#include "remapped.h"

/* With every key in one chunk it is rope. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_is_rope(r, params, seed, 0, REMAPPED_M);
}

/* Counted by hand from the three rules for C = 10, s = 6, w = 4: the distances of a query at 14, the third of its
 * chunk, to keys 0 .. 14. */
static enum truth example(const struct row *r, const char *params, uint64_t seed)
{
    static const long want[15] = { 9, 8, 7, 6, 5, 4, 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    bool ok = true;
    (void)seed;
    for (long j = 0; j < 15; j++)
        ok &= law_same(remapped_distance(w, r, params, j, 14 - j), b_si(w, want[j]));
    return law_close(&l, ok);
}

/* The w nearest keys are at their own distance wherever the chunks begin. */
static enum truth near(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    bool ok = true;
    for (long j = 0; j < 40; j++)
        for (long delta = 0; delta <= 3; delta++)
            ok &= law_same(remapped_distance(w, r, params, (long)(seed % 7) + j, delta), b_si(w, delta));
    return law_close(&l, ok);
}

/* Moving query and key on by whole chunks changes no distance; by 1 it changes some. */
static enum truth chunks(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_moves(r, params, seed, 4);
}

const struct law dualchunk_laws[] = {
    { "a chunk as long as the text is rope", "chunk=64", plain, "chunk=3 near=0" },
    { "three kinds of pairs, counted by hand", "chunk=10 near=4 last=below", example, "last=at" },
    { "the nearest keep their distance across chunks", "chunk=10 near=3", near, "near=2 last=below" },
    { "shifts by whole chunks change no distance, others do", "chunk=6 near=2", chunks, "near=1" },
    { 0 },
};
