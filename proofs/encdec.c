/* Laws of encdec. */
#include "law.h"
const struct law encdec_laws[] = { { 0 } };
