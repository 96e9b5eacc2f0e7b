/* What config.c and config_rope.c share. */
#ifndef CONFIG_PARTS_H
#define CONFIG_PARTS_H
#include "model/config.h"
#include "core/field.h"

/* a line of data/models/types.tsv */
struct type { char name[64], row[24], layout[24], defaults[160], source[160]; bool known; };
/* s: where the text model's keys are */
struct config_reading { struct fields *f; struct config *c; struct scope s; struct type type; int64_t most; };

/* The value of `key` that a model type has where its file says none, as text.  false: none is known. */
bool type_default(const struct type *t, const char *key, char *value, size_t n);
/* Appends one line to what is said of the model. */
void config_note(struct config *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* NULL after a refusal when full */
struct config_encoding *config_add(struct config_reading *r, const char *row, const char *evidence);
/* canonical, checked by the row itself */
void config_finish(struct config_reading *r, struct config_encoding *e, const char *params);
bool config_says_rope(const struct scope *s); /* some rotary key is there */
void config_rope(struct config_reading *r);
bool width_of(struct config_reading *r, int64_t *dim); /* head width from the file */
#endif
