/* A model of another program, read whole: what a command line says of it, and its weights. */
#ifndef RUN_OPENED_H
#define RUN_OPENED_H
#include "lab/run/given.h"
#include "lab/weights/walk.h"

enum { CONFIG_MOST = 32 };
/* What changes a model: values of its configuration, "KEY=JSON", borrowed, the later ones winning; and words of rows,
 * "ROW WORDS; ROW WORDS", of which the first of a row counts. */
struct changed { const char *set[CONFIG_MOST]; int sets; char words[600]; };
/* Takes --config and --words. 0, or -1 and one line: too many, too long, or words of no row. */
int changed_read(struct changed *y, const struct cli *c, char *err, size_t n);
/* Whether words are those of rows of which a model is made, and mean something there. 0, or -1 and one line. */
int changed_words(const char *words, char *err, size_t n);
/* Whether s begins with the name of a row of which a model is made. */
bool changed_row(const char *s);
/* Reads the configuration of a folder, changed, for `tokens` in use; checks that the given tokens are the model's, and
 * that it has positions for so many; and reads the weights.  0, or -1 and one line; foreign_close is due either way. */
int opened_read(struct foreign *m, const char *folder, const struct changed *y, const struct given_tokens *g,
    long tokens, char *err, size_t n);
/* The same without the weights: whether a model could be so. */
int opened_check(const char *folder, const struct changed *y, const struct given_tokens *g, long tokens, char *err,
    size_t n);
/* -log softmax of a line of v logits at k, in nats. */
double opened_loss(const float *line, long v, int64_t k);
/* Whether no logit of the line is larger than that at k. */
bool opened_likeliest(const float *line, long v, int64_t k);
#endif
