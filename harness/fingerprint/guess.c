/* Makes quick hypotheses; see guess.h. */
#include <math.h>
#include "base/progress.h"
#include "compare/compare.h"
#include "fingerprint/guess.h"
#include "kernels.h"
#include "trial/change.h"
#include "base/words.h"

/* lines of each output that the page is asked for; elements, where an output has no last axis */
enum { LINES = 4, SHORT = 64 };
/* marks an element that nobody has filled; exact in float32 and as an integer */
static const double UNASKED = 0x1.a55p52;
static const struct arith exact = { 0 };

static void as_float(struct mer_array *a)
{
    struct mer_array to = *a;
    if (a->type >= MER_I64 || a->type == MER_F32)
        return;
    to.type = MER_F32, to.data = need((size_t)array_len(a) + 16, sizeof(float));
    for (long i = 0; i < array_len(a); i++)
        array_put(&to, i, array_get(a, i));
    free(a->data);
    *a = to;
}

int guess_open(struct guess *g, const struct trial *asked, char *err, size_t n)
{
    *g = (struct guess){ .asked = asked };
    if (trial_copy(&g->t, asked, err, n))
        return trial_close(&g->t), -1;
    for (int k = 0; k < g->t.call.n_in; k++)
        as_float(&g->t.in[k]);
    for (int k = 0; k < g->t.call.n_out; k++)
        as_float(&g->t.out[k]);
    g->t.type = MER_F32;
    return 0;
}
void guess_close(struct guess *g) { trial_close(&g->t); }

static bool offers(const struct mer_kernel *k, const struct trial *t)
{
    if (strcmp(k->row, t->row->name) || strcmp(k->type, "f32") || strstr(k->profile, "bf16"))
        return false;
    for (int o = 0; o < t->call.n_out; o++)
        if (!words_have(k->out, t->out[o].name))
            return false;
    return true;
}

/* Sets the parameters as trial_params does, without checking that every key is known, which takes half a millisecond
 * where a row has many steps. */
static bool set(struct trial *t, const char *text)
{
    char err[300];
    const struct param *of = row_params(t->row);
    params_clear(of, t->params);
    memset(t->params, 0, t->row->size);
    if (params_read(of, t->params, text, err, sizeof err) || (t->row->refuse && t->row->refuse(t->params)))
        return false;
    params_write(of, t->params, t->text, sizeof t->text);
    return true;
}

bool guess_run(struct guess *g, const char *params)
{
    char err[300], text[2 * TEXT_MAX];
    progress_count(params);
    snprintf(text, sizeof text, "%s %s", g->asked->text, params);
    if (!set(&g->t, text) || trial_check(&g->t, err, sizeof err) || trial_holds(&g->t, err, sizeof err))
        return false;
    for (const struct slot *s = slots; s->name && !strcmp(s->name, "scalar"); s++)
        for (const struct mer_kernel *k = s->kernel; k->row; k++)
            if (offers(k, &g->t) && mer_ask(k, &g->t.call) == MER_OK)
                return true;
    for (int o = 0; o < g->t.call.n_out; o++)
        for (long i = 0; i < array_len(&g->t.out[o]); i++)
            array_put(&g->t.out[o], i, UNASKED);
    struct sign sign;
    sign_read(&sign, row_quantity(g->t.row, g->t.out[0].name)->sign);
    reference_lines(&g->t, &exact, sign.out.lead == sign.out.rank ? SHORT : LINES);
    g->slow = true;
    return true;
}

void guess_fit(const struct guess *g, const struct format *f, struct guess_fit *fit)
{
    /* relative noise: the format's, but no less than a hypothesis in float32 has */
    const double least = ldexp(1, -f->p > -22 ? -f->p : -22);
    for (int o = 0; o < g->t.call.n_out; o++) {
        const struct mer_array *y = &g->t.out[o], *got = &g->asked->out[o];
        long n = array_len(y), finite = 0, asked = 0, in = 0;
        double mean = 0, miss = 0;
        for (long i = 0; i < n; i++) {
            double v = fabs(array_get(y, i));
            if (v < 1e29 && v != UNASKED)
                mean += v, finite++;
        }
        mean = finite ? mean / (double)finite : 1;
        for (long i = 0; i < n; i++) {
            double v = array_get(y, i), a = array_get(got, i), scale = fmax(fabs(v), mean / 4), d = fabs(v - a);
            if (v == UNASKED)
                continue;
            bool same = v == a || (isnan(v) && isnan(a));
            asked++;
            in += same || d <= 256 * least * scale;
            miss += same ? 0 : scale > 0 && d < 1e30 && isfinite(v) ? fmin(40, log2(1 + d / (least * scale))) : 40;
        }
        /* scaled as if all elements had been asked */
        fit->of += n, fit->in += asked ? lround((double)in * (double)n / (double)asked) : 0;
        fit->miss += asked ? miss * (double)n / (double)asked : 0;
    }
}
