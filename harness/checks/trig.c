/* TRIG: reduction of arguments.  Pair 0 has frequency 1, so its angle is the position; the integers that come
 * nearest to multiples of pi/2 (convergents of the continued fraction of 2/pi) are where a reduction with too few
 * bits of pi loses everything.  Wherever the amplitude is 1, |sin| and |cos| must not exceed 1. */
#include <math.h>
#include "checks/core/probe.h"

enum { N = 28 };

static int angles(long *at) /* the integers nearest to multiples of pi/2 up to 2^20, then those of the list grid */
{
    static const long grid[] = { 0, 1, 7, 61, 977, 15625, 48039, 48040, 105615, 131149, 262147, 524309, 999983,
        1048576 };
    int64_t near[N];
    mpfr_t one;
    mpfr_init2(one, 160);
    mpfr_set_ui(one, 1, MPFR_RNDN);
    int n = (int)gen_nearest(one, 1 << 20, near, N - 14);
    mpfr_clear(one);
    for (int k = 0; k < N; k++)
        at[k] = k < n ? (long)near[k] : grid[(k - n) % 14];
    return N;
}

static void run(struct probe *p)
{
    struct trial t;
    long all[N], at[N];
    char amplitude[40], sizes[40];
    const int n = probe_within(p, all, angles(all), at);
    snprintf(sizes, sizeof sizes, "h=1 n=%d", n);
    if (!probe_make(p, &t, NULL, sizes))
        return;
    probe_positions(&t, at, n);
    probe_fill(&t, "x", 0);
    for (long i = 0; i < n; i++)
        probe_put(&t, "x", 0, i, 0, 1); /* x = (1, 0): y is cos and sin of pair 0, in either layout */
    if (!probe_ask(p, &t))
        return;
    bool fine = probe_judge(p, &t),
         unit = !strcmp(probe_value(&t, "scaling", amplitude, sizeof amplitude), "yarn") ||
            !strcmp(amplitude, "longrope") ||
            strcmp(probe_value(&t, "attention_factor", amplitude, sizeof amplitude), "0") ?
        *amplitude == 0 :
        true;
    const struct mer_array *y = &t.out[0];
    for (long i = 0, row = array_len(y) / n; i < array_len(y); i++)
        if (unit && !(fabs(array_get(y, i)) <= 1))
            probe_fail(p, "a sine or cosine of %.9g at position %ld", array_get(y, i), at[i / row % n]);
    for (long i = 0, row = array_len(y) / n; i < array_len(y) && !fine; i++)
        if (probe_misses(p, &t, 0, i)) {
            probe_say(p, "wrong at position %ld", at[i / row % n]);
            break;
        }
    trial_close(&t);
}
const struct check check_trig = {
    .name = "TRIG", .question = "Is the argument reduced exactly: nearest to multiples of pi/2, and never beyond 1?",
    .cluster = "A2",
    .sources = "kekzl/imp#1316 kekzl/imp#1317 kekzl/imp#1325 tenstorrent/tt-metal#33971 tenstorrent/tt-metal#51845 "
    "intel/intel-xpu-backend-for-triton#7118",
    .asks = "rope.y rope.cos rope.sin mrope.y sinusoid.p", .kills =
    "fault.reduction rope.f32-phase rope.bf16-phase rope.bf16-position sinusoid.bf16-phase", .run = run,
};
