/* Compares answers with balls; see judged.h. */
#include "compare/answers.h"
#include "compare/compare.h"
#include "fingerprint/judged.h"
#include "trial/change.h"
#include "base/words.h"
#include <math.h>
#include <stdio.h>

/* lines that are compared; the share of elements, in percent, that wide balls must refuse to every trivial output:
 * below it they decide nothing, and their elements are counted as vague */
enum { LINES = 8, VAGUE_PERCENT = 20 };

void judged_count(struct judged *x, int k) /* counts the elements of the lines that judge_outputs samples */
{
    const struct trial *t = &x->t[k];
    x->elements[k] = 0;
    for (int o = 0; o < t->call.n_out; o++) {
        struct sign s;
        long lines = 1;
        sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
        for (int j = 0; j < s.out.lead; j++)
            lines *= t->out[o].dim[j];
        x->elements[k] += lines ? array_len(&t->out[o]) / lines * (lines < LINES ? lines : LINES) : 0;
    }
    x->of += x->elements[k];
}

/* Compares the answers to question k, `lines` of each output, with those parameters under f->profile. */
static void judge_one(struct judged *x, int k, const char *params, long lines, struct tally *y)
{
    char err[600], text[2 * TEXT_MAX];
    struct trial c;
    struct arith a;
    *y = (struct tally){ 0 };
    snprintf(text, sizeof text, "%s %s", x->t[k].text, params);
    if (!trial_copy(&c, &x->t[k], err, sizeof err) && !trial_params(&c, text, err, sizeof err) &&
        !trial_check(&c, err, sizeof err) && !trial_holds(&c, err, sizeof err) &&
        trial_profile(&c, x->f->profile, &a, WIDEN, err, sizeof err) >= 0) {
        c.answers = x->answers;
        judge_outputs(&c, &a, lines, y);
    }
    trial_close(&c);
}

struct guess_fit judged_by(struct judged *x, const char *params, double most)
{
    const char *trivial;
    struct guess_fit fit = { .of = x->of };
    x->f->trials++, x->vague = 0;
    for (int k = 0; k < x->n && fit.miss <= most; k++) {
        struct tally y;
        judge_one(x, k, params, LINES, &y);
        x->hot = y.over ? k : x->hot;
        const struct format *f = format_named(x->f->type, strlen(x->f->type));
        /* Balls are wide where they span the whole line, or a sixteenth of the terms; others decide even where a
         * trivial output fits, which may then be the right one. */
        bool whole = y.derived == 0 && y.ratio == 0 && y.correct < y.n,
             wide = whole || (f && y.derived > ldexp(1, f->p - 4));
        x->vague += y.undecided ? x->elements[k] - y.n : 0;
        if (y.n && (!wide || 100 * power_of(&y.power, &trivial) >= VAGUE_PERCENT))
            fit.in += y.n - y.over, fit.miss += (double)y.over;
        else if (y.n)
            x->vague += y.n;
        else
            fit.miss = (double)INFINITY;
    }
    return fit;
}
static bool is_whole(const struct judged *x, long in) { return in + x->vague == x->of && x->vague <= in; }
/* Whether they explain everything.  A line of the question that refuted last is asked first: mostly it does again, for
 * a small part of what all lines cost. */
static bool explains(struct judged *x, const char *params)
{
    struct tally y;
    judge_one(x, x->hot, params, 1, &y);
    x->f->trials += y.over > 0;
    return !y.over && is_whole(x, judged_by(x, params, 0).in);
}

/* A profile with every step in one format and library functions to 4 half-ulps; of what the kernel declares only the
 * order of work (routes) is kept. */
static void uniform(const struct row *r, const char *declared, const char *format, char *text, size_t n)
{
    size_t len, at = 0;
    const char *s;
    *text = 0;
    for (const char *word = declared; *word; word = word_next(word))
        for (const struct param *p = row_params(r); p->name; p++)
            if (!strncmp(word, p->name, strlen(p->name)) && word[strlen(p->name)] == '=' && at < n)
                at += (size_t)snprintf(text + at, n - at, "%.*s ", (int)strcspn(word, " "), word);
    for (int k = 0; (s = row_step(r, k, &len)) && at + len + 16 < n; k++)
        at += (size_t)snprintf(text + at, n - at, "%.*s=%s:4 ", (int)len, s, format);
}

/* The mean square of (answer - what rounding this step alone gives) over that of the answer: balls say what is
 * possible, this says what is likeliest. */
static double apart_from(struct judged *x, const char *params, const char *step)
{
    char err[600], text[2 * TEXT_MAX];
    double sum = 0;
    for (int k = 0; k < x->n; k++) {
        struct trial c;
        struct arith a;
        snprintf(text, sizeof text, "%s %s", x->t[k].text, params);
        if (trial_copy(&c, &x->t[k], err, sizeof err) || trial_params(&c, text, err, sizeof err) ||
            trial_profile(&c, step, &a, ROUND, err, sizeof err) < 0)
            sum = (double)INFINITY;
        else
            reference_lines(&c, &a, LINES);
        for (int o = 0; o < c.call.n_out && sum < (double)INFINITY; o++)
            for (long i = 0; i < array_len(&c.out[o]); i++) {
                double y = array_get(&x->t[k].out[o], i), d = y - array_get(&c.out[o], i);
                sum += d == 0 || isnan(d) ? 0 : d * d / fmax(y * y, 0x1p-200);
            }
        trial_close(&c);
    }
    return sum;
}

/* Is the time up?  Then that is kept, for as long as nothing explains the answers. */
static bool late(struct judged *x)
{
    x->f->hurried = x->f->hurried || explain_time() >= x->until;
    return x->f->hurried;
}

/* Finds one step that is coarser than the rest: among those whose balls hold every answer, the one whose rounding
 * comes closest to them. */
static bool one_coarse_step(struct judged *x, const char *params, const char *sharp)
{
    size_t len;
    const char *s;
    char best[1024] = "", step[64];
    double least = (double)INFINITY;
    for (int k = 0; (s = row_step(x->f->row, k, &len)) && !late(x); k++)
        for (int j = 0; j < 2; j++) {
            snprintf(step, sizeof step, "%.*s=%s", len < 40 ? (int)len : 40, s, j ? "bf16" : "f16");
            snprintf(x->f->profile, sizeof x->f->profile, "%.900s %s", sharp, step);
            if (!explains(x, params))
                continue;
            double apart = apart_from(x, params, step);
            if (apart < least)
                least = apart, strcpy(best, x->f->profile), strcpy(x->f->coarse, step);
        }
    strcpy(x->f->profile, *best ? best : sharp);
    return *best && explains(x, params);
}

/* lists the steps of a coarse arithmetic that are needed */
static void coarse_steps(struct judged *x, const char *than)
{
    size_t len, at = 0;
    const char *s;
    char base[1024];
    strcpy(base, x->f->profile);
    for (int k = 0; (s = row_step(x->f->row, k, &len)); k++) {
        snprintf(x->f->profile, sizeof x->f->profile, "%.960s %.*s=f32:4", base, len < 40 ? (int)len : 40, s);
        if (explains(x, x->f->params))
            strcpy(base, x->f->profile);
        else if (at + len + 8 < sizeof x->f->coarse)
            at += (size_t)snprintf(
                x->f->coarse + at, sizeof x->f->coarse - at, "%s%.*s=%s", at ? " " : "", (int)len, s, than);
    }
    strcpy(x->f->profile, base);
}

/* Whether one of the hypotheses explains everything under f->profile; f->explained and f->params keep the best in
 * any case; keep: x->held what of nothing lies outside, which coarse formats would say of anything. */
static bool whole(struct judged *x, char (*h)[TEXT_MAX], int n, bool keep, bool declared)
{
    for (int k = 0; k < n && (!k || !late(x)); k++) {
        const struct guess_fit fit = judged_by(x, h[k], (double)INFINITY);
        const long in = fit.in;
        if (keep && fit.miss == 0 && in + x->vague == x->of && in > x->held.in) {
            x->held.in = in, x->held.vague = x->vague, x->held.declared = declared;
            strcpy(x->held.params, h[k]), strcpy(x->held.profile, x->f->profile);
        }
        if (in > x->f->explained || is_whole(x, in))
            x->f->explained = in, x->f->vague = x->vague, strcpy(x->f->params, h[k]);
        if (is_whole(x, in))
            return true;
    }
    return false;
}

static bool one_step_of(struct judged *x, char (*h)[TEXT_MAX], int n, const char *sharp)
{
    for (int k = 0; k < n && !late(x); k++)
        if (one_coarse_step(x, h[k], sharp)) {
            x->f->explained = x->of - x->vague, x->f->vague = x->vague, strcpy(x->f->params, h[k]);
            return true;
        }
    return false;
}

/* Where nothing explains the answers: what holds them all, if there is something. */
static bool undecided(struct judged *x)
{
    if (!x->held.in)
        return false;
    x->f->undecided = true, x->f->as_declared = x->held.declared;
    x->f->explained = x->held.in, x->f->vague = x->held.vague;
    strcpy(x->f->params, x->held.params), strcpy(x->f->profile, x->held.profile);
    return true;
}

/* true: it explains everything. */
static bool choose(struct judged *x, const char *declared, char (*h)[TEXT_MAX], int n, bool hopeless)
{
    static const char *const ladder[] = { "declared", "f64", "f32", "one", "f16", "bf16" };
    enum { DECLARED, EXACTLY, SHARP, ONE, RUNGS = sizeof ladder / sizeof *ladder };
    char sharp[1024];
    strcpy(x->f->params, h[n - 1]);
    uniform(x->f->row, declared, "f32", sharp, sizeof sharp);
    x->held.in = 0, x->f->undecided = false;
    for (int j = *declared ? DECLARED : EXACTLY; j < RUNGS; j++) {
        if (j > EXACTLY && late(x))
            break;
        if (j > SHARP && (hopeless || x->held.in)) /* what is held here, coarser bounds do not tell any better */
            break;
        if (j == DECLARED)
            snprintf(x->f->profile, sizeof x->f->profile, "%s", declared);
        else if (j != ONE)
            uniform(x->f->row, declared, ladder[j], x->f->profile, sizeof x->f->profile);
        bool found = j == ONE ? one_step_of(x, h, n, sharp) : whole(x, h, n, j <= SHARP, j == DECLARED);
        x->f->as_declared = found && j == DECLARED;
        if (found && j > ONE)
            coarse_steps(x, ladder[j]);
        if (found)
            return true;
    }
    if (!undecided(x))
        strcpy(x->f->profile, sharp);
    return false;
}

void judged_choose(struct judged *x, const char *declared, char (*h)[TEXT_MAX], int n, bool hopeless)
{
    x->answers = answers_open(), x->hot = 0, x->f->hurried = false;
    if (choose(x, declared, h, n, hopeless))
        x->f->hurried = false;
    answers_close(x->answers), x->answers = NULL;
}

void judged_storage(struct judged *x)
{
    int narrow = 0;
    bool real = false;
    for (int o = 0; o < x->t[0].call.n_out; o++)
        real |= x->t[0].out[o].type < MER_I64;
    for (int j = 1; j <= MER_BF16; j++) {
        bool all = true, any = false;
        for (int k = 0; k < x->n && all; k++)
            for (int o = 0; o < x->t[k].call.n_out; o++)
                for (long i = 0; x->t[k].out[o].type < MER_I64 && i < array_len(&x->t[k].out[o]) && all; i++) {
                    double y = array_get(&x->t[k].out[o], i);
                    mpfr_t r;
                    mpfr_init2(r, 64);
                    mpfr_set_d(r, y, MPFR_RNDN);
                    round_to(r, &formats[j]);
                    all = isnan(y) || mpfr_cmp_d(r, y) == 0, any = true;
                    mpfr_clear(r);
                }
        if (all && any)
            narrow = j;
    }
    snprintf(x->f->storage, sizeof x->f->storage, "%s", real ? formats[narrow].name : "integers");
}
