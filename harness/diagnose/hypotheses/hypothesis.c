/* Evaluates wrong variants of a row line by line; see hypothesis.h. */
#include "compare/ball_share.h"
#include "compare/compare.h"
#include "base/digest.h"
#include "trial/change.h"
#include "compare/line_at.h"
#include "trial/sized.h"
#include "diagnose/hypotheses/hypothesis.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { WITH, ALONE, BOUND }; /* indices of how[] and ask[] */
/* Bits of rough balls: those of one word of the machine where it leaves SPARE beyond the output's. */
enum { LIMB = 64, SPARE = 11 };
/* What it is worth to open a hypothesis, in balls: to copy its trial, read its arithmetic and digest its question; and
 * to open an edit over another.  BYTES of inputs are copied and digested in the time of one ball. */
enum { OPENING = 300, OVER = 100, BYTES = 64 };
static double closed;

static const struct format *format_of(const struct mer_array *a, bool integer)
{
    return integer ? &formats[0] : format_named(type_name[a->type], strlen(type_name[a->type]));
}

/* The number of lines of output o, of len elements each; lead: how many axes number the lines. */
static long lines_of(const struct trial *t, int o, int *lead, long *len)
{
    struct sign s;
    long total = 1;
    *len = 1;
    sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
    for (int k = 0; k < t->out[o].rank; k++)
        *(k < s.out.lead ? &total : len) *= t->out[o].dim[k];
    *lead = s.out.lead;
    return total;
}

int places_of(const struct trial *t, long lines, struct place *p, int room)
{
    int n = 0;
    const long most = t->call.n_out ? room / t->call.n_out : 0; /* no output leaves another without a line */
    for (int o = 0; o < t->call.n_out; o++) {
        int lead;
        long len, total = lines_of(t, o, &lead, &len);
        long some = !len ? 0 : !lines || total < lines ? total : lines;
        some = some > most ? most : some;
        long *line = lines_sampled(&t->out[o], lead, o, some, total);
        for (long pick = 0; pick < some && n < room; pick++)
            p[n++] = (struct place){ o, line[pick] };
        free(line);
    }
    return n;
}

long place_len(const struct trial *t, const struct place *p)
{
    int lead;
    long len;
    lines_of(t, p->out, &lead, &len);
    return len;
}

long lines_for(const struct trial *t, long lines, long more)
{
    enum { FEW = 4 };
    bool few = true;
    for (int o = 0; o < t->call.n_out; o++)
        few = few && place_len(t, &(struct place){ o, 0 }) < FEW;
    return few ? more : lines;
}

/* A digest of parameters and inputs. */
static uint64_t question_of(const struct trial *t)
{
    /* Of a large input its beginning and its end are enough: every edit changes one of them, those of a tail the
     * end. */
    enum { SOME = 1 << 16 };
    uint64_t h = digest_text(t->text);
    for (int k = 0; k < t->call.n_in; k++) {
        size_t bytes = (size_t)array_len(&t->in[k]) * type_size(t->in[k].type);
        h = digest_long(h, t->in[k].data, bytes < SOME ? bytes : SOME);
        if (bytes > SOME)
            h = digest_long(h, (const char *)t->in[k].data + (bytes < 2 * SOME ? SOME : bytes - SOME),
                bytes < 2 * SOME ? bytes - SOME : SOME);
    }
    return h;
}
/* Equal keys are taken for equal questions. */
static uint64_t key_of(uint64_t question, const char *steps) { return digest(question, steps, strlen(steps)); }

/* Makes all of h but its trial empty, with the words of the mistake's own steps. */
static void begin(struct hypothesis *h, const char *alone)
{
    memset(h, 0, offsetof(struct hypothesis, own));
    snprintf(h->alone, sizeof h->alone, "%s", alone + strspn(alone, " "));
    h->wider = strstr(h->alone, ":square") || strstr(h->alone, ":invert") || strstr(h->alone, ":times-") ||
            strstr(h->alone, ":plus-") ?
        EDIT_ROUNDINGS :
        1;
}

bool hypothesis_open(struct hypothesis *h, const struct trial *t, const char *change, const char *second)
{
    char err[900], with[2200], here[1024];
    begin(h, "");
    h->t = &h->own;
    if (trial_copy(&h->own, t, err, sizeof err))
        return false;
    *h->own.profile = 0;
    if ((*change && trial_change(&h->own, change, err, sizeof err)) ||
        (second && trial_change(&h->own, second, err, sizeof err)))
        return false;
    begin(h, h->own.profile);
    h->t = &h->own;
    h->question = question_of(h->t), h->key = key_of(h->question, h->alone);
    /* A fault or an edit does something else instead of rounding differently: the radius is that of its page, too. */
    const char *fault = strstr(h->alone, "fault="), *edit = strstr(h->alone, "edit=");
    fault = fault ? fault : edit;
    const int len = fault ? (int)strcspn(fault, " ") : 0;
    if ((*change || second) && !*h->alone && h->question == question_of(t))
        return false;
    if (sized_here(t->profile, t->size, t->bound, here, sizeof here, err, sizeof err))
        return false;
    snprintf(h->bound, sizeof h->bound, "%s %.*s", here, len, fault ? fault : "");
    if (snprintf(with, sizeof with, "%s %s", here, h->alone) >= (int)sizeof h->own.profile)
        return false;
    /* Without words of its own there is nothing to refuse, and to read the parameters again takes time. */
    if ((*h->alone && trial_profile(&h->own, h->alone, &h->how[ALONE], ROUND, err, sizeof err) < 0) ||
        trial_profile(&h->own, with, &h->how[WITH], WIDEN, err, sizeof err) < 0)
        return false;
    if (arith_read(&h->how[ALONE], t->row, h->alone, *h->alone ? ROUND : EXACT, err, sizeof err) < 0 ||
        arith_read(&h->how[BOUND], t->row, h->bound, WIDEN, err, sizeof err) < 0)
        return false;
    return true;
}

const char zero_answer[] = "edit=out:0:out:zero";
bool change_is_edit(const char *change) { return !strncmp(change, "edit=", 5) && !strchr(change, ' '); }

bool hypothesis_over(struct hypothesis *h, const struct hypothesis *declared, const char *edit)
{
    char err[900];
    begin(h, edit);
    h->t = declared->t;
    h->question = declared->question, h->key = key_of(h->question, h->alone);
    /* The words of `declared` end with a space.  What is too long for a profile is too long here. */
    if (snprintf(h->bound, sizeof h->bound, "%s%s", declared->bound, edit) >= (int)sizeof h->t->profile ||
        arith_read(&h->how[ALONE], h->t->row, h->alone, ROUND, err, sizeof err) < 0)
        return false;
    h->how[BOUND] = declared->how[BOUND];
    h->how[BOUND].text = h->bound, h->how[BOUND].edit = h->how[ALONE].edit;
    h->how[WITH] = h->how[BOUND];
    return true;
}

/* Evaluates the page on line p in arithmetic `how`.  y: place_len balls, valid until the next evaluation in the same
 * arithmetic; f: the format of the output.  false: undecided. */
static bool answer(struct hypothesis *h, int how, const struct place *p, const struct ball **y, const struct format **f)
{
    struct ask *w = &h->ask[how];
    const struct mer_array *out = &h->t->out[p->out];
    const struct quantity *q = row_quantity(h->t->row, out->name);
    struct sign s;
    sign_read(&s, q->sign);
    w->params = h->t->params, w->call = &h->t->call, w->arith = &h->how[how], w->len = place_len(h->t, p);
    line_at(w, out, s.out.lead, p->line);
    *f = format_of(out, s.out.integer);
    if (h->how[how].how != WIDEN)
        return line_eval(w, q, *f, y) == YES;
    ask_reset(w, h->rough ? (*f)->p + SPARE > LIMB ? (*f)->p + SPARE : LIMB : (*f)->p + 64);
    line_page(w, q, s.out.integer ? NULL : *f, y);
    return true;
}

/* Whether a ball under an edit says nothing of `got`.  An edit may leave an argument of a bounded function unknown (the
 * cosine of anything), or scores so large that their roundings alone move every weight: the ball is then wider than the
 * same formula on absolute values and holds every number near.  The floor allows for underflow.  Of NaN and infinities
 * only a ball without an end says nothing, and one that a page gives where there may be no number, either. */
static bool says_nothing(const struct ball *y, double got, const struct format *f)
{
    const double radius = b_radius(y), floor = 4 * (y->n + 1) * ldexp(1, (int)f->emin - f->p + 1);
    return mpfr_number_p(y->mid) && (!isfinite(radius) ||
        (isfinite(got) ? radius > up_double(y->mag) + floor : b_may_be_none(y)));
}
/* The share of a ball that `got` uses under an edit.  NaN and infinities explain each other (share 0), but for the two
 * infinities, and no finite number (infinite share).  wider: how many times as wide the ball is. */
static double edit_share(const struct ball *y, double got, double wider)
{
    if (mpfr_number_p(y->mid))
        return ball_share(y, got) / wider;
    const bool other = mpfr_inf_p(y->mid) && isinf(got) && signbit(got) != mpfr_signbit(y->mid);
    return isfinite(got) || other ? (double)INFINITY : 0;
}

bool element_unwritten(const struct mer_array *a, long i)
{
    const size_t size = type_size(a->type);
    const unsigned char *byte = (const unsigned char *)a->data + (size_t)mer_at(a, i) * size;
    for (size_t k = 0; k < size; k++)
        if (byte[k] != 0xff)
            return false;
    return a->type < MER_I64;
}

/* Both hypothesis_fit and hypothesis_wrong; only and wrong may be NULL. */
static void fit_line(struct hypothesis *h, const struct trial *t, const struct place *p, const bool *only, bool *wrong,
    struct fit *f)
{
    const struct mer_array *out = &t->out[p->out];
    const long len = place_len(t, p);
    const struct format *format;
    const struct ball **y = need((size_t)len + 1, sizeof *y);
    struct sign s;
    sign_read(&s, row_quantity(t->row, out->name)->sign);
    answer(h, WITH, p, y, &format);
    for (long k = 0; k < len; k++) {
        const double got = array_get(out, p->line * len + k);
        const bool edited = h->how[WITH].edit.step, open = edited && says_nothing(y[k], got, format);
        const double share = edited ? edit_share(y[k], got, h->wider) : ball_share(y[k], got);
        if (wrong)
            wrong[k] = !(share <= 1);
        if (only && !only[k])
            continue;
        if (!wrong && element_unwritten(out, p->line * len + k)) {
            f->left++;
            continue;
        }
        f->n++, f->finite += isfinite(got), f->open += open;
        if (open)
            continue;
        f->over += !(share <= 1);
        if (isinf(got) && mpfr_inf_p(y[k]->mid))
            f->infinite[signbit(got) != 0] += share <= 1;
        f->unlike += edited && !isfinite(got) && !(isnan(got) ? mpfr_nan_p(y[k]->mid) : mpfr_inf_p(y[k]->mid));
        f->worst = share <= f->worst ? f->worst : isnan(share) ? (double)INFINITY : share;
        /* Trivial outputs are finite, so a ball that explains only NaN says nothing about them; one that is infinite
         * says that it is none of them. */
        if (f->over || (edited && !isfinite(got) && !mpfr_inf_p(y[k]->mid)))
            continue;
        power_count(&f->power, h->t, &s, out, h->ask[WITH].at, k, y[k], format);
    }
    ask_trim(&h->ask[WITH], y, 0);
    free(y);
}

void hypothesis_fit(struct hypothesis *h, const struct trial *t, const struct place *p, const bool *only, struct fit *f)
{
    fit_line(h, t, p, only, NULL, f);
}

void hypothesis_wrong(struct hypothesis *h, const struct trial *t, const struct place *p, bool *wrong, struct fit *f)
{
    fit_line(h, t, p, NULL, wrong, f);
}

bool hypothesis_says(struct hypothesis *h, const struct place *p, double *value, double *radius)
{
    const long len = place_len(h->t, p);
    const struct format *f;
    const struct ball **y = need((size_t)len + 1, sizeof *y);
    bool known = answer(h, ALONE, p, y, &f);
    for (long k = 0; k < len; k++)
        value[k] = known ? mpfr_get_d(y[k]->mid, MPFR_RNDN) : (double)NAN;
    ask_trim(&h->ask[ALONE], y, 0);
    answer(h, BOUND, p, y, &f);
    for (long k = 0; k < len; k++)
        radius[k] = b_radius(y[k]) + fabs(value[k]) * 0x1p-53; /* the value is kept as a double */
    ask_trim(&h->ask[BOUND], y, 0);
    free(y);
    return known;
}

bool hypothesis_middles(struct hypothesis *h, const struct place *p, double *value, double *radius)
{
    const long len = place_len(h->t, p);
    const struct format *f;
    const struct ball **y = need((size_t)len + 1, sizeof *y);
    bool finite = true;
    answer(h, WITH, p, y, &f);
    for (long k = 0; k < len; k++) {
        value[k] = mpfr_get_d(y[k]->mid, MPFR_RNDN), radius[k] = b_radius(y[k]) + fabs(value[k]) * 0x1p-53;
        finite = finite && isfinite(value[k]) && isfinite(radius[k]);
    }
    ask_trim(&h->ask[WITH], y, 0);
    free(y);
    return finite;
}

bool says_same(const double *v, const double *r, const double *w, const double *s, long n)
{
    for (long k = 0; k < n; k++) {
        if (v[k] == w[k] || (isnan(v[k]) && isnan(w[k])))
            continue;
        if (!(fabs(v[k] - w[k]) <= r[k] + s[k]))
            return false;
    }
    return true;
}

void hypothesis_sites(struct hypothesis *h, const struct place *p, int n, struct sites *all)
{
    for (int k = 0; k < n; k++) {
        const struct format *f;
        const struct ball **y = need((size_t)place_len(h->t, &p[k]) + 1, sizeof *y);
        struct sites *line = h->ask[WITH].sites = need(1, sizeof *line);
        answer(h, WITH, &p[k], y, &f);
        h->ask[WITH].sites = NULL;
        sites_join(all, line);
        free(line), free(y);
    }
}

double hypothesis_work(const struct hypothesis *h)
{
    double work = h->t == &h->own ? OPENING : OVER;
    for (int k = 0; h->t == &h->own && k < h->t->call.n_in; k++)
        work += (double)array_len(&h->t->in[k]) * (double)type_size(h->t->in[k].type) / BYTES;
    for (int k = 0; k < 3; k++)
        work += h->ask[k].made;
    return work;
}

double hypotheses_work(void) { return closed; }

void hypothesis_close(struct hypothesis *h)
{
    closed += hypothesis_work(h);
    for (int k = 0; k < 3; k++)
        ask_clear(&h->ask[k]);
    if (h->t == &h->own)
        trial_close(&h->own);
}
