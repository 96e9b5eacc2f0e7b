/* Runs judged operations of a model; see op.h. */
#include "compare/compare.h"
#include "base/clock.h"
#include "lab/net/op.h"
#include "lab/net/own_subject.h"
#include <stdio.h>
#include <string.h>
#include "bench/core/bench.h"
#include "kernels.h"
#include "base/words.h"

long op_extent(const struct row *r, const void *params, char axis, const char *sizes)
{
    long fixed = r->extent ? r->extent(params, axis) : 0;
    for (const char *s = sizes; !fixed && *s; s = word_next(s))
        if (s[0] == axis && s[1] == '=')
            fixed = atol(s + 2);
    return fixed;
}

bool op_takes(const struct row *r, const char *out, const char *input)
{
    struct sign s;
    const struct quantity *q = r ? row_quantity(r, out) : NULL;
    if (q)
        sign_read(&s, q->sign);
    for (int k = 0; q && k < s.n_in; k++)
        if (!strcmp(s.in[k].name, input))
            return true;
    return false;
}

static int add(
    struct op *o, struct mer_array *a, const struct axes *x, int type, const char *sizes, int name, char *err, size_t n)
{
    *a = (struct mer_array){
        .name = strcpy(o->t.names[name], x->name), .type = x->integer ? MER_I64 : type, .rank = x->rank
    };
    for (int k = 0; k < x->rank; k++)
        if (!(a->dim[k] = op_extent(o->t.row, o->t.params, x->axis[k], sizes)))
            return snprintf(err, n, "%s: no extent of axis %c of '%s'", o->t.row->name, x->axis[k], x->name), -1;
    return 0;
}

int op_open(struct op *o, int type, const char *row, const char *params, const char *outs, const char *sizes, char *err,
    size_t n)
{
    struct trial *t = &o->t;
    *o = (struct op){ .t = { .row = row_named(row), .type = type } };
    snprintf(o->outs, sizeof o->outs, "%s", outs);
    if (!t->row)
        return snprintf(err, n, "unknown row '%s'", row), -1;
    if (trial_params(t, params, err, n))
        return -1;
    t->call.in = t->in, t->call.out = t->out;
    for (const struct quantity *q = t->row->q; q->sign; q++) {
        struct sign s;
        sign_read(&s, q->sign);
        if (!words_have(outs, s.out.name))
            continue;
        for (int k = 0; k < s.n_in; k++) {
            const struct axes *x = &s.in[k];
            if (mer_in(&t->call, x->name) ||
                (x->optional && !words_have(sizes, x->name) && !(t->row->needs && t->row->needs(t->params, x->name))))
                continue;
            if (t->call.n_in == TRIAL_IN)
                return snprintf(err, n, "%s: more than %d inputs", row, TRIAL_IN), -1;
            if (add(o, &t->in[t->call.n_in], x, type, sizes, t->call.n_in, err, n))
                return -1;
            t->call.n_in++;
        }
        if (add(o, &t->out[t->call.n_out], &s.out, type, sizes, TRIAL_IN + t->call.n_out, err, n))
            return -1;
        t->call.n_out++;
    }
    return t->call.n_out ? 0 : (snprintf(err, n, "%s has no quantity among '%s'", row, outs), -1);
}

static void let_go(struct op *o)
{
    if (o->kernel && o->kernel->release && o->t.call.state)
        o->kernel->release(o->t.call.state);
    o->t.call.state = NULL, o->kernel = NULL;
}

void op_close(struct op *o)
{
    let_go(o);
    if (o->t.params) {
        params_clear(row_params(o->t.row), o->t.params);
        free(o->t.params);
    }
    *o = (struct op){ 0 };
}

void op_set(struct op *o, const char *name, void *data)
{
    struct mer_array *a = mer_find(o->t.in, o->t.call.n_in, name), *b = mer_find(o->t.out, o->t.call.n_out, name);
    if (a)
        a->data = data;
    if (b)
        b->data = data;
}

static bool offers(const struct mer_kernel *k, const struct op *o)
{
    bool all = !strcmp(k->row, o->t.row->name) && !strcmp(k->type, "f32");
    for (int i = 0; all && i < o->t.call.n_out; i++)
        all = words_have(k->out, o->t.out[i].name);
    return all;
}

/* Chooses the kernel of the best slot that answers the call, which has then been run. */
static int find(struct op *o)
{
    int last = 0, rc = MER_SKIP;
    while (slots[last].name)
        last++;
    while (last-- > 0 && rc == MER_SKIP)
        for (const struct mer_kernel *k = slots[last].kernel; slots[last].here() && k->row && rc == MER_SKIP; k++) {
            if (!offers(k, o))
                continue;
            o->kernel = k, o->slot = slots[last].name;
            rc = k->prepare ? k->prepare(&o->t.call) : MER_OK;
            rc = rc == MER_OK ? k->run(&o->t.call) : rc;
            if (rc != MER_OK)
                let_go(o);
        }
    return rc;
}

static int answer(struct op *o)
{
    if (o->by)
        return own_answer(o->by, &o->t);
    if (o->t.type == MER_F64)
        return reference_run(&o->t, &(struct arith){ 0 }), MER_OK;
    return o->kernel ? o->kernel->run(&o->t.call) : find(o);
}
int op_run(struct op *o)
{
    if (!o->clock)
        return answer(o);
    const double start = thread_seconds();
    const int rc = answer(o);
    *o->clock += thread_seconds() - start;
    return rc;
}
