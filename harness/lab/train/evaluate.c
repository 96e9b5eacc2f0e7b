/* Evaluates trained models; see evaluate.h. */
#include "lab/train/evaluate.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/files.h"
#include "lab/train/generate.h"
#include "lab/net/pair.h"

/* Where the losses of length number k begin in nll. */
static int64_t first_of(const struct losses *l, int64_t k)
{
    int64_t at = 0;
    for (int64_t i = 0; i < k; i++)
        at += l->length[i] * l->windows;
    return at;
}
const float *losses_at(const struct losses *l, int64_t k, int64_t window)
{
    return l->nll + first_of(l, k) + window * l->length[k];
}

int64_t window_place(uint64_t seed, int64_t w, int64_t windows, int64_t held)
{
    /* No batch and no row of a task has a stream with this bit (task_row, held_row). */
    struct draw d = { seed, (uint64_t)1 << 63, (uint64_t)w };
    const int64_t from = held * w / windows, to = held * (w + 1) / windows;
    return from + (to > from ? (int64_t)draw_below(&d, (uint64_t)(to - from)) : 0);
}

static int one_length(struct losses *l, int64_t k, const struct model *m, const float *params, const struct corpus *c,
    const struct variant *v, char *err, size_t n)
{
    struct pass p = { 0 };
    const int64_t len = l->length[k], longest = l->length[l->lengths - 1], held = c->length - c->train - longest - 2;
    int64_t *token = need((size_t)len, sizeof *token), *target = need((size_t)len, sizeof *target);
    double *nll = need((size_t)len, sizeof *nll);
    int rc = pass_open(&p, m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = len, .variant = v }, err,
        n);
    for (int64_t w = 0; w < l->windows && !rc; w++) {
        /* behind the last token; the last target itself */
        const uint16_t *end = c->symbol + c->train + longest + 1 + window_place(l->seed, w, l->windows, held);
        for (int64_t i = 0; i < len; i++)
            token[i] = end[i - len], target[i] = end[i - len + 1];
        const int did = pass_forward(&p, params, token);
        if (did != MER_OK)
            rc = (snprintf(err, n, "length %lld: a kernel %s", (long long)len,
                      did == MER_SKIP ? "is not offered" : "failed"),
                -1);
        maths_f32.entropy(nll, NULL, p.logits, target, len, m->size.vocab, 0);
        for (int64_t i = 0; i < len; i++)
            l->nll[first_of(l, k) + w * len + i] = (float)nll[i];
    }
    pass_close(&p);
    free(token), free(target), free(nll);
    return rc;
}

int losses_make(struct losses *l, const struct model *m, const float *params, const struct corpus *c,
    const struct variant *v, char *err, size_t n)
{
    int rc = 0;
    l->nll = need((size_t)first_of(l, l->lengths), sizeof *l->nll);
    for (int64_t k = 0; k < l->lengths && !rc; k++)
        rc = one_length(l, k, m, params, c, v, err, n);
    return rc;
}
void control_lengths(struct losses *l, const struct task *t, int64_t most)
{
    l->lengths = 0;
    for (int64_t n = t->distance / 2; n <= most && l->lengths < 16; n *= 2)
        l->length[l->lengths++] = n;
}
void losses_close(struct losses *l)
{
    free(l->nll);
    l->nll = NULL;
}

double losses_tail(const struct losses *l, int64_t k, int64_t tail)
{
    double sum = 0;
    tail = tail > l->length[k] ? l->length[k] : tail;
    for (int64_t w = 0; w < l->windows; w++)
        for (int64_t i = l->length[k] - tail; i < l->length[k]; i++)
            sum += (double)losses_at(l, k, w)[i];
    return sum / (double)(l->windows * tail) / log(2);
}

int losses_write(const struct losses *l, const char *path, char *err, size_t n)
{
    char head[600];
    size_t at = (size_t)snprintf(head, sizeof head, "meridian losses 1 windows %lld lengths", (long long)l->windows);
    for (int64_t k = 0; k < l->lengths; k++)
        at += (size_t)snprintf(head + at, sizeof head - at, " %lld", (long long)l->length[k]);
    at += (size_t)snprintf(head + at, sizeof head - at, "\n");
    const size_t bytes = (size_t)first_of(l, l->lengths) * sizeof(float);
    char *text = need(at + bytes, 1);
    memcpy(text, head, at), memcpy(text + at, l->nll, bytes);
    int rc = file_replace(path, text, at + bytes, err, n);
    free(text);
    return rc;
}

int losses_read(struct losses *l, const char *path, char *err, size_t n)
{
    FILE *f = file_open(path);
    char line[600];
    int at = 0, by = 0;
    long long windows = 0, length;
    *l = (struct losses){ 0 };
    if (!f)
        return snprintf(err, n, "%.400s: %s", path, strerror(errno)), -1;
    bool sound = fgets(line, sizeof line, f) &&
        sscanf(line, "meridian losses 1 windows %lld lengths%n", &windows, &at) == 1 && at && windows > 0 &&
        windows < 1 << 20;
    for (l->windows = windows; sound && sscanf(line + at, "%lld%n", &length, &by) == 1; at += by)
        if ((sound = l->lengths < 16 && length > (l->lengths ? l->length[l->lengths - 1] : 0) && length < 1 << 24))
            l->length[l->lengths++] = length;
    const size_t count = sound ? (size_t)first_of(l, l->lengths) : 0;
    l->nll = need(count + 1, sizeof *l->nll);
    sound = count && fread(l->nll, sizeof *l->nll, count, f) == count && fgetc(f) == EOF;
    fclose(f);
    if (sound)
        return 0;
    losses_close(l);
    return snprintf(err, n, "%.400s: no losses, or cut short; remove it and its .answers, and ask again", path), -1;
}

/* The index of the first of the largest numbers; NaN is never the largest. */
static int64_t greatest(const float *s, int64_t v)
{
    int64_t best = -1;
    for (int64_t k = 0; k < v; k++)
        best = s[k] == s[k] && (best < 0 || s[k] > s[best]) ? k : best;
    return best;
}

static void held_row(
    const struct task *t, uint64_t seed, int64_t trial, int64_t size, double depth, int64_t *token, int64_t *target)
{
    enum { HELD = 9002 };
    struct draw d = { seed, HELD + ((uint64_t)trial << 24) + ((uint64_t)size << 44), 0 };
    t->make(NULL, &d, size, depth, 1, token, target);
}

int answers_make(struct answers *a, const struct model *m, const float *params, struct exam x, const struct variant *v,
    char *err, size_t n)
{
    const struct task *t = x.task;
    const int64_t size = x.size, trials = x.trials;
    struct pass p = { 0 };
    const int64_t len = t->tokens(size), source = t->source ? t->source(size) : 0, asked_of = len - source,
                  vocab = m->size.vocab;
    int64_t *token = need((size_t)len, sizeof *token), *target = need((size_t)len, sizeof *target);
    double *nll = need((size_t)len, sizeof *nll);
    int rc = pass_open_pair(&p, m,
        (struct pass_form){ .maths = &maths_f32, .rows = 1, .source = source, .length = asked_of, .variant = v }, err,
        n);
    *a = (struct answers){ .trials = trials };
    for (int64_t k = 0; k < trials && !rc; k++) {
        int64_t right = 0, asked = 0;
        held_row(t, x.seed, k, size, x.depth, token, target);
        const int did = pass_forward(&p, params, token);
        if (did != MER_OK)
            rc = (snprintf(
                      err, n, "size %lld: a kernel %s", (long long)size, did == MER_SKIP ? "is not offered" : "failed"),
                -1);
        maths_f32.entropy(nll, NULL, p.logits, target + source, asked_of, vocab, 0);
        for (int64_t i = 0; i < asked_of; i++)
            if (target[source + i] >= 0)
                asked++, right += greatest((const float *)p.logits + i * vocab, vocab) == target[source + i],
                    a->nats += nll[i];
        a->asked += asked, a->right += right, a->exact += right == asked;
    }
    a->nats /= a->asked ? (double)a->asked : 1;
    pass_close(&p);
    free(token), free(target), free(nll);
    return rc;
}

int written_make(struct written *y, const struct model *m, const float *params, struct exam x, int64_t beam, char *err,
    size_t n)
{
    const struct task *t = x.task;
    const int64_t size = x.size, trials = x.trials;
    const int64_t len = t->tokens(size), source = t->source(size), want = len - source;
    int64_t *token = need((size_t)len, sizeof *token), *target = need((size_t)len, sizeof *target);
    struct writer g;
    int rc = generator_open(&g, m, params, source, generator_room(want), 0, err, n);
    *y = (struct written){ .trials = trials };
    for (int64_t k = 0; k < trials && !rc; k++) {
        struct beam_guess found[GENERATE_BEAM];
        held_row(t, x.seed, k, size, -1, token, target);
        const int64_t count = generate(&g, token, token[source], target[len - 1], beam, found);
        if (count < 0)
            rc = (snprintf(err, n, "size %lld: a kernel failed", (long long)size), -1);
        int right = count > 0 && found->n == want;
        for (int64_t i = 0; right && i < want; i++)
            right = found->token[i] == target[source + i];
        y->exact += right, y->length += count > 0 ? (double)found->n / (double)(want * trials) : 0;
    }
    generator_close(&g);
    free(token), free(target);
    return rc;
}
