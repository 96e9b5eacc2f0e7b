/* Recorded outputs of real libraries, judged: every case of the rows known here passes, or is a documented deviation
 * (planted.tsv: a planted mistake), or is skipped by name. The counts are pinned: a case that silently stops being
 * judged fails, and so does a deviation that is no longer seen. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "judge/deviation.h"
#include "examine/examine.h"
#include "pack/open.h"

/* Questions that pass, are known deviations, are vacuous (an amplitude of 1 is a trivial output; intervals of the third
 * sublayer of a post-norm decoder, constant lines, and an offset of 1e4 in bf16), and are skipped. */
#define EACH_PACK \
    PACK(bugs_examples, "bugs-examples", 9, 20, 0, 0)             \
    PACK(fla, "fla", 20, 0, 0, 0)                                 \
    PACK(fope_code, "fope-code", 3, 0, 0, 0)                      \
    PACK(h200_attention, "h200-attention", 30, 0, 0, 0)           \
    PACK(hf_alibi, "hf-alibi", 22, 0, 0, 8)                       \
    PACK(hf_attention_layers, "hf-attention-layers", 20, 0, 0, 3) \
    PACK(hf_beam, "hf-beam", 19, 0, 0, 0)                         \
    PACK(hf_conformer, "hf-conformer", 4, 0, 0, 1)                \
    PACK(hf_deberta, "hf-deberta", 15, 0, 0, 0)                   \
    PACK(hf_mask, "hf-mask", 18, 0, 0, 0)                         \
    PACK(attention_gym, "attention-gym", 4, 0, 0, 0)              \
    PACK(hf_mla, "hf-mla", 8, 0, 0, 0)                            \
    PACK(hf_mrope, "hf-mrope", 8, 0, 0, 0)                        \
    PACK(hf_rope_rotate, "hf-rope-rotate", 136, 0, 0, 0)          \
    PACK(hf_rope_tables, "hf-rope-tables", 49, 0, 11, 0)          \
    PACK(hf_rope_tables_2, "hf-rope-tables-2", 37, 0, 7, 0)       \
    PACK(hf_shaw, "hf-shaw", 21, 0, 0, 0)                         \
    PACK(hf_sinusoid, "hf-sinusoid", 14, 0, 0, 0)                 \
    PACK(hf_swin, "hf-swin", 5, 0, 0, 1)                          \
    PACK(hf_t5, "hf-t5", 19, 0, 0, 0)                             \
    PACK(hf_transformer_xl, "hf-transformer-xl", 16, 0, 0, 0)     \
    PACK(hf_vision, "hf-vision", 12, 0, 0, 0)                     \
    PACK(hf_xlnet, "hf-xlnet", 18, 0, 0, 2)                       \
    PACK(jax_attention, "jax-attention", 37, 1, 0, 2)             \
    PACK(onnx_attention, "onnx-attention", 442, 8, 4, 0)          \
    PACK(onnx_flex, "onnx-flex", 18, 0, 0, 1)                     \
    PACK(onnx_norm, "onnx-norm", 120, 0, 0, 0)                    \
    PACK(onnx_rotary, "onnx-rotary", 40, 0, 0, 0)                 \
    PACK(probes, "probes", 5, 70, 0, 0)                           \
    PACK(quirks, "quirks", 0, 1, 0, 0)                            \
    PACK(ram_cope, "ram-cope", 5, 0, 0, 0)                        \
    PACK(torch_flex, "torch-flex", 7, 0, 0, 3)                    \
    PACK(torch_modules, "torch-modules", 34, 0, 6, 1)             \
    PACK(torch_sdpa, "torch-sdpa", 98, 0, 0, 0)                   \
    PACK(units, "units", 11, 0, 0, 0)                             \
    PACK(x_transformers, "x-transformers", 17, 0, 0, 2)
#define PACK(name, folder, pass, known, vacuous, skipped) { folder, { pass, known, vacuous, skipped } },
static const struct pinned { const char *pack; int count[4]; } packs[] = { EACH_PACK };
#undef PACK
enum { PACKS = sizeof packs / sizeof *packs };

static void one(const char *pack, struct trial *t, int got, const char *why, int *count)
{
    static struct tally y;
    static struct mistake m;
    struct finding f = { 0 };
    if (got == 2) {
        cr_expect(strstr(why, "not understood") || strstr(why, "unknown row") || strstr(why, "is missing"), "%s %s: %s",
            pack, t->id, why);
        count[3]++;
        return;
    }
    const struct deviation *d = deviation_of("deviations", pack, t->id);
    d = d ? d : deviation_of("planted", pack, t->id);
    (d ? examine_known : examine_outputs)(t, 64, &y, &f, &m);
    if (d) {
        cr_expect(f.word == FAILED, "%s %s: the deviation '%s' is no longer seen", pack, t->id, d->what);
        cr_expect(deviation_named(d, &f), "%s %s: named %s, known as %s", pack, t->id,
            f.match ? f.match->id : "-", d->mistake);
    } else
        cr_expect(f.word == PASS || f.word == VACUOUS, "%s %s: %s, bound used %g, at %ld: got %a want %a", pack, t->id,
            word_name[f.word], y.ratio, y.k, y.got, y.want);
    count[d ? 1 : f.word == VACUOUS ? 2 : 0]++;
}

static void every_case(const char *pack)
{
    const struct pinned *p = packs;
    char path[100], err[900] = "";
    struct subject s;
    struct trial t;
    int got, count[4] = { 0 };
    while (strcmp(p->pack, pack))
        p++;
    snprintf(path, sizeof path, "data/peers/%s", pack);
    cr_assert_eq(subject_open(&s, path, err, sizeof err), 0, "%s", err);
    while ((got = s.next(&s, &t, err, sizeof err)) != 0) {
        cr_expect_gt(got, 0, "%s %s: %s", path, t.id, err);
        one(pack, &t, got, err, count);
        trial_close(&t);
    }
    s.close(&s);
    cr_expect(!memcmp(count, p->count, sizeof count), "%s: %d pass, %d known, %d vacuous, %d skip; pinned %d %d %d %d",
        pack, count[0], count[1], count[2], count[3], p->count[0], p->count[1], p->count[2], p->count[3]);
}

/* A test a pack: `make mutants` asks none that takes longer than the seconds that it has for a mutant. */
#define PACK(name, folder, pass, known, vacuous, skipped) \
    Test(peers, every_case_of_##name##_passes_or_is_a_documented_deviation) { every_case(folder); }
EACH_PACK
#undef PACK

static int is_pinned(const struct deviation *d, void *with)
{
    for (int p = 0; p < PACKS; p++)
        if (!strcmp(packs[p].pack, d->pack) && packs[p].count[1])
            return ++*(int *)with, 0;
    cr_expect(false, "%s: no such pack", d->pack);
    return 0;
}
Test(peers, every_deviation_belongs_to_a_pack)
{
    int n = 0;
    cr_expect_eq(deviations_each("deviations", is_pinned, &n), 0);
    cr_expect_eq(n, 76);
    cr_expect_eq(deviations_each("planted", is_pinned, &n), 0);
    cr_expect_eq(n, 89);
}

/* Where the recorded frequencies are given, a bf16 buffer is no error of the table: the same recording fails as a whole
 * and passes by stages. */
Test(peers, stages_tell_a_wrong_frequency_from_a_wrong_table)
{
    struct trial t;
    struct tally y;
    struct arith bf = { 0 }, a;
    char err[400];
    arith_read(&bf, row_named("rope"), "cast=bf16", ROUND, err, sizeof err);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=16", "cos", MER_F32, "n=9 freq", 3 }, err,
        sizeof err), 0, "%s", err);
    struct trial f;
    cr_assert_eq(trial_make(&f, &(struct trial_spec){ "rope", "dim=16", "freq", MER_F32, "", 3 }, err, sizeof err), 0,
        "%s", err);
    reference_run(&f, &bf);
    memcpy(mer_find(t.in, t.call.n_in, "freq")->data, f.out[0].data, 8 * sizeof(float));
    reference_run(&t, &(struct arith){ 0 });
    cr_assert_gt(trial_profile(&t, "phase=f32 table=f32:2", &a, WIDEN, err, sizeof err), 0, "%s", err);
    judge_outputs(&t, &a, 64, &y);
    cr_expect(tally_passes(&y));
    t.call.n_in = 1; /* Now without the recorded frequencies. */
    cr_assert_str_eq(t.in[0].name, "pos");
    judge_outputs(&t, &a, 64, &y);
    cr_expect(!tally_passes(&y));
    t.call.n_in = 2;
    trial_close(&t), trial_close(&f);
}
