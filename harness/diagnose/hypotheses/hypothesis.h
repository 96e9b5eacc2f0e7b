/* A hypothesis: the row with a mistake, as an explanation of a subject's outputs.  Its page is evaluated in two ways:
 *   fit    in balls of the declared arithmetic with the mistake, which hold every correct implementation of the wrong
 *          variant
 *   says   as the number that the mistake alone gives (its own steps rounded, everything else exact), with the radius
 *          of the declared arithmetic around it
 * Two hypotheses are one class on a line where their numbers differ by no more than the sum of their radii in every
 * element: no output could tell them apart. */
#ifndef HYPOTHESIS_H
#define HYPOTHESIS_H
#include "compare/power.h"
#include "trial/trial.h"
struct place { int out; long line; };                /* a line of an output of a trial */
/* How outputs lie in the balls of a hypothesis: number of elements, of those outside their ball, of those whose ball
 * holds anything (under an edit: it says nothing of them), of finite ones, of infinities and NaN where the ball is
 * another of these, and of plus and minus infinity where the ball is the same; the largest distance from the middle of
 * a ball in its radius; which trivial outputs the balls hold, counted until one is outside.  left: elements beside
 * these that nobody wrote. */
struct fit { long n, left, over, open, finite, unlike, infinite[2]; double worst; struct power power; };
/* Whether it says numbers, or which infinity is where: an answer that is all NaN has too many causes. */
static inline bool fit_tells_numbers(const struct fit *f) { return f->finite || (f->infinite[0] && f->infinite[1]); }
/* So many elements a cause has to explain where it speaks of some alone: of the wrong ones, or of those that were
 * written. */
enum { WRONGS = 6 };
/* Whether it says something of most elements, and of so many where others were never written. */
static inline bool fit_tells(const struct fit *f) { return 2 * f->open < f->n && (!f->left || f->n >= WRONGS); }
enum { EDIT_ROUNDINGS = 3 };
struct hypothesis {
    const struct trial *t;                           /* with the change: `own`, or borrowed from another hypothesis */
    /* arithmetic of the mistake's own steps alone; of the declared ones under the changed parameters */
    char alone[1100], bound[1100];
    uint64_t question, key;                          /* digest of parameters and inputs; of these and own steps */
    struct arith how[3];                             /* declared with the mistake; the mistake alone; declared */
    struct ask ask[3];                               /* likewise */
    /* How many times as wide its balls are.  An edit may be one more operation, of a number that was rounded already: a
     * product that is squared afterwards has its own error twice, and that of the square; so has an inverse. */
    double wider;
    /* Balls of few bits, so a little wider: what they exclude is excluded, and is found to be so for less. */
    bool rough;
    struct trial own;                                /* owned: a copy with the change; unused where t is borrowed */
};
/* Fills p with lines of every output of t, at most `lines` of each (0: no limit), and returns how many, at most room:
 * all lines, or the random sample that judge_outputs takes. */
int places_of(const struct trial *t, long lines, struct place *p, int room);
long place_len(const struct trial *t, const struct place *p); /* elements of the line */
/* How many lines of each output are a sample: `lines`, or `more` where lines hold a few elements (biases, slopes), of
 * which as many say less. */
long lines_for(const struct trial *t, long lines, long more);
/* Makes the hypothesis of t with `change`, and with `second` unless it is NULL; both as trial_change reads them. change
 * "": t itself.  false: the change is impossible for t or asks the same question.  hypothesis_close is due either
 * way. */
bool hypothesis_open(struct hypothesis *h, const struct trial *t, const char *change, const char *second);
/* The same with an edit, "edit=...", of the trial of `declared`, which was opened with the change "": an edit leaves
 * parameters and inputs as they are, so that h borrows them, and opening it takes a small part of the time.  `declared`
 * has to outlive h. */
bool hypothesis_over(struct hypothesis *h, const struct hypothesis *declared, const char *edit);
/* Whether a change is an edit alone. */
bool change_is_edit(const char *change);
/* That the answer is 0: the one cause that is itself a trivial output, which others must not be mistaken for. */
extern const char zero_answer[];
/* Whether the subject never wrote element i of an output: trial_make fills these with bytes 0xff.  Integers cannot
 * tell. */
bool element_unwritten(const struct mer_array *a, long i);
/* Compares the line p of t's outputs with the balls and adds to f.  only[place_len]: the elements that count; NULL:
 * all.  What was never written is counted apart: which numbers a kernel gives and which places it leaves out are two
 * things. */
void hypothesis_fit(
    struct hypothesis *h, const struct trial *t, const struct place *p, const bool *only, struct fit *f);
/* The same for all elements, those that were never written included; wrong[place_len]: which lie outside their
 * balls. */
void hypothesis_wrong(struct hypothesis *h, const struct trial *t, const struct place *p, bool *wrong, struct fit *f);
/* The numbers of the mistake alone on line p and the radii around them, place_len of each.  false: the numbers stay
 * undecided and are NaN. */
bool hypothesis_says(struct hypothesis *h, const struct place *p, double *value, double *radius);
/* The middles of its balls on line p, which no step has rounded, and the radii, place_len of each: what changes little
 * by little with a number of the mistake.  false: some are not finite. */
bool hypothesis_middles(struct hypothesis *h, const struct place *p, double *value, double *radius);
/* Whether numbers v with radii r and w with s, n of each, are one class.  NaN equals NaN alone. */
bool says_same(const double *v, const double *r, const double *w, const double *s, long n);
/* Adds to *all the operations that the page makes on n lines p.  h must be opened with the change edit_nowhere, which
 * has them noted. */
void hypothesis_sites(struct hypothesis *h, const struct place *p, int n, struct sites *all);
void hypothesis_close(struct hypothesis *h);
/* The work of h so far, in balls: those that its pages made, and what opening it is worth.  It is the same on every
 * machine, whatever else runs there, and so is what a search finds that stops by it. */
double hypothesis_work(const struct hypothesis *h);
/* The work of all hypotheses that this process has closed. */
double hypotheses_work(void);
#endif
