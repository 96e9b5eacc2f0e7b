/* Trains, stores and judges the encoder-decoder that reverses words; see words.h. */
#include "base/progress.h"
#include "compare/compare.h"
#include "lab/train/words.h"
#include <stdio.h>
#include <string.h>
#include "lab/net/pair_row.h"
#include "lab/text/sha256.h"

/* length 34: twice 16 letters, with an end and a start. */
static const char recipe[] =
    "layers=2 heads=4 channels=64 inner=256 length=34 reach=64 batch=32 part=8 steps=600 warm=60";

int words_train(struct trainer *t, const char *dir, const char *set, int64_t *steps, char *err, size_t n)
{
    enum { EVERY = 100, NAME = 12 };
    char text[600], path[4200], hex[65];
    snprintf(text, sizeof text, "%s %.400s", recipe, set);
    if (trainer_open(t, "sinusoid", "encdec-reverse", text, NULL, 2, err, n))
        return -1;
    *steps = 0;
    sha256_of(t->identity, strlen(t->identity), hex);
    snprintf(path, sizeof path, "%.4000s/demo-reverse-%.*s.checkpoint", dir, NAME, hex);
    if (checkpoint_read(t, path, err, n) < 0)
        return -1;
    if (*err)
        fprintf(stderr, "meridian demo: %s\n", err); /* what was set aside */
    struct progress far;
    progress_begin(&far, "demo", "steps", (double)t->set.steps);
    for (; t->step < t->set.steps; ++*steps) {
        progress_step(&far, (double)t->step, "training");
        if (trainer_step(t, err, n))
            return -1;
        progress_wipe(&far);
        if (t->step % EVERY == 0 || t->step == t->set.steps) {
            fprintf(stderr, "meridian demo: trained %lld of %ld steps, loss %.3g nats a letter\n", (long long)t->step,
                t->set.steps, t->loss);
            if (checkpoint_write(t, path, err, n))
                return -1;
        }
    }
    return 0;
}

/* Judges one trial and adds the result to y. */
static int one(struct trial *t, struct tally *y, char *err, size_t n)
{
    enum { LINES = 4 };
    struct arith how;
    struct tally of;
    if (trial_profile(t, t->profile, &how, WIDEN, err, n) <= 0)
        return -1;
    judge_outputs(t, &how, LINES, &of);
    y->ratio = !(of.ratio <= y->ratio) ? of.ratio : y->ratio, y->n += of.n, y->correct += of.correct, y->lines++;
    return strcmp(tally_verdict(&of), "PASS") ? (snprintf(err, n, "row %s %s: %s, %.3g of its bound %.3g", t->row->name,
                                                     t->out[0].name, tally_verdict(&of), of.ratio, of.bound),
                                                    -1) :
                                                0;
}

int words_judge(struct writer *g, const int64_t *token, int64_t n, struct tally *y, char *err, size_t size)
{
    int rc = 1;
    *y = (struct tally){ 0 };
    if (generate_behind(g, token, n) != MER_OK)
        return snprintf(err, size, "a kernel failed"), -1;
    for (int64_t k = 0; rc == 1; k++) {
        struct trial of;
        rc = pair_part(&of, &g->p, g->params, k, err, size);
        rc = rc == 1 && one(&of, y, err, size) ? -1 : rc;
        trial_close(&of);
    }
    return rc;
}

int words_weights(const struct writer *g, double *weights)
{
    const struct pass *p = &g->p;
    const long long h = p->m->size.heads, d = p->m->size.channels / h, n = p->length, m = p->source->length;
    const struct cross_tape *x = &p->layer[p->layers - 1].cross;
    float *w = need((size_t)(h * n * m), sizeof *w);
    struct op o;
    char sizes[160], err[300];
    snprintf(sizes, sizeof sizes, "h=%lld g=%lld n=%lld m=%lld d=%lld keep", h, h, n, m, d);
    int rc = op_open(&o, MER_F32, "attention", "causal=none", "weights", sizes, err, sizeof err);
    op_set(&o, "q", x->heads[0]), op_set(&o, "k", x->heads[1]), op_set(&o, "keep", p->cross_keep),
        op_set(&o, "weights", w);
    rc = rc || op_run(&o) != MER_OK ? -1 : 0;
    for (int64_t k = 0; k < n * m; k++) {
        weights[k] = 0;
        for (int64_t i = 0; i < h; i++)
            weights[k] += (double)w[i * n * m + k] / (double)h;
    }
    op_close(&o), free(w);
    return rc;
}
