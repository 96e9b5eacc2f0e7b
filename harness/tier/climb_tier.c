/* Runs the climb as a part of `meridian check`, with a new seed every day, which is printed; each class of escapes is
 * one failure with its case. */
#include "tier/climb_tier.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/clock.h"
#include "climb/climb_run.h"

static void say_escape(struct sink *s, const struct climb_escape *e)
{
    struct finding f = {
        .word = FAILED, .subject = "climb", .row = all_rows[e->row]->name, .quantity = "climb", .method = "search"
    };
    snprintf(f.reason, sizeof f.reason, "%.180s: %.4g of its bound, met %ld times", e->key, e->share, e->n);
    snprintf(f.replay, sizeof f.replay, "meridian climb --case '%.*s'", (int)sizeof f.replay - 32, e->text);
    sink_say(s, &f);
}

long climb_tier_seed(void)
{
    static long today;
    today = today ? today : (long)seed_of_the_day();
    return today;
}

void climb_tier(struct sink *s, const char *row, double work)
{
    const long today = climb_tier_seed();
    work = row ? work / 10 : work;
    struct climb_found *found = need(1, sizeof *found);
    struct climb_run r = { .row = row ? row_named(row) : NULL,
        .page = true,
        .own = true,
        .seed = (uint64_t)today,
        .seconds = 1e9,
        .work = work * 1e6,
        .jobs = 1,
        .patience = 40 };
    struct finding f = { .word = PASS,
        .subject = "climb",
        .row = row ? row : "*",
        .quantity = "climb",
        .method = "search",
        .seed = (uint64_t)today };
    const double start = now();
    char err[300];
    long asked = 0;
    if (climb_run(&r, found, err, sizeof err)) {
        f.word = SKIPPED;
        snprintf(f.reason, sizeof f.reason, "%s", err);
    }
    for (int k = 0; k < found->escapes; k++)
        say_escape(s, &found->escape[k]);
    for (int k = 0; k < CLIMB_ROWS; k++)
        asked += found->row[k].asked[0] + found->row[k].asked[1];
    if (f.word == PASS && found->escapes)
        f.word = FAILED;
    if (f.word != SKIPPED)
        snprintf(f.reason, sizeof f.reason, "seed %ld, %ld questions in %.0f s, %d classes of escapes", today,
            asked, now() - start, found->escapes);
    sink_say(s, &f);
    free(found);
}
