/* Own kernels at widths whose root is no power of two, under inputs that hide nothing: one product, one score, two
 * keys. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compare/compare.h"
#include "kernels.h"
#include "trial/trial.h"

static const struct { const char *row, *params, *out, *query, *key; } cases[] = {
    { "shaw", "", "o lse", "q", "k" },
    { "xlnet", "", "o lse", "q", "k" },
    { "txl", "", "o lse", "q", "k" },
    { "nezha", "dim=%d", "o lse", "q", "k" },
    { "deberta", "", "o lse", "q", "k" },
    { "deberta", "scale=width", "o lse", "q", "k" },
    { "t5", "scale=width heads=1", "o lse", "q", "k" },
    { "tener", "dim=%d scale=width", "o lse", "q", "k" },
    { "flat", "scale=width", "o lse", "q", "k" },
    { "attention", "", "o lse", "q", "k" },
    { "attention", "scale=1/3", "o lse", "q", "k" },
    { "attention", "scale=1/10 order=bias-first", "o lse", "q", "k" },
    { "rerope", "dim=%d", "o lse", "q", "k" },
    { "selfextend", "dim=%d", "o lse", "q", "k" },
    { "streaming", "dim=%d", "o lse", "q", "k" },
    { "softmax", "scale=10/7", "p", "x", "x" },
    { "expansion", "scale=width position_position=none content_position=none position_content=none", "score", "x",
        "y" },
};
static const int widths[] = { 58, 64, 96, 247 };

/* Sets q = e_0 and k = +-v e_0, values 0 and 1, and all else to 0; projections get the first entry of the identity. */
static void aim(struct trial *t, const char *query, const char *key, double v, bool opposite)
{
    for (int a = 0; a < t->call.n_in; a++)
        for (long i = 0; i < array_len(&t->in[a]) && t->in[a].type <= MER_BF16; i++)
            array_put(&t->in[a], i, i == 0 && t->in[a].name[0] == 'w' && t->in[a].rank == 3 ? 1 : 0);
    struct mer_array *q = trial_in(t, query), *k = trial_in(t, key),
                     *values = strcmp(query, key) && strcmp(query, "x") ? trial_in(t, "v") : NULL;
    array_put(q, 0, 1), array_put(k, 0, v);
    if (k->rank == 3 && k->dim[1] > 1)
        array_put(k, k->dim[2], opposite ? -v : 0);
    for (long c = 0; values && c < values->dim[2]; c++)
        array_put(values, values->dim[2] + c, 1);
}

static double worst_of(const struct mer_kernel *k, int c, int d, long *asked)
{
    char text[200], sizes[64], err[400];
    struct trial t;
    struct arith a;
    double worst = 0;
    d -= strstr(cases[c].params, "dim=") ? d % 2 : 0; /* Rotations and waves come in pairs. */
    snprintf(text, sizeof text, cases[c].params, d);
    snprintf(sizes, sizeof sizes,
        !strcmp(cases[c].row, "softmax")       ? "n=1 m=2" :
            !strcmp(cases[c].row, "attention") ? "h=1 g=1 n=1 m=2 d=%d" :
                                                 "h=1 n=1 m=2 d=%d",
        d);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, text, k->out, MER_F32, sizes, 1 }, err, sizeof err), 0,
        "%s %s: %s", k->row, text, err);
    cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
    for (uint64_t draw = 0; draw < 20; draw++) {
        struct tally y;
        const double v = (double)(float)((1 + ldexp((double)(gen_bits(5, 1, draw) % (1 << 23)), -23)) *
            exp2((double)(gen_bits(5, 2, draw) % 11)));
        aim(&t, cases[c].query, cases[c].key,
            draw == 0     ? 0x1.3981b4p+4 :
                draw == 1 ? 0x1.f6eafep+4 :
                draw == 2 ? 0x1.f69d7ep+9 :
                draw == 3 ? 0x1.e6f2bep+7 :
                            v,
            draw % 2);
        const int rc = mer_ask(k, &t.call);
        cr_assert(rc == MER_OK || rc == MER_SKIP);
        if (rc == MER_SKIP)
            break;
        judge_outputs(&t, &a, 0, &y);
        cr_expect(tally_passes(&y), "%s %s d=%d of %s, draw %d: %g of the bound, got %a want %a", k->row, text, d,
            k->profile, (int)draw, y.ratio, y.got, y.want);
        worst = fmax(worst, y.ratio), ++*asked;
    }
    trial_close(&t);
    return worst;
}

Test(widths, own_kernels_stay_in_their_bounds_where_the_scale_is_rounded, .timeout = 600)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        long asked = 0;
        for (const struct slot *s = slots; s->name; s++)
            for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
                for (size_t d = 0; d < sizeof widths / sizeof *widths; d++)
                    if (!strcmp(k->row, cases[c].row) && strstr(k->out, cases[c].out) && !strcmp(k->type, "f32") &&
                        (strcmp(k->row, "softmax") || d == 0)) {
                        double worst = worst_of(k, (int)c, widths[d], &asked);
                        if (getenv("SHOW"))
                            printf("%s %s %s d=%d %g\n", s->name, k->row, cases[c].params, widths[d], worst);
                    }
        cr_expect_gt(asked, 0, "%s %s: no kernel was asked", cases[c].row, cases[c].params);
    }
}
