/* `lab run`: a checkpoint of another program run on tokens, and recorded logits judged. */
#ifndef ANSWER_H
#define ANSWER_H
#include "core/cli.h"
/* Runs the model of folder c->word[1]; an exit status, errors said. */
int answer_run(const struct cli *c);
#endif
