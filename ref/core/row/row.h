/* A row: one encoding or attention variant, as a value.  It defines named quantities; each has one line of signature
 * and one page.  The signature is the shape comment, made machine-readable:
 *     "x[h,n,d] int pos[n] -> y[h,n|d]"     inputs -> output; '?' optional; 'int' exact integers; one letter, one
 *                                           extent; g groups h
 * "int cu_seqlens?[b]^n": cumulative lengths: they begin with 0, never fall and end with the extent of n; a quantity's
 * come together or not at all. "int pos[n]<r": every element lies in [0, extent of r); whoever supplies the array is
 * held to it, and made-up ones are drawn there; "int keep[n,m]<2": 0 or 1.
 * The bar splits the output: leading indices (one question each), then
 * the line that a page answers at once. Whoever judges binds the letters: from the arrays that are there, then from
 * row.extent(), then free sizes. */
#ifndef ROW_H
#define ROW_H
#include "ball/ball.h"
#include "row/around.h"
#include "row/mixing.h"
#include "row/param.h"

struct preset { const char *name, *text, *cite; };
/* A named output: its signature, and one of six ways to answer it.  A page of its own; what a softmax mixing (mix.h)
 * is asked; a gradient of a mixing (mix_grad.h); a term of a mixing's scores; an integer of a query and a key; the
 * layer around the row's attention (layer/project.h). */
struct quantity {
    const char *sign;
    void (*page)(struct ask *w, const struct ball **y);                     /* fills y[0 .. w->len) */
    void (*ask)(struct ask *w, const struct mix *m, const struct ball **y); /* mix_output, mix_lse or mix_weights .. */
    struct mix (*mix)(const struct ask *w);                                 /* .. of this */
    /* mix_query_grad, mix_key_grad, mix_pair_grad, mix_value_grad or mix_score_grad .. */
    void (*grad)(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
    struct mix_grad (*back)(const struct ask *w); /* .. of this .. */
    struct mix_met met;                           /* .. made of these pairs and these factors */
    const struct ball *(*term)(struct ask *w, long h, long i, long j); /* y[j] of head h = at[0], query i = at[1] */
    long (*index)(const struct ask *w, long i, long j); /* y[0] of query i = at[0], key j = at[1] */
    void (*layer)(struct ask *w, struct around a, const struct ball **y); /* around_weights, _heads or _output .. */
    const struct around *around;                                          /* .. of this, or .. */
    struct around (*around_of)(struct ask *w);                            /* .. of what this makes for the question */
    /* Answers it of arrays that are made of w's first, by line_again of them; NULL: of w's own. */
    void (*through)(struct ask *w, const struct quantity *q, const struct ball **y);
    /* for a page of many quantities, which one, in the page's own words: of which input it is the gradient */
    int of;
    bool form; /* and in which of two forms: a decoder's, self-attention's */
};
struct row {
    const char *name, *title, *cite;
    /* where it rounds, by name; a shared part's list first: { mix_steps, "bias" } */
    const char *steps[3];
    const char *faults;                            /* its own words behind "fault=": step.h; NULL: none */
    const struct row *const *parts;                /* rows whose pages it calls; NULL: none */
    const struct param *declares;                  /* its parameters as it declares them; whoever asks: row_params */
    size_t size;                                   /* of the params struct */
    const struct preset *presets;                  /* conventions: paper, seed, code:owner/repo */
    const struct preset *contracts;                /* arithmetic: "freq=f32 phase=f32 ..." */
    long (*extent)(const void *params, char axis); /* 0: free.  NULL: all free */
    const char *(*refuse)(const void *params);     /* NULL, or why these parameters together are undefined */
    /* which optional inputs are read under these parameters: made-up cases hold them, supplied ones must.  NULL: none
     * must */
    bool (*needs)(const void *params, const char *input);
    struct quantity q[48]; /* ends with sign NULL */
    const char *sizes;                             /* free letters that must agree, for made-up cases: "c=6 f=8" */
    /* Arrays whose shapes its signatures allow and its page, or a part that it asks, has no value for: a width, inputs
     * that come together.  0, or -1 and why in one line.  It is asked of arrays without data, too, by trial_check and
     * trial_make; NULL: there are no such arrays. */
    int (*misfit)(const void *params, const struct mer_call *c, char *why, size_t n);
    /* letters that may be 0: no query, no key, no line. NULL: every array has elements */
    const char *empty;
};
extern const struct row *const all_rows[]; /* generated: build/rows.h; ends with NULL */
const struct row *row_named(const char *name);
/* The parameters of r in canonical order, ending with name NULL. */
static inline const struct param *row_params(const struct row *r) { return params_of(r->declares); }
const char *row_step(const struct row *r, int k, size_t *len); /* the k-th step's name, NULL behind the last */
/* the k-th real input's name, over all quantities, NULL behind the last: word "in.<name>" */
const char *row_input(const struct row *r, int k, size_t *len);
bool row_stores(const struct row *r, const char *name, size_t len); /* is that a real input of some quantity? */
/* "rope.route=iterated", said of a row that row rope is a part of: where r is rope, the word without its scope
 * ("route=iterated"); else NULL. */
const char *row_route(const struct row *r, const char *word);
/* 0 if every key of "key=value ..." is a parameter, a step ("exp"), a real input ("in.k"), the same of a part ("exp",
 * "attention.exp", "attention.in.k"), a switch (ftz, divide where the row or a part mixes values), a route of a part
 * ("rope.route") or the word exact; else -1 and the names known. */
int row_knows(const struct row *r, const char *text, char *err, size_t n);
/* The roundings that `text` declares for r; "attention.exp=" wins over "exp=", and later words over earlier.  A step
 * without a scope is that of r and of every part that has it; an input without a scope is r's own, or if r has none of
 * that name, that of every part that has it. How many words were roundings (of r or a part), or -1 and err. */
int arith_read(struct arith *a, const struct row *r, const char *text, enum how how, char *err, size_t n);
/* The same for r as a part of the row `asked` for which the words were said, other words left alone; NULL or what is
 * wrong. */
const char *arith_scope(struct arith *a, const struct row *asked, const struct row *r, const char *text, enum how how);

/* Would a page be answered that asks r in these words: does r know them, with values it allows, and not refuse them
 * together?  0, or -1 and one line. */
int row_takes(const struct row *r, const char *words, char *why, size_t n);

/* below: 0, or the letter or the digit that bounds integers; upto: of cumulative lengths, the letter they end
 * with */
struct axes { char name[32]; bool integer, optional; int rank, lead; char axis[MER_RANK], below, upto; };
struct sign { int n_in; struct axes in[32], out; };
void sign_read(struct sign *s, const char *text);
const struct quantity *row_quantity(const struct row *r, const char *out);

/* A page calling a page (and a law calling one): line at[] (as many indices as stand before the bar of its signature;
 * NULL: all 0) of `out` of this row under these parameters for these arrays, in w's arithmetic and pool; y[len]. */
struct page_of { const struct row *row; const char *out, *params; const struct mer_array *in; int n_in; };
void line_of(struct ask *w, struct page_of p, const long *at, long len, const struct ball **y);

/* q of arrays that its `through` made */
void line_again(struct ask *w, const struct quantity *q, const struct ball **y);

enum truth { NO, YES, UNDECIDED };
/* The page under w->arith, then the store to f where the arithmetic is not exact (integers: f = NULL, no store). */
void line_page(struct ask *w, const struct quantity *q, const struct format *f, const struct ball **y);
/* Line `at` of the quantity, Ziv-raised until every element is known to 2^-12 ulp of f (radius 0 is known) and every
 * rounding is decided.  After two raises the exact path joins in; at 4096 bits: UNDECIDED.  Adds to w->cost where that
 * is set. */
enum truth line_eval(struct ask *w, const struct quantity *q, const struct format *f, const struct ball **y);
/* The balls of a profile (w->arith: WIDEN), stored to f, at a precision where evaluating them adds at most 2^-10 to any
 * radius.  x: the line's real numbers, by line_eval.  Where those took no raise, each is known to 2^-12 of its last
 * place at f->p + 40 bits, so that f->p + 64 add 2^-36 of it, while the store alone takes half.  Elsewhere numbers
 * cancel: there the bits are doubled until no radius shrinks by more.  At 4096 bits: UNDECIDED.  integer: there is no
 * store. */
enum truth line_bounds(struct ask *w, const struct quantity *q, const struct format *f, bool integer,
    const struct ball *const *x, const struct ball **y);
double thread_ns(void); /* processor time of this thread, the clock of w->cost */
#endif
