/* The report on the seed articles: their claims, decided by the programs of proofs/errata/. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "findings/claims.h"
#include "base/digest.h"
#include "core/data.h"
#include "core/files.h"
#include "page/page.h"
#include "report/core/report.h"

static int put(const struct claim_line *l, void *with)
{
    struct report *r = with;
    const struct erratum *e = erratum_named(l->id);
    struct claim c;
    char where[100];
    if (!e)
        return 0;
    enum claim_verdict v = claim_decide(&c, e, "");
    snprintf(where, sizeof where, "%.60s:%ld", l->file, l->line);
    struct entry one = { .subject = l->id,
        .quantity = where,
        .params = l->claim,
        .measure = "erratum",
        .value = v,
        .bound = (double)NAN,
        .verdict = claim_word[v],
        .witness = c.witness };
    report_put(r, &one);
    one.measure = "erratum corrected", one.witness = l->corrected;
    report_put(r, &one);
    one.measure = "erratum condition", one.witness = v == CLAIM_ONLY_IF ? l->condition : "";
    report_put(r, &one);
    report_progress(r, l->id);
    return 0;
}
static void fill(struct report *r, const void *with) { (void)with; claims_each(put, r); }

static int measure(struct report *r)
{
    char path[600], what[80];
    uint64_t digest = file_digest(data_path("errata.tsv", path, sizeof path), digest_start);
    char *text = file_read(path);
    snprintf(what, sizeof what, "claims of the seed articles, %016llx", (unsigned long long)digest);
    if (!text)
        report_skip(r, "claims of the seed articles", "data/errata.tsv", "not there");
    free(text);
    return text ? report_item(r, what, fill, NULL) : *r->err ? -1 : 0;
}

static const char headlines[] =
    "SELECT 'Claims of the seed articles: ' || many(count(*)) || ' put to the test by a program each; ' || "
    "many(sum(verdict='true')) || ' hold as written, ' || many(sum(verdict='true only if')) || ' under a condition "
    "only, ' || many(sum(verdict='false'))"
    " || ' not at all; ' || many(sum(verdict='notation')) || ' are matters of notation, ' || many(sum(verdict IN "
    "('undecided','open'))) || ' are open.' FROM now WHERE measure='erratum' HAVING count(*) > 0";

static void page(struct page *p)
{
    page_text(p,
        "A program decides each claim as written, the claim under the condition that saves it, and the corrected "
        "statement, in balls of 256 bits or exact integers; all digits of a witness are certified. meridian errata "
        "repeats it.");
    page_table(p, "Claims, verdicts, witnesses", "Claims, verdicts, witnesses",
        "SELECT a.subject AS id, a.quantity AS place, a.params AS claim, a.verdict || CASE c.witness WHEN '' THEN '' "
        "ELSE ' ' || c.witness END AS verdict, a.witness, b.witness AS correct FROM now a"
        " JOIN now b ON b.key=a.key AND b.subject=a.subject AND b.measure='erratum corrected' JOIN now c ON "
        "c.key=a.key AND c.subject=a.subject AND c.measure='erratum condition' WHERE a.measure='erratum' ORDER BY "
        "CAST(substr(a.subject, 2) AS INTEGER)");
}
const struct section section_errata = {
    .name = "errata", .title = "Claims of the seed articles", .order = 700, .measure = measure,
    .headlines = headlines, .page = page
};
