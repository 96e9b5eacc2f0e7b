/* JSON by jansson, SQLite by its own integrity check, XML and tar by hand. */
#include "whole.h"
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

const char whole_temporary[] = "temporary: meant to be renamed or removed";

const char *whole_json(const char *s, size_t n)
{
    json_t *o = json_loadb(s, n, JSON_DECODE_ANY, NULL);
    if (o)
        return json_decref(o), NULL;
    for (const char *end = s + n; s < end;) {
        const char *line = memchr(s, '\n', (size_t)(end - s));
        if (!line)
            return "JSON: a last line without its end";
        o = json_loadb(s, (size_t)(line - s), JSON_DECODE_ANY, NULL);
        if (!o)
            return "JSON: a line that is not one value";
        json_decref(o);
        s = line + 1;
    }
    return n ? NULL : "JSON: empty";
}

/* The bytes of the UTF-8 character at s that XML 1.0 allows, or 0. */
static size_t character(const unsigned char *s, const unsigned char *end)
{
    const size_t n = *s < 0x80 ? 1 : (*s & 0xe0) == 0xc0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : (*s & 0xf8) == 0xf0 ? 4 : 0;
    if (!n || s + n > end || (n == 1 && *s < ' ' && !strchr("\t\n\r", *s)) || (n == 2 && *s < 0xc2))
        return 0;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    return n;
}

static const char *reference_fault(const char *s)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strncmp(s, known[k], strlen(known[k])))
            return NULL;
    const size_t digits = s[1] == '#' ? strspn(s + 2, "x0123456789abcdefABCDEF") : 0;
    return digits && s[2 + digits] == ';' ? NULL : "XML: a bare '&'";
}

enum { NAME = 40, DEEP = 64 };

/* One tag from '<' on: where it ends, or NULL and the fault.  The open elements stand in open[0 .. depth). */
static const char *tag(const char *s, const char *end, char open[DEEP][NAME], int *depth, const char **fault)
{
    char quote = 0;
    const char *at = s + 1, *to = at;
    for (; to < end && (quote || *to != '>'); to++) {
        if (*to == '<')
            return *fault = "XML: '<' in a tag", NULL;
        quote = quote == *to ? 0 : !quote && (*to == '"' || *to == '\'') ? *to : quote;
    }
    if (to >= end)
        return *fault = "XML: a tag without its end", NULL;
    const bool close = *at == '/';
    const size_t length = strcspn(at + close, " \t\r\n/>");
    if (*at == '?' || *at == '!')
        return to + 1;
    if (!length || length >= NAME || (!close && *depth == DEEP))
        return *fault = "XML: a name", NULL;
    if (!close) {
        snprintf(open[*depth], NAME, "%.*s", (int)length, at);
        *depth += to[-1] != '/';
        return to + 1;
    }
    if (!*depth || strlen(open[*depth - 1]) != length || strncmp(open[*depth - 1], at + 1, length))
        return *fault = "XML: an end tag of another element", NULL;
    --*depth;
    return to + 1;
}

const char *whole_xml(const char *s, size_t n)
{
    static char open[DEEP][NAME];
    const char *fault = NULL, *end = s + n;
    int depth = 0;
    if (!n || *s != '<')
        return "XML: empty";
    for (const char *at = s; at < end;) {
        const size_t step = character((const unsigned char *)at, (const unsigned char *)end);
        if (!step)
            return "XML: a byte that no document may hold";
        if (*at == '&' && (fault = reference_fault(at)))
            return fault;
        at = *at == '<' ? tag(at, end, open, &depth, &fault) : at + step;
        if (!at)
            return fault;
    }
    return depth ? "XML: an element without its end" : NULL;
}

static int first_row(void *to, int columns, char **value, char **name)
{
    (void)name;
    snprintf(to, 40, "%s", columns && value[0] ? value[0] : "");
    return 1;
}

static const char *store(const char *path)
{
    sqlite3 *db = NULL;
    char says[40] = "";
    if (!sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL))
        sqlite3_exec(db, "PRAGMA integrity_check", first_row, says, NULL);
    sqlite3_close(db);
    return strcmp(says, "ok") ? "SQLite: the integrity check fails" : NULL;
}

static const char *tar(const struct bytes *t)
{
    size_t at = 0;
    while (at + 512 <= t->n && t->s[at])
        at += 512 + (strtoul(t->s + at + 124, NULL, 8) + 511) / 512 * 512;
    return t->n % 512 || at + 1024 > t->n ? "tar: cut off" : NULL;
}

static bool ends(const char *path, const char *with)
{
    const size_t n = strlen(path), w = strlen(with);
    return n >= w && !strcmp(path + n - w, with);
}

const char *whole_fault(const char *path)
{
    struct bytes t = { 0 };
    const char *fault = NULL;
    if (!bytes_read(&t, path)) {
        free(t.s);
        return NULL;
    }
    if (strstr(path, ".part") || strstr(path, ".new") || ends(path, "-journal") || ends(path, "-wal"))
        fault = whole_temporary;
    else if (!t.n && (ends(path, ".xml") || ends(path, ".json")))
        fault = "empty: nothing was written";
    else if (t.n >= 15 && !memcmp(t.s, "SQLite format 3", 15))
        fault = store(path);
    else if (*t.s == '<' && (ends(path, ".xml") || ends(path, ".svg")))
        fault = whole_xml(t.s, t.n);
    else if ((*t.s == '{' || *t.s == '[') && (ends(path, ".json") || ends(path, ".jsonl")))
        fault = whole_json(t.s, t.n);
    else if (ends(path, ".tar") && t.n > 262 && !memcmp(t.s + 257, "ustar", 5))
        fault = tar(&t);
    free(t.s);
    return fault;
}
