/* A whole number that is held between two others; see held.h. */
#include "arith/held.h"

long held(long x, long least, long most) { return x < least ? least : x > most ? most : x; }
