/* Measures the speed of an own kernel on one thread.  Its outputs are judged first: a kernel that fails has no speed.
 * Buffers are touched before, and what prepare makes of the parameters is made once.  The result is the median of TURNS
 * turns in processor time, with the least and the greatest; a turn is as many calls as take LEAST seconds. */
#include <math.h>
#include "bench/core/bench.h"
#include "sweep/measure.h"
#include "judge/finding.h"

enum { LINES = 8 };
static const double LEAST = 1e-3; /* s */
struct calls { const struct mer_kernel *k; struct mer_call *call; long n; };

static void turn(void *with)
{
    struct calls *c = with;
    for (long i = 0; i < c->n; i++)
        c->k->run(c->call);
}

static double bytes(const struct trial *t)
{
    double all = 0;
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++) {
        const struct mer_array *a = k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in];
        all += (double)array_len(a) * (double)type_size(a->type);
    }
    return all;
}

static void time_kernel(struct outcome *o, struct entry *e, const struct mer_kernel *k, struct trial *t)
{
    struct calls c = { k, &t->call, 1 };
    struct runner r = { .name = "own", .run = turn, .with = &c };
    double elements = (double)array_len(&t->out[0]);
    if (k->prepare && k->prepare(&t->call) != MER_OK)
        return;
    for (bench_turns(&r, 1, 1); r.seconds[0] < LEAST && c.n < 1L << 30; bench_turns(&r, 1, 1))
        c.n = r.seconds[0] > LEAST / 64 ? (long)ceil((double)c.n * 1.2 * LEAST / r.seconds[0]) : 8 * c.n;
    bench_turns(&r, 1, 9);
    double median = bench_median(&r, 9) / (double)c.n, least = r.seconds[0], most = r.seconds[0];
    for (int j = 1; j < 9; j++)
        least = fmin(least, r.seconds[j]), most = fmax(most, r.seconds[j]);
    const struct { const char *measure; double value; } found[] = {
        { "ns", 1e9 * median / elements },
        { "ns least", 1e9 * least / (double)c.n / elements },
        { "ns most", 1e9 * most / (double)c.n / elements },
        { "GB/s", 1e-9 * bytes(t) / median },
    };
    e->method = "timed", e->bound = (double)NAN, e->n = 9;
    for (size_t j = 0; j < sizeof found / sizeof *found; j++) {
        e->measure = found[j].measure, e->value = found[j].value;
        outcome_put(o, e);
    }
    if (k->release && t->call.state)
        k->release(t->call.state);
    t->call.state = NULL;
}

static int run(const struct cell *c, struct outcome *o, char *err, size_t n)
{
    struct trial t;
    struct tally y;
    struct arith a;
    const char *slot = "";
    char subject[40];
    const struct mer_kernel *k = cell_trial(c, &t, err, n) ? NULL : cell_kernel(c, &t, &slot);
    if (!k) {
        cell_skip(c, o, *err ? err : "no kernel of this slot and type takes it");
        return trial_close(&t), 0;
    }
    if (trial_profile(&t, t.profile, &a, WIDEN, err, n) < 0)
        return trial_close(&t), -1;
    judge_outputs(&t, &a, LINES, &y);
    snprintf(subject, sizeof subject, "own:%s", slot);
    struct entry e = { .row = c->row->name,
        .quantity = cell_text(c, "out"),
        .subject = subject,
        .params = c->params,
        .measure = "used",
        .value = y.ratio,
        .bound = 1,
        .method = "sample",
        .n = y.n,
        .seed = c->seed,
        .verdict = word_name[tally_word(&y)] };
    outcome_put(o, &e); /* the check */
    if (tally_passes(&y))
        time_kernel(o, &e, k, &t);
    trial_close(&t);
    return 0;
}

static const struct own_axis none[] = { { 0 } };
const struct measure measure_throughput = { "throughput",
    "speed of an own kernel beside its passed check: ns an element of the output, GB/s of all arrays", true, true,
    { cell_kernel_axes, none }, cell_check, cell_trial_bytes, run };
