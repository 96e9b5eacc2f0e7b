/* A walk along the path; whatever lies beside it is stepped over.  The text was parsed before: no error is met, none is
 * looked for. */
#include "core/place.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct walk { const char *s, *end; };

static void blanks(struct walk *w) { while (w->s < w->end && strchr(" \t\r\n", *w->s)) w->s++; }

static void over_text(struct walk *w) /* at a quote; behind the closing one */
{
    for (w->s++; w->s < w->end && *w->s != '"'; w->s++)
        w->s += *w->s == '\\';
    w->s += w->s < w->end;
}

static void over_value(struct walk *w)
{
    int depth = 0;
    do {
        blanks(w);
        if (w->s >= w->end)
            return;
        if (*w->s == '"') {
            over_text(w);
            continue;
        }
        depth += *w->s == '{' || *w->s == '[', depth -= *w->s == '}' || *w->s == ']';
        for (w->s++; !strchr("{}[]", w->s[-1]) && w->s < w->end && !strchr(",:{}[] \t\r\n\"", *w->s); w->s++) {}
    } while (depth > 0);
}

/* w at an object: at the key named by the first n bytes of path.  false: it has none. */
static bool into_object(struct walk *w, const char *key, size_t n, const char **at)
{
    for (w->s++, blanks(w); w->s < w->end && *w->s == '"'; blanks(w)) {
        const char *from = w->s;
        over_text(w);
        bool is = (size_t)(w->s - from) == n + 2 && !strncmp(from + 1, key, n);
        blanks(w), w->s++, blanks(w); /* the colon */
        if (is)
            return *at = from, true;
        over_value(w), blanks(w);
        w->s += w->s < w->end && *w->s == ',';
    }
    return false;
}

static bool into_list(struct walk *w, long entry, const char **at)
{
    for (w->s++, blanks(w); w->s < w->end && *w->s != ']'; blanks(w)) {
        if (!entry--)
            return *at = w->s, true;
        over_value(w), blanks(w);
        w->s += w->s < w->end && *w->s == ',', blanks(w);
    }
    return false;
}

void json_place(const char *text, size_t n, const char *path, int *line, int *column)
{
    struct walk w = { text, text + n };
    blanks(&w);
    const char *at = w.s;
    bool there = true;
    while (there && *path && w.s < w.end) {
        size_t len = strcspn(path, ".[");
        if (*path == '[')
            there = *w.s == '[' && into_list(&w, strtol(path + 1, NULL, 10), &at), len = strcspn(path, "]") + 1;
        else
            there = *w.s == '{' && into_object(&w, path, len, &at);
        path += len, path += *path == '.';
    }
    *line = *column = 1;
    for (const char *s = text; s < at; s++)
        *line += *s == '\n', *column = *s == '\n' ? 1 : *column + 1;
}
