/* Facts about encodings that no training changes: each a number with its enclosure, or an exact integer.  `meridian
 * exact` prints them. */
#ifndef EXACT_FACTS_H
#define EXACT_FACTS_H
#include "row/row.h"

enum { FACT_LENGTHS = 32, FACT_TEXT = 200 };
/* value: the digits that are certain, or a verdict, or one line that says why there is none; low, high: an enclosure of
 * 17 digits, rounded outwards, or an integer twice, or "" behind words. */
struct fact { const char *topic; char of[80], what[72], value[FACT_TEXT], low[32], high[32]; };
struct facts {
    const char *topic;
    struct fact *fact;   /* [n] */
    long n, room;
    struct ask *w;       /* of the topic at work */
    bool blunt;          /* a number has fewer than 20 certain digits yet */
};
struct fact_for { /* replaces the cases that a topic has by itself; 0 and "": its own */
    long dim, trained, lengths, length[FACT_LENGTHS];
    const char *base;   /* a rational: "500000" */
};
struct topic {
    const char *name, *says, *cite;
    const char *takes; /* what of struct fact_for replaces its own cases, "dim base lengths"; all else is ignored */
    void (*make)(struct facts *f, const struct fact_for *a);
    long least_dim; /* the least width that it can be asked for; 0: every even one */
};
extern const struct topic topics[]; /* ends with name NULL */

/* Appends the facts of a topic, at the precision that gives 20 digits of each and decides every comparison.  0, or -1
 * and one line. */
int facts_make(struct facts *f, const struct topic *t, const struct fact_for *a, char *err, size_t n);
void facts_close(struct facts *f);
const struct fact *fact_named(const struct facts *f, const char *of, const char *what); /* NULL: none */

/* The functions that topics use.  `format` and what follows say what the fact is about, in the manner of printf. */
/* Adds a number with its enclosure. */
void fact_number(struct facts *f, const char *what, const struct ball *x, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fact_integer(struct facts *f, const char *what, long x, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a number of which only low <= x <= high is known. */
void fact_ends(struct facts *f, const char *what, double low, double high, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Adds a verdict in words, without a number. */
void fact_text(struct facts *f, const char *what, const char *text, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The sign of x - y, -1, 0 or 1.  Undecided: 0, and the topic is run again with more precision. */
int fact_sign(struct facts *f, const struct ball *x, const struct ball *y);
/* Sets t[dim / 2] to the frequencies of row rope. */
void waves_of(struct facts *f, long dim, const char *base, const struct ball **t);

/* One topic each, for the table of topics: appends its facts of what `a` asks for, or of its own cases. */
void topic_angles(struct facts *f, const struct fact_for *a);
void topic_cosine(struct facts *f, const struct fact_for *a);
void topic_bound(struct facts *f, const struct fact_for *a);
void topic_interpolation(struct facts *f, const struct fact_for *a);
void topic_recurrence(struct facts *f, const struct fact_for *a);
void topic_resolution(struct facts *f, const struct fact_for *a);
void topic_yarn(struct facts *f, const struct fact_for *a);
void topic_bases(struct facts *f, const struct fact_for *a);
void topic_alibi(struct facts *f, const struct fact_for *a);
void topic_entropy(struct facts *f, const struct fact_for *a);
void topic_clip(struct facts *f, const struct fact_for *a);
void topic_buckets(struct facts *f, const struct fact_for *a);
#endif
