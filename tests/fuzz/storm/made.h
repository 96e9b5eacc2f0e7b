/* Packs and stores that the program itself writes, made once in root/made and copied into the folder of each case
 * that wants one. */
#ifndef STORM_MADE_H
#define STORM_MADE_H
#include <stdbool.h>
#include "script.h"
bool made_pack(const struct places *p, const char *row, const char *to);
bool made_store(const struct places *p, const char *to);
#endif
