/* Strided arrays: every kernel of every slot gives the bits that it gives for dense ones, through the one way to ask;
 * the reference and the judge do; what strides cannot be is named. */
#include <criterion/criterion.h>
#include <malloc.h>
#include "compare/compare.h"
#include "kernels.h"
#include "trial/trial.h"

/* Gives an array another order of its axes, with room between them, and moves its data there. */
static void spread(struct mer_array *a, uint64_t seed)
{
    struct mer_array own = *a;
    int order[MER_RANK];
    int64_t step = 1 + (int64_t)(gen_bits(seed, 1, 0) % 3);
    for (int k = 0; k < a->rank; k++) {
        int at = (int)(gen_bits(seed, 2, (uint64_t)k) % (uint64_t)(k + 1));
        order[k] = order[at], order[at] = k;
    }
    for (int k = 0; k < a->rank; k++) {
        a->stride[order[k]] = step;
        step = step * a->dim[order[k]] + (int64_t)(gen_bits(seed, 3, (uint64_t)k) % 4);
    }
    const size_t bytes = (size_t)mer_span(a) * type_size(a->type);
    a->data = memset(malloc(bytes + 16), 0xff, bytes + 16);
    mer_move(a, &own);
    free(own.data);
}
static bool same(const struct mer_array *x, const struct mer_array *y)
{
    const size_t w = type_size(x->type);
    bool all = true;
    for (long i = 0; i < array_len(x); i++)
        all &= !memcmp(
            (const char *)x->data + (size_t)mer_at(x, i) * w, (const char *)y->data + (size_t)mer_at(y, i) * w, w);
    return all;
}

Test(strides, every_kernel_of_every_row_gives_the_bits_of_dense_arrays, .timeout = 60)
{
    int asked = 0;
    char err[400];
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++) {
            struct trial dense, t;
            cr_assert_eq(trial_make(&dense, &(struct trial_spec){ k->row, "", k->out, type_named(k->type), "n=6 m=7",
                1 }, err, sizeof err), 0, "%s", err);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, "", k->out, type_named(k->type), "n=6 m=7", 1 },
                err, sizeof err), 0, "%s", err);
            for (int a = 0; a < t.call.n_in + t.call.n_out; a++)
                spread(a < t.call.n_in ? &t.in[a] : &t.out[a - t.call.n_in], 100 + (uint64_t)a);
            cr_expect_eq(trial_fits(k, &t.call, err, sizeof err), MER_OK, "%s %s: %s", k->row, k->out, err);
            int rc = mer_ask(k, &dense.call);
            cr_expect_eq(mer_ask(k, &t.call), rc, "%s %s %s", s->name, k->row, k->out);
            for (int o = 0; rc == MER_OK && o < t.call.n_out; o++, asked++)
                cr_expect(same(&t.out[o], &dense.out[o]), "%s %s %s %s: other bits in %s", s->name, k->row, k->out,
                    k->type, t.out[o].name);
            trial_close(&dense), trial_close(&t);
        }
    cr_expect_geq(asked, 100, "%d", asked);
}

Test(strides, reference_and_judge_read_through_them)
{
    static const struct arith exact = { 0 };
    struct trial dense, t;
    struct tally x, y;
    struct arith how;
    char err[400];
    cr_assert_eq(trial_make(&dense, &(struct trial_spec){ "attention", "causal=bottomright", "o lse", MER_F32,
        "keep n=6 m=7", 1 }, err, sizeof err), 0);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=bottomright", "o lse", MER_F32,
        "keep n=6 m=7", 1 }, err, sizeof err), 0);
    for (int a = 0; a < t.call.n_in + t.call.n_out; a++)
        spread(a < t.call.n_in ? &t.in[a] : &t.out[a - t.call.n_in], 7 + (uint64_t)a);
    reference_run(&dense, &exact), reference_run(&t, &exact);
    cr_expect(same(&t.out[0], &dense.out[0]) && same(&t.out[1], &dense.out[1]));
    cr_assert_gt(trial_profile(&dense, "sum=f32 exp=f32:2 dot=f32", &how, WIDEN, err, sizeof err), 0);
    ((float *)t.out[0].data)[mer_at(&t.out[0], 5)] += 1, ((float *)dense.out[0].data)[5] += 1;
    judge_outputs(&dense, &how, 0, &x), judge_outputs(&t, &how, 0, &y);
    cr_expect(x.over == 1 && y.over == 1 && x.n == y.n && x.k == y.k && x.ratio == y.ratio, "%ld %ld of %ld %ld",
        x.over, y.over, x.n, y.n);
    trial_close(&dense), trial_close(&t);
}

Test(strides, what_they_cannot_be_is_named)
{
    struct trial t;
    char err[400];
    const struct { const char *array; int64_t stride[3]; const char *says; } bad[] = {
        { "q", { 30, -5, 1 }, "array 'q' [2,5,8] has strides [30,-5,1]: not negative" },
        { "k", { 1L << 62, 8, 1 }, "at most 2^30 bytes from first to last" },
        { "v", { 1L << 40, 8, 1 }, "at most 2^30 bytes" },
        { "o", { 0, 6, 1 }, "an output has each element in a place of its own" },
        { "o", { 30, 5, 1 }, "array 'o' [2,5,6] has strides [30,5,1]: an output" },
        { "o", { 6, 6, 1 }, "an output has" },
    };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o lse", MER_F32, "h=2 g=2 n=5 m=7 d=8 e=6", 1 },
        err, sizeof err), 0);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct mer_array *a = mer_find(t.in, t.call.n_in, bad[k].array);
        a = a ? a : mer_find(t.out, t.call.n_out, bad[k].array);
        memcpy(a->stride, bad[k].stride, sizeof bad[k].stride);
        *err = 0;
        cr_expect(trial_check(&t, err, sizeof err) && strstr(err, bad[k].says) && !strchr(err, '\n'),
            "%zu: '%s' lacks '%s'", k, err, bad[k].says);
        memset(a->stride, 0, sizeof a->stride);
    }
    /* One key head that is seen as two, with a stride of 0. */
    memcpy(trial_in(&t, "k")->stride, (int64_t[]){ 0, 8, 1 }, 24);
    cr_expect_eq(trial_check(&t, err, sizeof err), 0, "%s", err);
    trial_close(&t);
}

/* The dense copies that are judged and written in the place of arrays with strides are given back. */
Test(strides, copies_are_given_back)
{
    enum { WARM = 3, RUNS = 8 };
    static const struct arith exact = { 0 };
    struct trial t;
    struct tally y;
    char err[400];
    size_t used[RUNS];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=4", "cos", MER_F32, "n=2000", 1 }, err, sizeof err),
        0);
    spread(&t.in[0], 7);
    for (int k = 0; k < RUNS; k++) {
        k % 2 ? judge_outputs(&t, &exact, 1, &y) : reference_lines(&t, &exact, 1);
        used[k] = mallinfo2().uordblks;
    }
    for (int k = WARM; k < RUNS; k++)
        cr_expect(used[k] < used[k - 2] + 4000, "run %d keeps %zu bytes", k, used[k] - used[k - 2]);
    trial_close(&t);
}
