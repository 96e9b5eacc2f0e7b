/* Laws of rerope: where it is rope, which distances it has, and that far keys stay. */
#include "remapped.h"

/* With every key in reach of its own distance, it is rope. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_is_rope(r, params, seed, 0, REMAPPED_M);
}

/* rho = min(Delta, w) for w = 4; with a leak it goes on beyond w by 1/leak a position. */
static enum truth rectified(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    bool ok = true;
    for (long delta = 0; delta < 12; delta++) {
        const struct ball *at = remapped_distance(w, r, params, (long)(seed % 5), delta),
                          *want = b_si(w, delta < 4 ? delta : 4);
        ok &= law_same(at, strstr(params, "leak=3") && delta > 4 ? b_add(w, want, b_ratio(w, delta - 4, 3)) : want);
    }
    return law_close(&l, ok);
}

/* A key far beyond the window scores as if it stood at the window: moving the query on changes nothing as long as no
 * key enters the window. */
static enum truth still(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_stays(r, params, seed, 5000);
}

const struct law rerope_laws[] = {
    { "a window as long as the text is rope", "window=64", plain, "window=2" },
    { "a leak of 1 is rope", "window=2 leak=1", plain, "leak=2" },
    { "the distance is min(Delta, w)", "window=4", rectified, "window=5" },
    { "leaky, it is w + (Delta - w) / k beyond", "window=4 leak=3", rectified, "window=3" },
    { "far keys are all equally far", "window=4", still, "leak=2" },
    { 0 },
};
