/* Wrong variants that nobody wrote down: each is found again, by itself or in a class, from what it answers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "base/digest.h"
#include "core/gen.h"
#include "diagnose/diagnose.h"
#include "edited.h"
#include "part.h"
#include "words/each.h"

/* An order of texts by chance in which a new one moves no other. */
static uint64_t lot(const char *change) { return gen_bits(2026, 7, digest_text(change)); }
static int by_lot(const void *a, const void *b)
{
    const uint64_t x = lot(a), y = lot(b);
    return x < y ? -1 : x > y;
}

/* Of edits drawn from all of a row's, those of inputs, parameters and steps, or those of the operations of its page:
 * how many that leave the bounds are found, alone or in a class. */
static void finds(const char *row, const char *params, const char *out, const char *sizes, int most, bool sites)
{
    static struct edits_drawn all;
    static struct diagnosis d;
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    char err[600];
    struct trial t;
    int told = 0, found = 0;
    all.n = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 5 }, err, sizeof err), 0, "%s",
        err);
    if (sites)
        edits_of_sites(&t, some, 2, WORDS_ALL, draw, &all), edits_of_sites(&t, some, 2, WORDS_APART, draw, &all);
    else
        edits_each(&t, draw, &all);
    trial_close(&t);
    cr_assert_gt(all.n, 60, "%s has %d edits", row, all.n);
    qsort(all.change, (size_t)all.n, sizeof *all.change, by_lot);
    for (int k = 0; told < most && k < 400 && k < all.n; k++) {
        const char *change = all.change[k];
        if (!answered(&t, row, params, out, sizes, change)) {
            told++;
            const bool is = diagnose(&t, &d);
            /* Its own name, one of its class, or another name of the same change. */
            const bool named = is &&
                (diagnosis_holds(&d, change) ||
                    same_effect(row, params, out, sizes, (const char *const[]){ change, d.answer[0].m.change }));
            found += named;
            if (!named)
                cr_log_info("%s %s: not explained; instead %s", row, change, is ? d.answer[0].m.id : "nothing");
        }
        trial_close(&t);
    }
    cr_expect(told >= most / 2 && 5 * found >= 4 * told, "%s: %d of %d edits are found again", row, found, told);
    cr_log_info("%s: %d of %d found again, of %d", row, found, told, all.n);
}
Test(edits_found, what_is_planted_is_found_again, .timeout = 300)
{
    finds("attention", "causal=bottomright", "o", "h=4 g=2 n=5 m=9 d=8 e=6 bias keep normal", 12, false);
    finds("rope", "dim=24", "y", "h=2 n=9 normal", 8, false);
    finds("alibi", "heads=6", "bias", "n=5 m=7", 4, false);
}
/* The same of operations of pages, each at the line where it is written: nobody wrote one of them down. */
Test(edits_found, an_operation_done_differently_is_found_again, .timeout = 600)
{
    if (is_due(0, 2)) /* the two dear ones in turn */
        finds("attention", "causal=bottomright", "o", "h=4 g=2 n=5 m=9 d=8 e=6 bias keep normal", 18, true);
    if (is_due(1, 2))
        finds("shaw", "", "o", "h=2 n=5 m=7 d=6 e=5 normal", 8, true);
    finds("rope", "dim=24", "y", "h=2 n=9 normal", 8, true);
    finds("alibi", "heads=6", "bias", "n=5 m=7", 6, true);
}

/* An edit of a page that must be enumerated, and found again by itself or in its class. */
struct named { const char *row, *params, *out, *sizes; struct sought want; };
static void has_name(const struct named *x)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    static struct diagnosis d;
    struct sought want = x->want;
    struct trial t;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ x->row, x->params, x->out, MER_F32, x->sizes, 5 }, err,
        sizeof err), 0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
    edits_of_sites(&t, some, 2, WORDS_APART, keep_first, &want);
    edits_of_sites(&t, some, 2, WORDS_SIGNS, keep_first, &want);
    edits_of_sites(&t, some, 2, WORDS_TURNS, keep_first, &want);
    edits_of_sites(&t, some, 2, WORDS_ENDS, keep_first, &want);
    trial_close(&t);
    cr_assert(*want.change, "%s: %s%s is not enumerated", x->row, want.kind, want.op);
    cr_assert_eq(answered(&t, x->row, x->params, x->out, x->sizes, want.change), 0, "%s", want.change);
    cr_expect(diagnose(&t, &d) && (diagnosis_holds(&d, want.change) ||
        same_effect(x->row, x->params, x->out, x->sizes, (const char *const[]){ want.change, d.answer[0].m.change })),
        "%s: %s", want.change, d.answer[0].m.id);
    trial_close(&t);
}

static void all_have_names(const struct named *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        has_name(&list[k]);
}
/* How many there are in a list. */
#define NAMED(list) list, sizeof list / sizeof *list

/* An index that is none leaves the state of a gradient as it is. */
Test(edits_found, a_state_of_no_token_is_the_own_one)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    struct sought want = { "state_grad.c:", "index.0:without-last" };
    struct trial t;
    struct hypothesis own, h;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "linear", "", "dq", MER_F32, "h=1 n=5 normal", 5 }, err,
        sizeof err), 0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
    cr_assert(*want.change);
    cr_assert(hypothesis_open(&own, &t, "", NULL) && hypothesis_open(&h, &t, want.change, NULL));
    double says[2][16], radius[2][16];
    for (long line = 0; line < 5; line++) {
        const long d = place_len(&t, &(struct place){ 0, line });
        cr_assert(d <= 16 && hypothesis_says(&own, &(struct place){ 0, line }, says[0], radius[0]) &&
            hypothesis_says(&h, &(struct place){ 0, line }, says[1], radius[1]));
        cr_expect(says_same(says[0], radius[0], says[1], radius[1], d), "line %ld", line);
    }
    hypothesis_close(&own), hypothesis_close(&h), trial_close(&t);
}

/* What a page computes is taken of another place: of the next query or head, along the keys, of the next turn; masks
 * and sums do something else.  Each is enumerated, and found again by itself or in its class. */
Test(edits_found, numbers_of_another_place_have_names, .timeout = 300)
{
    static const char sizes[] = "h=4 g=2 n=5 m=9 d=8 e=6 bias normal", kept[] = "h=4 g=2 n=3 m=12 d=8 e=6 keep normal";
    static const struct named asked[] = {
        { "attention", "causal=bottomright", "o", sizes, { ":exp.1:", "roll" } },
        { "attention", "causal=bottomright", "o", sizes, { ":exp.p:", "summed" } },
        { "attention", "causal=bottomright", "o", sizes, { ":sum.0:", "back" } },
        { "attention", "causal=bottomright", "o", sizes, { ":sum:", "largest" } },
        { "attention", "causal=bottomright", "o", sizes, { ":index.2:", "first" } },
        /* The last condition is that of causality: without the first, that of documents, no key is seen at all. */
        { "attention", "causal=bottomright", "o", sizes, { "visible.c:", "truth:not", .last = true } },
        { "attention", "causal=bottomright", "o", kept, { "visible.c:", "both:either" } },
    };
    all_have_names(NAMED(asked));
}
/* Masks, sums and scales that do something else. */
Test(edits_found, numbers_of_masks_and_scales_have_names, .timeout = 300)
{
    static const char sizes[] = "h=4 g=2 n=5 m=9 d=8 e=6 bias normal";
    static const struct named asked[] = {
        /* Where the last queries see all keys, a hidden one is +inf or NaN to the others alone. */
        { "attention", "causal=offset offset=6", "lse", sizes, { ":mask:", "negate" } },
        { "attention", "causal=offset offset=6", "o", sizes, { ":mask:", "nan" } },
        { "attention", "causal=offset offset=6", "o", sizes, { ":mask:", "zero" } },
        { "attention", "causal=offset offset=-2 empty=mean", "o", sizes, { "mix.c:", "truth:not" } },
        { "attention", "causal=bottomright", "o", sizes, { ":div:", "minus-one" } },
        /* d^(-1/2), as many write the scale, with a product in place of the power. */
        { "attention", "causal=bottomright", "o", sizes, { "score.c:", "pow:mul" } },
        { "attention", "causal=bottomright", "o", sizes, { ":less:", "further" } },
    };
    all_have_names(NAMED(asked));
}
/* The same of pages of positions. */
Test(edits_found, numbers_of_positions_have_names, .timeout = 300)
{
    static const struct named asked[] = {
        { "rope", "dim=24", "y", "h=2 n=9 normal", { ":mul.1:", "summed:3of4" } },
        { "rope", "dim=24", "y", "h=2 n=9 normal", { ":cos:", "tan" } },
        /* The last power is base^(-2k/r), which the page itself writes as a quotient. */
        { "rope", "dim=24", "y", "h=2 n=9 normal", { ":pow:", "mul", .last = true } },
        /* Where the numbers of a pair lie: in halves, and interleaved. */
        { "rope", "dim=24", "y", "h=2 n=9 normal", { "pairs.c:", "plus:left" } },
        { "rope", "dim=24 layout=interleaved", "y", "h=2 n=9 normal", { "pairs.c:", "times:more" } },
        { "sinusoid", "dim=24 layout=concat", "p", "n=9", { "sinusoid.c:", "plus:left", .last = true } },
        /* A convolution that sees one token too many, and rows of a table that begin elsewhere. */
        { "conv", "", "y", "n=9 c=5 normal", { "conv.c:", "apart:less" } },
        { "learned", "rows=40 offset=2", "p", "n=9", { "learned.c:", "plus:right" } },
    };
    all_have_names(NAMED(asked));
}
/* Of distances and slopes. */
Test(edits_found, numbers_of_biases_have_names, .timeout = 300)
{
    static const struct named asked[] = {
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":apart:", "square" } },
        /* Distances that are counted from another end of a line of all of them. */
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":apart:", "down-twice-9-1" } },
        { "kerple", "heads=2", "bias", "n=5 m=7", { ":plus:", "from-twice-last-9-1" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":apart-left:", "negate" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":pow.0:", "even" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":plus:", "double" } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { ":apart.1:", "roll" } },
        /* The base of the heads behind those of a power of two alone, and keys that are squared before a distance. */
        { "alibi", "heads=6", "bias", "n=5 m=7", { "alibi.c:", "integer:more", .last = true } },
        { "alibi", "heads=6", "bias", "n=5 m=7", { "alibi.c:76:", "whole:square" } },
    };
    all_have_names(NAMED(asked));
}
/* Of buckets and of clipped distances. */
Test(edits_found, numbers_of_buckets_have_names, .timeout = 300)
{
    static const struct named asked[] = {
        { "t5", "buckets=16 max_distance=32", "bias", "n=30 m=33", { ":over:", "right" } },
        { "t5", "buckets=16 max_distance=32", "bias", "n=30 m=33", { ":less:", "further" } },
        /* Both directions taken for one, and distances beyond the exact ones that do not count on from these. */
        { "t5", "buckets=16 max_distance=32", "bias", "n=30 m=33", { "t5.c:", "truth:not" } },
        { "t5", "buckets=16 max_distance=32 route=logarithm", "bias", "n=30 m=33", { "buckets.c:", "add:right" } },
        { "shaw", "", "o", "h=2 g=2 n=7 m=9 normal", { ":clip:", "halve" } },
        { "shaw", "", "o", "h=2 g=2 n=7 m=9 normal", { "clipped.c:", "apart:reversed" } },
    };
    all_have_names(NAMED(asked));
}
/* Of states and of branches. */
Test(edits_found, numbers_of_states_have_names, .timeout = 300)
{
    static const struct named asked[] = {
        /* The state of another token, before it and behind it, in a gradient; of none, the token's own. */
        { "deltanet", "", "dk", "g=1 h=1 n=4 d=3 e=2 normal", { "state_grad.c:", "index.0:back" } },
        { "linear", "", "dq", "h=1 n=4 d=3 e=2 normal", { "state_grad.c:", "index.0:before", .last = true } },
        /* Taps and tokens of a convolution's gradients, which meet one step apart. */
        { "conv", "", "dweight", "n=9 c=5 normal", { "conv.c:", "apart:less", .last = true } },
        { "conv", "", "dstate", "n=9 c=5 state normal", { "conv.c:", "apart:less" } },
        /* One of the two branches that a sigmoid or a softplus without overflow has. */
        { "gatedout", "", "y", "h=2 n=7 m=5 e=3 normal", { ":sigmoid:", "exp:negative" } },
        { "gatedout", "", "dgate", "h=2 n=7 m=5 e=3 normal", { ":sigmoid:", "one:positive" } },
        { "sigmoid", "", "o", "h=2 n=5 m=7 normal", { ":sigmoid:", "mirrored:negative" } },
        { "gla", "gate=logsigmoid", "o", "h=2 n=5 normal", { ":softplus:", "zero:negative" } },
    };
    all_have_names(NAMED(asked));
}
Test(edits_found, numbers_of_columns_of_states_have_names, .timeout = 300)
{
    static const struct named asked[] = {
        /* The last column of a state: of what is read, written, corrected and decayed. */
        { "deltanet", "", "o", "g=1 h=1 n=4 d=3 e=3 normal", { "column.c:", "mul.p:without-last" } },
        { "linear", "", "o", "h=1 n=4 d=3 e=3 normal", { "column.c:", "add.p:without-last" } },
        { "deltanet", "", "final", "g=1 h=1 n=4 d=3 e=3 normal", { "column.c:", "sub.p:without-last" } },
        { "gla", "", "final", "h=1 n=4 d=3 e=3 normal", { "column.c:", "mul.p:roll" } },
        /* A decay that is made at the wrong one of two places, or at none. */
        { "gateddelta", "order=correct-first", "o", "g=1 h=1 n=4 d=3 e=2 normal", { "column.c:", "truth:not" } },
        { "gateddelta", "order=correct-first", "o", "g=1 h=1 n=4 d=3 e=2 normal", { "state/state.c:", "truth:not" } },
        { "gateddelta", "", "da", "g=1 h=1 n=4 d=3 e=2 normal", { "state_grad.c:", "truth:not" } },
        /* The same in a gradient, which is made at once for all lines. */
        { "deltanet", "", "dq", "g=1 h=1 n=4 d=3 e=3 normal", { "column.c:", "mul.p:without-last" } },
    };
    all_have_names(NAMED(asked));
}
/* What is left out at the first or the last of as many turns as an axis has, of the answer or of an input. */
Test(edits_found, ends_of_loops_have_names)
{
    static const struct named asked[] = {
        { "rmsnorm", "", "y", "n=4 d=6 normal", { ":mul:", "left:first-of-9-1", .last = true } },
        { "rmsnorm", "", "y", "n=4 d=6 normal", { ":mul:", "left:last-of-9-1", .last = true } },
        { "softmax", "", "p", "n=3 m=5 normal", { ":exp:", "zero:last-of-9-1" } },
        { "gla", "", "final", "h=1 n=4 d=3 e=2 normal", { "column.c:", "right:last-of-9-1" } },
    };
    all_have_names(NAMED(asked));
}
/* In one half of all turns of a line, or left out in its first or its last; also where a page is made at once for all
 * lines, and kept. */
Test(edits_found, some_turns_of_a_line_have_names, .timeout = 60)
{
    static const struct named asked[] = {
        { "xpos", "dim=12", "y", "n=4 h=2 normal", { "xpos.c:", "mul:div:early" } },
        { "xpos", "dim=12", "y", "n=4 h=2 normal", { "xpos.c:", "mul:div:late" } },
        { "deltanet", "", "dq", "g=1 h=1 n=4 d=3 e=3 normal", { "column.c:", "mul:negate:early" } },
        { "forget", "", "o", "h=1 g=1 n=4 m=4 d=3 e=2 normal", { "soft", "mul:zero:first" } },
    };
    all_have_names(NAMED(asked));
}
/* Turns of an extent that a question does not have are none: there the page is as it is. */
Test(edits_found, ends_of_no_loop_change_nothing)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    struct sought want = { ":mul:", "left:first-of-9-1", .last = true };
    struct trial t;
    struct hypothesis own, h;
    double says[2][8], radius[2][8];
    char err[600], none[200];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rmsnorm", "", "y", MER_F32, "n=4 d=6 normal", 5 }, err,
        sizeof err), 0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ENDS, keep_first, &want);
    cr_assert(*want.change);
    snprintf(none, sizeof none, "%.*s8-0", (int)strlen(want.change) - 3, want.change);
    cr_assert(hypothesis_open(&own, &t, "", NULL) && hypothesis_open(&h, &t, none, NULL), "%s", none);
    cr_expect(hypothesis_says(&own, some, says[0], radius[0]) && hypothesis_says(&h, some, says[1], radius[1]));
    cr_expect(says_same(says[0], radius[0], says[1], radius[1], 6), "%s", none);
    hypothesis_close(&own), hypothesis_close(&h), trial_close(&t);
}
/* Words with an axis: what they are of, and how many there are. */
struct axes_met { const char *of, *axis; int n; };
static void meet_axis(const char *change, const char *effect, const char *equal, void *with)
{
    struct axes_met *m = with;
    (void)effect, (void)equal;
    m->n += strstr(change, m->of) && strstr(change, m->axis);
}
static int words_with(const char *row, const char *out, const char *of, const char *axis)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    struct axes_met m = { of, axis, 0 };
    struct trial t;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, "", out, MER_F32, "n=4 d=3 e=3 normal", 5 }, err,
        sizeof err), 0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ALL, meet_axis, &m);
    trial_close(&t);
    return m.n;
}
/* What is computed of a column of the state has columns, and nothing else has.  A state is made once for all lines, so
 * that of another line it is no other: it has no axes of the answer. */
Test(edits_found, columns_of_states_are_parts_and_lines_are_none)
{
    static const struct { const char *row, *out; } asked[] = {
        { "linear", "dq" },
        { "deltanet", "dq" },
        { "gla", "dq" },
        { "linear", "o" },
        { "deltanet", "o" },
    };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        const char *row = asked[k].row, *out = asked[k].out;
        const int columns = words_with(row, out, "column.c:", ".p:");
        cr_expect_gt(columns, 0, "%s.%s", row, out);
        cr_expect_eq(words_with(row, out, "", ".p:"), columns, "%s.%s", row, out);
        cr_expect_eq(words_with(row, out, "column.c:", ".0:") + words_with(row, out, "column.c:", ".1:"), 0, "%s.%s",
            row, out);
    }
    /* What is read and written; read, corrected and written; and decayed as well. */
    cr_expect_eq(words_with("linear", "o", "column.c:", "mul.p:without-last"), 2);
    cr_expect_eq(words_with("linear", "o", "column.c:", "add.p:without-last"), 1);
    cr_expect_eq(words_with("deltanet", "o", "column.c:", "mul.p:without-last"), 3);
    cr_expect_eq(words_with("gla", "o", "column.c:", "mul.p:without-last"), 3);
    cr_expect_gt(words_with("gatedout", "dq", "softmax/", ".1:"), 0, "a part made for all lines is over");
}

/* Whole numbers that say which pair, which row, which head or which place: pages that compute some, a quarter of them a
 * day. */
Test(edits_found, whole_numbers_of_pages_have_names, .timeout = 300)
{
    static const struct named asked[] = {
        /* Which axis of an image turns a pair, and which of the frequencies. */
        { "rope2d", "dim=16 axes=alternate", "y", "h=2 n=6 normal", { "image.c:", "mod:div" } },
        { "rope2d", "dim=16 frequency=woven", "y", "h=2 n=6 normal", { "image.c:", "plus:left" } },
        { "rope2d", "dim=16", "dfreqs", "h=2 n=6 normal", { "pairs.c:", "plus:less" } },
        { "mrope", "", "y", "h=2 n=6 normal", { "mrope.c:", "less:further" } },
        { "fope", "", "y", "h=2 n=6 normal", { "fope.c:", "less:shorter" } },
        { "xpos", "centre=5", "y", "h=2 n=6 normal", { "xpos.c:", "apart:left" } },
        /* Places that are given to pairs far apart: groups, chunks, leaks, what a cache has evicted. */
        { "selfextend", "dim=4 memory=6", "o", "h=1 n=5 m=9 e=2 normal", { "selfextend.c:", "over:ceil" } },
        { "dualchunk", "dim=4", "o", "h=1 n=5 m=11 e=2 normal", { "dualchunk.c:", "mod:left", .last = true } },
        { "rerope", "dim=4 leak=3 memory=6", "o", "h=1 n=5 m=9 e=2 normal", { "rerope.c:", "plus:left" } },
        { "streaming", "dim=4 memory=6", "o", "h=1 n=5 m=9 e=2 normal", { "streaming.c:", "apart:left" } },
        { "lminfinite", "dim=4 far=least limit=6", "o", "h=1 n=5 m=9 e=2 normal", { "lminfinite.c:", "most:shorter" } },
        { "selfextend", "dim=4 memory=4", "o", "h=1 n=5 m=9 e=2 normal", { "remap.c:", "plus:right" } },
        /* The relative shift of Transformer-XL, by itself and in its layer's scores. */
        { "txl", "", "shifted", "n=5 m=6", { "memory.c:", "apart:left" } },
        { "xlnet", "route=shift", "o", "h=1 n=4 m=6 normal", { "memory.c:", "over:more" } },
        /* Rows of tables, windows, nodes of a lattice, pages of a cache, and heads that share keys. */
        { "swin", "", "bias", "h=2", { "windows.c:", "mod:div" } },
        { "learned", "form=hierarchical rows=5 alpha=0.3", "p", "n=9", { "positions.c:", "mod:div" } },
        { "flat", "", "o", "h=2 normal", { "lattice.c:", "times:left" } },
        { "nezha", "dim=4 reach=3", "o", "h=1 n=5 m=7 normal", { "nezha.c:", "plus:left" } },
        { "paged", "", "o", "h=4 n=5 normal", { "paged.c:", "mod:div" } },
        { "sigmoid", "", "o", "h=4 g=2 n=5 m=7 normal", { "shared_head.c:", "over:rest" } },
        /* A branch that is the wrong one at one place: of a slope, of a gradient's own formula, of a sign. */
        { "feedforward", "act=gelu", "du", "n=4 normal", { "activation.c:", "truth:not", .last = true } },
        { "feedforward", "act=gelu", "a", "n=4 normal", { "activation.c:", "truth:not", .last = true } },
        { "conv", "", "dbias", "n=9 c=5 normal", { "conv.c:", "truth:not" } },
        { "conv", "taps=newest-first", "dweight", "n=9 c=5 normal", { "conv.c:", "truth:not" } },
        { "kerple", "heads=2", "dp", "n=5 m=7 normal", { "kerple.c:", "truth:not" } },
        { "layernorm", "place=outside", "dx", "n=4 normal", { "norm.c:", "truth:not", .last = true } },
        { "ssd", "", "dA", "n=4 normal", { "duality_grad.c:", "truth:not", .last = true } },
        { "softmax", "scale=0.5", "dx", "n=7 normal", { "softmax.c:", "truth:not", .last = true } },
        { "attention", "cap=3", "dq", "h=2 n=5 m=7 normal", { "logit_grad.c:", "truth:not" } },
        { "learned", "form=hierarchical rows=5 alpha=0.3", "dtable", "n=9 normal", { "learned.c:", "truth:not",
            .last = true } },
    };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        if (is_due((long)k, 4))
            has_name(&asked[k]);
}

/* Keys and values that one function reads are inputs that share a letter: an operation on all of them has one name. */
Test(edits_found, of_all_inputs_with_a_letter_have_names, .timeout = 60)
{
    static const char sizes[] = "h=4 g=2 n=5 m=9 d=8 e=6 normal";
    static const char *const changes[] = { "@g=f16", "@g=halve", "@g=negate" };
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        struct trial t;
        cr_assert_eq(answered(&t, "attention", "causal=bottomright", "o", sizes, changes[k]), 0);
        cr_expect(diagnose(&t, &d) && diagnosis_holds(&d, changes[k]), "%s: %s", changes[k], d.answer[0].m.id);
        cr_expect(k || strstr(d.answer[0].repair, "axis g"), "%s", d.answer[0].repair);
        trial_close(&t);
    }
}

/* Outputs that were filled by hand, as a program of others computes them: what a page under its own edit answers would
 * agree with any reading of that edit. */
typedef double filled(struct trial *t, const long *at);
static void by_hand(const char *row, const char *params, const char *sizes, filled *of, const char *file)
{
    static struct diagnosis d;
    char err[600];
    struct trial t;
    struct arith a;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, params, "bias", MER_F32, sizes, 5 }, err, sizeof err), 0,
        "%s", err);
    reference_run(&t, &(struct arith){ 0 });
    struct mer_array *y = &t.out[0];
    const long m = y->dim[2], n = y->dim[1];
    for (long k = array_len(y) - 1; k >= 0; k--) /* The first element of a head is read last, as it tells the slope. */
        array_put(y, k, of(&t, (const long[]){ k / m / n, k / m % n, k % m }));
    cr_assert_gt(trial_profile(&t, "f32", &a, WIDEN, err, sizeof err), 0, "%s", err);
    const bool is = diagnose(&t, &d);
    cr_expect(is && strstr(d.answer[0].m.change, file), "%s: %s", row, is ? d.answer[0].m.id : "no name");
    trial_close(&t);
}
/* -(i + offset) - j in place of j - (i + offset); slopes of two heads are powers of two. */
static double sum_of_positions(struct trial *t, const long *at)
{
    const long offset = mer_int(&t->call, "offset");
    const double first = array_get(&t->out[0], at[0] * t->out[0].dim[1] * t->out[0].dim[2]);
    return first / (double)-offset * (double)(-(at[1] + offset) - at[2]);
}
/* A logarithm of 8/128 for that of 128/8 counts buckets down, and numpy reads a negative row from the table's end. */
static double buckets_down(struct trial *t, const long *at)
{
    const long rho = at[2] - at[1], n = labs(rho);
    const double share = log((double)n / 8) / log(8.0 / 128) * 8, near = rint(share);
    const long beyond = (long)(fabs(share - near) < 1e-9 ? near : share);
    const long row = (rho > 0 ? 16 : 0) + (n < 8 ? n : 8 + beyond);
    const struct mer_array *table = mer_in(&t->call, "table");
    return array_get(table, (row < 0 ? row + 32 : row) * table->dim[1] + at[0]);
}
Test(edits_found, what_others_wrote_by_hand_has_a_name, .timeout = 120)
{
    by_hand("alibi", "heads=2 offset=3", "n=5 m=7", sum_of_positions, "alibi.c:");
    by_hand("t5", "heads=2", "n=300 m=9", buckets_down, "relative/buckets.c:");
}

/* Where in the order the last word without an axis is, the first and the last of a slip, and the first of another. */
struct order_met { int n, plain, slip[2], other; };
static void meet_order(const char *change, const char *effect, const char *equal, void *with)
{
    struct order_met *m = with;
    (void)effect, (void)equal;
    const bool slip = strstr(change, ".1:roll"), other = strstr(change, ".1:swap");
    m->n++;
    m->plain = strstr(change, ":zero") ? m->n : m->plain;
    m->slip[0] = slip && !m->slip[0] ? m->n : m->slip[0], m->slip[1] = slip ? m->n : m->slip[1];
    m->other = other && !m->other ? m->n : m->other;
}
/* What is more likely is tried first, at all places of a page, since the work may be up before all is. */
Test(edits_found, slips_of_an_index_come_before_other_maps)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    struct order_met m = { 0 };
    struct trial t;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "h=4 n=5 m=7 normal", 5 }, err,
        sizeof err), 0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ALL, meet_order, &m);
    trial_close(&t);
    cr_expect(m.plain && m.plain < m.slip[0] && m.slip[0] < m.slip[1] && m.slip[1] < m.other, "%d, %d to %d, %d",
        m.plain, m.slip[0], m.slip[1], m.other);
}
