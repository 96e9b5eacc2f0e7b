/* Measures up to which position a rounding contract of a position table stays right: every position and pair below
 * `limit`, without sampling. */
#include <math.h>
#include "sweep/measure.h"
#include "context/scan.h"

static int check(const struct cell *c, char *err, size_t n)
{
    const char *name = cell_text(c, "contract");
    char why[900];
    if (!row_contract(c->row, name, why, sizeof why))
        return snprintf(err, n, "contract: %s", why), -1;
    if (strcmp(c->row->name, "rope") && strcmp(c->row->name, "sinusoid"))
        return snprintf(err, n, "%s has no table of positions; rope and sinusoid have", c->row->name), -1;
    return 0;
}

static int run(const struct cell *c, struct outcome *o, char *err, size_t n)
{
    static const char *const to[] = { "valid to f32", "valid to f16", "valid to bf16" };
    struct scan s;
    char witness[200];
    if (scan_threads(c->row->name, c->params, cell_text(c, "contract"), cell_long(c, "limit"), 1, &s, err, n)) {
        cell_skip(c, o, err);
        return 0;
    }
    snprintf(witness, sizeof witness, "%s of pair %ld at %ld: got %a want %s", s.is_sin ? "sin" : "cos", s.at_pair,
        s.at_pos, s.got, s.want_digits);
    struct entry e = { .row = c->row->name,
        .quantity = "table",
        .subject = cell_text(c, "contract"),
        .params = c->params,
        .measure = "worst",
        .value = s.worst,
        .bound = (double)NAN,
        .witness = witness,
        .method = "exhaustive",
        .n = s.limit,
        .seed = c->seed };
    outcome_put(o, &e);
    e.witness = "";
    for (int k = 0; k < 3; k++) {
        e.measure = to[k], e.value = (double)s.valid[k], e.bound = (double)s.limit;
        outcome_put(o, &e);
    }
    for (int k = 0; k < s.n_curve; k++)
        outcome_point(o, "worst", (double)s.curve[k].pos, s.curve[k].worst);
    return 0;
}

static const struct own_axis axes[] = {
    { "contract", "hf-f32", NULL, "arithmetic of the table (meridian show ROW)" },
    { "limit", "131072", NULL, "positions scanned", 1, SCAN_MOST },
    { 0 },
};
const struct measure measure_valid = { "valid", "valid-to positions and worst error of a rounding contract's table",
    true, false, { axes }, check, NULL, run };
