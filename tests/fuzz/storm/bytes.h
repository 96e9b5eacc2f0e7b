/* Texts of any bytes that grow, their printable form, and the dice that every generator throws. */
#ifndef STORM_BYTES_H
#define STORM_BYTES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n bytes at s, always followed by a zero byte; begins as { 0 }.  Whoever made it frees s. */
struct bytes { char *s; size_t n, room; };
void bytes_put(struct bytes *t, const void *bytes, size_t n);
void bytes_say(struct bytes *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Exchanges the bytes [at, at + gone) for n others; at + gone is at most t->n. */
void bytes_splice(struct bytes *t, size_t at, size_t gone, const char *bytes, size_t n);
/* Adds the bytes in one printable line without a backslash of its own: a byte that is not printable ASCII becomes
 * \xNN, and so do
 * a backslash and a blank at either end.  bytes_plain adds what bytes_escaped was given. */
void bytes_escaped(struct bytes *t, const char *bytes, size_t n);
void bytes_plain(struct bytes *t, const char *line);
/* Adds the bytes as one word for a POSIX shell (bash's $'..' where they are not printable). */
void bytes_quoted(struct bytes *t, const char *bytes, size_t n);
/* A whole regular file; false where it cannot be read.  A file that was written whole, or the program ends with a
 * message. */
bool bytes_read(struct bytes *t, const char *path);
void bytes_write(const char *path, const char *bytes, size_t n);

/* FOLDER/NAME into PATH_MAX bytes; a longer one ends the program. */
void path_join(char *to, const char *folder, const char *name);

/* A counter-based generator: the throws of (seed, stream) are always the same. */
struct dice { uint64_t seed, stream, at; };
uint64_t dice_below(struct dice *d, uint64_t n); /* 0 .. n-1; n is at least 1 */
bool dice_one_in(struct dice *d, uint64_t n);
/* a word of a blank-separated list, in a static buffer of 80 bytes */
const char *dice_word(struct dice *d, const char *list);
#endif
