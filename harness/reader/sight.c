/* Which keys a query sees: equal scores and one value for each key, so that the keys with a weight are the visible
 * ones.  Alignment and reach are read where one pair of numbers explains every line of every shape: first = max(0, c
 * - left), last = min(m - 1, c + right), with c = i or i + m - n.  The shape 5 x 300 is for windows wider than usual
 * tests.  Bugs of clusters A13 and A14 (harness/checks). */
#include <math.h>
#include <stdio.h>
#include "reader/core/reader.h"

enum { SHAPES = 6, ROWS = 12, ALL = 1 << 20 };
static const struct { int n, m; } shape[SHAPES] = { { 1, 8 }, { 3, 8 }, { 8, 3 }, { 5, 5 }, { 12, 12 }, { 5, 300 } };
/* the first and last key that each query of each shape sees; first > last: it sees none */
struct reader_sight { int asked[SHAPES], first[SHAPES][ROWS], last[SHAPES][ROWS]; bool gaps; };

static bool read_shape(struct asking *a, struct reader_sight *s, int k)
{
    struct trial t;
    char sizes[80];
    snprintf(sizes, sizeof sizes, "h=1 g=1 n=%d m=%d d=4 e=%d", shape[k].n, shape[k].m, shape[k].m);
    if (!reader_make(a, &t, "", sizes))
        return false;
    double *w = reader_weights(a, &t, shape[k].n, shape[k].m);
    for (int i = 0; w && i < shape[k].n; i++) {
        int seen = 0;
        s->first[k][i] = shape[k].m, s->last[k][i] = -1;
        for (int j = 0; j < shape[k].m; j++)
            if (w[i * shape[k].m + j] > 0) {
                s->first[k][i] = s->first[k][i] < j ? s->first[k][i] : j, s->last[k][i] = j, seen++;
            }
        s->gaps |= seen && seen != s->last[k][i] - s->first[k][i] + 1;
    }
    trial_close(&t);
    return free(w), s->asked[k] = w != NULL;
}

/* How many keys to the left and right of c = i + offset (+ m - n) explain every line; ALL: nothing limits them.
 * false: no numbers do. */
static bool reach(const struct reader_sight *s, bool bottom, int offset, int *left, int *right)
{
    int l = -ALL, r = -ALL;
    bool l_binds = false, r_binds = false;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < SHAPES; k++)
            for (int i = 0; s->asked[k] && i < shape[k].n; i++) {
                int m = shape[k].m, c = i + offset + (bottom ? m - shape[k].n : 0), f = s->first[k][i],
                    e = s->last[k][i];
                if (!pass && f <= e) {
                    if (f > 0)
                        l = c - f > l || !l_binds ? c - f : l, l_binds = true;
                    if (e < m - 1)
                        r = e - c > r || !r_binds ? e - c : r, r_binds = true;
                } else if (pass) {
                    int from = l_binds && c - l > 0 ? c - l : 0, to = r_binds && c + r < m - 1 ? c + r : m - 1;
                    /* lines without a key are not judged where there are more queries than keys */
                    if (f <= e ? from != f || to != e : from <= to && shape[k].n <= m)
                        return false;
                }
            }
    *left = l_binds ? l : ALL, *right = r_binds ? r : ALL;
    return true;
}

static const char *number(char *text, int x) { return x == ALL ? "all" : (sprintf(text, "%d", x), text); }

/* what the lines of 5 x 5 and of 5 x 300 see, in words */
static void describe(const struct reader_sight *s, char *text, size_t n)
{
    size_t at = 0;
    *text = 0;
    for (int k = 1; k < SHAPES; k++) {
        if (!s->asked[k])
            continue;
        at += (size_t)snprintf(text + at, n - at, "%s%d x %d:", at ? "; " : "", shape[k].n, shape[k].m);
        for (int i = 0; i < shape[k].n && at < n; i += shape[k].n > 2 ? (shape[k].n - 1) / 2 : 1)
            at += (size_t)(s->first[k][i] > s->last[k][i] ?
                    snprintf(text + at, n - at, " %d: none", i) :
                    snprintf(text + at, n - at, " %d: %d-%d", i, s->first[k][i], s->last[k][i]));
        at = at < n ? at : n - 1;
    }
}

/* Suggests values for parameters that no reach names, by numbers that the lines show. */
static void suggest(const struct reader_sight *s, struct reader_facts *r)
{
    enum { SQUARE = 4, FAR = 5, WIDE = 1 };
    int steps[ROWS], used = 0;
    for (int i = 0; s->asked[SQUARE] && i < shape[SQUARE].n; i++) {
        int f = s->first[SQUARE][i], e = s->last[SQUARE][i];
        if (f <= e && f > 0 && (!used || steps[used - 1] != f))
            steps[used++] = f;
        if (f <= e)
            reader_hint(r, "prefix=%d", e + 1);
    }
    for (int k = 0; k + 1 < used; k++)
        reader_hint(r, "chunk=%d", steps[k + 1] - steps[k]),
            reader_hint(r, "start=%d", steps[k] % (steps[k + 1] - steps[k]));
    if (used)
        reader_hint(r, "chunk=%d", steps[0]), reader_hint(r, "first=%d", steps[0]);
    for (int k = 0; k < SHAPES; k++)
        for (int i = 0; s->asked[k] && i < shape[k].n; i += shape[k].n > 1 ? shape[k].n - 1 : 1) {
            int f = s->first[k][i], e = s->last[k][i], m = shape[k].m;
            if (f > e)
                continue;
            if (e < m - 1)
                reader_hint(r, "offset=%d", e - i), reader_hint(r, "length=%d", e + 1),
                    reader_hint(r, "right=%d", e - i > 0 ? e - i : 0);
            if (f > 0)
                reader_hint(r, "first=%d", f), reader_hint(r, "window=%d", e - f + 1), reader_hint(r, "left=%d", e - f);
        }
}

static void read_sight(struct asking *a, struct reader_facts *r)
{
    struct reader_sight s = { 0 };
    const struct quantity *q = row_quantity(a->row, reader_wants(a, "o") ? "o" : "weights");
    bool any = false;
    if (!q || (!reader_wants(a, "o") && !reader_wants(a, "weights")))
        return;
    for (int k = 0; k < SHAPES; k++)
        any |= read_shape(a, &s, k);
    if (!any)
        return;
    struct reader_fact *x = fact_add(r, "sight");
    int left, right;
    char l[16], g[16];
    describe(&s, x->evidence, sizeof x->evidence);
    suggest(&s, r);
    bool top = !s.gaps && reach(&s, false, 0, &left, &right), free_of = top && left == ALL && right == ALL;
    bool bottom = !s.gaps && !top && reach(&s, true, 0, &left, &right), windows = row_has(a->row, "window");
    if (free_of) {
        snprintf(x->value, sizeof x->value, "every key");
        snprintf(x->params, sizeof x->params,
            windows ? "causal=none window=0 left=-1 right=-1 chunk=0 first=0 length=-1" : "");
        return;
    }
    if (!top && !bottom) {
        snprintf(x->value, sizeof x->value, s.gaps ? "with gaps" : "no one reach");
        return;
    }
    snprintf(x->value, sizeof x->value, "%s, left %s, right %s", bottom ? "bottom-right" : "top-left", number(l, left),
        number(g, right));
    if (!windows) {
        if (row_has(a->row, "causal") && right == 0)
            snprintf(x->params, sizeof x->params, "causal=causal");
        return;
    }
    if (right == 0 || (right == ALL && left != ALL && bottom)) {
        if (left == ALL)
            snprintf(x->params, sizeof x->params, "causal=%s window=0 left=-1 right=-1 chunk=0",
                bottom ? "bottomright" : "topleft");
        else
            snprintf(x->params, sizeof x->params, "causal=%s window=%d windows=past left=-1 right=-1 chunk=0",
                right      ? "none" :
                    bottom ? "bottomright" :
                             "topleft",
                left + 1);
    } else {
        snprintf(x->params, sizeof x->params, "causal=%s window=0 left=%d right=%d chunk=0",
            bottom ? "bottomright" : "none", left == ALL ? -1 : left, right == ALL ? -1 : right);
        if (left == right)
            reader_hint(r, "window=%d", left), reader_hint(r, "window=%d", left + 1),
                reader_hint(r, "window=%d", 2 * left), reader_hint(r, "window=%d", 2 * left + 1);
    }
}
const struct reader reader_sight = { "sight", "which keys a query sees: equal scores, one value a key, its support", 1,
    read_sight };
