/* Finds the parameters that a length reaches by gradients, and unseen angles in ball arithmetic; see exact_reach.h. */
#include "lab/exact/exact_reach.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lab/exact/insert.h"
#include "core/gen.h"
#include "law.h"
#include "lab/train/train.h"

enum { TOKENS = 7101 };

/* Adds 1 to marks[m->count] where the gradient of the mean loss over a row of `length` generated tokens is not 0. */
static int mark(const struct model *m, const float *params, int64_t length, unsigned char *marks, char *err, size_t n)
{
    struct pass p = { 0 };
    const int64_t v = m->size.vocab;
    int64_t *token = need((size_t)length, sizeof *token), *target = need((size_t)length, sizeof *target);
    float *dlogits = need((size_t)(length * v), sizeof *dlogits), *grad = need((size_t)m->count, sizeof *grad);
    for (int64_t k = 0; k < length; k++)
        token[k] = (int64_t)(gen_bits(3, TOKENS, (uint64_t)k) % (uint64_t)v),
        target[k] = (int64_t)(gen_bits(4, TOKENS, (uint64_t)k) % (uint64_t)v);
    int rc = pass_open(&p, m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = length, .backward = 1 },
        err, n), did = MER_OK;
    if (!rc && (did = pass_forward(&p, params, token)) == MER_OK) {
        double *nll = need((size_t)length, sizeof *nll);
        maths_f32.entropy(nll, dlogits, p.logits, target, length, v, 1);
        did = pass_backward(&p, params, token, dlogits, grad);
        free(nll);
    }
    if (!rc && did != MER_OK)
        rc = (snprintf(
                  err, n, "length %lld: a kernel %s", (long long)length, did == MER_SKIP ? "is not offered" : "failed"),
            -1);
    for (int64_t k = 0; k < m->count && !rc; k++)
        marks[k] = (unsigned char)(marks[k] << 1 | (grad[k] != 0));
    pass_close(&p);
    free(token), free(target), free(dlogits), free(grad);
    return rc;
}

static void count(struct reached *r, const struct model *m, int block, const unsigned char *marks)
{
    const struct net_block *b = &m->block[block];
    for (int64_t k = b->at; k < b->at + b->count; k++)
        r->fresh += marks[k] == 1, r->all++; /* bits: at the trained length, at this */
}

static int parameters(
    struct reached *r, const char *encoding, const struct lab_size *s, int64_t length, char *err, size_t n)
{
    struct model m;
    struct lab_size one = *s;
    one.layers = 1; /* all layers have the same */
    if (model_open(&m, encoding, &one, err, n))
        return -1;
    if (!m.extras && m.place[0] < 0)
        return 0;
    float *params = need((size_t)m.count, sizeof *params);
    unsigned char *marks = need((size_t)m.count, 1);
    model_draw(&m, &maths_f32, 5, params);
    int rc = mark(&m, params, s->length, marks, err, n) || mark(&m, params, length, marks, err, n);
    if (m.place[0] >= 0)
        count(r, &m, m.place[0], marks);
    for (int k = 0; k < m.extras; k++)
        count(r, &m, m.layer[0].extra[k], marks);
    const int64_t layers = m.place[0] >= 0 || m.enc->shared || m.enc->place ? 1 : s->layers;
    r->fresh *= layers, r->all *= layers;
    free(params), free(marks);
    return rc;
}

/* Counts the pairs with unseen angles, for encodings with the fixed frequencies of row rope.  Training shows distances,
 * or positions, up to l - 1, so a pair of frequency t has unseen angles if (l - 1) t < 2 pi. */
static int angles(
    struct reached *r, const struct encoding *e, const struct lab_size *s, int64_t length, char *err, size_t n)
{
    const bool table = e->place && !strcmp(e->place, "sinusoid");
    const int64_t dim = e->turn ? s->channels / s->heads : table ? s->channels : 0;
    struct law_ask l;
    char params[60];
    if (!dim || dim / 2 > 512)
        return 0;
    const struct ball *t[512];
    struct ask *w = law_open(&l, "", 128);
    snprintf(params, sizeof params, "dim=%lld", (long long)dim);
    law_row(w, row_named("rope"), "freq", params, NULL, 0, dim / 2, t);
    const struct ball *turn = b_mul(w, b_si(w, 2), b_pi(w)), *sum = b_si(w, 0), *one = b_si(w, 1);
    bool open = false;
    for (int64_t i = 0; i < dim / 2 && length > s->length; i++) {
        const struct ball *seen = b_div(w, b_mul(w, b_si(w, s->length - 1), t[i]), turn),
                          *now = b_div(w, b_mul(w, b_si(w, length - 1), t[i]), turn);
        const int c = b_cmp(seen, one);
        open |= c == 2;
        if (c == -1)
            r->pairs++, sum = b_add(w, sum, b_sub(w, b_min(w, now, one), seen));
    }
    r->of = dim / 2, r->turns = b_value(sum);
    law_close(&l, true);
    return open ?
        (snprintf(err, n, "%s: a pair that turns in %lld positions is not decided", e->name, (long long)s->length),
            -1) :
        0;
}

int reach_of(struct reached *r, const char *encoding, const struct lab_size *s, int64_t length, char *err, size_t n)
{
    *r = (struct reached){ 0 };
    return parameters(r, encoding, s, length, err, n) || angles(r, encoding_named(encoding), s, length, err, n) ? -1 :
                                                                                                                  0;
}

static int put(sqlite3 *db, const char *encoding, long size, const struct reached *r)
{
    return insert_line(db, "reach", "tiiiiid", encoding, (int64_t)size, r->fresh, r->all, r->pairs, r->of, r->turns);
}

static bool answered(sqlite3 *db, const char *task, const char *encoding)
{
    sqlite3_stmt *q = NULL;
    bool yes = false;
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM mean WHERE task=?1 AND encoding=?2", -1, &q, NULL) == SQLITE_OK) {
        sqlite3_bind_text(q, 1, task, -1, SQLITE_STATIC), sqlite3_bind_text(q, 2, encoding, -1, SQLITE_STATIC);
        yes = sqlite3_step(q) == SQLITE_ROW;
    }
    sqlite3_finalize(q);
    return yes;
}

int reach_make(sqlite3 *db, const struct study *s, char *err, size_t n)
{
    struct training set = { 0 };
    char name[40];
    if (sqlite3_exec(db,
            "DROP TABLE IF EXISTS temp.reach; CREATE TEMP TABLE reach(encoding TEXT, size INTEGER, parameters INTEGER, "
            "of_parameters INTEGER, pairs INTEGER, of_pairs INTEGER, turns REAL)",
            NULL, NULL, NULL))
        return snprintf(err, n, "%s", sqlite3_errmsg(db)), -1;
    int rc = params_read(training_params, &set, s->set, err, n);
    const struct lab_size size = { .layers = set.layers,
        .heads = set.heads,
        .channels = set.channels,
        .inner = 8,
        .vocab = task_named(s->task)->vocab,
        .length = set.length,
        .reach = s->size[s->sizes - 1] > set.reach ? s->size[s->sizes - 1] : set.reach };
    for (const char *at = NULL; !rc && study_next(s, &at, name);)
        for (long k = 0; k < s->sizes && !rc && answered(db, s->task, name); k++) {
            struct reached r;
            rc = reach_of(&r, name, &size, s->size[k], err, n) || put(db, name, s->size[k], &r) ? -1 : 0;
        }
    params_clear(training_params, &set);
    return rc;
}
