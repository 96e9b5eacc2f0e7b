/* The encodings that a laboratory model may have: which rows of the tree make its positions.  Nothing is computed here;
 * a row's own kernels do. Text of parameters and sizes may hold $h heads, $d width of a head, $c channels, $l trained
 * length, $r reach (the longest length that a model is asked about), $n length at work, $x how many times longer than
 * trained it is (at least 1), $w $x times $l, $m half of $l, $g twice $x. */
#ifndef ENCODING_H
#define ENCODING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* channels = heads times the width of a head; length: trained; encoders: layers of an encoder in front, 0: a decoder
 * alone */
struct lab_size { int64_t layers, heads, channels, inner, vocab, length, reach, encoders; };

struct encoding {
    const char *name, *cite;
    int order;          /* of lists: ascending */
    /* row whose p[n,d] is added to the tokens' vectors; with an input `table`, or with grads: trained */
    const char *place;
    const char *turn;   /* row that turns q and k */
    const char *keys;   /* parameters of k's turning, behind those of q's */
    /* row of tokens' vectors in place of an embedding's table: re[n,d], im[n,d] side by side; its tables are trained */
    const char *embed;
    const char *bias;   /* row of bias[h,n,m], added to the scores; its inputs are trained */
    /* of the bias's or place's inputs: the row's quantities that read dbias or dp, in the inputs' order */
    const char *grads;
    /* row whose own o, dq, dk, dv are asked; its inputs beside q, k, v are trained; NULL: row attention */
    const char *attend;
    const char *params; /* of that row (attend, or the only one named) */
    const char *sizes;  /* letters of its inputs that neither the row nor the model fixes: "c=16" */
    double from, to;    /* trained inputs begin uniform there; both 0: (-0.1, 0.1) */
    int shared;         /* one set of trained inputs for all layers */
    const char *source; /* parameters of an encoder's positions, behind params; NULL: not for an encoder-decoder */
};
/* The first in order, then the one behind another; NULL behind the last.  harness/lab/encodings/NAME.c is
 * encoding_NAME. */
const struct encoding *encoding_next(const struct encoding *before);
const struct encoding *encoding_named(const char *name);
void encoding_text(char *to, size_t n, const char *text, const struct lab_size *s, int64_t length); /* $h .. replaced */
#endif
