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
/* Code that treats two halves of a line apart, as of queries and keys, or peels the first and the last turn off its
 * loop, goes wrong in one of these: so an edit may also mean some of all turns that a line takes, which are counted
 * before (turns_counted).
 *   edit=PLACE:mul:div:early               in the first half of the turns, which are an even number ("late": the other)
 *   edit=PLACE:mul:zero:last               in the last turn of the line ("first": its first) */
enum { TURNS_OF_LINE = TURNS_OF_EXTENT - 1 };
struct line_turns { const char *name, *says; };
/* The four, by number. */
enum { TURNS_EARLY, TURNS_LATE, TURNS_FIRST, TURNS_LAST, LINE_TURNS };
extern const struct line_turns line_turns[LINE_TURNS];
/* Reads such a word, n bytes, into *which and *of (struct edit); false: it is none. */
bool turns_read(const char *word, size_t n, int *which, int *of);
/* Writes the word of a place of the list, of the first turn or the last, and what it says of the turns meant. */
void turns_say(const struct shift_places *p, int place, bool first, char *word, size_t n, char *says, size_t n_says);
/* How many turns `of` means: itself, or that extent; 0 where the call has no such array. */
long turns_of(const struct ask *w, int of);
/* Does the edit mean some of all turns of the line, whose number w->site_all has to be (site_counting: it is being
 * counted, and no turn is meant)? */
bool turns_counted(const struct ask *w);
enum { SITE_COUNTING = -1 };
static inline bool site_counting(const struct ask *w) { return w->site_all == SITE_COUNTING; }
/* Is this turn, counted from 0, one of those that the edit means? */
bool turns_mean(const struct ask *w, long turn);
#endif
