/* Opens trainings and does their steps; see train.h. */
#include "lab/train/train.h"
#include "base/digest.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/files.h"
#include "base/words.h"
#include "block/gemm.h"
#include "kernels.h"
#include "lab/net/own_subject.h"
#include "lab/net/pair.h"
#include "lab/text/sha256.h"

const struct param training_params[] = {
    { "layers", "3", "", INT, offsetof(struct training, layers), NULL, 1, LAYERS_MOST },
    { "heads", "4", "", INT, offsetof(struct training, heads), NULL, 1, 64 },
    { "channels", "64", "a multiple of heads", INT, offsetof(struct training, channels), NULL, 1, 4096 },
    { "inner", "256", "of the feed-forward layer", INT, offsetof(struct training, inner), NULL, 1, 16384 },
    { "length", "64", "of a training row", INT, offsetof(struct training, length), NULL, 2, 65536 },
    { "reach", "1024", "the longest row that is ever asked", INT, offsetof(struct training, reach), NULL, 2, 1 << 20 },
    { "batch", "32", "rows of a step", INT, offsetof(struct training, batch), NULL, 1, 65536 },
    { "part", "8", "rows that are summed by themselves", INT, offsetof(struct training, part), NULL, 1, 65536 },
    { "steps", "1200", "", INT, offsetof(struct training, steps), NULL, 1, STEPS_MOST },
    { "warm", "100", "steps to the full rate", INT, offsetof(struct training, warm), NULL, 0, 1 << 30 },
    { "seed", "1", "", INT, offsetof(struct training, seed), NULL, 0, 1 << 30 },
    { "rate", "3/1000", "", RATIONAL, offsetof(struct training, rate) },
    { "floor", "1/20", "the last rate, as a share of the first", RATIONAL, offsetof(struct training, floor) },
    { "decay", "1/100", "of matrices, times the rate", RATIONAL, offsetof(struct training, decay) },
    { "clip", "1", "norm of the gradient; 0: never", RATIONAL, offsetof(struct training, clip) },
    { "beta1", "9/10", "", RATIONAL, offsetof(struct training, beta1) },
    { "beta2", "98/100", "", RATIONAL, offsetof(struct training, beta2) },
    { "eps", "1e-9", "", RATIONAL, offsetof(struct training, eps) },
    { 0 },
};

struct train_worker { struct trainer *t; struct pass pass; int first, rc; float *dlogits; double weight;
    pthread_t thread; };

uint64_t training_program(void)
{
    static uint64_t program;
    return program = program ? program : file_digest("/proc/self/exe", digest_start);
}

static void identify(struct trainer *t)
{
    char text[TEXT_MAX];
    const char *slot = slots[0].name;
    for (const struct slot *s = slots; s->name; s++)
        slot = s->here() ? s->name : slot;
    params_write(training_params, &t->set, text, sizeof text);
    const char *told = t->m.enc->told;
    snprintf(t->identity, sizeof t->identity, "%s%s%.900s %s %.1600s program=%016llx slot=%s products=%.200s",
        t->m.enc->name, told ? " " : "", told ? told : "", t->task->name, text,
        (unsigned long long)training_program(), slot, gemm_small_by());
    for (char *s = t->identity; *s; s++)
        *s = *s == '\n' ? ' ' : *s;
}

/* An upper bound of the bytes that a training needs: parameters, moments and one gradient for each part; for each
 * worker what its layers keep, and biases or masks of all pairs. */
static double memory(const struct trainer *t)
{
    const struct lab_size *s = &t->m.size;
    const double length = (double)t->set.length, rows = (double)t->set.part * length, c = (double)s->channels,
                 f = (double)s->inner, pairs = (double)s->heads * length * length;
    const double worker = 4 *
            (rows *
                    ((double)s->layers * ((s->encoders ? 22 : 12) * c + 2 * f) +
                        (double)s->encoders * (14 * c + 2 * f) + 20 * c + 2 * f + 2 * (double)s->vocab) +
                4 * pairs) +
        8 * pairs * (s->encoders ? (double)t->set.part : 1);
    return 4 * (double)t->m.count * (3 + (double)t->parts) + t->workers * worker + 24 * (double)t->set.batch * length;
}

/* Checks that every key of the text is a parameter of training. */
static int known(const char *text, char *err, size_t n)
{
    for (const char *s = text; *s; s = word_next(s)) {
        const struct param *p = training_params;
        const size_t len = strcspn(s, "= ");
        while (p->name && (strlen(p->name) != len || memcmp(p->name, s, len)))
            p++;
        if (p->name)
            continue;
        size_t at =
            (size_t)snprintf(err, n, "'%.*s' is no parameter of training; there are", (int)(len < 60 ? len : 60), s);
        for (p = training_params; p->name && at < n; p++)
            at += (size_t)snprintf(err + at, n - at, " %s", p->name);
        return -1;
    }
    return 0;
}

struct lab_size training_size(const struct training *set, const struct task *task)
{
    const int64_t source = task->source ? task->source(task_most(task, set->length)) : 0;
    return (struct lab_size){ .layers = set->layers, .heads = set->heads, .channels = set->channels,
        .inner = set->inner, .vocab = task->vocab, .length = set->length - source,
        .reach = set->reach > set->length ? set->reach : set->length, .encoders = task->source ? set->layers : 0 };
}

int trainer_open(struct trainer *t, const char *encoding, const char *task, const char *text, const struct corpus *c,
    int workers, char *err, size_t n)
{
    struct training *set = &t->set;
    char all[TEXT_MAX];
    *t = (struct trainer){ .task = task_named(task), .corpus = c, .workers = workers < 1 ? 1 : workers };
    text = text ? text : "", text += strspn(text, " ");
    snprintf(all, sizeof all, "%s", text);
    if (params_read(training_params, set, all, err, n) || known(text, err, n))
        return -1;
    if (!t->task) {
        size_t at = (size_t)snprintf(err, n, "unknown task '%.60s'; there are", task);
        for (const struct task *k = tasks; k->name && at < n; k++)
            at += (size_t)snprintf(err + at, n - at, " %s", k->name);
        return -1;
    }
    if (t->task->reads && !c)
        return snprintf(err, n, "task %s reads a corpus, and there is none", task), -1;
    if (set->batch % set->part)
        return snprintf(err, n, "a batch of %ld rows in parts of %ld", set->batch, set->part), -1;
    if (t->task->tokens(t->task->least) > set->length)
        return snprintf(err, n, "task %s needs rows of %lld tokens at least; length is %ld", task,
                   (long long)t->task->tokens(t->task->least), set->length),
               -1;
    const struct lab_size size = training_size(set, t->task);
    t->asked = size.length, t->source = set->length - t->asked;
    if (model_open(&t->m, encoding, &size, err, n))
        return -1;
    const size_t count = (size_t)t->m.count, tokens = (size_t)(set->batch * set->length);
    t->parts = set->batch / set->part;
    t->workers = t->workers > t->parts ? (int)t->parts : t->workers;
    const double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (memory(t) > has)
        return t->workers = 0,
               snprintf(err, n,
                   "a training of %lld parameters, %ld rows of %ld tokens needs about %.1f GB; this machine has %.1f",
                   (long long)t->m.count, set->batch, set->length, memory(t) / 1e9, has / 1e9),
               -1;
    t->params = need(count, sizeof *t->params), t->first = need(count, sizeof *t->first),
    t->second = need(count, sizeof *t->second), t->grad = need(count * (size_t)t->parts, sizeof *t->grad);
    t->token = need(tokens, sizeof *t->token), t->target = need(tokens, sizeof *t->target),
    t->nll = need(tokens, sizeof *t->nll);
    t->worker = need((size_t)t->workers, sizeof *t->worker);
    for (int w = 0; w < t->workers; w++) {
        struct train_worker *k = &t->worker[w];
        k->t = t, k->first = w, k->dlogits = need((size_t)(set->part * t->asked * t->m.size.vocab), sizeof *k->dlogits);
        if (pass_open_pair(&k->pass, &t->m,
            (struct pass_form){ .maths = &maths_f32, .rows = set->part, .source = t->source, .length = t->asked,
                .backward = 1 },
            err, n))
            return -1;
    }
    model_draw(&t->m, &maths_f32, (uint64_t)set->seed, t->params);
    identify(t);
    return 0;
}

void trainer_close(struct trainer *t)
{
    for (int w = 0; t->worker && w < t->workers; w++)
        pass_close(&t->worker[w].pass), free(t->worker[w].dlogits);
    free(t->params), free(t->first), free(t->second), free(t->grad), free(t->token), free(t->target), free(t->nll),
        free(t->worker);
    params_clear(training_params, &t->set);
    *t = (struct trainer){ 0 };
}

/* Computes every workers-th part of a batch.  Results do not depend on which worker takes a part. */
static void *work(void *with)
{
    struct train_worker *k = with;
    struct trainer *t = k->t;
    const int64_t tokens = t->set.part * t->set.length, asked = t->set.part * t->asked;
    for (int64_t part = k->first; part < t->parts && k->rc == MER_OK; part += t->workers) {
        float *grad = t->grad + part * t->m.count;
        memset(grad, 0, (size_t)t->m.count * sizeof *grad);
        pass_positions(&k->pass, (uint64_t)t->set.seed + 1, (uint64_t)(t->step * t->parts + part));
        k->rc = pass_forward(&k->pass, t->params, t->token + part * tokens);
        maths_f32.entropy(t->nll + part * asked, k->dlogits, k->pass.logits, t->target + part * asked, asked,
            t->m.size.vocab, k->weight);
        k->rc =
            k->rc == MER_OK ? pass_backward(&k->pass, t->params, t->token + part * tokens, k->dlogits, grad) : k->rc;
    }
    return NULL;
}

/* The rate of a step: linear up to the full rate, then half a cosine down to the floor (Loshchilov, Hutter 2017). */
static double rate(const struct training *s, int64_t step)
{
    const double full = mpq_get_d(s->rate), least = mpq_get_d(s->floor),
                 over = s->steps > s->warm ? (double)(s->steps - s->warm) : 1, at = (double)(step - s->warm) / over;
    return step < s->warm ? full * (double)(step + 1) / (double)s->warm :
                            full * (least + (1 - least) * 0.5 * (1 + cos(3.14159265358979324 * (at > 1 ? 1 : at))));
}

/* One step of AdamW: Kingma, Ba 2015, algorithm 1; Loshchilov, Hutter 2019, algorithm 2. */
static void update(struct trainer *t)
{
    const struct training *s = &t->set;
    const double clip = mpq_get_d(s->clip), beta1 = mpq_get_d(s->beta1), beta2 = mpq_get_d(s->beta2),
                 now = rate(s, t->step), steps = (double)(t->step + 1);
    const float by = clip > 0 && t->norm > clip ? (float)(clip / t->norm) : 1, b1 = (float)beta1, b2 = (float)beta2,
                eps = (float)mpq_get_d(s->eps);
    const float one = (float)(now / (1 - pow(beta1, steps))), two = (float)(1 / (1 - pow(beta2, steps)));
    for (const struct net_block *b = t->m.block; b < t->m.block + t->m.blocks; b++) {
        const float keep = b->start == START_UNIFORM ? (float)(1 - now * mpq_get_d(s->decay)) : 1;
        float *p = t->params + b->at, *m = t->first + b->at, *v = t->second + b->at;
        const float *g = t->grad + b->at;
        for (int64_t k = 0; k < b->count; k++) {
            const float x = by * g[k];
            m[k] = b1 * m[k] + (1 - b1) * x, v[k] = b2 * v[k] + (1 - b2) * (x * x);
            p[k] = keep * p[k] - one * m[k] / (sqrtf(two * v[k]) + eps);
        }
    }
    t->step++;
}

int trainer_step(struct trainer *t, char *err, size_t n)
{
    const struct training *s = &t->set;
    int64_t counted = 0;
    int rc = MER_OK;
    /* targets of `length` are made; those that are not asked give way to the next row's */
    for (int64_t r = 0; r < s->batch; r++) {
        int64_t *token = t->token + r * s->length, *target = t->target + r * t->asked;
        const int64_t size =
            task_row(t->task, t->corpus, (uint64_t)s->seed, (uint64_t)t->step, (uint64_t)r, s->length, token, target);
        if (t->source)
            task_pair(t->task, size, t->source, s->length, token, target);
    }
    for (int64_t k = 0; k < s->batch * t->asked; k++)
        counted += t->target[k] >= 0;
    for (int w = 0; w < t->workers; w++) {
        t->worker[w].weight = 1 / (double)counted, t->worker[w].rc = MER_OK;
        if (w && pthread_create(&t->worker[w].thread, NULL, work, &t->worker[w]))
            return snprintf(err, n, "no thread for worker %d", w), -1;
    }
    work(&t->worker[0]);
    for (int w = 1; w < t->workers; w++)
        pthread_join(t->worker[w].thread, NULL);
    for (int w = 0; w < t->workers; w++)
        rc = rc == MER_OK ? t->worker[w].rc : rc;
    if (rc != MER_OK && t->m.enc->by && *own_said())
        return snprintf(err, n, "step %lld: encoding %s: %s", (long long)t->step, t->m.enc->name, own_said()), -1;
    if (rc != MER_OK)
        return snprintf(err, n, "step %lld: a kernel of encoding %s %s", (long long)t->step, t->m.enc->name,
                   rc == MER_SKIP ? "is not offered" : "failed"),
               -1;
    for (int64_t by = 1; by < t->parts; by *= 2) /* a fixed tree */
        for (int64_t k = 0; k + by < t->parts; k += 2 * by)
            maths_f32.add(t->grad + k * t->m.count, t->grad + (k + by) * t->m.count, t->m.count);
    t->loss = t->norm = 0;
    for (int64_t k = 0; k < s->batch * t->asked; k++)
        t->loss += t->target[k] < 0 ? 0 : t->nll[k] / (double)counted;
    for (int64_t k = 0; k < t->m.count; k++)
        t->norm += (double)t->grad[k] * (double)t->grad[k];
    t->norm = sqrt(t->norm);
    if (!(isfinite(t->loss) && isfinite(t->norm)))
        return snprintf(err, n, "step %lld: loss %g, gradient's norm %g: stopped before it, its state is kept",
                   (long long)t->step, t->loss, t->norm),
               -1;
    update(t);
    return 0;
}

void trainer_digest(const struct trainer *t, char hex[65])
{
    const size_t bytes = (size_t)t->m.count * sizeof(float);
    struct sha256 s;
    sha256_open(&s);
    sha256_add(&s, t->params, bytes), sha256_add(&s, t->first, bytes), sha256_add(&s, t->second, bytes),
        sha256_add(&s, &t->step, sizeof t->step);
    sha256_close(&s, hex);
}
