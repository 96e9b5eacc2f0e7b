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

long rotary_width(const struct rotary *f); /* r of the exponent */
long rotary_pairs(const struct rotary *f); /* K */
const char *rotary_refuse(const struct rotary *f);                     /* NULL, or why these parameters are undefined */
bool frequency_live(const struct rotary *f, long k);                      /* false: w_k = 0 exactly */
/* base'^(e/r), rounded as the steps say */
const struct ball *frequency_ratio(struct ask *w, const struct rotary *f, long e);
const struct ball *frequency_plain(struct ask *w, const struct rotary *f, long k); /* base'^(-2k/r) */
/* m_k x: the law's multiplier */
const struct ball *frequency_scale(struct ask *w, const struct rotary *f, long k, const struct ball *x);
const struct ball *frequency_of(struct ask *w, const struct rotary *f, long k);    /* w_k = m_k base'^(-2k/r), cast */
bool amplitude_is_one(const struct rotary *f);
const struct ball *amplitude_of(struct ask *w, const struct rotary *f);
#endif
