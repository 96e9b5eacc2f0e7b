/* A site: pages of HTML that lead to one another, the contents at their side, and what is searched; one Markdown text
 * of those pages that are no second view of the same.  All are files of one folder and ask for nothing outside it. */
#ifndef PAGE_SITE_H
#define PAGE_SITE_H
#include "page/page.h"

/* name: of the file, without ".html"; label: in the contents; group: the heading in the contents under which it
 * stands, "": above all. */
struct sheet { char name[80], label[80], title[200]; const char *group; char *body; size_t size; };
/* Begins the page index; db and dir are borrowed until site_close. */
void site_open(struct page *p, sqlite3 *db, const char *dir, const char *title);
/* Ends the page before and begins another.  both: it stands in the Markdown text, too.  group is borrowed. */
void site_turn(struct page *p, const char *name, const char *label, const char *title, const char *group, bool both);
/* The SVG files of these figures, small, each leading to the page that shows it; those that were not drawn are left
 * out. */
struct thumb { const char *figure, *page, *says; };
void site_thumbs(struct page *p, const struct thumb *t, int n);
/* Writes every page and then the first, the Markdown text to the file md, and frees p's texts.  0, or -1 and
 * p->err. */
int site_close(struct page *p, const char *md);
#endif
