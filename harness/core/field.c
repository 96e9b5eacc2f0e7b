/* Reads untrusted JSON: limits of size and depth first, then the parser, then one field at a time; see field.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/field.h"
#include "arith/need.h"
#include "base/nonfinite.h"
#include "core/place.h"
#include "core/printable.h"
#include "base/words.h"

/* The file's bytes, *n of them, to be freed; NULL or fewer where f->bad was set. */
static char *read_whole(struct fields *f, size_t *n);
/* "12:5: ", line and column of a key; "" where path is empty, or is line and column already.  Reads the file again. */
static const char *where(const char *file, const char *path, char *at, size_t n)
{
    char unread[8];
    struct fields again = { .file = file, .err = unread, .n = sizeof unread };
    size_t len;
    int line, column;
    *at = 0;
    char *s = file && *path && !isdigit((unsigned char)*path) ? read_whole(&again, &len) : NULL;
    if (s && !again.bad) {
        json_place(s, len, path, &line, &column);
        snprintf(at, n, "%d:%d: ", line, column);
    }
    free(s);
    return at;
}

static void refuse_at(struct fields *f, const char *place, const char *format, va_list v)
{
    char what[300], at[32];
    if (f->bad)
        return;
    vsnprintf(what, sizeof what, format, v);
    f->bad = true;
    snprintf(f->err, f->n, "%.200s: %s%s%s%s", *f->file ? f->file : "''", where(f->file, place, at, sizeof at), place,
        *place ? ": " : "", what);
    printable(f->err);
}

static void refuse(struct fields *f, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void refuse(struct fields *f, const char *place, const char *format, ...)
{
    va_list v;
    va_start(v, format);
    refuse_at(f, place, format, v);
    va_end(v);
}

void fields_refuse(struct fields *f, const struct scope *s, const char *key, const char *format, ...)
{
    char place[300];
    va_list v;
    snprintf(place, sizeof place, "%s%s%s", s->path, *s->path && *key ? "." : "", key);
    va_start(v, format);
    refuse_at(f, place, format, v);
    va_end(v);
}

/* Whether the text is nested deeper than DEPTH_MOST, which is refused.  Counted before the parser, which recurses,
 * is called. */
static bool deep(struct fields *f, const char *s, size_t n)
{
    int depth = 0, line = 1, column = 0;
    bool text = false;
    char place[60];
    for (size_t k = 0; k < n; k++) {
        column++;
        if (s[k] == '\n')
            line++, column = 0;
        if (text && s[k] == '\\')
            k++, column++;
        else if (s[k] == '"')
            text = !text;
        else if (!text && (s[k] == '{' || s[k] == '['))
            depth++;
        else if (!text && (s[k] == '}' || s[k] == ']'))
            depth--;
        if (depth > DEPTH_MOST) {
            snprintf(place, sizeof place, "%d:%d", line, column);
            refuse(f, place, "found nesting deeper than %d, allowed: %d", DEPTH_MOST, DEPTH_MOST);
            return true;
        }
    }
    return false;
}

static char *read_whole(struct fields *f, size_t *n)
{
    struct stat st;
    int fd = open(f->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    char *s = NULL;
    ssize_t got = 0;
    *n = 0;
    if (fd < 0 || fstat(fd, &st))
        refuse(f, "", "%s", strerror(errno));
    else if (!S_ISREG(st.st_mode))
        refuse(f, "", "found %s, allowed: a regular file", S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
    else if (st.st_size > FILE_MOST)
        refuse(f, "", "found %lld bytes, allowed: %d", (long long)st.st_size, FILE_MOST);
    else {
        s = need((size_t)st.st_size + 1, 1);
        while (*n < (size_t)st.st_size && (got = read(fd, s + *n, (size_t)st.st_size - *n)) > 0)
            *n += (size_t)got;
        if (got < 0)
            refuse(f, "", "%s", strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    return s;
}

/* Parses s[n].  python: words for numbers that are not finite are read, too; an error elsewhere is at its place in the
 * file, without the text near it, which is not the file's then. */
static json_t *parsed(const char *s, size_t n, bool python, json_error_t *e)
{
    size_t m;
    char *spelt = python ? nonfinite_spelt(s, n, &m) : NULL, *near;
    json_t *root = json_loadb(spelt ? spelt : s, spelt ? m : n, JSON_REJECT_DUPLICATES, e);
    if (spelt && !root) {
        char *masked = nonfinite_masked(s, n);
        json_t *other = json_loadb(masked, n, JSON_REJECT_DUPLICATES, e);
        if (other) /* Such a word is where no number may be, as in the place of a key. */
            json_decref(other), json_decref(json_loadb(s, n, JSON_REJECT_DUPLICATES, e));
        else if ((near = strstr(e->text, " near ")))
            *near = 0;
        free(masked);
    }
    free(spelt);
    return root;
}

static json_t *load(struct fields *f, const char *file, bool python)
{
    size_t n;
    char place[60];
    json_error_t e;
    json_t *root = NULL;
    f->file = file;
    char *s = read_whole(f, &n);
    if (!f->bad && n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
        refuse(f, "1:1", "found a byte order mark, allowed: UTF-8 without one");
    if (!f->bad && !deep(f, s, n)) {
        root = parsed(s, n, python, &e);
        if (!root) {
            snprintf(place, sizeof place, "%d:%d", e.line, e.column);
            refuse(f, place, "not JSON: %s", e.text);
        } else if (!json_is_object(root) || nonfinite(root))
            refuse(f, "1:1", "found %s, allowed: an object", json_is_array(root) ? "an array" : "a single value");
    }
    free(s);
    if (f->bad && root)
        json_decref(root), root = NULL;
    return root;
}

json_t *fields_load(struct fields *f, const char *file) { return load(f, file, false); }
json_t *fields_load_python(struct fields *f, const char *file) { return load(f, file, true); }

static bool was_taken(const struct taken *t, const json_t *at, const char *key)
{
    for (int k = 0; k < t->n; k++)
        if (t->of[k].at == at && !strcmp(t->of[k].key, key))
            return true;
    return false;
}

static void take(struct taken *t, const json_t *at, const char *key)
{
    if (t && t->n < TAKEN_MOST && !was_taken(t, at, key))
        t->of[t->n].at = at, snprintf(t->of[t->n++].key, sizeof t->of[0].key, "%s", key);
}

static size_t unread(const struct taken *t, json_t *at, const char *path, char *text, size_t n)
{
    const char *key;
    json_t *v;
    size_t used = 0;
    json_object_foreach (at, key, v) {
        char here[200];
        snprintf(here, sizeof here, "%.90s%s%.100s", path, *path ? "." : "", key);
        printable(here);
        const bool taken = was_taken(t, at, key);
        if (taken && json_is_object(v) && !nonfinite(v))
            used += unread(t, v, here, text + used, n - used);
        else if (!taken && used + strlen(here) + 6 < n)
            used += (size_t)snprintf(text + used, n - used, " %s", here);
        else if (!taken && used + 5 < n && (used < 4 || strcmp(text + used - 4, " ...")))
            used += (size_t)snprintf(text + used, n - used, " ...");
    }
    return used;
}

void fields_unread(const struct scope *s, char *text, size_t n)
{
    *text = 0;
    if (s->taken && unread(s->taken, s->at, "", text, n))
        memmove(text, text + 1, strlen(text));
}

json_t *field_find(const struct scope *s, const char *keys, char *name, size_t n)
{
    char key[80];
    for (const char *k = keys; *k; k = word_next(k)) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(k, " "), k);
        json_t *v = json_object_get(s->at, key);
        if (name && (v || k == keys))
            snprintf(name, n, "%s", key);
        if (v)
            take(s->taken, s->at, key);
        if (v && !json_is_null(v))
            return v;
    }
    return NULL;
}
bool field_has(const struct scope *s, const char *keys) { return field_find(s, keys, NULL, 0) != NULL; }

static const char *kind(const json_t *v)
{
    static const char *const name[] = { "an object", "an array", "a string", "an integer", "a number", "true", "false",
        "null" };
    return nonfinite(v) ? nonfinite(v) : name[json_typeof(v)];
}

static json_t *typed(struct fields *f, const struct scope *s, const char *keys, bool (*is)(const json_t *),
    const char *allowed, char *key, size_t n)
{
    json_t *v = f->bad ? NULL : field_find(s, keys, key, n);
    if (v && !is(v)) {
        fields_refuse(f, s, key, "found %s, allowed: %s", kind(v), allowed);
        return NULL;
    }
    return v;
}

static bool is_object(const json_t *v) { return json_is_object(v) && !nonfinite(v); }
static bool is_number(const json_t *v) { return json_is_number(v); }
static bool is_bool(const json_t *v) { return json_is_boolean(v); }
static bool is_text(const json_t *v) { return json_is_string(v); }

bool field_scope(struct fields *f, const struct scope *s, const char *keys, struct scope *out)
{
    char key[80];
    json_t *v = typed(f, s, keys, is_object, "an object", key, sizeof key);
    if (!v)
        return false;
    char path[sizeof out->path];
    snprintf(path, sizeof path, "%.70s%s%.80s", s->path, *s->path ? "." : "", key);
    *out = (struct scope){ .at = v, .taken = s->taken };
    memcpy(out->path, path, sizeof path);
    return true;
}

/* the shortest decimal, of 15 to 17 digits, that reads back as x */
static void shortest(double x, char *text, size_t n)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, n, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
}

void number_text(const json_t *v, char *text, size_t n)
{
    if (json_is_integer(v)) {
        snprintf(text, n, "%lld", (long long)json_integer_value(v));
        return;
    }
    double x = json_real_value(v);
    shortest(x, text, n);
    if (x == floor(x) && fabs(x) < 0x1p53)
        snprintf(text, n, "%.0f", x);
}

char *value_text(const json_t *v)
{
    char number[40];
    if (json_is_string(v))
        return strdup(json_string_value(v));
    if (json_is_real(v)) {
        shortest(json_real_value(v), number, sizeof number - 2);
        return strdup(strpbrk(number, ".e") ? number : strcat(number, ".0"));
    }
    if (!json_is_array(v))
        return json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17) | JSON_COMPACT);
    size_t used = 0, k;
    char *text = need(1, 1);
    json_t *inner;
    json_array_foreach (v, k, inner) {
        /* a string in a list keeps its quotes */
        char *part = json_is_string(inner) ? json_dumps(inner, JSON_ENCODE_ANY) : value_text(inner);
        const size_t more = part ? strlen(part) : 0;
        text = need_more(text, used + more + 2, 1);
        used += (size_t)snprintf(text + used, more + 2, "%s%s", k ? "," : "", part ? part : "");
        free(part);
    }
    return text;
}

bool field_number(struct fields *f, const struct scope *s, const char *keys, double *x, char *text, size_t n)
{
    char key[80];
    json_t *v = typed(f, s, keys, is_number, "a finite number", key, sizeof key);
    if (!v)
        return false;
    *x = json_number_value(v);
    number_text(v, text, n);
    if (!isfinite(*x) || !(fabs(*x) <= 1e30) || (*x != 0 && fabs(*x) < 1e-30)) {
        fields_refuse(f, s, key, "found %s, allowed: a number between 1e-30 and 1e30", text);
        return false;
    }
    return true;
}

bool field_long(struct fields *f, const struct scope *s, const char *keys, int64_t least, int64_t most, int64_t *x)
{
    char key[80], text[40];
    json_t *v = typed(f, s, keys, is_number, "an integer", key, sizeof key);
    if (!v)
        return false;
    double d = json_number_value(v);
    number_text(v, text, sizeof text);
    bool whole = json_is_integer(v),
         in = whole ? json_integer_value(v) >= least && json_integer_value(v) <= most :
                      d >= (double)least && d <= (double)most;
    if (!(d == floor(d)) || !in) {
        fields_refuse(
            f, s, key, "found %s, allowed: an integer from %lld to %lld", text, (long long)least, (long long)most);
        return false;
    }
    *x = whole ? json_integer_value(v) : (int64_t)d;
    return true;
}

bool field_bool(struct fields *f, const struct scope *s, const char *keys, bool *x)
{
    char key[80];
    json_t *v = typed(f, s, keys, is_bool, "true or false", key, sizeof key);
    if (v)
        *x = json_is_true(v);
    return v;
}

bool field_text(struct fields *f, const struct scope *s, const char *keys, char *text, size_t n)
{
    char key[80];
    json_t *v = typed(f, s, keys, is_text, "a string", key, sizeof key);
    if (!v)
        return false;
    snprintf(text, n, "%s", json_string_value(v));
    printable(text);
    return true;
}
