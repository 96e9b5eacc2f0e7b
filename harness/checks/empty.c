/* EMPTY: queries that see no key: more queries than keys under the declared mask, queries far before every key, and
 * a row that a boolean mask hides as a whole.  The answer found is named: zero, NaN, the mean of the values, or
 * something else.  Rows that do see keys must have the same bits beside an empty row as without it. */
#include <math.h>
#include "checks/core/probe.h"

static const char *policy(const struct trial *t, long row, long e)
{
    double mean[8] = { 0 };
    const struct mer_array *v = mer_in(&t->call, "v");
    bool zero = true, nan = true, average = v && v->dim[2] <= 8;
    for (long j = 0; average && j < v->dim[1]; j++)
        for (long c = 0; c < e; c++)
            mean[c] += array_get(v, j * e + c) / (double)v->dim[1];
    for (long c = 0; c < e; c++) {
        double y = array_get(&t->out[0], row * e + c);
        /* only names what was answered; whether it is right was decided by the bound */
        zero &= y == 0, nan &= isnan(y), average &= fabs(y - mean[c]) <= 0x1p-7 * (fabs(mean[c]) + 1);
    }
    return zero ? "zero" : nan ? "NaN" : average ? "the mean of the values" : "something else";
}

static void judge(struct probe *p, struct trial *t)
{
    long e = t->out[0].dim[2], rows = array_len(&t->out[0]) / e, n = t->out[0].dim[1];
    char declared[40];
    if (probe_judge(p, t))
        return;
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < e; c++)
            if (probe_misses(p, t, 0, r * e + c)) {
                probe_say(p, "query %ld of %ld, %ld keys: %s; declared for rows without a key: %s", r % n, n,
                    (long)trial_in(t, "k")->dim[1], policy(t, r, e),
                    probe_value(t, "empty", declared, sizeof declared));
                return;
            }
}

static void ask(struct probe *p, const char *more, const char *sizes)
{
    struct trial t;
    if (!probe_make(p, &t, more, sizes))
        return;
    probe_fill(&t, "q", 0.5);
    if (probe_ask(p, &t))
        judge(p, &t), trial_close(&t);
}

static void hidden_row(struct probe *p) /* two calls that differ only in query 2, which sees nothing in the second */
{
    struct trial t[2];
    if (!probe_make(p, &t[0], NULL, "keep n=6 m=7 h=2 g=2 d=8 e=5"))
        return;
    probe_fill(&t[0], "keep", 1);
    if (!probe_ask(p, &t[0]))
        return;
    if (!probe_make(p, &t[1], NULL, "keep n=6 m=7 h=2 g=2 d=8 e=5")) {
        trial_close(&t[0]);
        return;
    }
    probe_fill(&t[1], "keep", 1);
    for (long h = 0; h < 2; h++)
        for (long j = 0; j < 7; j++)
            probe_put(&t[1], "keep", h, 2, j, 0);
    if (!probe_ask(p, &t[1])) {
        trial_close(&t[0]);
        return;
    }
    judge(p, &t[1]);
    const struct mer_array *a = &t[0].out[0], *b = &t[1].out[0];
    size_t row = (size_t)a->dim[2] * type_size(a->type);
    for (long r = 0; r < 12; r++)
        if (r % 6 != 2 && memcmp((const char *)a->data + (size_t)r * row, (const char *)b->data + (size_t)r * row, row))
            probe_fail(p, "an empty query 2 changes the answer of query %ld", r % 6);
    trial_close(&t[0]), trial_close(&t[1]);
}

static void run(struct probe *p)
{
    ask(p, "", "n=9 m=5 d=8 e=5");
    ask(p, "", "n=12 m=9 d=8 e=5");
    if (p->word == PASS && probe_wants(p, "keep"))
        hidden_row(p);
}
const struct check check_empty = {
    .name = "EMPTY", .question = "What is answered where no key is visible, and does it stay there?", .cluster = "A11",
    .sources = "pytorch/pytorch#41508 pytorch/pytorch#103749 pytorch/pytorch#103963 ml-explore/mlx#2395 "
    "tracel-ai/burn#4697 robertknight/rten#1321 iree-org/iree#24175 onnx/onnx#8068 Dao-AILab/flash-attention#1778",
    .asks = "attention.o", .kills = "attention.empty-nan attention.empty-mean attention.empty-zero "
    "attention.mask-constant", .run = run,
};
