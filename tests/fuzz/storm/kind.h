/* Kinds of cases: each a generator; found by name in kinds[]. */
#ifndef STORM_KIND_H
#define STORM_KIND_H
#include "script.h"
struct generator {
    const char *name, *what;
    /* Makes the lines of one case from the dice alone: the same dice, the same case. */
    void (*make)(struct dice *d, struct script *s);
    /* The cases read one small file each, and so have to end, however long that takes on a busy machine. */
    bool ends;
};
extern const struct generator kinds[]; /* ends with name NULL */
void make_command(struct dice *d, struct script *s);
void make_pack(struct dice *d, struct script *s);
void make_subject(struct dice *d, struct script *s);
void make_config(struct dice *d, struct script *s);
void make_data(struct dice *d, struct script *s);
void make_store(struct dice *d, struct script *s);
void make_disk(struct dice *d, struct script *s);
void make_kill(struct dice *d, struct script *s);
void make_end(struct dice *d, struct script *s);
#endif
