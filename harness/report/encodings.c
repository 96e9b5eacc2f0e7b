/* The report on the encodings themselves: the sinusoidal table, its inner products, the frequency laws. */
#include <math.h>
#include <stdio.h>
#include "examine/examine.h"
#include "page/page.h"
#include "page/plot.h"
#include "report/core/report.h"
#include "base/words.h"

static const struct arith exact = { 0 };

/* Evaluates line 0 of a quantity at one position, accurate to 12 bits beyond f64; the balls belong to w. */
static bool line_at(struct ask *w, struct trial *t, const char *row, const char *params, const char *out, double pos,
    const struct ball **y, long most)
{
    char err[400];
    if (trial_make(t, &(struct trial_spec){ row, params, out, MER_F64, "n=1", 1 }, err, sizeof err))
        return false;
    struct mer_array *p = mer_find(t->in, t->call.n_in, "pos");
    if (p)
        array_put(p, 0, pos);
    *w = (struct ask){
        .params = t->params, .call = &t->call, .arith = &exact, .len = t->out[0].dim[t->out[0].rank - 1]
    };
    return w->len <= most && line_eval(w, row_quantity(t->row, out), &formats[0], y) == YES;
}

/* <P_p, P_{p+D}> = sum_k cos(w_k D) =: S(D).  A rise S(D+1) > S(D) is certified when the balls do not meet. */
enum { DISTANCES = 256 };
static void fill_inner(struct report *r, const void *with)
{
    const struct ball *y[64];
    double low[DISTANCES], high[DISTANCES];
    struct entry e = { .row = "sinusoid",
        .quantity = "p",
        .subject = "reference",
        .params = "dim=64",
        .measure = "certified rise",
        .bound = (double)NAN,
        .n = DISTANCES,
        .method = "exhaustive" };
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

struct named_law { const char *name, *params; };

/* Stores w'_k / w_k against k / K for a scaling law. */
static void fill_law(struct report *r, const void *with)
{
    static const struct ball *y[2][4096];
    const struct named_law *l = with;
    struct ask w[2] = { 0 };
    struct trial t[2] = { 0 };
    char plain[200] = "";
    const char *text = l->params;
    /* the same head, without the law */
    for (const char *word = text; *word; word = word_next(word))
        if (!strncmp(word, "dim=", 4) || !strncmp(word, "base=", 5) || !strncmp(word, "rotary=", 7) ||
            !strncmp(word, "layout=", 7))
            snprintf(plain + strlen(plain), sizeof plain - strlen(plain), "%.*s ", (int)strcspn(word, " "), word);
    bool ok = line_at(&w[0], &t[0], "rope", text, "freq", 0, y[0], 4096) &&
        line_at(&w[1], &t[1], "rope", plain, "freq", 0, y[1], 4096) && w[0].len == w[1].len;
    mpfr_t ratio;
    mpfr_init2(ratio, 128);
    for (long k = 0; ok && k < w[0].len; k++) {
        mpfr_div(ratio, y[0][k]->mid, y[1][k]->mid, MPFR_RNDN);
        store_point(
            r->store, l->name, w[0].len > 1 ? (double)k / (double)(w[0].len - 1) : 0, mpfr_get_d(ratio, MPFR_RNDN));
    }
    report_put(r,
        &(struct entry){ .row = "rope",
            .quantity = "freq",
            .subject = l->name,
            .params = text,
            .measure = "law",
            .value = ok ? mpfr_get_d(ratio, MPFR_RNDN) : (double)NAN,
            .bound = (double)NAN,
            .n = ok ? w[0].len : 0,
            .method = "exhaustive",
            .verdict = ok ? "" : "SKIP" });
    mpfr_clear(ratio);
    for (int k = 0; k < 2; k++)
        ask_clear(&w[k]), trial_close(&t[k]);
}

static int measure(struct report *r)
{
    const struct row *rope = row_named("rope");
    static char what[TEXT_MAX + 100];
    if (!rope || !row_named("sinusoid"))
        return 0;
    report_item(r, "inner products of sinusoidal encodings", fill_inner, NULL);
    for (const struct preset *p = rope->presets; p->name && !*r->err; p++) {
        struct named_law l = { p->name, p->text };
        snprintf(what, sizeof what, "frequency law %s: %s", p->name, p->text);
        if (strstr(p->text, "scaling=") && !strstr(p->text, "scaling=longrope"))
            report_item(r, what, fill_law, &l);
    }
    return *r->err ? -1 : 0;
}

static int laws(struct report *r, struct plot *p)
{
    sqlite3 *db = store_db(r->store);
    sqlite3_stmt *q = NULL;
    double y[16] = { 0 };
    char name[16][64];
    int n = 0;
    plot_open(p, r->dir, "fig-laws", "What each scaling law does to the frequencies",
        "multiplier w'/w against pair (0 fastest, 1 slowest); exact values");
    fprintf(p->set,
        "set logscale y 2\nset format y \"2^{%%L}\"\nset xlabel \"pair / (pairs - 1)\"\nset xrange [0:1]\nset yrange "
        "[1.0/128:1.35]\nset ytics (\"1\" 1, \"1/2\" 0.5, \"1/4\" 0.25, \"1/8\" 0.125, \"1/16\" 0.0625, \"1/32\" "
        "0.03125, \"1/64\" 0.015625)\nset rmargin 22\n");
    sqlite3_prepare_v2(db, "SELECT subject, value FROM now WHERE measure='law' AND n > 0 ORDER BY value", -1, &q, NULL);
    while (q && n < 16 && sqlite3_step(q) == SQLITE_ROW) {
        snprintf(name[n], sizeof name[n], "%.60s", (const char *)sqlite3_column_text(q, 0));
        y[n++] = log2(sqlite3_column_double(q, 1));
    }
    sqlite3_finalize(q);
    double at[16];
    memcpy(at, y, sizeof at);
    plot_spread(at, n, 0.33);
    for (int k = 0; k < n; k++) {
        plot_series(p, db,
            "SELECT c.x, c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='law' AND s.subject=c.series WHERE "
            "c.series='%s' ORDER BY c.x",
            name[k]);
        fprintf(p->set, "set label %d \"%s\" at graph 1.02, first %.5g left tc rgb \"%s\"\n", 10 + k, name[k],
            exp2(at[k]), plot_colour[k % 6]);
    }
    if (!n)
        snprintf(p->why, sizeof p->why, "no law was measured");
    fprintf(p->draw, "plot ");
    for (int k = 0; k < n; k++)
        fprintf(p->draw, "%sdata index %d using 1:2 with lines lw 2.2 dt %d lc rgb \"%s\"", k ? ", " : "", k,
            k % 5 == 0 ? 1 : k % 5 + 1, plot_colour[k % 6]);
    return plot_close(p);
}

static int inner(struct report *r, struct plot *p)
{
    plot_open(p, r->dir, "fig-inner", "Inner product of two sinusoidal encodings by distance, width 64",
        "sum of cosines, exact; orange: distances where it certainly rises, so nearness is not monotone");
    fprintf(p->set, "set xlabel \"distance\"\nset xrange [0:128]\nset yrange [0:34]\n");
    plot_series(p, store_db(r->store),
        "SELECT c.x, c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='rises' WHERE c.series='inner' AND c.x "
        "<= 128 ORDER BY c.x");
    plot_series(p, store_db(r->store),
        "SELECT c.x, c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='rises' WHERE c.series='rise' AND c.x <= "
        "128 ORDER BY c.x");
    fprintf(p->draw,
        "plot data index 0 using 1:2 with lines lw 2 lc rgb \"%s\", data index 1 using 1:2 with points pt 7 ps 0.55 lc "
        "rgb \"%s\"",
        plot_colour[0], plot_colour[1]);
    return plot_close(p);
}

static void page(struct page *p)
{
    page_figure(
        p, "fig-laws", "Scaling laws in deployment: multiplier on each frequency. Plain RoPE is the line at 1.");
    page_figure(p, "fig-inner", "Sum of cosines of the distance: it does not fall steadily.");
    page_say(p,
        "SELECT 'Width 64: ' || many(value) || ' certified rises below distance ' || many(n) || '; the first: ' || "
        "(SELECT witness FROM now WHERE measure='certified rise' ORDER BY value LIMIT 1) || '.' FROM now WHERE "
        "measure='rises'");
}

const struct section section_encodings = {
    .name = "encodings", .title = "The encodings", .order = 300, .measure = measure,
    .figure = { { "fig-laws", laws, "rope" }, { "fig-inner", inner, "sinusoid" } },
    .page = page,
};
