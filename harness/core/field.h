/* Fields of a JSON file with their place: every refusal says file, place, what was found, what is allowed, in one
 * line. */
#ifndef FIELD_H
#define FIELD_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { FILE_MOST = 16 << 20, DEPTH_MOST = 64 };
/* bad: err holds the first refusal; readers then answer "absent" */
struct fields { const char *file; char *err; size_t n; bool bad; };
/* Keys that were found and taken, with their objects; what is left over is told by fields_unread. */
enum { TAKEN_MOST = 512 };
struct taken { int n; struct { const json_t *at; char key[80]; } of[TAKEN_MOST]; };
/* an object and where it is: "text_config.rope_scaling"; taken: where what is read of it is kept, or NULL */
struct scope { json_t *at; char path[160]; struct taken *taken; };

/* The whole file: a regular file of at most 16 MB, UTF-8, nested at most 64 deep, no key twice, no number out of range;
 * its root is an object. */
json_t *fields_load(struct fields *f, const char *file);
void fields_refuse(struct fields *f, const struct scope *s, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The first of `keys` ("rope_theta base") that is there and not null, and its name; NULL if none is. */
json_t *field_find(const struct scope *s, const char *keys, char *name, size_t n);
bool field_has(const struct scope *s, const char *keys);
/* The keys of s, and of the objects in it that were read, that nobody took, in the file's order: "vocab_size
 * rope_scaling.beta".  Where n is too small the text ends in "...". */
void fields_unread(const struct scope *s, char *text, size_t n);
/* true if present and of the right kind; a wrong kind is refused. */
bool field_scope(struct fields *f, const struct scope *s, const char *keys, struct scope *out);
/* 1200.0 is an integer */
bool field_long(struct fields *f, const struct scope *s, const char *keys, int64_t least, int64_t most, int64_t *x);
/* text: the decimal as written, at most 17 digits */
bool field_number(struct fields *f, const struct scope *s, const char *keys, double *x, char *text, size_t n);
bool field_bool(struct fields *f, const struct scope *s, const char *keys, bool *x);
bool field_text(struct fields *f, const struct scope *s, const char *keys, char *text, size_t n);
/* the shortest decimal that reads back as the same double; a whole number without a point */
void number_text(const json_t *v, char *text, size_t n);
/* A value of a JSON object as a parameter's words have it, to be freed: a number is the shortest decimal that reads
 * back as the same double, which is the decimal that was written where that has at most 15 digits; a list is its
 * entries and commas, its words in quotes; NULL: no memory. */
char *value_text(const json_t *v);
#endif
