/* A trial: one call, ready to be asked of anybody, with the row that can answer it.  Letters are bound here, once. */
#ifndef TRIAL_H
#define TRIAL_H
#include "core/gen.h"
#include "row/row.h"
#include "ruler/ruler.h"

enum { TRIAL_IN = 32, TRIAL_OUT = 24 }; /* arrays of one call: a whole layer with its weights, and all their gradients */
struct trial {
    const struct row *row;
    char id[96], text[TEXT_MAX], profile[1024], here[1024]; /* canonical parameters; the declared arithmetic; what of it holds for these sizes (sized.h) */
    void *params;
    int type;                              /* of the real arrays */
    struct mer_call call;
    struct mer_array in[TRIAL_IN], out[TRIAL_OUT];
    char names[TRIAL_IN + TRIAL_OUT][32];
    long size[128];                        /* by letter */
    bool bound[128];                       /* whether the letter has one: 0 is a size too */
    struct answers *answers;               /* borrowed; where exact values are kept (answers.h), or NULL */
};
/* Make arrays for `outs` ("cos sin") of the row under `params`, filled by generator `seed`; sizes[] pins letters and may name
 * optional inputs and a way to fill ("n=7 m=9 bias probe": inputs.h).
 * 0, or -1 with one line in err. */
int trial_make(struct trial *t, const char *row, const char *params, const char *outs, int type, const char *sizes, uint64_t seed, char *err, size_t n);
/* The same without arrays: letters are bound, *bytes is what the arrays would take. */
int trial_size(struct trial *t, const char *row, const char *params, const char *outs, int type, const char *sizes, double *bytes, char *err, size_t n);
/* Whether a row reads every word of sizes: its letters, its inputs, a way to fill.  0, or -1 and err. */
int trial_sizes(const struct row *r, const char *sizes, char *err, size_t n);
/* Check arrays somebody else supplied in t->call against the signature, binding letters: ranks, extents, that g divides h, that an axis of 0 is one the
 * row allows (row->empty), that no array is larger than one may be or reaches further, that no output lies on itself; that integers are integers within
 * 2^53, bounded and cumulative where the signature says so, and reals are reals; that no input belongs to another question.  Of arrays without data,
 * whose headers alone were read, everything but the values.  0, or -1 and one line that names both shapes. */
int trial_check(struct trial *t, char *err, size_t n);
/* The same of a call that is about to be asked of kernel k, and its element types: MER_OK, or MER_BAD and one line.  Rows and quantities that are not
 * known here pass.  Kernels read what their row's signature says is there: every door to them comes through this. */
int trial_fits(const struct mer_kernel *k, const struct mer_call *c, char *err, size_t n);
int trial_holds(const struct trial *t, char *err, size_t n); /* every input that its parameters read; other parameters may read more.  0 or -1 and err */
int trial_params(struct trial *t, const char *text, char *err, size_t n); /* parse, validate, rewrite t->text */
/* Declare the arithmetic of the outputs in t: steps go to a, a route to the parameters.  How many steps, or -1 and err. */
int trial_profile(struct trial *t, const char *profile, struct arith *a, enum how how, char *err, size_t n);
struct mer_array *trial_in(struct trial *t, const char *name); /* an input that trial_make has made: never NULL */
void trial_close(struct trial *t);

/* Outputs that need no understanding of the row: 0, 1, and every real input that has the output's last axis, averaged over the
 * axes the output lacks (x itself; the mean of v).  A bound that admits one of them on every element shows nothing. */
enum { POWER_TRIVIAL = 640 }; /* 24 outputs of a block, each with 0, 1 and its inputs; those beyond 24 were once not counted */
struct power { struct { const char *out; char name[24]; long n, fits; } at[POWER_TRIVIAL]; int used, last; };
void power_count(struct power *p, const struct trial *t, const struct quantity *q, const struct mer_array *out, const long *at, long k, const struct ball *b, const struct format *f);
bool power_vacuous(const struct power *p);
double power_of(const struct power *p, const char **name); /* least share of elements that reject a trivial output; which */

struct tally {                    /* what a comparison found; every field is a fact about `lines` compared */
    long n, over, correct, class[CLASSES], undecided;
    double ulp, gauge, ratio;     /* worst |ulp|, worst gauge, worst error / bound */
    double derived;               /* worst bound in gauge units */
    const char *out;
    long at[MER_RANK], k;         /* witness of the worst ratio */
    double got, want, bound;
    char digits[64];              /* the exact value there: its certified digits, at most 40 */
    struct power power;
    struct cost cost;             /* of the real numbers, not of the bounds */
    double bounds_ns, judging_ns; /* processor time: of the bounds' or contract's pages; of everything beside pages */
    long lines, lines_of;         /* compared; that there are */
    char impossible[200];         /* how the profile contradicts the question; "": it does not */
};
enum { LINES_READ = 3 << 24 };    /* numbers that the lines compared of one output may have to read, by the signature; one line may always */
double ball_share(const struct ball *b, double got); /* |got - mid| / radius; 0 where both are NaN by a policy, or the same infinity; NaN fails every `<=` */
/* One element into y: x known sharply, b the ball of the bound; at[MER_RANK], k: where, for the witness; out outlives y. */
void tally_add(struct tally *y, const struct ball *x, const struct ball *b, double got, const struct format *f, const long *at, long k, const char *out);
/* Compare the outputs in t->call with the row under the profile (bound) or the contract (bits).  A random sample of `lines` lines of each output, of
 * fewer where they read more than LINES_READ; lines = 0: all, whatever they read. */
void judge_outputs(const struct trial *t, const struct arith *a, long lines, struct tally *y);
void tally_sharpen(const struct trial *t, struct tally *y); /* the witness asked again: all 40 digits */
bool tally_passes(const struct tally *y);
const char *tally_verdict(const struct tally *y); /* PASS, FAIL, or VACUOUS: within bounds that a trivial output meets too */
void reference_run(struct trial *t, const struct arith *a); /* the reference as a subject: fills the outputs, rounded once */
void reference_lines(struct trial *t, const struct arith *a, long lines); /* the same for the lines that judge_outputs looks at */
struct mistake { char id[48], where[160], change[96], effect[160], cite[120], repair[160]; }; /* a line of data/mistakes/<row>.tsv; where: parameters and sizes that show it; repair: may be empty */
/* The law that says why the change changes nothing ("equivalent: <the law's words>"), or NULL. */
static inline const char *mistake_equivalent(const struct mistake *m) { return strncmp(m->effect, "equivalent: ", 12) ? NULL : m->effect + 12; }
int mistakes_each(const char *row, int (*f)(const struct mistake *m, void *with), void *with); /* stops when f returns non-zero; -1: no file */
int trial_copy(struct trial *m, const struct trial *t, char *err, size_t n); /* dense, whatever the strides of t */
int trial_change(struct trial *t, const char *change, char *err, size_t n);

struct subject {
    char name[96];
    const struct mer_kernel *kernel; /* what it offers; ends with row NULL */
    int (*run)(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n); /* a MER_ answer, or MER_CRASHED and why */
    /* The same for n_c calls, one after the other in one process; NULL: run is called for each of them. */
    int (*together)(struct subject *s, const struct mer_kernel *k, struct mer_call *const *c, int n_c, char *why, size_t n);
    int (*next)(struct subject *s, struct trial *t, char *err, size_t n); /* NULL, or the subject brings its own cases (pack): 1, 0 at the end, -1 */
    void (*close)(struct subject *s);
    void *state;
    struct mer_kernel own[2];        /* room for a declared kernel */
    int seconds;                     /* limit of one call */
    struct answers *answers;         /* borrowed, shared with subjects that are asked the same: answers.h; NULL: none are kept */
    const char *told;                /* as it was asked for, whole, or of a process its command; lives to the end of the program (kept.h); NULL: name says it */
    bool process;
};
/* Whether two are one entry of a subject's list, or copies of it in which profile and outputs were replaced: run is NULL where the kernel is not in this
 * process, and then the text of its row belongs to it alone. */
static inline bool kernel_same(const struct mer_kernel *a, const struct mer_kernel *b) { return a->run == b->run && (a->run || a->row == b->row); }
/* "own:avx512", "./mine.so", "pack-folder/"; 0, -1 and err, or -MER_CRASHED and err: a plug-in that crashes or hangs while it is loaded */
int subject_open(struct subject *s, const char *what, char *err, size_t n);
int subject_open_within(struct subject *s, const char *what, int seconds, char *err, size_t n); /* the limit of loading, and of one call */
/* A command that answers calls; declared NULL: it is asked what it offers (hello).  0, -1 and err where it leaves
 * without an answer, -MER_CRASHED and err where it hangs or its answer is unusable. */
int subject_exec(struct subject *s, const char *command, const struct mer_kernel *declared, int seconds, char *err, size_t n);
int subject_pack(struct subject *s, const char *dir, char *err, size_t n);
int pack_write(const char *dir, const struct trial *t, int n_trials, const char *name, bool outputs); /* one folder, n cases; outputs: their arrays too */

#endif
