/* What a subject does is found whatever it was told: the reference itself, with a convention of its own that it never
 * mentions, is the subject. */
#include <criterion/criterion.h>
#include "command.h"
#include <stdio.h>
#include "part.h"
#include "compare/compare.h"
#include "fingerprint/bridge.h"
#include "fingerprint/candidates.h"
#include "fingerprint/take.h"
#include "kernels.h"
#include "power/kill.h"
#include "trial/change.h"

/* The parameters that the subject follows in place of what it is told; a step among them is its arithmetic. */
struct secret { const char *change; bool quick; };

/* An own kernel that is told something else; MER_SKIP where none offers that. */
static int run_own(struct mer_call *c, const char *params, char *why, size_t n)
{
    struct mer_call own = *c;
    char text[2 * TEXT_MAX];
    struct trial t = { .row = row_named(c->row) };
    snprintf(text, sizeof text, "%s %s", c->params, params);
    int rc = trial_params(&t, text, why, n) ? MER_BAD : MER_SKIP;
    own.params = t.text;
    for (const struct mer_kernel *k = slots[0].kernel; rc == MER_SKIP && k->row; k++) {
        bool all = !strcmp(k->row, c->row) && !strcmp(k->type, "f32") && !strstr(k->profile, "bf16") &&
            c->out[0].type != MER_BF16 && c->out[0].type != MER_F64;
        for (int o = 0; o < c->n_out; o++)
            all = all && strstr(k->out, c->out[o].name);
        rc = all ? mer_ask(k, &own) : rc;
    }
    params_clear(row_params(t.row), t.params);
    free(t.params);
    return rc;
}

static int run_secret(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    const struct secret *own = s->state;
    if (own->quick && run_own(c, own->change, why, n) == MER_OK)
        return MER_OK;
    struct trial t = { .row = row_named(c->row), .type = type_named(k->type) };
    struct arith a;
    memcpy(t.in, c->in, sizeof *c->in * (size_t)c->n_in), memcpy(t.out, c->out, sizeof *c->out * (size_t)c->n_out);
    t.call = (struct mer_call){ .in = t.in, .out = t.out, .n_in = c->n_in, .n_out = c->n_out };
    int rc = trial_params(&t, c->params, why, n) || trial_change(&t, own->change, why, n) || trial_check(&t, why, n) ||
            trial_profile(&t, t.profile, &a, ROUND, why, n) < 0 ?
        MER_SKIP :
        MER_OK;
    if (rc == MER_OK)
        reference_run(&t, &a);
    params_clear(row_params(t.row), t.params);
    free(t.params);
    return rc;
}

static void take(
    struct fingerprint *f, const char *row, const char *out, const char *type, const char *said, const char *change)
{
    struct secret own = { change };
    struct subject s = { .name = "secret", .run = run_secret, .state = &own };
    struct mer_kernel k = { .row = row, .out = out, .type = type, .profile = "" };
    char err[700];
    cr_assert_eq(fingerprint_take(&s, &k, said, f, err, sizeof err), 0, "%s.%s %s: %s", row, out, change, err);
}

static const struct trait *trait_of(const struct fingerprint *f, const char *name)
{
    for (int k = 0; k < f->n; k++)
        if (!strcmp(f->trait[k].p->name, name))
            return &f->trait[k];
    cr_assert_fail("%s has no parameter %s", f->row->name, name);
    return NULL;
}

Test(fingerprint, finds_a_convention_that_was_not_declared, .timeout = 300)
{
    static const struct { const char *row, *out, *said, *change, *key, *value; } hidden[] = {
        { "attention", "o lse", "causal=bottomright", "causal=topleft", "causal", "topleft" },
        { "attention", "o lse", "", "group=tile", "group", "tile" },
        { "attention", "o lse", "", "base=2", "base", "2" },
        { "attention", "o lse", "causal=bottomright", "window=100", "window", "100" },
        { "attention", "o", "causal=bottomright", "empty=nan", "empty", "nan" },
        { "rope", "y", "", "layout=interleaved", "layout", "interleaved" },
        { "rope", "y", "", "base=54321", "base", "54321" },
        { "rope", "y", "", "rotary=16", "rotary", "16" },
    };
    for (size_t k = 0; k < sizeof hidden / sizeof *hidden; k++) {
        struct fingerprint f;
        take(&f, hidden[k].row, hidden[k].out, "f32", hidden[k].said, hidden[k].change);
        const struct trait *t = trait_of(&f, hidden[k].key);
        cr_expect(
            fingerprint_whole(&f), "%s %s: %ld of %ld explained", hidden[k].row, hidden[k].change, f.explained, f.of);
        cr_expect_str_eq(t->value, hidden[k].value, "%s %s: found %s (%s; %s)", hidden[k].row, hidden[k].change,
            t->value, f.params, f.profile);
        cr_expect(t->rejects > 0, "%s %s: no evidence", hidden[k].row, hidden[k].change);
    }
}

/* Two conventions at once, and a coarse step beside them. */
Test(fingerprint, finds_two_conventions_and_a_coarse_step, .timeout = 300)
{
    struct fingerprint f;
    take(&f, "attention", "o lse", "f32", "causal=bottomright", "causal=topleft base=2 group=tile");
    cr_expect(fingerprint_whole(&f));
    cr_expect_str_eq(trait_of(&f, "causal")->value, "topleft");
    cr_expect_str_eq(trait_of(&f, "base")->value, "2");
    cr_expect_str_eq(trait_of(&f, "group")->value, "tile");
    cr_expect_str_eq(f.coarse, "", "%s", f.coarse);
    take(&f, "attention", "o", "f32", "", "weight=bf16");
    cr_expect(fingerprint_whole(&f));
    cr_expect(strstr(f.coarse, "weight="), "%s; %s; %s", f.coarse, f.params, f.profile);
    cr_expect_str_eq(f.storage, "f32");
}

static long extent_of(const struct row *r, const char *params, char letter)
{
    struct trial t = { .row = r };
    char err[300];
    long x = trial_params(&t, params, err, sizeof err) ? -1 : r->extent ? r->extent(t.params, letter) : 0;
    params_clear(row_params(r), t.params);
    free(t.params);
    return x;
}

/* The words of params that give arrays another shape, which the subject is told. */
static void shape_of(const struct row *r, const char *params, char *told, size_t n)
{
    *told = 0;
    for (int pass = 0; pass < 2; pass++)
        for (const char *s = params; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
            char with[700];
            bool other = false;
            snprintf(with, sizeof with, "%s %.*s", told, (int)strcspn(s, " "), s);
            for (char c = 'a'; c <= 'z'; c++)
                other |= extent_of(r, with, c) >= 0 && extent_of(r, with, c) != extent_of(r, told, c);
            if (other)
                snprintf(told, n, "%s", with);
        }
}

/* The row's first own kernel in f32, or, where it has none, its first quantity. */
static struct mer_kernel first_kernel(const struct row *r)
{
    static char name[32];
    struct sign sign;
    for (const struct mer_kernel *o = slots[0].kernel; o->row; o++)
        if (!strcmp(o->row, r->name) && !strcmp(o->type, "f32"))
            return (struct mer_kernel){ r->name, o->out, "f32", o->profile };
    sign_read(&sign, r->q[0].sign);
    snprintf(name, sizeof name, "%s", sign.out.name);
    return (struct mer_kernel){ r->name, name, "f32", "" };
}

/* Was every answer of a subject with this secret explained by what was found? `said` becomes what was found to differ
 * from the defaults, or why nothing could be asked. */
static bool find(const struct row *r, const char *change, struct fingerprint *f, char *said, size_t n)
{
    struct secret own = { change, true };
    struct subject s = { .name = "secret", .run = run_secret, .state = &own };
    struct mer_kernel k = first_kernel(r);
    char told[700], err[700];
    shape_of(r, change, told, sizeof told);
    /* Where the words about shapes do not suffice, the subject is told all of the change, as its inputs depend on
     * it. */
    if (fingerprint_take(&s, &k, told, f, err, sizeof err) && fingerprint_take(&s, &k, change, f, err, sizeof err))
        return snprintf(said, n, "%s", err), false;
    fingerprint_brief(f, said, n);
    return fingerprint_whole(f);
}

/* A sixth of the presets, so that each row is met (part.h). */
Test(fingerprint, finds_every_preset, .timeout = 300)
{
    /* MERIDIAN_PATIENCE multiplies this limit, as it does those of all tests (patience.c). */
    const char *only = getenv("ROW"), *patient = getenv("MERIDIAN_PATIENCE");
    const double most = 5 * (patient && atof(patient) > 1 ? atof(patient) : 1);
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct preset *p = (*r)->presets; p->name && (!only || !strcmp(only, (*r)->name)); p++) {
            struct fingerprint f;
            char said[3000];
            if (!only && !is_due(r - all_rows + (p - (*r)->presets), 6))
                continue;
            bool ok = find(*r, p->text, &f, said, sizeof said);
            cr_expect(ok, "%s %s: told '%s', found %s; %ld of %ld explained", (*r)->name, p->text, f.told, said,
                f.explained, f.of);
            cr_expect(f.seconds < most, "%s %s: %.1f s", (*r)->name, p->text, f.seconds);
        }
}

/* Three changes at once, drawn from what is known of each row's parameters. */
static void draw(const struct row *r, uint64_t seed, char *change, size_t n)
{
    int params = 0;
    while (row_params(r)[params].name)
        params++;
    *change = 0;
    for (uint64_t k = 0, taken = 0; k < 200 && taken < 3; k++) {
        const struct param *p = &row_params(r)[gen_bits(seed, 1, k) % (uint64_t)params];
        char v[CANDIDATES][96], with[700], err[300];
        struct trial t = { .row = r };
        int some = p->kind == ROUTE || p->kind == LIST ? 0 : candidates(r, p, p->value, "", v);
        if (some < 2 || strstr(change, p->name))
            continue;
        snprintf(with, sizeof with, "%.500s%s%s=%s", change, *change ? " " : "", p->name,
            v[1 + gen_bits(seed, 2, k) % (uint64_t)(some - 1)]);
        bool same_shape = true;
        for (char c = 'a'; c <= 'z'; c++)
            same_shape = same_shape && extent_of(r, with, c) == extent_of(r, "", c);
        if (same_shape && !trial_params(&t, with, err, sizeof err))
            snprintf(change, n, "%s", with), taken++;
        if (t.params)
            params_clear(row_params(r), t.params), free(t.params);
    }
}
Test(fingerprint, finds_three_conventions_at_once, .timeout = 300)
{
    static const char *const rows[] = { "attention", "rope", "sinusoid", "alibi", "t5", "shaw", "rmsnorm", "tener",
        "learned", "feedforward" };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct fingerprint f;
            char change[700], said[3000];
            draw(row_named(rows[k]), seed, change, sizeof change);
            bool ok = find(row_named(rows[k]), change, &f, said, sizeof said);
            cr_expect(ok, "%s %s: told '%s', found %s; %ld of %ld explained", rows[k], change, f.told, said,
                f.explained, f.of);
        }
}

/* What no parameters explain is not made to fit. */
static int run_noise(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    (void)s, (void)k, (void)why, (void)n;
    for (long i = 0; i < array_len(&c->out[0]); i++)
        array_put(&c->out[0], i, 0.37 + 0.01 * (double)(i % 7));
    return MER_OK;
}
Test(fingerprint, of_noise_is_not_whole, .timeout = 300)
{
    struct fingerprint f;
    struct subject s = { .name = "noise", .run = run_noise };
    struct mer_kernel k = { .row = "attention", .out = "o", .type = "f32", .profile = "" };
    char err[700];
    cr_assert_eq(fingerprint_take(&s, &k, "", &f, err, sizeof err), 0, "%s", err);
    char said[300];
    fingerprint_verdict(&f, said, sizeof said);
    cr_expect(!fingerprint_whole(&f) && !f.undecided && !strncmp(said, "NOT EXPLAINED", 13), "%s", said);
}

/* Own gradients through a whole encoder and decoder: bounds in float32 hold all of them, and are too wide to tell for
 * the most part.  That is no failure to explain them. */
Test(fingerprint, bounds_that_are_too_wide_are_undecided_and_do_not_refute, .timeout = 300)
{
    struct fingerprint f;
    struct subject s = { .seconds = 60 };
    char err[700], said[300];
    cr_assert_eq(subject_own(&s, "scalar", err, sizeof err), 0, "%s", err);
    const struct mer_kernel *k = s.kernel;
    while (k->row && (strcmp(k->row, "encdec") || !strstr(k->out, "dsrc")))
        k++;
    cr_assert(k->row != NULL);
    cr_assert_eq(fingerprint_take(&s, k, "", &f, err, sizeof err), 0, "%s", err);
    fingerprint_verdict(&f, said, sizeof said);
    cr_expect(!fingerprint_whole(&f) && f.undecided && !strncmp(said, "UNDECIDED: 0 of", 15), "%s", said);
    cr_expect(f.explained + f.vague == f.of && f.vague > f.explained && f.explained > 0,
        "%ld explained, %ld vague of %ld", f.explained, f.vague, f.of);
    s.close(&s);
}

Test(fingerprint, bridges_name_both_values)
{
    char how[600];
    const struct row *r = row_named("attention");
    for (const struct param *p = row_params(r); p->name; p++) {
        fingerprint_bridge(how, sizeof how, r, p, "17", "19");
        cr_expect(*how && !strchr(how, '$'), "%s: %s", p->name, how);
    }
    for (const struct param *p = row_params(r); p->name; p++)
        if (!strcmp(p->name, "base")) {
            fingerprint_bridge(how, sizeof how, r, p, "2", "e");
            cr_expect(strstr(how, "ln 2"), "%s", how);
        }
}

/* Long lists of outputs are asked whole: a name that was cut would be of no quantity. */
Test(fingerprint, two_subjects_are_asked_for_all_outputs_that_both_have)
{
    cr_expect_eq(meridian("", "diff own:scalar own:scalar --row seq2seq --type f32"), 0, "%s", err);
    cr_expect(strstr(out, "dwy_logprob dws_logprob dwc_logprob dbs_logprob dwo_logprob dbo_logprob f32: own") &&
            !strstr(out, "no quantity"), "%s%s", out, err);
}
