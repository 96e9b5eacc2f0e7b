/* The report on what the bounds can tell: known bugs of released software, the least error of the scale that shows,
 * every named mistake by row and type. */
#include "page/page.h"
#include "report/core/power_tables.h"
#include "report/core/report.h"

static int measure(struct report *r)
{
    const bool quick = r->quick;
    int rc = report_known(r) || report_scale(r) || report_kills(r) || report_classes(r);
    r->quick = true;
    rc = rc || report_checks(r) || report_confusion(r) || report_alarms(r);
    r->quick = quick;
    return rc ? -1 : 0;
}

static void page(struct page *p)
{
    for (const struct power_table *t = power_tables; t->name; t++)
        if (page_table(p, t->caption, t->fold, t->sql))
            page_text(p, t->note);
}

const struct section section_power = {
    .name = "power", .title = "What the bounds can tell", .order = 250, .measure = measure, .views = power_views,
    .headlines = power_findings, .page = page
};
