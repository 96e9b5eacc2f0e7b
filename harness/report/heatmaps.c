/* The report's pictures of position tables: every entry exact, rounded once; a line of a table is a row of the
 * picture. */
#include <math.h>
#include <stdio.h>
#include "examine/examine.h"
#include "page/page.h"
#include "page/plot.h"
#include "report/core/report.h"

enum { WIDEST = 128 };
/* One picture; first: the number on the axis that stands for line 0. */
struct heatmaps_map { const char *name, *row, *params, *out; long lines, columns, first; };
static const struct heatmaps_map maps[] = {
    { "32 positions, width 16", "sinusoid", "dim=16", "p", 32, 16, 0 },
    { "512 positions, width 128", "sinusoid", "dim=128", "p", 512, 128, 0 },
    { "distances -64 .. 64, width 64", "nezha", "dim=64 reach=64 argument=distance", "table", 129, 64, -64 },
};
enum { MAPS = sizeof maps / sizeof *maps };

static void fill(struct report *r, const void *with)
{
    static const struct arith exact = { 0 };
    const struct heatmaps_map *m = with;
    const struct ball *y[WIDEST];
    double least[WIDEST], most[WIDEST];
    struct trial t;
    char err[400], sizes[24], witness[160];
    long known = 0, whole = 0, still = 0;
    for (long k = 0; k < WIDEST; k++)
        least[k] = (double)INFINITY, most[k] = -(double)INFINITY;
    snprintf(sizes, sizeof sizes, "n=%ld", m->lines);
    if (trial_make(&t, &(struct trial_spec){ m->row, m->params, m->out, MER_F64, sizes, 1 }, err, sizeof err) == 0) {
        struct mer_array *pos = mer_find(t.in, t.call.n_in, "pos");
        struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = m->columns };
        for (long i = 0; pos && i < m->lines; i++)
            array_put(pos, i, (double)i);
        for (w.at[0] = 0; w.at[0] < m->lines; w.at[0]++) {
            char series[24];
            snprintf(series, sizeof series, "%ld", w.at[0] + m->first);
            if (line_eval(&w, row_quantity(t.row, m->out), &formats[0], y) != YES)
                continue;
            for (long k = 0; k < m->columns; k++, known++) {
                double v = b_value(y[k]);
                store_point(r->store, series, (double)k, v);
                least[k] = fmin(least[k], v), most[k] = fmax(most[k], v);
            }
        }
        ask_clear(&w);
    }
    trial_close(&t);
    for (long k = 0; k < m->columns && known == m->lines * m->columns; k++)
        whole += most[k] - least[k] >= 1.9, still += most[k] - least[k] < 0.1;
    snprintf(witness, sizeof witness,
        "%ld columns cover at least 1.9 of the 2 between -1 and 1, %ld change by less than 0.1", whole, still);
    report_put(r,
        &(struct entry){ .row = m->row,
            .quantity = m->out,
            .subject = m->name,
            .params = m->params,
            .measure = "heat map",
            .value = (double)whole,
            .bound = (double)NAN,
            .n = known,
            .method = "exhaustive",
            .witness = witness,
            .verdict = known == m->lines * m->columns ? "" : "SKIP" });
}

static int measure(struct report *r)
{
    char what[100];
    for (int k = 0; k < MAPS && !*r->err; k++) {
        snprintf(what, sizeof what, "heat map of %s %s, %s", maps[k].row, maps[k].params, maps[k].name);
        if (row_named(maps[k].row))
            report_item(r, what, fill, &maps[k]);
    }
    return *r->err ? -1 : 0;
}

static int draw(struct report *r, struct plot *p)
{
    plot_open(p, r->dir, "fig-heat", "Position tables",
        "exact values, rounded once; columns 2k sine, 2k+1 cosine of the same frequency");
    p->height = 450, p->fill = 0.74;
    fprintf(p->set,
        "unset grid\nset cbrange [-1:1]\nset cbtics 0.5\nset border 15\nset xtics out\nset ytics out\n"
        /* viridis: grey steps too, any colour vision */
        "set palette defined (0 \"#440154\", 0.25 \"#3b528b\", 0.5 \"#21918c\", 0.75 \"#5ec962\", 1 \"#fde725\")\n");
    for (int k = 0; k < MAPS; k++) {
        const struct heatmaps_map *m = &maps[k];
        plot_series(p, store_db(r->store),
            "SELECT c.x, CAST(c.series AS INTEGER), c.y FROM curve c WHERE c.key IN (SELECT key FROM now WHERE "
            "measure='heat map' AND subject='%s') ORDER BY 2, 1",
            m->name);
        plot_panel(p, MAPS, 1, k, m->name);
        fprintf(p->draw,
            "set xlabel \"column\"\nset ylabel \"%s\" offset %g\nset xrange [-0.5:%ld.5]\nset yrange [%.1f:%.1f]\nset "
            "xtics %ld\nset ytics %ld\n",
            k == 1       ? "" :
                m->first ? "distance" :
                           "position",
            m->first < 0 ? 0 : 1.5, /* A sign makes the numbers beside it wider. */
            m->columns - 1, (double)(m->lines + m->first) - 0.5, (double)m->first - 0.5, m->columns / 4,
            m->lines > 256    ? 64L :
                m->lines > 64 ? 16L :
                                4L);
        fprintf(p->draw, "%s\nplot data index %d using 1:2:3 with image\n",
            k + 1 < MAPS ? "unset colorbox" : "set colorbox", k);
    }
    return plot_close(p);
}

static void page(struct page *p)
{
    page_heading(p, 3, "heat-maps", "Position tables as pictures");
    page_figure(p, "fig-heat", "Sinusoids of positions (left, middle) and of signed distances (right).");
    page_say(p,
        "SELECT row || ' ' || params || ', ' || subject || ': ' || many(n) || ' entries; ' || witness || '.' FROM now "
        "WHERE measure='heat map' AND verdict='' ORDER BY rowid");
}
const struct section section_heatmaps = {
    .name = "heatmaps", .order = 305, .measure = measure, .figure = { { "fig-heat", draw, "sinusoid" } }, .page = page
};
