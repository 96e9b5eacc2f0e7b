/* The delta rule by tiles of tokens and blocks of columns, in every slot that has it: within its bound at the edges of
 * both, where no byte beside an array is touched, and with the same bits wherever a call is cut in two. */
#include <criterion/criterion.h>
#include "compare/compare.h"
#include "guard.h"
#include "kernels.h"
#include "recurrent/delta.h"

static const struct asked { const char *row, *params; } asked[] = {
    { "deltanet", "group=tile" },
    { "deltanet", "l2norm=max l2_eps=1/4 strength=sigmoid" },
    { "gateddelta", "scale=3/4" },
    { "gateddelta", "gate=softplus strength=sigmoid beta_max=2" },
    { "kda", "group=tile" },
    { "kda", "gate=softplus l2norm=max" },
    { "kda", "gate=lower-bound strength=sigmoid" },
};
enum { ASKED = sizeof asked / sizeof *asked };
/* What is asked of a kernel that is not scalar, of one row and type. */
typedef void with_kernel(const struct slot *s, const struct mer_kernel *k, const struct asked *q);
static void each(with_kernel *f, const char *type)
{
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; strcmp(s->name, "scalar") && s->here() && k->row; k++)
            for (int q = 0; q < ASKED; q++)
                if (!strcmp(k->row, asked[q].row) && !strcmp(k->out, "o final") && (!type || !strcmp(k->type, type)))
                    f(s, k, &asked[q]);
}
static void make(struct trial *t, const struct mer_kernel *k, const struct asked *q, const char *sizes)
{
    char err[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ k->row, q->params, k->out, type_named(k->type), sizes, 9 }, err,
        sizeof err), 0, "%s", err);
}

/* Tokens of one tile more or less, and columns of one block more or less. */
static void at_edges(const struct slot *s, const struct mer_kernel *k, const struct asked *q)
{
    static const char *const sizes[] = { "h=2 g=1 n=1 d=1 e=1", "h=2 g=2 n=2 d=9 e=31 state", "h=1 g=1 n=64 d=2 e=33",
        "h=1 g=1 n=65 d=3 e=17 state", "h=1 g=1 n=3 d=17 e=65 state", "h=4 g=2 n=2 d=8 e=128 state" };
    for (size_t x = 0; x < sizeof sizes / sizeof *sizes; x++) {
        struct trial t;
        struct arith a;
        struct tally y;
        char all[80], err[400], bad[40] = "";
        const bool gates = strstr(q->params, "gate=") != NULL;
        snprintf(all, sizeof all, "%s%s", sizes[x], gates ? " A_log dt_bias" : "");
        make(&t, k, q, all);
        cr_assert_eq(mer_ask(k, &t.call), MER_OK);
        cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
        judge_outputs(&t, &a, 12, &y);
        cr_expect(tally_passes(&y), "%s %s %s %s, %s: %ld of %ld over, %g of the bound", s->name, k->row, k->type,
            q->params, all, y.over, y.n, y.ratio);
        for (int behind = 0; behind < 2; behind++) {
            const char *wrong = guard_ask(k, &t, behind, bad, sizeof bad);
            cr_expect(!wrong, "%s %s %s %s, %s: %s: %s", s->name, k->row, k->type, q->params, all, bad, wrong);
        }
        trial_close(&t);
    }
}
Test(delta_tiles, float_lies_in_its_bound_at_every_edge_and_within_its_arrays) { each(at_edges, "f32"); }
Test(delta_tiles, bfloat_lies_in_its_bound_at_every_edge_and_within_its_arrays) { each(at_edges, "bf16"); }

/* The part of x that lies at tokens from .. to - 1, in memory of its own; the second axis of arrays of tokens. */
static struct mer_array part(const struct mer_array *x, long from, long to)
{
    struct mer_array y = *x;
    const size_t line = mer_width(x->type) * (size_t)(x->rank == 3 ? x->dim[2] : 1);
    y.dim[1] = to - from, y.data = malloc((size_t)mer_count(&y) * mer_width(y.type) + 1);
    for (long h = 0; h < x->dim[0]; h++)
        memcpy((char *)y.data + (size_t)(h * y.dim[1]) * line, (char *)x->data + (size_t)(h * x->dim[1] + from) * line,
            (size_t)y.dim[1] * line);
    return y;
}
static bool of_tokens(const struct mer_array *x)
{
    return strcmp(x->name, "state") && strcmp(x->name, "final") && strcmp(x->name, "A_log") &&
        strcmp(x->name, "dt_bias");
}
/* A call is asked whole, then in two, the second beginning at the state where the first ended. */
static void in_two(const struct slot *s, const struct mer_kernel *k, const struct asked *q)
{
    enum { N = DELTA_TOKENS + 3, ARRAYS = 16 };
    static const long cuts[] = { 1, 3, DELTA_TOKENS, N - 1 };
    struct trial t;
    char sizes[80];
    const bool gates = strstr(q->params, "gate=") != NULL;
    snprintf(sizes, sizeof sizes, "h=2 g=1 n=%d d=5 e=70 state%s", N, gates ? " A_log dt_bias" : "");
    make(&t, k, q, sizes);
    cr_assert_eq(mer_ask(k, &t.call), MER_OK);
    for (size_t x = 0; x < sizeof cuts / sizeof *cuts; x++) {
        struct mer_array in[ARRAYS], o, final = t.out[1], begin = *mer_in(&t.call, "state");
        final.data = malloc((size_t)mer_count(&final) * sizeof(float));
        for (int half = 0; half < 2; half++) {
            const long from = half ? cuts[x] : 0, to = half ? N : cuts[x];
            struct mer_array want = part(&t.out[0], from, to);
            o = part(&t.out[0], from, to);
            memset(o.data, 0xff, (size_t)mer_count(&o) * sizeof(float));
            for (int j = 0; j < t.call.n_in; j++)
                in[j] = of_tokens(&t.in[j]) ? part(&t.in[j], from, to) :
                    strcmp(t.in[j].name, "state") ? t.in[j] : begin;
            struct mer_array out[] = { o, final };
            struct mer_call c = t.call;
            c.in = in, c.out = out;
            cr_assert_eq(mer_ask(k, &c), MER_OK);
            cr_expect(!memcmp(o.data, want.data, (size_t)mer_count(&o) * sizeof(float)),
                "%s %s %s: cut at %ld, part %d", s->name, k->row, q->params, cuts[x], half);
            for (int j = 0; j < t.call.n_in; j++)
                if (of_tokens(&t.in[j]))
                    free(in[j].data);
            free(o.data), free(want.data);
            if (half)
                free(begin.data);
            begin = final, begin.name = "state";
            final.data = half ? final.data : malloc((size_t)mer_count(&final) * sizeof(float));
        }
        cr_expect(!memcmp(final.data, t.out[1].data, (size_t)mer_count(&final) * sizeof(float)),
            "%s %s %s: cut at %ld, final", s->name, k->row, q->params, cuts[x]);
        free(final.data);
    }
    trial_close(&t);
}
Test(delta_tiles, two_calls_give_the_bits_of_one_wherever_it_is_cut) { each(in_two, "f32"); }

/* Another order of a token's steps is another question, which the scalar kernel answers. */
static void declines(const struct slot *s, const struct mer_kernel *k, const struct asked *q)
{
    static const char *const orders[] = { "order=correct-first", "read=before" };
    for (int x = strcmp(k->row, "deltanet") ? 0 : 1; x < 2; x++) {
        const struct asked other = { q->row, orders[x] };
        struct trial t;
        make(&t, k, &other, "h=1 g=1 n=2 d=2 e=2");
        cr_expect_eq(mer_ask(k, &t.call), MER_SKIP, "%s %s answers %s", s->name, k->row, orders[x]);
        trial_close(&t);
    }
}
Test(delta_tiles, other_orders_are_left_to_another_kernel) { each(declines, "f32"); }
