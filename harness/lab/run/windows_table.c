/* Runs `lab run --length` and prints its tables; see windows.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/progress.h"
#include "lab/page/interval.h"
#include "lab/run/changes.h"
#include "lab/run/windows.h"

enum { ERROR = 900, OCTAVES_MOST = 40 };
/* What was asked, the losses of the change at hand and of the unchanged model, and room for differences by window. */
struct window_losses {
    const struct cli *c;
    struct given_tokens given;
    struct changes changes;
    struct windows w;
    double *loss, *plain, *apart;
    bool json;
};
/* Losses by how many tokens stand before: octave k has 2^k .. 2^(k+1) - 1. */
struct octaves_of { double sum[OCTAVES_MOST]; long n[OCTAVES_MOST]; int many; };

static struct octaves_of by_place(const struct window_losses *l)
{
    struct octaves_of y = { .many = 0 };
    for (long k = 0; k < l->w.count; k++) {
        const long from = windows_from(&l->w, k), behind = from + l->w.length;
        for (long i = windows_first(&l->w, k); i < behind; i++) {
            int at = 0;
            while ((i - from) >> (at + 1))
                at++;
            y.sum[at] += l->loss[i], y.n[at]++, y.many = at + 1 > y.many ? at + 1 : y.many;
        }
    }
    return y;
}
static double total(const struct window_losses *l)
{
    double sum = 0;
    for (long i = 1; i < l->w.n; i++)
        sum += l->loss[i];
    return sum;
}
/* The interval of the mean difference to the unchanged model, by windows: each counts by what it adds to the mean over
 * all tokens. Both ends NaN where there is one window. */
static struct interval difference(const struct window_losses *l, double *mean)
{
    const double each = (double)l->w.count / (double)(l->w.n - 1);
    for (long k = 0; k < l->w.count; k++) {
        const long behind = windows_from(&l->w, k) + l->w.length;
        l->apart[k] = 0;
        for (long i = windows_first(&l->w, k); i < behind; i++)
            l->apart[k] += each * (l->loss[i] - l->plain[i]);
    }
    const struct sample s = { .x = l->apart, .n = l->w.count };
    *mean = sample_mean(&s);
    return sample_interval(&s, 0.95);
}

static void number(char *to, size_t n, bool json, const char *format, double x)
{
    snprintf(to, n, "%s", isfinite(x) ? "" : json ? "null" : "-");
    if (isfinite(x))
        snprintf(to, n, json ? "%.9g" : format, x);
}
static void say_json(const struct window_losses *l, const char *name, char text[5][40])
{
    const struct octaves_of y = by_place(l);
    printf("{\"change\":\"%s\",\"windows\":%ld,\"predicted\":%ld,\"mean_loss\":%s,\"bits_per_byte\":%s,"
           "\"difference\":%s,\"low\":%s,\"high\":%s,\"by_tokens_before\":[",
        name, l->w.count, l->w.n - 1, text[0], text[1], text[2], text[3], text[4]);
    for (int k = 0; k < y.many; k++)
        printf("%s{\"least\":%ld,\"count\":%ld,\"mean_loss\":%.9g}", k ? "," : "", 1L << k, y.n[k],
            y.n[k] ? y.sum[k] / (double)y.n[k] : 0);
    puts("]}");
}
/* One line of a change.  first: the unchanged model. */
static void say(const struct window_losses *l, const char *name, bool first)
{
    char text[5][40];
    double mean = (double)NAN;
    struct interval y = { (double)NAN, (double)NAN };
    if (!first)
        y = difference(l, &mean);
    const double sum = total(l), bits = l->given.bytes ? sum / log(2) / (double)l->given.bytes : (double)NAN;
    const double of[] = { sum / (double)(l->w.n - 1), bits, mean, y.low, y.high };
    for (int k = 0; k < 5; k++)
        number(text[k], sizeof text[k], l->json, k < 2 ? "%.6f" : "%+.6f", of[k]);
    if (l->json) {
        say_json(l, name, text);
        return;
    }
    const struct octaves_of o = by_place(l);
    printf("%-20s %12s %10s %12s %12s %12s ", name, text[0], text[1], text[2], text[3], text[4]);
    for (int k = 0; k < o.many; k++) {
        number(text[0], sizeof text[0], false, "%.4f", o.sum[k] / (double)o.n[k]);
        printf(" %9s", text[0]);
    }
    putchar('\n');
    fflush(stdout);
}
static void head(const struct window_losses *l)
{
    printf("%ld tokens", l->w.n);
    if (l->given.bytes)
        printf(" of %ld bytes", l->given.bytes);
    printf(", %ld predicted, in %ld windows of %ld, each %ld further\n", l->w.n - 1, l->w.count, l->w.length,
        l->w.stride);
    printf("%-20s %12s %10s %12s %12s %12s  mean loss by tokens before, from\n", "change", "nats/token", "bits/byte",
        "difference", "95 % from", "to");
    printf("%-20s %12s %10s %12s %12s %12s ", "", "", "", "", "", "");
    for (int k = 0; 1L << k < l->w.length; k++)
        printf(" %9ld", 1L << k);
    putchar('\n');
}

/* Whether every change can be made, before the first takes its time.  0, or -1 and one line. */
static int check(const struct window_losses *l, char *err, size_t n)
{
    for (int k = 0; k < l->changes.n; k++) {
        const struct change *x = &l->changes.of[k];
        char why[ERROR];
        if (opened_check(l->c->word[1], &x->of, &l->given, l->w.length, why, sizeof why))
            return snprintf(err, n, "%s%s%.800s", k ? x->name : "", k ? ": " : "", why), -1;
    }
    return 0;
}

/* One change: reads the model under it, computes, prints.  0, or -1 and one line. */
static int one(struct window_losses *l, int k, char *err, size_t n)
{
    const struct change *x = &l->changes.of[k];
    struct foreign m = { .layers = 0 };
    bool ahead = false;
    char why[ERROR];
    int rc = opened_read(&m, l->c->word[1], &x->of, &l->given, l->w.length, why, sizeof why);
    if (!rc && !k)
        progress_of("lab", "layers", (double)(m.layers + 1) * (double)l->w.count * l->changes.n);
    rc = rc ? rc : windows_losses(&l->w, &m, x->of.words, l->given.token, l->loss, &ahead, why, sizeof why);
    foreign_close(&m);
    if (rc)
        return snprintf(err, n, "%s%s%.800s", k ? x->name : "", k ? ": " : "", why), -1;
    progress_pause();
    if (ahead)
        cli_error(l->c, "%s: a token sees what stands behind it, so each loss is of a model that is shown the answer",
            x->name);
    if (!k && !l->json)
        head(l);
    if (!k)
        memcpy(l->plain, l->loss, (size_t)l->w.n * sizeof *l->plain);
    say(l, x->name, !k);
    return 0;
}

static int read(struct window_losses *l, char *err, size_t n)
{
    const char *changes = cli_value(l->c, "changes", NULL);
    struct changed base;
    long length, stride;
    if (!cli_long(l->c, "length", 0, 2, 1 << 24, &length) ||
        !cli_long(l->c, "stride", length / 2, 1, length - 1, &stride))
        return 1;
    if (changed_read(&base, l->c, err, n) || changes_read(&l->changes, changes, &base, err, n) ||
        given_read(&l->given, l->c, l->c->word[1], err, n))
        return -1;
    if (l->given.n < 2)
        return snprintf(err, n, "--length: one token, of which none is predicted"), -1;
    l->w = windows_over(l->given.n, length, stride);
    l->loss = need((size_t)l->w.n, sizeof *l->loss), l->plain = need((size_t)l->w.n, sizeof *l->plain);
    l->apart = need((size_t)l->w.count, sizeof *l->apart);
    return 0;
}

int windows_run(const struct cli *c)
{
    struct window_losses l = { .c = c, .json = cli_has(c, "json") };
    char err[ERROR] = "";
    int rc = read(&l, err, sizeof err);
    rc = rc ? rc : check(&l, err, sizeof err);
    for (int k = 0; k < l.changes.n && !rc; k++)
        rc = one(&l, k, err, sizeof err);
    changes_free(&l.changes);
    free(l.given.token), free(l.loss), free(l.plain), free(l.apart);
    return rc > 0 ? EXIT_USAGE : rc ? cli_error(c, "%s", err) : EXIT_PASS;
}
