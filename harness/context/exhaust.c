/* Every entry of a table is compared with double-doubles whose anchors come from MPFR, and with MPFR itself where those
 * do not decide.  It shares nothing with the kernel: frequencies come from the reference, anchors from MPFR, blocks
 * have 1000 positions (the kernel's are powers of two), and values are double-doubles (the kernel: one product in
 * double, then integers).
 *
 * p = 1000 n + r: A cis(p w) = cis(1000 n w) A cis(r w).  An anchor is hi + lo and errs by 2^-106 max(1, A).  In the
 * product c C - s S:
 *   hi hi is exact (fma); four cross terms and two exact tails, each at most 2^-52, are summed with errors below 2^-105
 *   a step: less than 2^-101;
 *   lo lo is left out: 2 * 2^-106; the anchors: 4 * 2^-106.
 * Together below 2^-100 max(1, A); the bound that is used is 2^-99 max(1, A). */
#include "context/exhaust.h"
#include "context/waves.h"
#include "base/clock.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include "core/gen.h"
#include "libmeridian.h"
#include "trial/trial.h"

enum { STEP = 1000, ROWS = 4096, THREADS = 2 };
struct exhaust_dd { double hi, lo; };
struct anchor_pair { struct exhaust_dd c, s; };

struct exhaust_job {
    const struct waves *w;
    const struct mer_angles *a;
    const struct format *f;
    const struct anchor_pair *fine, *coarse; /* anchors: fine [STEP][K], coarse [n][K] */
    int type;
    int64_t first, limit;                    /* the positions of this thread: first, first + 1 .. limit - 1 */
    double bound;
    struct exhaust r;
};

/* a b + sign c d in double-double. */
static struct exhaust_dd rotate(struct exhaust_dd a, struct exhaust_dd b, struct exhaust_dd c, struct exhaust_dd d,
    double sign)
{
    c.hi *= sign, c.lo *= sign;
    double p = a.hi * b.hi, q = c.hi * d.hi, pe = fma(a.hi, b.hi, -p), qe = fma(c.hi, d.hi, -q);
    double s = p + q, t = s - p, se = (p - (s - t)) + (q - t); /* Knuth's two-sum, which is exact */
    double cross = fma(a.hi, b.lo, a.lo * b.hi) + fma(c.hi, d.lo, c.lo * d.hi);
    return (struct exhaust_dd){ s, se + ((pe + qe) + cross) };
}

static void split(struct exhaust_dd *y, mpfr_t x, mpfr_t rest)
{
    y->hi = mpfr_get_d(x, MPFR_RNDN);
    mpfr_sub_d(rest, x, y->hi, MPFR_RNDN);
    y->lo = mpfr_get_d(rest, MPFR_RNDN);
}

static struct anchor_pair *anchors(const struct waves *w, int64_t step, int64_t n, int with_amplitude)
{
    struct anchor_pair *y = need((size_t)(n * w->pairs), sizeof *y);
    mpfr_t c, s, t;
    mpfr_inits2(160, c, s, t, (mpfr_ptr)0);
    for (int64_t i = 0; i < n; i++)
        for (long k = 0; k < w->pairs; k++) {
            mpfr_set_prec(t, 220); /* bits: angles are below 2^50, so they err by less than 2^-170 */
            mpfr_mul_si(t, w->w[k], i * step, MPFR_RNDN);
            mpfr_sin_cos(s, c, t, MPFR_RNDN);
            if (with_amplitude) {
                mpfr_mul(c, c, w->amplitude, MPFR_RNDN);
                mpfr_mul(s, s, w->amplitude, MPFR_RNDN);
            }
            split(&y[i * w->pairs + k].c, c, t);
            split(&y[i * w->pairs + k].s, s, t);
        }
    mpfr_clears(c, s, t, (mpfr_ptr)0);
    return y;
}

/* Whether got is the value of MPFR at WAVES_BITS, rounded: 1 yes, 0 no, -1 not decided. */
static int by_mpfr(const struct exhaust_job *j, int64_t p, long k, int sine, double got)
{
    mpfr_t c, s, lo, hi;
    mpfr_inits2(WAVES_BITS, c, s, lo, hi, (mpfr_ptr)0);
    waves_at(j->w, p, k, c, s);
    mpfr_ptr y = sine ? s : c;
    int exact = !p || mpfr_zero_p(j->w->w[k]);
    mpfr_set_d(hi, exact ? 0 : 0x1p-250 * fmax(1, mpfr_get_d(j->w->amplitude, MPFR_RNDU)), MPFR_RNDN);
    mpfr_sub(lo, y, hi, MPFR_RNDD);
    mpfr_add(hi, y, hi, MPFR_RNDU);
    round_to(lo, j->f), round_to(hi, j->f);
    int verdict = !mpfr_equal_p(lo, hi) ? -1 : !mpfr_cmp_d(lo, got) && (!exact || !sine || !signbit(got));
    mpfr_clears(c, s, lo, hi, (mpfr_ptr)0);
    return verdict;
}

static void witness(struct exhaust *r, int64_t p, long k, int sine, double got)
{
    r->pos = p, r->k = k, r->sine = sine, r->got = got;
}

static void judge(struct exhaust_job *j, struct exhaust_dd v, int64_t p, long k, int sine, double got)
{
    struct exhaust *r = &j->r;
    uint64_t b;
    memcpy(&b, &got, sizeof b);
    int e = (int)(b >> 52 & 2047) - 1023, power = !(b << 12), least = (int)j->f->emin - j->f->p + 1;
    int place = e - j->f->p + 1 > least ? e - j->f->p + 1 : least;
    uint64_t half_bits = (uint64_t)(place - 1 + 1023) << 52;
    double half;
    memcpy(&half, &half_bits, sizeof half);
    double away = (v.hi - got) + v.lo; /* exact, or so large that its error does not matter */
    away = b >> 63 ? -away : away;
    double room = away < 0 && power && place > least ? half / 2 : half, off = fabs(away);
    r->entries++;
    int right = off + j->bound < room ? 1 : off - j->bound > room ? 0 : -1;
    if (right < 0) {
        r->undecided++;
        right = by_mpfr(j, p, k, sine, got);
        r->open += right < 0;
    }
    if (right == 0 && !r->wrong++)
        witness(r, p, k, sine, got);
    double ulp = off / (2 * half);
    if (!(ulp <= r->ulp)) {
        r->ulp = ulp;
        if (!r->wrong)
            witness(r, p, k, sine, got);
    }
}

static int fill(const struct exhaust_job *j, void *c, void *s, int64_t first, int64_t rows)
{
    return j->type == MER_F32 ? mer_table_f32(c, s, j->a, first, rows) :
        j->type == MER_F16    ? mer_table_f16(c, s, j->a, first, rows) :
                                mer_table_bf16(c, s, j->a, first, rows);
}

static void *scan(void *with)
{
    struct exhaust_job *j = with;
    long K = j->w->pairs;
    size_t bytes = ((size_t)(ROWS * K) * type_size(j->type) + 63) / 64 * 64;
    struct mer_array c = { "cos", j->type, 2, { ROWS, K }, aligned_alloc(64, bytes) },
                     s = { "sin", j->type, 2, { ROWS, K }, aligned_alloc(64, bytes) };
    if (!c.data || !s.data)
        snprintf(j->r.err, sizeof j->r.err, "out of memory");
    for (int64_t p = j->first; !*j->r.err && p < j->limit; p += ROWS) {
        int64_t rows = j->limit - p < ROWS ? j->limit - p : ROWS;
        if (fill(j, c.data, s.data, p, rows))
            snprintf(
                j->r.err, sizeof j->r.err, "the table says that position %lld or later is not proved", (long long)p);
        for (int64_t i = 0; i < rows; i++)
            for (long k = 0; k < K; k++) {
                const struct anchor_pair *u = j->coarse + (p + i) / STEP * K + k, *v = j->fine + (p + i) % STEP * K + k;
                double gc = j->type == MER_F32 ? (double)((float *)c.data)[i * K + k] : array_get(&c, i * K + k);
                double gs = j->type == MER_F32 ? (double)((float *)s.data)[i * K + k] : array_get(&s, i * K + k);
                judge(j, rotate(u->c, v->c, u->s, v->s, -1), p + i, k, 0, gc);
                judge(j, rotate(u->s, v->c, u->c, v->s, 1), p + i, k, 1, gs);
            }
    }
    free(c.data), free(s.data);
    balls_forget();
    return NULL;
}

static void merge(struct exhaust *r, const struct exhaust *x)
{
    if ((x->wrong && !r->wrong) || (!r->wrong && !(x->ulp <= r->ulp)))
        witness(r, x->pos, x->k, x->sine, x->got);
    r->ulp = !(x->ulp <= r->ulp) ? x->ulp : r->ulp;
    r->entries += x->entries, r->wrong += x->wrong, r->undecided += x->undecided, r->open += x->open;
    if (*x->err)
        memcpy(r->err, x->err, sizeof r->err);
}

static void ask_again(struct exhaust_job *j, int64_t limit, int64_t count, struct exhaust *r)
{
    long K = j->w->pairs;
    struct mer_array c = { "cos", j->type, 1, { K }, need((size_t)K, 8) },
                     s = { "sin", j->type, 1, { K }, need((size_t)K, 8) };
    for (int64_t i = 0; i < count; i++) {
        int64_t at = (int64_t)(gen_bits(1, 70, (uint64_t)i) % (uint64_t)limit);
        long k = (long)(gen_bits(1, 71, (uint64_t)i) % (uint64_t)K);
        int sine = (int)(gen_bits(1, 72, (uint64_t)i) & 1);
        fill(j, c.data, s.data, at, 1);
        double got = array_get(sine ? &s : &c, k);
        int right = by_mpfr(j, at, k, sine, got);
        r->rechecked++;
        r->open += right < 0;
        if (right == 0 && !r->recheck_wrong++)
            witness(r, at, k, sine, got);
    }
    free(c.data), free(s.data);
}

int exhaust_run(const char *row, const char *params, int64_t limit, int type, int64_t recheck, struct exhaust *r)
{
    return exhaust_other(row, params, params, limit, type, recheck, r);
}

int exhaust_other(const char *row, const char *params, const char *table_params, int64_t limit, int type,
    int64_t recheck, struct exhaust *r)
{
    struct waves w;
    struct mer_angles *a = NULL;
    struct exhaust_job job[THREADS];
    pthread_t thread[THREADS];
    double start = now();
    *r = (struct exhaust){ 0 };
    if ((type != MER_F32 && type != MER_F16 && type != MER_BF16) || limit < 1 || limit > INT64_C(1) << 32)
        return snprintf(r->err, sizeof r->err, "type must be f32, f16 or bf16, limit at most 2^32"), -1;
    if (waves_open(&w, row, params, r->err, sizeof r->err))
        return -1;
    if (!mer_angles_new(&a, row, table_params, limit, r->err, sizeof r->err) && mer_angles_pairs(a) != w.pairs)
        snprintf(r->err, sizeof r->err, "%lld pairs, the reference has %ld", (long long)mer_angles_pairs(a), w.pairs);
    struct anchor_pair *fine = *r->err ? NULL : anchors(&w, 1, STEP, 1),
                       *coarse = *r->err ? NULL : anchors(&w, STEP, (limit + STEP - 1) / STEP, 0);
    r->setup = now() - start;
    if (!*r->err) {
        int running[THREADS];
        for (int i = 0; i < THREADS; i++) {
            job[i] = (struct exhaust_job){ .w = &w,
                .a = a,
                .f = format_named(type_name[type], strlen(type_name[type])),
                .fine = fine,
                .coarse = coarse,
                .type = type,
                .first = limit * i / THREADS,
                .limit = limit * (i + 1) / THREADS,
                .bound = 0x1p-99 * fmax(1, mpfr_get_d(w.amplitude, MPFR_RNDU)) };
            running[i] = !pthread_create(&thread[i], NULL, scan, &job[i]);
            if (!running[i])
                scan(&job[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            if (running[i])
                pthread_join(thread[i], NULL);
            merge(r, &job[i].r);
        }
        if (!*r->err)
            ask_again(&job[0], limit, recheck, r);
    }
    free(fine), free(coarse);
    mer_angles_free(a);
    waves_close(&w);
    r->seconds = now() - start;
    return *r->err ? -1 : 0;
}
