/* Stretches of numbers that lie behind one another; see stretch.h. */
#include "state/stretch.h"

void stretch_places(const long *size, int n, long *place)
{
    place[0] = 0;
    for (int k = 0; k < n; k++)
        place[k + 1] = place[k] + size[k];
}
void stretch_fill(const struct ball **y, long n, const struct ball *x)
{
    for (long k = 0; k < n; k++)
        y[k] = x;
}
