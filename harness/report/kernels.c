/* The report on own kernels: known maximum errors, in the manner of Zimmermann et al. */
#include <math.h>
#include <stdio.h>
#include "examine/examine.h"
#include "context/contract.h"
#include "context/exhaust.h"
#include "page/page.h"
#include "page/plot.h"
#include "report/core/report.h"

struct kernels_table { const char *row, *params; int64_t limit; int type; int64_t recheck; };

/* Compares every entry of libmeridian's table, without sampling. */
static void fill_table(struct report *r, const void *with)
{
    const struct kernels_table *t = with;
    struct exhaust x = { 0 };
    char witness[200];
    int rc = exhaust_run(t->row, t->params, t->limit, t->type, t->recheck, &x);
    snprintf(witness, sizeof witness,
        "position %lld, pair %ld, %s: got %a; %lld entries asked of MPFR, %lld wrong, %lld left open; %lld random "
        "entries asked again, %lld wrong",
        (long long)x.pos, x.k, x.sine ? "sin" : "cos", x.got, (long long)x.undecided, (long long)x.wrong,
        (long long)x.open, (long long)x.rechecked, (long long)x.recheck_wrong);
    report_put(r,
        &(struct entry){ .row = t->row,
            .quantity = "cos sin",
            .subject = type_name[t->type],
            .params = t->params,
            .measure = rc ? "not run" : "exhaustive ulp",
            .value = rc ? (double)NAN : x.ulp,
            .bound = 0.5,
            .n = x.entries,
            .method = rc ? "" : "exhaustive",
            .witness = rc ? x.err : witness,
            .verdict = rc                                     ? "SKIP" :
                x.wrong || x.recheck_wrong || !(x.ulp <= 0.5) ? "FAIL" :
                x.open                                        ? "UNDECIDED" :
                                                                "PASS" });
}

static int tables(struct report *r)
{
    static const struct kernels_table list[] = {
        { "rope", "dim=128", 131072, MER_F32, 0 },
        { "rope", "dim=128 base=500000 scaling=llama3 factor=8 trained=8192", 131072, MER_F32, 0 },
        { "rope", "dim=128", 131072, MER_BF16, 0 },
        { "rope", "dim=128", 131072, MER_F16, 0 },
        { "sinusoid", "dim=512", 16384, MER_F32, 0 },
    };
    char what[200];
    for (int k = 0; k < (int)(sizeof list / sizeof *list) && !*r->err; k++) {
        struct kernels_table t = list[k];
        t.limit = r->quick ? t.limit / 256 : t.limit, t.recheck = r->quick ? 1000 : 100000;
        snprintf(what, sizeof what, "every entry of %s %s below %lld in %s", t.row, t.params, (long long)t.limit,
            type_name[t.type]);
        report_item(r, what, fill_table, &t);
    }
    return *r->err ? -1 : 0;
}

static const struct arith exact = { 0 };

/* Histograms have half octaves of |error| in ULP: bin b holds 2^((b+LEAST)/2) <= |error| < 2^((b+1+LEAST)/2) */
enum { BINS = 80, LEAST = -24 };

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
    bool made = best && trial_make(&t, &(struct trial_spec){ "rope", params, "cos sin", MER_F32, sizes, 1 }, err,
        sizeof err) == 0;
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
                    double got[2] = { array_get(&t.out[o], w.at[0] * 64 + k),
                        contract_value(&c, (int64_t)array_get(pos, w.at[0]), k, o == 1) };
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
            store_point(r->store, who ? "hf-f32" : "own",
                ldexp(pow(2, 0.5 * ((b + LEAST) & 1)), (b + LEAST - ((b + LEAST) & 1)) / 2),
                (double)bins[who][b] / (double)n);
        report_put(r,
            &(struct entry){ .row = "rope",
                .quantity = "cos sin",
                .subject = who ? hf->name : slot,
                .params = params,
                .measure = "histogram ulp",
                .value = worst[who],
                .bound = (double)NAN,
                .n = n,
                .seed = 1,
                .method = "sample",
                .witness = "256 random positions below 131072, every pair" });
    }
    trial_close(&t);
}

static int measure(struct report *r)
{
    return report_item(r, "errors in ULP of two float32 tables", fill_histogram, NULL) || report_questions(r) ||
            tables(r) ?
        -1 :
        0;
}

static const char headlines[] =
    "SELECT 'A float32 cos/sin table need not lose any of this: over ' || many(own.n) || ' sampled entries the own "
    "kernel (' || own.subject || ') is at most ' || num(own.bits, 4) || ' ULP off, the usual recipe up to ' || "
    "num(hf.bits) || ' ULP.'"
    " FROM now own, now hf WHERE own.measure='histogram ulp' AND hf.measure='histogram ulp' AND hf.subject='hf-f32' "
    "AND own.subject<>'hf-f32' AND own.n > 0"
    " UNION ALL SELECT 'Own tables: all of ' || many(sum(n)) || ' entries checked, ' || CASE WHEN sum(verdict<>'PASS') "
    "= 0 THEN 'every one correctly rounded (at most ' || num(max(value), 8) || ' ULP off).' ELSE "
    "many(sum(verdict<>'PASS')) || ' of ' || many(count(*)) || ' tables are not shown to be correctly rounded.' END "
    "FROM now WHERE measure='exhaustive ulp' HAVING count(*) > 0"
    " UNION ALL SELECT 'Own kernels: ' || many(count(*) FILTER (WHERE verdict='PASS')) || ' of ' || many(count(*)) || "
    "' questions within their derived bounds, ' || many(count(*) FILTER (WHERE verdict IN ('FAIL','CRASH'))) || ' "
    "fail, '"
    " || many(count(*) FILTER (WHERE verdict IN ('VACUOUS','UNDECIDED'))) || ' decide nothing.' FROM now WHERE "
    "measure='gauge'";

static int histogram(struct report *r, struct plot *p)
{
    sqlite3 *db = store_db(r->store);
    plot_open(p, r->dir, "fig-ulp", "Error of a float32 cos/sin table, in units in the last place",
        "dim 128, base 500000, random positions below 131072, all pairs; dashed: 1/2 ULP, where correct rounding ends");
    fprintf(p->set,
        "set logscale x 2\nset xtics (\"2^{-12}\" 2**-12, \"2^{-8}\" 2**-8, \"2^{-4}\" 2**-4, \"1/2\" 0.5, \"4\" 4, "
        "\"64\" 64, \"1k\" 1024, \"32k\" 32768, \"1M\" 1048576, \"32M\" 33554432)\n"
        "set xlabel \"|error| / ULP\"\nset ylabel \"share of entries per half octave, percent\"\nset xrange "
        "[2**-12:2**27]\nset yrange [0:*]\nset arrow from 0.5, graph 0 to 0.5, graph 1 nohead dt 2 lc rgb "
        "\"#777777\"\n");
    plot_series(p, db,
        "SELECT c.x, 100*c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='histogram ulp' AND "
        "s.subject='hf-f32' WHERE c.series='own' ORDER BY c.x");
    plot_series(p, db,
        "SELECT c.x, 100*c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='histogram ulp' AND "
        "s.subject='hf-f32' WHERE c.series='hf-f32' ORDER BY c.x");
    fprintf(p->set,
        "set label 10 \"own kernel\" at 0.09, graph 0.9 right tc rgb \"%s\"\nset label 11 \"usual float32 recipe "
        "(hf-f32)\" at 700, graph 0.16 left tc rgb \"%s\"\n",
        plot_colour[0], plot_colour[1]);
    fprintf(p->draw,
        "plot data index 0 using 1:2 with fillsteps fs solid 0.35 lc rgb \"%s\", data index 0 using 1:2 with steps lw "
        "1.6 lc rgb \"%s\", data index 1 using 1:2 with fillsteps fs solid 0.35 lc rgb \"%s\", data index 1 using 1:2 "
        "with steps lw 1.6 dt 2 lc rgb \"%s\"",
        plot_colour[0], plot_colour[0], plot_colour[1], plot_colour[1]);
    return plot_close(p);
}

static void page(struct page *p)
{
    page_text(p,
        "Largest error seen, not a proof unless the method says exhaustive: a sample is a lower bound on the maximum. "
        "The gauge is |error| in units of 2^-p times the same formula on absolute values; a verdict compares every "
        "element with its own bound, derived from the declared arithmetic; claimed is what the kernel itself states, "
        "and each column is a maximum of its own.");
    page_table(p, "Known maximum error by row, slot and format", NULL,
        "SELECT g.row, g.quantity AS outputs, g.subject AS 'slot, format', num(max(g.value), 4) AS 'worst gauge', CASE "
        "WHEN max(c.witness) <> '' THEN max(c.witness) WHEN max(c.value) > 0 THEN num(max(c.value), 4) END AS claimed, "
        "num(max(g.bound), 4) AS 'derived bound', num(max(u.value), 4) AS 'worst ULP', num(max(b.value)) AS 'bound "
        "used',"
        " many(sum(k.value)) || ' of ' || many(sum(g.n)) AS 'correctly rounded', g.method || ', seed ' || g.seed AS "
        "method, (SELECT x.params || ' ' || x.witness FROM now x WHERE x.measure='bound used' AND x.row=g.row AND "
        "x.quantity=g.quantity AND x.subject=g.subject"
        " ORDER BY x.value DESC LIMIT 1) AS 'witness (most of its bound)', CASE WHEN sum(g.verdict='FAIL') THEN 'FAIL' "
        "WHEN sum(g.verdict<>'PASS') THEN 'VACUOUS in ' || sum(g.verdict<>'PASS') || ' of ' || count(*) ELSE 'PASS' "
        "END AS verdict, (SELECT x.witness FROM now x WHERE x.measure='profile' AND x.row=g.row AND "
        "x.quantity=g.quantity AND x.subject=g.subject LIMIT 1) AS 'declared arithmetic'"
        " FROM now g JOIN now c ON c.key=g.key AND c.measure='claimed' JOIN now u ON u.key=g.key AND u.measure='ulp' "
        "JOIN now b ON b.key=g.key AND b.measure='bound used' JOIN now k ON k.key=g.key AND k.measure='correct'"
        " WHERE g.measure='gauge' GROUP BY g.row, g.quantity, g.subject ORDER BY g.row, g.quantity, g.subject");
    page_table(p, "Exhaustive checks of own tables", NULL,
        "SELECT row, params AS parameters, subject AS format, many(n) AS entries, num(bits, 8) AS 'worst ULP', method, "
        "verdict, witness FROM now WHERE measure='exhaustive ulp' ORDER BY at");
    page_figure(p, "fig-ulp", "The same table twice: correctly rounded, and by the usual float32 recipe.");
}

const struct section section_kernels = {
    .name = "kernels", .title = "Own kernels: known maximum errors", .order = 200, .measure = measure,
    .figure = { { "fig-ulp", histogram, "rope" } },
    .headlines = headlines, .page = page,
};
