/* The native evaluator and the scan against the page: equality of bits, and boundaries decided by MPFR. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "context/anchor.h"
#include "context/contract.h"
#include "context/scan.h"
#include "trial/trial.h"

/* In f16 llama3 with base 500000 divides by a frequency of 0, which a power that overflows leaves; and the base of
 * dynamic overflows itself. */
static bool undefined(const char *model, const char *contract)
{
    return !strcmp(contract, "f16") && (strstr(model, "llama3") || strstr(model, "dynamic"));
}
static uint64_t draw(uint64_t i) { return gen_bits(20, 7, i); }

/* The page's own value of cos or sin under the contract: one line of K elements. */
static bool page_line(
    const struct row *r, const char *params, const char *contract, const char *out, int64_t pos, long len, double *y)
{
    char all[TEXT_MAX], err[300];
    struct arith a;
    void *p = calloc(1, r->size);
    snprintf(all, sizeof all, "%s %s", params, contract);
    cr_assert_geq(arith_read(&a, r, contract, ROUND, err, sizeof err), 0, "%s", err);
    cr_assert_eq(params_read(row_params(r), p, all, err, sizeof err), 0, "%s", err);
    struct mer_array in = { "pos", MER_I64, 1, { 1 }, &pos };
    struct mer_call call = { .row = r->name, .params = all, .n_in = 1, .in = &in };
    struct ask w = { .params = p, .call = &call, .arith = &a, .len = len };
    const struct ball **b = calloc((size_t)len, sizeof *b);
    bool ok = line_eval(&w, row_quantity(r, out), &formats[0], b) == YES;
    for (long k = 0; k < len; k++)
        y[k] = mpfr_number_p(b[k]->mid) && b[k]->rad.m == 0 ? b_value(b[k]) : (double)NAN;
    ask_clear(&w), params_clear(row_params(r), p), free(p), free(b);
    return ok;
}

static bool same(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

/* Storage and amplitude come after what is compared; they are left out of the contract, and the amplitude is declared
 * to be 1. */
static void without_store(const char *text, char *out)
{
    *out = 0;
    for (const char *s = text; *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strncmp(s, "store=", 6))
            strncat(strcat(out, *out ? " " : ""), s, strcspn(s, " "));
}

static const char *const models[] = {
    "dim=128 base=500000 scaling=llama3 factor=8 trained=8192",
    "dim=64 base=150000 scaling=yarn factor=32 trained=4096 truncate=off attention_factor=1",
    "dim=96 base=10000 scaling=yarn factor=2.5 trained=4096 attention_factor=1",
    "dim=80 base=1000000",
    "dim=64 base=1000000 scaling=linear factor=3.7",
    "dim=64 scaling=dynamic factor=4 trained=2048 length=16384",
    ("dim=8 scaling=longrope factor=4 trained=4096 length=8192 short_factor=1,1.05,1.2,2 long_factor=1.7,2.25,7,64 "
     "attention_factor=1"),
    "dim=64 rotary=16 base=1000000 partial=proportional",
    "dim=64 base=7856", /* In ggml's arithmetic two pairs cross 2^-11 in one block, the later pair first. */
};

Test(scan, native_contracts_equal_the_rounded_page_bit_for_bit, .timeout = 120)
{
    static double y[512];
    const struct row *r = row_named("rope");
    char err[400], text[400];
    long n = 0, blocks = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (const struct preset *p = r->contracts; p->name; p++) {
            struct contract c;
            without_store(p->text, text);
            if (undefined(models[m], p->name)) {
                cr_assert_neq(contract_open(&c, "rope", models[m], p->name, err, sizeof err), 0);
                continue;
            }
            cr_assert_eq(contract_open(&c, "rope", models[m], p->name, err, sizeof err), 0, "%s %s: %s", models[m],
                p->name, err);
            for (int i = 0; i < (c.iterated ? 5 : 34); i++) {
                int64_t pos = i < 4 ? i : (int64_t)(draw((uint64_t)(n + i)) & ((1u << (i % 20 + 1)) - 1));
                for (int is_sin = 0; is_sin < 2; is_sin++) {
                    bool known = page_line(r, models[m], text, is_sin ? "sin" : "cos", pos, c.pairs, y);
                    /* A position that is infinite in f16 has no cosine. */
                    cr_assert(known || (!strcmp(p->name, "f16") && pos >= 65520), "%s %s at %ld: undecided", models[m],
                        p->name, (long)pos);
                    for (long k = 0; k < c.pairs; k++, n++) {
                        double got = contract_value(&c, pos, k, is_sin);
                        cr_assert(same(got, y[k]), "%s %s %s at %ld pair %ld: native %a page %a", models[m], p->name,
                            is_sin ? "sin" : "cos", (long)pos, k, got, y[k]);
                    }
                }
            }
            contract_close(&c);
            blocks++;
        }
    cr_assert_geq(n, 100000, "only %ld samples", n);
}

/* The vector loops against contract_value, which the test above ties to the page: whole blocks, random starts up to
 * 2^20. */
Test(scan, vector_loops_equal_single_elements)
{
    const struct wave *v = wave_here();
    const struct row *r = row_named("rope");
    char err[400];
    for (size_t m = 0; m < 4; m++)
        for (const struct preset *p = r->contracts; p->name; p++) {
            struct contract c;
            double x[WAVE], angle[WAVE], y[2][WAVE];
            if (undefined(models[m], p->name))
                continue;
            cr_assert_eq(contract_open(&c, "rope", models[m], p->name, err, sizeof err), 0, "%s", err);
            for (uint64_t trial = 0; trial < 6; trial++) {
                int64_t start = (int64_t)(draw(trial + 100 * m) & 0xfffff);
                long k = (long)(draw(trial + 7777) % (uint64_t)c.pairs);
                for (int i = 0; i < WAVE; i++)
                    x[i] = contract_position(&c, start + i);
                if (c.iterated)
                    for (int i = 0; i < WAVE; i++)
                        angle[i] = contract_angle(&c, start + i, k);
                else
                    v->scale(x, c.freq[k], c.phase, angle);
                v->turn(angle, y[0], y[1]);
                for (int is_sin = 0; is_sin < 2; is_sin++) {
                    v->round(y[is_sin], c.table);
                    for (int i = 0; i < WAVE; i++) {
                        double want = contract_value(&c, start + i, k, is_sin), got = y[is_sin][i];
                        bool ok = c.table->p > 24 ? !(fabs(got - want) > 0x1p-50) :
                                                    same(got, want) || (isnan(got) && isfinite(angle[i]));
                        cr_assert(ok, "%s %s at %ld pair %ld: loop %a single %a", models[m], p->name, (long)(start + i),
                            k, got, want);
                    }
                }
            }
            contract_close(&c);
        }
}

static const char *const laws[] = {
    "dim=64 base=1000000 scaling=yarn factor=4 trained=32768",
    "dim=64 base=500000 scaling=llama3 factor=8 trained=8192",
    "dim=64 scaling=linear factor=3", "dim=64 scaling=linear factor=4",
    "dim=8 scaling=longrope factor=4 trained=4096 length=8192 short_factor=1,1.05,1.2,2 long_factor=1.5,2.25,7,64",
};

/* The multiplier of a scaling law over a block, in each format of the phase: at positions, at small and large numbers,
 * and at such whose quotient lies near a boundary of rounding, which MPFR decides. */
Test(scan, a_law_over_a_block_is_that_of_single_numbers)
{
    static const char *const phases[] = { "f32", "f16", "bf16" };
    char text[200], err[400];
    double x[WAVE], y[WAVE];
    for (size_t m = 0; m < sizeof laws / sizeof *laws; m++)
        for (int f = 0; f < 3; f++) {
            struct contract c;
            snprintf(text, sizeof text, "route=iterated freq=%s phase=%s table=f32", phases[f], phases[f]);
            cr_assert_eq(contract_open(&c, "rope", laws[m], text, err, sizeof err), 0, "%s %s: %s", laws[m], text, err);
            for (long trial = 0; trial < 40 * c.pairs; trial++) {
                for (int i = 0; i < WAVE; i++) {
                    const uint64_t d = draw((uint64_t)(trial * WAVE + i) + 977 * m);
                    const double at = trial % 3 ? ldexp((double)(d & 0xffffff), (int)(d >> 40 & 63) - 60) :
                                                  (double)(d & 0xfffff);
                    x[i] = i == WAVE - 1 ? (double)INFINITY : wave_round(at, c.phase);
                }
                contract_scaled_wave(&c, trial % c.pairs, x, y);
                for (int i = 0; i < WAVE; i++) {
                    const double want = contract_scaled(&c, trial % c.pairs, x[i]);
                    cr_assert(same(y[i], want), "%s %s at %a: %a, not %a", laws[m],
                        phases[f], x[i], y[i], want);
                }
            }
            contract_close(&c);
        }
}

/* A table under a scaling law costs no more than a few times what one without costs: the law is computed over blocks,
 * too.  Measured in processor time, the better of two. */
Test(scan, a_law_costs_little_beside_the_table, .timeout = 60)
{
    static const char *const params[] = { "dim=64", "dim=64 scaling=yarn factor=4 trained=4096" };
    double cost[2] = { 1e9, 1e9 };
    char err[400];
    struct scan s;
    for (int turn = 0; turn < 4; turn++) {
        const clock_t start = clock();
        cr_assert_eq(scan_threads("rope", params[turn & 1], "ggml-f32", 1 << 18, 1, &s, err, sizeof err), 0, "%s", err);
        cost[turn & 1] = fmin(cost[turn & 1], (double)(clock() - start));
    }
    cr_expect_lt(cost[1], 8 * cost[0], "%g s with a law, %g s without", cost[1] / CLOCKS_PER_SEC,
        cost[0] / CLOCKS_PER_SEC);
}

Test(scan, sines_stay_within_their_bound)
{
    const struct wave *v = wave_here();
    double x[WAVE], c[WAVE], s[WAVE], worst = 0;
    mpfr_t t, y;
    mpfr_init2(t, 53), mpfr_init2(y, 200);
    for (uint64_t b = 0; b < 400; b++) {
        for (int i = 0; i < WAVE; i++) {
            uint64_t u = draw(b * WAVE + (uint64_t)i);
            x[i] = (double)(float)ldexp((double)(u >> 40 | 1 << 23), (int)(u % 40) - 35);
            if (b < 40) /* The float nearest to a multiple of pi/2. */
                x[i] = (double)(float)((double)(u % (1 << (b % 24 + 4))) * 0x1.921fb54442d18p0);
        }
        v->turn(x, c, s);
        for (int i = 0; i < WAVE; i++)
            for (int is_sin = 0; is_sin < 2; is_sin++) {
                mpfr_set_d(t, x[i], MPFR_RNDN);
                is_sin ? mpfr_sin(y, t, MPFR_RNDN) : mpfr_cos(y, t, MPFR_RNDN);
                double want = mpfr_get_d(y, MPFR_RNDN);
                mpfr_d_sub(y, is_sin ? s[i] : c[i], y, MPFR_RNDN);
                double e = want == 0 ? fabs(mpfr_get_d(y, MPFR_RNDU)) * 0x1p60 : fabs(mpfr_get_d(y, MPFR_RNDU) / want);
                cr_assert(e <= 0x1p-51, "%s(%a) is off by %g of itself", is_sin ? "sin" : "cos", x[i], e);
                worst = e > worst ? e : worst;
            }
    }
    cr_assert_gt(worst, 0x1p-54); /* Some error is really that large, so that the comparison says something. */
    mpfr_clear(t), mpfr_clear(y);
}

Test(scan, anchors_are_the_exact_turn_rounded)
{
    mpfr_t w, t, y;
    mpfr_init2(w, 224), mpfr_init2(t, 300), mpfr_init2(y, 200);
    double rc[WAVE], rs[WAVE];
    static struct anchor a, b;
    for (int f = 0; f < 6; f++) {
        mpfr_set_si(w, -f * 3, MPFR_RNDN), mpfr_exp(w, w, MPFR_RNDN);
        anchor_table(w, 2, rc, rs);
        anchor_start(&a, w);
        b = a;
        for (int64_t n = 0; n < 5000; n++, anchor_next(&a))
            if (n % 611 == 0 || n > 4990) {
                mpfr_mul_si(t, w, n * WAVE, MPFR_RNDN);
                mpfr_cos(y, t, MPFR_RNDN);
                double e = anchor_cos(&a);
                mpfr_sub_d(y, y, e, MPFR_RNDN);
                cr_assert(fabs(mpfr_get_d(y, MPFR_RNDA)) <= 0x1p-54 * 1.0000001, "anchor %ld", (long)n);
                anchor_at(&b, n);
                cr_assert(anchor_cos(&b) == anchor_cos(&a) && anchor_sin(&b) == anchor_sin(&a),
                    "counting and standing differ at %ld", (long)n);
            }
        for (int i = 0; i < WAVE; i++) {
            mpfr_mul_si(t, w, i + 2, MPFR_RNDN);
            mpfr_sin(y, t, MPFR_RNDN);
            mpfr_sub_d(y, y, rs[i], MPFR_RNDN);
            cr_assert(fabs(mpfr_get_d(y, MPFR_RNDA)) <= 0x1p-54 * 1.0000001, "table %d", i);
        }
    }
    mpfr_clear(w), mpfr_clear(t), mpfr_clear(y);
}

/* Compares the error of an element with the bound, by MPFR: -1, 0 or 1. */
static int exact_order(const struct contract *c, int64_t pos, long k, int is_sin, double bound)
{
    mpfr_t y;
    mpfr_init2(y, 300);
    contract_exact(c, pos, k, is_sin, y);
    double got = contract_value(c, pos, k, is_sin);
    mpfr_d_sub(y, got, y, MPFR_RNDN);
    mpfr_abs(y, y, MPFR_RNDN);
    int order = isfinite(got) ? mpfr_cmp_d(y, bound) : 1;
    mpfr_clear(y);
    return order;
}

Test(scan, valid_to_is_the_boundary_and_the_worst_is_the_worst)
{
    static const char *const contract[] = { "hf-f32", "ggml-f32", "f16", "bf16-position", "phase64" };
    const int64_t limit = 20000;
    char err[400];
    for (size_t m = 0; m < 5; m++)
        for (size_t q = 0; q < 5; q++) {
            struct scan s;
            struct contract c;
            if (undefined(models[m], contract[q]))
                continue;
            cr_assert_eq(scan_run("rope", models[m], contract[q], limit, &s, err, sizeof err), 0, "%s", err);
            cr_assert_eq(contract_open(&c, "rope", models[m], contract[q], err, sizeof err), 0, "%s", err);
            for (int t = 0; t < 3; t++) {
                double bound = ldexp(1, -scan_bits[t]);
                int over = 0;
                for (long k = 0; k < c.pairs && s.valid[t] < limit; k++)
                    over +=
                        exact_order(&c, s.valid[t], k, 0, bound) > 0 || exact_order(&c, s.valid[t], k, 1, bound) > 0;
                cr_assert(s.valid[t] == limit || over, "%s %s: nothing exceeds 2^-%d at position %ld", models[m],
                    contract[q], scan_bits[t], (long)s.valid[t]);
                for (uint64_t i = 0; i < 60 && s.valid[t]; i++) {
                    int64_t pos =
                        i < 8 ? (s.valid[t] - 1 - (int64_t)i % s.valid[t]) : (int64_t)(draw(i) % (uint64_t)s.valid[t]);
                    long k = (long)(draw(i + 500) % (uint64_t)c.pairs);
                    cr_assert(exact_order(&c, pos, k, (int)(i & 1), bound) <= 0,
                        "%s %s exceeds 2^-%d at %ld, before %ld", models[m], contract[q], scan_bits[t], (long)pos,
                        (long)s.valid[t]);
                }
            }
            cr_assert_eq(s.got, contract_value(&c, s.at_pos, s.at_pair, s.is_sin));
            cr_assert(exact_order(&c, s.at_pos, s.at_pair, s.is_sin, nextafter(s.worst, 0)) > 0 &&
                    exact_order(&c, s.at_pos, s.at_pair, s.is_sin, nextafter(s.worst, 9)) < 0,
                "the witness is not the worst");
            double most = 0;
            for (int b = 0; b < s.n_curve; b++)
                most = s.curve[b].worst > most ? s.curve[b].worst : most;
            cr_assert(fabs(most - s.worst) <= 0x1p-48, "curve %a worst %a", most, s.worst);
            for (uint64_t i = 0; i < 300; i++) {
                int64_t pos = (int64_t)(draw(i + 900) % (uint64_t)limit);
                long k = (long)(draw(i + 1900) % (uint64_t)c.pairs);
                if (isfinite(contract_value(&c, pos, k, false)))
                    cr_assert(exact_order(&c, pos, k, (int)(i & 1), nextafter(s.worst + s.slack, 9)) <= 0,
                        "worse at %ld pair %ld", (long)pos, k);
            }
            contract_close(&c);
        }
}

/* A value within 2^-51 of a boundary of rounding is handed back, any other is rounded. */
Test(scan, near_boundaries_are_handed_back)
{
    const struct wave *v = wave_here();
    for (const struct format *f = formats + 1; f->name; f++) {
        double y[WAVE], x[WAVE];
        /* Midpoints of neighbours, moved by 0, by +-2^-52 or, every fourth, by 2^-49, which is far enough. */
        for (int i = 0; i < WAVE; i++) {
            const uint64_t places = f->p < 8 ? (uint64_t)1 << (f->p - 1) : 100; /* so many lie below 1 */
            double ulp = ldexp(1, -f->p), middle = 0.5 + ulp * ((double)(draw((uint64_t)i) % places) + 0.5);
            x[i] = y[i] = middle + (double[]){ 0, 0x1p-53, -0x1p-53, 0x1p-49 }[i % 4] * (i & 4 ? 1 : -1);
        }
        cr_assert_neq(v->round(y, f), 0, "%s", f->name);
        for (int i = 0; i < WAVE; i++)
            cr_assert(
                i % 4 == 3 ? y[i] == wave_round(x[i], f) : isnan(y[i]), "%s %d: %a became %a", f->name, i, x[i], y[i]);
    }
}

/* Every position and pair below 'valid to', in plain double arithmetic of the C library: coarse (1e-7), but it leaves
 * out nothing. */
Test(scan, nothing_before_valid_to_exceeds_the_bound)
{
    static const char *const contract[] = { "hf-f32", "ggml-f32", "bf16-position" };
    const int64_t limit = 12000;
    char err[400];
    long seen = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t q = 0; q < 3; q++) {
            struct scan s;
            struct contract c;
            cr_assert_eq(
                scan_threads("rope", models[m], contract[q], limit, 1 + (int)q, &s, err, sizeof err), 0, "%s", err);
            cr_assert_eq(contract_open(&c, "rope", models[m], contract[q], err, sizeof err), 0, "%s", err);
            for (long k = 0; k < c.pairs; k++) {
                double w = mpfr_get_d(c.exact[k], MPFR_RNDN);
                for (int64_t pos = 0; pos < s.valid[2]; pos++, seen++) {
                    double a = contract_angle(&c, pos, k), t = (double)pos * w,
                           e = fmax(fabs(cos(a) - cos(t)), fabs(sin(a) - sin(t)));
                    double bound = ldexp(1, -scan_bits[pos < s.valid[1] ? 1 : 2]);
                    cr_assert(e <= bound + 1e-7 && e <= s.worst + 1e-7, "%s %s: %g at %ld pair %ld, valid to %ld, %ld",
                        models[m], contract[q], e, (long)pos, k, (long)s.valid[1], (long)s.valid[2]);
                }
            }
            contract_close(&c);
        }
    cr_assert_gt(seen, 1000000);
}

/* The padding row is zero by design, in both tables: it has no error. */
Test(scan, the_padding_row_is_left_out)
{
    char params[80], err[400];
    struct scan s;
    int met = 0;
    cr_assert_eq(row_knows(row_named("sinusoid"), "padding=1", err, sizeof err), 0, "%s", err);
    for (int64_t q = 1; q < 40; q++) {
        cr_assert_eq(scan_run("sinusoid", "dim=64 origin=2", "f32", q + 1, &s, err, sizeof err), 0, "%s", err);
        met += s.at_pos == q;
        snprintf(params, sizeof params, "dim=64 origin=2 padding=%ld", (long)q + 2);
        cr_assert_eq(scan_run("sinusoid", params, "f32", q + 1, &s, err, sizeof err), 0, "%s", err);
        cr_assert(s.at_pos != q, "the padding row at %ld", (long)q);
        cr_assert(q < 39 || met, "no case in which it would have been the worst");
    }
}

Test(scan, threads_change_nothing)
{
    struct scan a, b;
    char err[400];
    for (size_t m = 0; m < 3; m++)
        for (int threads = 2; threads < 8; threads += 3) {
            cr_assert_eq(scan_threads("rope", models[m], "hf-f32", 30001, 1, &a, err, sizeof err), 0, "%s", err);
            cr_assert_eq(scan_threads("rope", models[m], "hf-f32", 30001, threads, &b, err, sizeof err), 0, "%s", err);
            a.seconds = b.seconds = 0;
            cr_assert(!memcmp(a.valid, b.valid, sizeof a.valid) && a.worst == b.worst && a.at_pos == b.at_pos &&
                a.at_pair == b.at_pair && a.n_curve == b.n_curve && !memcmp(a.curve, b.curve, sizeof a.curve));
        }
}

/* d = 128, base 5e5, the float32 recipe at 131072 positions: the error is about 9e-3.  Its witness is pinned and its
 * error enclosed by MPFR. */
Test(scan, llama_at_131072)
{
    struct scan s;
    char err[400];
    cr_assert_eq(scan_run("rope", "dim=128 base=500000", "hf-f32", 131072, &s, err, sizeof err), 0, "%s", err);
    cr_assert(s.at_pos == 130928 && s.at_pair == 2 && s.is_sin, "at %ld pair %ld", s.at_pos, s.at_pair);
    cr_assert(s.worst > 0.0092 && s.worst < 0.0093, "%g", s.worst);
    cr_assert(s.valid[1] == 6325 && s.valid[2] == 49389 && !s.nonfinite, "%ld %ld", (long)s.valid[1], (long)s.valid[2]);
    cr_assert_eq(scan_run("rope", "dim=128 base=500000", "f16", 131072, &s, err, sizeof err), 0, "%s", err);
    cr_assert(s.nonfinite && s.nonfinite_at == 65520, "first overflow at %ld", (long)s.nonfinite_at);
}

Test(scan, bad_questions_get_one_line)
{
    static const struct { const char *row, *params, *contract; int64_t limit; } bad[] = {
        { "rope", "dim=7", "hf-f32", 10 },
        { "rope", "dim=8", "no-such", 10 },
        { "rope", "dim=8", "phase=f32", 10 },
        { "rope", "dim=8", "hf-f32", 0 },
        { "rope", "dim=8", "hf-f32", (1 << 29) + 1 },
        { "t5", "", "f32", 10 },
        { "no-such", "", "f32", 10 },
        { "rope", "dim=8 bogus=1", "hf-f32", 10 },
        { "rope", "dim=8 scaling=ntk rotary=2 factor=2", "hf-f32", 10 },
        { "rope", "dim=8", "freq=f64 phase=f32 table=f32", 10 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct scan s;
        char err[400] = "";
        cr_assert_neq(scan_run(bad[i].row, bad[i].params, bad[i].contract, bad[i].limit, &s, err, sizeof err), 0,
            "accepted %s %s", bad[i].params, bad[i].contract);
        cr_assert(*err && !strchr(err, '\n'), "%s", err);
    }
}

Test(scan, sinusoidal_tables_too)
{
    const struct row *r = row_named("sinusoid");
    static double y[64];
    char err[400], text[400];
    for (const struct preset *p = r->contracts; p->name; p++)
        for (int concat = 0; concat < 2; concat++) {
            const char *params = concat ? "dim=64 layout=concat spacing=shifted origin=2" : "dim=64";
            struct contract c;
            struct scan s;
            cr_assert_eq(contract_open(&c, "sinusoid", params, p->name, err, sizeof err), 0, "%s", err);
            without_store(p->text, text);
            for (uint64_t i = 0; i < 40; i++) {
                int64_t pos = (int64_t)(draw(i) & 0xffff);
                cr_assert(page_line(r, params, text, "p", pos, 64, y));
                for (long k = 0; k < 32; k++) {
                    cr_assert(
                        same(contract_value(&c, pos, k, true), y[concat ? k : 2 * k]), "sin at %ld, %ld", (long)pos, k);
                    cr_assert(same(contract_value(&c, pos, k, false), y[concat ? 32 + k : 2 * k + 1]),
                        "cos at %ld, %ld", (long)pos, k);
                }
            }
            contract_close(&c);
            cr_assert_eq(scan_run("sinusoid", params, p->name, 4096, &s, err, sizeof err), 0, "%s", err);
        }
}

/* A table in a format that ends in its largest number, and not in infinities, is none that is searched. */
Test(scan, formats_that_saturate_are_refused)
{
    static const char *const step[] = { "position", "freq", "phase", "table" };
    for (size_t f = 0; f < FORMATS; f++)
        for (int k = 0; k < 4; k++) {
            struct contract c;
            char text[120] = "", err[600] = "";
            for (int j = 0; j < 4; j++)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s=%s ", step[j],
                    j == k ? formats[f].name : "f32");
            const int rc = contract_open(&c, "rope", "dim=8", text, err, sizeof err);
            if (formats[f].saturates)
                cr_expect(rc && strstr(err, step[k]) && strstr(err, formats[f].name), "%s: %s", text, err);
            else
                cr_expect(!strstr(err, "largest number"), "%s: %s", text, err);
            if (!rc)
                contract_close(&c);
        }
}
