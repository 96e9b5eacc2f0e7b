/* What a profile may say and what it may not, each with what the one line says; words without effect. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "trial/profile.h"
#include "trial/valid.h"

/* Words that nobody may state: each with what the one line says. */
Test(profile_words, what_a_profile_may_not_say_is_one_line)
{
    static const struct { const char *row, *text, *says; } list[] = {
        { "attention", "dot=f32 dot=f16", "'dot=f32' and another 'dot': each is said once" },
        { "attention", "dot=f32 attention.dot=f16", "said once" },
        { "attention", "in.k=f16 attention.in.k=f16", "said once" },
        { "attention", "route=online route=split", "said once" },
        { "attention", "exact dot=f32", "'exact' says that nothing rounds but the store; 'dot=f32' says otherwise" },
        { "attention", "divide=first exact", "says otherwise" },
        { "attention", "in.exac=f16", "unknown word 'in.exac=f16'; attention has" }, /* No format is stored. */
        { "attention", "dot=f31", "format: f64 f32 f16 bf16 tf32 e4m3 e5m2" },
        { "attention", "dot=f32:0.5", "half-ulps" },
        { "attention", "dot=f32:", "half-ulps" },
        { "attention", "dot=f32:nan", "half-ulps" },
        { "attention", "dot=f32/h0", "a height, or 1 to 4096 lanes" },
        { "attention", "dot=f32/lanes", "1 to 4096 lanes" },
        { "attention", "dot=f32/tree", "allowed: f32, f32:2" },
        { "attention", "dot=f32/lanes5000", "1 to 4096 lanes" },
        { "attention", "dot=f32/tc", "allowed" },
        { "attention", "exp=f32+0", "absolute error" },
        { "attention", "exp=f32+-1", "absolute error" },
        { "attention", "exp=f32+", "absolute error" },
        { "attention", "exp=f32+inf", "absolute error" },
        { "attention", "exp=f32+1e-7:2", "allowed" },
        { "attention", "in.k=f16/h3", "an input is stored, not summed" },
        { "attention", "in.nosuch=f16", "unknown word 'in.nosuch=f16'" },
        { "attention", "in.keep=f16", "unknown word" },
        { "attention", "in.=f16", "unknown word" },
        { "attention", "k=f16", "unknown word" },
        { "attention", "dot=f32/tc8:0", "allowed" },
        { "attention", "dot=f32:2/tc8", "truncates" },
        { "attention", "dot=f32+1e-7/tc8", "truncates" },
        { "attention", "in.k=f16/tc4", "stored, not summed" },
        { "attention", "divide=second", "divide: last first" },
        { "attention", "dscale=second", "dscale: last first" },
        { "rope", "dscale=first", "unknown word" },
        { "attention", "ftz=maybe", "ftz: on off" },
        { "attention", "exactly", "unknown word" },
        { "attention", "exact=on", "unknown word" },
        { "attention", "dot=f32[m>=64] dot=f16", "said once, or for sizes that exclude each other" },
        { "attention", "dot=f32[m>=64] dot=f16[m<65]", "exclude each other" },
        { "attention", "dot=f32[m>=64] dot=f16[n<64]", "exclude each other" },
        { "attention", "dot=f32[]", "conditions: dot=f32[m>=64]" },
        { "attention", "dot=f32[m>64", "conditions" },
        { "attention", "dot=f32[m>=64]x", "conditions" },
        { "attention", "dot=f32[m>x]", "conditions" },
        { "attention", "dot=f32[m!4]", "conditions" },
        { "attention", "dot=f32[m>=9,m<9]", "no size meets all" },
        { "attention", "dot=f32[z>1]", "z is no letter of the shapes of attention" },
        { "attention", "ftz=maybe[m>1]", "ftz: on off" },
        { "attention", "dot=f32[m>=64] dot=f3[m<64]", "format: f64" },
        { "mrope", "rope.route=backwards", "backwards" },
        { "mrope", "rope.base=3", "unknown word" },
        { "rope", "rope.route=iterated", "unknown word" },
        { "mrope", "rope.route", "unknown word" },
        { "rope", "divide=first", "unknown word" },
        { "rope", "in.freq=f16 freq", "unknown word 'freq'" },
        { "layer", "rope.in.wq=f16", "unknown word" },
        { "layer", "rope.divide=first", "unknown word" },
    };
    char err[1200];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        *err = 0;
        cr_expect(valid_profile(row_named(list[k].row), NULL, list[k].text, err, sizeof err) == -1 &&
                strstr(err, list[k].says) && !strchr(err, '\n'),
            "%s '%s': '%s' lacks '%s'", list[k].row, list[k].text, err, list[k].says);
    }
}

Test(profile_words, what_a_profile_may_say_is_read)
{
    static const struct { const char *row, *text; int words; } list[] = {
        { "attention", "exact", 1 },
        { "attention", "exact ftz=on route=online", 1 },
        { "attention", "dot=f32:2+1.5e-7/h20 ftz=off", 1 },
        { "attention", "attention.in.k=bf16:2 divide=last", 2 },
        { "rope", "freq=f32 in.freq=f16", 2 },
        { "layer", "in.wq=f16 attention.in.k=f16 rope.in.x=bf16 attention.divide=first", 4 },
        { "feedforward", "curve=f32+1.5e-7", 1 },
        { "attention", "exp=f64+0x1p-40", 1 },
    };
    char err[1200];
    struct arith a;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        cr_expect_eq(
            valid_profile(row_named(list[k].row), NULL, list[k].text, err, sizeof err), 0, "%s: %s", list[k].text, err);
        cr_expect_eq(arith_read(&a, row_named(list[k].row), list[k].text, WIDEN, err, sizeof err), list[k].words, "%s",
            list[k].text);
    }
}

/* A fault is read by its name, and what is none is refused with what is allowed; so is a route of a part. */
Test(profile_words, a_fault_and_a_route_of_a_part_are_read_or_refused)
{
    static const struct { const char *text; int fault; } faults[] = { { "fault=none", FAULT_NONE },
        { "fault=uncentred", FAULT_UNCENTRED }, { "fault=unscaled", FAULT_UNSCALED },
        { "fault=overwritten", FAULT_OVERWRITTEN } };
    char err[1200];
    struct arith a;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        cr_expect_eq(arith_read(&a, row_named("softmax"), faults[k].text, WIDEN, err, sizeof err), 1, "%s: %s",
            faults[k].text, err);
        cr_expect_eq(a.fault, faults[k].fault, "%s", faults[k].text);
    }
    cr_expect_eq(arith_read(&a, row_named("softmax"), "fault=nothing", WIDEN, err, sizeof err), -1);
    cr_expect(strstr(err, "fault: none uncentred unscaled overwritten"), "%s", err);
    cr_expect_eq(row_knows(row_named("layer"), "attention.route=online", err, sizeof err), 0, "%s", err);
    cr_expect_eq(row_knows(row_named("layer"), "attention.route=nothing", err, sizeof err), -1);
    cr_expect(strstr(err, "route"), "%s", err);
    cr_expect_eq(row_knows(row_named("layer"), "phse=f32", err, sizeof err), -1);
}

/* Idle words of a profile on the command line are bad input; those of a profile that serves a whole row are not, where
 * one of its outputs uses them. */
Test(profile_words, a_word_without_effect_is_bad_input)
{
    static const char online[] =
        "judge own:scalar --row attention --out 'o lse' --preset paper --few --checks none --profile 'dot=f32 "
        "score=f32:3 shift=f32 exp=f32:7 weight=bf16 sum=f32 total=f32 log=f32:4 rescale=f32 div=f32:4%s'";
    char asked[400];
    /* Tiles of 32 keys are rescaled only where there are more keys than most questions have. */
    snprintf(asked, sizeof asked, online, " route=online block=32");
    cr_expect_eq(meridian("", asked), 0, "%s%s", out, err);
    snprintf(asked, sizeof asked, online, "");
    cr_expect(meridian("", asked) == 2 && strstr(err, "'rescale=f32' has no effect"), "%s", err);
    static const struct { const char *args, *says; } list[] = {
        { "--row rope --out y --profile 'phase=f32 table=f32 rebase=f32' --params 'dim=16'",
            "'rebase=f32' has no effect: nothing that is asked rounds there" },
        { "--row rope --out y --profile 'phase=f32/h4 table=f32' --params 'dim=16'",
            "'phase=f32/h4' has no effect: that step is no sum here" },
        { "--row rope --out y --profile 'phase=f32 phase=f16' --params 'dim=16'", "said once" },
        { "--row rope --out y --profile 'in.cos=f16' --params 'dim=16 scaling=linear factor=2' --sizes n=3", NULL },
        { "--row rope --out y --profile 'phase=f64 table=f64:2 freq=f64 power=f64:2 exponent=f64 product=f64 sum=f64' "
            "--params 'dim=16' --sizes n=3", NULL },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char args[500];
        snprintf(args, sizeof args, "judge build/example.so --checks none %s", list[k].args);
        const int rc = meridian("", args);
        cr_expect(list[k].says ? rc == 2 && lines(err) == 1 && strstr(err, list[k].says) && !*out : rc != 2,
            "%s: exit %d '%s'", list[k].args, rc, err);
    }
}

/* The command below a failure repeats the kernel's own profile, of which a step may have nothing to do under the
 * parameters of that one question. */
Test(profile_words, a_kernels_own_profile_may_be_repeated)
{
    cr_expect_eq(meridian("", "judge own:scalar --row kerple --out 'dp da' --type f32 --checks none --profile "
                              "'product=f64:2 one=f64 log=f64:3 power=f64:3 slope=f64:3 exp=f64:3 sum=f64 ' "
                              "--params 'heads=5 kind=power' --sizes 'n=4 m=5'"), 0, "%s%s", out, err);
}
