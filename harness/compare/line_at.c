/* Leading indices of a line; see line_at.h. */
#include "compare/line_at.h"
#include <string.h>

void line_at(struct ask *w, const struct mer_array *out, int lead, long line)
{
    memset(w->at, 0, sizeof w->at);
    for (int k = lead - 1; k >= 0; k--)
        w->at[k] = line % out->dim[k], line /= out->dim[k];
}
