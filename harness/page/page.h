/* One document, two texts: index.html and report.md say the same, from the same queries.
 * Numbers reach the page only through SQL: page_say prints the first column of each row, page_table the rows. */
#ifndef PAGE_H
#define PAGE_H
#include <sqlite3.h>
#include <stdio.h>

struct page {
    sqlite3 *db;
    const char *dir;
    FILE *html, *md;
    char *text[2];
    size_t size[2];
    
    char err[400]; /* first failure: "" while all is well */
};
/* Begins both texts; db and dir are borrowed until page_close. */
void page_open(struct page *p, sqlite3 *db, const char *dir, const char *title);
/* level: 1 the title, 2 a section; id: what links point to. */
void page_heading(struct page *p, int level, const char *id, const char *text);
void page_text(struct page *p, const char *text);             /* a paragraph of prose: words, no measured number */
long page_say(struct page *p, const char *sql);                 /* a list, one item a row; how many */
/* columns become heads; "-" where NULL.  A long table is folded away in HTML (never in print).  How many rows; none:
 * nothing is written. */
long page_table(struct page *p, const char *caption, const char *fold, const char *sql);
void page_figure(struct page *p, const char *name, const char *caption);
/* writes both files whole (html NULL: only md); 0, or -1 and p->err */
int page_close(struct page *p, const char *html, const char *md);
void html_escape(FILE *f, const char *s);
#endif
