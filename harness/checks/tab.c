/* TAB: sines and cosines at positions of every kind, against their derived bounds.  It finds tables that are rounded
 * to fewer bits, or made from a rounded frequency or position: from a bfloat16 frequency the error is 0.03 at
 * position 4095, and of order 1 at 131071. */
#include "checks/core/probe.h"

static const long places[] = { 0, 1, 2, 3, 255, 256, 257, 2047, 2048, 2049, 4095, 8191, 12289, 32767, 49157, 65535,
    65536, 131071, 131149, 393241, 1048575, 1048576 };
enum { N = sizeof places / sizeof *places };

static void run(struct probe *p)
{
    struct trial t;
    long at[N], axes;
    const int n = probe_within(p, places, N, at);
    char sizes[40];
    snprintf(sizes, sizeof sizes, "h=1 n=%d", n);
    if (!probe_make(p, &t, NULL, sizes))
        return;
    probe_positions(&t, at, n);
    if (!probe_ask(p, &t))
        return;
    const struct mer_array *pos = trial_in(&t, "pos"), *y = &t.out[0];
    axes = pos->rank;
    bool fine = probe_judge(p, &t);
    for (long i = 0, row = array_len(y) / n; i < n && axes == 1; i++) {
        long k = 0;
        while (k < row && !probe_misses(p, &t, 0, i * row + k))
            k++;
        if (k < row) {
            probe_say(p, "right up to position %ld, not at %ld", i ? at[i - 1] : -1, at[i]);
            break;
        }
    }
    if (fine)
        probe_say(p, "valid to position %ld of those asked", at[n - 1]);
    trial_close(&t);
}
const struct check check_tab = {
    .name = "TAB", .question = "Are sines and cosines right at every kind of position, far beyond trained lengths?",
    .cluster = "A1 A10",
    .sources = "huggingface/transformers#29496 huggingface/transformers#29285 vllm-project/vllm#863 "
    "sgl-project/sglang-jax#1472 keras-team/keras-hub#1497 Dao-AILab/flash-attention#823 tinygrad/tinygrad#4587",
    .asks = "rope.y rope.cos rope.sin mrope.y mrope.cos sinusoid.p",
    .kills = "rope.bf16-freq rope.f16-freq rope.bf16-position rope.bf16-phase rope.f32-phase rope.f32-steps "
    "rope.f32-iterated rope.bf16-table rope.f16-table mrope.bf16-freq "
             "sinusoid.f32-phase sinusoid.bf16-phase sinusoid.f32-steps sinusoid.bf16-table",
    .run = run,
};
