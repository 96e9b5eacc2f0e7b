/* The verbs, found by name: every harness/NAME.c defines verb_NAME. */
#include "core/cli.h"
#include "verbs.h"
