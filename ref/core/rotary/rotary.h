/* What every rotary row shares: its parameters, the frequency w_k of pair k, and the amplitude A that multiplies cos
 * and sin. */
#ifndef ROTARY_H
#define ROTARY_H
#include "row/row.h"

struct rotary {
    long dim, rotary, trained, length;
    mpq_t base, factor, beta_fast, beta_slow, mscale, mscale_all_dim, attention_factor, low_freq_factor,
        high_freq_factor;
    struct list short_factor, long_factor;
    int layout, partial, scaling, truncate, route;
};
enum { HALF, INTERLEAVED };
enum { PREFIX, PROPORTIONAL };
enum { DEFAULT, LINEAR, DYNAMIC, NTK, YARN, LLAMA3, LONGROPE };
enum { TRUNCATE_ON, TRUNCATE_OFF };
enum { POWERS, ITERATED };
/* Where an implementation rounds on the way to a frequency; a row lists rotary_steps first. */
enum { EXPONENT, REBASE, POWER, FREQ, CAST, AMPLITUDE, ROTARY_STEPS };
extern const char rotary_steps[];
extern const struct param rotary_params[];

/* The width r that the exponent of a frequency divides by. */
long rotary_width(const struct rotary *f);
/* The number K of pairs, r / 2. */
long rotary_pairs(const struct rotary *f);
/* The page is at pair k of n: numbers of another pair are edits of what it computes there. */
static inline void rotary_pair(struct ask *w, long k, long n) { ask_part(w, k, n, "the pairs"); }
/* Where the two numbers of pair k lie in a head (rotary/pairs.h). */
bool rotary_ends(const struct ask *w, const struct rotary *f, long k, long *a, long *b);
/* NULL, or why these parameters are undefined. */
const char *rotary_refuse(const void *params);
/* Entry i, k of a table of angles at positions pos[n]: an edit asks another one, or none, whose number is 0; then an
 * index is below 0. */
void rotary_entry(const struct ask *w, struct source at, long *i, long *k);
/* Does pair k turn?  If not, w_k is 0 exactly. */
bool frequency_live(const struct rotary *f, long k);
/* base'^(e/r), where base' is the base that the law has changed; rounded at EXPONENT, REBASE and POWER. */
const struct ball *frequency_ratio(struct ask *w, const struct rotary *f, long e);
/* The frequency that the law has not scaled yet, base'^(-2k/r), rounded at FREQ. */
const struct ball *frequency_plain(struct ask *w, const struct rotary *f, long k);
/* m_k x, what the law makes of x in the place of pair k's plain frequency. */
const struct ball *frequency_scale(struct ask *w, const struct rotary *f, long k, const struct ball *x);
/* w_k, the scaled frequency rounded at CAST; kept over the lines of one asker. */
const struct ball *frequency_of(struct ask *w, const struct rotary *f, long k);
/* true: the amplitude is 1 exactly, and no step rounds it; false: it is computed. */
bool amplitude_is_one(const struct rotary *f);
/* The amplitude A that multiplies cosines and sines; kept likewise. */
const struct ball *amplitude_of(struct ask *w, const struct rotary *f);
#endif
