/* Tables of clipped distances; see clipped.h. */
#include "relative/clipped.h"
#include "edit/site.h"
#include "row/shared.h"

long clipped_row(const struct ask *w, const struct clipped *p, long x)
{
    const long least = counted(w, p->least);
    return lag(w, i_clip(w, x, least, p->most), least);
}
const char *clipped_refuse(const void *params)
{
    const struct clipped *p = params;
    return p->least > p->most ? "least: must be at most most" : NULL;
}

const struct param clipped_params[] = {
    { "least", "-2", "clip from below", INT, offsetof(struct clipped, least), .least = -65536, .most = 65536 },
    { "most", "2", "clip from above", INT, offsetof(struct clipped, most), .least = -65536, .most = 65536 },
    { .as = &param_memory, .at = offsetof(struct clipped, memory) },
    { 0 },
};
