/* The report on gradients: every gradient page against dual numbers, every gradient kernel against its derived bounds,
 * and which inputs have none. */
#include <math.h>
#include <stdio.h>
#include "adjoint.h"
#include "compare/compare.h"
#include "golden/gradients.h"
#include "kernels.h"
#include "page/page.h"
#include "report/core/report.h"
#include "trial/trial.h"
#include "base/words.h"

/* Writes word number `at` of k->out if it is a gradient; false: it is none. */
static bool of_gradients(const struct row *r, const struct mer_kernel *k, int at, char *out)
{
    const char *s = k->out;
    for (; at && *s; at--)
        s = word_next(s);
    struct adjoint a;
    snprintf(out, 32, "%.*s", (int)strcspn(s, " "), s);
    const struct quantity *q = *s ? row_quantity(r, out) : NULL;
    return q && adjoint_of(r, q, &a);
}

/* With quick, a gradient is asked under one preset that has its input: the presets are gone through from number `turn`
 * on.  The next of them, NULL when all were tried. */
static const struct preset *next_preset(const struct row *row, int turn, int *tried)
{
    const int n = row_presets(row);
    return *tried < n ? &row->presets[(turn + (*tried)++) % n] : NULL;
}

/* Compares a gradient page with dual numbers of the outputs that it is the gradient of, at 192 bits, under every preset
 * that has the input; with quick, under one. */
static void check_page(struct report *r, const struct row *row, const struct quantity *q)
{
    int tried = 0;
    static const struct arith exact = { 0 };
    struct adjoint a;
    struct sign s, y;
    char outs[200], err[400];
    long agree = 0, asked = 0;
    sign_read(&s, q->sign);
    adjoint_of(row, q, &a);
    snprintf(outs, sizeof outs, "%s", s.out.name);
    for (int k = 0; k < a.n; k++) {
        sign_read(&y, a.of[k]->sign);
        snprintf(outs + strlen(outs), sizeof outs - strlen(outs), " %s", y.out.name);
    }
    for (const struct preset *p; !(r->quick && asked) && (p = next_preset(row, (int)(q - row->q), &tried));) {
        struct trial t;
        const struct ball *forward, *backward;
        struct ask w = { .arith = &exact };
        if (!trial_make(&t, &(struct trial_spec){ row->name, p->text, outs, MER_F64, a.in, 1 }, err, sizeof err) &&
            mer_in(&t.call, a.in) && adjoint_reads(row, &a, t.params)) {
            ask_reset(&w, 192);
            bool decided = adjoint_sides(&w, row, q, t.params, &t.call, 1, &forward, &backward);
            agree += decided && b_overlap(forward, backward) &&
                b_radius(forward) <= 0x1p-100 * (1 + fabs(b_value(forward)));
            asked++;
        }
        ask_clear(&w), trial_close(&t);
    }
    report_put(r,
        &(struct entry){ .row = row->name,
            .quantity = s.out.name,
            .subject = "page",
            .measure = "adjoint",
            .method = "sample",
            .seed = 1,
            .n = asked,
            .value = (double)agree,
            .bound = (double)NAN,
            .verdict = agree == asked ? "PASS" : "FAIL" });
}

static void judge_kernel(
    struct report *r, const struct row *row, const char *slot, const struct mer_kernel *k, const char *out)
{
    /* of rows made of rows all is made for each output, from such inputs as a layer sees */
    const char *sizes = row->parts ? "n=5 m=6 small" : "n=10 m=9";
    double most = 0;
    int tried = 0;
    long n = 0, over = 0, judged = 0, vacuous = 0;
    char witness[200] = "", subject[60], err[400];
    snprintf(subject, sizeof subject, "%s %s", slot, k->type);
    const int turn = (int)(row_quantity(row, out) - row->q);
    for (const struct preset *p; !(r->quick && n) && (p = next_preset(row, turn, &tried));) {
        struct trial t;
        struct arith a;
        struct tally y = { 0 };
        bool made = !trial_make(&t, &(struct trial_spec){ row->name, p->text, out, type_named(k->type), sizes, 1 }, err,
            sizeof err) &&
            trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err) > 0;
        if (made && mer_ask(k, &t.call) == MER_OK)
            judge_outputs(&t, &a, 16, &y);
        n += y.n, over += y.over + y.undecided, judged += y.n > 0, vacuous += y.n > 0 && power_vacuous(&y.power);
        if (y.n && y.ratio >= most)
            most = y.ratio, snprintf(witness, sizeof witness, "%s: got %a, exact %.20s", p->name, y.got, y.digits);
        trial_close(&t);
    }
    if (n)
        report_put(r,
            &(struct entry){ .row = row->name,
                .quantity = out,
                .subject = subject,
                .measure = "gradient",
                .method = "sample",
                .seed = 1,
                .n = n,
                .value = most,
                .bound = 1,
                .witness = witness,
                .verdict = over       ? "FAIL" :
                    judged == vacuous ? "VACUOUS" :
                                        "PASS" });
}

static void fill(struct report *r, const void *with)
{
    const struct row *row = with;
    struct adjoint a;
    for (const struct quantity *q = row->q; q->sign; q++)
        if (adjoint_of(row, q, &a))
            check_page(r, row, q);
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            for (int at = 0; !strcmp(k->row, row->name) && at < TRIAL_OUT; at++) {
                char out[32];
                if (of_gradients(row, k, at, out))
                    judge_kernel(r, row, s->name, k, out);
            }
}

static int hole(const struct hole *h, void *with)
{
    report_put(with,
        &(struct entry){ .row = h->row->name,
            .quantity = h->out,
            .subject = h->in,
            .measure = "no gradient",
            .method = "",
            .value = (double)NAN,
            .bound = (double)NAN,
            .witness = *h->why ? h->why : "no reason given" });
    return 0;
}
static void fill_holes(struct report *r, const void *with)
{
    char err[800];
    (void)with, (void)holes_each(hole, r, err, sizeof err);
}

static int measure(struct report *r)
{
    char what[100];
    for (const struct row *const *row = all_rows; *row && !*r->err; row++) {
        snprintf(what, sizeof what, "gradients of %s%s", (*row)->name, r->quick ? ", quick" : "");
        report_item(r, what, fill, *row);
    }
    return *r->err ? -1 : report_item(r, "inputs without a gradient", fill_holes, NULL);
}

static const char headlines[] =
    "SELECT 'Gradients: ' || many(count(*)) || ' vector-Jacobian products of ' || many(count(DISTINCT row)) || ' rows, "
    "' || many(sum(verdict='PASS')) || ' of them the adjoint of their outputs in balls (dual numbers, ' || "
    "many(sum(n)) || ' questions of their presets).' "
    "FROM now WHERE measure='adjoint' AND n > 0 HAVING count(*) > 0";

static void page(struct page *p)
{
    page_text(p,
        "For every output y with a gradient quantity dx: sum dy (dy/dx) v = sum dx v. The left side differentiates the "
        "pages of y forward, operation by operation, in balls of 192 bits; the right side is the page of dx. Kernels "
        "are then judged against the bound that the page of dx derives for their arithmetic: worst observed error as a "
        "share of it.");
    page_table(p,
        "Gradients by row and quantity: the page against dual numbers, and the kernels that come nearest to their "
        "bound",
        NULL,
        "SELECT a.row, a.quantity, many(a.value) || ' of ' || many(a.n) AS 'presets that agree', k.subject AS 'kernel "
        "nearest to its bound', num(k.value) AS 'bound used', many(k.n) AS elements, k.witness AS 'witness', CASE WHEN "
        "a.verdict='FAIL' OR k.verdict='FAIL' THEN 'FAIL' WHEN k.verdict='VACUOUS' THEN 'VACUOUS: the bounds admit a "
        "trivial gradient' ELSE 'PASS' END AS verdict"
        " FROM now a LEFT JOIN now k ON k.measure='gradient' AND k.row=a.row AND k.quantity=a.quantity AND "
        "k.value=(SELECT max(value) FROM now WHERE measure='gradient' AND row=a.row AND quantity=a.quantity)"
        " WHERE a.measure='adjoint' AND a.n > 0 GROUP BY a.row, a.quantity ORDER BY a.row, a.quantity");
    page_table(p, "Inputs without a gradient quantity, and why", "inputs without a gradient",
        "SELECT row, quantity AS output, group_concat(subject, ' ') AS inputs, witness AS why FROM now WHERE "
        "measure='no gradient' GROUP BY row, quantity, witness ORDER BY row, quantity");
}

const struct section section_gradients = {
    .name = "gradients", .title = "Gradients", .order = 345, .measure = measure, .headlines = headlines, .page = page
};
