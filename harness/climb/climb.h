/* Adversarial containment as a search: a question is a row, its parameters, a profile, sizes and inputs; its answer is
 * how much of its bound is used
 * by an arithmetic that the profile allows.  A share above 1 is an escape: an honest implementation would be refused,
 * or an own kernel is wrong.
 *
 * A question is written as one line, its case, with '|' between the fields and "-" for an empty one:
 *     row | outputs | type | who | parameters | profile | sizes | adverse arithmetic | inputs
 * who: "page", or an own kernel as SLOT:NUMBER, counted from 0 among the slot's kernels for the same outputs and type,
 * under the profile that it declares; sizes: as trial_make reads them; adverse: "seed=7 convert flush 0=up/left 3=any"
 * by number of step; inputs: "q=0x1p-13*64 k=0,0,1": values, "x*N" for N times x, or "@WAY:SEED" for a made one
 * (climb_fill), then ";INDEX:VALUE" for what differs from it. */
#ifndef CLIMB_H
#define CLIMB_H
#include "ball/adverse.h"
#include "kernels.h"
#include "trial/trial.h"

enum { CLIMB_PARAMS = 1600, CLIMB_PROFILE = 1000, CLIMB_SIZES = 300, CLIMB_LINES = 4 };
struct recipe_of { int way; uint64_t seed; };
struct climb {
    struct trial t;                            /* with its arrays, as a kernel is asked; trial_close is due */
    /* the same arrays under the parameters that the profile sets too ("route=online"): what the page is asked */
    struct trial judged;
    bool made;
    char out[400], params[CLIMB_PARAMS], profile[CLIMB_PROFILE], sizes[CLIMB_SIZES];
    int type;
    bool few;                                  /* drawn as a question of few keys, where nothing averages out */
    uint64_t seed;                             /* of the integers that trial_make draws */
    struct adverse adverse;
    struct arith round, wide;                  /* of the page; round.adverse is set by climb_ask */
    const struct slot *slot;                   /* of an own kernel, or NULL: the page */
    const struct mer_kernel *kernel;
    struct recipe_of recipe[TRIAL_IN];         /* of which each real input was made, by its place in t.in */
};
struct climb_answer {
    double share;                              /* the largest; 0 where nothing is promised */
    /* the largest of elements whose bound is the page's own for at least a half, and not that of the store */
    double own;
    /* asked: at least one element had a finite bound; dear: it took too long to be asked in millions */
    bool asked, undecided, dear;
    long n, k, at[MER_RANK];                   /* elements; where the largest is */
    double got, mid, bound;
    const char *out;
};

/* Arrays of c as its words say; c->recipe is drawn from c->seed.  0, or -1 and one line.  What c held before is given
 * back. */
int climb_make(struct climb *c, const struct row *row, char *err, size_t n);
void climb_close(struct climb *c);
int climb_copy(struct climb *to, const struct climb *c); /* to: closed or new; 0, or -1 where it cannot be made */
/* next: words changed, not made; made with the numbers of `from`, where their shapes have the same index.  0 or -1. */
int climb_remake(struct climb *next, const struct climb *from);
void climb_print(const struct climb *c, FILE *f);        /* its case */
char *climb_text(const struct climb *c);                 /* the same, to be freed */
/* 0; -1 and one line; 1 and one line: its slot is not on this machine. */
int climb_read(struct climb *c, const char *text, char *err, size_t n);

/* Ways to make an input; a pure function of way, seed, name and shape. */
int climb_ways(void);
const char *climb_way(int way);                          /* its name; NULL: there is none */
int climb_way_named(const char *name);                   /* -1: there is none */
void climb_fill(struct mer_array *a, int way, uint64_t seed);

struct climber; /* what is kept between questions: pages' memories */
struct climber *climber_open(void);
void climber_hurry(struct climber *m);   /* from now on a question whose ball takes long stays unanswered: dear */
/* From now on those elements alone count, which is how much a step uses: a store has a rounding of its own. */
void climber_own(struct climber *m);
/* The work of all questions so far, in balls made: the same on every machine, whatever its load. */
double climber_work(const struct climber *m);
void climber_close(struct climber *m);
void climb_ask(struct climber *m, struct climb *c, struct climb_answer *y);

/* A stream of random choices. */
struct chance { uint64_t seed, at; };
uint64_t chance_bits(struct chance *r);
long chance_below(struct chance *r, long n);             /* 0 .. n - 1 */
bool chance_one_in(struct chance *r, long n);

/* A question of this row at random: parameters, profile, sizes, inputs.  kernel NULL: of the page.  0, or -1: none of
 * some tries could be made. */
int climb_draw(
    struct climb *c, const struct row *row, const struct slot *slot, const struct mer_kernel *kernel, struct chance *r);
/* The same of a page, in whose profile this step of the row stands alone. */
int climb_draw_step(struct climb *c, const struct row *row, int step, struct chance *r);
void climb_redraw(struct climb *c, struct chance *r);    /* other inputs and adverse choices */
/* One word of a question that did well changed: a size, the type, a parameter or a step's format.  made anew with its
 * numbers, to be closed and freed; or NULL. */
struct climb *climb_vary(const struct climb *c, struct chance *r);
/* Uphill from c by small changes, until `patience` of them in a row gain nothing or `work` (climber_work) is spent;
 * asked counts questions. */
void climb_uphill(struct climber *m, struct climb *c, struct climb_answer *y, struct chance *r, long patience,
    double work, long *asked);
/* Of a question whose share is above 1: smaller sizes, fewer words and simpler numbers, for as long as it stays above
 * 1. */
void climb_shrink(struct climber *m, struct climb *c, struct climb_answer *y, double seconds, long *asked);
/* [STEPS]: steps of the row that were seen to add something up, so far */
bool *climb_sums(const struct row *row);
#endif
