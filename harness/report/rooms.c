/* The report on rows and rooms: what each row has. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include "core/data.h"
#include "examine/examine.h"
#include "law.h"
#include "page/page.h"
#include "report/core/report.h"

static int count_mistake(const struct mistake *m, void *with) { (void)m; return ++*(int *)with, 0; }

static void fill_rooms(struct report *r, const void *with)
{
    (void)with;
    for (const struct row *const *row = all_rows; *row; row++) {
        struct stat st;
        char path[4300], file[80], list[200];
        int mistakes = 0, laws = 0, presets = 0, contracts = 0;
        size_t used = 0;
        struct entry e = {
            .row = (*row)->name, .quantity = (*row)->title, .subject = (*row)->cite, .bound = (double)NAN
        };
        mistakes_each((*row)->name, count_mistake, &mistakes);
        for (const struct laws *l = all_laws; l->row; l++)
            for (const struct law *k = l->law; !strcmp(l->row, (*row)->name) && k->says; k++)
                laws++;
        for (const struct preset *p = (*row)->presets; p->name; p++)
            presets++;
        for (const struct preset *p = (*row)->contracts; p && p->name; p++)
            contracts++;
        *list = 0;
        for (const struct slot *s = slots; s->name; s++)
            if (s->kernel->row && !strcmp(s->kernel->row, (*row)->name))
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "", s->name);
        int count[] = { laws, mistakes, presets, contracts };
        static const char *const name[] = { "laws", "mistakes", "presets", "contracts" };
        for (int k = 0; k < 4; k++) {
            e.measure = name[k], e.value = count[k];
            report_put(r, &e);
        }
        snprintf(file, sizeof file, "golden/%s.tsv", (*row)->name);
        e.measure = "golden", e.value = stat(data_path(file, path, sizeof path), &st) == 0;
        report_put(r, &e);
        e.measure = "slots", e.value = (double)used, e.witness = list;
        report_put(r, &e);
    }
}

static int measure(struct report *r)
{
    char what[80];
    /* milliseconds, and data/ may have changed: counted anew each time */
    snprintf(what, sizeof what, "rooms, run %lld", (long long)store_run_id(r->store));
    return report_item(r, what, fill_rooms, NULL);
}

static void page(struct page *p)
{
    page_table(p, "What each row has", NULL,
        "SELECT a.row, a.quantity AS encoding, a.subject AS source, CAST(max(CASE a.measure WHEN 'laws' THEN a.value "
        "END) AS INTEGER) AS laws, CAST(max(CASE a.measure WHEN 'mistakes' THEN a.value END) AS INTEGER) AS mistakes,"
        " CAST(max(CASE a.measure WHEN 'presets' THEN a.value END) AS INTEGER) AS presets, CAST(max(CASE a.measure "
        "WHEN 'contracts' THEN a.value END) AS INTEGER) AS contracts, CASE max(CASE a.measure WHEN 'golden' THEN "
        "a.value END) WHEN 1 THEN 'yes' ELSE 'no' END AS golden,"
        " max(CASE a.measure WHEN 'slots' THEN a.witness END) AS kernels FROM now a WHERE a.measure IN "
        "('laws','mistakes','presets','contracts','golden','slots') GROUP BY a.row ORDER BY a.row");
}

const struct section section_rooms = {
    .name = "rooms", .title = "Rows and rooms", .order = 800, .measure = measure,
    .page = page,
};
