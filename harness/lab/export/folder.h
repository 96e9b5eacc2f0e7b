/* `lab export`: the weights of a trained model go out, as a checkpoint folder that other programs load. */
#ifndef EXPORT_FOLDER_H
#define EXPORT_FOLDER_H
#include "core/cli.h"
/* Writes the model of checkpoint c->word[1] as a new folder --out, whole or not at all: model.safetensors and
 * config.json of the nearest class (nearest.h), of the class --as, or, with --as plain and where there is no class, the
 * laboratory's own names with tables (tables.h) and a load.py that reads them; and what the laboratory answers to
 * tokens.txt: logits.safetensors, and behind each block hidden.safetensors.  An exit status, errors said. */
int folder_export(const struct cli *c);
#endif
