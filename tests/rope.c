/* Numbers that others printed, or that were computed once at 300 bits with other code: every one to its last digit.
 * Sources: vllm-project/vllm#28244, huggingface/transformers tests/utils/test_modeling_rope_utils.py,
 * deepseek-ai/DeepSeek-V3 inference/model.py. */
#include <criterion/criterion.h>
#include "digits.h"

#define GPT_OSS "dim=64 base=150000 scaling=yarn factor=32 trained=4096"
#define HF_YARN "dim=128 scaling=yarn factor=10 trained=2048"
#define HF_DYNAMIC "dim=128 scaling=dynamic factor=10 trained=2048 length=16384"
#define LLAMA3 "dim=128 base=500000 scaling=llama3 factor=8 trained=8192"
#define PHI3 "dim=4 short_factor=1,1 long_factor=1,1 scaling=longrope "

static const struct { const char *out, *params; double pos; long len, k; const char *decimal; } known[] = {
    { "freq", GPT_OSS " truncate=off", 0, 32, 9, "0.031705696184663765988" },
    { "freq", GPT_OSS, 0, 32, 9, "0.031620752275346487904" },
    { "freq", GPT_OSS " truncate=off", 0, 32, 13, "0.0038603593171920662812" },
    { "freq", GPT_OSS, 0, 32, 13, "0.0040695547147582428178" },
    { "freq", GPT_OSS " truncate=off", 0, 32, 17, "1.2931870124506272061e-4" },
    { "freq", GPT_OSS, 0, 32, 17, "2.2794779579512526326e-4" },
    { "freq", GPT_OSS " truncate=off", 0, 32, 18, "3.8308812373753382914e-5" },
    { "freq", GPT_OSS, 0, 32, 18, "3.8308812373753382914e-5" },
    { "freq", GPT_OSS " truncate=off beta_fast=1", 0, 32, 17, "0.0017791047476692703474" }, /* a ramp without width */
    { "freq", GPT_OSS " truncate=off beta_fast=1", 0, 32, 18, "3.8308812373753382914e-5" },
    { "amplitude", GPT_OSS, 0, 1, 0, "1.3465735902799726547" },
    { "freq", HF_YARN, 0, 64, 17, "0.083478960771910299967" },
    { "freq", HF_YARN, 0, 64, 30, "0.0066142663035300871674" },
    { "freq", HF_YARN, 0, 64, 40, "4.3006976178289958915e-4" },
    { "freq", HF_YARN, 0, 64, 41, "2.7384196342643612942e-4" },
    { "freq", HF_YARN, 0, 64, 63, "1.1547819846894581797e-5" },
    { "freq", HF_DYNAMIC, 0, 64, 1, "0.80931007489151476008" },
    { "freq", HF_DYNAMIC, 0, 64, 30, "0.0017516543235237805846" },
    { "freq", HF_DYNAMIC, 0, 64, 63, "1.6264534995626171545e-6" },
    { "freq", LLAMA3, 0, 64, 29, "0.0021665707635033586093" },
    { "freq", LLAMA3, 0, 64, 30, "0.0013718935677611381604" },
    { "freq", LLAMA3, 0, 64, 31, "8.5675141291963208107e-4" },
    { "freq", LLAMA3, 0, 64, 32, "5.2484616099295466973e-4" },
    { "freq", LLAMA3, 0, 64, 33, "3.1269375038406513222e-4" },
    { "freq", LLAMA3, 0, 64, 34, "1.7850781276799641852e-4" },
    { "amplitude", PHI3 "factor=32 trained=4096", 0, 1, 0, "1.190238071423808333" },
    { "amplitude", PHI3 "factor=16 trained=4096", 0, 1, 0, "1.154700538379251529" },
    { "amplitude", PHI3 "factor=4 trained=32768", 0, 1, 0, "1.0645812948447541333" },
    { "amplitude", "dim=64 scaling=yarn factor=40 trained=4096", 0, 1, 0, "1.3688879454113936303" },
    { "cos", "dim=128", 131071, 64, 1, "-0.97827091293645223750" },
    { "sin", "dim=128", 131071, 64, 1, "-0.20733070419617130666" },
    { "cos", "dim=128 base=500000", 131071, 64, 1, "-0.81731615002386427279" },
    { "sin", "dim=128 base=500000", 131071, 64, 1, "0.57618947483459656553" },
    { "cos", "dim=128 base=1000000", 1048575, 64, 1, "-0.34291886520905617536" },
    { "sin", "dim=128 base=1000000", 1048575, 64, 1, "-0.93936502589980065864" },
    { "cos", "dim=256 base=1000000", 1048575, 128, 5, "-0.19087191795492469574" },
    { "sin", "dim=256 base=1000000", 1048575, 128, 5, "-0.98161495044452562349" },
    { "cos", "dim=64 base=150000", 131071, 32, 3, "-0.96598834379016710994" },
    { "sin", "dim=64 base=150000", 131071, 32, 3, "0.25858561379459978754" },
};

Test(rope, known_numbers_agree_to_their_last_digit)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 256);
        const struct ball *y =
            element(w, "rope", known[i].out, known[i].params, known[i].pos, known[i].len, known[i].k);
        cr_expect(digits_agree(y, known[i].decimal), "%s[%ld] of %s: %.20g, printed %s", known[i].out, known[i].k,
            known[i].params, b_value(y), known[i].decimal);
        law_close(&l, true);
    }
}

Test(rope, the_comparison_sees_a_wrong_last_digit)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 256);
    const struct ball *y = element(w, "rope", "freq", LLAMA3, 0, 64, 34);
    cr_expect(!digits_agree(y, "1.7850781276799641853e-4") && !digits_agree(y, "1.7850781276799641851e-4") &&
        digits_agree(y, "1.785e-4"));
    law_close(&l, true);
}

/* An amplitude is rounded at its step: 1.34657.. is 172/128 in bfloat16. */
Test(rope, an_amplitude_is_a_number_of_its_format)
{
    struct law_ask l = { .w = { .arith = &l.a } };
    char err[300];
    cr_assert_geq(arith_read(&l.a, row_named("rope"), "amplitude=bf16", ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 256);
    const struct ball *y = element(&l.w, "rope", "amplitude", GPT_OSS, 0, 1, 0);
    cr_expect(b_value(y) == 172.0 / 128 && b_radius(y) == 0, "%.17g +- %g", b_value(y), b_radius(y));
    law_close(&l, true);
}

Test(rope, rescaled_bases_and_squared_gains_agree)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 256);
    const struct ball *one = b_si(w, 1), *w1 = element(w, "rope", "freq", HF_DYNAMIC, 0, 64, 1),
                      *v1 = element(w, "rope", "freq", "dim=128 scaling=ntk factor=8", 0, 64, 1);
    cr_expect(digits_agree(b_pow(w, b_div(w, one, w1), b_si(w, 64)), "759702.23114800946842"), "dynamic: base'");
    cr_expect(digits_agree(b_pow(w, b_div(w, one, v1), b_si(w, 64)), "82684.622640562218436"), "static x8: base'");
    const struct ball *g = element(w, "rope", "amplitude", "scaling=yarn factor=40 trained=4096", 0, 1, 0);
    const struct ball *ratio = element(w, "rope", "amplitude",
                          "scaling=yarn factor=40 trained=4096 mscale=0.707 mscale_all_dim=1", 0, 1, 0),
                      *v2 = b_mul(w, ratio, g);
    cr_expect(digits_agree(b_mul(w, g, g), "1.8738542070926265875"), "g(40, 1)^2");
    cr_expect(digits_agree(b_mul(w, v2, v2), "1.58962616512087"), "g(40, 0.707)^2");
    law_close(&l, true);
}

static const struct ball *score(
    struct ask *w, const char *params, const double *q, const double *k, double m, double n, long d)
{
    const struct ball *a[4], *b[4];
    struct given left[] = { { "x", q, 3, { 1, 1, d } }, { "pos", &m, 1, { 1 } } },
                 right[] = { { "x", k, 3, { 1, 1, d } }, { "pos", &n, 1, { 1 } } };
    law_line(w, (struct law_of){ row_named("rope"), "y", params }, (struct givens){ left, 2 }, NULL, d, a);
    law_line(w, (struct law_of){ row_named("rope"), "y", params }, (struct givens){ right, 2 }, NULL, d, b);
    return law_dot(w, a, b, d);
}

Test(rope, known_scores_agree_and_have_the_right_sign)
{
    static const double q[] = { 1, 2, 3, 4 }, k[] = { .5, -1, 2, 1 }, e0[] = { 1, 0 }, e1[] = { 0, 1 },
                        at[][2] = { { 1, 4 }, { 5, 8 }, { 1005, 1008 } };
    struct law_ask l;
    struct ask *w = law_open(&l, "", 256);
    cr_expect(digits_agree(score(w, "dim=4", q, k, 0, 0, 4), "8.5"));
    for (int i = 0; i < 3; i++) {
        cr_expect(digits_agree(score(w, "dim=4 layout=interleaved", q, k, at[i][0], at[i][1], 4), "11.912706599522756"),
            "interleaved %g", at[i][0]);
        cr_expect(digits_agree(score(w, "dim=4 layout=half", q, k, at[i][0], at[i][1], 4), "-4.686384165649828"),
            "half %g", at[i][0]);
    }
    cr_expect(digits_agree(score(w, "dim=2", e0, e1, 3, 1, 2), "0.909297426825682"), "sin 2");
    cr_expect(digits_agree(score(w, "dim=2", e0, e1, 1, 3, 2), "-0.909297426825682"), "swapped");
    law_close(&l, true);
}

/* The wavelength of the last pair in units of 2 pi: base^((d-2)/d).  Only tensor2tensor's spacing reaches 10000. */
Test(rope, longest_wavelengths_agree)
{
    static const struct {
        long d;
        const char *decimal;
    } t[] = { { 4, "100" }, { 8, "1000" }, { 16, "3162.277660" }, { 64, "7498.942093" }, { 128, "8659.643234" },
        { 512, "9646.616199" }, { 1024, "9821.718892" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 256);
        char params[40];
        snprintf(params, sizeof params, "dim=%ld", t[i].d);
        cr_expect(digits_agree(b_div(w, b_si(w, 1), element(w, "rope", "freq", params, 0, t[i].d / 2, t[i].d / 2 - 1)),
                      t[i].decimal),
            "%s", params);
        law_close(&l, true);
    }
}

Test(rope, impossible_parameters_are_refused_in_words)
{
    static const struct { const char *params, *says; } t[] = {
        { "dim=10 rotary=5", "even" },
        { "dim=10 rotary=12", "at most dim" },
        { "dim=2 scaling=ntk factor=4", "r/(r-2)" },
        { "base=1", "base" },
        { "factor=2", "scaling=default" },
        { "scaling=yarn factor=4", "trained" },
        { "scaling=llama3 factor=16 trained=8192 high_freq_factor=1/2", "high_freq_factor" },
        { "scaling=linear factor=1/2", "factor" },
        { "dim=8 scaling=longrope factor=2 trained=8 short_factor=1,1,1", "one entry for each pair" },
        { "dim=8 scaling=longrope factor=2 trained=8 short_factor=0,1,1,1", "entries must be positive" },
        { "dim=8 scaling=longrope factor=2 trained=8 short_factor=1,1,1,0", "entries must be positive" },
        { "partial=proportional rotary=8 scaling=yarn factor=2 trained=64", "proportional" },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const struct row *r = row_named("rope");
        char err[300] = "";
        void *p = calloc(1, r->size);
        cr_assert_eq(params_read(row_params(r), p, t[i].params, err, sizeof err), 0, "%s: %s", t[i].params, err);
        const char *why = r->refuse(p);
        cr_expect(why && strstr(why, t[i].says), "%s: %s", t[i].params, why ? why : "accepted");
        params_clear(row_params(r), p);
        free(p);
    }
}
