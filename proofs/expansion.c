#include "law.h"
const struct law expansion_laws[] = { { 0 } };
