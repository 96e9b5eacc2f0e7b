/* What a recorded case in other words says of its arithmetic, and what it says that nobody knows. */
#ifndef PACK_SAID_H
#define PACK_SAID_H
#include "pack/names.h"
#include "pack/pack.h"

/* The arithmetic of a case into t->profile: its own words, those of the line that knows what such a recording is
 * (p->told), or its formats.  0, or -1 and err. */
int said_profile(struct pack *p, const struct names *x, const char *op, const char *view, json_t *profile,
    struct trial *t, char *err, size_t n);
/* No line is about this op, or about what it has recorded: -1 and one line with the nearest that there is. */
int said_nothing(const struct row *row, const struct names *x, const char *op, json_t *c, char *err, size_t n);
/* {"io": "bf16"}: some recorded array is of that type ("int": of integers; "bool": of bytes).  0, or -1 and err. */
int said_stored(const struct pack *p, json_t *c, char *err, size_t n);
#endif
