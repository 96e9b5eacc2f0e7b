/* What every check does: makes a call, asks it, holds the answers to the derived bounds, puts into words what was
 * found; see probe.h. */
#include "checks/core/probe.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include "compare/compare.h"
#include "subject/contain.h"
#include "core/kept.h"
#include "diagnose/joint/joint.h"
#include "diagnose/rung.h"
#include "trial/change.h"
#include "compare/line_at.h"

bool probe_make(struct probe *p, struct trial *t, const char *more, const char *sizes)
{
    char params[TEXT_MAX], all[300], err[600];
    snprintf(params, sizeof params, "%s %s", p->params, more ? more : "");
    snprintf(all, sizeof all, "%s %s", p->with ? p->with : "", sizes);
    if (p->claim && more && !declared_has(p->claim, more))
        return false;
    if (p->claim)
        declared_widths(p->claim, params, p->kernel->out, type_named(p->kernel->type), all, sizeof all);
    if (!trial_make(t, &(struct trial_spec){ p->kernel->row, params, p->kernel->out, type_named(p->kernel->type), all,
        p->seed }, err, sizeof err))
        return true;
    trial_close(t);
    return false;
}

/* Asks the kernels with these outputs and this type in turn until one answers: they may divide the calls among
 * themselves. */
static int ask_any(struct probe *p, struct mer_call *c, char *why, size_t n)
{
    int rc = MER_SKIP;
    for (const struct mer_kernel *k = p->kernel; k->row && rc == MER_SKIP; k++)
        if (!strcmp(k->row, p->kernel->row) && !strcmp(k->out, p->kernel->out) && !strcmp(k->type, p->kernel->type))
            rc = p->who->run(p->who, p->used = k, c, why, n);
    return rc;
}

static bool answered(struct probe *p, int rc, const char *why)
{
    const bool asked = rc != MER_SKIP && rc != MER_UNASKED;
    p->asked += asked;
    p->declined += rc == MER_SKIP;
    if (rc == MER_UNASKED && !p->outside++ && p->word == PASS && !*p->says)
        snprintf(p->says, sizeof p->says, "not asked: %.500s", why);
    if (rc != MER_OK && asked && p->word != CRASHED && p->word != FAILED) {
        p->word = CRASHED;
        snprintf(p->says, sizeof p->says, "%s%s%.500s", rc == MER_BAD ? "answered that it failed" : "",
            rc == MER_BAD && *why ? ": " : "", why);
    }
    return rc == MER_OK;
}

static bool outside(struct probe *p, struct trial *t)
{
    char why[300];
    if (p->claim)
        declared_positions(p->claim, t, false);
    bool is = p->claim && declared_outside(p->claim, t, why, sizeof why);
    if (is && !p->outside++ && p->word == PASS && !*p->says)
        snprintf(p->says, sizeof p->says, "%s", why);
    return is;
}

bool probe_ask(struct probe *p, struct trial *t)
{
    char why[600] = "";
    if (!outside(p, t) && answered(p, ask_any(p, &t->call, why, sizeof why), why))
        return true;
    trial_close(t);
    return false;
}

bool probe_ask_together(struct probe *p, struct trial *t, int n)
{
    char why[600] = "";
    struct mer_call *c[8];
    int rc = MER_SKIP;
    bool out = false;
    for (int i = 0; i < n; i++)
        c[i] = &t[i].call, out |= outside(p, &t[i]);
    for (const struct mer_kernel *k = p->kernel; k->row && rc == MER_SKIP && !out; k++)
        if (!strcmp(k->row, p->kernel->row) && !strcmp(k->out, p->kernel->out) && !strcmp(k->type, p->kernel->type)) {
            p->used = k;
            rc = p->who->together ? p->who->together(p->who, k, c, n, why, sizeof why) : MER_OK;
            for (int i = 0; i < n && !p->who->together && rc == MER_OK; i++)
                rc = p->who->run(p->who, k, c[i], why, sizeof why);
        }
    if (!out && answered(p, rc, why))
        return true;
    for (int i = 0; i < n; i++)
        trial_close(&t[i]);
    return false;
}

/* Room for the exact values and bounds of t's outputs.  Until they are known they are NaN, which no answer meets and
 * no comparison accepts. */
static void make_room(struct probe *p, const struct trial *t)
{
    for (int o = 0; o < t->call.n_out; o++) {
        const long n = array_len(&t->out[o]);
        p->want[o] = need((size_t)n + 1, sizeof(double)), p->bound[o] = need((size_t)n + 1, sizeof(double));
        for (long i = 0; i < n; i++)
            p->want[o][i] = p->bound[o][i] = (double)NAN;
    }
}

static void free_room(struct probe *p)
{
    for (int o = 0; o < TRIAL_OUT; o++)
        free(p->want[o]), free(p->bound[o]), p->want[o] = p->bound[o] = NULL;
}
void probe_close(struct probe *p) { free_room(p); }

static void read_line(struct probe *p, const struct quantity *q, struct ask *w, struct ask *wide,
    const struct mer_array *out, int o, long line, bool integer)
{
    const struct format *f = integer ? &formats[0] : format_named(type_name[out->type], strlen(type_name[out->type]));
    const struct ball **x = need((size_t)w->len * 2 + 1, sizeof *x), **b = x + w->len;
    /* the name must outlive the arrays, as the verdict is written after they are freed */
    const char *name = kept(out->name);
    enum truth known = line_eval(w, q, f, x);
    ask_trim(w, x, w->len);
    ask_reset(wide, f->p + 64);
    line_page(wide, q, integer ? NULL : f, b);
    for (long k = 0; k < w->len; k++) {
        long i = line * w->len + k;
        if (known == YES)
            tally_add(&p->y, x[k], b[k], array_get(out, i), f, w->at, k, name);
        p->want[o][i] = known == YES ? b_value(x[k]) : (double)NAN,
        p->bound[o][i] = b_radius(b[k]) + fabs(b_value(b[k]) - b_value(x[k]));
    }
    p->y.undecided += known != YES;
    p->y.lines++, p->y.lines_of++;
    ask_trim(wide, b, 0);
    free(x);
}

long probe_read(struct probe *p, struct trial *t)
{
    static const struct arith exact = { 0 };
    struct arith a;
    char err[600];
    long over = p->y.over;
    free_room(p), make_room(p, t);
    if (trial_profile(t, p->profile ? p->profile : p->used->profile, &a, WIDEN, err, sizeof err) < 0) {
        /* parameters may lack a route that the profile names; words that cannot be read at all were refused before
         * (valid.h) */
        if (p->word == PASS)
            p->word = SKIPPED, snprintf(p->says, sizeof p->says, "%.590s", err);
        return -1;
    }
    for (int o = 0; o < t->call.n_out; o++) {
        const struct quantity *q = row_quantity(t->row, t->out[o].name);
        const struct mer_array *out = &t->out[o];
        struct sign s;
        long lines = 1, len = 1;
        sign_read(&s, q->sign);
        for (int k = 0; k < out->rank; k++)
            *(k < s.out.lead ? &lines : &len) *= out->dim[k];
        struct ask w = { .params = t->params, .call = &t->call, .arith = &exact, .len = len, .cost = &p->y.cost },
                   wide = { .params = t->params, .call = &t->call, .arith = &a, .len = len };
        for (long line = 0; line < lines; line++) {
            line_at(&w, out, s.out.lead, line), line_at(&wide, out, s.out.lead, line);
            read_line(p, q, &w, &wide, out, o, line, s.out.integer);
        }
        ask_clear(&w), ask_clear(&wide);
    }
    return p->y.over - over;
}

bool probe_judge(struct probe *p, struct trial *t)
{
    long over = probe_read(p, t);
    if (over > 0 && p->word != FAILED) {
        p->word = FAILED;
        p->diagnosed = joint_wanted();
        p->explained = p->diagnosed && joint_diagnose(t, &p->diagnosis);
        if (p->diagnosed)
            rung_explain(t, &p->diagnosis, p->says, sizeof p->says);
    }
    return over == 0;
}

bool probe_misses(const struct probe *p, const struct trial *t, int o, long i)
{
    double got = array_get(&t->out[o], i), want = p->want[o][i];
    return !(fabs(got - want) <= p->bound[o][i]) && !(got == want) && !(isnan(got) && isnan(want));
}

static void write_words(struct probe *p, const char *format, va_list v)
{
    size_t at = strlen(p->says);
    if (at && at + 3 < sizeof p->says)
        at += (size_t)snprintf(p->says + at, sizeof p->says - at, "; ");
    if (at < sizeof p->says)
        vsnprintf(p->says + at, sizeof p->says - at, format, v);
}
void probe_say(struct probe *p, const char *format, ...)
{
    va_list v;
    va_start(v, format);
    write_words(p, format, v);
    va_end(v);
}
void probe_fail(struct probe *p, const char *format, ...)
{
    va_list v;
    if (p->word == FAILED || p->word == CRASHED)
        return;
    p->word = FAILED, *p->says = 0;
    va_start(v, format);
    write_words(p, format, v);
    va_end(v);
}

bool probe_exact(const struct trial *t, struct trial *exact)
{
    char err[600];
    bool made = !trial_copy(exact, t, err, sizeof err);
    if (made)
        reference_run(exact, &(struct arith){ 0 });
    else
        trial_close(exact);
    return made;
}

static long flat(const struct mer_array *a, long i, long j, long k)
{
    return a->rank < 2 ? i : a->rank < 3 ? i * a->dim[1] + j : (i * a->dim[1] + j) * a->dim[2] + k;
}
void probe_fill(struct trial *t, const char *name, double x)
{
    struct mer_array *a = mer_find(t->in, t->call.n_in, name);
    for (long i = 0; a && i < array_len(a); i++)
        array_put(a, i, x);
}
void probe_put(struct trial *t, const char *name, long i, long j, long k, double x)
{
    struct mer_array *a = mer_find(t->in, t->call.n_in, name);
    if (a)
        array_put(a, flat(a, i, j, k), x);
}
void probe_keys(struct trial *t)
{
    const struct mer_array *v = mer_find(t->in, t->call.n_in, "v");
    probe_fill(t, "v", 0);
    for (long g = 0; v && g < v->dim[0]; g++)
        for (long j = 0; j < v->dim[1] && j < v->dim[2]; j++)
            probe_put(t, "v", g, j, j, 1);
}
int probe_within(const struct probe *p, const long *from, int n, long *to)
{
    int used = 0;
    if (!p->claim || !p->claim->positioned)
        return memcpy(to, from, (size_t)n * sizeof *to), n;
    for (int i = 0; i < n; i++)
        if (from[i] >= p->claim->least && from[i] <= p->claim->most)
            to[used++] = from[i];
    if (used == n)
        used--;
    to[used++] = p->claim->most;
    return used;
}
void probe_positions(struct trial *t, const long *pos, int n)
{
    struct mer_array *a = mer_find(t->in, t->call.n_in, "pos");
    long len = a ? a->dim[a->rank - 1] : 1;
    for (long i = 0; a && i < array_len(a); i++)
        array_put(a, i, (double)pos[(i % len + i / len) % n]);
}
double probe_got(const struct trial *t, int o, long i, long j, long k)
{
    return array_get(&t->out[o], flat(&t->out[o], i, j, k));
}

const char *probe_value(const struct trial *t, const char *key, char *text, size_t n)
{
    const char *v = mer_text(&t->call, key);
    snprintf(text, n, "%.*s", (int)strcspn(v, " "), v);
    return text;
}
bool probe_has(const struct trial *t, const char *key)
{
    for (const struct param *q = row_params(t->row); q->name; q++)
        if (!strcmp(q->name, key))
            return true;
    return false;
}
bool probe_wants(const struct probe *p, const char *name)
{
    const char *s = p->with ? strstr(p->with, name) : NULL;
    return p->own || (s && (s == p->with || s[-1] == ' ') && strchr(" ", s[strlen(name)]));
}
