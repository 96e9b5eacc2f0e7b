/* Writes a document as HTML and as Markdown; see page.h. */
#include <stdlib.h>
#include <string.h>
#include "core/files.h"
#include "page/page.h"
#include "ball/need.h"
#include "page/plot.h"

static const char style[] =
    "body{margin:0;background:#f2f3f5;color:#1b1d21;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
    "Sans',sans-serif}\n"
    "main{max-width:min(1500px,96vw);margin:1.5rem auto;background:#fff;padding:1.2rem clamp(.9rem,4vw,2.6rem) "
    "2rem;border-radius:10px;box-shadow:0 1px 6px #0002}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.4rem 0 .8rem}h2{font-size:1.25rem;margin:2.2rem 0 "
    ".5rem;border-top:1px solid #e2e4e8;padding-top:1.3rem}h3{font-size:1.05rem;margin:1.4rem 0 .3rem}\n"
    "ul{padding-left:1.2rem}li{margin:.35rem 0}.first li{font-size:1.06rem}\n"
    ".wide{overflow-x:auto;margin:.7rem 0 "
    "1rem}p,li,figcaption{max-width:60rem}figure{max-width:60rem}table{border-collapse:collapse;font-size:.84rem;font-"
    "variant-numeric:tabular-nums}\n"
    "caption{text-align:left;font-weight:600;padding:.3rem 0}th,td{min-width:2.6rem;padding:.24rem .65rem .24rem "
    "0;border-bottom:1px solid "
    "#e8eaed;text-align:left;vertical-align:top}td:first-child{white-space:nowrap;padding-right:1rem}th{border-bottom:"
    "2px solid #c9cdd3;min-width:4.5em}\n"
    "figure{margin:1.1rem 0;overflow-x:auto}figure "
    "svg{width:100%;min-width:560px;height:auto;display:block}figcaption{font-size:.9rem;color:#44484f}\n"
    "summary{cursor:pointer;font-weight:600;padding:.3rem 0}code{background:#f1f2f4;padding:0 "
    ".25em;border-radius:3px}@media print{body{background:#fff}main{box-shadow:none}}\n";

void html_escape(FILE *f, const char *s)
{
    for (; *s; s++)
        if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
            fputs(*s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&quot;", f);
        else if ((unsigned char)*s >= 32 || *s == '\n')
            fputc(*s, f);
}

static void md_cell(FILE *f, const char *s)
{
    for (; *s; s++)
        if (*s == '\n')
            fputc(' ', f);
        else {
            if (*s == '|' || *s == '<')
                fputc('\\', f);
            fputc(*s, f);
        }
}

void page_open(struct page *p, sqlite3 *db, const char *dir, const char *title)
{
    *p = (struct page){ .db = db, .dir = dir };
    p->html = need_stream(&p->text[0], &p->size[0]);
    p->md = need_stream(&p->text[1], &p->size[1]);
    fprintf(p->html,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>");
    html_escape(p->html, title);
    fprintf(p->html, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    html_escape(p->html, title);
    fprintf(p->html, "</h1>\n");
    fprintf(p->md, "# %s\n\n", title);
}

void page_heading(struct page *p, int level, const char *id, const char *text)
{
    fprintf(p->html, "<h%d id=\"%s\">", level, id);
    html_escape(p->html, text);
    fprintf(p->html, "</h%d>\n", level);
    fprintf(p->md, "%.*s %s\n\n", level, "######", text);
}

void page_text(struct page *p, const char *text)
{
    fputs("<p>", p->html);
    html_escape(p->html, text);
    fputs("</p>\n", p->html);
    md_cell(p->md, text);
    fputs("\n\n", p->md);
}

static sqlite3_stmt *ask(struct page *p, const char *sql)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(p->db, sql, -1, &q, NULL) != SQLITE_OK && !*p->err)
        snprintf(p->err, sizeof p->err, "%.120s in: %.200s", sqlite3_errmsg(p->db), sql);
    return q;
}

static const char *cell(sqlite3_stmt *q, int k)
{
    const char *s = (const char *)sqlite3_column_text(q, k);
    return s && *s ? s : "-";
}

long page_say(struct page *p, const char *sql)
{
    sqlite3_stmt *q = ask(p, sql);
    long rows = 0;
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        if (sqlite3_column_type(q, 0) == SQLITE_NULL)
            continue;
        fputs(rows++ ? "<li>" : "<ul>\n<li>", p->html);
        html_escape(p->html, cell(q, 0));
        fputs("</li>\n", p->html);
        fputs("- ", p->md);
        md_cell(p->md, cell(q, 0));
        fputc('\n', p->md);
    }
    if (rows)
        fputs("</ul>\n", p->html), fputc('\n', p->md);
    sqlite3_finalize(q);
    return rows;
}

static void heads(struct page *p, sqlite3_stmt *q, const char *caption, const char *fold)
{
    int n = sqlite3_column_count(q);
    if (fold) {
        fputs("<details>\n<summary>", p->html);
        html_escape(p->html, fold);
        fputs("</summary>\n", p->html);
    }
    fputs("<div class=\"wide\">\n<table>\n<caption>", p->html);
    html_escape(p->html, caption);
    fputs("</caption>\n<thead><tr>", p->html);
    fprintf(p->md, "**%s**\n\n|", caption);
    for (int k = 0; k < n; k++) {
        fputs("<th>", p->html);
        html_escape(p->html, sqlite3_column_name(q, k));
        fputs("</th>", p->html);
        fprintf(p->md, " %s |", sqlite3_column_name(q, k));
    }
    fputs("</tr></thead>\n<tbody>\n", p->html);
    fputs("\n|", p->md);
    for (int k = 0; k < n; k++)
        fputs("---|", p->md);
    fputc('\n', p->md);
}

long page_table(struct page *p, const char *caption, const char *fold, const char *sql)
{
    sqlite3_stmt *q = ask(p, sql);
    long rows = 0;
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        if (!rows++)
            heads(p, q, caption, fold);
        fputs("<tr>", p->html);
        fputc('|', p->md);
        for (int k = 0; k < sqlite3_column_count(q); k++) {
            fputs("<td>", p->html);
            html_escape(p->html, cell(q, k));
            fputs("</td>", p->html);
            fputc(' ', p->md);
            md_cell(p->md, cell(q, k));
            fputs(" |", p->md);
        }
        fputs("</tr>\n", p->html);
        fputc('\n', p->md);
    }
    if (rows) {
        fprintf(p->html, "</tbody>\n</table>\n</div>\n%s", fold ? "</details>\n" : "");
        fputc('\n', p->md);
    }
    sqlite3_finalize(q);
    return rows;
}

void page_figure(struct page *p, const char *name, const char *caption)
{
    char path[4200], prefix[48];
    snprintf(path, sizeof path, "%s/%s.svg", p->dir, name);
    snprintf(prefix, sizeof prefix, "f-%s", name);
    fputs("<figure>\n", p->html);
    if (svg_inline(p->html, path, prefix, name))
        fprintf(p->html, "<p>Figure %s was not drawn; its data are in %s.tsv.</p>\n", name, name),
            fprintf(p->md, "Figure %s was not drawn; its data are in %s.tsv.\n\n", name, name);
    else
        fprintf(p->md, "![%s](%s.png)\n\n", name, name);
    fputs("<figcaption>", p->html);
    html_escape(p->html, caption);
    fputs("</figcaption>\n</figure>\n", p->html);
    fputs("*", p->md), md_cell(p->md, caption), fputs("*\n\n", p->md);
}

int page_close(struct page *p, const char *html, const char *md)
{
    fputs("</main>\n</body>\n</html>\n", p->html);
    fclose(p->html), fclose(p->md);
    int rc = *p->err ? -1 : 0;
    rc = rc ? rc : file_replace(md, p->text[1], p->size[1], p->err, sizeof p->err);
    rc = rc || !html ? rc : file_replace(html, p->text[0], p->size[0], p->err, sizeof p->err);
    free(p->text[0]), free(p->text[1]);
    return rc;
}
