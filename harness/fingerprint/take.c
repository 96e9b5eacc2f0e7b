/* Takes the fingerprint of a kernel, step by step; see take.h. */
#include "fingerprint/take.h"
#include <math.h>
#include <stdio.h>
#include "base/clock.h"
#include "subject/contain.h"
#include "design/offered.h"
#include "fingerprint/candidates.h"
#include "fingerprint/explain.h"
#include "fingerprint/judged.h"
#include "power/kill.h"
#include "subject/subject.h"
#include "trial/change.h"
#include "trial/mistake.h"

enum { SMALL = 16 };
/* seconds that a search may take; the share of its bits that an element misses on average where no hypothesis comes
 * near */
static const double PATIENCE = 2.5, HOPELESS = 0.75;

/* Shapes under which the conventions of a row show: those that its mistakes name, and a few that no table names. */
struct shapes { char at[QUESTIONS][200]; int n; };
static void shape(struct shapes *s, const char *sizes)
{
    for (int k = 0; k < s->n; k++)
        if (!strcmp(s->at[k], sizes))
            return;
    if (s->n < QUESTIONS && strlen(sizes) < sizeof s->at[0])
        strcpy(s->at[s->n++], sizes);
}
static int of_mistake(const struct mistake *m, void *with)
{
    char params[200], sizes[200];
    mistake_parts(m->where, params, sizes, sizeof params);
    return shape(with, sizes), 0;
}

static int keep_answer(struct judged *x, const struct asking *a, const char *sizes, char *why, size_t n)
{
    struct trial *t = &x->t[x->n];
    x->f->asked++;
    *why = 0;
    int rc = trial_make(t, &(struct trial_spec){ a->k->row, a->told, a->k->out, a->type, sizes, 11 + (uint64_t)x->n },
        why, n) ? MER_BAD : MER_OK;
    /* positions of every second question stay small, as a wrong angle is near the right one there */
    for (int j = 0; rc == MER_OK && j < t->call.n_in && x->n % 2 == 0; j++)
        for (long i = 0; t->in[j].type == MER_I64 && i < array_len(&t->in[j]); i++)
            array_put(&t->in[j], i, fmod(array_get(&t->in[j], i), SMALL));
    rc = rc == MER_OK ? a->s->run((struct subject *)a->s, a->k, &t->call, why, n) : rc;
    if (rc != MER_OK) {
        if (!*why)
            snprintf(why, n, rc == MER_SKIP ? "not offered" : "answered that it failed");
        trial_close(t);
        return rc;
    }
    judged_count(x, x->n);
    x->n++;
    return rc;
}

/* Asks the first question again: a subject that answers it differently has no conventions to find. */
static int ask_again(struct judged *x, const struct asking *a, char *why, size_t n)
{
    struct trial t;
    long apart = 0, of = 0;
    int rc = trial_copy(&t, &x->t[0], why, n) ? MER_BAD : a->s->run((struct subject *)a->s, a->k, &t.call, why, n);
    for (int o = 0; rc == MER_OK && o < t.call.n_out; o++)
        for (long i = 0; i < array_len(&t.out[o]); i++, of++) {
            double was = array_get(&x->t[0].out[o], i), is = array_get(&t.out[o], i);
            apart += !(was == is || (isnan(was) && isnan(is)));
        }
    trial_close(&t);
    if (apart)
        snprintf(x->f->nature, sizeof x->f->nature, "answers differently twice: %ld of %ld elements of one question",
            apart, of);
    return rc;
}

/* Asks every question; the answered ones stay in x->t with their outputs. */
static int ask(struct judged *x, struct asking *a, char *err, size_t n)
{
    struct shapes all = { { "n=5 m=9", "n=9 m=5" }, 2 };
    char why[600] = "no question was made", sizes[340];
    mistakes_each(a->k->row, of_mistake, &all);
    if (row_quantity(a->row, "o") && row_quantity(a->row, "lse")) /* more keys than the usual windows are wide */
        all.n = all.n < QUESTIONS ? all.n : QUESTIONS - 1, shape(&all, "n=5 m=300 h=1 g=1 d=4 e=2");
    for (int j = 0; j < all.n && x->n < QUESTIONS; j++) {
        snprintf(sizes, sizeof sizes, "%s %s normal", all.at[j], a->sizes);
        int rc = keep_answer(x, a, sizes, why, sizeof why);
        rc = rc == MER_OK && x->n == 1 ? ask_again(x, a, why, sizeof why) : rc;
        if (rc == MER_CRASHED)
            return snprintf(err, n, "%s.%s: %.400s (%s)", a->k->row, a->k->out, why, sizes), -MER_CRASHED;
    }
    x->f->answered = x->n;
    x->f->of = x->of;
    return x->n && x->of ? 0 :
                           (snprintf(err, n, "%s.%s: no question was answered: %.400s", a->k->row, a->k->out, why), -1);
}

/* Asks under the declared parameters; where there are none and no answer comes, under the first preset that is
 * answered; and where none is, at sizes that the kernel is found to take. */
static int ask_told(struct judged *x, struct asking *a, const char *declared, char *err, size_t n)
{
    a->told = declared;
    int rc = ask(x, a, err, n);
    for (const struct preset *p = a->row->presets; rc == -1 && !*declared && p->name; p++) {
        char other[700] = "";
        a->told = p->text;
        rc = ask(x, a, other, sizeof other);
        if (rc != -1)
            snprintf(err, n, "%s", other);
    }
    if (rc == -1 && offered_words(a->s, a->k, declared, &a->told, a->sizes, sizeof a->sizes))
        rc = ask(x, a, err, n);
    snprintf(x->f->told, sizeof x->f->told, "%s", a->told);
    return rc;
}

/* the parameter's value in a complete line of parameters */
static void value_of(char *v, size_t n, const char *params, const struct param *p)
{
    struct mer_call c = { .params = params };
    const char *s = mer_text(&c, p->name);
    snprintf(v, n, "%.*s", (int)strcspn(s, " "), s);
}

/* Compares one parameter's value with its other candidates: by quick hypotheses, and by balls where those come
 * close. */
static void compare(struct judged *x, struct explain *e, struct trait *r, const struct param *p, struct guess_fit found)
{
    char v[CANDIDATES][96], text[2 * TEXT_MAX];
    size_t at = 0;
    *r = (struct trait){ .p = p };
    value_of(r->value, sizeof r->value, x->f->params, p);
    int n = candidates(x->f->row, p, r->value, x->f->seen.hints, v);
    for (int k = 1; k < n; k++) {
        if (explain_time() > e->until) {
            r->hurried = true;
            return;
        }
        snprintf(text, sizeof text, "%s %s=%s", x->f->params, p->name, v[k]);
        struct guess_fit fit = explain_fit(e, text, (double)INFINITY);
        if (!(fit.miss < (double)INFINITY)) /* undefined, or outputs of another shape */
            continue;
        bool equal = fit.in == found.in && fabs(fit.miss - found.miss) <= 1e-9 * fmax(1, found.miss);
        long refuse = equal   ? 0 :
            fit.in < found.in ? found.in - fit.in :
                                x->f->explained - judged_by(x, text, (double)INFINITY).in;
        r->tried++;
        if (refuse <= 0 && at + strlen(v[k]) + 2 < sizeof r->rivals)
            at += (size_t)snprintf(r->rivals + at, sizeof r->rivals - at, "%s%s", at ? " " : "", v[k]);
        else if (refuse > 0 && (!r->rejects || refuse < r->rejects))
            r->rejects = refuse, r->of = fit.in < found.in ? fit.of : x->of, strcpy(r->next, v[k]);
    }
}

/* Finds out whether the answers are no function of the question (all NaN, all equal); then nothing is searched. */
static void find_nature(struct judged *x, struct explain *e)
{
    long nans = 0, same = 0, all = 0;
    double first = array_get(&x->t[0].out[0], 0);
    for (int k = 0; k < x->n; k++)
        for (int o = 0; o < x->t[k].call.n_out; o++)
            for (long i = 0; i < array_len(&x->t[k].out[o]); i++, all++)
                nans += isnan(array_get(&x->t[k].out[o], i)), same += array_get(&x->t[k].out[o], i) == first;
    struct guess_fit fit = explain_fit(e, x->f->told, (double)INFINITY);
    if (*x->f->nature || fit.in == fit.of) /* a constant may be right: which keys are seen, without a mask */
        return;
    if (nans == all)
        snprintf(
            x->f->nature, sizeof x->f->nature, "answers NaN, or leaves its outputs as they were, whatever is asked");
    else if (same == all && all > 1)
        snprintf(x->f->nature, sizeof x->f->nature, "answers %.9g whatever is asked", first);
}

static void search(struct judged *x, struct explain *e, const char *profile, struct explanation *best)
{
    for (int pass = 0; pass < 2; pass++) {
        int n = explain(e, x->f->told, best);
        const struct guess_fit *fit = n ? &best[0].fit : NULL;
        x->until = explain_time() + slower * PATIENCE;
        judged_choose(
            x, profile, e->trail, e->trail_n, fit && fit->miss > HOPELESS * fmin(e->f->p, 22) * (double)fit->of);
        /* otherwise near is not enough, and it searches once more, and further */
        if (fingerprint_whole(x->f) || !fit || fit->in < fit->of)
            return;
        e->thorough = true;
    }
}

int fingerprint_take(const struct subject *s, const struct mer_kernel *k, const char *declared, struct fingerprint *f,
    char *err, size_t n)
{
    struct judged *x = need(1, sizeof *x);
    struct asking a = { .s = s, .k = k, .row = row_named(k->row), .type = type_named(k->type) };
    struct explanation *best = need(KEPT + 1, sizeof *best);
    struct guess *guess = need(QUESTIONS, sizeof *guess);
    const char *told[FACTS + 1] = { NULL };
    char (*trail)[TEXT_MAX] = need(TRAIL, sizeof *trail);
    double start = explain_time();
    int opened = 0, used = 0;
    *f = (struct fingerprint){ .row = a.row };
    x->f = f;
    snprintf(f->out, sizeof f->out, "%s", k->out), snprintf(f->type, sizeof f->type, "%s", k->type);
    int rc = a.type < 0 || a.type >= MER_I64 ? (snprintf(err, n, "%s: unknown type '%s'", k->row, k->type), -1) :
                                               ask_told(x, &a, declared, err, n);
    if (rc)
        goto out;
    judged_storage(x);
    readers_read(&a, &f->seen);
    for (int j = 0; j < f->seen.n; j++)
        if (*f->seen.at[j].params)
            told[used++] = f->seen.at[j].params;
    while (!rc && opened < x->n)
        rc = guess_open(&guess[opened], &x->t[opened], err, n), opened++;
    if (!rc) {
        struct explain e = { f->row, guess, x->n, format_named(f->type, strlen(f->type)), f->seen.hints, told,
            explain_time() + slower * PATIENCE, .trail = trail };
        find_nature(x, &e);
        explain_canonical(f->row, f->told, f->params, sizeof f->params);
        if (!*f->nature)
            search(x, &e, k->profile ? k->profile : "", best);
        struct guess_fit fit = explain_fit(&e, f->params, (double)INFINITY);
        e.until = explain_time() + slower * PATIENCE / 2;
        for (const struct param *p = row_params(f->row); p->name && f->explained && f->n < TRAITS; p++)
            if (p->kind != ROUTE)
                compare(x, &e, &f->trait[f->n++], p, fit);
        f->trials += e.trials;
    }
out:
    while (opened)
        guess_close(&guess[--opened]);
    for (int j = 0; j < x->n; j++)
        trial_close(&x->t[j]);
    free(x), free(best), free(guess), free(trail);
    f->seconds = explain_time() - start;
    return rc;
}
