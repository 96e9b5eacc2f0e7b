/* Sums of the matrix units of an H200, recorded (data/peers/units), against the contract that describes them: the same
 * bits in every element, and other bits under any other block, width of the adder or format. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "command.h"

static bool same_bits(const char *id, const char *contract)
{
    char args[300], line[200];
    snprintf(args, sizeof args, "judge data/peers/units --case %s --lines 0 --contract '%s'", id, contract);
    const int rc = meridian("", args);
    snprintf(line, sizeof line, "attention.scores %s scale=1 %s used 0 ", id, contract);
    cr_assert(rc == 0 || rc == 1, "%s: exit %d %s", args, rc, err);
    cr_expect(!strncmp(out, "PASS", 4), "%s: not within the bound: %s", id, out); /* That line is of the profile. */
    return rc == 0 && strstr(out, line);
}

Test(units, answer_the_bits_of_their_contract, .timeout = 120)
{
    static const struct { const char *id, *in, *dot; } list[] = {
        { "f16-group", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
        { "f16-warp", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
        { "bf16-group", "in.q=bf16 in.k=bf16 ", "dot=f32/tc16:25" },
        { "bf16-subnormal-warp", "in.q=bf16 in.k=bf16 ", "dot=f32/tc16:25" },
        { "tf32-group", "in.q=tf32 in.k=tf32 ", "dot=f32/tc8:25" },
        { "tf32-warp", "in.q=tf32 in.k=tf32 ", "dot=f32/tc4:25" },
        { "e4m3-group", "", "dot=f32/tc32:13" },
        { "e4m3-subnormal-group", "", "dot=f32/tc32:13" },
        { "e5m2-group", "", "dot=f32/tc32:13" },
        /* Operands below 2^-14: without their format they would be aligned by their own exponents. */
        { "f16-subnormal-group", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
        { "f16-subnormal-warp", "in.q=f16 in.k=f16 ", "dot=f32/tc16:25" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char words[100];
        snprintf(words, sizeof words, "%s%s", list[k].in, list[k].dot);
        cr_expect(same_bits(list[k].id, words), "%s: %s", list[k].id, out);
    }
}

Test(units, answer_other_bits_than_those_of_another_unit, .timeout = 120)
{
    static const struct { const char *id, *contract; } list[] = {
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc16:24" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc16:26" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc8:25" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32/tc32:25" },
        { "f16-group", "in.q=f16 in.k=f16 dot=f32" },
        { "f16-subnormal-group", "dot=f32/tc16:25" }, /* f32 operands are normal numbers */
        { "f16-subnormal-warp", "in.q=bf16 in.k=bf16 dot=f32/tc16:25" },
        { "tf32-group", "in.q=tf32 in.k=tf32 dot=f32/tc4:25" },
        { "tf32-warp", "in.q=tf32 in.k=tf32 dot=f32/tc8:25" },
        { "e4m3-group", "dot=f32/tc32:14" },
        { "e4m3-group", "dot=f32/tc16:13" },
        { "e5m2-group", "dot=f32/tc64:13" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(!same_bits(list[k].id, list[k].contract), "%s %s: %s", list[k].id, list[k].contract, out);
}
