/* BUCKET: the whole table of integers in both directions, by equality: every distance to 300, then both sides of the
 * powers of two and values between them, to 2^20.  Where only the bias is offered, each row of the table holds its
 * own number, so that the bias tells the bucket (in two calls, each of numbers that bfloat16 holds). */
#include <math.h>
#include "checks/core/probe.h"

enum { NEAR = 300, MOST = 2 * (NEAR + 150) };

static int distances(long *d)
{
    int n = 0;
    for (long k = 0; k <= NEAR; k++)
        d[n++] = k;
    for (long top = 256; top <= 1 << 20; top *= 2)
        for (long part = 4; part < 8; part++)
            for (long off = -1; off <= 1 && n < MOST / 2; off++)
                d[n++] = top / 4 * part + off;
    for (int k = 0, m = n; k < m; k++)
        d[n++] = -d[k];
    return n;
}

static void integers(struct probe *p)
{
    static long d[MOST];
    int n = distances(d);
    struct trial t;
    char sizes[40];
    snprintf(sizes, sizeof sizes, "n=%d", n);
    if (!probe_make(p, &t, NULL, sizes))
        return;
    for (int i = 0; i < n; i++)
        array_put(trial_in(&t, "relative_position"), i, (double)d[i]);
    if (!probe_ask(p, &t))
        return;
    if (!probe_judge(p, &t))
        for (int o = 0; o < t.call.n_out; o++)
            for (long i = 0, said = 0; i < n && !said; i++)
                if (probe_misses(p, &t, o, i))
                    said = 1,
                    probe_say(p, "at distance %ld (key minus query) %s is %.0f, declared %.0f", d[i], t.out[o].name,
                        array_get(&t.out[o], i), p->want[o][i]);
    trial_close(&t);
}

/* asks the bias of one query at `offset`, from a table whose rows hold their own number */
static void bias(struct probe *p, const char *more)
{
    for (int part = 0; part < 2; part++) {
        struct trial t;
        if (!probe_make(p, &t, more, "n=3 m=300"))
            return;
        struct mer_array *table = trial_in(&t, "table");
        for (long i = 0; i < array_len(table); i++)
            array_put(table, i, (double)(part ? i / table->dim[1] / 256 : i / table->dim[1] % 256));
        if (!probe_ask(p, &t))
            return;
        if (!probe_judge(p, &t))
            for (long i = 0, m = t.out[0].dim[2], n = t.out[0].dim[1]; i < array_len(&t.out[0]); i++)
                if (probe_misses(p, &t, 0, i)) {
                    probe_say(p, "query %ld, key %ld%s%s: row %.9g of the table, declared %.9g", i / m % n, i % m,
                        *more ? ", " : "", more, array_get(&t.out[0], i), p->want[0][i]);
                    break;
                }
        trial_close(&t);
    }
}

static void run(struct probe *p)
{
    if (check_asks(&(struct check){ .asks = "t5.bucket deberta.bucket deberta.row" }, p->kernel->row, p->kernel->out)) {
        integers(p);
        return;
    }
    bias(p, "");
    if (p->word == PASS)
        bias(p, "offset=131149");
}
const struct check check_bucket = {
    .name = "BUCKET", .question = "Which bucket has each distance, in both directions, to 2^20?", .cluster = "A8",
    .sources = "NVIDIA/TensorRT-LLM#1343 huggingface/transformers#8518 huggingface/candle#727 "
    "lucidrains/x-transformers#10 mindspore-lab/mindone#670 huggingface/transformers#18199",
    .asks = "t5.bucket t5.bias deberta.bucket deberta.row",
    .kills = "t5.sign t5.causal t5.bidirectional t5.offset+1 t5.open t5.nearest t5.max-distance t5.half-buckets "
    "t5.bf16-log deberta.linear deberta.log deberta.max-position deberta.bf16-log", .run = run,
};
