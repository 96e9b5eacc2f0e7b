/* Attention of q, k, v [8][L][d] against the usual three steps on one thread: S = Q K^T by OpenBLAS (sgemm), softmax
 * by the compiler's vectors with the project's own exponential, O = P V by sgemm, rows in blocks; under a causal
 * mask a block takes keys only up to its last query's.  Also few new queries over many keys against the machine's limit
 * of reading. */
#include <dlfcn.h>
#include <math.h>
#include "bench/core/bench.h"
#include "attention/flash.h"

enum { NO_TRANS = 111, TRANS = 112, ROW_MAJOR = 101, HEADS = 8 };
typedef void sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
    int ldb, float beta, float *c, int ldc);
typedef float exps(float *y, const float *x, int64_t n, float by); /* y = exp(x - by), [n]; returns their sum */
struct attention_peer {
    sgemm *product;
    exps *exp;
    const float *q, *k, *v;
    float *o, *s, total[512]; /* output; scores of a block, [rows][keys]; sums of its rows */
    int n, d, rows;           /* queries and keys; width; rows of a block, at most 512 */
    bool causal;
};

static sgemm *openblas(void)
{
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void (*threads)(int) = NULL;
    sgemm *f = NULL;
    if (lib) {
        *(void **)&f = dlsym(lib, "cblas_sgemm");
        *(void **)&threads = dlsym(lib, "openblas_set_num_threads");
    }
    if (threads)
        threads(1);
    return threads ? f : NULL;
}
static exps *own_exp(void)
{
    exps *f = NULL;
    for (const struct slot *s = slots; s->name; s++)
        f = !s->here()                 ? f :
            !strcmp(s->name, "avx512") ? flash_exp_avx512 :
            !strcmp(s->name, "avx2")   ? flash_exp_avx2 :
                                         f;
    return f;
}

typedef float lanes __attribute__((vector_size(64), aligned(4), may_alias));
typedef int ints __attribute__((vector_size(64)));
static inline __attribute__((always_inline)) float largest(const float *s, int n)
{
    int j = 0;
    float top = s[0];
    lanes most = s[0] - (lanes){ 0 }; /* s[0] in every lane */
    for (; j + 16 <= n; j += 16) {
        lanes x = *(const lanes *)(const void *)(s + j);
        ints more = x > most;
        most = (lanes)((more & (ints)x) | (~more & (ints)most));
    }
    for (int l = 0; l < 16; l++)
        top = most[l] > top ? most[l] : top;
    for (; j < n; j++)
        top = s[j] > top ? s[j] : top;
    return top;
}
static inline __attribute__((always_inline)) void multiply(float *s, int n, float by)
{
    int j = 0;
    for (; j + 16 <= n; j += 16)
        *(lanes *)(void *)(s + j) *= by;
    for (; j < n; j++)
        s[j] *= by;
}

static inline __attribute__((always_inline)) void steps(struct attention_peer *p)
{
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < p->n; i += p->rows) {
            long head = (long)h * p->n * p->d;
            int rows = p->n - i < p->rows ? p->n - i : p->rows, keys = p->causal ? i + rows : p->n;
            float *o = p->o + head + (long)i * p->d;
            p->product(ROW_MAJOR, NO_TRANS, TRANS, rows, keys, p->d, (float)(1 / sqrt((double)p->d)),
                p->q + head + (long)i * p->d, p->d, p->k + head, p->d, 0, p->s, keys);
            for (int r = 0; r < rows; r++) { /* the sum divides the output, which is shorter than a row of weights */
                float *s = p->s + (long)r * keys;
                int seen = p->causal ? i + r + 1 : keys;
                p->total[r] = p->exp(s, s, seen, largest(s, seen));
                memset(s + seen, 0, (size_t)(keys - seen) * sizeof *s);
            }
            p->product(ROW_MAJOR, NO_TRANS, NO_TRANS, rows, p->d, keys, 1, p->s, keys, p->v + head, p->d, 0, o, p->d);
            for (int r = 0; r < rows; r++)
                multiply(o + (long)r * p->d, p->d, 1 / p->total[r]);
        }
}

#if defined __x86_64__ /* the same body, compiled for each width */
__attribute__((target("avx512f"))) static void steps_512(struct attention_peer *p) { steps(p); }
__attribute__((target("avx2"))) static void steps_256(struct attention_peer *p) { steps(p); }
#endif
static void three_steps(void *with)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        steps_512(with);
    else if (__builtin_cpu_supports("avx2"))
        steps_256(with);
    else
#endif
        steps(with);
}

struct attention_own {
    const struct mer_kernel *kernel;
    struct mer_call call;
    struct mer_attention shape;
    void *scratch;
};
static void by_kernel(void *with)
{
    struct attention_own *w = with;
    w->kernel->run(&w->call);
}
static void installed(void *with) /* the installed function, which takes a bias for each distance */
{
    struct attention_own *w = with;
    mer_attention_f32(w->call.out[0].data, w->call.out[1].data, w->call.in[0].data, w->call.in[1].data,
        w->call.in[2].data, &w->shape, w->scratch);
}

/* Makes the case and prepares the best slot's kernel for it.  false: err says why; close_call is due either way. */
static bool open_call(struct trial *t, struct attention_own *w, const char *type, bool causal, const char *sizes,
    const char **slot, char *err, size_t n)
{
    if (trial_make(t, &(struct trial_spec){ "attention", causal ? "causal=bottomright" : "", "o lse", type_named(type),
        sizes, 1 }, err, n))
        return false;
    w->kernel = bench_kernel("attention", "o lse", type, &t->call, slot);
    w->call = t->call;
    return w->kernel && w->kernel->prepare(&w->call) == MER_OK;
}
static void close_call(struct trial *t, struct attention_own *w)
{
    if (w->kernel && w->call.state)
        w->kernel->release(w->call.state);
    free(w->scratch), trial_close(t);
}
/* A copy of the first three columns of x (owned by the caller), for the check: columns of v and o are independent,
 * and in a line of the reference each costs as many products as there are keys. */
static struct mer_array narrowed(const struct mer_array *x)
{
    enum { COLUMNS = 3 };
    struct mer_array y = *x;
    size_t size = type_size(x->type), from = (size_t)x->dim[2] * size, to = COLUMNS * size,
           rows = (size_t)(x->dim[0] * x->dim[1]);
    y.dim[2] = COLUMNS, y.data = need(rows, to);
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)y.data + r * to, (const char *)x->data + r * from, to);
    return y;
}
static bool checked(struct bench *b, struct trial *t, const char *name, const char *profile, const char *slot)
{
    struct mer_array v = t->in[2], o = t->out[0];
    t->in[2] = narrowed(&v), t->out[0] = narrowed(&o);
    bool good = bench_check(b, t, name, profile, 0, false);
    free(t->in[2].data), free(t->out[0].data);
    t->in[2] = v, t->out[0] = o;
    size_t used = strlen(b->check);
    snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
    return good;
}

/* float32 against the peer, float32 with a bias for each distance and bfloat16 against float32: one run of turns for
 * all of them. */
static void shapes(struct bench *b, sgemm *product, int n, int d, bool causal)
{
    char name[64], sizes[64], err[400] = "no kernel", what[3][80];
    const char *slot = "", *slot16 = "";
    struct trial t, t16;
    struct attention_own own = { 0 }, biased = { 0 }, own16 = { 0 };
    double elements = (double)HEADS * n * d, bytes = 16 * elements;
    snprintf(name, sizeof name, "attention %d/%d %s", n, d, causal ? "causal" : "full");
    if (!bench_wants(b, name))
        return;
    snprintf(sizes, sizeof sizes, "h=8 g=8 n=%d m=%d d=%d e=%d", n, n, d, d);
    bool here = open_call(&t, &own, "f32", causal, sizes, &slot, err, sizeof err);
    bool here16 = open_call(&t16, &own16, "bf16", causal, sizes, &slot16, err, sizeof err);
    if (!here || !here16)
        bench_absent(b, name, err);
    else {
        struct attention_peer p = { product, own_exp(), t.in[0].data, t.in[1].data, t.in[2].data,
            need((size_t)elements, 4),
            need((size_t)n * 512, 4), { 0 }, n, d, causal ? n / 16 : 512, causal };
        biased = own;
        biased.shape = (struct mer_attention){ HEADS, HEADS, n, n, d, d, .causal = causal ? MER_BOTTOM_RIGHT : MER_ALL,
            .bias1 = need((size_t)(HEADS * (2 * n - 1)), 4) };
        biased.scratch = need(mer_attention_scratch(&biased.shape), 1);
        float *unbiased = need((size_t)elements, 4);
        int first = p.product && p.exp ? 0 : 1;
        struct runner r[] = { { "OpenBLAS 3-step", three_steps, &p }, { "own f32", by_kernel, &own },
            { "own f32 biased", installed, &biased }, { "own bf16", by_kernel, &own16 } };
        bench_turns(r + first, 4 - first, b->turns);
        snprintf(what[0], sizeof *what, "%s f32", name), snprintf(what[1], sizeof *what, "%s bias[j-i]", name),
            snprintf(what[2], sizeof *what, "%s bf16", name);
        double gflop = 4e-9 * elements * n * (causal ? (n + 1) / (2.0 * n) : 1);
        installed(&biased);
        memcpy(unbiased, t.out[0].data, (size_t)elements * 4);
        own.kernel->run(&own.call);
        bool same = !memcmp(unbiased, t.out[0].data, (size_t)elements * 4); /* a bias of 0 must not change a bit */
        if (checked(b, &t, what[0], own.kernel->profile, slot)) {
            if (first)
                bench_absent(b, what[0], "no libopenblas.so.0");
            else
                bench_item(b, &(struct item){ what[0], &r[1], &r[0], elements, bytes, 1.0, false });
            if (same)
                bench_item(b, &(struct item){ what[1], &r[2], &r[1], elements, bytes, 1.10, false });
            else
                bench_absent(b, what[1], "a bias of 0 changes bits"), b->failed++;
            bench_figure(b, what[0], gflop / bench_median(&r[1], b->turns), "GFLOP/s");
        }
        if (checked(b, &t16, what[2], own16.kernel->profile, slot16)) {
            bench_item(b, &(struct item){ what[2], &r[3], &r[1], elements, bytes / 2, 0.75, false });
            bench_figure(b, what[2], gflop / bench_median(&r[3], b->turns), "GFLOP/s");
        }
        if (!first && n < 4096) { /* check that the peer computes the same thing */
            memcpy(t.out[0].data, p.o, (size_t)elements * 4);
            /* score: alpha is 1/sqrt(d) rounded to float, then a product; div: an inverse, then a product.  Each is
             * two half-ulps. */
            if (!checked(b, &t, "OpenBLAS 3-step",
                    "dot=f32 product=f32 score=f32:2.01 shift=f32 exp=f32:2.5 sum=f32 total=f32 div=f32:2.01 log=f32:2",
                    "peer"))
                b->absent++;
        }
        free(p.o), free(p.s), free(unbiased), free((void *)(uintptr_t)biased.shape.bias1);
    }
    close_call(&t, &own), close_call(&t16, &own16), free(biased.scratch);
}

/* Few new queries: every key and value is read once for all query heads that share it.  The limit reads the same bytes,
 * from the first whole cache line on. */
struct twice { struct bench_stretch k, v; };
static struct bench_stretch lines_of(struct bench_stretch s)
{
    size_t skip = (size_t)(-(uintptr_t)s.p & 63);
    return (struct bench_stretch){ (char *)s.p + skip, (s.bytes - skip) / 64 * 64 };
}
static void read_both(void *with)
{
    const struct twice *t = with;
    struct bench_stretch k = lines_of(t->k), v = lines_of(t->v);
    limit_read(&k), limit_read(&v);
}
/* Query heads, of which 8 key heads have equally many; new queries; keys; the least share of the limit, 0 where
 * arithmetic sets the pace. */
static const struct decoding { int h, n, keys; double goal; } decodings[] = { { 8, 1, 32768, 0.85 },
    { 32, 1, 32768, 0.85 }, { 32, 4, 32768, 0 }, { 32, 1, 4096, 0.85 }, { 32, 4, 4096, 0 } };
static void decoded(struct bench *b, const char *type, const struct decoding *x)
{
    char name[64], sizes[64], err[400] = "no kernel";
    const char *slot = "";
    struct trial t;
    struct attention_own own = { 0 };
    snprintf(name, sizeof name, "decode %d, %d/8 heads, %d %s", x->n, x->h, x->keys, type);
    if (!bench_wants(b, name))
        return;
    snprintf(sizes, sizeof sizes, "h=%d g=8 n=%d m=%d d=128 e=128", x->h, x->n, x->keys);
    if (open_call(&t, &own, type, x->n > 1, sizes, &slot, err, sizeof err)) {
        size_t bytes = (size_t)array_len(&t.in[1]) * type_size(t.in[1].type);
        struct twice kv = { { t.in[1].data, bytes }, { t.in[2].data, bytes } };
        by_kernel(&own);
        if (checked(b, &t, name, own.kernel->profile, slot)) {
            struct runner r[] = { { name, by_kernel, &own }, { "read limit", read_both, &kv } };
            bench_turns(r, 2, b->turns);
            bench_item(b,
                &(struct item){
                    name, &r[0], &r[1], 2.0 * (double)array_len(&t.in[1]), 2.0 * (double)bytes, x->goal, true });
        }
    } else
        bench_absent(b, name, err);
    close_call(&t, &own);
}
/* Whether some slot has attention of this type. */
static bool has_type(const char *type)
{
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row; k++)
            if (!strcmp(k->row, "attention") && !strcmp(k->out, "o lse") && !strcmp(k->type, type))
                return true;
    return false;
}

static void measure(struct bench *b)
{
    sgemm *product = openblas();
    b->lines = 1; /* a line of the reference takes m d products of numbers of many bits */
    for (int n = 1024; n <= 4096; n *= 4)
        for (int d = 64; d <= 128; d *= 2)
            for (int causal = 0; causal < 2; causal++)
                shapes(b, product, n, d, causal);
    for (int type = 0; type < MER_TYPES; type++)
        for (size_t k = 0; k < sizeof decodings / sizeof *decodings && has_type(type_name[type]); k++)
            decoded(b, type_name[type], &decodings[k]);
    b->lines = 0;
}
const struct group group_attention = { 400, measure };
