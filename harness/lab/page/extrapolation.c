/* Writes the text and the tables of the page; see extrapolation.h.  Its figures are in extrapolation_figures.c. */
#include "lab/page/extrapolation.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/data.h"
#include "lab/page/contexts.h"
#include "lab/page/distance_figures.h"
#include "lab/exact/exact_page.h"
#include "lab/exact/exact_reach.h"
#include "lab/page/extrapolation_figures.h"
#include "lab/page/gates.h"
#include "lab/page/plateau.h"
#include "page/page.h"

/* SQL: a line of `mean` as text, with its interval where it has one: of a share by its ends, as it is not symmetric. */
static const char shown[] =
    "printf('%.3f', mean) || CASE WHEN low IS NULL THEN '' WHEN measure IN ('exact', 'right') THEN printf(' [%.2f, "
    "%.2f]', low, high) ELSE printf(' ± %.3f', (high - low) / 2) END";

/* A table with a line for each encoding and variant and a column for each size: the mean over seeds and its 95 %
 * interval.  only: an SQL condition on encodings and variants. */
static void pivot(
    struct page *p, const struct study *s, const char *measure, double depth, const char *only, const char *caption)
{
    char sql[9000];
    size_t at = (size_t)snprintf(sql, sizeof sql, "SELECT encoding, variant");
    for (long k = 0; k < s->sizes; k++)
        at += (size_t)snprintf(sql + at, sizeof sql - at,
            ", max(CASE WHEN size=%ld THEN %s END) AS \"%ld\"", s->size[k], shown, s->size[k]);
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
        "(SELECT %s FROM mean x WHERE x.rowid=m.rowid) END AS \"bits a %s (tail)\""
        " FROM temp.reach r LEFT JOIN mean m ON m.task='%s' AND m.measure='tail' AND m.variant='plain' AND "
        "m.encoding=r.encoding AND m.size=r.size ORDER BY r.rowid",
        shown, symbol_of(task_named(s->task)), s->task);
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
        "SELECT encoding, size AS length, %s AS \"mean distance\", printf('%%.2f', (size - 1) / 4.0) AS \"if all keys "
        "weighed the same\" FROM mean WHERE task='%s' AND measure='distance' ORDER BY rowid",
        shown, s->task);
    page_table(p, "Mean distance read", "Mean distances read", sql);
}

/* Least and greatest RECL of the seeds, from a table `said`. */
static const char spans[] =
    "SELECT encoding, CASE what WHEN 'recl' THEN 'as published' ELSE 'net of luck' END AS measure, min(value) FILTER "
    "(WHERE at=0.1) || ' .. ' || max(value) FILTER (WHERE at=0.1) AS \"r = 0.1\", "
    "min(value) FILTER (WHERE at=0.5) || ' .. ' || max(value) FILTER (WHERE at=0.5) AS \"r = 0.5\", min(value) FILTER "
    "(WHERE at=1) || ' .. ' || max(value) FILTER (WHERE at=1) AS \"r = 1\", count(DISTINCT seed) AS seeds FROM said "
    "GROUP BY encoding, what ORDER BY what DESC, encoding";
/* RECL where the right answer is known. */
static void control_part(struct page *p, const struct study *s)
{
    char sql[1200];
    const struct task *t = task_named(s->task);
    snprintf(sql, sizeof sql,
        "SELECT 'Control of the relative effective context length (see the text): windows of one drawn text, of %lld "
        "tokens and doubled, at their last target. A model that has learned it has %lld, whatever the share: the step "
        "there is the only one that gains. One that has not has %lld; as published the measure counts luck, since of "
        "two guesses it takes the better, and may say the longest of all. Net of luck: what a step back would gain is "
        "taken from what the step gains.'",
        (long long)t->distance / 2, (long long)t->distance, (long long)t->distance / 2);
    page_say(p, sql);
    snprintf(sql, sizeof sql,
        "WITH said AS (SELECT encoding, seed, what, at, CAST(value AS INTEGER) AS value FROM temp.context WHERE what "
        "LIKE '%%recl' AND task='%s') %s", s->task, spans);
    page_table(p, "Control: relative effective context length, least to greatest of the seeds", NULL, sql);
}

/* What a longer context is worth, from the losses of every token. */
static void context_part(struct page *p, const struct study *s)
{
    char sql[1600], caption[120];
    page_heading(p, 3, "contexts", "What context is worth");
    page_text(p,
        "From the loss of every token. By position in the longest windows: early tokens have little to go by, which is "
        "what windows scored side by side average in. Relative effective context length (Dai et al. 2019): the context "
        "from which on the next longer one asked gains less than 1 % of perplexity, on the share r of targets that are "
        "hardest for the best model of the group. It counts luck as gain: a model that is lost now and then hits a "
        "hard target, so those that lose 0.1 bit anywhere beyond the shortest length are left out there; net of luck "
        "what a step back would gain is taken off. It stops at the first step that gains nothing; where the right "
        "answer is known, task echo, it is shown as the control.");
    snprintf(caption, sizeof caption, "Bits a %s by position in the longest windows (octaves, by their first position)",
        symbol_of(task_named(s->task)));
    page_table(p, caption,
        "By position",
        "SELECT encoding, CASE WHEN max(at=0) THEN printf('%.2f', avg(CASE WHEN at=0 THEN value END)) END AS \"0\", "
        "CASE WHEN max(at=2) THEN printf('%.2f', avg(CASE WHEN at=2 THEN value END)) END AS \"2\", CASE WHEN max(at=8) "
        "THEN printf('%.2f', avg(CASE WHEN at=8 THEN value END)) END AS \"8\", CASE WHEN max(at=32) THEN "
        "printf('%.2f', avg(CASE WHEN at=32 THEN value END)) END AS \"32\","
        " CASE WHEN max(at=64) THEN printf('%.2f', avg(CASE WHEN at=64 THEN value END)) END AS \"64\", CASE WHEN "
        "max(at=128) THEN printf('%.2f', avg(CASE WHEN at=128 THEN value END)) END AS \"128\", CASE WHEN max(at=256) "
        "THEN printf('%.2f', avg(CASE WHEN at=256 THEN value END)) END AS \"256\", CASE WHEN max(at=512) THEN "
        "printf('%.2f', avg(CASE WHEN at=512 THEN value END)) END AS \"512\", count(DISTINCT seed) AS seeds FROM "
        "temp.context WHERE what='position' AND task IN (SELECT task FROM mean WHERE measure='tail') GROUP BY "
        "encoding ORDER BY encoding");
    snprintf(sql, sizeof sql,
        "WITH lost AS (SELECT DISTINCT b.encoding FROM mean a JOIN mean b USING(task, measure, variant, encoding) "
        "WHERE task='%s' AND measure='tail' AND variant='plain' AND a.size=%ld AND b.mean > a.mean + 0.1),"
        " said AS (SELECT encoding, seed, what, at, CAST(value AS INTEGER) AS value FROM temp.context WHERE task='%s' "
        "AND (what='net recl' OR (what='recl' AND encoding NOT IN (SELECT encoding FROM lost)))) %s",
        s->task, s->size[0], s->task, spans);
    page_table(p, "Relative effective context length, by share of hardest targets: least to greatest of the seeds",
        "RECL", sql);
}

/* What solves the task, and what a guess does. */
static void solved(struct page *p, const struct task *t)
{
    char sql[200];
    page_text(p, t->solved);
    snprintf(sql, sizeof sql,
        "SELECT 'A guess among the possible answers is right with probability ' || printf('%%.3g', %.17g) || '.'",
        t->blind);
    if (t->blind > 0)
        page_say(p, sql);
    snprintf(sql, sizeof sql,
        "SELECT 'The value of any of its keys, asked for or not, is right with probability ' || printf('%%.3g', %.17g) "
        "|| '.'", t->keyed);
    if (t->keyed > 0)
        page_say(p, sql);
}

static void text_part(struct page *p, const struct study *s, double characters)
{
    char text[700];
    const struct task *t = task_named(s->task);
    const char *of = symbol_of(t);
    snprintf(text, sizeof text, "Next %ss", of);
    page_heading(p, 2, "language", text);
    snprintf(text, sizeof text,
        "Bits a %s on held-out text. Windows of every length end at the same places, so the targets of \"tail\", the "
        "last 32 %ss, are the same whatever the context: no early-token curse, and a difference is a difference of "
        "context. \"All\" is the mean over whole windows, as disjoint windows are usually scored: it has the curse. "
        "Every seed draws its own windows, so its interval is one over texts too.", of, of);
    page_text(p, text);
    snprintf(text, sizeof text,
        "A %s is %.3f characters of held-out text in the mean: bits a %s divided by that are bits a character.", of,
        characters, of);
    if (t->reads == TEXT_SUBWORDS)
        page_text(p, text);
    solved(p, t);
    snprintf(text, sizeof text,
        "Loss on the same last %ss against the length of the context; left of the vertical line models were trained. "
        "Bars: 95 %% intervals over seeds.", of);
    page_figure(p, "fig-extrapolate-loss", text);
    snprintf(text, sizeof text, "Tail: bits a %s by context length", of);
    pivot(p, s, "tail", -1, "variant='plain'", text);
    snprintf(text, sizeof text, "All: bits a %s by window length", of);
    pivot(p, s, "all", -1, "variant='plain'", text);
    effective(p, s, "tail", "avg(mean)", "b.mean > a.mean + 0.1",
        "Longest context up to which the tail loses at most 0.1 bit on the trained length");
    context_part(p, s);
    reach_part(p, s);
    distance_part(p, s);
    page_heading(p, 3, "changes", "Changes at evaluation, no training");
    page_figure(p, "fig-extrapolate-changes", "The rotary models, changed when they are asked.");
    pivot(p, s, "tail", -1, "variant<>'plain'", "Tail, with parameters of the same rows changed at evaluation");
}

static void inversion_part(struct page *p)
{
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

static void needle_part(struct page *p, const struct study *s)
{
    char caption[160], figure[48];
    const struct task *t = task_named(s->task);
    snprintf(caption, sizeof caption, "%s: %s", t->name, t->title),
        snprintf(figure, sizeof figure, "fig-extrapolate-%s", s->task);
    page_heading(p, 2, s->task, caption);
    solved(p, t);
    snprintf(caption, sizeof caption,
        "Share of values found, by depth of what is sought (from the start) and length; chance is %.3g.", t->blind);
    page_figure(p, figure, caption);
    for (long d = 0; d < s->depths; d++) {
        snprintf(caption, sizeof caption, "Values found, at depth %g", s->depth[d]);
        pivot(p, s, "right", s->depth[d], d ? "variant='plain'" : "1", caption);
    }
    effective(p, s, "right", "avg(mean)", "NOT b.mean >= 0.856",
        "Longest length up to which 85.6 % of the values are found, mean over depths");
    if (!strcmp(s->task, "needle"))
        inversion_part(p);
}

/* The least loss that the task allows, at every size of the study. */
static void least_line(struct page *p, const struct study *s)
{
    char sql[1200];
    size_t at = (size_t)snprintf(sql, sizeof sql, "SELECT 'Least bits that the text allows: '");
    for (long k = 0; k < s->sizes; k++)
        at += (size_t)snprintf(sql + at, sizeof sql - at, " || '%s%ld: ' || printf('%%.3f', %.17g)", k ? ", " : "",
            s->size[k], task_named(s->task)->entropy(s->size[k]));
    snprintf(sql + at, sizeof sql - at, " || '.'");
    page_say(p, sql);
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
    solved(p, t);
    page_figure(p, figure,
        t->entropy ? "Bits of loss a symbol asked, against size; dotted: the least that the task allows. Bars: 95 % "
                   "intervals over seeds." :
                   "Answers that are right from end to end, against size; teacher-forced, which for an exact answer is "
                   "the same as greedy decoding.");
    pivot(p, s, "exact", -1, "variant='plain'", "Exact answers");
    pivot(p, s, "right", -1, "variant='plain'", "Right symbols");
    pivot(p, s, "bits", -1, "variant='plain'", "Bits of loss a symbol asked");
    if (t->entropy)
        least_line(p, s);
    if (t->distance)
        control_part(p, s);
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

/* The part of one task: nothing where no run of it has answers. */
static void task_part(struct page *p, const struct study *s, double characters)
{
    char sql[200];
    sqlite3_stmt *q = NULL;
    const struct task *t = task_named(s->task);
    snprintf(sql, sizeof sql, "SELECT 1 FROM mean WHERE task='%s' LIMIT 1", s->task);
    const bool asked = sqlite3_prepare_v2(p->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
    sqlite3_finalize(q);
    if (!asked)
        return;
    if (t->reads)
        text_part(p, s, characters);
    else if (s->depths)
        needle_part(p, s);
    else
        match_part(p, s);
}

static void gate_part(struct page *p)
{
    page_heading(p, 2, "gates", "Published orderings, as gates");
    page_text(p,
        "Orderings that the field has published, whether they hold here or not. A verdict is its interval's, over "
        "pairs that share seed, initial weights, batches and questions: `exceeds` passes where the 95 % interval lies "
        "above the margin and fails where it lies below; `within` passes by two one-sided tests of 5 %, which is the "
        "90 % interval inside of the margin, and fails where the 95 % interval lies outside; all at a familywise level "
        "of 5 % over the gates of this page (Holm). Whatever else is undecided, as is a gate of fewer than five seeds. "
        "Losses are cut at the entropy of a single symbol; above it an order says nothing.");
    page_say(p,
        "SELECT count(*) FILTER (WHERE verdict='PASS') || ' of ' || count(*) || ' orderings that were asked are "
        "reproduced, ' || count(*) FILTER (WHERE verdict='FAIL') || ' are not, ' || count(*) FILTER (WHERE "
        "verdict='UNDECIDED') || ' are undecided' || (SELECT CASE WHEN count(*) THEN '; ' || count(*) || ' more have a "
        "side that was not run' ELSE '' END FROM gate WHERE verdict='SKIP') || '.' FROM gate WHERE verdict<>'SKIP'");
    page_say(p,
        "SELECT count(*) FILTER (WHERE known='seen') || ' of them had been seen to hold or not in earlier runs before "
        "their line was written, ' || count(*) FILTER (WHERE known<>'seen') || ' had not. Each run keeps from before "
        "its training the digest of the gates that there were; `before` counts the runs of a gate that had it in "
        "theirs.' FROM gate WHERE verdict<>'SKIP' HAVING count(*) > 0");
    page_say(p,
        "SELECT 'Cannot hold together, whatever is measured: ' || group_concat(id || ' (with: ' || against || ')', '; "
        "') || '.' FROM gate WHERE verdict<>'SKIP' AND against<>'' HAVING count(*) > 0");
    const long gates = page_table(p, "Gates", NULL,
        "SELECT id AS gate, task, worse, what, better, printf('%g', margin) AS margin, printf('%.3f', seen) || CASE "
        "WHEN low IS NULL THEN '' ELSE printf(' [%.3f, %.3f]', low, high) END AS seen, CASE WHEN low IS NOT NULL THEN "
        "printf('%g %%', 100 * level) END AS interval, seeds, CASE WHEN p IS NOT NULL THEN printf('%.2g', p) END AS "
        "\"p (Holm)\", verdict, known, before, reason, source FROM gate WHERE verdict<>'SKIP'");
    if (gates)
        page_figure(p, "fig-extrapolate-gates",
            "Paired differences with the intervals that decide them; a cross marks the margin, two those of `within`.");
}

/* What other settings of training do to the tasks of this page: the outcome of a study that is kept, as it takes
 * hours. */
static int settings_kept(sqlite3 *db, const char *gates, const struct extrapolated *of, char *err, size_t n)
{
    char path[600], only[600] = "DELETE FROM temp.tuned WHERE task NOT IN (''";
    size_t at = strlen(only);
    if (access(data_path("plateau-kept.tsv", path, sizeof path), R_OK))
        return sqlite3_exec(db, "CREATE TEMP TABLE IF NOT EXISTS tuned(task TEXT)", NULL, NULL, NULL) ? -1 : 0;
    if (plateau_of_file(db, path, err, n))
        return -1;
    for (const struct study *y = of->study; y < of->study + of->studies && at < sizeof only - 24; y++)
        at += (size_t)snprintf(only + at, sizeof only - at, ", '%s'", y->task);
    snprintf(only + at, sizeof only - at, ")");
    if (sqlite3_exec(db, only, NULL, NULL, NULL))
        return snprintf(err, n, "%s", sqlite3_errmsg(db)), -1;
    return plateau_make(db, gates, of->unigram, err, n);
}

static void runs_part(struct page *p)
{
    page_heading(p, 2, "runs", "What was run");
    page_table(p, "Answers by task and encoding", NULL,
        "SELECT task, encoding, count(DISTINCT seed) AS seeds, count(DISTINCT variant) AS variants, many(sum(n)) AS "
        "asked FROM asked GROUP BY task, encoding ORDER BY task, encoding");
}

/* The tables that the page of one text asks. */
static int text_tables(sqlite3 *db, const char *dir, const struct study *s, char *err, size_t n)
{
    return contexts_make(db, dir, s, err, n) || reach_make(db, s, err, n) || curves_make(db, s, err, n) ? -1 : 0;
}

int extrapolation_page(struct store *s, const char *dir, const struct extrapolated *of, char *err, size_t n)
{
    struct page p;
    char html[4200], md[4200], gates[600], lab[4200];
    sqlite3 *db = store_db(s);
    snprintf(lab, sizeof lab, "%s/lab", dir);
    if (means_make(db, err, n) ||
        gates_make(db, data_path("gates.tsv", gates, sizeof gates), lab, of->unigram, err, n) ||
        facts_table(db, err, n) || settings_kept(db, gates, of, err, n))
        return -1;
    for (const struct study *y = of->study; y < of->study + of->studies; y++)
        if ((task_named(y->task)->reads && text_tables(db, dir, y, err, n)) ||
            (task_named(y->task)->distance && contexts_make(db, dir, y, err, n)))
            return -1;
    extrapolation_figures(db, dir, of);
    page_open(&p, db, dir, "Length extrapolation on two cores");
    page_text(&p,
        "Small Transformers (pre-LN decoders alone; for words backwards a post-LN encoder-decoder) trained on short "
        "rows and asked about long ones, every encoding by its row's own judged kernels, forward and backward. Weights "
        "are the same bit by bit whatever the number of workers and interruptions. Intervals are of 95 %: Student's "
        "over seeds, and for shares never narrower than Wilson's over all trials.");
    page_text(&p, of->kind);
    for (const struct study *y = of->study; y < of->study + of->studies; y++)
        task_part(&p, y, of->characters);
    gate_part(&p);
    plateau_part(&p, true);
    facts_part(&p);
    runs_part(&p);
    snprintf(html, sizeof html, "%s/extrapolation.html", dir), snprintf(md, sizeof md, "%s/extrapolation.md", dir);
    if (page_close(&p, html, md))
        return snprintf(err, n, "%s", p.err), -1;
    return 0;
}
