/* HEADS: the values of key head g are one-hot in column g, so that the output of a query head names the key head
 * that it reads. */
#include "checks/core/probe.h"

static void ask(struct probe *p, int heads, int groups)
{
    struct trial t;
    char sizes[80];
    snprintf(sizes, sizeof sizes, "h=%d g=%d n=2 m=3 d=8 e=%d", heads, groups, groups);
    if (!probe_make(p, &t, NULL, sizes))
        return;
    probe_fill(&t, "v", 0);
    for (long g = 0; g < groups; g++)
        for (long j = 0; j < 3; j++)
            probe_put(&t, "v", g, j, g, 1);
    if (!probe_ask(p, &t))
        return;
    bool fine = probe_judge(p, &t);
    for (long h = 0; h < heads && !fine; h++) {
        long got = -1, want = -1;
        for (long g = 0; g < groups; g++) {
            got = probe_got(&t, 0, h, 1, g) != 0 && got < 0 ? g : got;
            want = p->want[0][(h * 2 + 1) * t.out[0].dim[2] + g] != 0 && want < 0 ? g : want;
        }
        if (got != want) {
            probe_say(p, "%d query heads on %d key heads: head %ld reads %ld%s, declared %ld", heads, groups, h, got,
                got == h % groups             ? " (tiles)" :
                    got == h * groups / heads ? " (groups)" :
                                                "",
                want);
            break;
        }
    }
    trial_close(&t);
}

static void run(struct probe *p)
{
    static const int of[][2] = { { 4, 2 }, { 6, 3 }, { 28, 4 }, { 32, 8 }, { 12, 12 }, { 8, 1 } };
    for (size_t k = 0; k < sizeof of / sizeof *of && p->word == PASS; k++)
        ask(p, of[k][0], of[k][1]);
}
const struct check check_heads = {
    .name = "HEADS", .question = "Which key head does each query head read?", .cluster = "A15",
    .sources = "onnx/onnx#7274 ekzhang/jax-js#180 apple/axlearn#842 PSAL-POSTECH/ONNXim#34 "
    "PrimeIntellect-ai/prime-rl#2681", .asks = "attention.o", .kills = "attention.tile attention.repeat", .run = run,
};
