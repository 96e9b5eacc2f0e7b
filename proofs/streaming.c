/* Laws of streaming: it is rope over what its cache holds. */
#include "remapped.h"

/* With a cache that holds every key, it is rope. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_is_rope(r, params, seed, 0, REMAPPED_M);
}

/* A cache of the first key and the last two, at positions 0, 1, 2 in their order, is rope over these. */
static enum truth cached(const struct row *r, const char *params, uint64_t seed)
{
    return remapped_is_rope(r, params, seed, 1, 2);
}

/* Without sinks nothing tells positions counted in the cache from positions in the text. */
static enum truth windowed(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct remapped_case x;
    const struct ball *a[REMAPPED_E], *b[REMAPPED_E];
    char text[300];
    remapped_fill(&x, seed);
    remapped_line(w, r, law_text(text, sizeof text, params, "memory=2"), &x, 2, a);
    remapped_line(w, r, law_text(text, sizeof text, params, "memory=2 positions=text"), &x, 2, b);
    return law_close(&l, law_same_line(a, b, REMAPPED_E));
}

const struct law streaming_laws[] = {
    { "a cache as long as the text is rope", "sinks=1 recent=64", plain, "recent=2" },
    { "it is rope over what the cache holds, counted anew", "sinks=1 recent=2", cached, "positions=text" },
    { "without sinks places in the cache and in the text are one", "sinks=0 recent=3", windowed, "sinks=1" },
    { 0 },
};
