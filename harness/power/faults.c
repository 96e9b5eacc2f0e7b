/* Makes the reference a subject with a mistake or a fault; see faults.h. */
#include "compare/compare.h"
#include "power/faults.h"
#include <math.h>
#include <stdio.h>
#include "subject/contain.h"
#include "power/kill.h"
#include "subject/subject.h"
#include "trial/change.h"
#include "trial/mistake.h"
#include "code_faults.h"

const struct fault_of_code *fault_next(const struct fault_of_code *before)
{
    const struct fault_of_code *least = NULL;
    bool behind = !before; /* of equal order: as the list has them */
    for (const struct fault_of_code *const *f = found_code_faults; *f; f++) {
        const bool later = !before || (*f)->order > before->order || ((*f)->order == before->order && behind);
        if (later && *f != before && (!least || (*f)->order < least->order))
            least = *f;
        behind |= *f == before;
    }
    return least;
}

void wrong_next(struct mer_array *a, long i)
{
    const struct format *f = format_named(type_name[a->type], strlen(type_name[a->type]));
    double x = array_get(a, i);
    int e;
    frexp(x, &e);
    if (f && isfinite(x))
        array_put(a, i, x + ldexp(1, e - f->p));
}

long wrong_length(const struct mer_call *c)
{
    long n = 0;
    for (int k = 0; k < c->out[0].rank; k++)
        n = c->out[0].dim[k] > n ? c->out[0].dim[k] : n;
    return n;
}

static int run(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    struct wrong *w = s->state;
    struct trial t = { .row = row_named(c->row), .type = type_named(k->type) }, own;
    struct arith a;
    memcpy(t.in, c->in, (size_t)c->n_in * sizeof *c->in), memcpy(t.out, c->out, (size_t)c->n_out * sizeof *c->out);
    t.call = (struct mer_call){ .n_in = c->n_in, .n_out = c->n_out, .in = t.in, .out = t.out };
    const struct fault_of_code none = { 0 }, *fault = w->fault ? w->fault : &none;
    if (fault->received)
        fault->received(&t);
    int rc = trial_params(&t, c->params, why, n) || trial_copy(&own, &t, why, n) ? MER_BAD : MER_OK;
    if (rc == MER_OK) {
        if (fault->before)
            fault->before(&own);
        if (w->mistake && trial_change(&own, w->mistake->change, why, n))
            rc = MER_SKIP; /* a change of an input that this quantity does not have */
        else if (trial_profile(&own, own.profile, &a, ROUND, why, n) < 0)
            rc = MER_BAD;
        if (rc == MER_OK) {
            reference_run(&own, &a);
            if (fault->after)
                fault->after(w, &own);
            for (int o = 0; o < c->n_out; o++) {
                if (fault->answered)
                    fault->answered(&c->out[o]);
                mer_move(&c->out[o], &own.out[o]);
            }
        }
        trial_close(&own);
    }
    params_clear(row_params(t.row), t.params);
    free(t.params);
    return rc;
}

static void close_wrong(struct subject *s) { (void)s; }

void subject_wrong(struct subject *s, struct wrong *w, const char *row, const char *out, int type,
    const struct mistake *m, const struct fault_of_code *fault)
{
    *w = (struct wrong){ .mistake = m, .fault = fault };
    profile_sharp(row_named(row), w->profile, sizeof w->profile);
    w->kernel[0] =
        (struct mer_kernel){ .row = row, .out = out, .type = type_name[type], .profile = w->profile, .strided = 1 };
    *s = (struct subject){
        .kernel = w->kernel, .run = run, .close = close_wrong, .state = w, .seconds = usual_limits.seconds
    };
    const char *wrong = m ? m->id : fault ? fault->name : "";
    snprintf(s->name, sizeof s->name, "reference%s%s", *wrong ? " with " : "", wrong);
}

struct faults_wanted { const char *id; struct mistake *m; };
static int same(const struct mistake *m, void *with)
{
    struct faults_wanted *w = with;
    if (strcmp(m->id, w->id))
        return 0;
    *w->m = *m;
    return 1;
}

int fault_find(const char *name, struct mistake *m, const struct fault_of_code **fault)
{
    char row[64];
    const char *dot = strchr(name, '.');
    *fault = NULL;
    for (const struct fault_of_code *f = fault_next(NULL); f; f = fault_next(f))
        if (!strncmp(name, "fault.", 6) && !strcmp(name + 6, f->name))
            *fault = f;
    snprintf(row, sizeof row, "%.*s", dot ? (int)(dot - name) : 0, name);
    return *fault || (dot && mistakes_each(row, same, &(struct faults_wanted){ dot + 1, m }) == 1) ? 0 : -1;
}
