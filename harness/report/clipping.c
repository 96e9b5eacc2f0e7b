/* The report on clipped distances: error, its share of the derived bound, and saturated pairs, against the clip range
 * and against the length.
 *   saturated: a pair that reads the same as every farther pair of its side; counted among all visible pairs, by what
 *   the row's page reads at each distance
 * float32: the row's kernel of the best slot here.  bfloat16: a kernel too where a slot has one, else the recipe, which
 * is the row's page with every step rounded as in a mixed-precision layer (weights, tables and what is stored in
 * bfloat16, products and sums in float32). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "examine/examine.h"
#include "arith/need.h"
#include "pack/open.h"
#include "page/page.h"
#include "page/plot.h"
#include "report/core/report.h"

enum distance_reads { INDEX, BUCKET, TABLE, TERM };            /* which quantity says what a distance reads */
struct clipping_row {
    const char *name, *row, *params, *sizes, *recipe; /* K range, M memory, N queries, L keys */
    enum distance_reads reads;
    long least;                                       /* range */
    bool causal;
};
#define MIXED "dot=f32 product=f32 score=f32 shift=f32 exp=f32 weight=bf16 sum=f32 total=f32 div=f32 log=f32 "
static const struct clipping_row rows[] = {
    { "Shaw", "shaw", "least=-K most=K memory=M", "h=1 n=N m=L d=8 e=5 normal", MIXED "join=bf16", INDEX, 1, false },
    { "NEZHA", "nezha", "reach=K memory=M", "h=1 n=N m=L normal", MIXED "join=bf16 store=bf16", INDEX, 1, false },
    { "Transformer-XL", "txl", "clamp=K", "h=1 n=N m=L c=4 d=8 e=5 normal",
        MIXED "join=f32 bias=bf16 project=f32 collect=f32 store=bf16", TERM, 1, true },
    { "XLNet", "xlnet", "clamp=K", "h=1 n=N m=L c=4 d=8 e=5 normal",
        MIXED "join=f32 bias=bf16 project=f32 collect=f32 store=bf16", TABLE, 1, false },
    { "DeBERTa", "deberta", "span=K memory=M", "h=1 n=N m=L d=8 e=5 normal", MIXED "join=f32", INDEX, 1, false },
    { "DeBERTa, 16 buckets", "deberta", "distance=log span=16 max_position=K memory=M", "h=1 n=N m=L d=8 e=5 normal",
        MIXED "join=f32", INDEX, 17, false },
    { "T5, 32 buckets", "t5", "max_distance=K offset=M heads=1", "n=N m=L d=8 e=5 normal", MIXED "table=bf16", BUCKET,
        9, false },
};
enum { ROWS = sizeof rows / sizeof *rows, TYPES = 2, LINES = 3, PLACE_COLUMNS = 4, FARTHEST = 2048 };
static const int types[TYPES] = { MER_F32, MER_BF16 };
static const long ranges[] = { 1, 2, 5, 11, 24, 50, 110, 240, 500 }, lengths[] = { 12, 30, 70, 150, 300, 600 };
enum {
    RANGES = sizeof ranges / sizeof *ranges,
    LENGTHS = sizeof lengths / sizeof *lengths,
    AT_LENGTH = 300,
    AT_RANGE = 24,
    QUICK = 150
};

struct clipping_cell { const struct clipping_row *c; long range, n, m; char params[120], sizes[80]; };

static void expand(char *to, size_t size, const char *pattern, const struct clipping_cell *at)
{
    size_t used = 0;
    for (const char *s = pattern; *s && used + 24 < size; s++)
        if (*s >= 'K' && *s <= 'N')
            used += (size_t)snprintf(to + used, size - used, "%ld",
                *s == 'K'     ? at->range :
                    *s == 'L' ? at->m :
                    *s == 'M' ? at->m - at->n :
                                at->n);
        else
            to[used++] = *s;
    to[used] = 0;
}
static struct clipping_cell cell_of(const struct clipping_row *c, long range, long m)
{
    struct clipping_cell at = { .c = c, .range = range, .n = m - m / 4, .m = m };
    expand(at.params, sizeof at.params, c->params, &at);
    expand(at.sizes, sizeof at.sizes, c->sizes, &at);
    return at;
}

/* What a pair at distance d (query - key) reads: an index of the row, or the first entry of the table line or term that
 * is used.  TERM: d >= 0 only. */
static double read_at(const struct clipping_cell *at, long d)
{
    static const double one[PLACE_COLUMNS] = { 1, 1, 1, 1 }, key[FARTHEST] = { 0 };
    const struct row *row = row_named(at->c->row);
    const struct ball *y[PLACE_COLUMNS];
    struct law_ask l;
    struct ask *w = law_open(&l, at->params, 64);
    double x = (double)(at->c->reads == BUCKET ? -d : d);
    char params[200];
    snprintf(params, sizeof params, "%s memory=%ld", at->params, d);
    switch (at->c->reads) {
    case INDEX:
        law_line(w, (struct law_of){ row, "index", params }, (struct givens){ 0 }, (long[MER_RANK]){ 0, 0 },
            !strcmp(at->c->row, "deberta") ? 2 : 1, y);
        break;
    case BUCKET:
        law_line(w, (struct law_of){ row, "bucket", at->params },
            (struct givens){ &(struct given){ "relative_position", &x, 1, { 1 } }, 1 }, (long[MER_RANK]){ 0 }, 1, y);
        break;
    case TABLE:
        law_line(w, (struct law_of){ row, "table", at->params },
            (struct givens){ &(struct given){ "distance", &x, 1, { 1 } }, 1 }, (long[MER_RANK]){ 0 }, PLACE_COLUMNS, y);
        break;
    case TERM:
        law_line(w, (struct law_of){ row, "position", at->params },
            (struct givens){ (struct given[]){ { "q", one, 3, { 1, 1, 1 } }, { "k", key, 3, { 1, d + 1, 1 } },
                { "wr", one, 3, { 1, 2, 1 } } }, 3 },
            (long[MER_RANK]){ 0, 0 }, 1, y);
        break;
    }
    double value = b_value(y[0]);
    return law_close(&l, true) == YES ? value : (double)NAN;
}

/* Visible pairs of n queries behind m - n keys of memory that read what the farthest distance of their side reads; *of:
 * all of them. */
static long saturated(const struct clipping_cell *at, long *of)
{
    const long memory = at->m - at->n, far = at->range + at->m;
    const double end[2] = { at->c->causal ? (double)NAN : read_at(at, -far), read_at(at, far) };
    long count = 0;
    *of = 0;
    for (long d = at->c->causal ? 0 : memory - at->m + 1; d < at->m; d++) {
        /* queries i with a key at memory + i - d */
        long first = d > memory ? d - memory : 0, last = at->m - 1 + d - memory;
        long pairs = (last < at->n ? last : at->n - 1) - first + 1;
        *of += pairs, count += read_at(at, d) == end[d >= 0] ? pairs : 0;
    }
    return count;
}

/* Judges one cell: the kernel of the best slot that has one, for bfloat16 without a kernel the recipe.  true: y and f
 * are set. */
static bool ask_cell(const struct clipping_cell *at, int type, struct tally *y, struct finding *f, char *who, size_t n)
{
    const struct slot *o = slots;
    char err[600], name[40];
    struct trial t;
    bool done = false;
    while (o->name)
        o++;
    while (!done && o-- != slots) {
        struct subject s;
        snprintf(name, sizeof name, "own:%s", o->name);
        if (!o->here() || subject_open(&s, name, err, sizeof err))
            continue;
        for (const struct mer_kernel *k = s.kernel; k->row && !done; k++)
            if (!strcmp(k->row, at->c->row) && !strcmp(k->type, type_name[type]) &&
                (!strcmp(k->out, "o") || !strncmp(k->out, "o ", 2))) {
                done = examine(&(struct question){ &s, k, at->params, "o", at->sizes, 1, LINES }, &t, y, f) == 1;
                trial_close(&t);
            }
        snprintf(who, n, "%s %s", o->name, type_name[type]);
        s.close(&s);
    }
    if (done || type != MER_BF16)
        return done;
    struct arith a;
    struct mistake match;
    snprintf(who, n, "recipe %s", type_name[type]);
    done = !trial_make(&t, &(struct trial_spec){ at->c->row, at->params, "o", type, at->sizes, 1 }, err, sizeof err) &&
        trial_profile(&t, at->c->recipe, &a, ROUND, err, sizeof err) > 0;
    if (done) {
        reference_lines(&t, &a, LINES);
        examine_outputs(&t, LINES, y, f, &match);
    }
    trial_close(&t);
    return done;
}

static void put_cell(struct report *r, const struct clipping_cell *at, const char *axis, double x)
{
    char series[60], witness[80], who[60];
    long of, count = saturated(at, &of);
    snprintf(series, sizeof series, "%s share", axis);
    snprintf(witness, sizeof witness, "%ld of %ld pairs; %ld queries, %ld keys", count, of, at->n, at->m);
    store_point(r->store, series, x, (double)count / (double)of);
    report_put(r,
        &(struct entry){ .row = at->c->row,
            .quantity = axis,
            .subject = at->c->name,
            .params = at->params,
            .measure = "saturated",
            .value = (double)count / (double)of,
            .bound = (double)NAN,
            .n = of,
            .method = "exhaustive",
            .witness = witness });
    for (int k = 0; k < TYPES; k++) {
        struct tally y;
        struct finding f = { 0 };
        if (!ask_cell(at, types[k], &y, &f, who, sizeof who)) {
            report_put(r,
                &(struct entry){ .row = at->c->row,
                    .subject = at->c->name,
                    .params = at->params,
                    .quantity = "clipped distances",
                    .measure = "not run",
                    .value = (double)NAN,
                    .bound = (double)NAN,
                    .verdict = "SKIP",
                    .witness = "no kernel of any slot here takes it" });
            continue;
        }
        struct entry e = { .row = at->c->row,
            .quantity = axis,
            .subject = who,
            .params = at->params,
            .measure = "clip gauge",
            .value = y.gauge,
            .bound = y.derived,
            .n = y.n,
            .seed = 1,
            .method = "sample",
            .witness = witness,
            .verdict = word_name[f.word] };
        report_put(r, &e);
        e.measure = "clip used", e.value = y.ratio, e.bound = 1;
        report_put(r, &e);
        snprintf(series, sizeof series, "%s %s gauge", axis, type_name[types[k]]);
        store_point(r->store, series, x, y.gauge);
        snprintf(series, sizeof series, "%s %s used", axis, type_name[types[k]]);
        store_point(r->store, series, x, y.ratio);
    }
}

static void fill(struct report *r, const void *with)
{
    const struct clipping_row *c = with;
    for (int k = 0; k < RANGES; k++)
        if (ranges[k] >= c->least) {
            struct clipping_cell at = cell_of(c, ranges[k], r->quick ? QUICK : AT_LENGTH);
            put_cell(r, &at, "range", (double)ranges[k]);
        }
    for (int k = 0; k < LENGTHS; k++)
        if (!r->quick || lengths[k] <= QUICK) {
            struct clipping_cell at = cell_of(c, AT_RANGE, lengths[k]);
            put_cell(r, &at, "length", (double)lengths[k]);
        }
}

static int measure(struct report *r)
{
    char what[200];
    for (int k = 0; k < ROWS && !*r->err; k++) {
        snprintf(
            what, sizeof what, "clipped distances of %s: %s%s", rows[k].name, rows[k].params, r->quick ? " quick" : "");
        if (row_named(rows[k].row))
            report_item(r, what, fill, &rows[k]);
    }
    return *r->err ? -1 : 0;
}

/* One panel a row, all with the same axes: left the measure of both formats, behind it and on the right axis the share
 * of saturated pairs. */
static int draw(struct report *r, struct plot *p, const char *name, const char *title, const char *axis, const char *of)
{
    sqlite3 *db = store_db(r->store);
    char sql[300], least[40], most[40];
    const bool bound = *of == 'u';
    plot_open(p, r->dir, name, title,
        "blue: float32 kernel; orange, dashed: bfloat16; grey area, right axis: share of saturated pairs");
    for (int k = 0; k < 2; k++) {
        snprintf(sql, sizeof sql,
            "SELECT %s(c.y) FROM curve c WHERE c.key IN (SELECT key FROM now WHERE measure='saturated') AND c.y > 0 "
            "AND c.series LIKE '%s %%%s'",
            k ? "max" : "min", axis, of);
        report_cell(db, sql, k ? most : least, sizeof least);
    }
    fprintf(p->set,
        "set logscale xy 10\nset xrange [1:1000]\nset yrange [%g:%g]\nset y2range [0:1]\nset tics scale 0.6\nset xtics "
        "1, 10, 100\n",
        pow(10, floor(log10(atof(least)))), bound ? 1 : pow(10, ceil(log10(atof(most)))));
    for (int k = 0; k < ROWS; k++) {
        static const char points[] = "SELECT c.x, c.y FROM curve c WHERE c.key IN (SELECT key FROM now WHERE "
                                     "measure='saturated' AND subject='%s') AND c.series='%s %s%s' ORDER BY c.x";
        plot_series(p, db, points, rows[k].name, axis, "share", "");
        plot_series(p, db, points, rows[k].name, axis, "f32 ", of);
        plot_series(p, db, points, rows[k].name, axis, "bf16 ", of);
        plot_panel(p, 4, 2, k, rows[k].name);
        fprintf(p->draw, "set format y \"%s\"\nset y2tics 0, 0.5, 1 format \"%s\" tc rgb \"#666666\"\n",
            k % 4     ? "" :
                bound ? "%g" :
                        "10^{%L}",
            k % 4 == 3 || k == ROWS - 1 ? "%g" : "");
        fprintf(p->draw, "set xlabel \"%s\" offset 0,0.4\nset ylabel \"%s\"\n",
            k + 4 < ROWS     ? "" :
                *axis == 'r' ? "clip range, positions" :
                               "length, keys",
            k % 4     ? "" :
                bound ? "error / derived bound" :
                        "error, units of 2^{-p}");
        fprintf(p->draw,
            "plot data index %d using 1:2 axes x1y2 with filledcurves y1=0 fs solid 0.18 noborder lc rgb \"#666666\", "
            "data index %d using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb \"%s\", data index %d using 1:2 with "
            "linespoints lw 2 dt 2 pt 5 ps 0.5 lc rgb \"%s\"\n",
            3 * k, 3 * k + 1, plot_colour[0], 3 * k + 2, plot_colour[1]);
    }
    return plot_close(p);
}
static int range_error(struct report *r, struct plot *p)
{
    return draw(r, p, "fig-clip-range", "Clipped distances: error against the clip range", "range", "gauge");
}
static int range_used(struct report *r, struct plot *p)
{
    return draw(r, p, "fig-clip-range-used", "Clipped distances: share of the derived bound against the clip range",
        "range", "used");
}
static int length_error(struct report *r, struct plot *p)
{
    return draw(r, p, "fig-clip-length", "Clipped distances: error against the length", "length", "gauge");
}
static int length_used(struct report *r, struct plot *p)
{
    return draw(r, p, "fig-clip-length-used", "Clipped distances: share of the derived bound against the length",
        "length", "used");
}

/* What a sweep found, in numbers: by format the worst error or share of the bound and where, and how far the rows' own
 * worst and least are apart. */
static void say(struct page *p, const char *axis, const char *measure, const char *what)
{
    char sql[1600];
    snprintf(sql, sizeof sql,
        "SELECT CASE WHEN w.subject LIKE '%% f32' THEN 'float32 (' ELSE 'bfloat16 (' END || w.subject || ' in the "
        "worst case): %s at most ' || num(w.bits, 3) || ', in ' || w.row || ' ' || w.params || ' (' || w.witness || "
        "'); between its least and its worst cell a row changes by factors of ' ||"
        " (SELECT num(min(f), 3) || ' to ' || num(max(f), 3) FROM (SELECT max(value) / min(value) AS f FROM now WHERE "
        "quantity='%s' AND measure='%s' AND value > 0 AND (subject LIKE '%% f32') = (w.subject LIKE '%% f32') GROUP BY "
        "key)) || '.'"
        " FROM now w WHERE w.quantity='%s' AND w.measure='%s' AND w.value=(SELECT max(value) FROM now x WHERE "
        "x.quantity=w.quantity AND x.measure=w.measure AND (x.subject LIKE '%% f32') = (w.subject LIKE '%% f32')) "
        "GROUP BY w.subject LIKE '%% f32' ORDER BY w.subject LIKE '%% f32' DESC",
        what, axis, measure, axis, measure);
    page_say(p, sql);
}

static void page(struct page *p)
{
    page_heading(p, 3, "clipping", "Clipped distances");
    page_text(p,
        "A pair is saturated when it reads what every farther pair of its side reads: the row cannot tell these "
        "distances apart. All visible pairs are counted, three quarters of the keys are queries; errors are those of "
        "three random lines of each cell, so a maximum may be larger. "
        "Where no slot has a bfloat16 kernel, the row's page stands in for it, every step rounded as a mixed-precision "
        "layer does.");
    page_say(p,
        "SELECT many(count(*)) || ' measurements, ' || many(sum(verdict='PASS')) || ' within their derived bounds, ' "
        "|| many(sum(verdict='FAIL')) || ' not.' FROM now WHERE measure='clip gauge'");
    page_figure(p, "fig-clip-range", "Error and saturated share by clip range, at one length.");
    say(p, "range", "clip gauge", "error");
    page_figure(p, "fig-clip-range-used", "The same errors as shares of the bound derived for each element.");
    say(p, "range", "clip used", "share of the bound");
    page_figure(p, "fig-clip-length", "Error and saturated share by length, at one clip range.");
    say(p, "length", "clip gauge", "error");
    page_figure(p, "fig-clip-length-used", "The same errors as shares of the bound derived for each element.");
    say(p, "length", "clip used", "share of the bound");
}
const struct section section_clipping = {
    .name = "clipping", .order = 320, .measure = measure,
    .figure = { { "fig-clip-range", range_error }, { "fig-clip-range-used", range_used },
    { "fig-clip-length", length_error }, { "fig-clip-length-used", length_used } },
    .page = page,
};
