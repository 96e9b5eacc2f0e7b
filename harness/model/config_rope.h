/* Rotary encodings of a config.json. */
#ifndef CONFIG_ROPE_H
#define CONFIG_ROPE_H
#include "model/config_reading.h"

/* Reads everything about rotary encodings and adds them. */
void config_rope(struct config_reading *r);
#endif
