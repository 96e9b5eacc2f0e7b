/* Lists the encodings of harness/lab/encodings, which are found by name; see encoding.h. */
#include "lab/net/encoding.h"
#include <stdio.h>
#include <string.h>
#include "encodings.h"

static const struct encoding *added[ENCODINGS_ADDED];
static int n_added;
bool encoding_add(const struct encoding *e)
{
    if (n_added == ENCODINGS_ADDED)
        return false;
    added[n_added++] = e;
    return true;
}

/* The encoding of this number, the listed ones first; NULL behind the last. */
static const struct encoding *numbered(int k)
{
    int n = 0;
    while (found_encodings[n])
        n++;
    return k < n ? found_encodings[k] : k < n + n_added ? added[k - n] : NULL;
}

const struct encoding *encoding_next(const struct encoding *before)
{
    const struct encoding *least = NULL, *e;
    bool behind = !before; /* of equal order: as the list has them */
    for (int k = 0; (e = numbered(k)); k++) {
        const bool later = !before || e->order > before->order || (e->order == before->order && behind);
        if (later && e != before && (!least || e->order < least->order))
            least = e;
        behind |= e == before;
    }
    return least;
}

const struct encoding *encoding_named(const char *name)
{
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        if (!strcmp(e->name, name))
            return e;
    return NULL;
}

void encoding_text(char *to, size_t n, const char *text, const struct lab_size *s, int64_t length)
{
    const int64_t over = (length + s->length - 1) / s->length;
    size_t at = 0;
    *to = 0;
    for (const char *p = text ? text : ""; *p && at + 24 < n; p++) {
        const int64_t of = *p != '$' ? 0 :
            p[1] == 'h'              ? s->heads :
            p[1] == 'd'              ? s->channels / s->heads :
            p[1] == 'q'              ? (s->channels / s->heads + 7) / 8 * 2 :
            p[1] == 'c'              ? s->channels :
            p[1] == 'l'              ? s->length :
            p[1] == 'r'              ? s->reach :
            p[1] == 'n'              ? length :
            p[1] == 'x'              ? over :
            p[1] == 'w'              ? over * s->length :
            p[1] == 'm'              ? (s->length + 1) / 2 :
            p[1] == 'g'              ? 2 * over :
                                       0;
        at +=
            of ? (size_t)snprintf(to + at, n - at, "%lld", (long long)of) : (size_t)snprintf(to + at, n - at, "%c", *p);
        p += of != 0;
    }
}
