/* Measures the error of an own kernel against the certified reference, as `meridian judge` does: one generated case a
 * cell. */
#include <math.h>
#include "sweep/measure.h"
#include "judge/finding.h"

static int run(const struct cell *c, struct outcome *o, char *err, size_t n)
{
    struct trial t;
    struct tally y;
    struct arith a;
    const char *slot = "";
    char subject[40], witness[160], brief[TEXT_MAX];
    if (cell_trial(c, &t, err, n)) { /* the parameters exclude each other */
        cell_skip(c, o, err);
        return trial_close(&t), 0;
    }
    const struct mer_kernel *k = cell_kernel(c, &t, &slot);
    if (!k) {
        cell_skip(c, o, "no kernel of this slot and type takes it");
        return trial_close(&t), 0;
    }
    if (trial_profile(&t, t.profile, &a, WIDEN, err, n) < 0)
        return trial_close(&t), -1;
    judge_outputs(&t, &a, cell_long(c, "lines"), &y); /* all outputs of the call, which has but one */
    params_brief(row_params(t.row), t.params, brief, sizeof brief);
    snprintf(subject, sizeof subject, "own:%s", slot);
    snprintf(witness, sizeof witness, "%s[%ld,%ld,%ld|%ld] got %a want %a", y.out ? y.out : "", y.at[0], y.at[1],
        y.at[2], y.k, y.got, y.want);
    struct entry e = { .row = c->row->name,
        .quantity = cell_text(c, "out"),
        .subject = subject,
        .params = brief,
        .witness = witness,
        .method = y.lines < y.lines_of ? "sample" : "exhaustive",
        .n = y.n,
        .seed = c->seed,
        .verdict = word_name[tally_word(&y)] };
    const struct { const char *measure; double value, bound; } found[] = {
        { "gauge", y.gauge, y.derived },
        { "ulp", y.ulp, (double)NAN },
        { "used", y.ratio, 1 },
        { "correct", (double)y.correct / (double)y.n, (double)NAN },
    };
    for (size_t j = 0; j < sizeof found / sizeof *found; j++) {
        e.measure = found[j].measure, e.value = found[j].value, e.bound = found[j].bound;
        outcome_put(o, &e);
    }
    trial_close(&t);
    return 0;
}

static const struct own_axis axes[] = { { "lines", "16", NULL, "compared of the output; 0: all", 0, 1L << 40 }, { 0 } };
const struct measure measure_accuracy = { "accuracy",
    "error of an own kernel: gauge, ulp, share of the derived bound used, share correctly rounded", true, false,
    { cell_kernel_axes, axes }, cell_check, cell_trial_bytes, run };
