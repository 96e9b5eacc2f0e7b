/* Walks a JSON text along a path and steps over everything beside it.  The text was parsed before, so no error is
 * looked for. */
#include "core/place.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct place_walk { const char *s, *end; };

static void skip_blanks(struct place_walk *w) { while (w->s < w->end && strchr(" \t\r\n", *w->s)) w->s++; }

static void skip_text(struct place_walk *w) /* from an opening quote to behind the closing one */
{
    for (w->s++; w->s < w->end && *w->s != '"'; w->s++)
        w->s += *w->s == '\\';
    w->s += w->s < w->end;
}

/* Over one value of any kind, blanks before it included. */
static void skip_value(struct place_walk *w)
{
    int depth = 0;
    do {
        skip_blanks(w);
        if (w->s >= w->end)
            return;
        if (*w->s == '"') {
            skip_text(w);
            continue;
        }
        depth += *w->s == '{' || *w->s == '[', depth -= *w->s == '}' || *w->s == ']';
        for (w->s++; !strchr("{}[]", w->s[-1]) && w->s < w->end && !strchr(",:{}[] \t\r\n\"", *w->s); w->s++) {}
    } while (depth > 0);
}

/* From an object's brace to the value of its key of n bytes; *at is where the key stands. false: it has no such key. */
static bool into_object(struct place_walk *w, const char *key, size_t n, const char **at)
{
    for (w->s++, skip_blanks(w); w->s < w->end && *w->s == '"'; skip_blanks(w)) {
        const char *from = w->s;
        skip_text(w);
        bool is = (size_t)(w->s - from) == n + 2 && !strncmp(from + 1, key, n);
        skip_blanks(w), w->s++, skip_blanks(w); /* the colon */
        if (is)
            return *at = from, true;
        skip_value(w), skip_blanks(w);
        w->s += w->s < w->end && *w->s == ',';
    }
    return false;
}

/* From a list's bracket to its entry number `entry`, from 0; *at is where it stands.  false: it has fewer. */
static bool into_list(struct place_walk *w, long entry, const char **at)
{
    for (w->s++, skip_blanks(w); w->s < w->end && *w->s != ']'; skip_blanks(w)) {
        if (!entry--)
            return *at = w->s, true;
        skip_value(w), skip_blanks(w);
        w->s += w->s < w->end && *w->s == ',', skip_blanks(w);
    }
    return false;
}

void json_place(const char *text, size_t n, const char *path, int *line, int *column)
{
    struct place_walk w = { text, text + n };
    skip_blanks(&w);
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
