/* Building the table of cos and sin of positions 0 .. 32767 and 64 frequencies in float32, against the fastest
 * peers: SLEEF's u35 sincos of a float32 angle (fast, but wrong by up to 2e-3, as the angle is rounded), libmvec's
 * sin and cos of a float64 angle, and a non-temporal fill of the same bytes.  Peers are libraries that are looked for
 * at run time.  What prepare() does is timed apart, as set-up. */
#include <dlfcn.h>
#include <math.h>
#include "bench/core/bench.h"
#if defined __x86_64__
#include <immintrin.h>
#endif

enum { L = 32768, K = 64, COUNT = L * K };
struct bench_table {
    const struct mer_kernel *kernel;
    struct mer_call call, set; /* the timed call, prepared once; a copy whose preparation is timed */
    float *cos, *sin;          /* [L][K], where peers write */
    void *f, *g;               /* a peer's functions: sincos, or sin and cos */
    double w[K];               /* frequencies 10000^(-k/K) */
    float w32[K];              /* the same in float32 */
};

static void run_own(void *with)
{
    struct bench_table *t = with;
    t->kernel->run(&t->call);
}
static void set_up(void *with)
{
    struct bench_table *t = with;
    t->set.state = NULL;
    if (t->kernel->prepare && t->kernel->prepare(&t->set) == MER_OK && t->kernel->release)
        t->kernel->release(t->set.state);
}

#if defined __x86_64__
typedef struct { __m512 sin, cos; } pair16; /* as SLEEF's Sleef___m512_2 and Sleef___m256_2: sin first */
typedef struct { __m256 sin, cos; } pair8;
__attribute__((target("avx512f"))) static void sleef16(void *with)
{
    struct bench_table *t = with;
    pair16 (*f)(__m512);
    memcpy(&f, &t->f, sizeof f);
    for (int i = 0; i < L; i++)
        for (int k = 0; k < K; k += 16) {
            pair16 y = f(_mm512_mul_ps(_mm512_set1_ps((float)i), _mm512_loadu_ps(t->w32 + k)));
            _mm512_storeu_ps(t->cos + i * K + k, y.cos);
            _mm512_storeu_ps(t->sin + i * K + k, y.sin);
        }
}
__attribute__((target("avx2"))) static void sleef8(void *with)
{
    struct bench_table *t = with;
    pair8 (*f)(__m256);
    memcpy(&f, &t->f, sizeof f);
    for (int i = 0; i < L; i++)
        for (int k = 0; k < K; k += 8) {
            pair8 y = f(_mm256_mul_ps(_mm256_set1_ps((float)i), _mm256_loadu_ps(t->w32 + k)));
            _mm256_storeu_ps(t->cos + i * K + k, y.cos);
            _mm256_storeu_ps(t->sin + i * K + k, y.sin);
        }
}
__attribute__((target("avx512f"))) static void libmvec8(void *with)
{
    struct bench_table *t = with;
    __m512d (*sine)(__m512d), (*cosine)(__m512d);
    memcpy(&sine, &t->f, sizeof sine), memcpy(&cosine, &t->g, sizeof cosine);
    for (int i = 0; i < L; i++)
        for (int k = 0; k < K; k += 8) {
            __m512d x = _mm512_mul_pd(_mm512_set1_pd((double)i), _mm512_loadu_pd(t->w + k));
            _mm256_storeu_ps(t->cos + i * K + k, _mm512_cvtpd_ps(cosine(x)));
            _mm256_storeu_ps(t->sin + i * K + k, _mm512_cvtpd_ps(sine(x)));
        }
}
__attribute__((target("avx2"))) static void libmvec4(void *with)
{
    struct bench_table *t = with;
    __m256d (*sine)(__m256d), (*cosine)(__m256d);
    memcpy(&sine, &t->f, sizeof sine), memcpy(&cosine, &t->g, sizeof cosine);
    for (int i = 0; i < L; i++)
        for (int k = 0; k < K; k += 4) {
            __m256d x = _mm256_mul_pd(_mm256_set1_pd((double)i), _mm256_loadu_pd(t->w + k));
            _mm_storeu_ps(t->cos + i * K + k, _mm256_cvtpd_ps(cosine(x)));
            _mm_storeu_ps(t->sin + i * K + k, _mm256_cvtpd_ps(sine(x)));
        }
}
#endif

/* A library that builds the same table, with the profile that its check is judged under: frequency and phase in
 * float32 (SLEEF) or float64 (libmvec), and 8 half-ulps for sin and cos (the libraries claim 3.5 and 4 ulp). run
 * NULL: it is not installed, or has no vectors of this machine's width. */
struct table_peer { const char *name, *profile; void (*run)(void *); };
static struct table_peer find_sleef(struct bench_table *t)
{
    struct table_peer p = { "SLEEF u35 f32", "freq=f32:2 phase=f32 table=f32:8", NULL };
#if defined __x86_64__
    void *lib = dlopen("libsleef.so.3", RTLD_NOW);
    bool wide = mer_isa_level() >= 2;
    t->f = lib && mer_isa_level() ? dlsym(lib, wide ? "Sleef_sincosf16_u35avx512f" : "Sleef_sincosf8_u35avx2") : NULL;
    p.run = t->f ? wide ? sleef16 : sleef8 : NULL;
#endif
    return p;
}
static struct table_peer find_libmvec(struct bench_table *t)
{
    struct table_peer p = { "libmvec f64", "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:8 store=f32",
        NULL };
#if defined __x86_64__
    void *lib = dlopen("libmvec.so.1", RTLD_NOW);
    bool wide = mer_isa_level() >= 2;
    t->f = lib && mer_isa_level() ? dlsym(lib, wide ? "_ZGVeN8v_sin" : "_ZGVdN4v_sin") : NULL;
    t->g = lib && mer_isa_level() ? dlsym(lib, wide ? "_ZGVeN8v_cos" : "_ZGVdN4v_cos") : NULL;
    p.run = t->f && t->g ? wide ? libmvec8 : libmvec4 : NULL;
#endif
    return p;
}

static void against_peer(
    struct bench *b, struct trial *t, struct bench_table *own_table, struct table_peer p, struct bench_table *peer,
        double goal)
{
    char name[64], found[120];
    snprintf(name, sizeof name, "table f32 against %s", p.name);
    if (!bench_wants(b, name))
        return;
    if (!p.run) {
        bench_absent(b, name, "not installed, or no such vector width");
        return;
    }
    run_own(own_table); /* the peer before may have written into the same buffers */
    if (!bench_check(b, t, name, own_table->kernel->profile, own_table->kernel->gauge, own_table->kernel->correct))
        return;
    memcpy(found, b->check, sizeof found);
    p.run(peer);
    if (!bench_check(b, t, p.name, p.profile, 0, false))
        return;
    const char *correct = strrchr(b->check, ' ');
    char line[sizeof b->check];
    snprintf(line, sizeof line, "%.80s; peer %s", found, correct ? correct + 1 : "?");
    memcpy(b->check, line, sizeof line);
    struct runner r[] = { { name, run_own, own_table }, { p.name, p.run, peer } };
    bench_turns(r, 2, b->turns);
    bench_item(b, &(struct item){ name, &r[0], &r[1], 2.0 * COUNT, 8.0 * COUNT, goal, false });
}

static void against_fill(struct bench *b, struct trial *t, struct bench_table *own_table, void *memory)
{
    const char *name = "table f32 against fill";
    if (!bench_wants(b, name))
        return;
    run_own(own_table);
    if (!bench_check(b, t, name, own_table->kernel->profile, own_table->kernel->gauge, own_table->kernel->correct))
        return;
    struct runner r[] = { { name, run_own, own_table },
        { "fill, non-temporal", limit_fill, &(struct bench_stretch){ memory, 8L * COUNT } },
        { "table f32 set-up", set_up, own_table } };
    bench_turns(r, 3, b->turns);
    bench_item(b, &(struct item){ name, &r[0], &r[1], 2.0 * COUNT, 8.0 * COUNT, 1.5, false });
    bench_figure(b, r[2].name, 1e6 * bench_median(&r[2], b->turns), "microseconds, once per parameter set");
}

static void measure(struct bench *b)
{
    char err[400];
    const char *slot;
    struct trial t;
    if (!bench_wants(b, "table f32 against SLEEF u35 f32 libmvec f64 fill") && !(b->only && strstr("table", b->only)))
        return;
    if (trial_make(&t, &(struct trial_spec){ "rope", "dim=128", "cos sin", MER_F32, "n=32768", 1 }, err, sizeof err)) {
        bench_absent(b, "table", err);
        trial_close(&t);
        return;
    }
    struct mer_array *pos = trial_in(&t, "pos");
    for (int64_t i = 0; i < L; i++)
        ((int64_t *)pos->data)[i] = i;
    float *memory = aligned_alloc(4096, 8L * COUNT);
    void *made[] = { t.out[0].data, t.out[1].data };
    struct bench_table o = { .kernel = bench_kernel("rope", "cos sin", "f32", &t.call, &slot),
        .call = t.call,
        .set = t.call,
        .cos = memory,
        .sin = memory + COUNT };
    for (int k = 0; k < K; k++)
        o.w[k] = pow(10000, -2.0 * k / (2 * K)), o.w32[k] = (float)o.w[k];
    if (memory && o.kernel && (!o.kernel->prepare || o.kernel->prepare(&o.call) == MER_OK)) {
        t.out[0].data = o.cos, t.out[1].data = o.sin;
        memset(memory, 0, 8L * COUNT);
        struct bench_table s = o, m = o;
        against_peer(b, &t, &o, find_sleef(&s), &s, 0.85);
        against_peer(b, &t, &o, find_libmvec(&m), &m, 0.30);
        against_fill(b, &t, &o, memory);
        if (o.kernel->release)
            o.kernel->release(o.call.state);
    } else
        bench_absent(b, "table", "no kernel, or no memory");
    t.out[0].data = made[0], t.out[1].data = made[1];
    free(memory);
    trial_close(&t);
}
const struct group group_table = { 100, measure };
