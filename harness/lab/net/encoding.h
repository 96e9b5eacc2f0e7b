/* The encodings that a laboratory model may have: which rows of the tree make its positions.  Nothing is computed here;
 * a row's own kernels do. Text of parameters and sizes may hold $h heads, $d width of a head, $c channels, $l trained
 * length, $r reach (the longest length that a model is asked about), $n length at work, $x how many times longer than
 * trained it is (at least 1), $w $x times $l, $m half of $l, $g twice $x, $q a quarter of $d, rounded up to an even
 * number. */
#ifndef ENCODING_H
#define ENCODING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of a model.  channels: heads times the width of a head; inner: width of the feed-forward layer; length: tokens
 * while training; reach: the longest length asked; encoders: layers of an encoder, 0: a decoder alone. */
struct lab_size { int64_t layers, heads, channels, inner, vocab, length, reach, encoders; };

struct encoding {
    const char *name, *cite;
    int order;          /* place in lists, ascending */
    /* The row whose p[n,d] is added to the vectors of tokens; it is trained where it has an input `table`, or grads. */
    const char *place;
    const char *turn;   /* the row that turns q and k */
    const char *keys;   /* parameters for turning k, which follow those for q */
    /* The row that makes the vectors of tokens in place of an embedding: re[n,d] and im[n,d] side by side; its tables
     * are trained. */
    const char *embed;
    const char *bias;   /* the row of bias[h,n,m], which is added to the scores; its inputs are trained */
    /* The row's quantities that are the gradients of the inputs of bias or place, in the order of the inputs. */
    const char *grads;
    /* The row that attends: o, dq, dk, dv; its inputs beside q, k, v are trained.  NULL: row attention. */
    const char *attend;
    const char *params; /* parameters of that row, or of the only row named above */
    const char *sizes;  /* extents of its inputs that neither the row nor the model fixes: "c=16" */
    double from, to;    /* trained inputs begin uniform in this range; both 0: (-0.1, 0.1) */
    int shared;         /* whether all layers share one set of trained inputs */
    /* Whether tokens stand at an ascending random choice of the positions below the model's reach, another one in every
     * part of a batch of training, and one for each length where the model is asked.  Of encodings that turn. */
    bool randomised;
    const char *source; /* parameters for an encoder's positions, behind params; NULL: not for an encoder-decoder */
    /* Of a user's own encoding (own.h), else all NULL: the name of the listed one that it is like; who answers the
     * operations of its row, "./mine.so" or "exec COMMAND", NULL: this program; and a text that says all of it. */
    const char *base, *by, *told;
};
/* The encoding that follows `before` in order, NULL behind the last; before NULL: the first.
 * harness/lab/encodings/NAME.c defines encoding_NAME. */
const struct encoding *encoding_next(const struct encoding *before);
/* The encoding of that name, or NULL. */
const struct encoding *encoding_named(const char *name);
/* Adds an encoding behind those of its order until the program ends; e and its texts are borrowed.  false: there are
 * ENCODINGS_ADDED already. */
enum { ENCODINGS_ADDED = 16 };
bool encoding_add(const struct encoding *e);
/* The row whose operations are the encoding's own; NULL: it has none. */
static inline const char *encoding_row(const struct encoding *e)
{
    return e->attend ? e->attend : e->place ? e->place : e->turn ? e->turn : e->bias ? e->bias : e->embed;
}
/* Copies text with $h and the others replaced, for a model of size s at work on `length` tokens. */
void encoding_text(char *to, size_t n, const char *text, const struct lab_size *s, int64_t length);
#endif
