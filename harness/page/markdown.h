/* Puts a short Markdown file on a page: headings, paragraphs and fenced blocks, which is all that data/findings has. */
#ifndef MARKDOWN_H
#define MARKDOWN_H
#include "page/page.h"
/* deeper: by how much headings sink.  id: what the first heading is found by; the others have none. */
void page_markdown(struct page *p, const char *text, int deeper, const char *id);
#endif
