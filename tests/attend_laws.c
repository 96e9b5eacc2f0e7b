/* What pages of attention's relatives promise beside their answers: what they leave open, what they keep of the ask,
 * where they write, and that gradients by numbers of equal parts are equal. */
#include <criterion/criterion.h>
#include <string.h>
#include "page_line.h"
#include "edit/site.h"
#include "forget/gates.h"
#include "words/read.h"

static void fill(struct mer_array *a, double x)
{
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, x);
}

/* A bound holds every side of a whole position that a rounded sum of gates may reach, so that it leaves nothing open.
 * Four gates of 1/2 end at position 2. */
Test(attend_laws, a_bound_of_contextual_positions_is_decided)
{
    static const char *const out[] = { "dq", "dk", "demb" };
    for (int o = 0; o < 3; o++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "cope", "", out[o], MER_F32, "h=1 g=1 n=1 m=4 d=2 e=1 p=4", 3 },
            "gate=bf16 count=bf16", WIDEN);
        fill(trial_in(&x.t, "q"), 0);
        line_ask(&x);
        cr_expect(!x.w.undecided, "%s", out[o]);
        line_close(&x);
    }
}

/* lambda is made of <lq1, lk1> and <lq2, lk2>: where both vectors of a product are equal, so are their gradients. */
Test(attend_laws, equal_vectors_of_lambda_have_equal_gradients)
{
    static const char *const out[] = { "dlambda_q1", "dlambda_k1", "dlambda_q2", "dlambda_k2" };
    double y[4][4];
    for (int o = 0; o < 4; o++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "differential", "", out[o], MER_F32, "h=1 g=1 n=2 m=2 d=4 e=2", 5 }, "",
            EXACT);
        for (long c = 0; c < 4; c++) {
            array_put(trial_in(&x.t, "lambda_k1"), c, array_get(trial_in(&x.t, "lambda_q1"), c));
            array_put(trial_in(&x.t, "lambda_k2"), c, array_get(trial_in(&x.t, "lambda_q2"), c));
        }
        line_ask(&x);
        for (long c = 0; c < 4; c++)
            y[o][c] = b_value(x.y[c]);
        line_close(&x);
    }
    for (int o = 0; o < 4; o += 2)
        for (long c = 0; c < 4; c++)
            cr_expect(y[o][c] == y[o + 1][c] && y[o][c] != 0, "%s[%ld] is %.17g, of its twin %.17g", out[o], c, y[o][c],
                y[o + 1][c]);
}

/* Edits of every second turn count on it: a gradient by a vector reads each number of the other vector once. */
Test(attend_laws, gradients_of_lambda_read_each_number_once)
{
    static struct sites all;
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "differential", "", "dlambda_q1", MER_F32, "h=1 g=1 n=2 m=2 d=3 e=2", 5 },
        edit_nowhere, EXACT);
    line_sites(&x, &all);
    const long read = sites_made(&all, SITE_INPUT, "differ_grad.c", "vector", NULL);
    cr_expect_eq(read, 4 * 3, "%ld numbers of four vectors of 3", read);
    free(all.use), line_close(&x);
}

/* A line of gradients by gates has w->len numbers, and what lies behind it is left alone. */
Test(attend_laws, gradients_of_gates_end_with_the_keys)
{
    static const char *const out[] = { "da", "da_bias" };
    for (int o = 0; o < 2; o++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "forget", "", out[o], MER_F32, o ? "h=1 m=3" : "h=1 g=1 n=3 m=3", 5 }, "",
            EXACT);
        line_ask(&x);
        cr_expect(x.w.len == 3 && x.y[2] && !x.y[3], "%s", out[o]);
        line_close(&x);
    }
}

/* Of many keys the exact path is left for the time of the page alone: the asker's next line is on it, as this one. */
Test(attend_laws, a_page_leaves_the_exact_path_as_it_found_it)
{
    static const struct { const char *row, *out, *sizes; } list[] = { { "mla", "dc", "h=1 n=5 m=5 d=1 e=1 l=1 r=2" },
        { "differential", "dv", "h=1 g=1 n=5 m=5 d=1 e=1" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int exact = 0; exact < 2; exact++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ list[k].row, "", list[k].out, MER_F32, list[k].sizes, 5 }, "", EXACT);
            x.w.exact = exact;
            line_ask(&x);
            cr_expect_eq(x.w.exact, exact, "%s", list[k].row);
            line_close(&x);
        }
}

/* Of two queries and five keys: the queries are the last tokens, or the first ones. */
Test(attend_laws, forgetting_queries_stand_at_the_end_or_at_the_start)
{
    const struct arith a = { 0 };
    for (int zero = 0; zero < 2; zero++) {
        const struct forget p = { .start = zero ? START_ZERO : START_END };
        const struct ask w = { .params = &p, .arith = &a };
        for (long i = 0; i < 2; i++)
            cr_expect_eq(gates_place(&w, i, 2, 5), zero ? i : 3 + i, "query %ld", i);
    }
}

/* What rescales an online softmax is rounded: rows that say how they sum up by blocks do so in their bounds. */
Test(attend_laws, a_row_with_blocks_of_keys_sums_up_by_them)
{
    static const char *const rows[] = { "tener", "shaw", "deberta", "nezha", "t5" },
                             *const words[] = { "softmax=online block=1", "route=online block=1",
                                 "softmax=online block=1", "softmax=online block=1", "softmax=online block=1" };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int online = 0; online < 2; online++) {
            struct page_line x;
            line_open(&x, &(struct trial_spec){ rows[k], online ? words[k] : "", "o", MER_F32,
                "h=1 n=1 m=6", 5 }, "rescale=bf16", WIDEN);
            line_ask(&x);
            cr_expect_eq(b_radius(x.y[0]) > 0x1p-20, online, "%s: %g", rows[k], b_radius(x.y[0]));
            line_close(&x);
        }
}
