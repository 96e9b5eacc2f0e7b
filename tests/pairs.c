/* A contract that lies within a profile is never refused by it: every contract of every row, computed step by step,
 * judged under profiles that allow more than it does: twice the half-ulps, no structure of sums, flushing allowed, each
 * alone and together. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "compare/compare.h"
#include "trial/trial.h"

enum { LINES = 6, HALVES = 1, ANY_TREE = 2, FLUSHING = 4, KINDS = 8 };

/* Words that are roundings, made looser; others, as routes, stay. */
static void loosen(char *to, size_t n, const char *text, int kind)
{
    size_t at = 0;
    for (const char *s = text + strspn(text, " "); *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        const size_t word = strcspn(s, " "), key = strcspn(s, "= "),
                     format = s[key] == '=' ? strcspn(s + key + 1, ":/+ ") : 0;
        const bool rounds = format && format_named(s + key + 1, format) && !memchr(s, '+', word);
        const char *colon = memchr(s, ':', word), *slash = memchr(s, '/', word);
        const double ulps = colon ? strtod(colon + 1, NULL) : 1;
        if (!rounds)
            at += (size_t)snprintf(to + at, n - at, "%.*s ", (int)word, s);
        else
            at += (size_t)snprintf(to + at, n - at, "%.*s:%g%.*s ", (int)(key + 1 + format), s,
                kind & HALVES ? 2 * ulps : ulps, slash && !(kind & ANY_TREE) ? (int)(s + word - slash) : 0,
                slash ? slash : "");
    }
    snprintf(to + at, n - at, "%s", kind & FLUSHING && !strstr(text, "ftz=") ? "ftz=on" : "");
}

static long judged(
    const struct row *r, const struct preset *c, const char *out, int type, const char *sizes, uint64_t seed, int kind)
{
    struct trial t;
    struct tally y;
    struct arith rounds, wide;
    char profile[1024], err[900];
    long n = 0;
    loosen(profile, sizeof profile, c->text, kind);
    if (!trial_make(&t, &(struct trial_spec){ r->name, c->text, out, type, sizes, seed }, err, sizeof err) &&
        trial_profile(&t, c->text, &rounds, ROUND, err, sizeof err) > 0) {
        reference_lines(&t, &rounds, LINES);
        cr_assert_gt(arith_read(&wide, r, profile, WIDEN, err, sizeof err), 0, "%s: %s", profile, err);
        judge_outputs(&t, &wide, LINES, &y);
        bool overflow = false; /* A contract may leave the range of its formats; then nothing is promised. */
        for (long k = 0; k < array_len(&t.out[0]); k++)
            overflow |= array_get(&t.out[0], k) - array_get(&t.out[0], k) != 0;
        cr_expect(y.over == 0 || overflow, "%s.%s %s under '%s': %ld over, %g", r->name, out, c->name, profile, y.over,
            y.ratio);
        n = y.n;
    }
    trial_close(&t);
    return n;
}

Test(pairs, a_contract_within_a_profile_is_accepted, .timeout = 300)
{
    static const char *const sizes[] = { "n=3 m=5", "n=2 m=7 small", "n=1 m=2 d=2" };
    static const int types[] = { MER_F64, MER_F32, MER_BF16 };
    long turn = 0, elements = 0, pairs = 0;
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct preset *c = (*r)->contracts; c && c->name; c++)
            for (const struct quantity *q = (*r)->q; q->sign; q++) {
                struct sign s;
                sign_read(&s, q->sign);
                for (int kind = 0; kind < KINDS; kind++, turn++) {
                    /* All of them at once, and one other way in turn. */
                    if (kind != turn / KINDS % KINDS && kind != KINDS - 1)
                        continue;
                    const long n = judged(*r, c, s.out.name, types[turn % 3],
                        sizes[turn % 2 + (kind == KINDS - 1 && turn % 5 == 0)], 1 + (uint64_t)turn, kind);
                    elements += n, pairs += n > 0;
                }
            }
    fprintf(stderr, "%ld pairs, %ld elements\n", pairs, elements);
    cr_expect_gt(pairs, 100);
}
