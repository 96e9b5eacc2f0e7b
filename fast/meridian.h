/* The common language of all rooms and of every plug-in: arrays, calls, kernels.  Types, readers and the one way to
 * ask; no state. An own kernel, a dlopen plug-in, a process and a folder of arrays are all asked with `struct
 * mer_call`. SPDX-License-Identifier: MIT */
#ifndef MERIDIAN_H
#define MERIDIAN_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MER_ABI = 1, MER_RANK = 6 };
enum mer_type { MER_F64, MER_F32, MER_F16, MER_BF16, MER_I64, MER_I32, MER_U8, MER_TYPES };
enum { MER_OK = 0, MER_SKIP = 1, MER_BAD = 2 }; /* answers of run: done, not offered for these arguments, failed */

struct mer_array { /* inputs never change, outputs never alias inputs unless said */
    const char *name;
    int32_t type, rank;
    int64_t dim[MER_RANK];
    void *data;
    /* elements from one index of an axis to the next, 0 or more; all 0: dense, row major, as every kernel that does not
     * say `strided` is given it */
    int64_t stride[MER_RANK];
};

struct mer_call {
    const char *row;    /* "rope" */
    const char *params; /* "dim=128 base=10000 layout=half": every parameter of the row, canonical order */
    int32_t n_in, n_out;
    struct mer_array *in, *out; /* by name; the outputs present are the outputs wanted */
    void *state;                /* what prepare made of the parameters; NULL before */
};

struct mer_kernel {          /* one thing a subject can compute */
    const char *row, *out;   /* "attention", "o lse" */
    const char *type;        /* element type of its real arrays: "f32" */
    const char *profile;     /* declared arithmetic, "phase=f64 product=f32": see ref/core/ball/step.h */
    double gauge;            /* claimed worst |y - x| / (2^-p G) over the domain; 0 claims nothing */
    int (*run)(const struct mer_call *c);     /* may be called many times; inputs never change */
    /* optional: reads c->params and shapes once, sets c->state; MER_SKIP: not offered */
    int (*prepare)(struct mer_call *c);
    void (*release)(void *state);             /* optional: frees what prepare made */
    int correct;             /* 1: every element is claimed to be the correctly rounded one */
    /* 1: reads inputs and writes outputs at any strides, and no byte between; 0: is given dense copies (mer_ask) */
    int strided;
};

struct mer_plugin {                  /* `const struct mer_plugin *meridian_plugin(void)` is the one exported symbol */
    int32_t abi;
    const char *name;
    const struct mer_kernel *kernel; /* ends with row == NULL */
};

static inline int mer_dense(const struct mer_array *a)
{
    int dense = 1;
    for (int k = 0; k < a->rank; k++)
        dense &= !a->stride[k];
    return dense;
}
static inline int64_t mer_count(const struct mer_array *a) /* elements */
{
    int64_t n = 1;
    for (int k = 0; k < a->rank; k++)
        n *= a->dim[k];
    return n;
}
/* where in data the i-th element of a row-major reading lies */
static inline int64_t mer_at(const struct mer_array *a, int64_t i)
{
    int64_t at = 0;
    if (mer_dense(a))
        return i;
    for (int k = a->rank - 1; k >= 0; i /= a->dim[k], k--)
        at += i % a->dim[k] * a->stride[k];
    return at;
}
/* elements from the first to behind the last that data must hold */
static inline int64_t mer_span(const struct mer_array *a)
{
    int64_t n = mer_count(a), span = 1;
    for (int k = 0; k < a->rank; k++)
        span += (a->dim[k] - 1) * a->stride[k];
    return n == 0 || mer_dense(a) ? n : span;
}
/* of one element, by enum mer_type */
static inline size_t mer_width(int32_t type)
{
    static const uint8_t bytes[] = { 8, 4, 2, 2, 8, 4, 1 };
    return bytes[type];
}
/* of one type and shape, apart from each other */
static inline void mer_move(struct mer_array *to, const struct mer_array *from)
{
    const size_t w = mer_width(from->type);
    for (int64_t i = 0, n = mer_count(from); i < n; i++)
        memcpy((char *)to->data + (size_t)mer_at(to, i) * w, (const char *)from->data + (size_t)mer_at(from, i) * w, w);
}

static inline int mer_ask_as_it_is(const struct mer_kernel *k, struct mer_call *c) /* prepare, run, release */
{
    c->state = NULL;
    int rc = k->prepare ? k->prepare(c) : MER_OK;
    rc = rc == MER_OK ? k->run(c) : rc;
    if (k->release && c->state)
        k->release(c->state);
    c->state = NULL;
    return rc;
}
/* One question.  A kernel that takes no strides is given dense copies of what has them; an output that it does not
 * write stays as it was. */
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

static inline const char *mer_text(const struct mer_call *c, const char *key)
{
    size_t n = strlen(key);
    for (const char *s = c->params; s; s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL)
        if (!strncmp(s, key, n) && s[n] == '=')
            return s + n + 1;
    return "";
}

static inline int64_t mer_int(const struct mer_call *c, const char *key) { return strtoll(mer_text(c, key), NULL, 10); }

static inline double mer_real(const struct mer_call *c, const char *key) /* "10000", "0.25", "1/3" */
{
    char *end;
    double x = strtod(mer_text(c, key), &end);
    return *end == '/' ? x / strtod(end + 1, NULL) : x;
}

static inline int mer_is(const struct mer_call *c, const char *key, const char *value)
{
    const char *s = mer_text(c, key);
    size_t n = strlen(value);
    return !strncmp(s, value, n) && (s[n] == ' ' || s[n] == 0);
}

static inline struct mer_array *mer_find(struct mer_array *a, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(a[i].name, name))
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
