/* Puts needles into texts and asks for them; see needle.h. */
#include "lab/run/needle.h"
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/progress.h"
#include "lab/page/interval.h"
#include "lab/run/changes.h"

enum { ERROR = 900, LENGTHS = 16, NUMBER_LEAST = 10000, NUMBERS = 90000 };

long needle_number(struct draw *d) { return NUMBER_LEAST + (long)draw_below(d, NUMBERS); }

/* The tokens of a text with the number in the place of {}; upto: only what stands before it. */
static int filled(
    const struct haystack *h, const char *text, long number, bool upto, struct ids *to, char *err, size_t n)
{
    const char *hole = strstr(text, "{}");
    char all[2000];
    snprintf(all, sizeof all, "%.*s", (int)(hole - text), text);
    if (!upto)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%ld%.900s", number, hole + 2);
    return tokenizer_cut(h->t, all, strlen(all), false, to, err, n);
}
static void append(struct ids *to, const int64_t *of, size_t n)
{
    for (size_t k = 0; k < n; k++)
        ids_add(to, of[k]);
}

int needle_trial(const struct haystack *h, struct needle_place p, struct ids *to, long *answer, char *err, size_t n)
{
    const struct ids *before = &h->t->special.before;
    struct ids needle = { .n = 0 }, question = { .n = 0 }, start = { .n = 0 };
    int rc = filled(h, h->needle, p.number, false, &needle, err, n) ||
            filled(h, h->question, p.number, false, &question, err, n) ||
            filled(h, h->question, p.number, true, &start, err, n) ?
        -1 :
        0;
    const long hay = p.length - (long)(before->n + needle.n + question.n);
    size_t same = 0;
    while (same < start.n && same < question.n && start.of[same] == question.of[same])
        same++;
    *answer = (long)(question.n - same);
    if (!rc && (hay < 0 || !*answer))
        rc = (snprintf(err, n, "--length: in %ld tokens there is no room for needle, question and answer", p.length),
            -1);
    else if (!rc && hay > (long)h->text.n)
        rc = (snprintf(err, n, "--text: %zu tokens, and %ld tokens need %ld of it", h->text.n, p.length, hay), -1);
    if (!rc) {
        const size_t at = (size_t)(p.from * (double)((long)h->text.n - hay)),
                     split = (size_t)(p.depth * (double)hay + 0.5);
        append(to, before->of, before->n), append(to, h->text.of + at, split), append(to, needle.of, needle.n);
        append(to, h->text.of + at + split, (size_t)hay - split), append(to, question.of, question.n);
    }
    free(needle.of), free(question.of), free(start.of);
    return rc;
}

/* Observes one trial: the loss of the answer's tokens, and whether each is the likeliest one. */
struct needle_finding {
    struct stages stages;
    const struct foreign *m;
    const struct ids *of;
    long answer;
    double loss;
    bool right;
};
static void observe(struct stages *s, long stage, struct mer_array *x)
{
    struct needle_finding *f = (struct needle_finding *)s;
    const long v = f->m->size['v'], n = (long)f->of->n;
    if (stage <= f->m->layers)
        return;
    for (long i = n - f->answer; i < n; i++) {
        const float *line = (const float *)x->data + (i - 1) * v;
        f->loss += opened_loss(line, v, f->of->of[i]) / (double)f->answer;
        f->right = f->right && opened_likeliest(line, v, f->of->of[i]);
    }
}

struct needle_asking {
    const struct cli *c;
    struct haystack h;
    struct tokenizer t;
    struct changes changes;
    long length[LENGTHS], depths, trials, seed;
    int lengths;
};

/* All trials of one length and depth; prints their line. */
static int cell(const struct needle_asking *a, const struct change *x, const struct foreign *m, struct engine *e,
    int length,
    long depth, char *err, size_t n)
{
    const double deep = a->depths > 1 ? (double)depth / (double)(a->depths - 1) : 0.5;
    struct draw d = { (uint64_t)a->seed, NEEDLE_STREAM, 0 };
    double loss = 0, right = 0;
    int rc = 0;
    for (long k = 0; k < a->trials && !rc; k++) {
        const double from = ((double)k + 0.5) / (double)a->trials;
        const struct needle_place p = { a->length[length], deep, from, needle_number(&d) };
        struct ids of = { .n = 0 };
        struct needle_finding f = { { observe }, m, &of, 0, 0, true };
        rc = needle_trial(&a->h, p, &of, &f.answer, err, n);
        rc = rc ? rc : walk(e, (struct prompt){ m, of.of, (long)of.n }, &f.stages, err, n);
        loss += f.loss / (double)a->trials, right += f.right;
        free(of.of);
    }
    if (rc)
        return -1;
    const struct interval y = wilson(right / (double)a->trials, (double)a->trials, normal_point(0.95));
    progress_pause();
    printf(cli_has(a->c, "json") ? "{\"change\":\"%s\",\"length\":%ld,\"depth\":%.4g,\"mean_loss\":%.9g,\"right\":%.0f,"
                                   "\"trials\":%ld,\"low\":%.4g,\"high\":%.4g}\n" :
                                   "%-20s %8ld %6.3g %12.6f %6.0f of %-6ld %8.3f %8.3f\n",
        x->name, a->length[length], deep, loss, right, a->trials, y.low, y.high);
    fflush(stdout);
    return 0;
}

/* One change: every length and depth. */
static int one(struct needle_asking *a, int k, char *err, size_t n)
{
    const struct change *x = &a->changes.of[k];
    struct engine e;
    int rc = 0;
    for (int l = 0; l < a->lengths && !rc; l++) { /* a law may depend on how many tokens are in use */
        struct foreign m = { .layers = 0 };
        const struct given_tokens none = { .n = 0 };
        engine_kernels(&e);
        strcpy(e.words, x->of.words);
        rc = opened_read(&m, a->c->word[1], &x->of, &none, a->length[l], err, n);
        if (!rc && a->t.largest >= m.size['v'])
            rc = (snprintf(err, n, "tokenizer.json has token %lld: the model has 0 to %ld", (long long)a->t.largest,
                      m.size['v'] - 1), -1);
        for (long d = 0; d < a->depths && !rc; d++)
            rc = cell(a, x, &m, &e, l, d, err, n);
        e.close(&e), foreign_close(&m);
    }
    return rc;
}

/* Reads --length as a list, "1024,4096". */
static int lengths(struct needle_asking *a, char *err, size_t n)
{
    const char *said = cli_value(a->c, "length", "");
    for (const char *s = said; *s; s += *s == ',') {
        char *end;
        const long x = strtol(s, &end, 10);
        if (end == s || x < 2 || x > 1 << 24 || (*end && *end != ',') || a->lengths == LENGTHS)
            return snprintf(
                       err, n, "--length: '%.60s' is no list of numbers from 2 to 2^24, at most %d", said, LENGTHS),
                   -1;
        a->length[a->lengths++] = x, s = end;
    }
    return a->lengths ? 0 : (snprintf(err, n, "--task needle: give --length, the tokens of a trial: 1024,4096"), -1);
}
static int read(struct needle_asking *a, char *err, size_t n)
{
    const struct cli *c = a->c;
    struct changed base;
    struct given_tokens text;
    a->h = (struct haystack){ .t = &a->t, .needle = cli_value(c, "needle", " The secret number is {}. Remember it."),
        .question = cli_value(c, "question", " The secret number is {}") };
    if (!cli_long(c, "depths", 5, 1, 1000, &a->depths) || !cli_long(c, "trials", 10, 1, 100000, &a->trials) ||
        !cli_long(c, "seed", 1, 0, 1 << 30, &a->seed))
        return 1;
    if (strlen(a->h.needle) > 900 || !strstr(a->h.needle, "{}") || strlen(a->h.question) > 900 ||
        !strstr(a->h.question, "{}"))
        return snprintf(err, n, "--needle and --question: up to 900 bytes, with {} where the number stands"), -1;
    if (lengths(a, err, n) || changed_read(&base, c, err, n) ||
        changes_read(&a->changes, cli_value(c, "changes", NULL), &base, err, n) ||
        tokenizer_open(&a->t, c->word[1], err, n) || given_plain(&text, c, c->word[1], err, n))
        return -1;
    a->h.text = (struct ids){ text.token, (size_t)text.n, (size_t)text.n };
    const struct given_tokens none = { .n = 0 };
    for (int k = 0; k < a->changes.n; k++)
        for (int l = 0; l < a->lengths; l++)
            if (opened_check(c->word[1], &a->changes.of[k].of, &none, a->length[l], err, n))
                return -1;
    for (int l = 0; l < a->lengths; l++) {
        struct ids of = { .n = 0 };
        long answer;
        const int rc =
            needle_trial(&a->h, (struct needle_place){ a->length[l], 0, 0, NUMBER_LEAST }, &of, &answer, err, n);
        free(of.of);
        if (rc)
            return -1;
    }
    return 0;
}

int needle_run(const struct cli *c)
{
    struct needle_asking a = { .c = c };
    char err[ERROR] = "";
    int rc = read(&a, err, sizeof err);
    if (!rc && !cli_has(c, "json"))
        printf(
            "%-20s %8s %6s %12s %16s %8s %8s\n", "change", "tokens", "depth", "nats/token", "right", "95 % from", "to");
    for (int k = 0; k < a.changes.n && !rc; k++)
        rc = one(&a, k, err, sizeof err);
    changes_free(&a.changes), tokenizer_free(&a.t), free(a.h.text.of);
    return rc > 0 ? EXIT_USAGE : rc ? cli_error(c, "%s", err) : EXIT_PASS;
}
