/* Reads the gates, and finds those that cannot all hold; see gate_file.h. */
#include "lab/page/gate_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/tsv.h"
#include "core/files.h"
#include "lab/text/sha256.h"

bool measure_of_text(const char *measure) { return !strcmp(measure, "tail") || !strcmp(measure, "all"); }
bool measure_is_loss(const char *measure) { return measure_of_text(measure) || !strcmp(measure, "bits"); }
bool measure_is_share(const char *measure) { return !strcmp(measure, "exact") || !strcmp(measure, "right"); }

static bool side_read(struct side *s, const char *text)
{
    int end = 0, rest = 0;
    *s = (struct side){ .depth = -1 };
    if (sscanf(text, "%31[^/]/%31[^@]@%ld%n", s->encoding, s->variant, &s->size, &end) != 3 || s->size < 1)
        return false;
    if (!text[end])
        return true;
    return sscanf(text + end, ":%lf%n", &s->depth, &rest) == 1 && !text[end + rest] && s->depth >= 0 && s->depth <= 1;
}

/* What is wrong with a line; NULL: nothing. */
static const char *line_read(const struct tsv *t, struct gate *g)
{
    char margin[32], *end;
    const struct tsv_place to[] = { { g->id, sizeof g->id }, { g->task, sizeof g->task },
        { g->measure, sizeof g->measure }, { g->worse, sizeof g->worse }, { g->what, sizeof g->what },
        { g->better, sizeof g->better }, { margin, sizeof margin }, { g->known, sizeof g->known },
        { g->source, sizeof g->source }, { 0 } };
    *g = (struct gate){ .margin = 0 };
    if (tsv_take(t, to) != 9)
        return "nine columns are wanted, none of them empty or too long";
    g->margin = strtod(margin, &end);
    if (end == margin || *end || !(g->margin > -1e6 && g->margin < 1e6))
        return "the margin is no number";
    if (!side_read(&g->side[0], g->worse) || !side_read(&g->side[1], g->better))
        return "a side is encoding/variant@size, or encoding/variant@size:depth with a depth from 0 to 1";
    if (strcmp(g->what, "within") && strcmp(g->what, "exceeds"))
        return "between the sides stands exceeds or within";
    if (!strcmp(g->what, "within") && !(g->margin > 0))
        return "a margin of `within` is above 0";
    return strcmp(g->known, "seen") && strcmp(g->known, "new") ? "known is seen or new" : NULL;
}

/* A gate as one or two bounds x_a - x_b <= most of the sides' values, in which more is worse. */
struct edge { long gate, a, b; double most; };

static long node_of(const struct gate **of, int *which, long *nodes, const struct gate *g, int side)
{
    for (long k = 0; k < *nodes; k++)
        if (!strcmp(of[k]->task, g->task) && !strcmp(of[k]->measure, g->measure) &&
            !strcmp(which[k] ? of[k]->better : of[k]->worse, side ? g->better : g->worse))
            return k;
    of[*nodes] = g, which[*nodes] = side;
    return (*nodes)++;
}

static long edges_of(const struct gate *g, long n, struct edge *e, long *nodes)
{
    static const struct gate *of[2 * GATES_MOST];
    static int which[2 * GATES_MOST];
    long edges = 0;
    *nodes = 0;
    for (long k = 0; k < n; k++) {
        const long a = node_of(of, which, nodes, &g[k], 0), b = node_of(of, which, nodes, &g[k], 1);
        const bool within = !strcmp(g[k].what, "within");
        e[edges++] = (struct edge){ k, b, a, within ? g[k].margin : -g[k].margin };
        if (within)
            e[edges++] = (struct edge){ k, a, b, g[k].margin };
    }
    return edges;
}

/* Bellman and Ford: a circle of bounds whose sum is below 0 has no solution.  Returns an edge of one, -1: there is
 * none.  from[node]: the edge by which it was last lowered.  gone[gate]: left out. */
static long circle(const struct edge *e, long edges, long nodes, const bool *gone, long *from)
{
    static double low[2 * GATES_MOST];
    long last = -1;
    for (long k = 0; k < nodes; k++)
        low[k] = 0, from[k] = -1;
    for (long turn = 0; turn <= nodes; turn++) {
        last = -1;
        for (long k = 0; k < edges; k++)
            if (!gone[e[k].gate] && low[e[k].b] + e[k].most < low[e[k].a] - 1e-12)
                low[e[k].a] = low[e[k].b] + e[k].most, from[e[k].a] = k, last = k;
        if (last < 0)
            return -1;
    }
    long at = e[last].a;
    for (long k = 0; k < nodes; k++) /* behind so many steps back it stands on the circle itself */
        at = e[from[at]].b;
    return from[at];
}

static void contradictions(struct gate *g, long n)
{
    static struct edge e[2 * GATES_MOST];
    static long from[2 * GATES_MOST];
    static bool gone[GATES_MOST];
    long nodes;
    const long edges = edges_of(g, n, e, &nodes);
    memset(gone, 0, sizeof gone);
    for (long first; (first = circle(e, edges, nodes, gone, from)) >= 0;) {
        long at = first;
        do { /* each names the next on the circle */
            const long next = from[e[at].b];
            snprintf(g[e[at].gate].against, sizeof g[0].against, "%s", g[e[next].gate].id);
            at = next;
        } while (at != first);
        gone[e[first].gate] = true; /* other circles are looked for without it */
    }
}

long gates_read(const char *path, struct gate *g, char *err, size_t n)
{
    struct tsv t;
    long count = 0;
    if (!tsv_open(&t, path))
        return tsv_close(&t), snprintf(err, n, "no %.500s", path), -1;
    while (tsv_next(&t)) {
        struct gate one;
        const char *why = line_read(&t, &one);
        for (long k = 0; k < count && !why; k++)
            why = strcmp(g[k].id, one.id) ? NULL : "an earlier line has this id";
        why = !why && count == GATES_MOST ? "more gates than are read" : why;
        if (why) {
            snprintf(err, n, "%.400s: line %ld: %s", path, t.line, why);
            return tsv_close(&t), -1;
        }
        g[count++] = one;
    }
    tsv_close(&t);
    contradictions(g, count);
    return count;
}

bool gates_have(const struct gate *g, long n, const struct gate *one)
{
    for (long k = 0; k < n; k++)
        if (!strcmp(g[k].task, one->task) && !strcmp(g[k].measure, one->measure) && !strcmp(g[k].what, one->what) &&
            !strcmp(g[k].worse, one->worse) && !strcmp(g[k].better, one->better) && g[k].margin == one->margin)
            return true;
    return false;
}

int gates_keep(const char *path, const char *dir, char hex[65], char *err, size_t n)
{
    char to[4300];
    char *text = file_read(path);
    if (!text)
        return snprintf(err, n, "no %.500s", path), -1;
    sha256_of(text, strlen(text), hex);
    snprintf(to, sizeof to, "%.4000s/gates-%s.tsv", dir, hex);
    const int rc = access(to, R_OK) ? file_replace(to, text, strlen(text), err, n) : 0;
    free(text);
    return rc;
}
