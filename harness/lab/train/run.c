/* Trains and evaluates one run of the design; see design.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lab/train/design.h"
#include "lab/text/reading.h"
#include "core/files.h"
#include "lab/train/generate.h"
#include "lab/net/pair.h"
#include "lab/text/sha256.h"
#include "lab/train/work.h"

/* EVERY: steps between checkpoints; NAMES: digits of a digest in a file name; READ_WINDOWS, READ_LENGTHS: windows and
 * lengths for which attention by distance is read; CONTROLS: windows of a text with a distance. */
enum { EVERY = 100, NAMES = 12, READ_WINDOWS = 4, READ_LENGTHS = 3, CONTROLS = 256 };

static int start(struct trainer *t, const struct run *r, const struct corpus *c, int workers, char *err, size_t n)
{
    return trainer_open(t, r->encoding, r->study->task, r->text, c, workers, err, n);
}

/* A digest of everything that the answers depend on beside the weights. */
static void questions(const struct study *s, const struct encoding *e, char hex[65])
{
    struct sha256 of;
    sha256_open(&of);
    sha256_add(&of, s, sizeof *s);
    if (task_named(s->task)->reads)
        sha256_add(&of, "reading", sizeof "reading"), sha256_add(&of, "drawn windows", sizeof "drawn windows");
    if (task_named(s->task)->distance)
        sha256_add(&of, "windows of a text", sizeof "windows of a text");
    for (const struct variant *v = variants; v->name; v++) {
        const char *const text[] = { v->name, v->encoding, v->attention, v->attend, v->window, v->sinks };
        for (size_t k = 0; k < sizeof text / sizeof *text && variant_fits(v, e); k++)
            sha256_add(&of, text[k] ? text[k] : "", text[k] ? strlen(text[k]) + 1 : 1);
    }
    sha256_close(&of, hex);
}

void study_training(const struct study *s, const char *set, long seed, char *to, size_t n)
{
    const int64_t reach = task_named(s->task)->tokens(s->size[s->sizes - 1]);
    snprintf(to, n, "reach=%lld steps=%ld %s %s seed=%ld", (long long)(reach < 1024 ? 1024 : reach), s->steps, s->set,
        set, seed);
}

int64_t study_trained(const struct study *s, const char *set)
{
    struct training t = { 0 };
    char text[700], why[300];
    study_training(s, set, 1, text, sizeof text);
    const int64_t most =
        params_read(training_params, &t, text, why, sizeof why) ? 0 : task_most(task_named(s->task), t.length);
    params_clear(training_params, &t);
    return most;
}

int run_name(struct run *r, const char *dir, const char *set, const struct corpus *c, char *err, size_t n)
{
    const struct study *s = r->study;
    struct trainer t;
    char hex[65];
    study_training(s, set, r->seed, r->text, sizeof r->text);
    int rc = start(&t, r, c, 1, err, n);
    if (!rc) {
        sha256_of(t.identity, strlen(t.identity), hex);
        snprintf(r->path, sizeof r->path, "%.3900s/%s-%s-%ld-%.*s", dir, s->task, r->encoding, r->seed, NAMES, hex);
        questions(s, t.m.enc, hex);
        snprintf(r->asked, sizeof r->asked, "%.4000s-%.*s", r->path, NAMES, hex);
    }
    trainer_close(&t);
    return rc;
}

/* Writes down which gates there were, where this training has not begun. */
static int keep_gates(const struct run *r, char *err, size_t n)
{
    char path[4300];
    snprintf(path, sizeof path, "%s.checkpoint", r->path);
    if (!*r->gates || !access(path, F_OK))
        return 0;
    snprintf(path, sizeof path, "%s.gates", r->path);
    return access(path, F_OK) ? file_replace(path, r->gates, strlen(r->gates), err, n) : 0;
}

static int train(struct trainer *t, const struct run *r, char *note, size_t note_size, char *err, size_t n)
{
    char path[4300];
    if (keep_gates(r, err, n))
        return -1;
    snprintf(path, sizeof path, "%s.checkpoint", r->path);
    if (checkpoint_read(t, path, err, n) < 0)
        return -1;
    snprintf(note, note_size, "%s", err); /* what was set aside */
    if (r->waited)
        r->waited->spared = (double)t->step;
    while (t->step < t->set.steps) {
        if (trainer_step(t, err, n)) {
            char why[300];
            snprintf(path, sizeof path, "%s.stopped", r->path);
            checkpoint_write(t, path, why, sizeof why);
            return -1;
        }
        work_done(r, 1);
        if ((t->step % EVERY == 0 || t->step == t->set.steps) && checkpoint_write(t, path, err, n))
            return -1;
    }
    return 0;
}

/* "reads": share of the weight by distance; "score": mean score by distance, of 0 at distance 0; depth: the octave's
 * first distance. */
static int ask_reading(FILE *f, const struct trainer *t, const struct corpus *c, long length, char *err, size_t n)
{
    struct reads d;
    int rc = reads_make(&d, &t->m, t->params, c, length, READ_WINDOWS, err, n);
    for (int k = 0; k < d.octaves && d.answered && !rc; k++) {
        fprintf(f, "reads\tplain\t%ld\t%lld\t%.17g\t%lld\n", length, (long long)octave_first(k), d.share[k],
            (long long)d.n[k]);
        if (!d.own)
            fprintf(f, "score\tplain\t%ld\t%lld\t%.17g\t%lld\n", length, (long long)octave_first(k), d.score[k],
                (long long)d.n[k]);
    }
    if (d.answered && !rc)
        fprintf(f, "distance\tplain\t%ld\t-1\t%.17g\t%lld\n", length, d.mean, (long long)(READ_WINDOWS * length));
    return rc;
}

static int ask_text(FILE *f, const struct trainer *t, const struct run *r, const struct corpus *c,
    const struct variant *v, char *err, size_t n)
{
    struct losses l = { .lengths = r->study->sizes, .windows = r->study->trials, .seed = (uint64_t)t->set.seed };
    char path[4300];
    for (long k = 0; k < l.lengths; k++)
        l.length[k] = r->study->size[k];
    int rc = losses_make(&l, &t->m, t->params, c, v, err, n);
    for (long k = 0; k < l.lengths && !rc; k++) {
        fprintf(f, "tail\t%s\t%lld\t-1\t%.17g\t%lld\n", v->name, (long long)l.length[k], losses_tail(&l, k, TAIL),
            (long long)(l.windows * TAIL));
        work_done(r, work_of_size(r->study, &t->set, k));
        fprintf(f, "all\t%s\t%lld\t-1\t%.17g\t%lld\n", v->name, (long long)l.length[k], losses_tail(&l, k, l.length[k]),
            (long long)(l.windows * l.length[k]));
    }
    for (long k = 0; k < l.lengths && k < READ_LENGTHS && !rc && v == variants; k++)
        rc = ask_reading(f, t, c, (long)l.length[k], err, n);
    if (!rc && v == variants) {
        snprintf(path, sizeof path, "%s.losses", r->asked);
        rc = losses_write(&l, path, err, n);
    }
    losses_close(&l);
    return rc;
}

/* The losses of windows of a text with a distance, to ASKED.losses. */
static int ask_control(const struct trainer *t, const struct run *r, char *err, size_t n)
{
    const struct study *s = r->study;
    struct losses l = { .windows = CONTROLS, .seed = (uint64_t)t->set.seed };
    struct corpus c;
    char path[4300];
    control_lengths(&l, t->task, s->size[s->sizes - 1]);
    const int64_t longest = l.lengths ? l.length[l.lengths - 1] : 0;
    task_text(t->task, (uint64_t)t->set.seed, longest + 2 + 2 * CONTROLS * t->task->distance, &c);
    int rc = losses_make(&l, &t->m, t->params, &c, NULL, err, n);
    snprintf(path, sizeof path, "%s.losses", r->asked);
    rc = rc || !l.lengths ? rc : losses_write(&l, path, err, n);
    losses_close(&l), corpus_close(&c);
    return rc;
}

static int ask_task(FILE *f, const struct trainer *t, const struct run *r, const struct variant *v, char *err, size_t n)
{
    const struct study *s = r->study;
    int rc = 0;
    for (long k = 0; k < s->sizes && !rc; k++)
        for (long d = 0; d < (s->depths ? s->depths : 1) && !rc; d++) {
            struct answers a;
            if (v != variants && t->source &&
                t->task->tokens(s->size[k]) - t->task->source(s->size[k]) <= t->m.size.length)
                continue; /* a change for what is longer than trained */
            const double depth = s->depths ? s->depth[d] : -1;
            rc = answers_make(&a, &t->m, t->params,
                (struct exam){ .task = t->task, .size = s->size[k], .trials = s->trials,
                    .seed = (uint64_t)t->set.seed, .depth = depth },
                v, err, n);
            work_done(r, work_of_size(s, &t->set, k));
            fprintf(f, "exact\t%s\t%ld\t%g\t%.17g\t%lld\n", v->name, s->size[k], depth,
                (double)a.exact / (double)a.trials, (long long)a.trials);
            fprintf(f, "bits\t%s\t%ld\t%g\t%.17g\t%lld\n", v->name, s->size[k], depth, a.nats / log(2),
                (long long)a.trials);
            fprintf(f, "right\t%s\t%ld\t%g\t%.17g\t%lld\n", v->name, s->size[k], depth,
                (double)a.right / (double)(a.asked ? a.asked : 1), (long long)a.trials);
        }
    return rc;
}

/* Asks an encoder-decoder to write by itself, at sizes that row decode's search can hold, with a quarter of the
 * trials. */
static int ask_written(FILE *f, const struct trainer *t, const struct run *r, char *err, size_t n)
{
    static const struct {
        const char *name;
        int64_t beam;
    } search[] = { { "greedy", 0 }, { "beam-1", 1 }, { "beam-2", 2 }, { "beam-4", 4 } };
    const struct study *s = r->study;
    const int64_t trials = s->trials < 4 ? 1 : s->trials / 4;
    int rc = 0;
    for (long k = 0; k < s->sizes; k++)
        for (size_t b = 0; b < sizeof search / sizeof *search && !rc; b++) {
            struct written y;
            if (t->task->tokens(s->size[k]) - t->task->source(s->size[k]) + 4 > BEAM_LENGTH)
                continue;
            rc = written_make(&y, &t->m, t->params,
                (struct exam){ .task = t->task, .size = s->size[k], .trials = trials, .seed = (uint64_t)t->set.seed },
                search[b].beam, err, n);
            fprintf(f, "exact\t%s\t%ld\t-1\t%.17g\t%lld\n", search[b].name, s->size[k],
                (double)y.exact / (double)trials, (long long)trials);
            fprintf(f, "length\t%s\t%ld\t-1\t%.17g\t%lld\n", search[b].name, s->size[k], y.length, (long long)trials);
        }
    return rc;
}

int run_do(const struct run *r, const struct corpus *c, int workers, char *note, size_t note_size, char *err, size_t n)
{
    struct trainer t;
    char path[4300], hex[65], *text = NULL, *gates;
    size_t size = 0;
    *note = 0;
    snprintf(path, sizeof path, "%s.answers", r->asked);
    if (!access(path, R_OK))
        return 1;
    int rc = start(&t, r, c, workers, err, n);
    rc = rc ? rc : train(&t, r, note, note_size, err, n);
    FILE *f = need_stream(&text, &size);
    fprintf(f, "%s\n", t.identity);
    if (!rc) {
        trainer_digest(&t, hex);
        fprintf(f, "# weights %s, %lld parameters, last loss %.17g nats\n", hex, (long long)t.m.count, t.loss);
    }
    snprintf(path, sizeof path, "%s.gates", r->path);
    if ((gates = file_read(path)))
        fprintf(f, "# gates %.64s\n", gates);
    free(gates);
    snprintf(path, sizeof path, "%s.answers", r->asked);
    for (const struct variant *v = variants; v->name && !rc; v++)
        if (variant_fits(v, t.m.enc) && (!t.source || pair_takes(v)))
            rc = t.task->reads ? ask_text(f, &t, r, c, v, err, n) : ask_task(f, &t, r, v, err, n);
    rc = rc || !t.source ? rc : ask_written(f, &t, r, err, n);
    rc = rc || !t.task->distance ? rc : ask_control(&t, r, err, n);
    fclose(f);
    rc = rc ? rc : file_replace(path, text, size, err, n);
    free(text);
    trainer_close(&t);
    return rc;
}
