/* The error of the doubles used below.  Exact side: anchor and entry of the table are rounded to double (2^-54 each,
 * four of them against |cos| + |sin| <= sqrt 2 twice: 2.83 * 2^-54), and two products and a sum are rounded (3 *
 * 2^-54): below 5.9 * 2^-54.  The contract's side: nothing where its table is f32, f16 or bf16 (struct wave rounds
 * correctly, or reports that it cannot); where it is f64, cos and sin err by 2^-51 (2^-46 beyond 2^24 positions) and
 * the last rounding by 2^-54.  The difference is rounded by 2^-53.  Together below 2^-49, or 2^-45. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "context/anchor.h"
#include "base/clock.h"
#include "context/contract.h"
#include "context/scan.h"

const int scan_bits[3] = { 24, 11, 8 };
enum { KEEP = 64, THREADS = 8 };

struct scan_candidate { double error; int64_t pos; long pair; int is_sin; };
/* What one thread has found in positions [first, last), both multiples of WAVE except the end. */
struct scan_part {
    const struct contract *c;
    const struct anchor *anchors;      /* [K], at the first position of the scan */
    const double *rc, *rs;             /* [K][WAVE]: cos and sin of r w_k, see anchor.h */
    const int64_t *edge;               /* [n_edge + 1]: where the parts of the curve begin */
    int64_t first, last;
    double unsure;
    struct scan_candidate keep[KEEP];
    int kept, n_edge;
    double lost;                       /* the largest error for which keep[] had no room */
    /* the first positions beyond each threshold, and with a value that is not finite; INT64_MAX: none */
    int64_t fails[3], broken;
    double curve[SCAN_CURVE];
};

static double of_bits(int64_t b) { double x; memcpy(&x, &b, sizeof x); return x; }

/* y = |value of the contract - exact value|, by MPFR. */
static void decide(const struct contract *c, int64_t pos, long k, int is_sin, mpfr_t y)
{
    contract_exact(c, pos, k, is_sin, y);
    mpfr_d_sub(y, contract_value(c, pos, k, is_sin), y, MPFR_RNDN);
    mpfr_abs(y, y, MPFR_RNDN);
}

static bool exceeds(const struct scan_part *p, double e, double bound, int64_t pos, long k, int is_sin)
{
    if (e > bound + p->unsure || e < bound - p->unsure)
        return e > bound;
    mpfr_t y;
    mpfr_init2(y, 300);
    decide(p->c, pos, k, is_sin, y);
    bool yes = !(mpfr_cmp_d(y, bound) <= 0);
    mpfr_clear(y);
    return yes;
}

static void add_candidate(struct scan_part *p, double e, int64_t pos, long k, int is_sin)
{
    double best = e;
    int n = 0;
    for (int i = 0; i < p->kept; i++)
        best = p->keep[i].error > best ? p->keep[i].error : best;
    for (int i = 0; i < p->kept; i++)
        if (p->keep[i].error >= best - 2 * p->unsure)
            p->keep[n++] = p->keep[i];
    p->kept = n;
    if (n < KEEP)
        p->keep[p->kept++] = (struct scan_candidate){ e, pos, k, is_sin };
    else
        p->lost = e > p->lost ? e : p->lost;
}

/* Goes through one block of one pair element by element; called only where the block may change something. */
static void visit_block(
    struct scan_part *p, int64_t start, int n, long k, const int64_t *ec, const int64_t *es, double *best)
{
    int b = 0;
    for (int i = 0; i < n; i++) {
        int64_t pos = start + i;
        while (p->edge[b + 1] <= pos)
            b++;
        for (int is_sin = 0; is_sin < 2; is_sin++) {
            double e = of_bits(is_sin ? es[i] : ec[i]);
            if (!(e <= 4)) {
                p->broken = pos < p->broken ? pos : p->broken;
                continue;
            }
            p->curve[b] = e > p->curve[b] ? e : p->curve[b];
            for (int t = 0; t < 3; t++)
                if (pos < p->fails[t] && exceeds(p, e, ldexp(1, -scan_bits[t]), pos, k, is_sin))
                    p->fails[t] = pos;
            if (e >= *best - 2 * p->unsure) {
                add_candidate(p, e, pos, k, is_sin);
                *best = e > *best ? e : *best;
            }
        }
    }
}

/* Computes by MPFR the elements that struct wave could not round: those that are NaN at a finite angle. */
static void round_by_mpfr(const struct contract *c, const double *angle, double *y, bool is_sin)
{
    for (int i = 0; i < WAVE; i++)
        if (isnan(y[i]) && isfinite(angle[i]))
            y[i] = contract_wave(c, angle[i], is_sin);
}

static void *scan_part(void *with)
{
    struct scan_part *p = with;
    const struct contract *c = p->c;
    const struct wave *v = wave_here();
    struct anchor *a = need((size_t)c->pairs, sizeof *a);
    double x[WAVE], step[WAVE], angle[WAVE], cs[WAVE], sn[WAVE], best = 0;
    int64_t ec[WAVE], es[WAVE];
    int b = 0;
    memcpy(a, p->anchors, (size_t)c->pairs * sizeof *a);
    for (long k = 0; k < c->pairs; k++)
        anchor_at(&a[k], p->first / WAVE);
    for (int64_t start = p->first; start < p->last; start += WAVE) {
        int n = p->last - start < WAVE ? (int)(p->last - start) : WAVE;
        while (p->edge[b + 1] <= start)
            b++;
        bool inside = start + n <= p->edge[b + 1], padded = c->padding >= start && c->padding < start + n;
        for (int i = 0; i < WAVE; i++)
            x[i] = contract_position(c, start + i);
        for (long k = 0; k < c->pairs; k++) {
            if (c->iterated && k) { /* x is after k - 1 products */
                v->scale(x, c->ratio, c->phase, step);
                memcpy(x, step, sizeof x);
            }
            if (mpfr_zero_p(c->exact[k]))
                continue; /* the pair is not rotated: 1 and 0 exactly */
            if (!c->iterated || !(c->law[k].divides || c->law[k].blends))
                v->scale(x, c->iterated ? 1 : c->freq[k], c->phase, angle);
            else
                contract_scaled_wave(c, k, x, angle);
            v->turn(angle, cs, sn);
            if (v->round(cs, c->table))
                round_by_mpfr(c, angle, cs, false);
            if (v->round(sn, c->table))
                round_by_mpfr(c, angle, sn, true);
            int64_t most =
                v->compare(cs, sn, p->rc + k * WAVE, p->rs + k * WAVE, anchor_cos(&a[k]), anchor_sin(&a[k]), ec, es);
            anchor_next(&a[k]);
            if (padded)
                ec[c->padding - start] = es[c->padding - start] = 0;
            double e = of_bits(most);
            bool news = !inside || padded || !(e <= 4) || e >= best - 2 * p->unsure;
            for (int t = 0; t < 3; t++)
                news |= start < p->fails[t] && e > ldexp(1, -scan_bits[t]) - p->unsure;
            if (news)
                visit_block(p, start, n, k, ec, es, &best);
            else if (e > p->curve[b])
                p->curve[b] = e;
        }
    }
    free(a);
    balls_forget();
    return NULL;
}

static int make_edges(int64_t *edge, int64_t limit) /* 0, then the powers 2^(j/2) up to limit; how many parts */
{
    int n = 0;
    edge[0] = 0;
    for (int j = 0; edge[n] < limit; j++) {
        int64_t at = llround(exp2(0.5 * j));
        if (at > edge[n])
            edge[++n] = at < limit ? at : limit;
    }
    edge[n + 1] = INT64_MAX;
    return n;
}

/* decides by MPFR which of the candidates is the worst */
static void settle(struct scan_part *part, int parts, struct scan *s)
{
    double best = 0, lost = 0;
    mpfr_t y, most;
    mpfr_init2(y, 300), mpfr_init2(most, 300);
    mpfr_set_si(most, -1, MPFR_RNDN);
    for (int t = 0; t < parts; t++) {
        lost = part[t].lost > lost ? part[t].lost : lost;
        for (int i = 0; i < part[t].kept; i++)
            best = part[t].keep[i].error > best ? part[t].keep[i].error : best;
    }
    for (int t = 0; t < parts; t++)
        for (int i = 0; i < part[t].kept; i++) {
            const struct scan_candidate *k = &part[t].keep[i];
            if (k->error < best - 2 * part[t].unsure)
                continue;
            decide(part[t].c, k->pos, k->pair, k->is_sin, y);
            if (mpfr_cmp(y, most) > 0) {
                mpfr_set(most, y, MPFR_RNDN);
                s->at_pos = k->pos, s->at_pair = k->pair, s->is_sin = k->is_sin;
            }
        }
    s->worst = mpfr_sgn(most) >= 0 ? mpfr_get_d(most, MPFR_RNDN) : 0;
    s->slack = lost >= best - 2 * part->unsure && lost > 0 ? 2 * part->unsure : 0;
    s->got = contract_value(part->c, s->at_pos, s->at_pair, s->is_sin);
    contract_exact(part->c, s->at_pos, s->at_pair, s->is_sin, y);
    s->want = mpfr_get_d(y, MPFR_RNDN);
    mpfr_snprintf(s->want_digits, sizeof s->want_digits, "%.40Rg", y);
    mpfr_clear(y), mpfr_clear(most);
}

static void merge(const struct scan_part *part, int parts, const int64_t *edge, int n_edge, struct scan *s)
{
    int64_t broken = INT64_MAX;
    for (int t = 0; t < parts; t++)
        broken = part[t].broken < broken ? part[t].broken : broken;
    s->nonfinite = broken != INT64_MAX;
    s->nonfinite_at = s->nonfinite ? broken : -1;
    for (int j = 0; j < 3; j++) {
        s->valid[j] = s->limit < broken ? s->limit : broken;
        for (int t = 0; t < parts; t++)
            s->valid[j] = part[t].fails[j] < s->valid[j] ? part[t].fails[j] : s->valid[j];
    }
    s->n_curve = n_edge;
    for (int b = 0; b < n_edge; b++) {
        s->curve[b].pos = edge[b + 1];
        s->curve[b].worst = 0;
        for (int t = 0; t < parts; t++)
            s->curve[b].worst = part[t].curve[b] > s->curve[b].worst ? part[t].curve[b] : s->curve[b].worst;
    }
}

int scan_threads(const char *row, const char *params, const char *contract_text, int64_t limit, int threads,
    struct scan *s, char *err, size_t n)
{
    struct contract c;
    int64_t edge[SCAN_CURVE + 1], blocks = (limit + WAVE - 1) / WAVE;
    struct scan_part *part;
    double start = now();
    *s = (struct scan){ .limit = limit };
    if (limit < 1 || limit > SCAN_MOST)
        return snprintf(err, n, "limit: found %lld, allowed: 1 to 2^29 positions", (long long)limit), -1;
    if (contract_open(&c, row, params, contract_text, err, n))
        return -1;
    if (c.origin < 0 || c.origin > 1 << 20)
        return contract_close(&c), snprintf(err, n, "origin: allowed here: 0 to 2^20"), -1;
    struct anchor *a = need((size_t)c.pairs, sizeof *a);
    double *rc = need((size_t)c.pairs * WAVE, sizeof *rc), *rs = need((size_t)c.pairs * WAVE, sizeof *rs);
    for (long k = 0; k < c.pairs; k++)
        anchor_start(&a[k], c.exact[k]), anchor_table(c.exact[k], c.origin, rc + k * WAVE, rs + k * WAVE);
    int n_edge = make_edges(edge, limit), parts = threads < 1 ? 1 : threads > THREADS ? THREADS : threads;
    parts = blocks < parts ? (int)blocks : parts;
    part = need((size_t)parts, sizeof *part);
    pthread_t id[THREADS];
    for (int t = 0; t < parts; t++) {
        part[t] = (struct scan_part){ .c = &c, .anchors = a, .rc = rc, .rs = rs, .edge = edge, .n_edge = n_edge,
            .first = blocks * t / parts * WAVE, .last = t + 1 < parts ? blocks * (t + 1) / parts * WAVE : limit,
            .unsure = c.phase->p > 24 && limit > 1 << 24 ? 0x1p-45 : 0x1p-49,
            .fails = { INT64_MAX, INT64_MAX, INT64_MAX }, .broken = INT64_MAX };
        if (t && pthread_create(&id[t], NULL, scan_part, &part[t]))
            scan_part(&part[t]), id[t] = pthread_self();
    }
    scan_part(&part[0]);
    for (int t = 1; t < parts; t++)
        if (!pthread_equal(id[t], pthread_self()))
            pthread_join(id[t], NULL);
    merge(part, parts, edge, n_edge, s);
    settle(part, parts, s);
    free(a), free(rc), free(rs), free(part);
    contract_close(&c);
    s->seconds = now() - start;
    return 0;
}

int scan_run(
    const char *row, const char *params, const char *contract_text, int64_t limit, struct scan *s, char *err, size_t n)
{
    return scan_threads(row, params, contract_text, limit, (int)sysconf(_SC_NPROCESSORS_ONLN), s, err, n);
}
