/* The report's page: words here, every number by query. */
#include <stdio.h>
#include <string.h>
#include "page.h"
#include "report.h"

/* One line a published (or class-default) model: its encodings joined with their scans. */
static const char views[] =
    "CREATE TEMP TABLE model AS SELECT e.subject, e.subject || CASE WHEN e.witness LIKE '%; from %' THEN ' (' || substr(e.witness, 1, instr(e.witness, '; from') - 1) || ')' ELSE '' END AS named_layers, e.quantity AS kind, e.row, e.params, e.n AS most, e.value AS named, e.witness AS place,"
    " w.subject AS contract, w.value AS worst, w.bits AS bits, w.witness, a.value AS v32, b.value AS v16, c.value AS vb16, f.value AS overflow, e.at AS seq"
    " FROM now e JOIN now w ON w.measure='worst' AND w.row=e.row AND w.params=e.params AND w.n=e.n"
    " JOIN now a ON a.key=w.key AND a.measure='valid f32' JOIN now b ON b.key=w.key AND b.measure='valid f16' JOIN now c ON c.key=w.key AND c.measure='valid bf16'"
    " JOIN now f ON f.key=w.key AND f.measure='nonfinite from' WHERE e.measure='encoding' AND e.verdict='';";

static const char headlines[] =
    "SELECT many(count(DISTINCT subject) FILTER (WHERE vb16 < most)) || ' of ' || many(count(DISTINCT subject)) || ' published rotary models: the float32 table of the usual recipe (hf-f32) is worse than bfloat16 storage"
    " somewhere before the model''s own maximum context.' FROM model WHERE kind='published' AND row='rope' AND contract='hf-f32' AND named > 0"
    " UNION ALL SELECT many(count(DISTINCT subject) FILTER (WHERE vb16 < most)) || ' of ' || many(count(DISTINCT subject)) || ' with the iterated float32 angle (ggml-f32); ' || (SELECT many(count(DISTINCT subject) FILTER (WHERE vb16 < most)) || ' of '"
    " || many(count(DISTINCT subject)) FROM model WHERE kind='published' AND row='rope' AND contract='bf16-freq' AND named > 0) || ' once the frequencies were cast to bfloat16; ' || (SELECT many(count(DISTINCT subject) FILTER (WHERE vb16 < most))"
    " || ' of ' || many(count(DISTINCT subject)) FROM model WHERE kind='published' AND row='rope' AND contract='phase64' AND named > 0) || ' with the angle in float64 (phase64).' FROM model WHERE kind='published' AND row='rope' AND contract='ggml-f32' AND named > 0"
    " UNION ALL SELECT * FROM (SELECT 'Largest error of the usual recipe inside a published context: ' || num(bits) || ' (' || subject || ', ' || many(most) || ' positions; ' || witness || ').' FROM model WHERE kind='published' AND row='rope' AND contract='hf-f32' AND named > 0 ORDER BY worst DESC LIMIT 1)"
    " UNION ALL SELECT 'A float32 cos/sin table need not lose any of this: over ' || many(own.n) || ' sampled entries the own kernel (' || own.subject || ') is at most ' || num(own.bits, 4) || ' ULP off, the usual recipe up to ' || num(hf.bits) || ' ULP.'"
    " FROM now own, now hf WHERE own.measure='histogram ulp' AND hf.measure='histogram ulp' AND hf.subject='hf-f32' AND own.subject<>'hf-f32' AND own.n > 0"
    " UNION ALL SELECT 'Own tables: all of ' || many(sum(n)) || ' entries checked, ' || CASE WHEN sum(verdict<>'PASS') = 0 THEN 'every one correctly rounded (at most ' || num(max(value), 8) || ' ULP off).' ELSE many(sum(verdict<>'PASS')) || ' of ' || many(count(*)) || ' tables are not shown to be correctly rounded.' END FROM now WHERE measure='exhaustive ulp' HAVING count(*) > 0"
    " UNION ALL SELECT 'Own kernels: ' || many(count(*) FILTER (WHERE verdict='PASS')) || ' of ' || many(count(*)) || ' questions within their derived bounds, ' || many(count(*) FILTER (WHERE verdict IN ('FAIL','CRASH'))) || ' fail, '"
    " || many(count(*) FILTER (WHERE verdict IN ('VACUOUS','UNDECIDED'))) || ' decide nothing.' FROM now WHERE measure='gauge'"
    " UNION ALL SELECT 'Recorded outputs of other libraries: ' || many(count(*) FILTER (WHERE verdict='PASS')) || ' cases within their declared arithmetic, ' || many(count(*) FILTER (WHERE verdict='KNOWN')) || ' known deviations, '"
    " || many(count(*) FILTER (WHERE verdict IN ('FAIL','CRASH'))) || ' outside, ' || many(count(*) FILTER (WHERE verdict NOT IN ('PASS','KNOWN','FAIL','CRASH'))) || ' vacuous, undecided or not understood.' FROM now WHERE measure='peer' HAVING count(*) > 0"
    " UNION ALL SELECT 'Recordings with a planted mistake: ' || many(count(*) FILTER (WHERE verdict='KNOWN')) || ' of ' || many(count(*)) || ' rejected; the table says which are named.' FROM now WHERE measure='planted' HAVING count(*) > 0";

static const char wide_models[] =
    "SELECT named_layers AS model, many(most) || CASE WHEN named > 0 THEN '' ELSE ' (assumed)' END AS positions,"
    " max(CASE WHEN contract='hf-f32' THEN num(bits) END) AS 'hf-f32: worst error', max(CASE WHEN contract='hf-f32' THEN CASE WHEN vb16>=most THEN 'all' ELSE many(vb16) END END) AS 'hf-f32: valid to (bf16)',"
    " max(CASE WHEN contract='hf-f32' THEN CASE WHEN v16>=most THEN 'all' ELSE many(v16) END END) AS 'hf-f32: valid to (f16)',"
    " max(CASE WHEN contract='ggml-f32' THEN num(bits) END) AS 'ggml-f32: worst error', max(CASE WHEN contract='ggml-f32' THEN CASE WHEN vb16>=most THEN 'all' ELSE many(vb16) END END) AS 'ggml-f32: valid to (bf16)',"
    " max(CASE WHEN contract='bf16-freq' THEN num(bits) END) AS 'bf16-freq: worst error', max(CASE WHEN contract='bf16-freq' THEN CASE WHEN vb16>=most THEN 'all' ELSE many(vb16) END END) AS 'bf16-freq: valid to (bf16)'"
    " FROM model WHERE kind='published' AND row='rope' GROUP BY seq ORDER BY most DESC, subject";

static void full_models(struct page *p, const char *caption, const char *fold, const char *kind)
{
    char sql[1600];
    snprintf(sql, sizeof sql, "SELECT subject AS model, row, CASE WHEN length(params) > 70 THEN substr(params, 1, 67) || '...' ELSE params END AS parameters, place AS layers, many(most) AS positions, contract, num(bits, 4) AS 'worst error',"
             " num(worst * 33554432) AS 'x f32 half ulp', num(worst * 4096) AS 'x f16', num(worst * 512) AS 'x bf16', many(v32) AS 'valid to f32', many(v16) AS f16, many(vb16) AS bf16, CASE WHEN overflow IS NULL THEN '' ELSE many(overflow) END AS 'not finite from', witness"
             " FROM model WHERE kind %s 'published' ORDER BY subject, seq, contract", kind);
    page_table(p, caption, fold, sql);
}

static void models(struct page *p)
{
    page_heading(p, 2, "models", "Published models");
    page_text(p, "Each model's own config is read, its frequencies are built exactly, and its cos/sin table is recomputed operation by operation as named implementations do it (a contract), for every position and pair of its own context. "
              "Errors are before storage and before the attention factor. 'Valid to' is the first position at which some entry is off by more than the storage format's rounding step 2^-p (p = 24, 11, 8): from there the arithmetic is worse than the storage would be.");
    page_figure(p, "fig-valid", "Positions for which every entry is within 2^-8 of the exact value, against each model's own maximum (black mark).");
    page_figure(p, "fig-error", "The float32 recipes err in proportion to the position; casting frequencies or positions to 16 bits is wrong almost at once; a float64 angle stays far below the rounding of float32 storage.");
    page_table(p, "Published models, the three contracts met most", NULL, wide_models);
    full_models(p, "Published models, every contract, with witnesses", "Every contract and witness of the published models", "=");
    page_heading(p, 2, "defaults", "Class defaults");
    page_text(p, "Not releases: what a model class of a library is when its own file is silent. Labelled apart, since nobody need have trained one.");
    full_models(p, "Class defaults, every contract, with witnesses", "Every contract and witness of the class defaults", "<>");
    page_table(p, "Encodings that cannot be judged here, and why", "Encodings that cannot be judged here", "SELECT subject AS model, quantity AS provenance, row, witness AS reason FROM now WHERE measure='encoding' AND verdict<>'' ORDER BY quantity DESC, subject");
}

static void kernels(struct page *p)
{
    page_heading(p, 2, "kernels", "Own kernels: known maximum errors");
    page_text(p, "Largest error seen, not a proof unless the method says exhaustive: a sample is a lower bound on the maximum. The gauge is |error| in units of 2^-p times the same formula on absolute values; a verdict compares every element with its own bound, derived from the declared arithmetic; claimed is what the kernel itself states, and each column is a maximum of its own.");
    page_table(p, "Known maximum error by row, slot and format", NULL,
               "SELECT g.row, g.quantity AS outputs, g.subject AS 'slot, format', num(max(g.value), 4) AS 'worst gauge', CASE WHEN max(c.witness) <> '' THEN max(c.witness) WHEN max(c.value) > 0 THEN num(max(c.value), 4) END AS claimed, num(max(g.bound), 4) AS 'derived bound', num(max(u.value), 4) AS 'worst ULP', num(max(b.value)) AS 'bound used',"
               " many(sum(k.value)) || ' of ' || many(sum(g.n)) AS 'correctly rounded', g.method || ', seed ' || g.seed AS method, (SELECT x.params || ' ' || x.witness FROM now x WHERE x.measure='bound used' AND x.row=g.row AND x.quantity=g.quantity AND x.subject=g.subject"
               " ORDER BY x.value DESC LIMIT 1) AS 'witness (most of its bound)', CASE WHEN sum(g.verdict='FAIL') THEN 'FAIL' WHEN sum(g.verdict<>'PASS') THEN 'VACUOUS in ' || sum(g.verdict<>'PASS') || ' of ' || count(*) ELSE 'PASS' END AS verdict, (SELECT x.witness FROM now x WHERE x.measure='profile' AND x.row=g.row AND x.quantity=g.quantity AND x.subject=g.subject LIMIT 1) AS 'declared arithmetic'"
               " FROM now g JOIN now c ON c.key=g.key AND c.measure='claimed' JOIN now u ON u.key=g.key AND u.measure='ulp' JOIN now b ON b.key=g.key AND b.measure='bound used' JOIN now k ON k.key=g.key AND k.measure='correct'"
               " WHERE g.measure='gauge' GROUP BY g.row, g.quantity, g.subject ORDER BY g.row, g.quantity, g.subject");
    page_table(p, "Exhaustive checks of own tables", NULL, "SELECT row, params AS parameters, subject AS format, many(n) AS entries, num(bits, 8) AS 'worst ULP', method, verdict, witness FROM now WHERE measure='exhaustive ulp' ORDER BY at");
    page_figure(p, "fig-ulp", "The same table twice: correctly rounded, and by the usual float32 recipe.");
}

static void rest(struct page *p)
{
    page_heading(p, 2, "encodings", "The encodings");
    page_figure(p, "fig-laws", "Scaling laws in deployment: multiplier on each frequency. Plain RoPE is the line at 1.");
    page_figure(p, "fig-heat", "The table of the Transformer paper.");
    page_figure(p, "fig-inner", "Sum of cosines of the distance: it does not fall steadily.");
    page_say(p, "SELECT 'Width 64: ' || many(value) || ' certified rises below distance ' || many(n) || '; the first: ' || (SELECT witness FROM now WHERE measure='certified rise' ORDER BY value LIMIT 1) || '.' FROM now WHERE measure='rises'");
    page_heading(p, 2, "peers", "Recorded outputs of other libraries");
    page_table(p, "Packs and their verdicts", NULL, "SELECT subject AS pack, count(*) AS questions, sum(verdict='PASS') AS PASS, sum(verdict='KNOWN') AS KNOWN, sum(verdict IN ('FAIL','CRASH')) AS FAIL, sum(verdict='VACUOUS') AS VACUOUS, sum(verdict='UNDECIDED') AS UNDECIDED, sum(verdict='SKIP') AS SKIP, CASE WHEN max(value) IS NOT NULL THEN num(max(value)) END AS 'most of a bound used' FROM now WHERE measure='peer' GROUP BY subject ORDER BY subject");
    page_table(p, "Recordings with a planted mistake", NULL, "SELECT subject AS pack, params AS 'case', row, quantity, CASE verdict WHEN 'KNOWN' THEN 'rejected' ELSE verdict END AS verdict, num(value) AS 'times the bound', witness AS mistake FROM now WHERE measure='planted' ORDER BY subject, params");
    page_table(p, "Deviations and skips, with reasons", "Deviations and skips, with reasons", "SELECT subject AS pack, params AS 'case', row, quantity, verdict, CASE WHEN value IS NOT NULL THEN num(value) END AS 'bound used', witness AS reason FROM now WHERE measure='peer' AND verdict<>'PASS' ORDER BY verdict, subject, params");
    page_heading(p, 2, "rooms", "Rows and rooms");
    page_table(p, "What each row has", NULL, "SELECT a.row, a.quantity AS encoding, a.subject AS source, CAST(max(CASE a.measure WHEN 'laws' THEN a.value END) AS INTEGER) AS laws, CAST(max(CASE a.measure WHEN 'mistakes' THEN a.value END) AS INTEGER) AS mistakes,"
               " CAST(max(CASE a.measure WHEN 'presets' THEN a.value END) AS INTEGER) AS presets, CAST(max(CASE a.measure WHEN 'contracts' THEN a.value END) AS INTEGER) AS contracts, CASE max(CASE a.measure WHEN 'golden' THEN a.value END) WHEN 1 THEN 'yes' ELSE 'no' END AS golden,"
               " max(CASE a.measure WHEN 'slots' THEN a.witness END) AS kernels FROM now a WHERE a.measure IN ('laws','mistakes','presets','contracts','golden','slots') GROUP BY a.row ORDER BY a.row");
    page_heading(p, 2, "cost", "What the truth costs");
    page_table(p, "Reference: time and precision per element (first preset)", NULL, "SELECT t.row, t.quantity, many(t.n) AS elements, num(t.value / 1000) AS 'microseconds per element', many(q.value) AS 'highest precision, bits', many(z.value) AS 'precision raised, lines', many(u.value) AS 'undecided lines' FROM now t JOIN now q ON q.key=t.key AND q.quantity=t.quantity AND q.measure='precision'"
               " JOIN now u ON u.key=t.key AND u.quantity=t.quantity AND u.measure='undecided lines' JOIN now z ON z.key=t.key AND z.quantity=t.quantity AND z.measure='retries' WHERE t.measure='ns per element' ORDER BY t.row, t.at");
    page_heading(p, 2, "not-run", "Not run");
    page_table(p, "What was not run, and why", NULL, "SELECT quantity AS what, subject, CASE WHEN params='' THEN '' ELSE row || ' ' || CASE WHEN length(params) > 70 THEN substr(params, 1, 67) || '...' ELSE params END || ', ' || many(n) || ' positions' END AS question, witness AS reason FROM now WHERE measure='not run' ORDER BY 1, 2");
    page_table(p, "Kernels that decline a preset", "Kernels that decline a preset", "SELECT row, quantity AS outputs, subject AS 'slot, format', group_concat(params, '; ') AS presets FROM now WHERE measure='declined' GROUP BY row, quantity, subject ORDER BY 1, 2, 3");
    page_heading(p, 2, "provenance", "Provenance");
    page_table(p, "Who measured what is shown", NULL, "SELECT r.id AS run, r.started, r.machine, r.cpu, r.isa AS slots, r.compiler, r.mpfr, r.version, r.\"commit\", (SELECT count(*) FROM plan WHERE plan.run=r.id) AS items, num((SELECT sum(i.seconds) FROM plan JOIN item i USING (key, run) WHERE plan.run=r.id)) AS seconds"
               " FROM run r WHERE r.id IN (SELECT run FROM plan) ORDER BY r.id");
}

int report_page(struct report *r)
{
    struct page p;
    char html[4200], md[4200];
    sqlite3 *db = store_db(r->store);
    if (store_freeze(r->store) != SQLITE_OK || sqlite3_exec(db, views, NULL, NULL, NULL) != SQLITE_OK)
        return snprintf(r->err, sizeof r->err, "%s", sqlite3_errmsg(db)), -1;
    page_open(&p, db, r->dir, "Position encodings and attention, measured");
    page_text(&p, "meridian compares implementations with a certified arbitrary-precision reference. Every number below is a query on results.db in this folder.");
    page_heading(&p, 2, "findings", "Findings");
    page_say(&p, headlines);
    page_heading(&p, 2, "reading", "How to read this");
    page_text(&p, "An error is the distance to the exact real value for the very inputs used; it is decided by interval arithmetic at whatever precision that takes. A contract is a named recipe, every rounding written down: hf-f32 computes frequency, product and cosine in float32; "
              "ggml-f32 multiplies the angle from pair to pair; bf16-freq casts the frequencies to bfloat16 first; phase64 keeps the angle in float64. Exhaustive means every position and pair; sample means a fixed random sample, so the maximum may be larger.");
    models(&p);
    kernels(&p);
    rest(&p);
    snprintf(html, sizeof html, "%s/index.html", r->dir);
    snprintf(md, sizeof md, "%s/report.md", r->dir);
    if (page_close(&p, html, md))
        return snprintf(r->err, sizeof r->err, "%s", p.err), -1;
    return 0;
}
