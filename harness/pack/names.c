/* Packs in the words of others: data/names/<row>.tsv turns a recorded case into trials of the row's own quantities.
 *   op[:view]  kind  theirs  ours  axes        one view of a case is one question (q under rope; then k)
 * in, out   array; alternatives by rank: "B,h,n,d|B,n,hd".  B loops over the batch; 2k: stored twice in blocks, k2:
 *           twice side by side; hd: merged; hd:1/3: the second of three stacked parts, one line for each; P: the row
 *           pos says
 * row       a recorded row's name -> ours; of one op: also where a row of ours has that name; axes: only where the case
 *           has that parameter, "norm=rms"
 * given     a recorded output as our input (stage by stage)      need    the view exists only if the case has this
 *           array
 * without   .. only if the case has no such array
 * list      a parameter that is a list, as our input             fill    an input that nothing supplies: this value
 *           everywhere
 * flag      in, where its elements are booleans                  before  array joined in front of that input, several
 *           in their order; its own letter is its length
 * ones      array [B,..] that our row has no word for: understood where it holds nothing but ones
 * cut       array [B] of lengths: so much of that axis counts; axes: our parameter that is the length less an axis,
 *           "offset-n"
 * fold      array whose axes from the one on that the parameter (ours) says are one, and those before it another:
 *           "attributes.axis"; -: all of them one
 * axis      word of a "<array>_shape" -> letter                  split   "key=value": that axis of the outputs holds
 *           evens first, then odds
 * param     copied (axes: an addend, or *2); of a list, its elements: "window.0"
 * value     "key=value" -> our words
 * extent    letter -> our parameter, if not said otherwise       size    parameter -> letter
 * view      what the view itself says of the question: "side=key" of a rotation's keys
 * times     parameter by which that output of ours was multiplied: a power of two, taken back exactly
 * only      "key=value": of the layouts of an array of ours (ours) the one in `axes`
 * Statements, checked case by case; where one does not hold the case asks otherwise, or is not understood:
 * is, root, part, counts, says; names, errors, difference, same, unlike, triangle (statement.h)
 * beside    a parameter that is no part of the question; axes: why
 * unread    an array that no question takes; ours: why
 * "<array>_shape" says how an array lies, or is held against the line that does.  A parameter or array that no line is
 * about is our own of that name, or not understood.
 * profile   pattern of io/accumulate/phase/backend -> our steps */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include "core/data.h"
#include "base/tsv.h"
#include "pack/names.h"

enum { LAID_MAX = 1 << 27 }; /* elements of one array of ours */

int names_read(struct names *x, const char *row)
{
    char path[600], what[80];
    struct tsv t;
    *x = (struct names){ .row = row_named(row) };
    snprintf(what, sizeof what, "names/%s.tsv", row);
    if (!tsv_open(&t, data_path(what, path, sizeof path)))
        return -1;
    while (x->n < NAMES && tsv_next(&t)) {
        struct rule *r = &x->rule[x->n];
        *r = (struct rule){ 0 };
        const struct tsv_place to[] = { { r->op, sizeof r->op }, { r->kind, sizeof r->kind },
            { r->theirs, sizeof r->theirs }, { r->ours, sizeof r->ours }, { r->axes, sizeof r->axes }, { 0 } };
        if (tsv_take(&t, to) >= 3)
            x->n++;
        else
            tsv_left_out(&t, to, 3);
    }
    return tsv_close(&t), 0;
}

/* Whether the rule is about this op and view: it is of "*", of the op, or of the view (NULL: any) of it. */
static bool rule_about(const struct rule *r, const char *op, const char *view)
{
    size_t n = strcspn(r->op, ":");
    return (!strcmp(r->op, "*") || (strlen(op) == n && !strncmp(r->op, op, n))) &&
        (!r->op[n] || !view || !strcmp(r->op + n + 1, view));
}

const struct rule *names_find(
    const struct names *x, const char *op, const char *view, const char *kind, const char *theirs)
{
    for (int k = 0; k < x->n; k++)
        if (rule_about(&x->rule[k], op, view) && !strcmp(x->rule[k].kind, kind) &&
            !fnmatch(x->rule[k].theirs, theirs, 0))
            return &x->rule[k];
    return NULL;
}

const struct rule *names_again(const struct names *x, const struct rule *r)
{
    for (const struct rule *s = r + 1; s < x->rule + x->n; s++)
        if (!strcmp(s->op, r->op) && !strcmp(s->kind, r->kind) && !strcmp(s->theirs, r->theirs))
            return s;
    return NULL;
}

/* Whether the parameters of a case have this pair, "norm=rms"; "" is always there. */
static bool has_param(json_t *params, const char *pair)
{
    char key[48];
    size_t n = strcspn(pair, "=");
    snprintf(key, sizeof key, "%.*s", (int)(n < 47 ? n : 47), pair);
    const char *value = json_string_value(json_object_get(params, key));
    return !*pair || (value && pair[n] && !strcmp(value, pair + n + 1));
}

const char *names_row(const char *theirs, const char *op, json_t *params)
{
    struct names x;
    for (const struct row *const *r = all_rows; *r; r++) {
        const struct rule *rule = names_read(&x, (*r)->name) ? NULL : names_find(&x, op, NULL, "row", theirs);
        for (; rule; rule = names_again(&x, rule))
            if ((*rule->op != '*' || !row_named(theirs)) && has_param(params, rule->axes))
                return (*r)->name;
    }
    return theirs;
}

const struct rule *names_next(const struct names *x, const char *op, const char *view, const char *kind, int *k)
{
    while (*k < x->n) {
        const struct rule *r = &x->rule[(*k)++];
        if (rule_about(r, op, view) && !strcmp(r->kind, kind))
            return r;
    }
    return NULL;
}

static bool has_array(json_t *c, const char *pattern)
{
    static const char *const kinds[] = { "in", "out" };
    const char *key;
    json_t *v;
    for (int k = 0; k < 2; k++)
        json_object_foreach (json_object_get(c, kinds[k]), key, v)
            if (!fnmatch(pattern, key, 0))
                return true;
    return false;
}

static bool offers(const struct names *x, const char *op, const char *view, json_t *c)
{
    int k = 0, outs = 0;
    const char *key;
    const struct rule *r;
    json_t *v;
    while ((r = names_next(x, op, view, "need", &k)))
        if (!has_array(c, r->theirs))
            return false;
    k = 0;
    while ((r = names_next(x, op, view, "without", &k)))
        if (has_array(c, r->theirs))
            return false;
    json_object_foreach(json_object_get(c, "out"), key, v) /* of its own: a rule for every view makes none */
        outs +=
        (r = names_find(x, op, view, "out", key)) && !strcmp(strchr(r->op, ':') ? strchr(r->op, ':') + 1 : "", view);
    return outs > 0;
}

int names_views(const struct names *x, const char *op, json_t *c, char view[][32])
{
    int n = 0, k = 0;
    const struct rule *r;
    while ((r = names_next(x, op, NULL, "out", &k))) {
        const char *colon = strchr(r->op, ':');
        int j = 0;
        while (strcmp(r->op, "*") && j < n && strcmp(view[j], colon ? colon + 1 : ""))
            j++;
        if (j == n && n < 16 && offers(x, op, colon ? colon + 1 : "", c))
            snprintf(view[n++], 32, "%s", colon ? colon + 1 : "");
    }
    return n;
}

/* ASCII letters alone: they index tables of 128 entries, and a byte of UTF-8 would lie outside. */
static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Reads a shape, "[batch,heads,length,dim]" or "B,h,n,2k", into letters and how often each is stored; a literal 1 is
 * the letter ' '. */
static int one_shape(const struct names *x, const char *op, const char *view, const char *shape, size_t all,
    struct laid *l, char *err, size_t n)
{
    char word[32];
    *l = (struct laid){ 0 };
    for (const char *s = shape + strspn(shape, "[ "), *end = shape + all; s < end && *s != ']' && l->rank < MER_RANK;
         s += strspn(s, ", ")) {
        size_t len = strcspn(s, ",|] ");
        int k = l->rank++;
        snprintf(word, sizeof word, "%.*s", (int)len, s);
        s += len;
        l->times[k] = l->parts[k] = 1;
        char *stacked = strchr(word, ':');
        if (stacked &&
            (sscanf(stacked, ":%3d/%3d", &l->part[k], &l->parts[k]) != 2 || l->part[k] < 0 ||
                l->part[k] >= l->parts[k]))
            return snprintf(err, n, "not understood: axis '%s' of %s", word, shape), -1;
        if (stacked)
            *stacked = 0;
        const struct rule *r = names_find(x, op, view, "axis", word);
        const char *w = r ? r->ours : word;
        if (isdigit((unsigned char)*w) && w[1])
            l->times[k] = *w++ - '0';
        l->axis[k] = *w == '1' ? ' ' : *w;
        if (w[1] && isdigit((unsigned char)w[1]))
            l->times[k] = w[1] - '0', l->adjacent[k] = true;
        else
            l->inner[k] = w[1];
        if (!*w || !l->times[k] || (*w != '1' && !letter(*w)) || (l->inner[k] && !letter(l->inner[k])) ||
            (w[1] && w[2]) || (isdigit((unsigned char)*w) && *w != '1'))
            return snprintf(err, n, "not understood: axis '%s' of %s", word, shape), -1;
    }
    return 0;
}

static bool copies_agree(const struct mer_array *a, const struct laid *l)
{
    for (int k = 0; k < l->rank; k++) {
        long t = l->times[k], m = a->dim[k] / t, inner = (long)type_size(a->type), outer = 1;
        for (int j = 0; j < l->rank; j++)
            *(j < k ? &outer : &inner) *= j == k ? 1 : a->dim[j];
        if (a->dim[k] % t)
            return false;
        for (long o = 0; o < outer && t > 1; o++)
            for (long i = 0; i < m; i++)
                for (long c = 1; c < t; c++) {
                    const char *line = (const char *)a->data + o * a->dim[k] * inner;
                    if (memcmp(line + (l->adjacent[k] ? i * t : i) * inner,
                            line + (l->adjacent[k] ? i * t + c : i + c * m) * inner, (size_t)inner))
                        return false;
                }
    }
    return true;
}

int names_axes(const struct names *x, const char *op, const char *view, const char *shape, const struct mer_array *a,
    struct laid *l, char *err, size_t n)
{
    bool ranked = false;
    for (const char *s = shape;; s++) {
        size_t len = strcspn(s, "|");
        if (one_shape(x, op, view, s, len, l, err, n))
            return -1;
        if (l->rank == a->rank && copies_agree(a, l))
            return 0;
        ranked |= l->rank == a->rank;
        if (!*(s += len))
            return ranked ? snprintf(err, n, "not understood: stored copies differ"),
                   -1 : (snprintf(err, n, "not understood: rank %d, axes %s", a->rank, shape), -1);
    }
}

/* Whether the letter of axis k is that of an axis before it, as in "index[n,n]". */
static bool repeats(const char *axis, int k)
{
    return memchr(axis, axis[k], (size_t)k) != NULL;
}

int names_lay(struct mer_array *ours, const struct axes *x, const struct mer_array *theirs, const struct laid *l,
    const long *size, long b, const struct mer_array *rows)
{
    long total = 1, index[128] = { 0 }, second[128]; /* second: along the second axis of that letter, if there is one */
    ours->type = theirs->type, ours->rank = x->rank, ours->data = NULL;
    for (int k = 0; k < x->rank; k++) {
        ours->dim[k] = size[(int)x->axis[k]] ? size[(int)x->axis[k]] : 1;
        if (ours->dim[k] < 0 || ours->dim[k] > LAID_MAX / total)
            return -1; /* repeated axes must not multiply a small file into a large array */
        total *= ours->dim[k];
    }
    size_t bytes = type_size(theirs->type);
    ours->data = need((size_t)total * bytes + 16, 1);
    index['B'] = b;
    for (int k = 0; k < 128; k++)
        second[k] = -1;
    for (long flat = 0; flat < total; flat++) {
        long rest = flat, at = 0;
        for (int k = x->rank - 1; k >= 0; rest /= ours->dim[k], k--)
            (repeats(x->axis, k) ? second : index)[(int)x->axis[k]] = rest % ours->dim[k];
        if (rows)
            index['P'] = (long)array_get(rows, index['n']);
        for (int k = 0; k < l->rank; k++) {
            long n = theirs->dim[k] / l->times[k] / l->parts[k],
                 i = l->axis[k] == ' ' || (n == 1 && l->axis[k] != 'P') ? 0 : index[(int)l->axis[k]];
            if (repeats(l->axis, k) && second[(int)l->axis[k]] >= 0)
                i = second[(int)l->axis[k]];
            if (l->inner[k])
                i = i * size[(int)l->inner[k]] + index[(int)l->inner[k]];
            if (l->split[k])
                i = i % 2 * (n / 2) + i / 2;
            if (i < 0 || i >= n)
                return -1;
            i += l->part[k] * n;
            at = at * theirs->dim[k] + (l->adjacent[k] ? i * l->times[k] : i);
        }
        memcpy((char *)ours->data + (size_t)flat * bytes, (const char *)theirs->data + (size_t)at * bytes, bytes);
    }
    return 0;
}
