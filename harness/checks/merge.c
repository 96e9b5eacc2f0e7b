/* MERGE: the keys are cut into parts s, each is asked alone, and the answers are merged by their log-sum-exps: o =
 * sum_s w_s o_s, w_s = e^(lse_s - L), L = ln sum_s e^lse_s.  The answer without parts must come out for every
 * partition: very unequal parts, one key alone, a part that a boolean mask hides as a whole.  Bound: where |lse_s -
 * exact| <= l for all s, a weight changes by at most the factor e^(2l), so that the merged answer may err by sum w
 * (b_s + |o_s| (e^(2l) - 1)), b_s the bounds of the parts, and by the merging's own roundings in double. */
#include <math.h>
#include "checks/core/probe.h"

enum { M = 13, R = 6, MOST = 4 }; /* keys, rows, parts */

/* where parts begin; each list ends with M */
static const long cuts[][MOST + 1] = { { 0, 6, M }, { 0, 1, M }, { 0, 12, M }, { 0, 2, 3, 9, M } };

static int ask(struct probe *p, struct trial *t, const struct trial *full, long from, long to, bool hidden, double *l)
{
    char sizes[80];
    snprintf(sizes, sizeof sizes, "%sh=2 g=2 n=3 m=%ld d=8 e=5", hidden ? "keep " : "", to - from);
    if (!probe_make(p, t, NULL, sizes))
        return -1;
    for (int a = 0; a < t->call.n_in; a++) {
        struct mer_array *x = &t->in[a];
        const struct mer_array *y = mer_in(&full->call, x->name);
        bool key = x->name[0] == 'k' || x->name[0] == 'v';
        for (long i = 0, d = x->dim[x->rank - 1]; i < array_len(x); i++)
            array_put(x, i,
                !y      ? 0 :
                    key ? array_get(y, ((i / d / (to - from)) * M + from + i / d % (to - from)) * d + i % d) :
                          array_get(y, i % array_len(y)));
    }
    if (!probe_ask(p, t))
        return -1;
    if (probe_read(p, t) < 0) {
        trial_close(t);
        return -1;
    }
    for (long i = 0; i < array_len(&t->out[1]); i++)
        *l = fmax(*l, isfinite(p->want[1][i]) ? p->bound[1][i] : 0);
    return 0;
}

static void partition(
    struct probe *p, const struct trial *full, const double *bound, const long *cut, double base, bool empty)
{
    const long e = full->out[0].dim[2];
    double *sum = need((size_t)(2 * R * e), sizeof *sum), *room = sum + R * e, total[R], most[R], l = 0;
    struct trial part[MOST + 1];
    double *own[MOST + 1];
    int n = 0;
    for (bool bad = false; !bad && (n == 0 || cut[n - 1] < M) && cut[n] < M && n < MOST; n += !bad) {
        bad = ask(p, &part[n], full, cut[n], cut[n + 1], false, &l) != 0;
        own[n] = bad ? NULL : need((size_t)(R * e), sizeof(double));
        if (!bad)
            memcpy(own[n], p->bound[0], (size_t)(R * e) * sizeof(double));
        else
            cut = NULL;
        if (!cut)
            break;
    }
    /* a part whose keep is all 0: its log-sum-exp is -inf */
    if (cut && empty && !ask(p, &part[n], full, 0, 2, true, &l))
        own[n++] = need((size_t)(R * e), sizeof(double));
    for (int r = 0; r < R && cut; r++) {
        most[r] = -(double)INFINITY, total[r] = 0;
        for (int s = 0; s < n; s++)
            most[r] = fmax(most[r], array_get(&part[s].out[1], r) * base);
        for (int s = 0; s < n; s++)
            total[r] += exp(array_get(&part[s].out[1], r) * base - most[r]);
        for (int s = 0; s < n; s++)
            for (long c = 0; c < e; c++) {
                double w = exp(array_get(&part[s].out[1], r) * base - most[r]) / total[r],
                       o = array_get(&part[s].out[0], r * e + c);
                if (w == 0) /* an empty part may hold anything, even NaN */
                    continue;
                sum[r * e + c] += w * o;
                room[r * e + c] += w * (own[s][r * e + c] + fabs(o) * (expm1(2 * l * base) + 32 * 0x1p-53));
            }
        for (long c = 0; c < e; c++) {
            double whole = array_get(&full->out[0], r * e + c);
            if (!(fabs(sum[r * e + c] - whole) <= room[r * e + c] + bound[r * e + c]))
                probe_fail(p, "%d parts (first of %ld keys%s) merge to %.9g, unsplit %.9g", n, cut[1],
                    empty ? ", one empty" : "", sum[r * e + c], whole);
        }
    }
    free(sum);
    while (n)
        n--, free(own[n]), trial_close(&part[n]);
}

static void run(struct probe *p)
{
    struct trial full;
    char text[20];
    if (strcmp(p->kernel->out, "o lse") || !probe_make(p, &full, NULL, "h=2 g=2 n=3 m=13 d=8 e=5"))
        return;
    static const char *const whole[][2] = { { "causal", "none" }, { "window", "0" }, { "left", "-1" },
        { "right", "-1" }, { "chunk", "0" }, { "prefix", "0" }, { "first", "0" }, { "length", "-1" },
        { "softmax1", "off" } };
    bool every = !mer_in(&full.call, "sink") && strcmp(probe_value(&full, "temperature", text, sizeof text), "ssmax");
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        every &= !strcmp(probe_value(&full, whole[k][0], text, sizeof text), whole[k][1]);
    if (!every) { /* under a mask a part's keys would stand at other positions, and a sink would join each part */
        trial_close(&full);
        return;
    }
    double base = !strcmp(probe_value(&full, "base", text, sizeof text), "2") ? 0.6931471805599453 : 1;
    if (!probe_ask(p, &full))
        return;
    if (probe_read(p, &full) >= 0) {
        const size_t bytes = (size_t)array_len(&full.out[0]) * sizeof(double);
        double *bound = memcpy(need(bytes, 1), p->bound[0], bytes);
        for (int k = 0; k < 4; k++)
            partition(p, &full, bound, cuts[k], base, k == 0 && probe_wants(p, "keep"));
        free(bound);
    }
    p->y.over = p->word == FAILED ? p->y.over : 0;
    trial_close(&full);
}
const struct check check_merge = {
    .name = "MERGE", .question = "Do parts of the keys, merged by their log-sum-exps, give what all of them give?",
    .cluster = "A17",
    .sources = "flashinfer-ai/flashinfer#2113 vllm-project/vllm#47079 sgl-project/sglang#35045 "
        "sgl-project/sglang#40903",
    .asks = "attention.o", .kills = "attention.lse-base attention.lse-natural", .relation = true, .run = run,
};
