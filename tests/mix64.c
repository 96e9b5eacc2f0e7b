/* The numbers of splitmix64 as its authors' program prints them for the seed 1234567. */
#include <criterion/criterion.h>
#include "arith/mix64.h"

Test(mix64, numbers_are_the_published_ones)
{
    static const uint64_t published[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
        4593380528125082431u, 16408922859458223821u };
    for (size_t k = 0; k < sizeof published / sizeof *published; k++)
        cr_expect(mix64(1234567 + mix64_steps(k + 1)) == published[k], "number %zu", k);
}
