/* What a subject does is found whatever it was told: the reference itself, with a convention of its own that it never mentions, is the subject. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "fingerprint.h"
#include "kill.h"

struct secret { const char *change; }; /* parameters that the subject follows in place of what it is told; a step: its arithmetic */

static int run_secret(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    const struct secret *own = s->state;
    struct trial t = { .row = row_named(c->row), .type = type_named(k->type) };
    struct arith a;
    memcpy(t.in, c->in, sizeof *c->in * (size_t)c->n_in), memcpy(t.out, c->out, sizeof *c->out * (size_t)c->n_out);
    t.call = (struct mer_call){ .in = t.in, .out = t.out, .n_in = c->n_in, .n_out = c->n_out };
    int rc = trial_params(&t, c->params, why, n) || trial_change(&t, own->change, why, n) || trial_check(&t, why, n) || trial_profile(&t, t.profile, &a, ROUND, why, n) < 0 ? MER_SKIP : MER_OK;
    if (rc == MER_OK)
        reference_run(&t, &a);
    params_clear(t.row->params, t.params);
    free(t.params);
    return rc;
}

static void take(struct fingerprint *f, const char *row, const char *out, const char *type, const char *said, const char *change)
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
        cr_expect(fingerprint_whole(&f), "%s %s: %ld of %ld explained", hidden[k].row, hidden[k].change, f.explained, f.of);
        cr_expect_str_eq(t->value, hidden[k].value, "%s %s: found %s (%s; %s)", hidden[k].row, hidden[k].change, t->value, f.params, f.profile);
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
    cr_expect_not(fingerprint_whole(&f));
}

Test(fingerprint, bridges_name_both_values)
{
    char how[600];
    const struct row *r = row_named("attention");
    for (const struct param *p = r->params; p->name; p++) {
        fingerprint_bridge(how, sizeof how, r, p, "17", "19");
        cr_expect(*how && !strchr(how, '$'), "%s: %s", p->name, how);
    }
    for (const struct param *p = r->params; p->name; p++)
        if (!strcmp(p->name, "base")) {
            fingerprint_bridge(how, sizeof how, r, p, "2", "e");
            cr_expect(strstr(how, "ln 2"), "%s", how);
        }
}
