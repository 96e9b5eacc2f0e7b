/* The post-processor of a tokenizer: the tokens that it puts before and behind a text. */
#ifndef TOKEN_TEMPLATE_H
#define TOKEN_TEMPLATE_H
#include <jansson.h>
#include "lab/token/pieces.h"

/* Numbers, owned; freed by template_free. */
struct template { struct ids before, behind; };
/* Reads "post_processor": ByteLevel, which adds none, TemplateProcessing, BertProcessing, RobertaProcessing, or a
 * Sequence with at most one that adds some.  0, or -1 and one line; template_free is due either way. */
int template_read(struct template *t, const json_t *root, char *err, size_t n);
void template_free(struct template *t);
#endif
