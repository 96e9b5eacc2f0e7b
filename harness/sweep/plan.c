/* Expands recipes into cells and checks every word before anything runs. */
#include "sweep/plan.h"
#include "base/digest.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 2 * RECIPE_AXES, SLOTS = 2 * PLAN_CELLS };
struct making {
    struct plan *p;
    const struct recipe *r;
    const struct recipe_block *b;
    const struct measure *m;
    const struct row *row;
    const struct axis *axis[KEYS]; /* the block's own, then the common ones that it does not give */
    long at[KEYS];
    int axes;
    int32_t *seen;                 /* [SLOTS] numbers of cells + 1 by hash of their text */
    double most;
    char *err;
    size_t n;
};

static const struct axis *axis_named(const struct making *k, const char *name, size_t len, int *at)
{
    for (*at = 0; *at < k->axes; ++*at)
        if (strlen(k->axis[*at]->name) == len && !strncmp(k->axis[*at]->name, name, len))
            return k->axis[*at];
    return NULL;
}

/* Evaluates "@m-@n+1" with the values of this cell.  0, or -1 and why.  depth: how many references led here. */
static int sum(const struct making *k, const char *s, int depth, long *x, char *why, size_t n)
{
    *x = 0;
    if (depth > 8)
        return snprintf(why, n, "axes refer to each other in a circle"), -1;
    while (*s) {
        long sign = *s == '-' ? -1 : 1, term;
        int at;
        s += *s == '-' || *s == '+';
        size_t len = strcspn(s, "+-");
        if (*s == '@') {
            const struct axis *a = axis_named(k, s + 1, len - 1, &at);
            if (!a)
                return snprintf(why, n, "'%.*s': no such axis in this block", (int)len, s), -1;
            if (sum(k, a->value[k->at[at]].text, depth + 1, &term, why, n))
                return -1;
        } else {
            char *end;
            term = strtol(s, &end, 10);
            if (end != s + len || end == s)
                return snprintf(why, n, "'%.*s' is no integer", (int)len, s), -1;
        }
        if (__builtin_add_overflow(*x, sign * term, x))
            return snprintf(why, n, "beyond 2^63"), -1;
        s += len;
    }
    return 0;
}

static int check_axis(const struct making *k, const struct axis *a)
{
    char why[1200];
    for (long i = 0; i < a->n; i++) {
        const char *v = a->value[i].text;
        if (strchr(v, '@'))
            v = NULL;
        if (!v && cell_axis(k->m, a->name) && cell_axis(k->m, a->name)->choices)
            return recipe_error(k->r, a->value[i].at, k->err, k->n, "%s is no number", a->name);
        const char *bad = axis_refuses(k->m, k->row, a->name, v ? v : "1", why, sizeof why);
        if (bad && !strncmp(bad, "unknown axis", 12))
            return recipe_error(k->r, a->at, k->err, k->n, "%s", bad);
        if (bad && v)
            return recipe_error(k->r, a->value[i].at, k->err, k->n, "%s", bad);
    }
    return 0;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Writes the text of the cell with the values k->at[]. */
static int cell_write(const struct making *k, char what[CELL_TEXT])
{
    char word[KEYS][200], why[400];
    int words = 0;
    for (int list = 0; list < 3; list++) { /* own axes that nobody gives have their defaults; list 2: the seed */
        static const struct own_axis seed[] = { { "seed", "1" }, { 0 } };
        int at;
        for (const struct own_axis *o = list == 2 ? seed : k->m->axes[list]; o && o->name; o++)
            if (!axis_named(k, o->name, strlen(o->name), &at))
                snprintf(word[words++], sizeof word[0], "%s=%s", o->name, o->value);
    }
    for (int j = 0; j < k->axes && words < KEYS; j++) {
        const struct value *v = &k->axis[j]->value[k->at[j]];
        long x = 0;
        if (strchr(v->text, '@') && sum(k, v->text, 0, &x, why, sizeof why))
            return recipe_error(k->r, v->at, k->err, k->n, "%s", why);
        if (strlen(v->text) > 120)
            return recipe_error(k->r, v->at, k->err, k->n, "a value of more than 120 bytes");
        if (strchr(v->text, '@'))
            snprintf(word[words++], sizeof word[0], "%s=%ld", k->axis[j]->name, x);
        else
            snprintf(word[words++], sizeof word[0], "%s=%s", k->axis[j]->name, v->text);
    }
    qsort(word, (size_t)words, sizeof *word, by_name);
    size_t used = (size_t)snprintf(what, CELL_TEXT, "%s %s", k->m->name, k->row ? k->row->name : "-");
    for (int j = 0; j < words && used < CELL_TEXT; j++)
        used += (size_t)snprintf(what + used, CELL_TEXT - used, " %s", word[j]);
    return used < CELL_TEXT ?
        0 :
        recipe_error(k->r, k->b->measure.at, k->err, k->n, "a cell of more than %d bytes", CELL_TEXT - 1);
}

/* Whether the cell is not in the plan yet; it then gets a place in the hash table. */
static bool fresh(struct making *k, const char *what)
{
    uint32_t at = (uint32_t)(digest_text(what) >> 32) % SLOTS;
    for (; k->seen[at]; at = (at + 1) % SLOTS)
        if (!strcmp(k->p->what[k->seen[at] - 1], what))
            return false;
    k->seen[at] = (int32_t)k->p->n + 1;
    return true;
}

/* The place in the recipe to report for an impossible cell: the axis with which the message begins, or else that of the
 * largest number. */
static struct recipe_place blame(const struct making *k, const char *why)
{
    struct recipe_place at = k->b->measure.at;
    double top = 0;
    int named;
    const struct axis *a = axis_named(k, why, strcspn(why, ":"), &named);
    if (a)
        return a->value[k->at[named]].at;
    for (int j = 0; j < k->axes; j++) {
        double x = strtod(k->axis[j]->value[k->at[j]].text, NULL);
        if (x > top && strcmp(k->axis[j]->name, "seed"))
            top = x, at = k->axis[j]->value[k->at[j]].at;
    }
    return at;
}

static int add(struct making *k)
{
    char what[CELL_TEXT], why[400];
    struct cell c;
    if (cell_write(k, what))
        return -1;
    if (k->p->n == PLAN_CELLS)
        return recipe_error(k->r, k->b->measure.at, k->err, k->n, "more than %d cells", PLAN_CELLS);
    if (!fresh(k, what))
        return 0;
    if (cell_read(&c, what, why, sizeof why) || (k->m->check && k->m->check(&c, why, sizeof why)))
        return recipe_error(k->r, blame(k, why), k->err, k->n, "%s [%.300s]", why, what);
    double bytes = k->m->memory ? k->m->memory(&c) : 0;
    if (!(bytes <= k->most))
        return recipe_error(k->r, blame(k, ""), k->err, k->n,
            "needs about %.3g GiB, more than the %.3g GiB a cell may use here (--memory) [%.300s]", bytes * 0x1p-30,
            k->most * 0x1p-30, what);
    k->p->memory = bytes > k->p->memory ? bytes : k->p->memory;
    k->p->what = need_more(k->p->what, (size_t)k->p->n + 1, sizeof *k->p->what);
    k->p->what[k->p->n++] = need_copy(what);
    return 0;
}

static int each(struct making *k, int axis)
{
    if (axis == k->axes)
        return add(k);
    for (k->at[axis] = 0; k->at[axis] < k->axis[axis]->n; k->at[axis]++)
        if (each(k, axis + 1))
            return -1;
    return 0;
}

static int expand_row(struct making *k, const struct value *name)
{
    k->row = name ? row_named(name->text) : NULL;
    if (name && !k->row)
        return recipe_error(k->r, name->at, k->err, k->n, "no row '%.80s'; `meridian list` names them", name->text);
    for (int j = 0; j < k->axes; j++)
        if (check_axis(k, k->axis[j]))
            return -1;
    return each(k, 0);
}

static int expand(struct making *k, const struct recipe_block *b)
{
    char all[600] = "";
    int rc = 0, at;
    size_t used = 0;
    k->b = b, k->axes = 0;
    k->m = measure_named(b->measure.text);
    for (const struct measure *const *m = all_measures; *m && used < sizeof all; m++)
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", (*m)->name);
    if (!k->m)
        return recipe_error(k->r, b->measure.at, k->err, k->n, "no measure '%.80s'; there are%s", b->measure.text, all);
    if (k->m->rows != (b->rows > 0))
        return recipe_error(k->r, b->measure.at, k->err, k->n, "measure %s %s", k->m->name,
            k->m->rows ? "needs a row" : "takes no row");
    for (int j = 0; j < b->axes; j++)
        k->axis[k->axes++] = &b->axis[j];
    for (int j = 0; j < k->r->common.axes; j++)
        if (!axis_named(k, k->r->common.axis[j].name, strlen(k->r->common.axis[j].name), &at))
            k->axis[k->axes++] = &k->r->common.axis[j];
    for (long j = 0; j < (b->rows ? b->rows : 1) && rc == 0; j++)
        rc = expand_row(k, b->rows ? &b->row[j] : NULL);
    return rc;
}

int plan_make(struct plan *p, const struct recipe *r, double most, char *err, size_t n)
{
    struct making *k = need(1, sizeof *k);
    int rc = 0;
    *p = (struct plan){ 0 };
    *k = (struct making){ .p = p, .r = r, .most = most, .err = err, .n = n, .seen = need(SLOTS, sizeof *k->seen) };
    for (int j = 0; j < r->blocks && rc == 0; j++)
        rc = expand(k, &r->block[j]);
    free(k->seen), free(k);
    return rc;
}

void plan_free(struct plan *p)
{
    for (long k = 0; k < p->n; k++)
        free(p->what[k]);
    free(p->what);
}
