/* Words of a profile or contract, read for one row: data/README.md has the table. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "row/every.h"
#include "row/near.h"
#include "words/read.h"

const char *row_step(const struct row *r, int k, size_t *len)
{
    for (int g = 0; g < 3; g++)
        for (const char *s = r->steps[g]; s && *s; s += *len, s += strspn(s, " ")) {
            *len = strcspn(s, " ");
            if (!k--)
                return s;
        }
    return NULL;
}

/* The next real input of a signature, integers passed over; *s moves behind it.  NULL: "->" is reached. */
static const char *next_input(const char **s, size_t *len)
{
    for (*s += strspn(*s, " "); **s && strncmp(*s, "->", 2); *s += strspn(*s, " ")) {
        const bool integer = !strncmp(*s, "int ", 4);
        const char *name = *s += integer ? 4 : 0;
        for (*len = 0; isalnum((unsigned char)name[*len]) || name[*len] == '_'; ++*len)
            ;
        *s += strcspn(*s, " ");
        if (!integer)
            return name;
    }
    return NULL;
}

/* Does a quantity before `end` (NULL: any) have the real input `name`? */
static bool is_input(const struct row *r, const struct quantity *end, const char *name, size_t n)
{
    size_t len;
    const char *is;
    for (const struct quantity *q = r->q; q->sign && q != end; q++)
        for (const char *s = q->sign; (is = next_input(&s, &len));)
            if (len == n && !strncmp(is, name, n))
                return true;
    return false;
}
bool row_stores(const struct row *r, const char *name, size_t len) { return is_input(r, NULL, name, len); }

const char *row_input(const struct row *r, int k, size_t *len)
{
    const char *is;
    for (const struct quantity *q = r->q; q->sign; q++)
        for (const char *s = q->sign; (is = next_input(&s, len));)
            if (!is_input(r, q, is, *len) && !k--)
                return is;
    return NULL;
}

/* The number of the step `key`; -1: r has none of this name.  One walk over the names, since every word of every
 * profile comes here for every row that its own row calls. */
static int step_of(const struct row *r, const char *key, size_t n)
{
    int k = 0;
    for (int g = 0; g < 3; g++)
        for (const char *s = r->steps[g]; s && *s; k++) {
            const char *from = s;
            while (*s && *s != ' ')
                s++;
            if ((size_t)(s - from) == n && !memcmp(from, key, n))
                return k;
            while (*s == ' ')
                s++;
        }
    return -1;
}
static bool has_step(const struct row *r, const char *key, size_t n) { return step_of(r, key, n) >= 0; }

static const char inputs[] = "in."; /* It stands before the name of an input; no row has this name. */
static bool is_stored(const char *key, size_t n)
{
    return n > sizeof inputs - 1 && !strncmp(key, inputs, sizeof inputs - 1);
}

/* A key of *n bytes without the row that it names: of "attention.exp" or "attention.in.k" what stands behind the point,
 * if r is row attention.  A key without a scope is answered as it is, and NULL where it names another row.  *n becomes
 * the length of what is answered. */
static const char *unscoped(const struct row *r, const char *key, size_t *n)
{
    const char *dot = memchr(key, '.', *n);
    if (!dot || is_stored(key, *n))
        return key;
    size_t scope = (size_t)(dot - key);
    if (strlen(r->name) != scope || strncmp(r->name, key, scope))
        return NULL;
    *n -= scope + 1;
    return dot + 1;
}

static bool is_word(const char *key, size_t n, const char *word) { return strlen(word) == n && !strncmp(key, word, n); }
/* Does the row divide softmax weights, or the sum that they weigh?  Then it has both steps. */
static bool divides(const struct row *r) { return has_step(r, "weight", 6) && has_step(r, "div", 3); }
/* Does it have gradients of scores, which a scale has multiplied?  Then it has step score, too. */
static bool goes_back(const struct row *r) { return has_step(r, "ds", 2); }

/* Words of an order of work, "last" or "first", which rows have that the function picks; where in struct arith it is
 * said to be first, and where its word begins. */
struct work_order { const char *name, *allowed; bool (*in)(const struct row *r); size_t first, word; };
static const struct work_order orders[] = {
    { "divide", "divide: last first", divides, offsetof(struct arith, divide_first),
        offsetof(struct arith, divide_word) },
    { "dscale", "dscale: last first", goes_back, offsetof(struct arith, dscale_first),
        offsetof(struct arith, dscale_word) },
};
enum { ORDERS = sizeof orders / sizeof *orders };
static const struct work_order *order_named(const char *key, size_t n)
{
    for (int k = 0; k < ORDERS; k++)
        if (is_word(key, n, orders[k].name))
            return &orders[k];
    return NULL;
}
const char *row_order(const struct row *r, int k)
{
    for (const struct work_order *o = orders; o < orders + ORDERS; o++)
        if (o->in(r) && k-- == 0)
            return o->name;
    return NULL;
}

/* Is the key a word about r alone: a step, "in." and a real input, or an order that r has? */
static bool is_own(const struct row *r, const char *key, size_t n)
{
    const char *k = unscoped(r, key, &n);
    if (!k)
        return false;
    const struct work_order *o = order_named(k, n);
    return is_stored(k, n) ? row_stores(r, k + sizeof inputs - 1, n - sizeof inputs + 1) :
        o                  ? o->in(r) :
                             has_step(r, k, n);
}
/* Is the key such a word about r or about one of its parts? */
static bool is_step(const struct row *r, const char *key, size_t n)
{
    bool yes = is_own(r, key, n);
    for (const struct row *const *p = r->parts; p && *p && !yes; p++)
        yes = is_step(*p, key, n);
    return yes;
}

static bool is_fault(const char *key, size_t n) { return is_word(key, n, "fault"); }
static const char *next_word(const char *s) { return s += strcspn(s, " "), s + strspn(s, " "); }

/* Reads the number of the fault that `value` names into *k: those that rows share come first, then the row's own.
 * false: it is none of them, and *k is FAULT_NONE. */
static bool fault_of(const struct row *r, const char *value, int *k)
{
    const size_t n = strcspn(value, " ");
    for (*k = FAULT_NONE; *k < FAULTS; ++*k)
        if (is_word(value, n, fault_name[*k]))
            return true;
    for (const char *s = r->faults ? r->faults : ""; *s; s = next_word(s), ++*k)
        if (strcspn(s, " ") == n && !strncmp(s, value, n))
            return true;
    *k = FAULT_NONE;
    return false;
}
/* Has r or one of its parts this fault? */
static bool has_fault(const struct row *r, const char *value)
{
    int k;
    bool yes = fault_of(r, value, &k);
    for (const struct row *const *p = r->parts; p && *p && !yes; p++)
        yes = has_fault(*p, value);
    return yes;
}
/* Reads the fault that `value` names for r.  Where only another row of those asked together has it, r has none.  The
 * answer is NULL, or what is allowed, in a text that lives until the thread's next call. */
static const char *read_fault(struct arith *a, const struct row *r, const char *value)
{
    static _Thread_local char allowed[200];
    fault_of(r, value, &a->fault);
    snprintf(allowed, sizeof allowed, "fault: none uncentred unscaled overwritten%s%s", r->faults ? " " : "",
        r->faults ? r->faults : "");
    return has_fault(a->asked, value) ? NULL : allowed;
}

static bool is_edit(const char *key, size_t n) { return is_word(key, n, "edit"); }
/* Reads the value of a word such as "edit=exp:negate" for r; NULL, or what is allowed. */
static const char *read_edit(struct arith *a, const struct row *r, const char *value)
{
    const size_t len = strcspn(value, ": "), n = strcspn(value, " ");
    const int step = step_of(r, value, len), op = len < n ? edit_named(value + len + 1, n - len - 1) : -1;
    if (site_read(&a->edit, value, n)) /* It has more colons. */
        return NULL;
    if (op < 0)
        return "edit: STEP:OPERATION, as in edit=exp:negate, or FILE:LINE:KIND:OPERATION (ref/core/edit/site.h)";
    /* A step of another row makes this 0, and nothing changes in this one. */
    a->edit = (struct edit){ .step = step + 1, .op = op };
    return NULL;
}

static bool is_exact(const char *s) { return is_word(s, strcspn(s, " "), "exact"); }

const char *row_route(const struct row *r, const char *word)
{
    size_t key = strcspn(word, "= ");
    const char *name = unscoped(r, word, &key);
    const bool scoped = name && name != word && word[strcspn(word, "= ")] == '=';
    for (const struct param *p = row_params(r); scoped && p->name; p++)
        if ((p->kind == ROUTE || p->route) && is_word(name, key, p->name))
            return name;
    return NULL;
}

/* Is the word a route of a part of r?  1: it is; 0: it is not; -1: it is, but the part refuses its value, and err says
 * why. */
static int part_route(const struct row *r, const char *word, char *err, size_t n)
{
    for (const struct row *const *p = r->parts; p && *p; p++) {
        const char *name = row_route(*p, word);
        if (!name)
            continue;
        char one[120];
        void *scratch = need(1, (*p)->size);
        snprintf(one, sizeof one, "%.*s", (int)strcspn(name, " "), name);
        const int rc = params_read(row_params(*p), scratch, one, err, n);
        params_clear(row_params(*p), scratch), free(scratch);
        return rc ? -1 : 1;
    }
    return 0;
}

/* Tries every name that a word of r may begin with: the names of inputs where it is `stored` (behind "in."), else
 * parameters of the asked row, steps of it and of its parts, and common words. */
static void near_words(struct near *x, const struct row *r, const struct row *asked, bool stored)
{
    size_t len;
    const char *s;
    for (const struct param *p = row_params(r); !stored && r == asked && p->name; p++)
        near_try(x, p->name, strlen(p->name));
    for (int k = 0; (s = stored ? row_input(r, k, &len) : row_step(r, k, &len)); k++)
        near_try(x, s, len);
    for (const struct row *const *p = r->parts; p && *p; p++)
        near_words(x, *p, asked, stored);
    near_list(x, stored ? "" : "ftz exact " FORMAT_NAMES);
    for (int k = 0; !stored && (s = row_order(r, k)); k++)
        near_list(x, s);
}

/* Writes a line such as "unknown word 'phse=f32' (did you mean 'phase'?); rope has dim base ..." into err[n]. */
static void unknown_word(const struct row *r, const char *s, char *err, size_t n)
{
    char hint[100];
    const size_t key = strcspn(s, "= "), in = is_stored(s, key) ? sizeof inputs - 1 : 0;
    struct near x = near_of(s + in, key - in);
    near_words(&x, r, r, in);
    char *text;
    size_t written, len;
    const char *name;
    FILE *to = need_stream(&text, &written);
    fprintf(to, "unknown word '%.*s'%s; %s has", (int)strcspn(s, " "), s, near_text(&x, hint, sizeof hint), r->name);
    for (const struct param *p = row_params(r); p->name; p++)
        fprintf(to, " %s", p->name);
    for (int k = 0; (name = row_step(r, k, &len)); k++)
        fprintf(to, "%s %.*s", k ? "" : "; steps", (int)len, name);
    for (int k = 0; (name = row_input(r, k, &len)); k++)
        fprintf(to, "%s in.%.*s", k ? "" : "; inputs", (int)len, name);
    for (const struct row *const *p = r->parts; p && *p; p++)
        fprintf(to, "; and those of %s", (*p)->name);
    fclose(to);
    snprintf(err, n, "%s", text);
    free(text);
}

int row_knows(const struct row *r, const char *text, char *err, size_t n)
{
    for (const char *s = text + strspn(text, " "); *s; s = next_word(s)) {
        size_t key = strcspn(s, "= ");
        bool known = is_word(s, key, "ftz") || is_fault(s, key) || is_edit(s, key) || every_input(s);
        for (const struct param *p = row_params(r); p->name && !known; p++)
            known = is_word(s, key, p->name);
        known = known || is_step(r, s, key); /* Last: it reads the signatures of all parts. */
        const int route = known ? 0 : part_route(r, s, err, n);
        if ((known && s[key] == '=') || is_exact(s) || every_step(s) || route > 0)
            continue;
        if (route < 0)
            return -1;
        unknown_word(r, s, err, n);
        return -1;
    }
    return 0;
}

/* Reads a word of two values into *to: true where it is `on`.  NULL, or `what`, which says what is allowed. */
static const char *read_switch(bool *to, const char *value, const char *off, const char *on, const char *what)
{
    const size_t n = strcspn(value, " ");
    *to = is_word(value, n, on);
    return *to || is_word(value, n, off) ? NULL : what;
}

/* Reads a word such as "in.k=f16", of which `name` of len bytes is the input; an earlier word about the same input
 * gives way.  An input is stored and not summed, so that the structure of a sum is refused.  NULL, or what is wrong. */
static const char *read_input(struct arith *a, const char *word, const char *name, size_t len, const char *value)
{
    struct input_word *x = a->in;
    while (x < a->in + a->inputs && (x->len != len || strncmp(x->name, name, len)))
        x++;
    if (x == a->in + INPUT_WORDS)
        return "more than 32 inputs";
    a->inputs += x == a->in + a->inputs;
    x->name = name, x->len = len;
    const char *bad = rounding_read(&x->r, value);
    x->r.word = (int)(word - a->text) + 1;
    return bad                                  ? bad :
        x->r.lanes || x->r.height || x->r.block ? "an input is stored, not summed: no /h, /lanes or /tc" :
                                                  NULL;
}

/* Reads the word at s for row r, where it is about r.  scoped: only words that name the row are read, else only those
 * that name none.  NULL, or what is wrong. */
static const char *read_word(struct arith *a, const struct row *r, const char *s, bool scoped)
{
    const size_t key = strcspn(s, "=");
    size_t len = key;
    const char *value = s + key + 1, *name = unscoped(r, s, &len);
    if (!scoped && is_word(s, key, "ftz"))
        return read_switch(&a->ftz, value, "off", "on", "ftz: on off");
    if (!scoped && is_fault(s, key))
        return read_fault(a, r, value);
    if (!scoped && is_edit(s, key))
        return read_edit(a, r, value);
    if (!name || (name != s) != scoped)
        return NULL;
    const struct work_order *o = order_named(name, len);
    if (o) {
        *(int *)((char *)a + o->word) = (int)(s - a->text) + 1;
        return o->in(r) ? read_switch((bool *)((char *)a + o->first), value, "last", "first", o->allowed) : NULL;
    }
    if (is_stored(name, len)) {
        const char *input = name + sizeof inputs - 1;
        const size_t n = len - sizeof inputs + 1;
        /* Without a scope it is the asked row's own input, where that row has one of this name. */
        const bool others = !scoped && a->asked != r && row_stores(a->asked, input, n);
        return !others && row_stores(r, input, n) ? read_input(a, s, input, n, value) : NULL;
    }
    const int k = step_of(r, name, len);
    const char *bad = k >= 0 ? rounding_read(&a->at[k], value) : NULL;
    if (k >= 0)
        a->at[k].word = (int)(s - a->text) + 1;
    return bad;
}

const char *arith_scope(struct arith *a, const struct row *asked, const struct row *r, const char *text, enum how how)
{
    *a = (struct arith){ .how = how, .text = text, .asked = asked };
    const char *bad = every_read(a, r, text);
    for (int scoped = 0; scoped < 2; scoped++)
        for (const char *s = text; *s && !bad; s = next_word(s)) /* A blank at the beginning ends a word of no name. */
            bad = is_exact(s) || every_step(s) || every_input(s) ? NULL : read_word(a, r, s, scoped);
    return bad;
}

static bool is_rounding(const struct row *r, const char *s)
{
    return is_step(r, s, strcspn(s, "= ")) || is_fault(s, strcspn(s, "= ")) || is_edit(s, strcspn(s, "= ")) ||
        is_exact(s) || every_step(s) || every_input(s);
}

int arith_read(struct arith *a, const struct row *r, const char *text, enum how how, char *err, size_t n)
{
    int words = 0;
    const char *bad;
    if (row_knows(r, text, err, n))
        return -1;
    for (const char *s = text + strspn(text, " "); *s; s = next_word(s))
        words += is_rounding(r, s);
    if ((bad = arith_scope(a, r, r, text, how)))
        return snprintf(err, n, "'%s': %s", text, bad), -1;
    for (const struct row *const *p = r->parts; p && *p; p++)
        if ((bad = arith_scope(&(struct arith){ 0 }, r, *p, text, how)))
            return snprintf(err, n, "'%s': %s", text, bad), -1;
    return words;
}

const char *row_contract(const struct row *r, const char *name, char *err, size_t n)
{
    char hint[100];
    const struct preset *all = r->contracts && r->contracts->name ? r->contracts : NULL;
    struct near x = near_of(name, strlen(name));
    for (const struct preset *p = all; p && p->name; p++) {
        if (!strcmp(p->name, name))
            return p->text;
        near_try(&x, p->name, strlen(p->name));
    }
    size_t at = (size_t)snprintf(err, n, "%s has no contract '%.80s'%s; it has%s", r->name, name,
        near_text(&x, hint, sizeof hint), all ? "" : " none");
    for (const struct preset *p = all; p && p->name && at < n; p++)
        at += (size_t)snprintf(err + at, n - at, "%s'%s'", p == all ? " " : ", ", p->name);
    return NULL;
}
