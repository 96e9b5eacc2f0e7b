/* What all items of the verb bench share: turns, ratios, the lines of its table and of its JSON, and checks. */
#include "base/progress.h"
#include "bench/core/bench.h"
#include "base/clock.h"
#include "compare/compare.h"
#include <time.h>

void bench_turns(struct runner *r, int n, int turns)
{
    for (int k = -1; k < turns; k++)
        for (int j = 0; j < n; j++) {
            double start = thread_seconds();
            r[j].run(r[j].with);
            if (k >= 0)
                r[j].seconds[k] = thread_seconds() - start;
        }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
double bench_median(const struct runner *r, int turns)
{
    double sorted[TURNS];
    memcpy(sorted, r->seconds, (size_t)turns * sizeof *sorted);
    qsort(sorted, (size_t)turns, sizeof *sorted, ascending);
    return turns % 2 ? sorted[turns / 2] : (sorted[turns / 2 - 1] + sorted[turns / 2]) / 2;
}

struct ratio bench_ratio(const struct runner *a, const struct runner *b, int turns)
{
    struct ratio q = { bench_median(a, turns) / bench_median(b, turns), a->seconds[0] / b->seconds[0],
        a->seconds[0] / b->seconds[0] };
    for (int k = 1; k < turns; k++) {
        double x = a->seconds[k] / b->seconds[k];
        q.low = x < q.low ? x : q.low, q.high = x > q.high ? x : q.high;
    }
    return q;
}

bool bench_wants(struct bench *b, const char *name)
{
    const bool is = !b->only || strstr(name, b->only);
    if (is && !b->wanted)
        printf("one thread, buffers touched before, medians of %d turns, [least greatest] ratio of single turns\n"
               "%-32s %9s %7s  %s\n",
            b->turns, "item", "ns/elem", "GB/s", "time ratio, or share of the limit");
    b->wanted |= is;
    if (is)
        progress_count(name);
    return is;
}

void bench_item(struct bench *b, const struct item *i)
{
    progress_pause();
    double median = bench_median(i->own, b->turns), ns = 1e9 * median / i->elements, gbs = 1e-9 * i->bytes / median;
    struct ratio q = i->percent ? bench_ratio(i->other, i->own, b->turns) : bench_ratio(i->own, i->other, b->turns);
    bool good = i->percent ? q.median >= i->goal : q.median <= i->goal;
    const char *word = i->goal == 0 ? "no goal" : good ? "reached" : "missed";
    b->reached += i->goal != 0 && good, b->missed += i->goal != 0 && !good;
    printf("%-32s %9.4f %7.1f  %6.3f of %-18s [%.3f %.3f] ", i->name, ns, gbs, q.median, i->other->name, q.low, q.high);
    if (i->goal != 0)
        printf("goal %s %.2f %s", i->percent ? ">=" : "<=", i->goal, word);
    printf("\n%34s%s\n", "", b->check);
    if (b->json)
        fprintf(b->json,
            "{\"item\":\"%s\",\"ns_per_element\":%.6g,\"gb_per_s\":%.6g,\"against\":\"%s\",\"ratio\":%.6g,\"low\":%.6g,"
            "\"high\":%.6g,\"share_of_limit\":%s,\"goal\":%.6g,\"verdict\":\"%s\",\"turns\":%d,\"check\":\"%s\"}\n",
            i->name, ns, gbs, i->other->name, q.median, q.low, q.high, i->percent ? "true" : "false", i->goal, word,
            b->turns, b->check);
}

void bench_absent(struct bench *b, const char *name, const char *why)
{
    b->absent++;
    printf("%-32s not run: %s\n", name, why);
    if (b->json)
        fprintf(b->json, "{\"item\":\"%s\",\"verdict\":\"not run\",\"reason\":\"%s\"}\n", name, why);
}

void bench_figure(struct bench *b, const char *name, double x, const char *unit)
{
    printf("%-32s %9.4g %s\n", name, x, unit);
    if (b->json)
        fprintf(b->json, "{\"item\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name, x, unit);
}

void bench_goal(struct bench *b, const char *name, double x, const char *unit, double goal, bool least)
{
    const bool good = least ? x >= goal : x <= goal;
    b->reached += good, b->missed += !good;
    printf("%-32s %9.4g %s, goal %s %.4g %s\n%34s%s\n", name, x, unit, least ? ">=" : "<=", goal,
        good ? "reached" : "missed", "", b->check);
    if (b->json)
        fprintf(b->json,
            "{\"item\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"goal\":%.6g,\"verdict\":\"%s\",\"check\":\"%s\"}\n",
            name, x, unit, goal, good ? "reached" : "missed", b->check);
}

bool bench_check(struct bench *b, struct trial *t, const char *name, const char *profile, double gauge, bool correct)
{
    struct arith a;
    struct tally y;
    char err[400] = "";
    bool good = trial_profile(t, profile, &a, WIDEN, err, sizeof err) > 0;
    if (good) {
        judge_outputs(t, &a, b->lines ? b->lines : 64, &y);
        good = tally_passes(&y) && (gauge == 0 || y.gauge <= gauge) && (!correct || y.correct == y.n);
        snprintf(b->check, sizeof b->check, "checked %ld: gauge %.4g, bound %.4g, correctly rounded %ld", y.n, y.gauge,
            y.derived, y.correct);
    }
    if (!good) {
        b->failed++;
        printf("%-32s no speed: the check failed: %s\n", name, *err ? err : b->check);
        if (b->json)
            fprintf(b->json, "{\"item\":\"%s\",\"verdict\":\"check failed\",\"check\":\"%s\"}\n", name,
                *err ? "profile" : b->check);
    }
    return good;
}

const struct mer_kernel *bench_kernel(
    const char *row, const char *out, const char *type, const struct mer_call *c, const char **slot)
{
    const struct mer_kernel *best = NULL;
    int last = 0;
    while (slots[last].name)
        last++;
    /* From the best slot down: a call that takes seconds there may take minutes in the slots below. */
    for (const struct slot *s = slots + last - 1; last-- && !best; s = slots + last - 1)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            if (!strcmp(k->row, row) && !strcmp(k->out, out) && !strcmp(k->type, type)) {
                struct mer_call copy = *c;
                if (mer_ask(k, &copy) == MER_OK)
                    best = k, *slot = s->name;
            }
    return best;
}
