/* PREFIX: the same query asked in different calls: among all others (full), alone (stepwise), in threes (chunked),
 * behind padding, beside other heads (batched).  The answers of the subject are compared with each other within the
 * sum of both bounds.  A call is compared only where the definition gives the query the same value in it (masks that
 * count from the other end do not). */
#include <math.h>
#include "checks/core/probe.h"

enum { N = 7, M = 10, PAD = 3 };
struct prefix_part { const char *words; char more[80], sizes[80]; long from, count, keys, pad, heads; bool full; };

static bool is_query(const struct trial *t) { return mer_in(&t->call, "k") != NULL; }

/* Copies rows of `full` into the inputs of t, which holds queries from, from + 1 .. and the first keys, behind `pad`
 * others. */
static void take(struct trial *t, const struct trial *full, const struct prefix_part *s)
{
    for (int a = 0; a < t->call.n_in; a++) {
        struct mer_array *to = &t->in[a];
        const struct mer_array *from = trial_in((struct trial *)full, to->name);
        bool q = !strcmp(to->name, "q") || !strcmp(to->name, "x"),
             key = !strcmp(to->name, "k") || !strcmp(to->name, "v"), pos = !strcmp(to->name, "pos");
        long skip = q || pos ? s->from : key ? -s->pad : 0;
        for (long i = 0; i < array_len(to); i++) {
            long d = pos ? 1 : to->dim[to->rank - 1], row = i / d,
                 rows = pos  ? to->dim[to->rank - 1] :
                to->rank > 1 ? to->dim[to->rank - 2] :
                               1,
                 other = pos   ? from->dim[from->rank - 1] :
                from->rank > 1 ? from->dim[from->rank - 2] :
                                 1;
            long in = row % rows + skip, block = row / rows;
            if (!q && !key && !pos)
                array_put(to, i, array_get(from, i % array_len(from)));
            else if (in >= 0 && in < other && block * other * d < array_len(from))
                array_put(to, i, array_get(from, (block * other + in) * d + i % d));
        }
    }
}

static void compare(
    struct probe *p, const struct trial *full, const double *bound, struct trial *t, const struct prefix_part *s,
        long *bits)
{
    struct trial right, whole;
    if (probe_read(p, t) < 0 || !probe_exact(t, &right))
        return;
    if (!probe_exact(full, &whole)) {
        trial_close(&right);
        return;
    }
    const struct mer_array *y = &t->out[0], *z = &full->out[0];
    bool leads = y->rank > 2;
    long d = y->dim[y->rank - 1], n = y->dim[leads ? 1 : 0], m = z->dim[leads ? 1 : 0],
         heads = leads ? y->dim[0] < z->dim[0] ? y->dim[0] : z->dim[0] : 1,
         width = d < z->dim[z->rank - 1] ? d : z->dim[z->rank - 1];
    for (long h = 0; h < heads; h++)
        for (long i = 0; i < n && s->from + i < m; i++)
            for (long c = 0; c < width; c++) {
                long a = (h * n + i) * d + c, b = (h * m + s->from + i) * z->dim[z->rank - 1] + c;
                double one = array_get(y, a), other = array_get(z, b), exact = array_get(&right.out[0], a);
                if (exact != array_get(&whole.out[0], b) && !(isnan(exact) && isnan(array_get(&whole.out[0], b))))
                    continue; /* by definition another value there */
                *bits += one == other;
                if (!(fabs(one - other) <= p->bound[0][a] + bound[b]) && one != other && !(isnan(one) && isnan(other)))
                    probe_fail(p, "query %ld %s: %.9g; among all: %.9g (their exact value is one)", s->from + i,
                        s->words, one, other);
            }

    trial_close(&right), trial_close(&whole);
}

static void run(struct probe *p)
{
    static const long at[] = { 0, 1, 2, 131149, 131150, 300, 70 };
    struct trial full;
    char text[40];
    long bits = 0;
    if (!probe_make(p, &full, NULL, "h=2 g=2 n=7 m=10 d=8 e=5"))
        return;
    bool query = is_query(&full);
    probe_positions(&full, at, N);
    const char *place = probe_has(&full, "memory") ? "memory" : probe_has(&full, "offset") ? "offset" : NULL;
    long first = place ? atol(probe_value(&full, place, text, sizeof text)) : 0;
    bool corner = !strcmp(probe_value(&full, "causal", text, sizeof text), "bottomright"),
         keyed = !strcmp(text, "topleft") || !strcmp(text, "offset"), pads = probe_has(&full, "first"),
         heads = probe_has(&full, "heads");
    if (!probe_ask(p, &full))
        return;
    if (probe_read(p, &full) < 0) {
        trial_close(&full);
        return;
    }
    long len = array_len(&full.out[0]);
    double *bound = need((size_t)len, sizeof *bound);
    memcpy(bound, p->bound[0], (size_t)len * sizeof *bound);
    for (int k = 0; k < N + 4 && p->word != FAILED && p->word != CRASHED; k++) {
        struct prefix_part s = { .words = k < N ? "alone (stepwise)" :
                k < N + 2                ? "in a chunk of 3" :
                k == N + 2               ? "behind padding" :
                                           "beside another head",
            .from = k < N  ? k :
                k == N     ? 0 :
                k == N + 1 ? 3 :
                             0,
            .count = k < N ? 1 :
                k < N + 2  ? 3 :
                             N,
            .keys = M };
        struct trial t;
        if (k >= N + 2 && (!query || (k == N + 2 && !pads) || heads))
            continue;
        s.keys = k < N + 2 && corner ? M - N + s.from + s.count : M, s.pad = k == N + 2 ? PAD : 0;
        if (k < N + 2 && place && !corner && (keyed || strcmp(place, "offset") || !probe_has(&full, "causal")))
            snprintf(s.more, sizeof s.more, "%s=%ld%s", place, (keyed && strcmp(text, "offset") ? 0 : first) + s.from,
                keyed ? " causal=offset" : "");
        if (k == N + 2)
            snprintf(s.more, sizeof s.more, "first=%d", PAD);
        snprintf(s.sizes, sizeof s.sizes, "h=%d g=%d n=%ld m=%ld d=8 e=5", k == N + 3 ? 4 : 2, k == N + 3 ? 4 : 2,
            s.count, s.keys + s.pad);
        if (!probe_make(p, &t, s.more, s.sizes))
            continue;
        take(&t, &full, &s);
        if (!probe_ask(p, &t))
            continue;
        compare(p, &full, bound, &t, &s, &bits);
        trial_close(&t);
    }
    /* whether single answers stay within their bounds is asked by other checks */
    p->y.over = p->word == FAILED ? p->y.over : 0;
    free(bound);
    trial_close(&full);
}
const struct check check_prefix = {
    .name = "PREFIX", .question = "Is a query answered alike among all, alone, in chunks, behind padding and beside "
    "other heads?", .cluster = "A6 A13",
    .sources = "unslothai/unsloth#3803 ml-explore/mlx-lm#1713 ml-explore/mlx-lm#1396 warpfront/hipfire#391 "
    "keras-team/keras-hub#2861 keras-team/keras-hub#2977 NVIDIA/TensorRT-LLM#1611 NVIDIA/TensorRT-LLM#1343 "
    "NVIDIA/TensorRT-LLM#13870",
    .asks = "attention.o rope.y rope.cos mrope.y sinusoid.p alibi.bias t5.bias shaw.o nezha.o deberta.o tener.o",
    .kills = "fault.decode attention.topleft shaw.memory-dropped nezha.memory-dropped", .relation = true, .run = run,
};
