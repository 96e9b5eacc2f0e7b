/* The questions that a kernel is asked by default, as a covering design.  The choices that a row leaves open are its
 * preset, its optional inputs, the extents of its letters, the grouping of heads and the way arrays are filled; each
 * has several levels.  The questions together hold every pair of levels of two different choices.  All of it is derived
 * from the row's signatures and parameters, so that a new row needs no design of its own. */
#ifndef COVER_H
#define COVER_H
#include "judge/declaration.h"
#include "trial/trial.h"

enum { COVER_LINES = 8 }; /* of each output, compared in one question */
/* Room: choices of a design, levels of one choice, levels of all choices together. */
enum { COVER_CHOICES = 32, COVER_LEVELS = 40, COVER_ALL = 320 };
enum choice_kind { OF_PRESET, OF_INPUT, OF_LETTER, OF_GROUPS, OF_FILL };
struct choice {
    enum choice_kind kind;
    char name[32];                 /* the name of an input; a letter or several; "hg"; "fill"; "preset" */
    int n, first;                  /* number of levels; index of the first among the levels of all choices */
    long level[COVER_LEVELS];      /* an extent; 256 h + g; 0, 1: without, with the input; index of a preset or fill */
    bool taken[COVER_LEVELS];      /* whether some answered question had this level */
    bool ended[COVER_LEVELS];      /* of the preset: by cover_end_preset */
};
struct cover {
    const struct row *row;
    const struct preset *presets;  /* the levels of choice 0; ends with name NULL */
    const char *outs;              /* outputs, "o lse" */
    int type;
    const struct declared *claim;  /* its sizes limit the extents; or NULL */
    struct choice choice[COVER_CHOICES];
    int n, levels;                 /* number of choices; of levels of all choices */
    /* The state of each pair of levels of two different choices, one of PAIR_ below.  Only entries above the diagonal
     * are used. */
    unsigned char *pair;           /* [levels][levels], owned */
    long base[128];                /* usual extents of letters, in place of trial_make's own; 0: those */
    bool narrowed;                 /* by narrow (narrow.h) */
    double slowest;                /* the most seconds that a question took for each number that it was to cost */
    uint64_t seed, at;             /* of the generator that orders the search, and how many numbers it gave */
};
/* Not asked yet; asked; impossible for the row or declined by the subject; beyond what one question may cost. */
enum { PAIR_OPEN, PAIR_ASKED, PAIR_REFUSED, PAIR_DEAR };
/* preset: index in presets; level[k]: of choice k, -1 where it is left to trial_make; sizes: the same in words, as
 * trial_make reads them; work: the estimated cost, see cover.c. */
struct cover_question { int preset, level[COVER_CHOICES]; char sizes[300]; double work; };

/* Lists the choices of the outputs `outs` of row r.  c borrows every argument; cover_close is due. */
void cover_open(struct cover *c, const struct row *r, const struct preset *presets, const char *outs, int type,
    const struct declared *claim);
void cover_close(struct cover *c);
/* Removes choices without levels, numbers the levels of the others and opens all pairs: due after levels changed. */
void cover_settle(struct cover *c);
/* Points *of to the extents that a length, or a width, has in a design, and returns how many there are. */
size_t cover_extents(bool length, const long **of);
/* Writes "d=64 e=64" or "h=4 g=2" after `gap`: the letters of x at a level of that value.  Returns the length. */
size_t cover_level_words(char *to, size_t n, const char *gap, const struct choice *x, long value);
/* Reads the signature of output number `out`; false: there are no more. */
bool cover_sign(const struct cover *c, int out, struct sign *s);
/* Whether a letter of the row is the length of something, rather than its width. */
bool cover_is_length(const struct cover *c, char letter);
/* The questions that come first: each optional input under each preset, alone or with one other input that it needs, at
 * the usual sizes.  *turn begins at 0 and is advanced.  false: no more.  After cover_declined the design leaves an
 * input out under that preset. */
bool cover_input(struct cover *c, int *turn, struct cover_question *q);
/* The next question of the design, which has at least one open pair; false: no pair is open. */
bool cover_next(struct cover *c, struct cover_question *q);
/* Marks all pairs of q as asked and its levels as taken. */
void cover_answered(struct cover *c, const struct cover_question *q);
/* Says what q took of the reference, in seconds: what would take too long by that is not asked. */
void cover_took(struct cover *c, const struct cover_question *q, double seconds);
/* Marks open pairs of q as refused, except those with the absence of an input: those with its preset if that was never
 * answered, else with an input or an extent of which that is true, else all. */
void cover_declined(struct cover *c, const struct cover_question *q);
/* No question has this level of the preset from now on: its open pairs are refused. */
void cover_end_preset(struct cover *c, int level);
/* Counts the pairs by state: n[PAIR_OPEN] .. n[PAIR_DEAR]. */
void cover_count(const struct cover *c, long n[4]);
#endif
