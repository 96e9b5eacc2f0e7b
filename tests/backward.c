/* Gradient kernels of every slot: shapes, masks, conventions, poison, memory.  Bounds are those each kernel's profile
 * implies. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "attention/flash.h"
#include "compare/compare.h"
#include "kernels.h"
#include "trial/trial.h"

typedef void with_kernel(const struct slot *s, const struct mer_kernel *k);
static void each_kernel(with_kernel *f)
{
    int seen = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            if (!strcmp(k->row, "attention") && !strcmp(k->out, "dq dk dv"))
                f(s, k), seen++;
    cr_assert_gt(seen, 0);
}

/* Hides a third of the pairs by `keep` and a fifth by a bias of -inf, whole rows by both, and keys 3, 10, 17 .. from
 * every query. */
static void hide_some(struct trial *t, uint64_t seed)
{
    struct mer_array *keep = mer_find(t->in, t->call.n_in, "keep"), *bias = mer_find(t->in, t->call.n_in, "bias");
    for (long i = 0; keep && i < array_len(keep); i++)
        array_put(keep, i,
            i / keep->dim[2] % 5 != 3 && i % keep->dim[2] % 7 != 3 && gen_bits(seed, 71, (uint64_t)i) % 3 != 0);
    for (long i = 0; bias && i < array_len(bias); i++)
        if (i / bias->dim[2] % 7 == 4 || gen_bits(seed, 72, (uint64_t)i) % 5 == 0)
            array_put(bias, i, -(double)INFINITY);
}

static void make(
    struct trial *t, const struct mer_kernel *k, const char *text, const char *sizes, uint64_t seed, struct arith *a)
{
    char err[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "attention", text, k->out, type_named(k->type), sizes, seed }, err,
        sizeof err), 0, "%s", err);
    cr_assert_gt(trial_profile(t, k->profile, a, WIDEN, err, sizeof err), 0, "%s", err);
    hide_some(t, seed);
}

static void judged(
    const struct slot *s, const struct mer_kernel *k, const char *text, const char *sizes, uint64_t seed, long lines)
{
    struct trial t;
    struct tally y;
    struct arith a;
    make(&t, k, text, sizes, seed, &a);
    cr_assert_eq(mer_ask(k, &t.call), MER_OK);
    judge_outputs(&t, &a, lines, &y);
    cr_expect(!y.over && !y.undecided && y.n,
        "%s %s %s: %ld of %ld over, ratio %g at %s %ld %ld | %ld got %a want %a bound %g", s->name, t.text, sizes,
        y.over, y.n, y.ratio, y.out ? y.out : "", y.at[0], y.at[1], y.k, y.got, y.want, y.bound);
    trial_close(&t);
}

static void lengths(const struct slot *s, const struct mer_kernel *k)
{
    static const int length[] = { 1, 2, 3, 5, 17, 64, 65, 97 }, count = 8;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < 2; b++) { /* As many queries as keys, and not. */
            char sizes[64];
            snprintf(sizes, sizeof sizes, "h=2 g=1 n=%d m=%d d=%d e=%d", length[a], length[b ? (a * 5 + 2) % count : a],
                7 + a, 5 + 2 * a);
            judged(s, k, b ? "causal=bottomright" : "", sizes, (uint64_t)a + 1, 2);
        }
}
Test(backward, every_slot_keeps_its_bound_at_chosen_lengths, .timeout = 120) { each_kernel(lengths); }

static void widths(const struct slot *s, const struct mer_kernel *k)
{
    static const int d[] = { 1, 2, 15, 16, 17, 33, 64, 65, 80, 128, 130 };
    for (int a = 0; a < 11; a++) {
        char sizes[64];
        snprintf(sizes, sizeof sizes, "h=2 g=2 n=%d m=%d d=%d e=%d", a % 3 ? 7 : 1, 9 + a, d[a], d[10 - a]);
        judged(s, k, "", sizes, 20 + (uint64_t)a, 2);
    }
}
Test(backward, every_slot_keeps_its_bound_at_chosen_widths, .timeout = 120) { each_kernel(widths); }

static void rules(const struct slot *s, const struct mer_kernel *k)
{
    static const char *const text[] = { "causal=topleft", "causal=bottomright window=20",
        "causal=topleft window=30 scale=1/3", "causal=offset offset=-30", "left=12 right=3",
        "group=tile order=bias-first", "base=2 empty=nan causal=bottomright" },
                             *const more[] = { "", "bias", "keep", "bias keep" };
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 4; b++) {
            char sizes[64];
            snprintf(sizes, sizeof sizes, "h=6 g=3 n=%d m=%d d=5 e=6 %s", a % 2 ? 70 : 50, a % 2 ? 83 : 20, more[b]);
            judged(s, k, text[a], sizes, (uint64_t)(a * 4 + b), 3);
        }
}
Test(backward, every_slot_keeps_its_bound_under_masks_windows_and_conventions, .timeout = 120) { each_kernel(rules); }

static void blocks(const struct slot *s, const struct mer_kernel *k)
{
    judged(s, k, "causal=bottomright", "h=1 g=1 n=50 m=1030 d=3 e=2 bias", 6, 2);
    judged(s, k, "causal=bottomright window=530", "h=1 g=1 n=4 m=1100 d=2 e=3 keep", 7, 3);
}
Test(backward, every_slot_keeps_its_bound_over_several_blocks_of_keys, .timeout = 120) { each_kernel(blocks); }

/* What no query sees may be NaN or infinite: nothing of it shows, and its own gradients are 0. */
static void unseen(const struct slot *s, const struct mer_kernel *k)
{
    const double poison[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    for (int p = 0; p < 3; p++) {
        struct trial t;
        struct tally y;
        struct arith a;
        make(&t, k, "causal=bottomright window=80", "h=2 g=1 n=50 m=70 d=9 e=18 keep", 4, &a);
        for (int in = 1; in < 3; in++)
            for (long i = 0; i < array_len(&t.in[in]); i++)
                if (i / t.in[in].dim[2] % 7 == 3)
                    array_put(&t.in[in], i, poison[p]);
        cr_assert_eq(mer_ask(k, &t.call), MER_OK);
        judge_outputs(&t, &a, 3, &y);
        cr_expect(!y.over && y.n, "%s: hidden %g, %ld over", s->name, poison[p], y.over);
        for (int o = 0; o < 3; o++)
            for (long i = 0; i < array_len(&t.out[o]); i++) {
                double got = array_get(&t.out[o], i);
                bool hidden = o > 0 && i / t.out[o].dim[2] % 7 == 3;
                if (!isfinite(got) || (hidden && got != 0)) {
                    cr_expect_fail("%s: hidden %g shows in %s at %ld: %g", s->name, poison[p], t.out[o].name, i, got);
                    break;
                }
            }
        trial_close(&t);
    }
}
Test(backward, what_is_hidden_may_hold_anything, .timeout = 120) { each_kernel(unseen); }

/* Each output asked alone has the bits that it has beside the others, and inputs stay as they are. */
static void alone(const struct slot *s, const struct mer_kernel *k)
{
    for (int o = 0; o < 3; o++) {
        struct trial t;
        struct arith a;
        make(&t, k, "causal=topleft", "h=4 g=2 n=61 m=53 d=17 e=33 bias", 5, &a);
        cr_assert_eq(mer_ask(k, &t.call), MER_OK);
        size_t bytes = (size_t)array_len(&t.out[o]) * type_size(t.type),
               read = (size_t)array_len(&t.in[1]) * type_size(t.type);
        void *all = malloc(bytes), *in = malloc(read);
        memcpy(all, t.out[o].data, bytes), memcpy(in, t.in[1].data, read);
        memset(t.out[o].data, 0xff, bytes);
        struct mer_call c = t.call;
        c.out = &t.out[o], c.n_out = 1;
        cr_assert_eq(mer_ask(k, &c), MER_OK);
        cr_expect(!memcmp(all, t.out[o].data, bytes) && !memcmp(in, t.in[1].data, read),
            "%s: %s alone has other bits, or an input changed", s->name, t.out[o].name);
        free(all), free(in), trial_close(&t);
    }
}
Test(backward, each_gradient_alone_has_the_same_bits) { each_kernel(alone); }

/* The second head alone has the bits it has behind the first, whose last tile reaches further than its own first:
 * nothing stays in the scratch. */
static void behind(const struct slot *s, const struct mer_kernel *k)
{
    for (int shift = 0; shift < 18; shift += 4) {
        struct trial two, one;
        struct arith a;
        char sizes[2][64];
        for (int h = 0; h < 2; h++)
            snprintf(sizes[h], sizeof sizes[h], "h=%d g=%d n=100 m=%d d=9 e=18", 2 - h, 2 - h, 100 + shift);
        make(&two, k, "causal=bottomright", sizes[0], 6, &a), make(&one, k, "causal=bottomright", sizes[1], 6, &a);
        const size_t w = type_size(one.type);
        for (int in = 0; in < 4; in++)
            memcpy(one.in[in].data, (const char *)two.in[in].data + (size_t)array_len(&one.in[in]) * w,
                (size_t)array_len(&one.in[in]) * w);
        cr_assert(mer_ask(k, &two.call) == MER_OK && mer_ask(k, &one.call) == MER_OK);
        for (int o = 0; o < 3; o++)
            cr_expect(!memcmp(one.out[o].data, (const char *)two.out[o].data + (size_t)array_len(&one.out[o]) * w,
                          (size_t)array_len(&one.out[o]) * w),
                "%s: %s behind another head, %d keys more than queries", s->name, two.out[o].name, shift);
        trial_close(&two), trial_close(&one);
    }
}
Test(backward, a_head_alone_has_the_bits_it_has_behind_another) { each_kernel(behind); }
