/* The report's curves: the sinusoidal table, its inner products, the frequency laws, and errors in ULP of two float32 tables. */
#include <math.h>
#include <stdio.h>
#include "contract.h"
#include "examine.h"
#include "report.h"

static const struct arith exact = { 0 };

/* Line 0 of a quantity at one position, exact to 12 bits beyond f64; balls live in w. */
static bool line_at(struct ask *w, struct trial *t, const char *row, const char *params, const char *out, double pos, const struct ball **y, long most)
{
    char err[400];
    if (trial_make(t, row, params, out, MER_F64, "n=1", 1, err, sizeof err))
        return false;
    struct mer_array *p = mer_find(t->in, t->call.n_in, "pos");
    if (p)
        array_put(p, 0, pos);
    *w = (struct ask){ .params = t->params, .call = &t->call, .arith = &exact, .len = t->out[0].dim[t->out[0].rank - 1] };
    return w->len <= most && line_eval(w, row_quantity(t->row, out), &formats[0], y) == YES;
}

enum { HEAT = 128, HEAT_DIM = 128 };
static void fill_heat(struct report *r, const void *with)
{
    const struct ball *y[HEAT_DIM];
    (void)with;
    for (int i = 0; i < HEAT; i++) {
        struct ask w = { 0 };
        struct trial t;
        char series[24];
        snprintf(series, sizeof series, "%d", i);
        if (line_at(&w, &t, "sinusoid", "dim=128", "p", i, y, HEAT_DIM))
            for (long k = 0; k < w.len; k++)
                store_point(r->store, series, (double)k, b_value(y[k]));
        ask_clear(&w);
        trial_close(&t);
    }
    report_put(r, &(struct entry){ .row = "sinusoid", .quantity = "p", .subject = "reference", .params = "dim=128", .measure = "heat map", .value = HEAT, .bound = (double)NAN, .n = HEAT * HEAT_DIM, .method = "exhaustive" });
}

/* <P_p, P_{p+D}> = sum_k cos(w_k D) =: S(D).  A rise S(D+1) > S(D) is certified when the balls do not meet. */
enum { DISTANCES = 256 };
static void fill_inner(struct report *r, const void *with)
{
    const struct ball *y[64];
    double low[DISTANCES], high[DISTANCES];
    struct entry e = { .row = "sinusoid", .quantity = "p", .subject = "reference", .params = "dim=64", .measure = "certified rise", .bound = (double)NAN, .n = DISTANCES, .method = "exhaustive" };
    (void)with;
    for (int d = 0; d < DISTANCES; d++) {
        struct ask w = { 0 };
        struct trial t;
        low[d] = high[d] = (double)NAN;
        if (line_at(&w, &t, "sinusoid", "dim=64 layout=concat", "p", d, y, 64)) {
            const struct ball *s = y[32]; /* concat: cosines follow the sines */
            for (int k = 33; k < 64; k++)
                s = b_add(&w, s, y[k]);
            mpfr_t edge;
            mpfr_init2(edge, mpfr_get_prec(s->mid) + 64);
            mpfr_sub_d(edge, s->mid, b_radius(s), MPFR_RNDD);
            low[d] = mpfr_get_d(edge, MPFR_RNDD);
            mpfr_add_d(edge, s->mid, b_radius(s), MPFR_RNDU);
            high[d] = mpfr_get_d(edge, MPFR_RNDU);
            store_point(r->store, "inner", d, b_value(s));
            mpfr_clear(edge);
        }
        ask_clear(&w);
        trial_close(&t);
    }
    int rises = 0;
    for (int d = 0; d + 1 < DISTANCES; d++)
        if (low[d + 1] > high[d]) {
            char witness[120];
            snprintf(witness, sizeof witness, "S(%d) >= %a > %a >= S(%d)", d + 1, low[d + 1], high[d], d);
            e.value = d, e.witness = witness, e.verdict = "PASS";
            report_put(r, &e);
            store_point(r->store, "rise", d + 1, low[d + 1]);
            rises++;
        }
    e.measure = "rises", e.value = rises, e.witness = "", e.verdict = "";
    report_put(r, &e);
}

struct law_of { const char *name, *params; };

static void fill_law(struct report *r, const void *with) /* w'_k / w_k against k / K */
{
    static const struct ball *y[2][4096];
    const struct law_of *l = with;
    struct ask w[2] = { 0 };
    struct trial t[2] = { 0 };
    char plain[200] = "";
    const char *text = l->params;
    for (const char *word = text; *word; word += strcspn(word, " "), word += strspn(word, " ")) /* the same head, without the law */
        if (!strncmp(word, "dim=", 4) || !strncmp(word, "base=", 5) || !strncmp(word, "rotary=", 7) || !strncmp(word, "layout=", 7))
            snprintf(plain + strlen(plain), sizeof plain - strlen(plain), "%.*s ", (int)strcspn(word, " "), word);
    bool ok = line_at(&w[0], &t[0], "rope", text, "freq", 0, y[0], 4096) && line_at(&w[1], &t[1], "rope", plain, "freq", 0, y[1], 4096) && w[0].len == w[1].len;
    mpfr_t ratio;
    mpfr_init2(ratio, 128);
    for (long k = 0; ok && k < w[0].len; k++) {
        mpfr_div(ratio, y[0][k]->mid, y[1][k]->mid, MPFR_RNDN);
        store_point(r->store, l->name, w[0].len > 1 ? (double)k / (double)(w[0].len - 1) : 0, mpfr_get_d(ratio, MPFR_RNDN));
    }
    report_put(r, &(struct entry){ .row = "rope", .quantity = "freq", .subject = l->name, .params = text, .measure = "law", .value = ok ? mpfr_get_d(ratio, MPFR_RNDN) : (double)NAN, .bound = (double)NAN, .n = ok ? w[0].len : 0, .method = "exhaustive", .verdict = ok ? "" : "SKIP" });
    mpfr_clear(ratio);
    for (int k = 0; k < 2; k++)
        ask_clear(&w[k]), trial_close(&t[k]);
}

enum { BINS = 80, LEAST = -24 }; /* half octaves of |error| in ULP: bin b holds 2^((b+LEAST)/2) <= |error| < 2^((b+1+LEAST)/2) */

static void count(long *bins, double ulp)
{
    double b = ulp > 0 ? floor(2 * log2(ulp)) - LEAST : 0;
    bins[b < 0 ? 0 : b >= BINS ? BINS - 1 : (int)b]++;
}

static void fill_histogram(struct report *r, const void *with)
{
    static const char params[] = "dim=128 base=500000";
    enum { POSITIONS = 256, CONTEXT = 131072 };
    char err[400], sizes[24];
    const struct row *row = row_named("rope");
    const struct mer_kernel *best = NULL;
    const char *slot = "";
    const struct preset *hf = row->contracts;
    struct trial t;
    struct contract c;
    long bins[2][BINS] = { { 0 } }, n = 0;
    double worst[2] = { 0, 0 };
    (void)with;
    snprintf(sizes, sizeof sizes, "n=%d", POSITIONS);
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && s->here(); k++)
            if (!strcmp(k->row, "rope") && !strcmp(k->out, "cos sin") && !strcmp(k->type, "f32"))
                best = k, slot = s->name;
    bool made = best && trial_make(&t, "rope", params, "cos sin", MER_F32, sizes, 1, err, sizeof err) == 0;
    if (!made)
        return;
    struct mer_array *pos = mer_find(t.in, t.call.n_in, "pos");
    for (int i = 0; i < POSITIONS; i++)
        array_put(pos, i, (double)(gen_bits(1, 77, (uint64_t)i) % CONTEXT));
    if (mer_ask(best, &t.call) == MER_OK && contract_open(&c, "rope", params, hf->text, err, sizeof err) == 0) {
        struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = 64 };
        const struct ball *y[64];
        for (w.at[0] = 0; w.at[0] < POSITIONS; w.at[0]++)
            for (int o = 0; o < 2; o++) {
                if (line_eval(&w, row_quantity(row, t.out[o].name), &formats[1], y) != YES)
                    continue;
                for (long k = 0; k < 64; k++, n++) {
                    double got[2] = { array_get(&t.out[o], w.at[0] * 64 + k), contract_value(&c, (int64_t)array_get(pos, w.at[0]), k, o == 1) };
                    for (int who = 0; who < 2; who++) {
                        double u = fabs(ruler_read(y[k], got[who], &formats[1]).ulp);
                        count(bins[who], u);
                        worst[who] = fmax(worst[who], u);
                    }
                }
            }
        ask_clear(&w);
        contract_close(&c);
    }
    for (int who = 0; who < 2; who++) {
        for (int b = 0; b < BINS && n; b++)
            store_point(r->store, who ? "hf-f32" : "own", ldexp(pow(2, 0.5 * ((b + LEAST) & 1)), (b + LEAST - ((b + LEAST) & 1)) / 2), (double)bins[who][b] / (double)n);
        report_put(r, &(struct entry){ .row = "rope", .quantity = "cos sin", .subject = who ? hf->name : slot, .params = params, .measure = "histogram ulp", .value = worst[who], .bound = (double)NAN, .n = n, .seed = 1, .method = "sample", .witness = "256 random positions below 131072, every pair" });
    }
    trial_close(&t);
}

int report_curves(struct report *r)
{
    const struct row *rope = row_named("rope");
    static char what[TEXT_MAX + 100];
    if (!rope || !row_named("sinusoid"))
        return 0;
    report_item(r, "heat map of the sinusoidal table", fill_heat, NULL);
    report_item(r, "inner products of sinusoidal encodings", fill_inner, NULL);
    report_item(r, "errors in ULP of two float32 tables", fill_histogram, NULL);
    for (const struct preset *p = rope->presets; p->name && !*r->err; p++) {
        struct law_of l = { p->name, p->text };
        snprintf(what, sizeof what, "frequency law %s: %s", p->name, p->text);
        if (strstr(p->text, "scaling=") && !strstr(p->text, "scaling=longrope"))
            report_item(r, what, fill_law, &l);
    }
    return *r->err ? -1 : 0;
}
