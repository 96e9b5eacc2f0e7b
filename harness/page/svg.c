/* An SVG file inside a page: ids and references get a prefix, since an id is unique in the whole page. */
#include <stdlib.h>
#include <string.h>
#include "core/files.h"
#include "page/plot.h"

int svg_inline(FILE *to, const char *path, const char *prefix, const char *label)
{
    char *text = file_read(path), *s = text ? strstr(text, "<svg") : NULL;
    if (!s) {
        free(text);
        return -1;
    }
    char *title = strstr(s, "<title>"), *after = title ? strstr(title, "</title>") : NULL, *desc = strstr(s, "<desc>"),
         *end = desc ? strstr(desc, "</desc>") : NULL;
    fprintf(to, "<svg role=\"img\" aria-label=\"%s\"", label);
    for (s += 4; *s; s++) {
        if (s == title && after)
            s = after + strlen("</title>");
        if (s == desc && end)
            s = end + strlen("</desc>");
        bool id = !strncmp(s, "id=", 3) && (s[-1] == ' ' || s[-1] == '\n'), url = !strncmp(s, "url(#", 5),
             ref = !strncmp(s, "href='#", 7) || !strncmp(s, "href=\"#", 7);
        size_t head = id ? 4 : url ? 5 : ref ? 7 : 0;
        fwrite(s, 1, head, to);
        if (head)
            fprintf(to, "%s-", prefix);
        s += head;
        fputc(*s, to);
    }
    free(text);
    return 0;
}

bool svg_has_cells(const char *path)
{
    char *text = file_read(path);
    bool has = text && strstr(text, "<image");
    free(text);
    return has;
}
