/* INVARIANCE: a row must not change by one bit when its neighbours do: in the second call other heads and other
 * queries hold other numbers.  Whether the number of heads (one alone) or the place of the arrays in memory (0 .. 63
 * bytes off a cache line) changes bits is reported and decides nothing. */
#include <math.h>
#include "checks/core/probe.h"
#include "trial/allowed.h"

/* the largest difference between the first n elements, in units in the last place */
static double ulps_apart(const struct mer_array *a, const struct mer_array *b, long n)
{
    double most = 0;
    for (long i = 0; i < n; i++) {
        const struct format *f = format_named(type_name[a->type], strlen(type_name[a->type]));
        double x = array_get(a, i), y = array_get(b, i),
               steps = x == y || (isnan(x) && isnan(y)) ? 0 :
            f                                           ? fabs((double)(format_place(f, x) - format_place(f, y))) :
                                                          1;
        most = steps > most ? steps : most;
    }
    return most;
}

static bool make(struct probe *p, struct trial *t, bool other, const char *sizes)
{
    static const long at[] = { 1, 2, 300, 131149, 5 };
    if (!probe_make(p, t, NULL, sizes))
        return false;
    probe_positions(t, at, 5);
    /* keeps the first head and its first query; the last head and the last query get other numbers */
    for (int k = 0; other && k < t->call.n_in; k++) {
        struct mer_array *x = &t->in[k];
        bool heads = x->rank == 3 && x->type < MER_I64,
             line = heads && (!strcmp(x->name, "q") || !strcmp(x->name, "x"));
        for (long i = 0, d = heads ? x->dim[2] : 1, n = heads ? x->dim[1] : 1; heads && i < array_len(x); i++)
            if (i / d / n == x->dim[0] - 1 || (line && i / d % n == n - 1))
                array_put(x, i, 3 - 2 * array_get(x, i));
        allowed_bring(t, x);
    }
    return true;
}

/* moves every array `by` bytes further in memory, rounded down to whole elements */
static void shift(struct trial *t, size_t by)
{
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++) {
        struct mer_array *a = k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in];
        size_t bytes = (size_t)array_len(a) * type_size(a->type), off = by / type_size(a->type) * type_size(a->type);
        char *room = need(bytes + 160, 1);
        memcpy(room + off, a->data, bytes);
        free(a->data);
        a->data = room + off;
    }
}
static void unshift(struct trial *t, size_t by)
{
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++) {
        struct mer_array *a = k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in];
        a->data = (char *)a->data - by / type_size(a->type) * type_size(a->type);
    }
}

static void run(struct probe *p)
{
    static const char sizes[] = "h=4 g=2 n=5 m=9 d=8 e=8", alone[] = "h=2 g=1 n=5 m=9 d=8 e=8";
    struct trial t[2], one;
    double moved = 0;
    if (!make(p, &t[0], false, sizes))
        return;
    if (!probe_ask(p, &t[0]))
        return;
    if (!make(p, &t[1], true, sizes) || !probe_ask(p, &t[1])) {
        trial_close(&t[0]);
        return;
    }
    const struct mer_array *a = &t[0].out[0], *b = &t[1].out[0];
    long d = a->dim[2], n = a->dim[1];
    size_t row = (size_t)d * type_size(a->type);
    for (long r = 0; r < a->dim[0] / 2 * n; r++)
        if (r % n != n - 1 &&
            memcmp((const char *)a->data + (size_t)r * row, (const char *)b->data + (size_t)r * row, row))
            probe_fail(p,
                "other numbers in the last head and the last query change head %ld, query %ld, by %.3g ulp at most",
                r / n, r % n, ulps_apart(a, b, a->dim[0] / 2 * n * d));
    for (size_t by = 1; by < 64 && p->word == PASS; by += 9) { /* 1, 10, 19 .. 55: bytes, rounded down to elements */
        if (!make(p, &one, false, sizes))
            break;
        shift(&one, by);
        char why[400];
        if (p->who->run(p->who, p->used, &one.call, why, sizeof why) == MER_OK)
            moved = fmax(moved, ulps_apart(a, &one.out[0], array_len(a)));
        unshift(&one, by), trial_close(&one);
    }
    if (p->word == PASS && make(p, &one, false, alone)) {
        struct mer_array *v = NULL;
        for (int k = 0; k < one.call.n_in; k++) {
            v = &one.in[k];
            memcpy(v->data, trial_in(&t[0], v->name)->data, (size_t)array_len(v) * type_size(v->type));
        }
        if (probe_ask(p, &one)) {
            probe_say(p,
                "neighbours' content changes no bit; 2 heads in place of 4: %.3g ulp; arrays moved by up to 55 bytes: "
                "%.3g ulp",
                ulps_apart(&one.out[0], a, array_len(&one.out[0])), moved);
            trial_close(&one);
        }
    } else
        probe_say(p, "neighbours' content changes no bit; arrays moved by up to 55 bytes: %.3g ulp", moved);
    trial_close(&t[0]), trial_close(&t[1]);
}
const struct check check_invariance = {
    .name = "INVARIANCE", .question = "Does a neighbour's content change a row; and what do number and place of the "
    "arrays do?", .cluster = "A18",
    .sources = "deepseek-ai/FlashMLA#212 vllm-project/vllm#53257 Dao-AILab/flash-attention#1897 "
    "thinking-machines-lab/batch_invariant_ops#6 sgl-project/sglang#2567 kekzl/imp#1314 kekzl/imp#1354",
    .asks = "attention.o rope.y mrope.y",
    .kills = "fault.neighbour", .relation = true, .run = run,
};
