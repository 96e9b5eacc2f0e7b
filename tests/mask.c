/* The masks of fast/meridian_mask.h, which plug-ins are given, against the page of attention: every parameter and every
 * masking input, alone and together, at random. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "meridian_mask.h"
#include "ball/ball.h"
#include "compare/compare.h"
#include "trial/trial.h"

static uint64_t state = 88172645463325252u;
static int draw(int n) { state ^= state << 13, state ^= state >> 7, state ^= state << 17; return (int)(state % (uint64_t)n); }

/* Appends " key=value" half of the time. */
static void perhaps(char *text, size_t n, const char *key, int value)
{
    if (draw(2))
        snprintf(text + strlen(text), n - strlen(text), " %s=%d", key, value);
}

static void parameters(char *text, size_t n)
{
    static const char *const causal[] = { "none", "topleft", "bottomright", "offset" },
                             *const windows[] = { "past", "within", "closed", "halves", "uneven" };
    snprintf(text, n, "causal=%s windows=%s counted=%s", causal[draw(4)], windows[draw(5)],
        draw(2) ? "pack" : "document");
    perhaps(text, n, "offset", draw(9) - 2), perhaps(text, n, "prefix", draw(5));
    perhaps(text, n, "left", draw(5) - 1), perhaps(text, n, "right", draw(4) - 1);
    perhaps(text, n, "window", draw(6)), perhaps(text, n, "chunk", draw(5)), perhaps(text, n, "start", draw(4));
    perhaps(text, n, "first", draw(3)), perhaps(text, n, "length", draw(9));
}

Test(mask, of_plug_ins_is_that_of_the_page, .timeout = 60)
{
    static const struct arith exact = { 0 };
    static const char *const inputs[] = { "", "keep", "doc", "query_doc doc", "cu_seqlens_q cu_seqlens_k b=3",
        "keep doc", "keep cu_seqlens_q cu_seqlens_k b=4", "doc query_doc cu_seqlens_q cu_seqlens_k b=2" };
    long asked = 0, seen = 0;
    for (int k = 0; k < 3000; k++) {
        struct trial t;
        char params[300], sizes[160], err[300];
        uint8_t mine[2 * 6 * 9];
        const int h = 1 + draw(2), n = 1 + draw(6), m = 1 + draw(9);
        parameters(params, sizeof params);
        snprintf(sizes, sizeof sizes, "h=%d n=%d m=%d %s", h, n, m, inputs[draw(8)]);
        if (!trial_make(&t, &(struct trial_spec){ "attention", params, "visible", MER_F32, sizes, (uint64_t)k }, err,
                sizeof err) && !trial_check(&t, err, sizeof err)) {
            reference_run(&t, &exact);
            mer_mask_fill(&t.call, h, n, m, mine);
            for (int e = 0; e < h * n * m; e++) {
                cr_assert_eq(array_get(&t.out[0], e), mine[e], "%s, %s: head %d query %d key %d: %d", params, sizes,
                    e / (n * m), e / m % n, e % m, mine[e]);
                seen += mine[e];
            }
            asked += h * n * m;
        }
        trial_close(&t);
    }
    /* So that neither a mask of nothing nor one of everything would do. */
    cr_expect(asked > 30000 && seen > asked / 20 && seen < asked / 2, "%ld of %ld", seen, asked);
}
