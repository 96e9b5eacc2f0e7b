/* Typesets the comment at the top of a row: its formulas in MathML, which needs nothing outside the page, its words as
 * paragraphs. */
#ifndef FORMULA_H
#define FORMULA_H
#include "page/page.h"
/* One line of plain text, such as "s_j = <q_i, k_j> / sqrt(d)        o = sum_j p_j v_j", as <math> elements, one for
 * each part between two or more spaces.  What is no formula stays readable: words are words.  The tags are balanced
 * whatever the text is. */
void formula_line(FILE *f, const char *line);
/* The whole comment: its first line is the title and left out; lines that begin with two spaces are formulas, the
 * others prose.  The Markdown text has it as it is. */
void page_paper(struct page *p, const char *comment);
#endif
