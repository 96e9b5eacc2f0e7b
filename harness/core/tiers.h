/* What `meridian check` asks, part by part: each part says its findings to the sink.  row: NULL = all. */
#ifndef TIERS_H
#define TIERS_H
#include "examine.h"
struct tier {
    const char *name;
    int sizes, seeds;  /* kernels: of the list of sizes; seeds at each */
    long lines;        /* compared of each output */
    uint64_t laws;     /* seeds of each law */
    long limit;        /* tables: positions 0 .. limit - 1, every entry; 0 = none */
    bool recorded;     /* goldens made again, recorded packs judged again */
};
void check_kernels(struct sink *s, const char *row, const struct tier *tier, int half); /* half: 0 or 1, every other pair of kernel and preset */
void check_long(struct sink *s, const char *row, const struct tier *tier); /* the 128k decode row: one query, 8 heads, 131072 keys, by the best slot here */
void check_laws(struct sink *s, const char *row, const struct tier *tier);
void check_mistakes(struct sink *s, const char *row, FILE *matrix); /* the kill matrix, to matrix where that is not NULL */
void check_tables(struct sink *s, const char *row, const struct tier *tier);
void check_goldens(struct sink *s, const char *row);
void check_packs(struct sink *s, const char *row, const struct tier *tier);
#endif
