/* Writes a document as HTML and as Markdown; see page.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/files.h"
#include "page/page.h"
#include "arith/need.h"
#include "page/plot.h"
#include "assets.h"

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

/* Prints s between the quotes of a string of JavaScript. */
static void js_text(FILE *f, const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 32)
            fputc(' ', f);
        else
            fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
}

void page_found(struct page *p, const char *words)
{
    if (!p->index)
        return;
    fprintf(p->index, "[\"%s\",\"", p->anchor);
    js_text(p->index, words);
    fputs("\"],\n", p->index);
}

void page_head(FILE *f, const char *title, bool inside)
{
    fprintf(f,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>");
    html_escape(f, title);
    fputs("</title>\n", f);
    if (inside)
        fprintf(f, "<style>\n%s</style>\n", site_css);
    else
        fputs("<link rel=\"stylesheet\" href=\"site.css\"/>\n", f);
    fputs("</head>\n", f);
}

const char *page_style(void) { return site_css; }
const char *page_script(void) { return site_js; }

void page_open(struct page *p, sqlite3 *db, const char *dir, const char *title)
{
    *p = (struct page){ .db = db, .dir = dir };
    snprintf(p->title, sizeof p->title, "%s", title);
    p->html = need_stream(&p->text[0], &p->size[0]);
    p->md = need_stream(&p->text[1], &p->size[1]);
    page_heading(p, 1, "top", title);
}

void page_heading(struct page *p, int level, const char *id, const char *text)
{
    fprintf(p->html, "<h%d id=\"%s\">", level, id);
    html_escape(p->html, text);
    fprintf(p->html, "</h%d>\n", level);
    fprintf(p->md, "%.*s %s\n\n", level, "######", text);
    snprintf(p->anchor, sizeof p->anchor, "%s", id);
    page_found(p, text);
}

/* Prose, in which `words` between two backticks are code. */
static void put_prose(FILE *f, const char *s)
{
    for (const char *from, *to; *s; s = to) {
        from = s + strcspn(s, "`");
        to = *from && strchr(from + 1, '`') ? strchr(from + 1, '`') + 1 : from + (*from != 0);
        char *words = strndup(s, (size_t)(from - s)), *code = strndup(from, (size_t)(to - from));
        html_escape(f, words);
        if (to > from + 1) {
            code[to - from - 1] = 0;
            fputs("<code>", f), html_escape(f, code + 1), fputs("</code>", f);
        } else
            html_escape(f, code);
        free(words), free(code);
    }
}

void page_text(struct page *p, const char *text)
{
    fputs("<p>", p->html);
    put_prose(p->html, text);
    fputs("</p>\n", p->html);
    md_cell(p->md, text);
    fputs("\n\n", p->md);
    page_found(p, text);
}

void page_code(struct page *p, const char *text)
{
    fputs("<pre><code>", p->html);
    html_escape(p->html, text);
    fputs("</code></pre>\n", p->html);
    fprintf(p->md, "```text\n%s\n```\n\n", text);
    page_found(p, text);
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
        page_found(p, cell(q, 0));
    }
    if (rows)
        fputs("</ul>\n", p->html), fputc('\n', p->md);
    sqlite3_finalize(q);
    return rows;
}

static void heads(struct page *p, sqlite3_stmt *q, const char *caption, const char *fold)
{
    int n = sqlite3_column_count(q);
    snprintf(p->anchor, sizeof p->anchor, "table-%d", ++p->tables);
    page_found(p, caption);
    if (fold) {
        fputs("<details>\n<summary>", p->html);
        html_escape(p->html, fold);
        fputs("</summary>\n", p->html);
    }
    fprintf(p->html, "<div class=\"wide\">\n<table id=\"%s\">\n<caption>", p->anchor);
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

static void put_cell(struct page *p, const char *column, const char *text)
{
    char url[300] = "";
    if (p->leads)
        p->leads(p, column, text, url, sizeof url);
    fputs("<td>", p->html);
    if (*url)
        fprintf(p->html, "<a href=\"%s\">", url);
    html_escape(p->html, text);
    fputs(*url ? "</a></td>" : "</td>", p->html);
    fputc(' ', p->md);
    md_cell(p->md, text);
    fputs(" |", p->md);
    if (p->index)
        js_text(p->index, text), fputc(' ', p->index);
}

static void put_row(struct page *p, sqlite3_stmt *q)
{
    fputs("<tr>", p->html);
    fputc('|', p->md);
    if (p->index)
        fprintf(p->index, "[\"%s\",\"", p->anchor);
    for (int k = 0; k < sqlite3_column_count(q); k++)
        put_cell(p, sqlite3_column_name(q, k), cell(q, k));
    if (p->index)
        fputs("\"],\n", p->index);
    fputs("</tr>\n", p->html);
    fputc('\n', p->md);
}

/* Of a site, under a table: the query that it is. */
static void put_query(struct page *p, const char *sql)
{
    fputs("<details class=\"query\">\n<summary>the query on results.db</summary>\n<pre>", p->html);
    html_escape(p->html, sql);
    fputs("</pre>\n</details>\n", p->html);
}

long page_table(struct page *p, const char *caption, const char *fold, const char *sql)
{
    sqlite3_stmt *q = ask(p, sql);
    long rows = 0;
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        if (!rows++)
            heads(p, q, caption, fold);
        put_row(p, q);
    }
    if (rows) {
        fputs("</tbody>\n</table>\n</div>\n", p->html);
        if (p->sheet)
            put_query(p, sql);
        fputs(fold ? "</details>\n" : "", p->html);
        fputc('\n', p->md);
    }
    sqlite3_finalize(q);
    return rows;
}

static void put_links(struct page *p, const char *name)
{
    static const struct { const char *ends, *says; } of[] = { { "tsv", "data" }, { "gp", "script" },
        { "png", "picture" }, { "pdf", "print" } };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/%s.%s", p->dir, name, of[k].ends);
        if (access(path, R_OK) == 0)
            fprintf(p->html, " <span class=\"file\"><a href=\"%s.%s\">%s</a></span>", name, of[k].ends, of[k].says);
    }
}

void page_figure(struct page *p, const char *name, const char *caption)
{
    char path[4200], prefix[48];
    snprintf(path, sizeof path, "%s/%s.svg", p->dir, name);
    snprintf(prefix, sizeof prefix, "f-%s", name);
    fprintf(p->html, "<figure id=\"%s\"%s>\n<div class=\"wide\">\n", name,
        svg_has_cells(path) ? " class=\"cells\"" : "");
    snprintf(p->anchor, sizeof p->anchor, "%s", name);
    if (svg_inline(p->html, path, prefix, name))
        fprintf(p->html, "<p>Figure %s was not drawn; its data are in %s.tsv.</p>\n", name, name),
            fprintf(p->md, "Figure %s was not drawn; its data are in %s.tsv.\n\n", name, name);
    else
        fprintf(p->md, "![%s](%s.png)\n\n", name, name);
    fputs("</div>\n<figcaption>", p->html);
    html_escape(p->html, caption);
    put_links(p, name);
    fputs("</figcaption>\n</figure>\n", p->html);
    fputs("*", p->md), md_cell(p->md, caption), fputs("*\n\n", p->md);
    page_found(p, caption);
}

int page_close(struct page *p, const char *html, const char *md)
{
    fclose(p->html), fclose(p->md);
    int rc = *p->err ? -1 : 0;
    rc = rc ? rc : file_replace(md, p->text[1], p->size[1], p->err, sizeof p->err);
    if (rc == 0 && html) {
        char *whole;
        size_t size;
        FILE *f = need_stream(&whole, &size);
        page_head(f, p->title, true);
        fprintf(f, "<body>\n<main>\n%s</main>\n</body>\n</html>\n", p->text[0]);
        fclose(f);
        rc = file_replace(html, whole, size, p->err, sizeof p->err);
        free(whole);
    }
    free(p->text[0]), free(p->text[1]);
    return rc;
}
