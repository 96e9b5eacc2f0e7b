/* The field's known bugs as whole chains: none survives the own probe; honest arithmetic is never rejected; the least
 * scale error is bracketed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "command.h"
#include "power/encoded.h"
#include "power/known.h"

static struct known list[KNOWN_MOST];
static long read_list(void)
{
    char why[600];
    long n = known_read(list, why, sizeof why);
    cr_assert_geq(n, 0, "%s", why);
    return n;
}

Test(known, none_of_the_seventeen_survives_the_own_probe_in_any_format, .timeout = 120)
{
    char why[600];
    struct known_told told[KNOWN_MOST];
    struct mistake m;
    long n = read_list();
    cr_expect_eq(n, 17, "%ld", n);
    for (long k = 0; k < n; k++)
        cr_expect_eq(known_mistake(&list[k], &m), 0, "%s: no mistake %s", list[k].id, list[k].mistake);
    for (int type = MER_F32; type <= MER_BF16; type++)
        for (long i = 0, j; i < n; i = j) {
            for (j = i + 1; j < n && known_together(&list[i], &list[j]);)
                j++;
            cr_assert_eq(known_tell(&list[i], (int)(j - i), type, "probe", 16, told, why, sizeof why), 0, "%s", why);
            for (long b = i; b < j; b++)
                cr_expect(told[b - i].y.over > 0 && told[b - i].y.ratio > 1,
                    "%s survives in %s: %g of the bound over %ld elements", list[b].id, type_name[type],
                    told[b - i].y.ratio, told[b - i].y.n);
        }
}

/* With every step rounded as the profile says and the output stored, a chain stays inside every ball, on every fill;
 * the unchanged chain is equal. */
Test(known, an_honest_chain_is_never_rejected, .timeout = 120)
{
#define F32 "dot=f32 product=f32 score=f32 shift=f32 exp=f32 sum=f32 total=f32 div=f32 log=f32"
    static const struct { struct known k; const char *type; } chain[] = {
        { { "attention", "attention", "causal=bottomright", "-", F32 " bias=f32", "", "o" }, NULL },
        { { "lse", "attention", "causal=bottomright window=40", "-", F32, "", "lse" }, NULL },
        { { "weights", "attention", "causal=bottomright", "-", F32 " weight=bf16", "", "o" }, "bf16" },
        { { "weights", "attention", "causal=bottomright", "-", F32 " weight=f16", "", "o" }, "f16" },
        { { "rotated", "attention", "causal=bottomright", "rope dim=32 rotary=24",
            "rope: exponent=f32 power=f32 freq=f32 phase=f32 table=f32 product=f32 sum=f32", "", "o" }, NULL },
        { { "alibi", "attention", "causal=bottomright h=12 g=4", "alibi", "alibi: slope=f32 bias=f32", "", "o" },
            NULL },
        { { "t5", "attention", "scale=1", "t5", "t5: table=f32", "", "o" }, NULL },
        { { "softcap", "attention", "causal=bottomright cap=5", "-", F32 " quotient=f32 tanh=f32 capped=f32", "", "o" },
            NULL },
        { { "unchanged", "attention", "causal=bottomright", "rope dim=32", "window=0", "", "o" }, NULL },
    };
    static const char *const fills[] = { "small", "normal", "probe" };
    char why[600];
    for (size_t c = 0; c < sizeof chain / sizeof *chain; c++)
        for (int type = MER_F32; type <= MER_BF16; type++)
            for (int f = 0; f < 3; f++) {
                struct known_told told;
                if (chain[c].type && strcmp(chain[c].type, type_name[type]))
                    continue;
                cr_assert_eq(known_tell(&chain[c].k, 1, type, fills[f], 4, &told, why, sizeof why), 0, "%s: %s",
                    chain[c].k.id, why);
                cr_expect(told.y.over == 0 && told.y.n > 0, "%s %s %s: %ld of %ld over, %g of the bound at %ld,%ld|%ld",
                    chain[c].k.id, type_name[type], fills[f], told.y.over, told.y.n, told.y.ratio, told.y.at[0],
                    told.y.at[1], told.y.k);
                if (!strcmp(chain[c].k.id, "unchanged"))
                    cr_expect(told.close == 0 && told.y.correct == told.y.n,
                        "the right chain against itself: %g, %ld of %ld", told.close, told.y.correct, told.y.n);
            }
}

Test(known, the_fields_tolerance_is_what_it_says)
{
    static const struct known zero = { "zero", "attention", "h=1 g=1 n=2 m=3", "-", "causal=offset offset=-1000000", "",
        "o" },
                              same = { "same", "attention", "h=1 g=1 n=2 m=3", "-", "scale=1/3", "", "o" };
    char why[600];
    struct known_told told;
    /* For an answer of 0 the error by a tolerance, |0 - want| / (0.02 + 0.02 |want|), is worst where |want| is. */
    cr_assert_eq(known_tell(&zero, 1, MER_F64, "probe", 8, &told, why, sizeof why), 0, "%s", why);
    double want = told.close * 2e-2 / (1 - told.close * 2e-2), cell = told.y.want < 0 ? -told.y.want : told.y.want;
    cr_expect(told.close > 1 && want > 0 && want <= 1.0000001 && cell <= want * 1.0000001, "%g: %g, %g", told.close,
        want, cell);
    /* A scale of 1/3 instead of 1/sqrt(32) on small inputs is seen by the derived bound only. */
    cr_assert_eq(known_tell(&same, 1, MER_F64, "small", 8, &told, why, sizeof why), 0, "%s", why);
    cr_expect(told.close < 1 && told.y.over == told.y.n, "%g, %ld of %ld", told.close, told.y.over, told.y.n);
}

/* Two rows asked one after the other, with the rotated q and k stored as f64, lie in the balls of the chain with that
 * store; so its positions, parts and shapes are right. */
Test(known, a_chain_is_its_rows_one_after_the_other)
{
    char why[600];
    struct encoded e;
    struct chain wide;
    struct trial rope, plain;
    const struct ball *b[7];
    struct tally y = { 0 };
    cr_assert_eq(encoded_make(&e, &(struct trial_spec){ "attention", "causal=bottomright", "o", MER_F64,
        "h=2 g=1 n=5 m=9 d=6 e=7", 3 }, "rope dim=6", why, sizeof why), 0, "%s", why);
    cr_assert_eq(trial_make(&plain, &(struct trial_spec){ "attention", "causal=bottomright", "o", MER_F64,
        "h=2 g=1 n=5 m=9 d=6 e=7", 3 }, why, sizeof why), 0, "%s", why);
    for (int k = 0; k < 2; k++) {
        struct mer_array *x = trial_in(&plain, k ? "k" : "q");
        char sizes[40];
        snprintf(sizes, sizeof sizes, "h=%ld n=%ld", (long)x->dim[0], (long)x->dim[1]);
        cr_assert_eq(trial_make(&rope, &(struct trial_spec){ "rope", "dim=6", "y", MER_F64, sizes, 3 }, why,
            sizeof why), 0, "%s", why);
        memcpy(trial_in(&rope, "x")->data, x->data, (size_t)array_len(x) * 8);
        for (long i = 0; i < x->dim[1]; i++)
            array_put(trial_in(&rope, "pos"), i, (double)(k ? i : i + 4));
        reference_run(&rope, &(struct arith){ 0 });
        memcpy(x->data, rope.out[0].data, (size_t)array_len(x) * 8);
        snprintf(e.part[k].profile, sizeof e.part[k].profile, "store=f64");
        trial_close(&rope);
    }
    reference_run(&plain, &(struct arith){ 0 });
    cr_assert_eq(chain_open(&wide, &e, WIDEN, why, sizeof why), 0, "%s", why);
    for (long line = 0; line < 10; line++) {
        const long at[MER_RANK] = { line / 5, line % 5 };
        cr_assert(chain_line(&wide, at, 7, b));
        for (long c = 0; c < 7; c++) {
            tally_add(&y, b[c], b[c], array_get(&plain.out[0], line * 7 + c), &formats[0], at, c, "o");
            cr_expect(b_radius(b[c]) < 1e-13, "a radius of %g tells nothing", b_radius(b[c]));
        }
    }
    cr_expect(y.n == 70 && y.over == 0, "%ld of %ld outside, %g of the bound", y.over, y.n, y.ratio);
    chain_close(&wide), encoded_close(&e), trial_close(&plain);
}

/* A chain of real numbers leaves what its rows declare, for the next one. */
Test(known, the_exact_chain_keeps_what_is_declared)
{
    char why[600];
    struct encoded e;
    struct chain exact, wide;
    const struct ball *y[7], *b[7];
    const long at[MER_RANK] = { 1, 3 };
    cr_assert_eq(encoded_make(&e, &(struct trial_spec){ "attention", "causal=bottomright", "o", MER_F32,
        "h=2 g=1 n=5 m=9 d=6 e=7", 3 }, "rope dim=6", why, sizeof why), 0, "%s", why);
    encoded_profile(&e);
    const struct encoded declared = e;
    cr_assert_eq(chain_open(&exact, &e, EXACT, why, sizeof why), 0, "%s", why);
    cr_expect_str_eq(e.t.profile, declared.t.profile);
    for (int k = 0; k < e.parts; k++)
        cr_expect(*e.part[k].profile && !strcmp(e.part[k].profile, declared.part[k].profile), "part %d", k);
    cr_assert_eq(chain_open(&wide, &e, WIDEN, why, sizeof why), 0, "%s", why);
    cr_assert(chain_line(&exact, at, 7, y) && chain_line(&wide, at, 7, b));
    for (int c = 0; c < 7; c++)
        cr_expect(b_radius(y[c]) < 0x1p-60 && b_radius(b[c]) > 0x1p-30, "%g %g", b_radius(y[c]), b_radius(b[c]));
    chain_close(&exact), chain_close(&wide), encoded_close(&e);
}

/* How many elements lie outside by the comparison of the judge, to check both ends again. */
static long over(int type, long keys, double by)
{
    char why[600], sizes[80], text[100];
    struct encoded right, wrong;
    struct chain wide, exact;
    struct tally y = { 0 };
    const struct ball *b[24], *z[24];
    snprintf(sizes, sizeof sizes, "probe h=1 g=1 n=3 d=64 e=24 m=%ld", keys);
    snprintf(text, sizeof text, "scale=%lld/%lld", (long long)((1 + by) * 0x1p50), 8ll << 50);
    cr_assert(!encoded_make(&right, &(struct trial_spec){ "attention", "", "o", type, sizes, 11 }, "", why,
        sizeof why) && !encoded_make(&wrong, &(struct trial_spec){ "attention", text, "o", type, sizes, 11 }, "", why,
        sizeof why), "%s", why);
    encoded_profile(&right);
    cr_assert(!chain_open(&wide, &right, WIDEN, why, sizeof why) && !chain_open(&exact, &wrong, EXACT, why, sizeof why),
        "%s", why);
    for (long i = 1; i < 3; i++) {
        const long at[MER_RANK] = { 0, i };
        cr_assert(chain_line(&wide, at, 24, b) && chain_line(&exact, at, 24, z));
        for (long c = 0; c < 24; c++)
            tally_add(&y, z[c], b[c], b_value(z[c]), &formats[0], at, c, "o");
    }
    chain_close(&wide), chain_close(&exact), encoded_close(&right), encoded_close(&wrong);
    return y.over;
}

Test(known, the_least_scale_error_is_bracketed_and_grows_with_format_and_length, .timeout = 60)
{
    double before = 0;
    char why[600];
    static const long keys[] = { 65, 300 };
    for (int type = MER_F32; type <= MER_BF16; type++)
        for (int k = 0; k < 2; k++) {
            struct least l;
            cr_assert_eq(scale_least(type, keys[k], &l, why, sizeof why), 0, "%s", why);
            cr_expect(l.hidden < l.seen && l.seen <= 1.05 * l.hidden && l.evaluated >= 4, "%g %g", l.hidden, l.seen);
            cr_expect(over(type, keys[k], l.hidden) == 0 && over(type, keys[k], l.seen) > 0,
                "%s, %ld keys: %g and %g are not the two sides", type_name[type], keys[k], l.hidden, l.seen);
            cr_expect(
                l.seen > (k ? before : 0), "%s: %g at %ld keys, %g at fewer", type_name[type], l.seen, keys[k], before);
            before = l.seen;
        }
}

Test(known, the_verb_prints_every_bug_and_fails_for_a_survivor, .timeout = 120)
{
    char made[] = "/tmp/meridian-known-XXXXXX", command[300];
    cr_expect_eq(meridian("", "power known --lines 2 --json"), 0, "%s", err);
    cr_expect_eq(lines(out), 17, "%d", lines(out));
    cr_expect(
        strstr(out, "{\"table\":\"known\",\"known bug\":\"scale missing\"") && !strstr(out, "SURVIVES"), "%s", out);
    cr_expect_eq(meridian("", "power nothing"), 2);
    cr_assert(mkdtemp(made));
    snprintf(command, sizeof command,
        "cp -r data/mistakes %s/ && printf "
        "'none\\tattention\\tcausal=bottomright\\t-\\twindow=500\\tattention.window+1\\to\\n' >%s/known.tsv",
        made, made);
    cr_assert_eq(system(command), 0);
    snprintf(command, sizeof command, "MERIDIAN_DATA=%s", made);
    cr_expect_eq(meridian(command, "power known --lines 2"), 1, "%s", err);
    cr_expect(strstr(out, "SURVIVES") && strstr(out, "accepts") && strstr(out, "indistinguishable"), "%s", out);
    snprintf(command, sizeof command, "%s/power.md", made);
    cr_expect_eq(meridian("", "power kill --md /proc/nonexistent/x.md"), 2);
    snprintf(command, sizeof command, "power scale --quick --md %s/power.md", made);
    cr_expect_eq(meridian("", command), 0, "%s", err);
    snprintf(command, sizeof command, "grep -c '^| [0-9]' %s/power.md | grep -qx 2 && rm -r %s", made, made);
    cr_expect_eq(system(command), 0);
}
