/* The common language of all rooms and of every plug-in: arrays, calls, kernels.  Types and readers only, no state.
 * An own kernel, a dlopen plug-in, a process and a folder of arrays are all asked with `struct mer_call`.
 * SPDX-License-Identifier: MIT */
#ifndef MERIDIAN_H
#define MERIDIAN_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MER_ABI = 1, MER_RANK = 6 };
enum mer_type { MER_F64, MER_F32, MER_F16, MER_BF16, MER_I64, MER_I32, MER_U8, MER_TYPES };
enum { MER_OK = 0, MER_SKIP = 1, MER_BAD = 2 }; /* answers of run: done, not offered for these arguments, failed */

struct mer_array { /* dense, row major; inputs never change, outputs never alias inputs unless said */
    const char *name;
    int32_t type, rank;
    int64_t dim[MER_RANK];
    void *data;
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
    const char *profile;     /* declared arithmetic, "phase=f64 product=f32": see ref/core/step.h */
    double gauge;            /* claimed worst |y - x| / (2^-p G) over the domain; 0 claims nothing */
    int (*run)(const struct mer_call *c);     /* may be called many times; inputs never change */
    int (*prepare)(struct mer_call *c);       /* optional: reads c->params and shapes once, sets c->state; MER_SKIP: not offered */
    void (*release)(void *state);             /* optional: frees what prepare made */
    int correct;             /* 1: every element is claimed to be the correctly rounded one */
};

struct mer_plugin {                  /* `const struct mer_plugin *meridian_plugin(void)` is the one exported symbol */
    int32_t abi;
    const char *name;
    const struct mer_kernel *kernel; /* ends with row == NULL */
};

static inline int mer_ask(const struct mer_kernel *k, struct mer_call *c) /* prepare, run, release: one question */
{
    c->state = NULL;
    int rc = k->prepare ? k->prepare(c) : MER_OK;
    rc = rc == MER_OK ? k->run(c) : rc;
    if (k->release && c->state)
        k->release(c->state);
    c->state = NULL;
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
static inline const struct mer_array *mer_in(const struct mer_call *c, const char *name) { return mer_find(c->in, c->n_in, name); }
static inline struct mer_array *mer_out(const struct mer_call *c, const char *name) { return mer_find(c->out, c->n_out, name); }
#endif
