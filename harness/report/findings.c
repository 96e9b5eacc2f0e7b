/* The report's findings in released libraries: every line of data/findings.tsv is judged again and shown with the
 * witness that was seen now, bugs in one table, other findings in another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/data.h"
#include "base/digest.h"
#include "findings/discovery.h"
#include "core/files.h"
#include "page/markdown.h"
#include "report/core/report.h"

static int judge_again(const struct discovery *d, void *with)
{
    struct tally y = { 0 };
    char seen[400], who[64], measure[32], shown[500], pack[64] = "", id[96] = "";
    bool again = discovery_seen(d, &y, seen, sizeof seen);
    snprintf(who, sizeof who, "%s %s", d->library, d->version);
    snprintf(measure, sizeof measure, "finding %s", discovery_word[d->kind]);
    discovery_recording(d, 0, pack, id);
    if (d->kind == BUG)
        snprintf(shown, sizeof shown, "judge data/peers/%s --case %s; data/findings/%s.md%s%s", pack, id, d->id,
            *d->live == '-' ? "" : "; make ", *d->live == '-' ? "" : d->live);
    else
        snprintf(shown, sizeof shown, "%s", d->claim);
    struct entry e = { .subject = who, .row = d->row, .quantity = d->effect, .params = shown, .measure = measure,
        .method = "sample", .seed = 1,
        .n = y.n, .value = y.ratio, .bound = (double)NAN, .verdict = word_name[again ? KNOWN_DEVIATION : FAILED],
            .witness = seen };
    report_put(with, &e);
    return 0;
}
static void fill(struct report *r, const void *with) { (void)with, (void)discoveries_each(judge_again, r); }

static int measure(struct report *r)
{
    static const char *const rests_on[] = { "findings.tsv", "peers/deviations.tsv", "peers/probes", "peers/quirks",
        "peers/onnx-attention", "peers/jax-attention", "names", "mistakes" };
    char path[600], what[80];
    uint64_t digest = digest_start;
    for (size_t k = 0; k < sizeof rests_on / sizeof *rests_on; k++)
        digest = file_digest(data_path(rests_on[k], path, sizeof path), digest);
    snprintf(what, sizeof what, "findings %016llx", (unsigned long long)digest);
    return report_item(r, what, fill, NULL);
}

static const char headlines[] =
    "SELECT 'Bugs found in released libraries (' || group_concat(DISTINCT substr(subject, 1, instr(subject, ' ') - "
        "1)) || '): ' || "
    "many(count(*) FILTER (WHERE verdict='KNOWN')) || ' of ' || many(count(*)) || ' recordings show them still.' FROM "
        "now WHERE "
    "measure='finding bug' HAVING count(*) > 0";

static int program(const struct discovery *d, void *with)
{
    char name[100], path[4300];
    snprintf(name, sizeof name, "findings/%s.md", d->id);
    char *text = d->kind == BUG ? file_read(data_path(name, path, sizeof path)) : NULL;
    if (text)
        page_markdown(with, text, 2, d->id);
    free(text);
    return 0;
}

static void page(struct page *p)
{
    page_text(p, "Where a released library answers otherwise than its documentation, or the standard it implements, "
        "says: the element with the most of "
        "its bound, what the library gave, what it is exactly. The recording of every line was judged again for this "
            "page; the library itself is "
        "asked by make judge-peers, where it is installed. The text to send stands in data/findings, with a program "
            "in the library's own words.");
    page_table(p, "Bugs, their recordings judged again", NULL,
        "SELECT subject AS library, row, quantity AS effect, witness, CASE WHEN value > 1e300 THEN 'not "
        "finite' ELSE num(value) END AS 'times the bound', CASE verdict WHEN 'KNOWN' THEN 'seen again' ELSE 'NOT "
            "SEEN' END AS verdict, params AS "
        "'shown by' FROM now WHERE measure='finding bug' ORDER BY subject, params");
    page_text(p, "No bugs: what a library rounds and claims nothing of, or keeps its claim (accuracy); what it chose "
        "where mathematics defines nothing, as "
        "for a query that sees no key or a hidden NaN (policy); and what its documentation says (option).");
    page_table(p, "Observations, policies and documented options", NULL,
        "SELECT substr(measure, 9) AS kind, subject AS library, row, quantity AS effect, "
        "params AS 'what is claimed', witness, CASE verdict WHEN 'KNOWN' THEN 'seen again' ELSE 'NOT SEEN' END AS "
            "verdict FROM now WHERE measure LIKE "
        "'finding %' AND measure<>'finding bug' ORDER BY measure, subject, params");
    page_heading(p, 2, "programs", "Programs that show them");
    discoveries_each(program, p);
}

const struct section section_findings = {
    .name = "findings", .title = "Found in released libraries", .order = 390, .measure = measure,
    .headlines = headlines, .page = page
};
