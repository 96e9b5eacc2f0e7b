/* Laws of selfextend: where it is rope, how its two shifts differ, and which moves keep distances. */
#include "remapped.h"

/* With every key in reach of its own distance, it is rope. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_is_rope(r, params, seed, 0, REMAPPED_M);
}

/* With a window of w = 10 the shifts by floor(w / G) and by w / G differ by frac(w / G): nothing for G = 5, 1/2 for G =
 * 4. */
static enum truth shifts(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    bool ok = true;
    for (long delta = 0; delta < 30; delta++) {
        char text[300];
        const long j = (long)(seed % 7);
        const struct ball *a = remapped_distance(w, r, law_text(text, sizeof text, params, "division=floor"), j, delta),
                          *b = remapped_distance(w, r, law_text(text, sizeof text, params, "division=true"), j, delta);
        /* 10 / 4 = 2 + 1/2. */
        ok &= law_same(b_sub(w, a, b),
            delta < 10                    ? b_si(w, 0) :
                strstr(params, "group=4") ? b_ratio(w, 1, 2) :
                                            b_si(w, 0));
    }
    return law_close(&l, ok);
}

/* Moving query and key on by a multiple of G = 3 changes no distance; moving them by 1 changes some. */
static enum truth groups(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_moves(r, params, seed, 3);
}

const struct law selfextend_laws[] = {
    { "groups of one are rope", "group=1 window=2", plain, "group=2" },
    { "a window as long as the text is rope", "window=64", plain, "window=2" },
    { "where G divides w, both shifts are one", "window=10 group=5", shifts, "window=11" },
    { "where it does not, they stand w / G - floor(w / G) apart", "window=10 group=4", shifts, "window=8" },
    { "shifts by whole groups change no distance, others do", "window=4 group=3", groups, "group=4" },
    { 0 },
};
