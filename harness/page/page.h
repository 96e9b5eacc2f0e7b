/* Writes one document in two forms, HTML and Markdown, from the same queries.  Numbers reach the page only through SQL:
 * page_say prints the first column of each row, page_table whole rows. */
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
long page_say(struct page *p, const char *sql);                 /* a list, one item a row; returns how many */
/* A table with the names of the columns as its head and "-" for NULL.  With fold, the words to unfold it by, it is
 * folded in HTML on screens (never in print); NULL: never.  Returns how many rows; without any nothing is written. */
long page_table(struct page *p, const char *caption, const char *fold, const char *sql);
/* The figure NAME.svg of the folder with its caption; where it was not drawn, a line that says so. */
void page_figure(struct page *p, const char *name, const char *caption);
/* Writes both files, each as a whole (html NULL: only md), and frees p's texts.  0, or -1 and p->err. */
int page_close(struct page *p, const char *html, const char *md);
void html_escape(FILE *f, const char *s); /* prints s with entities in place of markup */
#endif
