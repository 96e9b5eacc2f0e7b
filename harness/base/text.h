/* A text that grows piece by piece in room that somebody else has. */
#ifndef TEXT_H
#define TEXT_H
#include <stdbool.h>
#include <stddef.h>
/* to[n] is borrowed; at: its length; cut: a piece found no room, and is left out whole. */
struct text { char *to; size_t n, at; bool cut; };
/* Begins an empty text in to[n], n > 0. */
struct text text_in(char *to, size_t n);
/* Appends a piece, as printf writes it. */
void text_put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
