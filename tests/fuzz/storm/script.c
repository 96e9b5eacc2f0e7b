/* The lines of a case. */
#include "script.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"

static void push(struct script *s, const char *line)
{
    s->line = need_more(s->line, (size_t)s->n + 1, sizeof *s->line);
    s->line[s->n++] = need_copy(line);
}

void script_add(struct script *s, const char *format, ...)
{
    char line[1000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    push(s, line);
}

void script_tail(struct script *s, const char *head, const char *bytes, size_t n)
{
    struct bytes t = { 0 };
    bytes_put(&t, head, strlen(head));
    bytes_put(&t, " ", 1);
    bytes_escaped(&t, bytes, n);
    push(s, t.s);
    free(t.s);
}

void script_word(struct script *s, const char *word) { script_tail(s, "word", word, strlen(word)); }

void script_free(struct script *s)
{
    for (int k = 0; k < s->n; k++)
        free(s->line[k]);
    free(s->line);
    *s = (struct script){ 0 };
}

void script_copy(struct script *to, const struct script *from, int without, int count)
{
    *to = (struct script){ 0 };
    for (int k = 0; k < from->n; k++)
        if (k < without || k >= without + count)
            push(to, from->line[k]);
}

bool script_read(struct script *s, const char *path)
{
    struct bytes t = { 0 };
    *s = (struct script){ 0 };
    const bool there = bytes_read(&t, path);
    for (char *line = t.s, *end; there && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = 0;
        if (*line && *line != '#')
            push(s, line);
    }
    free(t.s);
    return there;
}

void script_text(const struct script *s, struct bytes *t)
{
    for (int k = 0; k < s->n; k++)
        bytes_put(t, s->line[k], strlen(s->line[k])), bytes_put(t, "\n", 1);
}

void script_command(const struct script *s, struct bytes *t)
{
    for (int k = 0; k < s->n; k++) {
        struct bytes word = { 0 };
        if (strncmp(s->line[k], "word", 4))
            continue;
        bytes_plain(&word, s->line[k] + 4 + (s->line[k][4] == ' '));
        if (t->n)
            bytes_put(t, " ", 1);
        bytes_quoted(t, word.s ? word.s : "", word.n);
        free(word.s);
    }
}
