/* Relative rows on the attention tiles: from a call to problems of one head and some of its queries, whose scores get a
 * band of place terms and
 * whose values a band of vectors (flash.h: struct flash_place).  Memory beside the call's own arrays: at most about
 * 2^20 place terms, copies of
 * the queries at work and of one head's tables; no array of pairs.  Float32.  prepare_ROW and run_ROW are the rows'
 * own. */
#ifndef BAND_H
#define BAND_H
#include "attention/flash.h"

enum band_which { BAND_SHORT, BAND_LONG }; /* kernels for at most FLASH_KEYS keys, and for more */
enum band_needs { BAND_VALUES = 1, BAND_BIASED = 2, BAND_MARKED = 4 };
struct band {
    struct flash all, f;         /* every head; the queries of a head at work */
    struct flash_place place;
    int64_t rows;                /* queries at work, at most */
    /* [width + 2][d] in band order, or with place.column [columns][d]; the next head's table_step floats on */
    const float *table;
    int64_t table_step;
    float *score, *lines, *ends; /* [rows][columns]; or, of a band that is not short, see place */
    /* [width + 2][d] and value[width + 2][e to whole 16s]: tables in band order, where the row makes them */
    float *key, *value;
    /* [waves_rows][c]: sinusoids to be multiplied by the call's wr[h] into key; NULL: none */
    float *waves;
    int64_t waves_rows;
    /* [h][d]: added to the queries of content, place, marks; NULL: the call's own, and no marks */
    const float *u, *vr, *rs;
    float *content, *position;   /* [rows][d]: queries with their biases */
    float *mark, *marker;        /* [rows][2]; marker[d][2], of a head */
    int32_t *index;              /* place.column and place.row */
    uint8_t *keep;
};

/* c->state = struct band for this place.  MER_OK, or MER_BAD without memory or where heads are grouped. */
int band_prepare(struct mer_call *c, struct flash_place place, unsigned needs);
int band_attend(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
void band_release(void *state);
static inline int64_t band_padded(int64_t e) { return (e + 15) / 16 * 16; }

int prepare_shaw(struct mer_call *c);    /* tables tk, tv; against=query */
int run_shaw(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_nezha(struct mer_call *c);   /* nothing hidden by addition */
int run_nezha(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
/* the band is the distances between the clamp and 0, or between the farthest that are asked for */
int prepare_txl(struct mer_call *c);
int run_txl(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_xlnet(struct mer_call *c);   /* the same; two segments, sinusoids of its own */
int run_xlnet(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_deberta(struct mer_call *c);
int run_deberta(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
/* fast/deberta.c: rows of kr, of qr; [n + m - 1], distances memory + n - 1 and falling */
void deberta_rows(const struct mer_call *c, int64_t n, int64_t m, int64_t *key_row, int64_t *query_row);
#endif
