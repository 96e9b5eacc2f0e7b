/* Typed fields of untrusted JSON files.  Every refusal is one line: the file, the place in it, what was found and
 * what is allowed. */
#ifndef FIELD_H
#define FIELD_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { FILE_MOST = 16 << 20, DEPTH_MOST = 64 };
/* A file that is being read. bad: err[n] holds the first refusal, and every reader then answers that its field is
 * absent. */
struct fields { const char *file; char *err; size_t n; bool bad; };
/* Keys that readers have found, each with its object, so that fields_unread can tell the others.  Keys beyond
 * TAKEN_MOST are not noted, and count as unread. */
enum { TAKEN_MOST = 512 };
struct taken { int n; struct { const json_t *at; char key[80]; } of[TAKEN_MOST]; };
/* An object of the file and its path from the root, "text_config.rope_scaling" ("": the root). taken: where its keys
 * are noted when they are read; borrowed, or NULL. */
struct scope { json_t *at; char path[160]; struct taken *taken; };

/* Reads and checks a whole file: a regular file of at most FILE_MOST bytes, UTF-8 without a byte order mark, nested
 * at most DEPTH_MOST deep, no key twice, no number out of range, its root an object.  The caller owns the root
 * (json_decref); NULL: f->bad is set, and f->err says why. */
json_t *fields_load(struct fields *f, const char *file);
/* The same of a file that Python's json module may have written: Infinity, -Infinity and NaN are read as nonfinite.h
 * has them, and a reader of a number below refuses them.  For configurations of models and what adapters note. */
json_t *fields_load_python(struct fields *f, const char *file);
/* Refuses what stands at `key` of s ("": s itself), with the text that format makes.  Only the first refusal is
 * kept. */
void fields_refuse(struct fields *f, const struct scope *s, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The value of the first of `keys` (words, "rope_theta base") that s has and that is not null, borrowed, and its key
 * into name[n] (name NULL: not wanted); NULL: there is none.  Notes the keys it met as taken. */
json_t *field_find(const struct scope *s, const char *keys, char *name, size_t n);
bool field_has(const struct scope *s, const char *keys); /* whether field_find finds one */
/* Writes into text[n] the keys that nobody took, of s and of the objects in it that were read, in the file's order:
 * "vocab_size rope_scaling.beta".  Where n is too small the text ends in "..."; where s->taken is NULL it is empty. */
void fields_unread(const struct scope *s, char *text, size_t n);
/* The readers below return true where one of `keys` is there and of the right kind, and fill *x, text or *out then;
 * a wrong kind is refused (f->bad) and counts as absent. */
/* An object: its scope, with the path and the same `taken`. */
bool field_scope(struct fields *f, const struct scope *s, const char *keys, struct scope *out);
/* An integer from least to most; a number without a fraction, 1200.0, is one.  Beyond that range it is refused. */
bool field_long(struct fields *f, const struct scope *s, const char *keys, int64_t least, int64_t most, int64_t *x);
/* A number that is 0 or of magnitude 1e-30 to 1e30. text[n]: the same, as number_text has it. */
bool field_number(struct fields *f, const struct scope *s, const char *keys, double *x, char *text, size_t n);
bool field_bool(struct fields *f, const struct scope *s, const char *keys, bool *x);
/* A string, cut to n - 1 bytes; every byte that is not printable ASCII becomes '?'. */
bool field_text(struct fields *f, const struct scope *s, const char *keys, char *text, size_t n);
/* Writes number v into text[n]: the shortest decimal, of 15 to 17 digits, that reads back as the same double; a
 * whole number below 2^53 without a point */
void number_text(const json_t *v, char *text, size_t n);
/* A value of a JSON object as words of parameters have it; malloc'd, the caller frees it; NULL: no memory.  A number
 * is the shortest decimal that reads back as the same double, which is the one that was written where that has at
 * most 15 digits; a list is its entries with commas between, its strings in quotes. */
char *value_text(const json_t *v);
#endif
