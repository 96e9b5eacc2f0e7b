/* Attention over a paged cache: digits of the specification, and tables that cannot be read are refused in one line. */
#include "page_line.h"
#include "told.h"

/* u(s; h, t, i) = ((37 s + 23 h + 11 t + 5 i) mod 17 - 8) / 8 of the specification's golden numbers. */
static double u(long s, long h, long t, long i) { return (double)((37 * s + 23 * h + 11 * t + 5 * i) % 17 - 8) / 8; }
/* Three pages of two slots, of which the sequence has the pages 2 and 0, three tokens, and a query at the last. */
static void fill(struct trial *t)
{
    for (long k = 0; k < 4; k++) /* q[2,1,2]; there the token stands before the head */
        array_put(trial_in(t, "q"), k, u(1, 0, k / 2, k % 2));
    for (long k = 0; k < 12; k++)
        array_put(trial_in(t, "k"), k, u(2 + k / 4, k / 2 % 2, 0, k % 2)),
            array_put(trial_in(t, "v"), k, u(7 + k / 4, k / 2 % 2, 0, k % 2));
    array_put(trial_in(t, "table"), 0, 2), array_put(trial_in(t, "table"), 1, 0);
    array_put(trial_in(t, "seq"), 0, 0), array_put(trial_in(t, "pos"), 0, 2);
}
Test(paged, the_digits_of_the_specification_are_its_own)
{
    static const struct { const char *params, *out; long k; const char *digits; } told[] = {
        { "page=2 pages=2", "o", 1, "0.45720557945476169025" }, { "page=2 pages=2", "lse", 0, "1.2950812830115763256" },
        { "page=2 pages=2 base=2", "lse", 0, "1.8684073445489172977" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct trial t;
        char why[400];
        const struct ball *y[2];
        struct arith exact = { 0 };
        struct ask w = { .arith = &exact };
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "paged", told[k].params, told[k].out, MER_F64,
            "h=2 g=1 n=1 d=2 e=2 b=1 p=3", 1 }, why, sizeof why), 0, "%s", why);
        fill(&t);
        ask_reset(&w, 128);
        w.params = t.params, w.call = &t.call, w.at[0] = 1, w.len = *told[k].out == 'o' ? 2 : 1;
        line_page(&w, row_quantity(t.row, told[k].out), NULL, y);
        cr_expect(has_digits(y[told[k].k], told[k].digits), "%s, case %zu: %.20g",
            told[k].params, k, b_value(y[told[k].k]));
        ask_clear(&w), trial_close(&t);
    }
}

Test(paged, a_table_that_cannot_be_read_is_refused_in_one_line)
{
#define ONE "eval paged o --page 2 --pages 2 --sizes \"h=1 g=1 n=1 d=1 e=1 b=1 p=3\" "
    static const struct refused bad[] = {
        { ONE "--in table=3,0", "'table' element 0 is 3, allowed 0 to 2" },
        { ONE "--in table=0,-1", "'table' element 1 is -1, allowed 0 to 2" },
        { ONE "--in pos=4", "'pos' element 0 is 4, allowed 0 to 3" },
        { ONE "--in seq=1", "'seq' element 0 is 1, allowed 0 to 0" },
        { "eval paged o --page 0", "page" },
        { "eval paged o --page 1048576 --pages 17", "page, pages: must be no more than 2^24 slots together" },
        { "eval paged o --cap -1", "cap: must not be below 0" },
        { "eval paged o --scale -1", "scale: must not be below 0" },
    };
    are_refused(bad, sizeof bad / sizeof *bad);
}

enum { D = 2, E = 3 };
/* One case of a query of one sequence at that position, of a cache of so many pages of two slots; line_close is due. */
static void ask_at(struct page_line *x, const char *out, const char *words, int cached, double position)
{
    char sizes[80];
    snprintf(sizes, sizeof sizes, "h=1 g=1 n=1 d=%d e=%d b=1 p=%d", D, E, cached);
    line_open(x, &(struct trial_spec){ "paged", "page=2 pages=3", out, MER_F64, sizes, 5 }, words, ROUND);
    array_put(trial_in(&x->t, "pos"), 0, position);
}
static double lse_at(const char *words, int cached, double position)
{
    struct page_line x;
    ask_at(&x, "lse", words, cached, position);
    line_ask(&x);
    const double y = b_value(x.y[0]);
    return line_close(&x), y;
}
/* Whoever reads the last page to its end answers what is right for its last slot. */
Test(paged, a_page_that_is_read_to_its_end_is_that_of_its_last_slot)
{
    for (int position = 0; position < 6; position++) {
        const double full = lse_at("fault=full", 3, position), last = lse_at("", 3, position | 1);
        cr_expect_eq(full, last, "position %d: %.17g, not %.17g", position, full, last);
        cr_expect_eq(full == lse_at("", 3, position), position % 2, "position %d", position);
    }
}
/* Whoever takes pages as they come, whatever the table says, begins anew behind the last page of the cache. */
Test(paged, pages_without_a_table_stay_in_the_cache)
{
    for (int position = 0; position < 6; position++) {
        const double walked = lse_at("fault=contiguous", 1, position), told = lse_at("", 1, position);
        cr_expect_eq(walked, told, "position %d: %.17g, not %.17g", position, walked, told);
    }
}
/* Slots behind the last position may hold anything: each number of the keys that are seen, and of their values, is read
 * once, and no other; so is each number of the query. */
Test(paged, what_is_not_seen_is_not_read)
{
    for (int position = 0; position < 6; position++) {
        struct page_line x;
        struct sites *all = need(1, sizeof *all);
        ask_at(&x, "o", "edit=nowhere:0:add:zero", 3, position);
        line_sites(&x, all);
        const long read = sites_made(all, SITE_ELEMENT, "ref/paged.c", "", NULL);
        cr_expect_eq(read, (position + 1) * (D + E), "position %d: %ld", position, read);
        const long query = sites_made(all, SITE_INPUT, "ref/paged.c", "\"q\"", NULL);
        cr_expect_eq(query, D, "position %d: %ld", position, query);
        free(all->use), free(all), line_close(&x);
    }
}
