/* Topics about biases, clipped tables and the length of a softmax; see exact_facts.h. */
#include <stdio.h>
#include "lab/exact/exact_facts.h"
#include "law.h"

/* Equal scores under linear biases: p(d) ~ q^d, q = e^-m. */
void topic_alibi(struct facts *f, const struct fact_for *a)
{
    enum { HEADS = 8 };
    struct ask *w = f->w;
    (void)a;
    for (long h = 0; h < HEADS; h++) {
        const struct ball *m, *one = b_si(w, 1), *two = b_si(w, 2), *ln2 = b_log(w, two);
        line_of(w, (struct page_of){ row_named("alibi"), "slopes", "heads=8" }, (long[MER_RANK]){ h }, 1, &m);
        const struct ball *q = b_exp(w, b_neg(w, m)), *rest = b_sub(w, one, q), *hundred = b_log(w, b_si(w, 100));
        const int of = 1 << (h + 1);
        fact_number(f, "slope", m, "m=1/%d", of);
        fact_number(f, "distance of 99 % of the weight", b_div(w, hundred, m), "m=1/%d", of);
        fact_number(f, "mean distance", b_div(w, one, b_sub(w, b_exp(w, m), one)), "m=1/%d", of);
        fact_number(f, "entropy in nats", b_sub(w, b_div(w, b_mul(w, m, q), rest), b_log(w, rest)), "m=1/%d", of);
        fact_number(f, "reach of 1 % against scores in +-5", b_div(w, b_add(w, b_si(w, 10), hundred), m), "m=1/%d", of);
        fact_number(f, "float32 weights are subnormal beyond", b_div(w, b_mul(w, b_si(w, 126), ln2), m), "m=1/%d", of);
        fact_number(f, "float32 weights are 0 beyond", b_div(w, b_mul(w, b_si(w, 150), ln2), m), "m=1/%d", of);
    }
}

/* Equal scores of n keys: H = ln n.  One key with margin g has half the weight if e^g >= n - 1. */
void topic_entropy(struct facts *f, const struct fact_for *a)
{
    static const struct {
        long trained, n, at[4];
    } own[] = { { 512, 3, { 1024, 2048, 4096 } }, { 64, 4, { 128, 256, 512, 1024 } } };
    static const long factors[] = { 2, 4, 16, 32 };
    struct ask *w = f->w;
    for (int k = 0; k < (a->trained || a->lengths ? 1 : 2); k++) {
        const long trained = a->trained ? a->trained : own[k].trained, n = a->lengths ? a->lengths : own[k].n;
        for (long i = 0; i < n; i++) {
            const long at = a->lengths ? a->length[i] : own[k].at[i];
            const struct ball *most = b_log(w, b_si(w, at));
            fact_number(f, "entropy of equal scores", most, "n=%ld", at);
            if (at > 2)
                fact_number(f, "margin that keeps half the weight", b_log(w, b_si(w, at - 1)), "n=%ld", at);
            if (trained > 1)
                fact_number(f, "log-n factor", at > trained ? b_div(w, most, b_log(w, b_si(w, trained))) : b_si(w, 1),
                    "n=%ld trained=%ld", at, trained);
        }
    }
    for (int k = 0; k < 4; k++) {
        char params[80];
        const struct ball *y;
        snprintf(params, sizeof params, "dim=64 scaling=yarn factor=%ld trained=4096", factors[k]);
        line_of(w, (struct page_of){ row_named("rope"), "amplitude", params }, NULL, 1, &y);
        fact_number(f, "amplitude of YaRN", y, "factor=%ld", factors[k]);
    }
}

/* Of L (L + 1) / 2 pairs, N (N + 1) / 2 stand k or more apart, N = L - k. */
void topic_clip(struct facts *f, const struct fact_for *a)
{
    static const struct {
        long reach, n, at[3];
    } own[] = { { 16, 3, { 64, 512, 1024 } }, { 128, 2, { 512, 4096 } }, { 512, 2, { 1024, 4096 } } };
    for (int k = 0; k < (a->trained || a->lengths ? 1 : 3); k++)
        for (long i = 0; i < (a->lengths ? a->lengths : own[k].n); i++) {
            const long reach = a->trained ? a->trained : own[k].reach, at = a->lengths ? a->length[i] : own[k].at[i],
                       n = at > reach ? at - reach : 0;
            fact_number(f, "share of pairs k or more apart", b_ratio(f->w, n * (n + 1), at * (at + 1)), "k=%ld L=%ld",
                reach, at);
        }
}

static long bucket(struct ask *w, const char *params, long distance)
{
    return law_distance(w, row_named("t5"), "bucket", params, (double)-distance);
}
void topic_buckets(struct facts *f, const struct fact_for *a)
{
    static const long own[] = { 64, 128, 512 };
    static const char *const both[] = { "direction=causal", "direction=bidirectional" };
    struct ask *w = f->w;
    char params[100];
    for (int k = 0; k < 2; k++) {
        snprintf(params, sizeof params, "buckets=32 max_distance=128 %s", both[k]);
        for (long d = 1, last = 0; d <= 128; d++) {
            const long now = bucket(w, params, d);
            if (now != last)
                fact_integer(f, "first distance", d, "buckets=32 max_distance=128 %s bucket=%ld",
                    k ? "bidirectional" : "causal", now);
            last = now;
        }
    }
    for (long i = 0; i < (a->lengths ? a->lengths : 3); i++) {
        const long at = a->lengths ? a->length[i] : own[i];
        fact_integer(f, "buckets never trained", 31 - bucket(w, "buckets=32 max_distance=128 direction=causal", at - 1),
            "buckets=32 max_distance=128 causal L=%ld", at);
    }
}
