/* The cards of the published models: what a model's own config says of its positions, and how far each contract holds.
 * See report_rows.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "report/core/report.h"
#include "report/core/report_rows.h"

/* The name of a model as an anchor: letters, digits and hyphens. */
static void anchor_of(const char *model, char *text, size_t n)
{
    size_t used = 0;
    for (; *model && used + 1 < n; model++)
        text[used++] = isalnum((unsigned char)*model) ? *model : '-';
    text[used] = 0;
}

void card_link(sqlite3 *db, const char *model, char *url, size_t n)
{
    char name[160], anchor[160], found[8];
    snprintf(name, sizeof name, "%.*s", (int)(strstr(model, " (") ? strstr(model, " (") - model : (long)strlen(model)),
        model);
    char *sql = sqlite3_mprintf(
        "SELECT 1 FROM now WHERE measure='encoding' AND quantity='published' AND subject=%Q LIMIT 1", name);
    if (!sql || report_cell(db, sql, found, sizeof found))
        *url = 0;
    else
        anchor_of(name, anchor, sizeof anchor), snprintf(url, n, "model-cards.html#%s", anchor);
    sqlite3_free(sql);
}

static void card(struct page *p, const char *model)
{
    char anchor[160], text[300];
    anchor_of(model, anchor, sizeof anchor);
    page_heading(p, 2, anchor, model);
    char *says = sqlite3_mprintf(
        "SELECT row, params AS parameters, witness AS 'layers, or why it cannot be judged', CASE WHEN n > 0 THEN "
        "many(n) END AS positions FROM now WHERE measure='encoding' AND quantity='published' AND subject=%Q ORDER BY "
        "at",
        model);
    char *holds = sqlite3_mprintf(
        "SELECT contract, row, num(bits, 4) AS 'worst error', CASE WHEN v32>=most THEN 'all' ELSE many(v32) END AS "
        "'valid to f32', CASE WHEN v16>=most THEN 'all' ELSE many(v16) END AS f16, CASE WHEN vb16>=most THEN 'all' "
        "ELSE many(vb16) END AS bf16, CASE WHEN overflow IS NULL THEN '' ELSE many(overflow) END AS 'not finite from', "
        "witness FROM model WHERE kind='published' AND subject=%Q ORDER BY seq, contract",
        model);
    if (says)
        page_table(p, "What its config says", NULL, says);
    if (holds)
        page_table(p, "How far its table holds, by contract", NULL, holds);
    snprintf(text, sizeof text, "meridian model data/models/published-%.200s.json --card", model);
    page_code(p, text);
    sqlite3_free(says), sqlite3_free(holds);
}

void model_cards(struct page *p)
{
    static const char every[] =
        "SELECT DISTINCT subject FROM now WHERE measure='encoding' AND quantity='published' ORDER BY subject";
    sqlite3_stmt *q = NULL;
    page_text(p, "What the config of each published model says of its positions, and up to which position every "
        "entry of its cos/sin table is within the rounding step of a storage format.");
    if (sqlite3_prepare_v2(p->db, every, -1, &q, NULL) == SQLITE_OK)
        while (sqlite3_step(q) == SQLITE_ROW)
            card(p, (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
}
