/* What ref/core/rotary/remap.h promises of a score: the product of the turned query and key over all channels, times
 * the scale. */
#include <criterion/criterion.h>
#include "edit/maps.h"
#include "edit/noted.h"
#include "law.h"
#include "rotary/remap.h"
#include "trial/trial.h"

/* A query and its only key at one place are turned alike, so that their score, and the line's logsumexp, is
 * scale <q, k>. */
Test(remap_laws, one_place_is_the_product_of_all_channels_times_the_scale)
{
    enum { DIM = 4 };
    static const char *const rows[] = { "streaming", "rerope", "selfextend", "lminfinite" };
    const double q[DIM] = { 1, -2, 3, 5 }, k[DIM] = { 7, 1, -0.5, 2 }, v = 1;
    const struct given in[] = { { "q", q, 3, { 1, 1, DIM } }, { "k", k, 3, { 1, 1, DIM } },
        { "v", &v, 3, { 1, 1, 1 } } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 128);
        const struct ball *y;
        law_line(w, (struct law_of){ row_named(rows[r]), "lse", "dim=4 scale=1/8" }, (struct givens){ in, 3 }, NULL, 1,
            &y);
        cr_expect(b_overlap(y, b_ratio(w, 27, 16)) && b_radius(y) < 0x1p-80, "%s: %.17g", rows[r], b_value(y));
        law_close(&l, true);
    }
}

/* A pair that lies 3 positions apart, or -3, each in so many parts. */
static long query_at, parts;
static struct remap_places three_apart(const struct ask *w, long c, long j)
{
    return (void)w, (void)c, (void)j, (struct remap_places){ query_at, 0, parts };
}
/* Turned by an angle and by minus it, a channel adds up to twice its cosine's part, in however many parts a position
 * is counted. */
Test(remap_laws, a_place_may_lie_before_the_first)
{
    struct trial t;
    char why[400];
    const struct arith exact = { .how = EXACT };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "streaming", "dim=4", "o", MER_F32, "h=1 n=1 m=1", 3 }, why,
        sizeof why), 0, "%s", why);
    const struct remapped own = { .row = t.row, .places = three_apart };
    static const long counts[] = { 1, 2, REMAP_DIVIDE };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        parts = counts[k];
        struct ask w = { .arith = &exact, .params = t.params, .call = &t.call, .with = &own };
        ask_reset(&w, 128);
        query_at = 3 * parts;
        const struct ball *on = remap_met_by_query(&w, 0, 0, 0, 0);
        query_at = -3 * parts;
        const struct ball *back = remap_met_by_query(&w, 0, 0, 0, 0), *sum = (b_add)(&w, on, back),
                          *part = (b_mul)(&w, (b_in)(&w, "k", 0, 0, 0), b_cos(&w, b_si(&w, 3))),
                          *want = (b_add)(&w, part, part);
        cr_expect(b_overlap(sum, want) && b_radius(sum) < 0x1p-80 && b_value(on) != b_value(back),
            "%ld parts: %.17g, not %.17g", parts, b_value(sum), b_value(want));
        ask_clear(&w);
    }
    trial_close(&t);
}

/* What is kept is said of a query and a key, in this order: the second query, which may not see the first key, has one
 * key of two, and the first query none that comes later. */
Test(remap_laws, keys_are_kept_for_their_query)
{
    static const char *const rows[] = { "rerope", "selfextend", "streaming", "lminfinite" };
    const double zeros[4] = { 0 }, keep[2][2] = { { 1, 1 }, { 0, 1 } };
    const struct given in[] = { { "q", zeros, 3, { 1, 2, 2 } }, { "k", zeros, 3, { 1, 2, 2 } },
        { "v", zeros, 3, { 1, 2, 1 } }, { "keep", keep[0], 3, { 1, 2, 2 } } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int given = 3; given <= 4; given++) {
            struct law_ask l;
            struct ask *w = law_open(&l, "", 128);
            const struct ball *y;
            law_line(w, (struct law_of){ row_named(rows[r]), "lse", "dim=2" }, (struct givens){ in, given },
                (long[MER_RANK]){ 0, 1 }, 1, &y);
            const struct ball *want = b_log(w, b_si(w, given == 4 ? 1 : 2));
            cr_expect(b_overlap(y, want) && b_radius(y) < 0x1p-80, "%s: %.17g", rows[r], b_value(y));
            law_close(&l, true);
        }
}

/* An edit of the elements that a product reads is one of both its lines: each read backwards, their product stays. */
Test(remap_laws, the_elements_of_both_lines_are_edited)
{
    struct trial t;
    char why[400];
    int met = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "streaming", "dim=4", "lse", MER_F32, "h=1 n=1 m=1", 3 }, why,
        sizeof why), 0, "%s", why);
    double y[3];
    for (int line = 1; line < 60; line++) {
        for (int k = 0; k < 3; k++) {
            static const char *const maps[] = { "", "reverse", "first" };
            struct arith a = { .how = ROUND };
            const struct ball *x[1];
            if (k)
                a.edit = (struct edit){ .step = SITE_EDIT, .kind = SITE_ELEMENT, .file = "softmax/score.c",
                    .file_len = strlen("softmax/score.c"), .line = line,
                    .op = index_map_named(maps[k], strlen(maps[k])) };
            struct ask w = { .arith = &a, .params = t.params, .call = &t.call, .len = 1 };
            ask_reset(&w, 128);
            line_page(&w, row_quantity(t.row, "lse"), NULL, x);
            y[k] = b_value(x[0]);
            ask_clear(&w);
        }
        cr_expect_eq(y[1], y[0], "line %d: %.17g, not %.17g", line, y[1], y[0]);
        met += y[2] != y[0];
    }
    cr_expect_eq(met, 1, "%d", met);
    trial_close(&t);
}
