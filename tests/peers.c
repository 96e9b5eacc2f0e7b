/* Recorded outputs of real libraries, judged: every case of the rows known here passes, or is a documented deviation
 * (planted.tsv: a planted mistake), or is skipped by name. The counts are pinned: a case that silently stops being
 * judged fails, and so does a deviation that is no longer seen. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "judge/deviation.h"
#include "judge/examine.h"
#include "pack/open.h"

/* Questions that pass, are known deviations, are vacuous (an amplitude of 1 is a trivial output), and are skipped. */
static const struct { const char *pack; int count[4]; } packs[] = {
    { "bugs-examples", { 9, 20, 0, 0 } },
    { "fla", { 20, 0, 0, 0 } },
    { "fope-code", { 3, 0, 0, 0 } },
    { "h200-attention", { 30, 0, 0, 0 } },
    { "hf-alibi", { 22, 0, 0, 8 } },
    { "hf-attention-layers", { 20, 0, 0, 3 } },
    { "hf-beam", { 19, 0, 0, 0 } },
    { "hf-conformer", { 4, 0, 0, 1 } },
    { "hf-deberta", { 15, 0, 0, 0 } },
    { "hf-mask", { 18, 0, 0, 0 } },
    { "attention-gym", { 4, 0, 0, 0 } },
    { "hf-mla", { 8, 0, 0, 0 } },
    { "hf-mrope", { 8, 0, 0, 0 } },
    { "hf-rope-rotate", { 136, 0, 0, 0 } },
    { "hf-rope-tables", { 49, 0, 11, 0 } },
    { "hf-rope-tables-2", { 37, 0, 7, 0 } },
    { "hf-shaw", { 21, 0, 0, 0 } },
    { "hf-sinusoid", { 14, 0, 0, 0 } },
    { "hf-swin", { 5, 0, 0, 1 } },
    { "hf-t5", { 19, 0, 0, 0 } },
    { "hf-transformer-xl", { 16, 0, 0, 0 } },
    { "hf-vision", { 12, 0, 0, 0 } },
    { "hf-xlnet", { 18, 0, 0, 2 } },
    { "jax-attention", { 37, 1, 0, 2 } },
    { "onnx-attention", { 442, 8, 4, 0 } },
    { "onnx-flex", { 18, 0, 0, 1 } },
    { "onnx-norm", { 120, 0, 0, 0 } },
    { "onnx-rotary", { 40, 0, 0, 0 } },
    { "probes", { 5, 69, 0, 0 } },
    { "quirks", { 0, 1, 0, 0 } },
    { "ram-cope", { 5, 0, 0, 0 } },
    { "torch-flex", { 7, 0, 0, 3 } },
    /* The vacuous ones: intervals of the third sublayer of a post-norm decoder, constant lines, and an offset of 1e4 in
     * bf16. */
    { "torch-modules", { 34, 0, 6, 1 } },
    { "torch-sdpa", { 98, 0, 0, 0 } },
    { "units", { 11, 0, 0, 0 } },
    { "x-transformers", { 17, 0, 0, 2 } },
};
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

Test(peers, every_recorded_case_passes_or_is_a_documented_deviation)
{
    for (int p = 0; p < PACKS; p++) {
        char path[100], err[900] = "";
        struct subject s;
        struct trial t;
        int got, count[4] = { 0 };
        snprintf(path, sizeof path, "data/peers/%s", packs[p].pack);
        cr_assert_eq(subject_open(&s, path, err, sizeof err), 0, "%s", err);
        while ((got = s.next(&s, &t, err, sizeof err)) != 0) {
            cr_expect_gt(got, 0, "%s %s: %s", path, t.id, err);
            one(packs[p].pack, &t, got, err, count);
            trial_close(&t);
        }
        s.close(&s);
        cr_expect(!memcmp(count, packs[p].count, sizeof count),
            "%s: %d pass, %d known, %d vacuous, %d skip; pinned %d %d %d %d", packs[p].pack, count[0], count[1],
            count[2], count[3], packs[p].count[0], packs[p].count[1], packs[p].count[2], packs[p].count[3]);
    }
}

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
    cr_expect_eq(n, 75);
    cr_expect_eq(deviations_each("planted", is_pinned, &n), 0);
    cr_expect_eq(n, 88);
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
