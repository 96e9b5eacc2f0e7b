/* The default question of a kernel as a covering design: which choices a row leaves open (preset, optional inputs,
 * extents of its letters, how heads are grouped, how arrays are filled), and questions that together hold every pair of
 * them. All of it is read off the row's signatures and parameters, so that a row that is added is asked in the same
 * way. */
#ifndef COVER_H
#define COVER_H
#include "judge/declaration.h"
#include "trial/trial.h"

enum { COVER_LINES = 8 }; /* of each output, compared in one question */
enum { COVER_CHOICES = 32, COVER_LEVELS = 40, COVER_ALL = 320 };
struct choice {
    enum { OF_PRESET, OF_INPUT, OF_LETTER, OF_GROUPS, OF_FILL } kind;
    char name[32];                 /* an input's; a letter; "h g"; "fill"; "preset" */
    int n, first;                  /* levels; the first of them among the levels of all choices */
    long level[COVER_LEVELS];      /* an extent; 256 h + g; 0 and 1: without and with the input; a number of a list */
    bool taken[COVER_LEVELS];      /* whether a question that was answered had it */
};
struct cover {
    const struct row *row;
    const struct preset *presets;  /* of choice 0; ends with name NULL */
    const char *outs, *only;       /* only: the preset's name that alone is asked, or NULL */
    int type;
    const struct declared *claim;  /* whose sizes bound the extents, or NULL */
    struct choice choice[COVER_CHOICES];
    int n, levels;
    /* of two levels of different choices: 0 still to be asked together, else why not: ASKED, REFUSED by the row or the
     * subject, DEAR: beyond what one question may cost */
    unsigned char *pair;           /* [levels][levels] */
    uint64_t seed, at;
};
enum { PAIR_OPEN, PAIR_ASKED, PAIR_REFUSED, PAIR_DEAR };
struct cover_question { int preset, level[COVER_CHOICES]; char sizes[300]; double work; };

/* Draws up the choices.  What is borrowed outlives c; cover_close is due. */
void cover_open(struct cover *c, const struct row *r, const struct preset *presets, const char *outs, int type,
    const struct declared *claim);
void cover_close(struct cover *c);
/* Optional inputs of the outputs, alone or with what must come with them, under every preset: the subject is asked each
 * once, small.  false: no more.  One that is declined is taken out by cover_declined. */
bool cover_input(struct cover *c, int *turn, struct cover_question *q);
/* The next question of the design; false: every pair is asked, or cannot be. */
bool cover_next(struct cover *c, struct cover_question *q);
void cover_answered(struct cover *c, const struct cover_question *q); /* its pairs are asked */
/* Not answered: a pair with an input that was asked alone is refused; else all its open pairs are. */
void cover_declined(struct cover *c, const struct cover_question *q);
/* Pairs by PAIR_: n[4]. */
void cover_count(const struct cover *c, long n[4]);
#endif
