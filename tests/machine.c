/* The limits of the machine, by which bench divides, are measured on any array that malloc gives, and nothing else. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "bench/core/bench.h"

/* 16 bytes behind a multiple of 64, as a large block of malloc lies, and 1000 bytes long, which is no multiple of 64:
 * loops of whole aligned vectors crashed on the first and wrote behind the second. */
Test(machine, limits_take_any_array_and_stay_within_it)
{
    enum { BYTES = 1000, BEHIND = 64 };
    char *block = aligned_alloc(64, 64 * 20), *p = block + 16;
    struct bench_stretch s = { p, BYTES };
    memset(block, 7, 64 * 20);
    limit_update(&s);
    limit_read(&s);
    for (int k = 0; k < BYTES + BEHIND; k++)
        cr_assert_eq(p[k], 7, "byte %d was changed", k);
    limit_fill(&s);
    for (int k = 0; k < BEHIND; k++)
        cr_assert_eq(p[BYTES + k], 7, "%d behind the end was changed", k);
    cr_expect(p[0] != 7 && p[BYTES - 1] != 7);
    free(block);
}
