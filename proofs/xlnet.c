/* Laws of xlnet. */
#include "law.h"
const struct law xlnet_laws[] = { { 0 } };
