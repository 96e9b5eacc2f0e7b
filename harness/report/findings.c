/* The report's findings in the field: every line of data/findings.tsv judged again, with the witness that was seen now. */
#include <math.h>
#include <stdio.h>
#include "data.h"
#include "discovery.h"
#include "files.h"
#include "page.h"
#include "report.h"

static int judge_again(const struct discovery *d, void *with)
{
    struct tally y = { 0 };
    char seen[400], who[64];
    bool again = discovery_seen(d, &y, seen, sizeof seen);
    snprintf(who, sizeof who, "%s %s", d->library, d->version);
    struct entry e = { .subject = who, .row = d->row, .quantity = d->effect, .params = d->command, .measure = "finding", .method = "sample", .seed = 1, .n = y.n, .value = y.ratio, .bound = (double)NAN,
        .verdict = word_name[again ? KNOWN_DEVIATION : FAILED], .witness = seen };
    report_put(with, &e);
    return 0;
}
static void fill(struct report *r, const void *with) { (void)with, (void)discoveries_each(judge_again, r); }

static int measure(struct report *r)
{
    static const char *const rests_on[] = { "findings.tsv", "peers/deviations.tsv", "peers/probes", "peers/quirks", "names", "mistakes" };
    char path[600], what[80];
    uint64_t digest = 14695981039346656037u;
    for (size_t k = 0; k < sizeof rests_on / sizeof *rests_on; k++)
        digest = file_digest(data_path(rests_on[k], path, sizeof path), digest);
    snprintf(what, sizeof what, "findings %016llx", (unsigned long long)digest);
    return report_item(r, what, fill, NULL);
}

static const char headlines[] = "SELECT 'Found in released libraries (' || group_concat(DISTINCT substr(subject, 1, instr(subject, ' ') - 1)) || '): ' || many(count(*) FILTER (WHERE verdict='KNOWN')) || ' of ' || many(count(*)) || ' findings seen again.' FROM now WHERE measure='finding' HAVING count(*) > 0";

static void page(struct page *p)
{
    page_heading(p, 2, "findings-in-libraries", "Found in released libraries");
    page_text(p, "Where a released library answers otherwise than the equation it implements (a sum over the visible keys, a table of cosines) allows under the arithmetic it declares: the element with the most of its bound, what the library gave, what it is exactly. Every line was judged again for this page; the command repeats it.");
    page_table(p, "Findings, each judged again", NULL, "SELECT subject AS library, row, quantity AS effect, witness, CASE WHEN value > 1e300 THEN 'not finite' ELSE num(value) END AS 'times the bound', CASE verdict WHEN 'KNOWN' THEN 'seen again' ELSE 'NOT SEEN' END AS verdict, params AS command FROM now WHERE measure='finding' ORDER BY subject, params");
}

const struct section section_findings = { .name = "findings", .order = 390, .measure = measure, .headlines = headlines, .page = page };
