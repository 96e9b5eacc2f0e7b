/* ALIAS: neighbouring positions must be told apart. bfloat16 holds every integer only up to 256, and float16 up to
 * 2048; where positions were rounded to one of them, two beyond that collide, which no bound on errors may show.
 * The check fails where two rows have the same bits although their exact rows, rounded once, have not. */
#include "checks/core/probe.h"

static const long places[] = { 255, 256, 257, 2048, 2049, 4096, 4097, 65535, 65536, 65537, 131071, 131072, 131073,
    131150, 1048575, 1048576, 1048577 };
enum { N = sizeof places / sizeof *places };

static bool same(const struct mer_array *y, long i, long j) /* rows i and j of y[.., n, d], leading axis 0 */
{
    size_t row = (size_t)y->dim[y->rank - 1] * type_size(y->type);
    return !memcmp((const char *)y->data + (size_t)i * row, (const char *)y->data + (size_t)j * row, row);
}

static void run(struct probe *p)
{
    struct trial t, exact;
    long at[N];
    char sizes[40];
    const int n = probe_within(p, places, N, at);
    snprintf(sizes, sizeof sizes, "h=1 n=%d", n);
    if (!probe_make(p, &t, NULL, sizes))
        return;
    probe_positions(&t, at, n);
    /* the same vector in every row: only the position tells rows apart */
    for (struct mer_array *x = mer_find(t.in, t.call.n_in, "x"); x; x = NULL)
        for (long k = 0; k < array_len(x); k++)
            array_put(x, k, 1 + (double)(k % x->dim[2] % 61) / 64);
    if (!probe_ask(p, &t))
        return;
    bool made = probe_exact(&t, &exact);
    for (int i = 0; i + 1 < n && made; i++)
        if (same(&t.out[0], i, i + 1) && !same(&exact.out[0], i, i + 1))
            probe_fail(p, "positions %ld and %ld are given the same row: a position or an angle of too few bits", at[i],
                at[i + 1]);
    if (made)
        trial_close(&exact);
    trial_close(&t);
}
const struct check check_alias = {
    .name = "ALIAS", .question = "Do neighbouring positions have different rows?", .cluster = "A1",
    .sources = "huggingface/transformers#29285 sgl-project/sglang-jax#1472 keras-team/keras-hub#1497 "
    "tinygrad/tinygrad#4587 KellerJordan/modded-nanogpt#39",
    .asks = "rope.y rope.cos mrope.y mrope.cos sinusoid.p", .kills =
    "rope.bf16-position rope.bf16-phase sinusoid.bf16-phase", .relation = true, .run = run,
};
