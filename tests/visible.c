/* Which keys a query sees, counted out: the five windows for every small width, chunks below zero, padded corners, and
 * where presets of finite masks end in 16 and 32 bits; keys that are kept, and documents in a pack.  Sets and digits
 * are those of the cited sources, not the page's. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attention/flash_pages.h"
#include "compare/compare.h"
#include "edit/site.h"
#include "kernels.h"
#include "softmax/score.h"
#include "softmax/visible.h"
#include "trial/trial.h"
#include "words/read.h"

/* Writes the keys that query 0 at position c sees among m, as "..##.". */
static void line(char *seen, const char *params, int m)
{
    static const struct arith exact = { 0 };
    struct trial t;
    char err[300], sizes[40];
    const struct ball *y[64];
    snprintf(sizes, sizeof sizes, "h=1 n=1 m=%d", m);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", params, "visible", MER_F32, sizes, 1 }, err,
        sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = m, .prec = 64 };
    row_quantity(t.row, "visible")->page(&w, y);
    for (int j = 0; j < m; j++)
        seen[j] = b_value(y[j]) == 1 ? '#' : '.';
    seen[m] = 0;
    ask_clear(&w), trial_close(&t);
}

Test(visible, five_windows_are_five_sets) /* Position 7 of 15 keys, W = 1 .. 6. */
{
    static const struct { const char *name, *sees[6]; } list[] = {
        { "past", { ".......########", "......#########", ".....##########", "....###########", "...############",
            "..#############" } },
        { "within", { ".......#.......", "......###......", ".....#####.....", "....#######....", "...#########...",
            "..###########.." } },
        { "closed", { "......###......", ".....#####.....", "....#######....", "...#########...", "..###########..",
            ".#############." } },
        { "halves", { ".......#.......", "......###......", "......###......", ".....#####.....", ".....#####.....",
            "....#######...." } },
        { "uneven", { ".......#.......", ".......##......", "......###......", "......####.....", ".....#####.....",
            ".....######...." } },
    };
    for (int k = 0; k < 5; k++)
        for (int W = 1; W <= 6; W++) {
            char seen[32], params[80];
            snprintf(params, sizeof params, "causal=offset offset=7 right=100 window=%d windows=%s", W, list[k].name);
            line(seen, params, 15);
            cr_expect_str_eq(seen, list[k].sees[W - 1], "%s: %s, not %s", params, seen, list[k].sees[W - 1]);
        }
}

Test(visible, chunks_prefixes_and_padding_meet)
{
    static const struct { const char *params, *sees; } list[] = {
        { "causal=offset offset=5 chunk=4", "....##......" },
        { "causal=offset offset=5 right=100 chunk=4", "....####...." },
        { "causal=offset offset=5 chunk=4 start=3", "...###......" },
        { "causal=offset offset=1 chunk=4 start=3", "##.........." },
        { "causal=offset offset=2 prefix=6", "######......" },
        { "causal=offset offset=8 prefix=6", "#########..." },
        { "causal=offset offset=2 prefix=6 window=2", ".#####......" },
        { "causal=bottomright length=7", "#######....." },
        { "causal=bottomright length=7 first=2 window=3", "....###....." },
        { "causal=offset offset=-1", "............" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char seen[32];
        line(seen, list[k].params, 12);
        cr_expect_str_eq(seen, list[k].sees, "%s: %s, not %s", list[k].params, seen, list[k].sees);
    }
}

/* Packed: "#" where query i sees key j, of 2, 0 and 3 queries with 3, 1 and 4 keys. */
Test(visible, packed_documents_have_corners_of_their_own)
{
    static const struct { const char *params, *sees[5]; } list[] = {
        { "", { "###.....", "###.....", "....####", "....####", "....####" } },
        /* flash-attention from 2.1 on, for each document. */
        { "causal=bottomright", { "##......", "###.....", "....##..", "....###.", "....####" } },
        { "causal=topleft", { "#.......", "##......", "....#...", "....##..", "....###." } },
        { "causal=bottomright window=2", { "##......", ".##.....", "....##..", ".....##.", "......##" } },
        { "causal=bottomright left=0 right=1", { ".##.....", "..#.....", ".....##.", "......##", ".......#" } },
        { "causal=bottomright prefix=3 first=1 length=3", { ".##.....", ".##.....", ".....##.", ".....##.",
            ".....##." } },
        { "causal=bottomright counted=pack", { "###.....", "###.....", "....##..", "....###.", "....####" } },
        { "causal=topleft counted=pack chunk=4", { "#.......", "##......", "........", "........", "....#..." } },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int fast = 0; fast < 2; fast++) {
            static const struct arith exact = { 0 };
            static const int64_t ends[2][4] = { { 0, 2, 2, 5 }, { 0, 3, 4, 8 } };
            struct trial t;
            char err[300], seen[9] = "";
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", list[k].params, "visible", MER_F32,
                "h=1 n=5 m=8 b=4 cu_seqlens_q cu_seqlens_k", 1 }, err, sizeof err), 0, "%s", err);
            memcpy(trial_in(&t, "cu_seqlens_q")->data, ends[0], sizeof ends[0]),
                memcpy(trial_in(&t, "cu_seqlens_k")->data, ends[1], sizeof ends[1]);
            cr_assert_eq(trial_check(&t, err, sizeof err), 0, "%s", err);
            if (fast)
                cr_assert_eq(flash_visible(&t.call), MER_OK);
            else
                reference_run(&t, &exact);
            for (long i = 0; i < 5; i++) {
                for (long j = 0; j < 8; j++)
                    seen[j] = array_get(&t.out[0], i * 8 + j) == 1 ? '#' : '.';
                cr_expect_str_eq(seen, list[k].sees[i], "%s %s query %ld: %s, not %s", fast ? "kernel" : "page",
                    list[k].params, i, seen, list[k].sees[i]);
            }
            trial_close(&t);
        }
}

/* Lengths that are none are named; a kernel that is asked nevertheless reads nothing by them. */
Test(visible, cumulative_lengths_are_held_to_what_they_are)
{
    static const struct { int64_t q[4], k[4]; const char *says; } bad[] = {
        { { 1, 2, 2, 5 }, { 0, 3, 4, 8 }, "'cu_seqlens_q' element 0 is 1, expected 0" },
        { { 0, 3, 2, 5 }, { 0, 3, 4, 8 }, "'cu_seqlens_q' element 2 is 2, after 3" },
        { { 0, 2, 2, 4 }, { 0, 3, 4, 8 }, "'cu_seqlens_q' ends with 4, axis n is 5" },
        { { 0, 2, 2, 5 }, { 0, 3, 4, 9 }, "'cu_seqlens_k' ends with 9, axis m is 8" },
        { { 0, 2, 2, 5 }, { 0, 1L << 40, 4, 8 }, "'cu_seqlens_k' element 2 is 4, after 1099511627776" },
        { { 0, 2, 2, 5 }, { 0, -7, 4, 8 }, "'cu_seqlens_k' element 1 is -7, after 0" },
    };
    struct trial t;
    char err[400];
    int asked = 0;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        for (int all = 0; all < 2; all++) {
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=bottomright",
                all ? "visible" : "o lse", MER_F32, "h=1 g=1 n=5 m=8 b=4 cu_seqlens_q cu_seqlens_k", 1 }, err,
                sizeof err), 0, "%s", err);
            memcpy(trial_in(&t, "cu_seqlens_q")->data, bad[k].q, sizeof bad[k].q),
                memcpy(trial_in(&t, "cu_seqlens_k")->data, bad[k].k, sizeof bad[k].k);
            *err = 0;
            cr_expect(trial_check(&t, err, sizeof err) && strstr(err, bad[k].says) && !strchr(err, '\n'),
                "'%s' lacks '%s'", err, bad[k].says);
            for (const struct slot *own = slots; own->name; own++)
                for (const struct mer_kernel *x = own->kernel; own->here() && x->row; x++)
                    if (!strcmp(x->row, "attention") && !strcmp(x->out, all ? "visible" : "o lse") &&
                        !strcmp(x->type, "f32")) {
                        cr_expect_eq(mer_ask(x, &t.call), MER_BAD, "%s", bad[k].says);
                        asked++;
                    }
            trial_close(&t);
        }
    cr_expect_geq(asked, 6 * (3 + 1), "%d kernels", asked);
    /* One of the two alone is neither made nor taken. */
    cr_expect(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "n=5 m=8 b=4 cu_seqlens_q", 1 }, err,
        sizeof err) && strstr(err, "'cu_seqlens_q' is there and 'cu_seqlens_k' is missing"), "%s", err);
    trial_close(&t);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32,
        "n=5 m=8 b=4 cu_seqlens_q cu_seqlens_k", 1 }, err, sizeof err), 0, "%s", err);
    cr_assert_str_eq(t.in[t.call.n_in - 1].name, "cu_seqlens_k");
    free(t.in[--t.call.n_in].data);
    cr_expect(trial_check(&t, err, sizeof err) && strstr(err, "'cu_seqlens_q' is there and 'cu_seqlens_k' is missing"),
        "%s", err);
    trial_close(&t);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32,
        "n=5 m=8 b=4 cu_seqlens_q cu_seqlens_k", 1 }, err, sizeof err), 0, "%s", err);
    trial_in(&t, "cu_seqlens_k")->dim[0] = 3;
    cr_expect(
        trial_check(&t, err, sizeof err) && strstr(err, "'cu_seqlens_k' axis b is 3, expected 4: [3] where [b] is [4]"),
        "%s", err);
    trial_close(&t);
}

/* Four weights of scores .1 .2 .3 1.7, all hidden, in the arithmetic that `steps` names. */
static void weights(double *p, const char *params, const char *steps)
{
    static const float score[] = { 0.1f, 0.2f, 0.3f, 1.7f };
    struct trial t;
    struct arith a;
    char err[300];
    const struct ball *y[4];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", params, "weights", MER_F32, "h=1 g=1 n=1 m=4 d=1",
        1 }, err, sizeof err), 0, "%s", err);
    cr_assert_geq(arith_read(&a, t.row, steps, ROUND, err, sizeof err), 0, "%s", err);
    array_put(&t.in[0], 0, 1);
    for (int j = 0; j < 4; j++)
        array_put(&t.in[1], j, (double)score[j]);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .len = 4, .prec = 128 };
    row_quantity(t.row, "weights")->page(&w, y);
    for (int j = 0; j < 4; j++)
        p[j] = mpfr_number_p(y[j]->mid) && isfinite(b_radius(y[j])) ? b_value(y[j]) : (double)NAN;
    ask_clear(&w), trial_close(&t);
}

Test(visible, an_added_constant_quantises_the_scores_it_meets)
{
    static const double added[] = { .120723, .133498, .147481, .598298 },
                        exactly[] = { .120779, .133481, .147519, .598221 };
    static const char *const huge[] = { "-1e9", "-1e15", "-1e30", "-340282346638528859811704183484516925440" };
    double p[4];
    char params[160];
    weights(p, "scale=1 causal=offset offset=-1 mask=add", "masking=f32");
    for (int j = 0; j < 4; j++)
        cr_expect(fabs(p[j] - added[j]) < 1e-6, "f32 -10000: %.6f, not %.6f", p[j], added[j]);
    weights(p, "scale=1 causal=offset offset=-1 mask=add", "");
    for (int j = 0; j < 4; j++)
        cr_expect(fabs(p[j] - exactly[j]) < 1e-6, "exactly: %.6f, not %.6f", p[j], exactly[j]);
    for (int k = 0; k < 4; k++) {
        snprintf(params, sizeof params, "scale=1 causal=offset offset=-1 mask=add constant=%s", huge[k]);
        weights(p, params, "masking=f32");
        for (int j = 0; j < 4; j++)
            cr_expect(p[j] == .25, "%s: %g", huge[k], p[j]);
    }
}

Test(visible, twice_the_least_number_of_16_bits_is_no_number_any_more) /* Reported as NVIDIA-NeMo/Automodel#2658. */
{
    static const char *const format[] = { "bf16", "f16", "f32" },
                             *const least[] = { "-338953138925153547590470800371487866880", "-65504", "-65504" };
    for (int k = 0; k < 3; k++)
        for (int times = 1; times <= 2; times++) {
            double p[4];
            char params[200], steps[40];
            snprintf(params, sizeof params, "scale=1 causal=offset offset=-1 mask=add constant=%s times=%d", least[k],
                times);
            snprintf(steps, sizeof steps, "masking=%s", format[k]);
            weights(p, params, steps);
            cr_expect(
                times == 2 && k < 2 ? isnan(p[0]) : p[0] > 0 && p[0] <= .25, "%s times %d: %g", steps, times, p[0]);
        }
}

Test(visible, wrong_shapes_and_numbers_are_named)
{
    static const char *const bad[] = { "prefix=-1", "chunk=-1", "cap=-1", "eps=-1/2", "temperature=logn trained=1",
        "times=0", "floor=0" };
    struct trial t;
    char err[400];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cr_expect_neq(trial_make(&t, &(struct trial_spec){ "attention", bad[k], "o", MER_F32, "", 1 }, err, sizeof err),
            0, "%s", bad[k]);
        cr_expect(strlen(err) > 3 && !strchr(err, '\n'), "%s: '%s'", bad[k], err);
        trial_close(&t);
    }
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "h=2 sink", 1 }, err, sizeof err),
        0);
    mer_find(t.in, t.call.n_in, "sink")->dim[0] = 1;
    cr_expect(trial_check(&t, err, sizeof err) && strstr(err, "'sink' axis h is 1, expected 2"), "%s", err);
    mer_find(t.in, t.call.n_in, "sink")->dim[0] = 2;
    trial_close(&t);
    /* Keys lie in rows here, where columns are meant. */
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "context", MER_F32, "g=1 d=3 m=4", 1 }, err,
        sizeof err), 0);
    struct mer_array *kt = mer_find(t.in, t.call.n_in, "kt");
    kt->dim[1] = 4, kt->dim[2] = 3;
    cr_expect(trial_check(&t, err, sizeof err) &&
            strstr(err, "is 4, expected 3: [1,4,3] where [g,d,m] is [1,3,3] (q[h,d] kt[g,d,m]"),
        "%s", err);
    trial_close(&t);
}

/* Which keys are kept, visible and of whose document: input by input. */
Test(visible, keys_behind_the_last_one_kept_are_hidden)
{
    static int keep_of[2 * 2 * 3] = { 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0 };
    struct mer_array keep = { "keep", MER_I32, 3, { 2, 2, 3 }, keep_of, { 0 } };
    const struct mer_call with = { .n_in = 1, .in = &keep };
    const struct arith a = { .how = EXACT };
    static const struct mer_call nothing;
    const struct ask w = { .arith = &a, .call = &with }, without = { .arith = &a, .call = &nothing };
    for (long k = 0; k < 2 * 2 * 5; k++) {
        const long h = k / 10, i = k / 5 % 2, j = k % 5;
        cr_expect_eq(mix_kept(&w, h, i, j), j < 3 && keep_of[(h * 2 + i) * 3 + j], "%ld", k);
        cr_expect(mix_kept(&without, h, i, j));
    }
}

/* The place of a query, and which keys it sees, by document and by pack; cumulative lengths of queries alone say
 * nothing. */
Test(visible, places_are_counted_in_a_document_or_in_the_pack)
{
    static int q_starts[] = { 0, 2, 5 }, k_starts[] = { 0, 3, 7 };
    struct mer_array starts[] = { { "cu_seqlens_q", MER_I32, 1, { 3 }, q_starts, { 0 } },
        { "cu_seqlens_k", MER_I32, 1, { 3 }, k_starts, { 0 } } };
    const struct arith a = { .how = EXACT };
    for (int n_in = 0; n_in <= 2; n_in++)
        for (int pack = 0; pack < 2; pack++)
            for (long i = 0; i < 5; i++) {
                const struct mer_call with = { .n_in = n_in, .in = starts };
                const struct ask w = { .arith = &a, .call = &with };
                const struct visible p = { .causal = BOTTOMRIGHT, .left = -1, .right = -1, .length = -1,
                    .counted = pack ? BY_PACK : BY_DOCUMENT };
                const bool apart = n_in == 2, by = apart && !pack;
                const long q0 = by && i >= 2 ? 2 : 0, n = !by ? 5 : i < 2 ? 2 : 3, m = !by ? 7 : i < 2 ? 3 : 4,
                           k0 = by && i >= 2 ? 3 : 0, place = i - q0 + m - n;
                cr_expect_eq(visible_position(&w, &p, i, 5, 7), place, "%d, %d, %ld: %ld", n_in, pack, i,
                    visible_position(&w, &p, i, 5, 7));
                for (long j = 0; j < 7; j++) {
                    const bool own = !apart || (i < 2) == (j < 3);
                    cr_expect_eq(visible_key(&w, &p, 0, i, j, 5, 7), own && j - k0 <= place, "%d, %d, %ld, %ld", n_in,
                        pack, i, j);
                }
            }
}

/* The line at which a page asks which query and key are meant: the first index that its rules note. */
static int asked_at(void)
{
    static struct sites all;
    struct trial t;
    struct arith a;
    char err[600];
    const struct ball *y[5];
    memset(&all, 0, sizeof all);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=topleft", "visible", MER_F32, "h=1 n=3 m=5",
        1 }, err, sizeof err), 0, "%s", err);
    cr_assert_geq(arith_read(&a, t.row, edit_nowhere, EXACT, err, sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .len = 5, .sites = &all };
    ask_reset(&w, 64);
    row_quantity(t.row, "visible")->page(&w, y);
    int k = 0;
    while (k < all.n && (all.s[k].kind != SITE_INDEX || !strstr(all.s[k].at.file, "visible.c")))
        k++;
    cr_assert(k < all.n && all.s[k].extent[0] == 5 && all.s[k].extent[1] == 5);
    ask_clear(&w), free(all.use), trial_close(&t);
    return all.s[k].at.line;
}

/* A kernel that asks its mask for query j and key i: it sees what the transposed rule lets it see, and of places behind
 * the last query that have no row of `keep`, nothing. */
Test(visible, query_and_key_may_be_exchanged)
{
    enum { MOST = 5 };
    static const struct { const char *params, *sizes; int n, m; const char *sees[MOST]; } list[] = {
        { "causal=topleft", "", 3, 5, { "#####", ".####", "..###" } },
        { "causal=topleft window=2", "", 3, 5, { "##...", ".##..", "..##." } },
        { "causal=topleft", "", 5, 3, { "###", ".##", "..#", "...", "..." } },
        { "causal=none", "keep", 3, 5, { NULL } },
        { "causal=none", "doc", 3, 5, { "#####", "#####", "#####" } },
        { "causal=none", "doc query_doc", 3, 5, { "###..", "###..", "###.." } },
    };
    char word[100], sizes[60];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (long i = 0; i < list[k].n; i++) {
            struct trial t;
            struct arith a;
            char err[600], seen[MOST + 1] = "", want[MOST + 1] = "";
            const struct ball *y[MOST];
            snprintf(sizes, sizeof sizes, "h=1 n=%d m=%d %s", list[k].n, list[k].m, list[k].sizes);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", list[k].params, "visible", MER_F32, sizes,
                1 }, err, sizeof err), 0, "%s", err);
            /* All are of one document. */
            for (int x = 0; x < t.call.n_in; x++)
                for (long at = 0; strstr(t.in[x].name, "doc") && at < array_len(&t.in[x]); at++)
                    array_put(&t.in[x], at, 0);
            snprintf(word, sizeof word, "edit=softmax/visible.c:%d:index.0:transpose", asked_at());
            cr_assert_geq(arith_read(&a, t.row, word, EXACT, err, sizeof err), 0, "%s", err);
            struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .len = list[k].m, .at = { 0, i } };
            ask_reset(&w, 64);
            row_quantity(t.row, "visible")->page(&w, y);
            const struct mer_array *keep = mer_in(&t.call, "keep");
            for (long j = 0; j < list[k].m; j++) {
                seen[j] = b_value(y[j]) == 1 ? '#' : '.';
                want[j] = !keep                                       ? list[k].sees[i][j] :
                    j < 3 && array_get(keep, j * list[k].m + i) != 0 ? '#' :
                                                                        '.';
            }
            cr_expect_str_eq(seen, want, "%s, query %ld: %s, not %s", list[k].params, i, seen, want);
            ask_clear(&w), trial_close(&t);
        }
}
