/* Writes one document in two forms, HTML and Markdown, from the same queries.  Numbers reach the page only through SQL:
 * page_say prints the first column of each row, page_table whole rows.  The HTML is one page, or several (site.h). */
#ifndef PAGE_H
#define PAGE_H
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

struct sheet; /* a finished page of a site (site.h) */
struct page {
    sqlite3 *db;
    const char *dir;
    FILE *html, *md;
    char *text[3];   /* of html, md or kept, index */
    size_t size[3];
    char title[200];
    /* Of a site alone, and else NULL or 0: what is searched, its pages, the last of which is being written, the
     * Markdown text that is kept while md is another, and the tables of this page so far. */
    FILE *index, *kept;
    struct sheet *sheet;
    int sheets, tables;
    char anchor[80]; /* the heading or table that was last begun */
    /* Where the text of a table's column leads to, "" for nowhere; NULL: no text leads anywhere. */
    void (*leads)(struct page *p, const char *column, const char *text, char *url, size_t n);
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
/* The figure NAME.svg of the folder with its caption and links to its data, its script and its PNG where that is
 * there; where it was not drawn, a line that says so. */
void page_figure(struct page *p, const char *name, const char *caption);
/* Lines to be copied as they are: a command, a program. */
void page_code(struct page *p, const char *text);
/* Writes both files, each as a whole (html NULL: only md), and frees p's texts.  0, or -1 and p->err. */
int page_close(struct page *p, const char *html, const char *md);
void html_escape(FILE *f, const char *s); /* prints s with entities in place of markup */
/* Adds words to what the place p->anchor is found by; where there is no index, nothing. */
void page_found(struct page *p, const char *words);
/* The head of an HTML file up to <title>, with the style inside it or, where it has a file of its own, a link. */
void page_head(FILE *f, const char *title, bool inside);
const char *page_style(void);  /* the text of site.css */
const char *page_script(void); /* the text of site.js */
#endif
