/* Lines of data/mistakes that concern a convention; see card_differ.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "arith/need.h"
#include "model/card_differ.h"
#include "row/row.h"
#include "trial/mistake.h"

/* set: the row's struct of the convention's parameters; told: their text. */
struct seek { const struct row *row; void *set; const char *told, *inputs; json_t *list; };

/* The parameter that a word "window+=1" begins with; NULL: it begins with none. */
static const struct param *param_at(const struct row *r, const char *word)
{
    const size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");
    for (const struct param *p = row_params(r); p->name; p++)
        if (strlen(p->name) == n && !strncmp(p->name, word, n) && word[n] && strchr("=+*^", word[n]))
            return p;
    return NULL;
}

/* Whether the convention's text names the parameter. */
static bool is_told(const struct seek *s, const struct param *p)
{
    for (const char *w = s->told; *w; w = word_next(w))
        if (param_at(s->row, w) == p)
            return true;
    return false;
}

/* Whether a parameter is an extent of arrays, as the width of a head is: any value of it shows what others show. */
static bool is_extent(const struct row *r, const struct param *p)
{
    char text[80], why[200];
    bool is = false;
    void *set = need(1, r->size);
    snprintf(text, sizeof text, "%s=24", p->name);
    if (p->kind == INT && r->extent && !params_read(row_params(r), set, text, why, sizeof why))
        for (char axis = 'a'; axis <= 'z'; axis++)
            is |= r->extent(set, axis) == 24;
    params_clear(row_params(r), set);
    free(set);
    return is;
}

/* The text "key=value" of a parameter in a struct, into text[n]. */
static void value_in(const struct row *r, const void *set, const struct param *p, char *text, size_t n)
{
    params_pick(row_params(r), set, p->name, text, n);
}

/* Whether a parameter of the convention has the value that a line needs: of a list of words the same, of numbers one
 * that is not the default. */
static bool meets(const struct seek *s, const void *needs, const struct param *p)
{
    static char own[TEXT_MAX], other[TEXT_MAX];
    if (p->kind == ENUM || p->kind == ROUTE) {
        value_in(s->row, s->set, p, own, sizeof own);
        value_in(s->row, needs, p, other, sizeof other);
        return !strcmp(own, other);
    }
    void *plain = need(1, s->row->size);
    char why[200];
    params_read(row_params(s->row), plain, NULL, why, sizeof why);
    value_in(s->row, s->set, p, own, sizeof own);
    value_in(s->row, plain, p, other, sizeof other);
    params_clear(row_params(s->row), plain);
    free(plain);
    return strcmp(own, other) || is_extent(s->row, p);
}

/* Whether the convention shows what the line `where` of a mistake needs.  Words without "=" are inputs; those of one
 * letter are sizes, which a question chooses. */
static bool shows(const struct seek *s, const char *where)
{
    char why[200];
    void *needs = need(1, s->row->size);
    bool all = !params_read(row_params(s->row), needs, where, why, sizeof why);
    for (const char *w = where; *w && all; w = word_next(w)) {
        const struct param *p = param_at(s->row, w);
        const size_t n = strcspn(w, " ");
        if (p)
            all = meets(s, needs, p);
        else if (!memchr(w, '=', n))
            all = words_find(s->inputs, w, n) != NULL;
    }
    params_clear(row_params(s->row), needs);
    free(needs);
    return all;
}

/* Whether a line's `where` needs a parameter that the convention names, extents of arrays aside. */
static bool needs_told(const struct seek *s, const char *where)
{
    for (const char *w = where; *w; w = word_next(w)) {
        const struct param *p = param_at(s->row, w);
        if (p && is_told(s, p) && !is_extent(s->row, p))
            return true;
    }
    return false;
}

/* The first parameter to which the change gives another value than the convention's; NULL: there is none, or neither
 * the change nor what the line needs is about parameters that the convention names. */
static const struct param *changes(const struct seek *s, const struct mistake *m)
{
    static char own[TEXT_MAX];
    const struct param *first = NULL;
    bool told = true;
    for (const char *w = m->change; *w; w = word_next(w)) {
        const struct param *p = param_at(s->row, w);
        const size_t n = strcspn(w, " ");
        if (!p || p->kind == ROUTE)
            continue;
        value_in(s->row, s->set, p, own, sizeof own);
        if (!first && (strlen(own) != n || strncmp(own, w, n)))
            first = p;
        told &= is_told(s, p);
    }
    return told || needs_told(s, m->where) ? first : NULL;
}

static int add(const struct mistake *m, void *with)
{
    const struct seek *s = with;
    const struct param *p = mistake_equivalent(m) ? NULL : changes(s, m);
    json_t *v;
    size_t k;
    if (!p || !shows(s, m->where))
        return 0;
    json_array_foreach(s->list, k, v)
        if (!strcmp(json_string_value(json_object_get(v, "row")), s->row->name) &&
            !strcmp(json_string_value(json_object_get(v, "id")), m->id))
            return 0;
    json_array_append_new(s->list, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "row", s->row->name, "parameter", p->name,
        "id", m->id, "change", m->change, "effect", m->effect, "cite", m->cite));
    return 0;
}

void card_differ(json_t *list, const char *row, const char *params, const char *inputs)
{
    char why[300];
    const struct row *r = row_named(row);
    if (!r)
        return;
    struct seek s = { .row = r, .set = need(1, r->size), .told = params, .inputs = inputs, .list = list };
    if (!params_read(row_params(r), s.set, params, why, sizeof why))
        mistakes_each(row, add, &s);
    params_clear(row_params(r), s.set);
    free(s.set);
}
