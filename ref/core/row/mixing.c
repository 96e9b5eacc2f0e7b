/* Lines of a mixing that have no value; see mixing.h. */
#include "row/mixing.h"
#include "ball/input.h"

/* Does query i of head h see a key with which its score is no number? */
static bool sees_undefined(const struct ask *w, const struct mix *m, long h, long i)
{
    for (long j = 0; j < m->keys; j++)
        if (!m->defined(w, i, j) && m->visible(w, h, i, j))
            return true;
    return false;
}

bool mixing_undefined(const struct ask *w, const struct mix *m, mix_picks *of)
{
    if (!m->defined)
        return false;
    if (!of)
        return sees_undefined(w, m, w->at[0], w->at[1]);
    for (long h = 0; h < dim_in(w, "q", 0); h++)
        for (long i = 0; i < dim_in(w, "q", 1); i++)
            for (long j = 0; j < m->keys && sees_undefined(w, m, h, i); j++)
                if (of(w, h, i, j) && m->visible(w, h, i, j))
                    return true;
    return false;
}
