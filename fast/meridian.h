/* The common language of all rooms and of every plug-in: arrays, calls and kernels, the readers of a call, and the one
 * way to ask.  Nothing here has state.  A kernel of this project, a plug-in that is loaded, a process and a folder of
 * recorded arrays are all asked with a `struct mer_call`.
 * SPDX-License-Identifier: MIT */
#ifndef MERIDIAN_H
#define MERIDIAN_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MER_ABI = 1, MER_RANK = 6 };
enum mer_type { MER_F64, MER_F32, MER_F16, MER_BF16, MER_I64, MER_I32, MER_U8, MER_TYPES };
/* What prepare and run answer: done; not offered for these arguments; failed, and outputs may hold anything. */
enum { MER_OK = 0, MER_SKIP = 1, MER_BAD = 2 };

/* An array of a call.  A kernel never changes an input, and an output aliases no input unless a row says so. */
struct mer_array {
    const char *name;      /* "q": the name that the signature of the quantity has for it */
    int32_t type, rank;    /* enum mer_type; how many of dim count, at most MER_RANK */
    int64_t dim[MER_RANK]; /* extents, the slowest axis first; 0 or more */
    void *data;            /* owned by who asks */
    /* How many elements lie from one index of an axis to the next, 0 or more.  All 0: dense and row major, which is
     * what a kernel that does not say `strided` is always given. */
    int64_t stride[MER_RANK];
};

struct mer_call {
    const char *row;    /* "rope" */
    /* "dim=128 base=10000 layout=half": every parameter of the row, in canonical order.  A kernel that leaves one
     * unread declines, with MER_SKIP, values of it that it does not mean. */
    const char *params;
    int32_t n_in, n_out;
    struct mer_array *in, *out; /* found by name; an output that is here is wanted, one that is not here is not */
    void *state;                /* what prepare made of the parameters; NULL before it and without it */
};

struct mer_kernel {          /* one thing that a subject can compute */
    const char *row, *out;   /* "attention", "o lse" */
    const char *type;        /* element type of its real arrays: "f32" */
    const char *profile;     /* the declared arithmetic, "phase=f64 product=f32": ref/core/arith/step.h */
    /* The claimed worst |y - x| / (2^-p G) over the domain: y is the answer in a type of p bits, x the exact value, G
     * the same formula on absolute values.  0 claims nothing. */
    double gauge;
    int (*run)(const struct mer_call *c);     /* fills the outputs; may be called many times after one prepare */
    /* Optional: reads c->params and the shapes once and sets c->state. */
    int (*prepare)(struct mer_call *c);
    void (*release)(void *state);             /* optional: frees a state that was set, also where prepare then failed */
    int correct;             /* 1: every element is claimed to be the correctly rounded one */
    /* 1: takes arrays of any strides and writes no byte between their elements; 0: mer_ask gives it dense copies. */
    int strided;
};

struct mer_plugin {                  /* `const struct mer_plugin *meridian_plugin(void)` is the one exported symbol */
    int32_t abi;
    const char *name;
    const struct mer_kernel *kernel; /* the last one has row NULL */
};

/* Whether an array says no strides. */
static inline int mer_dense(const struct mer_array *a)
{
    int dense = 1;
    for (int k = 0; k < a->rank; k++)
        dense &= !a->stride[k];
    return dense;
}
static inline int64_t mer_count(const struct mer_array *a) /* how many elements; 1 of rank 0 */
{
    int64_t n = 1;
    for (int k = 0; k < a->rank; k++)
        n *= a->dim[k];
    return n;
}
/* Where in data, in elements, the i-th element of a row-major reading lies. */
static inline int64_t mer_at(const struct mer_array *a, int64_t i)
{
    int64_t at = 0;
    if (mer_dense(a))
        return i;
    for (int k = a->rank - 1; k >= 0; i /= a->dim[k], k--)
        at += i % a->dim[k] * a->stride[k];
    return at;
}
/* How many elements data must hold, from its first to its last. */
static inline int64_t mer_span(const struct mer_array *a)
{
    int64_t n = mer_count(a), span = 1;
    for (int k = 0; k < a->rank; k++)
        span += (a->dim[k] - 1) * a->stride[k];
    return n == 0 || mer_dense(a) ? n : span;
}
/* Bytes of one element of an enum mer_type. */
static inline size_t mer_width(int32_t type)
{
    static const uint8_t bytes[] = { 8, 4, 2, 2, 8, 4, 1 };
    return bytes[type];
}
/* Copies an array to another of the same type and shape, whatever the strides of both are; they must not overlap. */
static inline void mer_move(struct mer_array *to, const struct mer_array *from)
{
    const size_t w = mer_width(from->type);
    for (int64_t i = 0, n = mer_count(from); i < n; i++)
        memcpy((char *)to->data + (size_t)mer_at(to, i) * w, (const char *)from->data + (size_t)mer_at(from, i) * w, w);
}

/* One question without copies: prepare, run, release.  The answer is that of the first that is not MER_OK. */
static inline int mer_ask_as_it_is(const struct mer_kernel *k, struct mer_call *c)
{
    c->state = NULL;
    int rc = k->prepare ? k->prepare(c) : MER_OK;
    rc = rc == MER_OK ? k->run(c) : rc;
    if (k->release && c->state)
        k->release(c->state);
    c->state = NULL;
    return rc;
}
/* One question.  A kernel that takes no strides is given dense copies of the arrays that have them, and its outputs are
 * copied back; an output that it does not write stays as it was.  MER_BAD also where there is no memory for a copy. */
static inline int mer_ask(const struct mer_kernel *k, struct mer_call *c)
{
    int n = c->n_in + c->n_out, strided = 0, rc = MER_OK;
    for (int x = 0; x < n; x++)
        strided |= !mer_dense(x < c->n_in ? &c->in[x] : &c->out[x - c->n_in]);
    if (k->strided || !strided)
        return mer_ask_as_it_is(k, c);
    struct mer_call dense = *c;
    struct mer_array *a = (struct mer_array *)calloc((size_t)n, sizeof *a);
    if (!a)
        return MER_BAD;
    for (int x = 0; x < n; x++) {
        const struct mer_array *own = x < c->n_in ? &c->in[x] : &c->out[x - c->n_in];
        a[x] = *own;
        if (mer_dense(own))
            continue;
        memset(a[x].stride, 0, sizeof a[x].stride);
        a[x].data = malloc((size_t)mer_count(own) * mer_width(own->type) + 1);
        if (a[x].data)
            mer_move(&a[x], own);
        else
            rc = MER_BAD;
    }
    dense.in = a, dense.out = a + c->n_in;
    rc = rc == MER_OK ? mer_ask_as_it_is(k, &dense) : rc;
    for (int x = 0; x < n; x++) {
        struct mer_array *own = x < c->n_in ? &c->in[x] : &c->out[x - c->n_in];
        if (!mer_dense(own)) {
            if (x >= c->n_in && rc == MER_OK)
                mer_move(own, &a[x]);
            free(a[x].data);
        }
    }
    free(a);
    return rc;
}

/* The text behind "key=" in the parameters, up to a blank or the end of all parameters; "" where there is no such key.
 * */
static inline const char *mer_text(const struct mer_call *c, const char *key)
{
    size_t n = strlen(key);
    for (const char *s = c->params; s; s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL)
        if (!strncmp(s, key, n) && s[n] == '=')
            return s + n + 1;
    return "";
}

/* A parameter as a number; 0 where there is none. */
static inline int64_t mer_int(const struct mer_call *c, const char *key) { return strtoll(mer_text(c, key), NULL, 10); }

static inline double mer_real(const struct mer_call *c, const char *key) /* "10000", "0.25", "1/3" */
{
    char *end;
    double x = strtod(mer_text(c, key), &end);
    return *end == '/' ? x / strtod(end + 1, NULL) : x;
}

/* Whether a parameter is this word. */
static inline int mer_is(const struct mer_call *c, const char *key, const char *value)
{
    const char *s = mer_text(c, key);
    size_t n = strlen(value);
    return !strncmp(s, value, n) && (s[n] == ' ' || s[n] == 0);
}

/* The array of this name, NULL where there is none: of n arrays, of the inputs, of the outputs. */
static inline struct mer_array *mer_find(struct mer_array *a, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (*a[i].name == *name && !strcmp(a[i].name, name))
            return &a[i];
    return NULL;
}
static inline const struct mer_array *mer_in(const struct mer_call *c, const char *name)
{
    return mer_find(c->in, c->n_in, name);
}
static inline struct mer_array *mer_out(const struct mer_call *c, const char *name)
{
    return mer_find(c->out, c->n_out, name);
}
/* 1 where the call brings no other input than those named, "q k v bias" with blanks between.  A kernel that leaves an
 * optional input unread answers another question: it declines such a call with MER_SKIP. */
static inline int mer_only(const struct mer_call *c, const char *names)
{
    for (int i = 0; i < c->n_in; i++) {
        const size_t n = strlen(c->in[i].name);
        const char *s = names;
        while (*s && (strcspn(s, " ") != n || strncmp(s, c->in[i].name, n)))
            s += strcspn(s, " "), s += strspn(s, " ");
        if (!*s)
            return 0;
    }
    return 1;
}
#endif
