/* What pages promise beside their answers: no operation is made in vain (edits of every second turn count them), no
 * number is rounded twice, and memory goes back where a case is not the usual one. */
#include <criterion/criterion.h>
#include "given_back.h"
#include "given_ball.h"
#include "page_line.h"
#include "state/column.h"
#include "words/read.h"

/* How often the first line of that case makes operations of a kind in a file. */
static long made(struct trial_spec of, enum site_kind kind, const char *file, const char *text)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &of, edit_nowhere, EXACT), line_sites(&x, &all);
    const long n = sites_made(&all, kind, file, text, NULL);
    free(all.use), line_close(&x);
    return n;
}
/* A state of one entry is read once a token. */
Test(economy, a_state_is_read_before_or_behind_what_is_written)
{
    static const char *const words[] = { "read=before", "read=after" };
    for (int k = 0; k < 2; k++) {
        const struct trial_spec of = { "retention", words[k], "o", MER_F32, "h=1 n=3 d=1 e=1", 5 };
        const long n = made(of, SITE_SUM, "column.c", "");
        cr_expect_eq(n, 3, "%s: %ld sums of three tokens", words[k], n);
    }
}
/* A long layer's rows are made one at a time: the gradient of one query takes as many exponentials as it sees keys. */
Test(economy, a_long_layer_makes_the_row_that_is_asked)
{
    const struct trial_spec of = { "layer", "heads=1 width=1 rope=off", "dx_cross", MER_F32,
        "n=129 m=129 c=1 a=1 b=1", 5 };
    const long n = made(of, SITE_EXP, "", "");
    cr_expect(n > 0 && n < 129 * 129, "%ld", n);
}

/* The state that a step has rounded is a number of that step's format: whoever stores it there rounds nothing more. */
Test(economy, a_state_is_not_rounded_twice)
{
    struct arith a = { .how = WIDEN };
    const struct rounding r = { .f = &formats[MER_BF16], .ulps = 1 };
    a.at[STATE] = r;
    struct ask w = { .arith = &a };
    ask_reset(&w, PAGE_LINE_BITS);
    const struct state_rule rule = { .n = 1, .d = 1, .e = 1 };
    struct state_column *c = columns_of(&rule);
    column_set(&w, c, 0, given_ball(&w, 1, 0x1p-20)), column_begun(c, 1);
    const struct ball *k = given_ball(&w, 0x1p-10, 0), *v = given_ball(&w, 3, 0);
    column_write(&w, &rule, c, &k, v);
    const struct ball *x = column_entry(&w, c, 0);
    cr_expect(b_radius(x) > 0x1p-10 && b_is(x) == r.f, "%g +- %g", b_value(x), b_radius(x));
    columns_free(c), ask_clear(&w);
}

/* What is lost is lost every time.  Each question has a thread of its own, since the allocator keeps something for
 * every thread until it ends.  A bias that is not given is made, and nothing is kept on the exact path. */
struct asked { struct trial_spec of; bool exact; };
static void ask_once(const void *with)
{
    const struct asked *a = with;
    struct page_line x;
    line_open(&x, &a->of, "", EXACT);
    x.w.exact = a->exact;
    line_ask(&x), line_close(&x);
}
Test(economy, unusual_cases_give_back_what_they_took)
{
    static const struct asked list[] = {
        { { "block", "heads=1 width=2", "encoder", MER_F32, "n=1 c=2 f=2 b1", 5 }, false },
        { { "layer", "heads=1 width=1", "dwq", MER_F32, "n=2 c=2", 5 }, true },
        { { "layer", "heads=1 width=1", "dx", MER_F32, "n=2 c=2", 5 }, true } };
    for (size_t l = 0; l < sizeof list / sizeof *list; l++) {
        const size_t kept = given_back_less(ask_once, &list[l]);
        cr_expect_eq(kept, 0, "%s.%s: a run keeps %zu bytes", list[l].of.row, list[l].of.outs, kept);
    }
}
