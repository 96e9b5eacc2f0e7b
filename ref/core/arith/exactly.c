/* How a program ends that rounds where nothing may be rounded; see exactly.h. */
#include "arith/exactly.h"
#include <stdio.h>
#include <stdlib.h>

void not_exact(void)
{
    fputs("meridian: a number was rounded where its format holds it exactly; this is a fault of the program\n", stderr);
    abort();
}
