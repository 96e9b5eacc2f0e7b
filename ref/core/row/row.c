/* Rows by name, and their signatures read. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "row/row.h"

#define ROW(r) extern const struct row row_##r;
#include "rows.h"
#undef ROW
#define ROW(r) &row_##r,
const struct row *const all_rows[] = {
#include "rows.h"
    NULL
};
#undef ROW

const struct row *row_named(const char *name)
{
    for (const struct row *const *r = all_rows; *r; r++)
        if (!strcmp((*r)->name, name))
            return *r;
    return NULL;
}

/* Reads one array of a signature from s into *a, and answers the text behind it. */
static const char *read_axes(struct axes *a, const char *s)
{
    *a = (struct axes){ .lead = -1 };
    while (*s == ' ')
        s++;
    if (!strncmp(s, "int ", 4)) {
        a->integer = true;
        s += 4;
    }
    for (size_t n = 0; isalnum((unsigned char)*s) || *s == '_'; s++)
        if (n < sizeof a->name - 1)
            a->name[n++] = *s;
    a->optional = *s == '?';
    for (; *s != ']'; s++) /* Every array that a row writes has its bracket. */
        if (*s == '|')
            a->lead = a->rank;
        else if (isalpha((unsigned char)*s))
            a->axis[a->rank++] = *s;
    if (a->lead < 0)
        a->lead = a->rank;
    s++;
    if (*s == '<' && isalnum((unsigned char)s[1])) {
        a->below = s[1];
        s += 2;
        a->none = *s == '~';
        s += a->none;
    }
    if (*s == '^' && isalpha((unsigned char)s[1])) {
        a->upto = s[1];
        s += 2;
    }
    return s;
}

void sign_read(struct sign *s, const char *text)
{
    s->n_in = 0;
    for (text += strspn(text, " "); *text != '-'; text += strspn(text, " "))
        text = read_axes(&s->in[s->n_in++], text);
    read_axes(&s->out, text + 2);
}

const struct quantity *row_quantity(const struct row *r, const char *out)
{
    struct sign s;
    for (const struct quantity *q = r->q; q->sign; q++) {
        sign_read(&s, q->sign);
        if (!strcmp(s.out.name, out))
            return q;
    }
    return NULL;
}

int row_takes(const struct row *r, const char *words, char *why, size_t n)
{
    void *params = need(1, r->size);
    int rc = params_read(row_params(r), params, words, why, n) || row_knows(r, words, why, n) ? -1 : 0;
    const char *refused = !rc && r->refuse ? r->refuse(params) : NULL;
    if (refused)
        rc = -1, snprintf(why, n, "%s: %s", r->name, refused);
    params_clear(row_params(r), params), free(params);
    return rc;
}

int row_presets(const struct row *r)
{
    int n = 0;
    while (r->presets[n].name)
        n++;
    return n;
}
