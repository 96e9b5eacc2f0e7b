/* What was found in released libraries is seen again, at the same element with the same digits; a changed digit is noticed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "deviation.h"
#include "discovery.h"

static int again(const struct discovery *d, void *with)
{
    struct tally y = { 0 };
    char seen[400];
    cr_expect(discovery_seen(d, &y, seen, sizeof seen), "%s %s: '%s' is listed as %s, seen: %s", d->library, d->version, d->command, d->witness, seen);
    return ++*(int *)with, 0;
}
Test(findings, every_one_is_seen_again_to_the_last_digit, .timeout = 120)
{
    int n = 0;
    cr_expect_eq(discoveries_each(again, &n), 0, "data/findings.tsv: a line of another form after %d", n);
    cr_expect_eq(n, 70);
}

static int first(const struct discovery *d, void *with) { *(struct discovery *)with = *d; return 1; }
Test(findings, a_changed_digit_or_a_case_that_passes_is_no_finding)
{
    struct discovery d, wrong;
    struct tally y = { 0 };
    char seen[400];
    cr_assert_eq(discoveries_each(first, &d), 1);
    wrong = d;
    wrong.witness[strlen(wrong.witness) - 1] ^= 1;
    cr_expect(!discovery_seen(&wrong, &y, seen, sizeof seen));
    cr_expect_str_eq(seen, d.witness);
    wrong = d;
    strcpy(wrong.id, "torch-multihead"); /* the same module without weights: right, so nothing to find */
    cr_expect(!discovery_seen(&wrong, &y, seen, sizeof seen) && !strncmp(seen, "PASS: ", 6), "%s", seen);
    strcpy(wrong.id, "nonesuch");
    cr_expect(!discovery_seen(&wrong, &y, seen, sizeof seen) && !strcmp(seen, "no such case"), "%s", seen);
}

/* A deviation declared among the probes is a finding, and the reverse. */
static int has(const struct discovery *d, void *with) { return !strcmp(d->id, with); }
static int listed(const struct deviation *d, void *with)
{
    char id[96];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(d->id, "/"), d->id);
    cr_expect_eq(discoveries_each(has, id), 1, "%s %s deviates and is in no line of data/findings.tsv", d->pack, d->id);
    return ++*(int *)with, 0;
}
Test(findings, every_declared_deviation_of_a_library_is_a_finding)
{
    int n = 0;
    cr_expect_eq(deviations_each("deviations", listed, &n), 0);
    cr_expect_eq(n, 70);
}
