/* A row is one encoding or attention variant, as a value.  It defines named quantities; each has one line of signature
 * and one page.  The signature is the shape comment, made machine-readable, with the inputs before the arrow and the
 * output behind it:
 *     "x[h,n,d] int pos[n] -> y[h,n|d]"
 * Behind a name '?' says that the input is optional, and before it 'int' that its elements are exact integers.  One
 * letter is one extent everywhere; g groups h.
 * "int cu_seqlens?[b]^n" is an input of cumulative lengths: they begin with 0, never fall and end with the extent of n;
 * a quantity's come together or not at all.  "int pos[n]<r" says that every element lies in [0, extent of r); whoever
 * supplies the array is held to it, and made-up ones are drawn there.  "int keep[n,m]<2" holds 0 and 1 alone, and in
 * "int index[n,c]<t~" -1 stands for no number.
 * The bar splits the output into leading indices, each of which is one question, and the line that a page answers at
 * once.  Whoever judges binds the letters: from the arrays that are there, then from row.extent(), then from free
 * sizes. */
#ifndef ROW_H
#define ROW_H
#include <time.h>
#include "arith/code.h"
#include "ball/ball.h"
#include "ball/input.h"
#include "row/around.h"
#include "row/mixing.h"
#include "row/param.h"

struct preset { const char *name, *text, *cite; };
/* A named output: its signature, and one of six ways to answer it.  These are a page of its own, what a softmax mixing
 * is asked (mix.h), a gradient of a mixing (mix_grad.h), a term of a mixing's scores, an integer of a query and a key,
 * and the layer around the row's attention (layer/project.h). */
struct quantity {
    const char *sign;
    void (*page)(struct ask *w, const struct ball **y); /* It fills y[0 .. w->len). */
    /* A mixing that `mix` makes is asked by mix_output, mix_lse or mix_weights. */
    void (*ask)(struct ask *w, const struct mix *m, const struct ball **y);
    struct mix (*mix)(const struct ask *w);
    /* A gradient that `back` describes, of the pairs and factors in met, is asked by mix_query_grad, mix_key_grad,
     * mix_pair_grad, mix_value_grad or mix_score_grad. */
    void (*grad)(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
    struct mix_grad (*back)(const struct ask *w);
    struct mix_met met;
    const struct ball *(*term)(struct ask *w, long h, long i, long j); /* y[j] of head h = at[0], query i = at[1] */
    long (*index)(const struct ask *w, long i, long j); /* y[0] of query i = at[0], key j = at[1] */
    /* A layer is asked by around_weights, around_heads or around_output.  It is *around, or, where that is NULL, what
     * around_of makes for the question. */
    void (*layer)(struct ask *w, struct around a, const struct ball **y);
    const struct around *around;
    struct around (*around_of)(struct ask *w);
    /* This answers the quantity of arrays that it makes of w's first, by line_again; NULL: w's own are meant. */
    void (*through)(struct ask *w, const struct quantity *q, const struct ball **y);
    /* For a page of many quantities, this says which one, in the page's own words: the gradient of which input. */
    int of;
    bool form; /* It says which of two forms the page has, such as a decoder's or self-attention's. */
};
struct row {
    const char *name, *title, *cite;
    /* The names of the steps at which it rounds; a shared part's list comes first: { mix_steps, "bias" }. */
    const char *steps[3];
    const char *faults;             /* The row's own words behind "fault=" (step.h); NULL: it has none. */
    const struct row *const *parts; /* The rows whose pages it calls, ending with NULL; NULL: it calls none. */
    const struct param *declares;   /* Its parameters as it declares them; whoever asks for them calls row_params. */
    size_t size;                    /* The bytes of its params struct. */
    const struct preset *presets;   /* Its conventions: paper, seed, code:owner/repo. */
    const struct preset *contracts; /* Its arithmetics, such as "freq=f32 phase=f32 ...". */
    /* The extent that the parameters give an axis; 0: it is free.  NULL: all are free. */
    long (*extent)(const void *params, char axis);
    const char *(*refuse)(const void *params); /* It answers NULL, or why these parameters together are undefined. */
    /* Is this optional input read under these parameters?  Then made-up cases hold it, and supplied ones must.  NULL:
     * no optional input has to be there. */
    bool (*needs)(const void *params, const char *input);
    /* The largest number that a real input may hold under these parameters, such as 0 for the logarithm of a decay;
     * INFINITY: any.  Whoever supplies the array is held to it, and made-up ones stay there.  NULL: any, in all. */
    double (*most)(const void *params, const char *input);
    /* The only numbers that a real input may hold under these parameters, those of a code of few bits; NULL: any.  They
     * come in whatever type the input has; made-up ones are brought there.  NULL: any, in all inputs. */
    const struct code *(*code)(const void *params, const char *input);
    struct quantity q[48]; /* The list ends with sign NULL. */
    const char *sizes;     /* Extents of free letters that have to agree, for made-up cases: "c=6 f=8". */
    /* Is there no value for these arrays, although the signatures allow their shapes, in the page or in a part that it
     * asks (a width, inputs that come together)?  It answers 0, or -1 and why in one line.  It is asked of arrays
     * without data, too, by trial_check and trial_make; NULL: there are no such arrays. */
    int (*misfit)(const void *params, const struct mer_call *c, char *why, size_t n);
    /* The letters that may be 0: no query, no key, no line.  NULL: every array has elements. */
    const char *empty;
};
/* All rows, as the generated build/rows.h lists them; ends with NULL. */
extern const struct row *const all_rows[];
/* The row of this name, or NULL. */
const struct row *row_named(const char *name);
/* The parameters of r in canonical order, ending with name NULL. */
static inline const struct param *row_params(const struct row *r) { return params_of(r->declares); }
/* The name of the k-th step from 0, of *len bytes; NULL behind the last. */
const char *row_step(const struct row *r, int k, size_t *len);
int row_presets(const struct row *r); /* how many there are */
/* The name of the k-th real input over all quantities, of *len bytes, which the word "in.<name>" means; NULL behind the
 * last. */
const char *row_input(const struct row *r, int k, size_t *len);
/* Is that the name of a real input of some quantity? */
bool row_stores(const struct row *r, const char *name, size_t len);
/* For a word such as "rope.route=iterated", said of a row that row rope is a part of: where r is rope, the word without
 * its scope ("route=iterated"); else NULL. */
const char *row_route(const struct row *r, const char *word);
/* 0 if every key of "key=value ..." is a parameter, a step ("exp"), a real input ("in.k"), the same of a part ("exp",
 * "attention.exp", "attention.in.k"), a switch (ftz, an order of work that the row or a part has), a route of a part
 * ("rope.route") or the word exact; else -1 and the names known. */
int row_knows(const struct row *r, const char *text, char *err, size_t n);
/* The k-th order of work that r has, "divide" or "dscale", which a profile says to be last or first; NULL behind the
 * last. */
const char *row_order(const struct row *r, int k);
/* The roundings that `text` declares for r; "attention.exp=" wins over "exp=", and later words over earlier.  A step
 * without a scope is that of r and of every part that has it; an input without a scope is r's own, or if r has none of
 * that name, that of every part that has it.  The answer is how many words were roundings (of r or a part), or -1 with
 * one line in err[n]. */
int arith_read(struct arith *a, const struct row *r, const char *text, enum how how, char *err, size_t n);
/* The same for r as a part of the row `asked` for which the words were said; other words are left alone.  The answer is
 * NULL, or what is wrong. */
const char *arith_scope(struct arith *a, const struct row *asked, const struct row *r, const char *text, enum how how);

/* The words of the contract of r that has this name; NULL: it has none, and err[n] says in one line which it has. */
const char *row_contract(const struct row *r, const char *name, char *err, size_t n);

/* Would a page be answered that asks r in these words: does r know them, with values it allows, and not refuse them
 * together?  0, or -1 and one line. */
int row_takes(const struct row *r, const char *words, char *why, size_t n);

/* An array of a signature: lead is how many axes stand before the bar, all of them where there is none; below is 0, or
 * the letter or the digit that bounds its integers; none: they may be -1; upto is 0, or the letter that its cumulative
 * lengths end with. */
struct axes { char name[32]; bool integer, optional, none; int rank, lead; char axis[MER_RANK], below, upto; };
struct sign { int n_in; struct axes in[32], out; };
/* Reads a signature, which has to be well formed. */
void sign_read(struct sign *s, const char *text);
/* The quantity of r whose output has this name, or NULL. */
const struct quantity *row_quantity(const struct row *r, const char *out);

/* A page calling a page (and a law calling one): line at[] (as many indices as stand before the bar of its signature;
 * NULL: all 0) of `out` of this row under these parameters for these arrays, in w's arithmetic and pool; y[len]. */
struct page_of { const struct row *row; const char *out, *params; const struct mer_array *in; int n_in; };
void line_of(struct ask *w, struct page_of p, const long *at, long len, const struct ball **y);

/* Answers q of the arrays in w->call as they are, which its `through` may have made. */
void line_again(struct ask *w, const struct quantity *q, const struct ball **y);

enum truth { NO, YES, UNDECIDED };
/* The page under w->arith, and then the store to f where the arithmetic is not exact; for integers f is NULL, and there
 * is no store. */
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
/* What a clock of the system shows in nanoseconds, and the processor time of this thread, which is the clock of
 * w->cost. */
double clock_ns(clockid_t clock);
double thread_ns(void);
#include "edit/site.h"
#endif
