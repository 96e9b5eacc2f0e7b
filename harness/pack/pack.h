/* Packs: folders of recorded arrays with a pack.json (format: data/README.md).  Callers use subject_pack, pack_only,
 * pack_write, pack_case and pack_reason; the rest is shared by the parts of the reader. */
#ifndef PACK_H
#define PACK_H
#include <jansson.h>
#include "subject/subject.h"
enum { PACK_JSON_MAX = 16 << 20, PACK_CASES = 1 << 16, PACK_DEPTH = 32 }; /* bytes; cases; nesting of values */
/* An open pack.  at, view, batch: the case, its view and its batch that come next; of: the output that this view asks
 * for, or ""; read: an object that collects the files of the arrays that questions took, or NULL; told: whether the
 * arithmetic came from a rule of data/names and not from the case's own words. */
struct pack { char dir[256]; json_t *root; size_t at; int view; long batch; char of[32]; json_t *read; bool told; };
/* The first key of case c that cases do not have, with the nearest known one in why; NULL: there is none. */
const char *pack_strange(json_t *c, char *why, size_t n);
/* Notes in p->read, unless that is NULL, that the array `key` of the inputs or outputs of c was taken. */
void pack_took(const struct pack *p, json_t *c, bool out, const char *key);
/* Parses the text of a pack.json and checks its structure; no other file is read.  The caller owns the result; NULL and
 * one line in err: it is no pack. */
json_t *pack_parse(const char *text, size_t len, char *err, size_t n);
/* Whether case c asks row r in our own words: it has no op, or one that names a quantity, and no rule of data/names is
 * about its outputs. */
bool pack_is_own(const struct row *r, json_t *c);
/* Reads such a case into t, with the values of its arrays where load is true.  1; 2 and what is not understood; -1 and
 * what is broken, one line in err. */
int pack_own(const struct pack *p, json_t *c, bool load, struct trial *t, char *err, size_t n);
/* The quantity of r that the case's op names, or NULL. */
const struct quantity *pack_asks(const struct row *r, json_t *c);
/* Writes a case's profile as words, from a text ("bf16 in, f32 sums"), from {"io": .., "accumulate": ..}, or from an
 * object of words.  0, or -1: it is none of these, or too long. */
int pack_profile(json_t *profile, char *to, size_t n);
struct near;
/* Offers the names of r's inputs, or outputs, to the search for the nearest name. */
void pack_near(struct near *x, const struct row *r, bool out);
/* Reads into t the next view and batch of case c, which is recorded in the words of `op`, and advances p.  1; 2 and one
 * line in err: it is not understood. */
int pack_named(struct pack *p, json_t *c, const char *op, struct trial *t, char *err, size_t n);
/* The axes of the array `name` of the row, by the signature of output `of` if that has it, else of any; points into *s.
 * NULL: the row has no such array. */
const struct axes *pack_axes(const struct row *r, const char *of, const char *name, bool out, struct sign *s);
/* `why` without the case's name in front of it, for texts that have named the case already; points into why. */
const char *pack_reason(const char *id, const char *why);
/* The name of case k of pack s, valid until the pack is closed, and the row that it asks about (NULL: not known here).
 * false: it has fewer cases. */
bool pack_case(const struct subject *s, long k, const char **id, const struct row **r);
/* From now on an open pack, of which nothing was asked yet, has the case with this id alone, or none. */
void pack_only(struct subject *s, const char *id);
/* Opens the pack in the folder dir.  0, or -1 and one line in err; s->close is due after 0. */
int subject_pack(struct subject *s, const char *dir, char *err, size_t n);
/* Writes a pack of n_trials cases into the folder dir, with the arrays of their outputs if outputs is true.  0, or
 * -1: what was not there before is removed again. */
int pack_write(const char *dir, const struct trial *t, int n_trials, const char *name, bool outputs);
#endif
