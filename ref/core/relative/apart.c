/* How far a key is from a query behind a memory; see apart.h. */
#include "relative/apart.h"
#include "edit/site.h"

long apart(const struct ask *w, bool to_key, long memory, long i, long j)
{
    const long c = i_add(w, memory, i), x = lag(w, j, c);
    return counted(w, b_true(w, to_key) ? x : -x);
}
