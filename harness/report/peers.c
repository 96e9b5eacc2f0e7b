/* The report's peers: recorded outputs of other libraries, each case judged under the arithmetic its recording
 * declares. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/data.h"
#include "base/digest.h"
#include "judge/deviation.h"
#include "examine/examine.h"
#include "core/files.h"
#include "pack/pack.h"
#include "page/page.h"
#include "report/core/report.h"

enum { LINES = 64 }; /* of each output: a random sample under a fixed seed */

/* Sets a finding against a known deviation or planted mistake: it becomes KNOWN if it fails and is named as that, and a
 * FAIL otherwise. */
static void settle(struct finding *f, const struct deviation *d)
{
    if (!d)
        return;
    bool named = f->word == FAILED && deviation_named(d, f);
    snprintf(f->reason, sizeof f->reason, "%s%s: %s [%s]",
        f->word != FAILED ? "declared, but not seen any more: " :
            named         ? "" :
                            "declared, but looks different now: ",
        d->mistake, d->what, d->cite);
    f->word = named ? KNOWN_DEVIATION : FAILED;
    f->match = NULL;
}

static void fill_pack(struct report *r, const void *with)
{
    char path[4400], err[600];
    const char *dir = with, *name = strrchr(dir, '/') + 1;
    struct subject s;
    struct trial t;
    int got;
    snprintf(path, sizeof path, "%s", dir);
    struct entry e = {
        .subject = name, .measure = "peer", .method = "sample", .seed = 1, .value = (double)NAN, .bound = (double)NAN
    };
    if (subject_pack(&s, path, err, sizeof err)) {
        e.verdict = "SKIP", e.witness = err, e.method = "";
        report_put(r, &e);
        return;
    }
    while ((got = s.next(&s, &t, err, sizeof err)) != 0) {
        struct tally y = { 0 };
        struct finding f = { .subject = name };
        struct mistake match;
        char witness[760];
        const struct deviation *d = got == 1 ? deviation_of("deviations", name, t.id) : NULL,
                               *planted = got == 1 && !d ? deviation_of("planted", name, t.id) : NULL;
        if (got == 1)
            (d || planted ? examine_known : examine_outputs)(&t, LINES, &y, &f, &match);
        else
            f.word = got == 2 ? SKIPPED : FAILED, snprintf(f.reason, sizeof f.reason, "%.590s", err);
        settle(&f, d ? d : planted);
        e.measure = planted ? "planted" : "peer";
        e.row = t.row ? t.row->name : "", e.quantity = got == 1 ? t.out[0].name : "", e.params = t.id,
        e.verdict = word_name[f.word], e.n = y.n;
        e.value = got == 1 ? y.ratio : (double)NAN, e.bound = got == 1 ? y.derived : (double)NAN;
        if (f.match)
            snprintf(witness, sizeof witness, "resembles %s: %s [%s]", f.match->id, f.match->effect, f.match->cite);
        else
            snprintf(witness, sizeof witness, "%s", f.reason);
        e.witness = witness;
        report_put(r, &e);
        report_progress(r, t.id);
        trial_close(&t);
        if (got < 0)
            break;
    }
    s.close(&s);
}

static int measure(struct report *r)
{
    char dir[4000], names[4000], path[4400], what[600];
    struct dirent **list;
    int n = scandir(data_path("peers", dir, sizeof dir), &list, NULL, alphasort), packs = 0;
    uint64_t map = file_digest(data_path("names", names, sizeof names), digest_start);
    map = file_digest(data_path("peers/deviations.tsv", names, sizeof names),
        file_digest(data_path("peers/planted.tsv", path, sizeof path), map));
    map = file_digest(data_path("mistakes", names, sizeof names), map); /* they name what a failing case resembles */
    for (int k = 0; k < n; k++) {
        struct stat st;
        snprintf(path, sizeof path, "%s/%.255s/pack.json", dir, list[k]->d_name);
        bool pack = *list[k]->d_name != '.' && stat(path, &st) == 0;
        snprintf(path, sizeof path, "%s/%.255s", dir, list[k]->d_name);
        snprintf(what, sizeof what, "peer %.255s content %016llx", list[k]->d_name,
            (unsigned long long)file_digest(path, map));
        if (pack && !*r->err)
            report_item(r, what, fill_pack, path);
        packs += pack;
        free(list[k]);
    }
    if (n >= 0)
        free(list);
    if (!packs)
        report_skip(r, "recorded peers", "data/peers", "no pack there");
    return *r->err ? -1 : 0;
}

static const char headlines[] =
    "SELECT 'Recorded outputs of other libraries: ' || many(count(*) FILTER (WHERE verdict='PASS')) || ' cases within "
    "their declared arithmetic, ' || many(count(*) FILTER (WHERE verdict='KNOWN')) || ' known deviations, '"
    " || many(count(*) FILTER (WHERE verdict IN ('FAIL','CRASH'))) || ' outside, ' || many(count(*) FILTER (WHERE "
    "verdict NOT IN ('PASS','KNOWN','FAIL','CRASH'))) || ' vacuous, undecided or not understood.' FROM now WHERE "
    "measure='peer' HAVING count(*) > 0"
    " UNION ALL SELECT 'Recordings with a planted mistake: ' || many(count(*) FILTER (WHERE verdict='KNOWN')) || ' of "
    "' || many(count(*)) || ' rejected; the table says which are named.' FROM now WHERE measure='planted' HAVING "
    "count(*) > 0";

static void page(struct page *p)
{
    page_table(p, "Packs and their verdicts", NULL,
        "SELECT subject AS pack, count(*) AS questions, sum(verdict='PASS') AS PASS, sum(verdict='KNOWN') AS KNOWN, "
        "sum(verdict IN ('FAIL','CRASH')) AS FAIL, sum(verdict='VACUOUS') AS VACUOUS, sum(verdict='UNDECIDED') AS "
        "UNDECIDED, sum(verdict='SKIP') AS SKIP, CASE WHEN max(value) IS NOT NULL THEN num(max(value)) END AS 'most of "
        "a bound used' FROM now WHERE measure='peer' GROUP BY subject ORDER BY subject");
    page_table(p, "Recordings with a planted mistake", NULL,
        "SELECT subject AS pack, params AS 'case', row, quantity, CASE verdict WHEN 'KNOWN' THEN 'rejected' ELSE "
        "verdict END AS verdict, num(value) AS 'times the bound', witness AS mistake FROM now WHERE measure='planted' "
        "ORDER BY subject, params");
    page_table(p, "Deviations and skips, with reasons", "Deviations and skips, with reasons",
        "SELECT subject AS pack, params AS 'case', row, quantity, verdict, CASE WHEN value IS NOT NULL THEN num(value) "
        "END AS 'bound used', witness AS reason FROM now WHERE measure='peer' AND verdict<>'PASS' ORDER BY verdict, "
        "subject, params");
}

const struct section section_peers = {
    .name = "peers", .title = "Recorded outputs of other libraries", .order = 400, .measure = measure,
    .headlines = headlines, .page = page,
};
