/* Writes the text and the tables of the page; see extrapolation.h.  Its figures are in extrapolation_figures.c. */
#include "lab/page/extrapolation.h"
#include <stdio.h>
#include <string.h>
#include "lab/page/contexts.h"
#include "lab/page/distance_figures.h"
#include "lab/exact/exact_page.h"
#include "lab/exact/exact_reach.h"
#include "lab/page/extrapolation_figures.h"
#include "lab/page/gates.h"
#include "page/page.h"

/* A table with a line for each encoding and variant and a column for each size: the mean over seeds +- half of the 95 %
 * interval.  only: an SQL condition on encodings and variants. */
static void pivot(
    struct page *p, const struct study *s, const char *measure, double depth, const char *only, const char *caption)
{
    char sql[6000];
    size_t at = (size_t)snprintf(sql, sizeof sql, "SELECT encoding, variant");
    for (long k = 0; k < s->sizes; k++)
        at += (size_t)snprintf(sql + at, sizeof sql - at,
            ", max(CASE WHEN size=%ld THEN printf('%%.3f', mean) || CASE WHEN half IS NULL THEN '' ELSE ' ± ' || "
            "printf('%%.3f', half) END END) AS \"%ld\"",
            s->size[k], s->size[k]);
    snprintf(sql + at, sizeof sql - at,
        ", max(seeds) AS seeds FROM mean WHERE task='%s' AND measure='%s' AND depth=%g AND %s GROUP BY encoding, "
        "variant ORDER BY min(rowid)",
        s->task, measure, depth, only);
    page_table(p, caption, NULL, sql);
}

/* A table of the longest size up to which no size fails.  fails: an SQL test of a size b against a, the same model at
 * the first size.  RULER (Hsieh et al. 2024) calls this the effective length. */
static void effective(
    struct page *p, const struct study *s, const char *measure, const char *per, const char *fails, const char *caption)
{
    char sql[3000];
    snprintf(sql, sizeof sql,
        "WITH m AS (SELECT encoding, variant, size, %s AS mean FROM mean WHERE task='%s' AND measure='%s' GROUP BY "
        "encoding, variant, size),"
        " f AS (SELECT b.encoding, b.variant, min(b.size) AS first FROM m a JOIN m b ON a.encoding=b.encoding AND "
        "a.variant=b.variant AND a.size=%ld WHERE %s GROUP BY b.encoding, b.variant)"
        " SELECT m.encoding, m.variant, coalesce(max(CASE WHEN f.first IS NULL OR m.size < f.first THEN m.size END), "
        "'below %ld') AS \"effective length\" FROM m LEFT JOIN f ON f.encoding=m.encoding AND f.variant=m.variant"
        " GROUP BY m.encoding, m.variant ORDER BY m.variant<>'plain', m.encoding, m.variant",
        per, s->task, measure, s->size[0], fails, s->size[0]);
    page_table(p, caption, "Effective lengths", sql);
}

/* Prints, beside what was measured, which parameters and angles these lengths reach that no training step touched. */
static void reach_part(struct page *p, const struct study *s)
{
    char sql[1200];
    page_heading(p, 3, "reach", "What longer texts reach, exactly");
    page_text(p,
        "Position parameters that a longer text reaches and training never changed: those with a gradient at this "
        "length and none at the trained one, in all layers. Pairs of channels that never turn full circle within the "
        "trained length show angles that no training position had; turns: how much of a circle is new, summed over "
        "pairs. Neither depends on trained weights.");
    snprintf(sql, sizeof sql,
        "SELECT r.encoding, r.size AS length, CASE WHEN r.of_parameters > 0 THEN many(r.parameters) || ' of ' || "
        "many(r.of_parameters) END AS \"untrained parameters reached\","
        " CASE WHEN r.of_pairs > 0 THEN r.pairs || ' of ' || r.of_pairs END AS \"pairs with unseen angles\", CASE WHEN "
        "r.of_pairs > 0 THEN printf('%%.3f', r.turns) END AS \"new turns\", CASE WHEN m.mean IS NOT NULL THEN "
        "printf('%%.3f', m.mean) || CASE WHEN m.half IS NULL THEN '' ELSE ' ± ' || printf('%%.3f', m.half) END END AS "
        "\"bits a character (tail)\""
        " FROM temp.reach r LEFT JOIN mean m ON m.task='%s' AND m.measure='tail' AND m.variant='plain' AND "
        "m.encoding=r.encoding AND m.size=r.size ORDER BY r.rowid",
        s->task);
    page_table(p, "Reached beyond training, and the loss there", "Reached beyond training, and the loss there", sql);
}

static void distance_part(struct page *p, const struct study *s)
{
    char sql[900];
    page_heading(p, 3, "distances", "How far models read");
    page_text(p,
        "Attention weights of trained models on held-out text, by octaves of distance, over all layers, heads and "
        "queries; and the scores behind them against what the encoding alone says: linear biases as they stand, the "
        "mean cosine of rotary and sinusoidal positions scaled by least squares. Rows that mix values on their own "
        "show weights through values, where scores far below the greatest are lost: they have no curve of scores.");
    page_figure(p, "fig-extrapolate-reads", "Share of attention by distance, at the trained length and beyond.");
    page_figure(p, "fig-extrapolate-scores", "Mean scores by distance, less that of distance 0.");
    snprintf(sql, sizeof sql,
        "SELECT encoding, size AS length, printf('%%.2f', mean) || CASE WHEN half IS NULL THEN '' ELSE ' ± ' || "
        "printf('%%.2f', half) END AS \"mean distance\", printf('%%.2f', (size - 1) / 4.0) AS \"if all keys weighed "
        "the same\" FROM mean WHERE task='%s' AND measure='distance' ORDER BY rowid",
        s->task);
    page_table(p, "Mean distance read", "Mean distances read", sql);
}

/* What a longer context is worth, from the losses of every token. */
static void context_part(struct page *p, const struct study *s)
{
    char sql[1600];
    page_heading(p, 3, "contexts", "What context is worth");
    page_text(p,
        "From the loss of every token. By position in the longest windows: early tokens have little to go by, which is "
        "what windows scored side by side average in. Relative effective context length (Dai et al. 2019): the context "
        "from which on the next longer one asked gains less than 1 % of perplexity, on the share r of targets that are "
        "hardest for the best model of the group. It counts luck as gain: a model that is lost now and then hits a "
        "hard target, so those that lose 0.1 bit anywhere beyond the shortest length are left out.");
    page_table(p, "Bits a character by position in the longest windows (octaves, by their first position)",
        "By position",
        "SELECT encoding, CASE WHEN max(at=0) THEN printf('%.2f', avg(CASE WHEN at=0 THEN value END)) END AS \"0\", "
        "CASE WHEN max(at=2) THEN printf('%.2f', avg(CASE WHEN at=2 THEN value END)) END AS \"2\", CASE WHEN max(at=8) "
        "THEN printf('%.2f', avg(CASE WHEN at=8 THEN value END)) END AS \"8\", CASE WHEN max(at=32) THEN "
        "printf('%.2f', avg(CASE WHEN at=32 THEN value END)) END AS \"32\","
        " CASE WHEN max(at=64) THEN printf('%.2f', avg(CASE WHEN at=64 THEN value END)) END AS \"64\", CASE WHEN "
        "max(at=128) THEN printf('%.2f', avg(CASE WHEN at=128 THEN value END)) END AS \"128\", CASE WHEN max(at=256) "
        "THEN printf('%.2f', avg(CASE WHEN at=256 THEN value END)) END AS \"256\", CASE WHEN max(at=512) THEN "
        "printf('%.2f', avg(CASE WHEN at=512 THEN value END)) END AS \"512\", count(DISTINCT seed) AS seeds FROM "
        "temp.context WHERE what='position' GROUP BY encoding ORDER BY encoding");
    snprintf(sql, sizeof sql,
        "WITH lost AS (SELECT DISTINCT b.encoding FROM mean a JOIN mean b USING(task, measure, variant, encoding) "
        "WHERE task='%s' AND measure='tail' AND variant='plain' AND a.size=%ld AND b.mean > a.mean + 0.1),"
        " said AS (SELECT encoding, seed, at, CAST(value AS INTEGER) AS value FROM temp.context WHERE what='recl' AND "
        "encoding NOT IN (SELECT encoding FROM lost))"
        " SELECT encoding, min(value) FILTER (WHERE at=0.1) || ' .. ' || max(value) FILTER (WHERE at=0.1) AS \"r = "
        "0.1\", min(value) FILTER (WHERE at=0.5) || ' .. ' || max(value) FILTER (WHERE at=0.5) AS \"r = 0.5\","
        " min(value) FILTER (WHERE at=1) || ' .. ' || max(value) FILTER (WHERE at=1) AS \"r = 1\", count(DISTINCT "
        "seed) AS seeds FROM said GROUP BY encoding ORDER BY encoding",
        s->task, s->size[0]);
    page_table(p, "Relative effective context length, by share of hardest targets: least to greatest of the seeds",
        "RECL", sql);
}

static void text_part(struct page *p, const struct study *s)
{
    page_heading(p, 2, "language", "Next characters");
    page_text(p,
        "Bits a character on held-out text. Windows of every length end at the same places, so the targets of "
        "\"tail\", the last 32 characters, are the same whatever the context: no early-token curse, and a difference "
        "is a difference of context. \"All\" is the mean over whole windows, as disjoint windows are usually scored: "
        "it has the curse.");
    page_figure(p, "fig-extrapolate-loss",
        "Loss on the same last characters against the length of the context; left of the vertical line models were "
        "trained. Bars: 95 % intervals over seeds.");
    pivot(p, s, "tail", -1, "variant='plain'", "Tail: bits a character by context length");
    pivot(p, s, "all", -1, "variant='plain'", "All: bits a character by window length");
    effective(p, s, "tail", "avg(mean)", "b.mean > a.mean + 0.1",
        "Longest context up to which the tail loses at most 0.1 bit on the trained length");
    context_part(p, s);
    reach_part(p, s);
    distance_part(p, s);
    page_heading(p, 3, "changes", "Changes at evaluation, no training");
    page_figure(p, "fig-extrapolate-changes", "The rotary models, changed when they are asked.");
    pivot(p, s, "tail", -1, "variant<>'plain'", "Tail, with parameters of the same rows changed at evaluation");
}

static void needle_part(struct page *p, const struct study *s)
{
    char caption[120];
    page_heading(p, 2, "needle", "A value in noise");
    page_figure(p, "fig-extrapolate-needle",
        "Share of values found, by depth of the needle (from the start) and length; chance is 0.1.");
    for (long d = 0; d < s->depths; d++) {
        snprintf(caption, sizeof caption, "Values found, needle at depth %g", s->depth[d]);
        pivot(p, s, "right", s->depth[d], d ? "variant='plain'" : "1", caption);
    }
    effective(p, s, "right", "avg(mean)", "NOT b.mean >= 0.856",
        "Longest length up to which 85.6 % of the values are found, mean over depths");
    page_heading(p, 3, "inversion", "Loss and retrieval disagree");
    page_text(p,
        "The models of text and of the needle are trained apart. A window keeps the loss and forgets; stretched "
        "frequencies spoil the loss and find the value.");
    page_table(p,
        "Pairs whose order turns over: the first has the lower loss on text, the second finds more (needle at the "
        "start), by 0.2 at least of both; two encodings as they are, or one changed in two ways",
        NULL,
        "SELECT a.size AS length, a.encoding || '/' || a.variant AS first, printf('%.3f', a.mean) AS bits, "
        "printf('%.2f', x.mean) AS found, b.encoding || '/' || b.variant AS second, printf('%.3f', b.mean) AS \"bits "
        "\", printf('%.2f', y.mean) AS \"found \""
        " FROM mean a JOIN mean b ON a.task='lm' AND b.task='lm' AND a.measure='tail' AND b.measure='tail' AND "
        "a.size=b.size AND a.mean + 0.2 < b.mean"
        " JOIN mean x ON x.task='needle' AND x.measure='right' AND x.depth=0 AND x.size=a.size AND "
        "x.encoding=a.encoding AND x.variant=a.variant"
        " JOIN mean y ON y.task='needle' AND y.measure='right' AND y.depth=0 AND y.size=b.size AND "
        "y.encoding=b.encoding AND y.variant=b.variant WHERE x.mean + 0.2 < y.mean"
        " AND a.size >= 256 AND (a.encoding=b.encoding OR (a.variant='plain' AND b.variant='plain')) ORDER BY "
        "a.encoding<>b.encoding DESC, (y.mean - x.mean) DESC, a.size LIMIT 24");
}

static const char changed[] = "variant NOT IN ('plain', 'greedy', 'beam-1', 'beam-2', 'beam-4')",
                  searched[] = "variant IN ('greedy', 'beam-1', 'beam-2', 'beam-4')";
static void match_part(struct page *p, const struct study *s)
{
    char id[40], title[120], figure[48];
    const struct task *t = task_named(s->task);
    snprintf(id, sizeof id, "%s", s->task), snprintf(title, sizeof title, "%s: %s", t->name, t->title),
        snprintf(figure, sizeof figure, "fig-extrapolate-%s", s->task);
    page_heading(p, 2, id, title);
    page_figure(p, figure,
        "Answers that are right from end to end, against size; teacher-forced, which for an exact answer is the same "
        "as greedy decoding.");
    pivot(p, s, "exact", -1, "variant='plain'", "Exact answers");
    pivot(p, s, "right", -1, "variant='plain'", "Right symbols");
    pivot(p, s, "exact", -1, changed, "Exact answers with changes at evaluation");
    if (!t->source)
        return;
    page_heading(p, 3, "written", "Written by search");
    page_text(p,
        "The model writes on its own words until it ends them, by greedy search and by beams of 1, 2 and 4 without a "
        "penalty of length (row decode). Length: symbols written by symbols wanted, the end among them; a search stops "
        "at half as many again and four.");
    pivot(p, s, "exact", -1, searched, "Exact words");
    pivot(p, s, "length", -1, searched, "Length written by length wanted");
}

static void gate_part(struct page *p)
{
    page_heading(p, 2, "gates", "Published orderings, as gates");
    page_text(p,
        "Written down with source and margin before anything was trained (data/gates.tsv). Pairs share seed, initial "
        "weights, batches and questions. Losses are cut at the entropy of a single symbol; above it an order says "
        "nothing.");
    page_say(p,
        "SELECT count(*) FILTER (WHERE verdict='PASS') || ' of ' || count(*) FILTER (WHERE verdict<>'SKIP') || ' "
        "orderings that could be asked are reproduced; ' || count(*) FILTER (WHERE verdict='TIE') || ' ties of "
        "collapsed models, ' || count(*) FILTER (WHERE verdict='SKIP') || ' not run.' FROM gate");
    page_table(p, "Gates", NULL,
        "SELECT id AS gate, task, worse, what, better, printf('%g', margin) AS margin, CASE WHEN seeds > 0 THEN "
        "printf('%.3f', seen) || CASE WHEN half IS NULL THEN '' ELSE ' ± ' || printf('%.3f', half) END END AS seen, "
        "seeds, verdict, reason, source FROM gate");
}

static void runs_part(struct page *p)
{
    page_heading(p, 2, "runs", "What was run");
    page_table(p, "Answers by task and encoding", NULL,
        "SELECT task, encoding, count(DISTINCT seed) AS seeds, count(DISTINCT variant) AS variants, many(sum(n)) AS "
        "asked FROM asked GROUP BY task, encoding ORDER BY task, encoding");
}

int extrapolation_page(
    struct store *s, const char *dir, const struct study *study, long studies, double unigram, char *err, size_t n)
{
    struct page p;
    char html[4200], md[4200];
    if (means_make(store_db(s), err, n) || gates_make(store_db(s), unigram, err, n))
        return -1;
    if (facts_table(store_db(s), err, n))
        return -1;
    for (long k = 0; k < studies; k++)
        if (task_named(study[k].task)->reads &&
            (contexts_make(store_db(s), dir, &study[k], err, n) || reach_make(store_db(s), &study[k], err, n) ||
                curves_make(store_db(s), &study[k], err, n)))
            return -1;
    extrapolation_figures(store_db(s), dir, study, studies, unigram);
    page_open(&p, store_db(s), dir, "Length extrapolation on two cores");
    page_text(&p,
        "Small Transformers (pre-LN decoders alone; for words backwards a post-LN encoder-decoder) trained on short "
        "rows and asked about long ones, every encoding by its row's own judged kernels, forward and backward. Weights "
        "are the same bit by bit whatever the number of workers and interruptions.");
    gate_part(&p);
    for (long k = 0; k < studies; k++)
        task_named(study[k].task)->reads ? text_part(&p, &study[k]) :
            study[k].depths              ? needle_part(&p, &study[k]) :
                                           match_part(&p, &study[k]);
    facts_part(&p);
    runs_part(&p);
    snprintf(html, sizeof html, "%s/extrapolation.html", dir), snprintf(md, sizeof md, "%s/extrapolation.md", dir);
    if (page_close(&p, html, md))
        return snprintf(err, n, "%s", p.err), -1;
    return 0;
}
