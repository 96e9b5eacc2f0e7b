/* What has no value is refused, and one line says why: parameters that are undefined together, and arrays whose shapes
 * agree but of which a row can make nothing.  Beside what is refused stands a neighbour that is taken. */
#include <criterion/criterion.h>
#include <string.h>
#include "trial/trial.h"

/* says: NULL where it is taken. */
static const struct { const char *row, *words, *says; } words[] = {
    { "mla", "scale=-1", "scale: must not be below 0" },
    { "mla", "scale=1/8", NULL },
    { "mla", "factor=2", "factor: scaling=default has none" },
    { "mla", "scaling=yarn factor=2", NULL },
    { "mla", "mscale=1", "mscale: scaling=default has none" },
    { "mla", "mscale_all_dim=1", "mscale: scaling=default has none" },
    { "mla", "scaling=yarn factor=2 mscale=1", NULL },
    { "mla", "scaling=yarn factor=2 mscale_all_dim=1", NULL },
    { "mla", "base=1", "base: must be greater than 1" },
    { "sandwich", "width=7", "width: must be even" },
    { "sandwich", "width=6", NULL },
    { "sandwich", "base=1", "base: must be greater than 1" },
    { "sandwich", "base=9/8", NULL },
    { "lightning", "layer=8", "layer: must be below layers" },
    { "lightning", "layer=7", NULL },
    { "swin", "trained_height=1", "trained_height, trained_width: of 1" },
    { "swin", "trained_width=1", "trained_height, trained_width: of 1" },
    { "swin", "trained_height=2 trained_width=2", NULL },
    { "swin", "top=0", "top: must be above 0" },
    { "swin", "top=1/9", NULL },
    { "softmax", "scale=0", "scale: must be greater than 0" },
    { "softmax", "scale=-1", "scale: must be greater than 0" },
    { "softmax", "scale=1/9", NULL },
    { "sinusoid", "min_timescale=0", "base: must be greater than min_timescale" },
    { "sinusoid", "min_timescale=-1 base=5", "base: must be greater than min_timescale" },
    { "sinusoid", "min_timescale=4 base=4", "base: must be greater than min_timescale" },
    { "sinusoid", "min_timescale=4 base=5", NULL },
    { "shaw", "scale=-1 least=2 most=2", "scale: must not be below 0" },
    { "shaw", "scale=1 least=2 most=2", NULL },
    { "xpos", "gamma=0", "gamma: must be above 0" },
    { "xpos", "gamma=1/9", NULL },
    { "xpos", "scale_base=0", "scale_base: must be above 0" },
    { "xpos", "scale_base=1/9", NULL },
    { "alibi", "family=paper heads=12", "heads: family=paper defines powers of two only" },
    { "alibi", "family=paper heads=8", NULL },
    { "alibi", "family=strided heads=12", NULL },
    { "embedding", "scale=-1/1000", "scale: must not be negative" },
    { "embedding", "scale=0", NULL },
    { "gla", "scale=0", NULL },
    { "gla", "scale=-1/8", "scale: must not be below 0" },
    { "gla", "tau=1/8", NULL },
    { "gla", "tau=0", "tau: must be greater than 0" },
    { "gla", "tau=-1", "tau: must be greater than 0" },
    { "kerple", "least=1/1000", NULL },
    { "kerple", "least=0", "least: must be above 0" },
    { "kerple", "least=-1", "least: must be above 0" },
    { "kerple", "least=2", NULL },
    { "kerple", "least=5/2", "least: above 2" },
    { "kerple", "least=7", "least: above 2" },
    { "fope", "dim=8 trained=7", NULL },
    { "fope", "dim=8 trained=6", "trained: no frequency turns" },
    { "fope", "dim=8 trained=6 zeros=mixed", NULL },
    { "rope2d", "coordinates=centred height=2 width=3", NULL },
    { "rope2d", "coordinates=index start=1", NULL },
    { "fope", "dim=64 trained=1", "trained: no frequency turns" },
    { "fope", "dim=64 trained=1 zeros=mixed", NULL },
    { "rope2d", "stretch=0", "stretch: must be above 0" },
    { "rope2d", "stretch=1/1000", NULL },
    { "rope", "beta_slow=0", NULL },
    { "rope", "beta_fast=1 beta_slow=2", NULL },
    { "rope", "scaling=yarn trained=8 factor=2 beta_slow=0", "beta_slow: must be positive" },
    { "rope", "scaling=yarn trained=8 factor=2 beta_fast=1 beta_slow=2", "beta_slow: must be positive" },
    { "rerope", "trained=1", "trained: 0, or at least 2" },
    { "rerope", "trained=2", NULL },
    { "rope2d", "coordinates=centred height=2 width=3 start=1", "start: coordinates=centred has none" },
    { "seq2seq", "vocab=5 start=5", "start: not in the vocabulary" },
    { "seq2seq", "vocab=5 start=4", NULL },
    { "decode", "vocab=5 eos=1 start=5", "start: not in the vocabulary" },
    { "decode", "vocab=5 eos=1 start=4", NULL },
    { "decode", "vocab=5 eos=5", "eos: not in the vocabulary" },
    { "decode", "vocab=5 eos=1 penalty=power alpha=65", "alpha: a ratio of at most 64" },
    { "decode", "vocab=5 eos=1 penalty=power alpha=64", NULL },
    { "decode", "vocab=5 eos=1 penalty=power alpha=1/10001", "alpha: a ratio of at most 64" },
    { "decode", "vocab=5 eos=1 penalty=power alpha=1/10000", NULL },
};
Test(refused_words, parameters_that_are_undefined_together)
{
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        char why[300] = "";
        const int rc = row_takes(row_named(words[k].row), words[k].words, why, sizeof why);
        cr_expect(words[k].says ? rc == -1 && strstr(why, words[k].says) : !rc, "%s %s: %d, %s", words[k].row,
            words[k].words, rc, why);
    }
}

static const struct { const char *row, *params, *sizes, *says; } shapes[] = {
    { "lightning", "", "h=1025 n=1 d=1 e=1", "h=1025: slopes are those of at most 1024 heads" },
    { "lightning", "", "h=1024 n=1 d=1 e=1", NULL },
    { "lightning", "slopes=linear", "h=1025 n=1 d=1 e=1", NULL },
    { "mla", "", "r=3", "rope turns pairs of channels: r=3 must be even" },
    { "mla", "", "r=2", NULL },
    { "mla", "rope=off", "r=3", NULL },
    { "retention", "rotation=rope", "d=3 e=4", "rotation turns pairs of channels: d=3 must be even" },
    { "retention", "rotation=rope", "d=4 e=3", NULL },
    { "retention", "rotation=none", "d=3 e=4", NULL },
};
/* Inputs are found by their names: whatever comes first, the same shapes are refused, by the same words. */
Test(refused_words, shapes_that_a_row_can_make_nothing_of)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct trial t;
        char err[400] = "", why[400] = "", back[400] = "";
        const struct trial_spec of = { shapes[k].row, shapes[k].params, "o", MER_F32, shapes[k].sizes, 5 };
        const int rc = trial_make(&t, &of, err, sizeof err), fit = t.row->misfit(t.params, &t.call, why, sizeof why);
        for (int i = 0, j = t.call.n_in - 1; i < j; i++, j--) {
            const struct mer_array first = t.in[i];
            t.in[i] = t.in[j], t.in[j] = first;
        }
        const int turned = t.row->misfit(t.params, &t.call, back, sizeof back);
        cr_expect(shapes[k].says ? rc == -1 && strstr(err, shapes[k].says) : !rc, "%s %s, %s: %d, %s", shapes[k].row,
            shapes[k].params, shapes[k].sizes, rc, err);
        cr_expect(fit == rc && turned == rc, "%s %s: %d, and %d of inputs in another order", shapes[k].row,
            shapes[k].sizes, fit, turned);
        cr_expect(shapes[k].says ? !strcmp(why, shapes[k].says) && !strcmp(back, why) : !*why && !*back, "%s: %s, %s",
            shapes[k].row, why, back);
        trial_close(&t);
    }
}

/* An input that may be left out has to be there under the parameters that read it, and under no others. */
Test(refused_words, an_input_is_needed_where_it_is_read)
{
    static const struct { const char *row, *params, *out, *input; bool needed; } list[] = {
        { "rmsnorm", "affine=gain", "y", "gain", true }, { "rmsnorm", "affine=none", "y", "gain", false },
        { "rmsnorm", "affine=gain", "dx", "gain", true }, { "rmsnorm", "affine=none", "dx", "gain", false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        char err[400];
        const struct trial_spec of = { list[k].row, list[k].params, list[k].out, MER_F32, "", 5 };
        cr_assert_eq(trial_make(&t, &of, err, sizeof err), 0, "%s", err);
        cr_expect_eq(mer_in(&t.call, list[k].input) != NULL, list[k].needed, "%s %s: %s", list[k].row, list[k].params,
            list[k].input);
        cr_expect_eq(t.row->needs(t.params, list[k].input), list[k].needed, "%s %s", list[k].row, list[k].params);
        trial_close(&t);
    }
}
