/* The verbs, found by name: every harness/NAME.c defines verb_NAME. */
#include "core/cli.h"
#define VERB(v) extern const struct verb verb_##v;
#include "verbs.h"
#undef VERB
#define VERB(v) &verb_##v,
const struct verb *const verbs[] = {
#include "verbs.h"
    NULL
};
#undef VERB
