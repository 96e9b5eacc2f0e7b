/* A search for questions whose bounds are too narrow.  A question is a row, its parameters, a profile, sizes and
 * inputs; its answer is the largest share of a derived bound that an arithmetic within the profile uses.  A share above
 * 1 is an escape: the bound would refuse an implementation that does what the profile says, or a kernel of the project
 * is wrong.
 *
 * A question is written as one line, its case, with '|' between the fields and "-" for an empty one:
 *     row | outputs | type | who | parameters | profile | sizes | adverse arithmetic | inputs
 * who: "page", or an own kernel as SLOT:NUMBER, counted from 0 among the slot's kernels for the same outputs and
 * type, under the profile that it declares, or "subject": a kernel of somebody else's, which the reader knows;
 * sizes: as trial_make reads them; adverse: "seed=7 convert flush 0=up/left 3=any" by number of step; inputs:
 * "q=0x1p-13*64 k=0,0,1": values, "x*N" for N times x, or "@WAY:SEED" for an input that climb_fill makes, followed by
 * ";INDEX:VALUE" for each element that differs from it. */
#ifndef CLIMB_H
#define CLIMB_H
#include "ball/adverse.h"
#include "kernels.h"
#include "subject/subject.h"
#include "trial/trial.h"

/* CLIMB_NEAR: how many times as patient a climb is near the bound, where the last digits decide. */
enum { CLIMB_PARAMS = 1600, CLIMB_PROFILE = 1000, CLIMB_SIZES = 300, CLIMB_LINES = 4, CLIMB_NEAR = 5 };
/* The way and the seed by which climb_fill made an input. */
struct recipe_of { int way; uint64_t seed; };
/* A question: its words, its arrays, and who is asked. */
struct climb {
    struct trial t;                            /* the call with its arrays, as a kernel is asked it; owned */
    /* the same arrays under the parameters that the profile sets, too ("route=online"): what the page is asked;
     * shares t's arrays */
    struct trial judged;
    bool made;
    char out[400], params[CLIMB_PARAMS], profile[CLIMB_PROFILE], sizes[CLIMB_SIZES];
    int type;
    /* whether it was drawn as a question of few keys, where roundings do not average out */
    bool few;
    uint64_t seed;                             /* of the integers among the inputs, which trial_make draws */
    struct adverse adverse;
    /* the page's two arithmetics, rounded and widened; round.adverse is set by climb_ask */
    struct arith round, wide;
    /* The kernel that is asked, and its slot; NULL: that of another subject (climber_subject), or the page is asked. */
    const struct slot *slot;
    const struct mer_kernel *kernel;
    struct recipe_of recipe[TRIAL_IN];         /* what each real input was made by, at its place in t.in */
};
/* What came of a question: the largest share of a bound that was used, and where. */
struct climb_answer {
    double share;                              /* the largest share; 0 where the bounds promise nothing */
    /* the largest share among elements at least half of whose bound is the page's own and not the rounding of the
     * store */
    double own;
    /* asked: at least one element had a finite bound; undecided: of some line; dear: it took too long for a search,
     * or (climber_hurry) for one that somebody waits for */
    bool asked, undecided, dear;
    int rc;                                    /* of a kernel: what it answered; else MER_OK */
    long n, k, at[MER_RANK];                   /* elements compared; where the largest share is, as in struct tally */
    double got, mid, bound;
    const char *out;
};

/* Makes c's arrays as its words say; c->recipe is drawn from c->seed.  What c held before is freed. 0, or -1 and one
 * line. */
int climb_make(struct climb *c, const struct row *row, char *err, size_t n);
void climb_close(struct climb *c);                       /* frees its arrays; c may be made or read again */
/* copies c with its arrays into `to`, which is zeroed or closed; 0, or -1 where they cannot be made */
int climb_copy(struct climb *to, const struct climb *c);
/* Makes the arrays of `next`, whose words were changed, with the numbers of `from` where both have an element of the
 * same index. 0 or -1. */
int climb_remake(struct climb *next, const struct climb *from);
void climb_print(const struct climb *c, FILE *f);        /* writes its case, the line above, without a newline */
char *climb_text(const struct climb *c);                 /* the same as a malloc'd text, which the caller frees */
/* Reads a case and makes its arrays. 0; -1 and one line: it cannot be read or made; 1 and one line: its slot is not
 * on this machine. */
int climb_read(struct climb *c, const char *text, char *err, size_t n);

/* The named ways to make an input: how many there are.  The input is a function of way, seed, the array's name and
 * its shape. */
int climb_ways(void);
const char *climb_way(int way);                          /* its name; NULL: there is none */
int climb_way_named(const char *name);                   /* -1: there is none */
/* Fills the data of a, which is an input of t: no number is above the largest that its row allows. */
void climb_fill(const struct trial *t, struct mer_array *a, int way, uint64_t seed);

struct climber; /* what is kept between questions: the memories of the pages */
struct climber *climber_open(void);      /* never NULL; climber_close frees it */
void climber_hurry(struct climber *m);   /* from now on a question whose ball takes long stays unanswered: dear */
/* From now on only elements count that are bound by the page for at least a half (struct climb_answer, own): so the
 * share is what a step uses, as a store rounds by itself. */
void climber_own(struct climber *m);
/* From now on kernels are those of this subject, borrowed, which is asked as it is judged. */
void climber_subject(struct climber *m, const struct subject *who);
/* The work of all questions so far, in balls made: the same on every machine, whatever its load. */
double climber_work(const struct climber *m);
void climber_close(struct climber *m);
/* Asks c and fills *y; c's outputs are written where a kernel is asked. */
void climb_ask(struct climber *m, struct climb *c, struct climb_answer *y);

/* A stream of random choices. */
struct chance { uint64_t seed, at; };
uint64_t chance_bits(struct chance *r);                  /* 64 random bits */
long chance_below(struct chance *r, long n);             /* a number of 0 .. n - 1 */
bool chance_one_in(struct chance *r, long n);            /* true one time in n */

/* Draws a question of this row: parameters, profile, sizes and inputs; of a kernel of a slot, or with kernel NULL of
 * the page.  Makes it. 0, or -1: none of several tries could be made. */
int climb_draw(
    struct climb *c, const struct row *row, const struct slot *slot, const struct mer_kernel *kernel, struct chance *r);
/* The same of a subject's kernel, under one of these presets, which end with name NULL, as they are. */
int climb_draw_under(struct climb *c, const struct row *row, const struct mer_kernel *kernel,
    const struct preset *presets, struct chance *r);
/* The same for the page, under a profile in which this step of the row (by number) stands alone. */
int climb_draw_step(struct climb *c, const struct row *row, int step, struct chance *r);
/* draws other inputs and adverse choices for the same question */
void climb_redraw(struct climb *c, struct chance *r);
/* A question that differs from c in one word: a size, the type, a parameter or a step's format.  Made anew with c's
 * numbers; malloc'd, to be closed and freed by the caller; NULL: it could not be made. */
struct climb *climb_vary(const struct climb *c, struct chance *r);
/* Climbs from c, whose answer is *y, by small changes of inputs and adverse choices, until `patience` of them in a
 * row (near the bound CLIMB_NEAR times as many) gain nothing or `work` (climber_work) is spent. c and *y become the
 * best found; *asked grows by the questions asked. */
void climb_uphill(struct climber *m, struct climb *c, struct climb_answer *y, struct chance *r, long patience,
    double work, long *asked);
/* Makes a question whose share is above 1 smaller: sizes, words, numbers, as long as its share stays above 1 and for
 * at most `seconds`. c and *y become the smallest found; *asked grows. */
void climb_shrink(struct climber *m, struct climb *c, struct climb_answer *y, double seconds, long *asked);
/* [STEPS], static, one for each row: whether a step was seen, in this process, to be a sum */
bool *climb_sums(const struct row *row);
#endif
