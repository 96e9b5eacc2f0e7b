/* Markdown on a page; see markdown.h. */
#include <stdlib.h>
#include <string.h>
#include "page/markdown.h"
#include "arith/need.h"

static void end_paragraph(struct page *p, char *words)
{
    if (*words)
        page_text(p, words);
    *words = 0;
}

void page_markdown(struct page *p, const char *text, int deeper, const char *id)
{
    char *words = need(strlen(text) + 1, 1), *code = need(strlen(text) + 1, 1), name[120];
    bool fenced = false;
    int headings = 0;
    for (const char *next; *text; text = next + (*next == '\n')) {
        next = text + strcspn(text, "\n");
        const size_t n = (size_t)(next - text), level = strspn(text, "#");
        if (!strncmp(text, "```", 3)) {
            end_paragraph(p, words);
            if (fenced && *code)
                code[strlen(code) - 1] = 0, page_code(p, code);
            *code = 0, fenced = !fenced;
        } else if (fenced)
            strncat(code, text, n), strcat(code, "\n");
        else if (level) {
            char *title = strndup(text + level + (text[level] == ' '), n - level - (text[level] == ' '));
            end_paragraph(p, words);
            snprintf(name, sizeof name, headings ? "%s-%d" : "%s", id, headings);
            page_heading(p, (int)level + deeper, name, title);
            headings++, free(title);
        } else if (n == 0)
            end_paragraph(p, words);
        else {
            strcat(words, *words ? " " : "");
            strncat(words, text, n);
        }
    }
    end_paragraph(p, words);
    free(words), free(code);
}
