/* A config.json while it is read (config.h, config_rope.h, config_card.h): the object that is looked into, what is
 * known of the model's type, and how notes, refusals and encodings are added. */
#ifndef CONFIG_READING_H
#define CONFIG_READING_H
#include "core/field.h"
#include "model/config_types.h"

/* What data/models/types.tsv says of the model's type; known: it says something.  row: a row's name, or what a person
 * has written of positions that are none.  head: the width of a head that the class has whatever the model's width is;
 * 0: it has none of its own. */
struct type {
    char name[64], row[200], layout[24], defaults[160], source[200], head_source[100];
    int64_t head;
    bool known;
};
/* s: the object that has the text model's keys; most: the model's own maximum of positions, 0 where none is said. */
struct config_reading { struct fields *f; struct config *c; struct scope s; struct type type; int64_t most; };

/* The value of `key` that a model type has where its file says none, as text.  false: none is known. */
bool type_default(const struct type *t, const char *key, char *value, size_t n);
/* Adds a note about the model, one line; none where there is no room. */
void config_note(struct config *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Refuses a file in which nothing is wrong, but which does not say what its tables need: c->open is set. */
void config_open(struct config_reading *r, const struct scope *s, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds an encoding; NULL, and the file is refused, where there is no room. */
struct config_encoding *config_add(struct config_reading *r, const char *row, const char *evidence);
/* Sets the parameters of an encoding: they are checked by the row and written in canonical form. */
void config_finish(struct config_reading *r, struct config_encoding *e, const char *params);
#endif
