/* The questions that a card's conventions mean for one site of a running model. */
#ifndef AGAINST_PLAN_H
#define AGAINST_PLAN_H
#include <jansson.h>
#include "model/config.h"

enum { PLAN_MOST = 96 };
/* way: "sdpa/decode"; row, out, type: of the kernel; profile: borrowed from the notes.  ranged: positions are least ..
 * most.  reason: why it cannot be asked, or ""; wrong: that is the card's fault. */
struct planned { char way[24]; const char *row, *out, *type, *profile; char params[TEXT_MAX], sizes[120]; bool ranged;
    long least, most; char reason[200]; bool wrong; };
struct agenda { int n; struct planned of[PLAN_MOST]; };
/* Adds what is asked of the attention of a site, in every way that it answers.  kind: of the card; site, profiles: of
 * the adapter's notes. */
void plan_attention(struct agenda *p, const json_t *kind, const json_t *site, const json_t *profiles);
/* Adds what is asked of its rotation: the turned array and the tables, under every encoding of c that concerns the
 * kind. */
void plan_rotation(struct agenda *p, const json_t *kind, const json_t *site, const json_t *profiles,
    const struct config *c);
/* What the card says of a site's shapes and the library contradicts, one line in why; false: nothing. */
bool plan_contradicts(const json_t *kind, const json_t *site, char *why, size_t n);
#endif
