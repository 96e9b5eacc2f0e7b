/* Relative rows on the attention tiles: from a call to problems of one head and some of its queries, whose scores get a
 * band of place terms and whose values a band of vectors (struct flash_place in flash.h).  Memory beside the call's own
 * arrays: at most about 2^20 place terms, copies of the queries at work and of one head's tables; no array of pairs.
 * Everything is float32.  prepare_ROW and run_ROW are the rows' own; all answer a MER_ answer, MER_SKIP where a call
 * asks for what the row's plain loops alone do. */
#ifndef BAND_H
#define BAND_H
#include "attention/flash.h"

/* Kernels for at most FLASH_KEYS keys, and for more. */
enum band_which { BAND_SHORT, BAND_LONG };
/* What a row needs memory for: a band of values, biases of queries, marks. */
enum band_needs { BAND_VALUES = 1, BAND_BIASED = 2, BAND_MARKED = 4 };
struct band {
    struct flash all, f;         /* the whole problem; that of the queries of one head at work */
    struct flash_place place;    /* of f */
    int64_t rows;                /* at most so many queries are at work */
    /* [width + 2][d] in band order, or with place.column [columns][d]; the table of the next head lies table_step
     * floats farther on */
    const float *table;
    int64_t table_step;
    float *score, *lines, *ends; /* memory of the members of place with these names */
    /* [width + 2][d] and [width + 2][e rounded up to whole 16s]: tables in band order, where the row makes them */
    float *key, *value;
    /* [waves_rows][c]: sinusoids, which the call's wr[h] multiplies into key; NULL: none */
    float *waves;
    int64_t waves_rows;
    /* [h][d]: added to the queries of content, of place and of marks; NULL: nothing is added, and there are no marks */
    const float *u, *vr, *rs;
    float *content, *position;   /* [rows][d]: the queries with u and with vr added */
    float *mark, *marker;        /* [rows][2], as place.mark; [d][2], by which a head's queries are multiplied for it */
    int32_t *index;              /* memory of place.column and place.row */
    uint8_t *keep;               /* [rows][m]; NULL: all kept */
};

/* Makes c->state, a struct band for this place.  MER_OK, or MER_BAD without memory or where heads are grouped. */
int band_prepare(struct mer_call *c, struct flash_place place, unsigned needs);
/* Answers the call by a slot's tiles; MER_SKIP where the number of keys is the other kernel's. */
int band_attend(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
void band_release(void *state);
static inline int64_t band_padded(int64_t e) { return (e + 15) / 16 * 16; }

int prepare_shaw(struct mer_call *c);    /* tables tk and tv, against=query */
int run_shaw(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_nezha(struct mer_call *c);   /* not where keys are hidden by addition */
int run_nezha(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
/* The band is the distances from the clamp to 0, or those between the farthest that are asked for. */
int prepare_txl(struct mer_call *c);
int run_txl(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_xlnet(struct mer_call *c);   /* the same, with two segments and without `rows` */
int run_xlnet(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_deberta(struct mer_call *c);
int run_deberta(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
/* From fast/deberta.c: the rows of kr and of qr that a distance takes, both [n + m - 1], for distances that fall from
 * memory + n - 1 on. */
void deberta_rows(const struct mer_call *c, int64_t n, int64_t m, int64_t *key_row, int64_t *query_row);
#endif
