/* Whole numbers that are off by an extent: a kernel that keeps a number for each distance counts these from another end
 * of its line, and a wrong sign there moves all of them by as much as the line is long.
 *   edit=PLACE:apart:down-twice-9-1        twice the extent of axis 1 of the answer less
 *   edit=PLACE:apart:from-last-0-2         the last index of axis 2 of input 0, less the number
 * What is read: "up", "down" or "from"; "-twice" and "-last" or not; the array, an input from 0 to 8, or 9, the first
 * output; and its axis. */
#ifndef SHIFT_H
#define SHIFT_H
#include "edit/noted.h"

/* Extents of a call's arrays, each of them once: which array's and axis's. */
enum { SHIFT_PLACES = 6 };
struct shift_places { int n; struct { int array, axis; long extent; } at[SHIFT_PLACES]; };
/* The extents above 1, but for those of the inputs whose bit is set in `without`. */
void shift_places_of(const struct mer_call *c, unsigned long without, struct shift_places *p);
/* The shifts that there are for each place, as numbers from 0 to SHIFT_WAYS. */
enum { SHIFT_WAYS = 12 };
/* The number of a shift by a way and a place of a list; of one by its word, n bytes, or -1: it is none. */
int shift_at(const struct shift_places *p, int place, int way);
int shift_named(const char *word, size_t n);
/* Writes the word of a shift, and what it does ("is larger by the extent of axis 1 of the answer"). */
void shift_say(int shift, char *word, size_t n, char *says, size_t n_says);
/* x after it; x itself where the call has no such array. */
long shift_edited(const struct ask *w, int shift, long x);

/* A loop that begins one too late, or ends one too early, leaves out what it would do to numbers that stand there: so
 * an edit may mean the first or the last of as many turns of an operation as an array has along an axis.
 *   edit=PLACE:mul:left:first-of-9-2       of every so many turns, as axis 2 of the answer has, the first
 *   edit=PLACE:mul:left:last-of-0-2        the last of as many as axis 2 of input 0 has */
enum { TURNS_OF_EXTENT = 16 };
/* Reads such a word, n bytes, into *which and *of (struct edit); false: it is none. */
bool turns_read(const char *word, size_t n, int *which, int *of);
/* Writes the word of a place of the list, of the first turn or the last, and what it says of the turns meant. */
void turns_say(const struct shift_places *p, int place, bool first, char *word, size_t n, char *says, size_t n_says);
/* How many turns `of` means: itself, or that extent; 0 where the call has no such array. */
long turns_of(const struct ask *w, int of);
#endif
