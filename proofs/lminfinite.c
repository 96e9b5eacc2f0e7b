/* Laws of lminfinite: where it is rope, which distances it has, and which keys it sees. */
#include "remapped.h"

/* With every key within the window it is rope. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_is_rope(r, params, seed, 0, REMAPPED_M);
}

/* Without first keys it is rope over the window's: shifts change nothing. */
static enum truth windowed(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_is_rope(r, params, seed, 0, 2);
}

/* rho for w = 3: Delta within, 7 beyond; far=least: min(Delta, 7). */
static enum truth limited(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const bool least = strstr(params, "far=least") != NULL;
    bool ok = true;
    for (long delta = 0; delta < 12; delta++)
        ok &= law_same(remapped_distance(w, r, params, (long)(seed % 5), delta),
            b_si(w, delta < 3 || (least && delta < 7) ? delta : 7));
    return law_close(&l, ok);
}

/* Far beyond the window, moving the query on changes nothing: it sees the first keys alone, all at one distance. */
static enum truth still(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_stays(r, params, seed, 7);
}

const struct law lminfinite_laws[] = {
    { "a window as long as the text is rope", "window=64", plain, "window=2" },
    { "without first keys it is rope over a window", "sinks=0 window=2", windowed, "sinks=1" },
    { "beyond the window every distance is the limit", "window=3 limit=7", limited, "limit=6" },
    { "the paper's distance is min(Delta, L)", "window=3 limit=7 far=least", limited, "limit=8" },
    { "first keys are all equally far, however far the query", "sinks=3 window=2 limit=4", still, "far=least limit=6" },
    { 0 },
};
