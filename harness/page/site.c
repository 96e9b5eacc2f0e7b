/* Writes a site; see site.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/files.h"
#include "arith/need.h"
#include "page/plot.h"
#include "page/site.h"

static void new_sheet(struct page *p, const char *name, const char *label, const char *title, const char *group)
{
    p->sheet = realloc(p->sheet, (size_t)(p->sheets + 1) * sizeof *p->sheet);
    if (!p->sheet)
        abort();
    struct sheet *s = &p->sheet[p->sheets++];
    *s = (struct sheet){ .group = group };
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(s->label, sizeof s->label, "%s", label);
    snprintf(s->title, sizeof s->title, "%s", title);
    p->html = need_stream(&p->text[0], &p->size[0]);
    p->tables = 0;
    snprintf(p->anchor, sizeof p->anchor, "top");
    fprintf(p->index, "[\"%s.html\",\"%s\",[\n", name, title);
}

static void end_sheet(struct page *p)
{
    struct sheet *s = &p->sheet[p->sheets - 1];
    fclose(p->html);
    s->body = p->text[0], s->size = p->size[0];
    fputs("[\"\",\"\"]]],\n", p->index);
    p->html = NULL, p->text[0] = NULL;
}

void site_open(struct page *p, sqlite3 *db, const char *dir, const char *title)
{
    *p = (struct page){ .db = db, .dir = dir };
    snprintf(p->title, sizeof p->title, "%s", title);
    p->md = p->kept = need_stream(&p->text[1], &p->size[1]);
    p->index = need_stream(&p->text[2], &p->size[2]);
    fputs("search_index([\n", p->index);
    new_sheet(p, "index", title, title, "");
    page_heading(p, 1, "top", title);
}

/* The Markdown text of a page that is not to stand in it. */
static FILE *nowhere(void)
{
    FILE *f = fopen("/dev/null", "w");
    if (!f)
        abort();
    return f;
}

void site_turn(struct page *p, const char *name, const char *label, const char *title, const char *group, bool both)
{
    end_sheet(p);
    if (p->md != p->kept)
        fclose(p->md);
    p->md = both ? p->kept : nowhere();
    new_sheet(p, name, label, title, group);
    fprintf(p->html, "<h1 id=\"top\">");
    html_escape(p->html, title);
    fputs("</h1>\n", p->html);
    fprintf(p->md, "## %s\n\n", title);
    page_found(p, title);
}

void site_thumbs(struct page *p, const struct thumb *t, int n)
{
    char path[4200];
    int shown = 0;
    for (int k = 0; k < n; k++) {
        snprintf(path, sizeof path, "%s/%s.svg", p->dir, t[k].figure);
        if (access(path, R_OK))
            continue;
        fputs(shown++ ? "" : "<div class=\"thumbs\">\n", p->html);
        fprintf(p->html, "<a href=\"%s.html#%s\"><img src=\"%s.svg\" alt=\"\"%s/>", t[k].page, t[k].figure, t[k].figure,
            svg_has_cells(path) ? " class=\"cells\"" : "");
        html_escape(p->html, t[k].says);
        fputs("</a>\n", p->html);
    }
    fputs(shown ? "</div>\n" : "", p->html);
}

/* A name in the contents, of the page `here` or another. */
static void entry(FILE *f, const struct sheet *s, const struct sheet *here)
{
    fprintf(f, "<li><a href=\"%s.html\"%s>", s->name, s == here ? " aria-current=\"page\"" : "");
    html_escape(f, s->label);
    fputs("</a></li>\n", f);
}

/* Groups stand in the order of their first pages. */
static void contents(FILE *f, const struct page *p, const struct sheet *here)
{
    fputs("<nav class=\"side\" aria-label=\"contents\">\n<a class=\"name\" href=\"index.html\">meridian</a>\n"
          "<div class=\"search\"><input id=\"search\" type=\"search\" placeholder=\"search everything\" "
          "aria-label=\"search everything\"/><ul id=\"found\" class=\"found\"></ul></div>\n", f);
    for (int k = 0; k < p->sheets; k++) {
        const char *group = p->sheet[k].group;
        bool first = true;
        for (int j = 0; j < k; j++)
            first = first && strcmp(p->sheet[j].group, group);
        if (!first || !*group)
            continue;
        fprintf(f, "<details class=\"%s\" open>\n<summary>%s</summary>\n<ul>\n", group, group);
        for (int j = k; j < p->sheets; j++)
            if (!strcmp(p->sheet[j].group, group))
                entry(f, &p->sheet[j], here);
        fputs("</ul>\n</details>\n", f);
    }
    fputs("</nav>\n", f);
}

static int write_sheet(struct page *p, const struct sheet *s)
{
    char path[4400], title[440], *whole;
    size_t size;
    FILE *f = need_stream(&whole, &size);
    snprintf(path, sizeof path, "%s/%s.html", p->dir, s->name);
    snprintf(title, sizeof title, "%s%s%s", s->title, s == p->sheet ? "" : " - ", s == p->sheet ? "" : p->title);
    page_head(f, title, false);
    fputs("<body class=\"site\">\n", f);
    contents(f, p, s);
    fprintf(f, "<main>\n%s</main>\n<script src=\"site.js\"></script>\n</body>\n</html>\n", s->body);
    fclose(f);
    int rc = file_replace(path, whole, size, p->err, sizeof p->err);
    free(whole);
    return rc;
}

static int write_text(struct page *p, const char *name, const char *text, size_t size)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    return file_replace(path, text, size, p->err, sizeof p->err);
}

int site_close(struct page *p, const char *md)
{
    end_sheet(p);
    fputs("]);\n", p->index);
    if (p->md != p->kept)
        fclose(p->md);
    fclose(p->kept), fclose(p->index);
    int rc = *p->err ? -1 : 0;
    rc = rc ? rc : write_text(p, "site.css", page_style(), strlen(page_style()));
    rc = rc ? rc : write_text(p, "site.js", page_script(), strlen(page_script()));
    rc = rc ? rc : write_text(p, "search.js", p->text[2], p->size[2]);
    rc = rc ? rc : file_replace(md, p->text[1], p->size[1], p->err, sizeof p->err);
    for (int k = p->sheets - 1; k >= 0; k--) { /* the first page last: it leads to all others */
        rc = rc ? rc : write_sheet(p, &p->sheet[k]);
        free(p->sheet[k].body);
    }
    free(p->sheet), free(p->text[1]), free(p->text[2]);
    return rc;
}
