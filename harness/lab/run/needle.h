/* `lab run --task needle`: whether a model finds a sentence with a number in a text, by how long the text is and how
 * deep the sentence stands in it. */
#ifndef RUN_NEEDLE_H
#define RUN_NEEDLE_H
#include "core/cli.h"
#include "lab/text/tasks.h"
#include "lab/token/tokenizer.h"

/* What is asked: the text's tokens; the sentence and the question, each with {} where the number stands. */
struct haystack { const struct tokenizer *t; struct ids text; const char *needle, *question; };
/* One trial: how many tokens it has; the depth of the sentence, 0 the begin of the text to 1 its end; which part of the
 * text, 0 the first to 1 the last; and the number. */
struct needle_place { long length; double depth, from; long number; };
/* Puts a trial together: what the tokenizer puts before a text, a part of the text with the sentence in it, and the
 * question with its answer.  to: appended, owned by the caller; *answer: how many of the last ones are the answer,
 * which begins where the question with the number is cut otherwise than up to it.  0, or -1 and one line: no room, or
 * too short a text. */
int needle_trial(const struct haystack *h, struct needle_place p, struct ids *to, long *answer, char *err, size_t n);
/* The number of the next trial, of five digits; d: a stream of a seed, NEEDLE_STREAM in a run. */
enum { NEEDLE_STREAM = 9101 };
long needle_number(struct draw *d);
/* Runs `lab run FOLDER --task needle`; an exit status, errors said. */
int needle_run(const struct cli *c);
#endif
