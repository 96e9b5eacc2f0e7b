/* The reference as a subject that errs. */
#include "compare/compare.h"
#include "power/faults.h"
#include <math.h>
#include <stdio.h>
#include "subject/contain.h"
#include "power/kill.h"
#include "subject/subject.h"
#include "trial/change.h"
#include "trial/mistake.h"

const struct fault_of_code faults_of_code[] = {
    { "state", "an earlier, longer call changes what a shorter one is answered", "huggingface/transformers#25306" },
    { "twice", "every other answer is one unit off in one place", "Dao-AILab/flash-attention#1897" },
    { "neighbour", "a row follows the content of another row", "deepseek-ai/FlashMLA#212" },
    { "reduction", "sines are wrong from 48039 on", "kekzl/imp#1317" },
    { "strides", "arrays that are not dense are read as if they were", "flagos-ai/FlagGems#5896" },
    { "gaps", "what lies between the elements of an output is written", "Dao-AILab/flash-attention#1661" },
    { "decode", "one query alone loses its position", "keras-team/keras-hub#2861" },
    { 0 },
};

static void next_float(struct mer_array *a, long i) /* one unit in the last place of its format off */
{
    const struct format *f = format_named(type_name[a->type], strlen(type_name[a->type]));
    double x = array_get(a, i);
    int e;
    frexp(x, &e);
    if (f && isfinite(x))
        array_put(a, i, x + ldexp(1, e - f->p));
}

static long length(const struct mer_call *c) /* of the output's longest axis */
{
    long n = 0;
    for (int k = 0; k < c->out[0].rank; k++)
        n = c->out[0].dim[k] > n ? c->out[0].dim[k] : n;
    return n;
}

static void err_before(struct trial *t, const char *fault)
{
    char text[400], e[400];
    const char *key = strcmp(fault, "decode") ? NULL :
        mer_in(&t->call, "pos")               ? "pos" :
        *mer_text(&t->call, "memory")         ? "memory" :
                                                "offset";
    struct mer_array *pos = key ? mer_find(t->in, t->call.n_in, key) : NULL;
    bool alone = t->out[0].rank > 1 && t->out[0].dim[t->out[0].rank > 2 ? 1 : 0] == 1;
    for (long i = 0; pos && alone && i < array_len(pos); i++)
        array_put(pos, i, 0);
    if (key && !pos && alone && snprintf(text, sizeof text, "%s=0", key) > 0)
        trial_change(t, text, e, sizeof e);
}

static void err_after(struct wrong *w, struct trial *t)
{
    struct mer_array *y = &t->out[0];
    const struct mer_array *pos = mer_in(&t->call, "pos");
    long n = length(&t->call), len = array_len(y), row = y->dim[y->rank - 1];
    if (!strcmp(w->fault, "state") && n < w->longest)
        next_float(y, len - 1);
    w->longest = n > w->longest ? n : w->longest;
    if (!strcmp(w->fault, "twice") && w->asked++ % 2)
        next_float(y, len / 2);
    for (long i = 0; !strcmp(w->fault, "neighbour") && i + row < len; i++) { /* what the last row holds */
        const struct mer_array *x = &t->in[0];
        if (x->type < MER_I64 && array_get(x, array_len(x) - 1) > 1)
            next_float(y, i);
    }
    for (long i = 0; !strcmp(w->fault, "reduction") && pos && i < len; i++)
        if (fabs(array_get(pos, i / row % array_len(pos))) >= 48039)
            array_put(y, i, array_get(y, i) + 0x1p-10);
}

static int run(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    struct wrong *w = s->state;
    struct trial t = { .row = row_named(c->row), .type = type_named(k->type) }, own;
    struct arith a;
    memcpy(t.in, c->in, (size_t)c->n_in * sizeof *c->in), memcpy(t.out, c->out, (size_t)c->n_out * sizeof *c->out);
    t.call = (struct mer_call){ .n_in = c->n_in, .n_out = c->n_out, .in = t.in, .out = t.out };
    for (int i = 0; i < c->n_in && w->fault && !strcmp(w->fault, "strides"); i++)
        memset(t.in[i].stride, 0, sizeof t.in[i].stride);
    int rc = trial_params(&t, c->params, why, n) || trial_copy(&own, &t, why, n) ? MER_BAD : MER_OK;
    if (rc == MER_OK) {
        if (w->fault)
            err_before(&own, w->fault);
        if (w->mistake && trial_change(&own, w->mistake->change, why, n))
            rc = MER_SKIP; /* a change of an input that this quantity does not have */
        else if (trial_profile(&own, own.profile, &a, ROUND, why, n) < 0)
            rc = MER_BAD;
        if (rc == MER_OK) {
            reference_run(&own, &a);
            if (w->fault)
                err_after(w, &own);
            for (int o = 0; o < c->n_out; o++) {
                if (w->fault && !strcmp(w->fault, "gaps"))
                    memset(c->out[o].data, 0, (size_t)mer_span(&c->out[o]) * type_size(c->out[o].type));
                mer_move(&c->out[o], &own.out[o]);
            }
        }
        trial_close(&own);
    }
    params_clear(t.row->params, t.params);
    free(t.params);
    return rc;
}

static void close_wrong(struct subject *s) { (void)s; }

void subject_wrong(struct subject *s, struct wrong *w, const char *row, const char *out, int type,
    const struct mistake *m, const char *fault)
{
    *w = (struct wrong){ .mistake = m, .fault = fault };
    profile_sharp(row_named(row), w->profile, sizeof w->profile);
    w->kernel[0] =
        (struct mer_kernel){ .row = row, .out = out, .type = type_name[type], .profile = w->profile, .strided = 1 };
    *s = (struct subject){
        .kernel = w->kernel, .run = run, .close = close_wrong, .state = w, .seconds = usual_limits.seconds
    };
    snprintf(s->name, sizeof s->name, "reference%s%s", m || fault ? " with " : "", m ? m->id : fault ? fault : "");
}

struct wanted { const char *id; struct mistake *m; };
static int same(const struct mistake *m, void *with)
{
    struct wanted *w = with;
    if (strcmp(m->id, w->id))
        return 0;
    *w->m = *m;
    return 1;
}

int fault_find(const char *name, struct mistake *m, const char **fault)
{
    char row[64];
    const char *dot = strchr(name, '.');
    *fault = NULL;
    for (const struct fault_of_code *f = faults_of_code; f->name; f++)
        if (!strncmp(name, "fault.", 6) && !strcmp(name + 6, f->name))
            *fault = f->name;
    snprintf(row, sizeof row, "%.*s", dot ? (int)(dot - name) : 0, name);
    return *fault || (dot && mistakes_each(row, same, &(struct wanted){ dot + 1, m }) == 1) ? 0 : -1;
}
