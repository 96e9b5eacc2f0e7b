/* Packs: what their reader's parts share.  Subjects and callers use subject_pack and pack_write alone. */
#ifndef PACK_H
#define PACK_H
#include <jansson.h>
#include "subject/subject.h"
enum { PACK_JSON_MAX = 16 << 20, PACK_CASES = 1 << 16, PACK_DEPTH = 32 };
/* of: the output that this view asks for, or ""; read: the files of the arrays that questions took so far, an object,
 * where somebody wants to know, or NULL; told: the arithmetic is a line's of data/names, not the case's own words */
struct pack { char dir[256]; json_t *root; size_t at; int view; long batch; char of[32]; json_t *read; bool told; };
/* The first key of a case that no case has, with what is near, or NULL; why: one line. */
const char *pack_strange(json_t *c, char *why, size_t n);
/* An array was taken: notes it where somebody wants to know. */
void pack_took(const struct pack *p, json_t *c, bool out, const char *key);
/* pack.json as text: parsed and its structure checked, NULL and one line where it is not a pack; touches no other
 * file. */
json_t *pack_parse(const char *text, size_t len, char *err, size_t n);
/* Does case c ask row r in our own words: without an op, or with one that names a quantity, of outputs that no line of
 * data/names is about? */
bool pack_is_own(const struct row *r, json_t *c);
/* Such a case: 1, 2 and what is not understood, -1 and what is broken.  load: with the values of its arrays. */
int pack_own(const struct pack *p, json_t *c, bool load, struct trial *t, char *err, size_t n);
/* The quantity that the case's op names, or NULL. */
const struct quantity *pack_asks(const struct row *r, json_t *c);
/* A case's profile in words: of a text ("bf16 in, f32 sums"), of {"io": .., "accumulate": ..}, of an object of words.
 * 0, or -1: none of these, or too long. */
int pack_profile(json_t *profile, char *to, size_t n);
/* Tries the names of r's inputs, or outputs. */
struct near;
void pack_near(struct near *x, const struct row *r, bool out);
/* The next view and batch of case c, which is recorded in the words of `op`: 1, or 2 and why it is not understood. */
int pack_named(struct pack *p, json_t *c, const char *op, struct trial *t, char *err, size_t n);
/* Of a named array in the row, by the signature of output `of` where that has it; points into *s. */
const struct axes *pack_axes(const struct row *r, const char *of, const char *name, bool out, struct sign *s);
/* why without the case's name in front, where that is said already */
const char *pack_reason(const char *id, const char *why);
/* The name of case k of a pack, which is there until the pack is closed, and the row that it asks about (NULL: unknown
 * here).  false: it has fewer. */
bool pack_case(const struct subject *s, long k, const char **id, const struct row **r);
int subject_pack(struct subject *s, const char *dir, char *err, size_t n);
/* one folder, n cases; outputs: their arrays too */
int pack_write(const char *dir, const struct trial *t, int n_trials, const char *name, bool outputs);
#endif
