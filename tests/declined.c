/* Kernels of one output and type may divide its cases: a case is counted once. */
#include <criterion/criterion.h>
#include "examine/examine.h"

static int declines(const struct mer_call *c) { (void)c; return MER_SKIP; }
static int declines_too(const struct mer_call *c) { return declines(c); }
/* A kernel that answers and leaves NaN everywhere, which is wrong. */
static int answers(const struct mer_call *c) { (void)c; return MER_OK; }
static int ask_here(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    (void)s, (void)why, (void)n;
    return k->run(c);
}

Test(declined, a_kernel_that_declines_is_a_skip_unless_one_of_its_output_and_type_answers)
{
    static const struct mer_kernel list[] = { { "rope", "cos", "f32", "table=f32", 0, declines },
        { "rope", "cos", "bf16", "table=f32", 0, answers }, { "rope", "sin", "f32", "table=f32", 0, answers },
        { "rope", "cos", "f32", "table=f32", 0, answers }, { 0 } };
    static const struct mer_kernel twice = { "rope", "cos", "f32", "table=f32", 0, declines_too },
                                   nobody[] = { { "rope", "cos", "f32", "table=f32", 0, declines },
                                       { "rope", "cos", "f32", "table=f32", 0, declines_too }, { 0 } };
    struct mer_kernel alone[] = { list[0], list[1], list[2], { 0 } };
    for (int k = 0; k < 2; k++) {
        struct subject who = { .name = "two", .kernel = k ? list : alone, .run = ask_here };
        struct question q = { &who, who.kernel, "dim=8", NULL, "n=3", 1, 4 };
        struct trial t;
        struct tally y;
        struct finding f;
        cr_expect_eq(examine(&q, &t, &y, &f), 0);
        cr_expect(f.word == SKIPPED && f.elsewhere == (k == 1), "%s: %s", word_name[f.word], f.reason);
        trial_close(&t);
        q.kernel = &twice;
        who.kernel = nobody;
        cr_expect_eq(examine(&q, &t, &y, &f), 0);
        cr_expect(f.word == SKIPPED && f.elsewhere && !strcmp(f.reason, "not offered"),
            "the second to decline is counted again: %s", f.reason);
        trial_close(&t);
    }
}
