/* Learned absolute positions.   Gehring et al. 2017; Devlin et al. 2019; Su 2020 (kexue.fm/archives/7947)
 *   form=table          p[i] = T[offset + pos_i],  pos < n = rows - offset
 *   form=hierarchical   u_i = (T_i - alpha T_0) / (1 - alpha),  q_{i n + j} = alpha u_i + (1 - alpha) u_j,  pos < n^2,
 *                       T_i from row `offset` on
 * u_0 = T_0, so q_p = T_p for p < n.  alpha = 1/2 gives (i, j) and (j, i) one vector.
 * Row numbers from tokens:  positions=index  offset + past + i      positions=unpadded  `padding` where the token is
 * `padding`, else offset + past + the number of unpadded tokens before i
 * Gradient, for dp that of p: each row of the table gets the sum of dp over the positions that read it; a position that
 * occurs twice gives twice (under the fault "overwritten" the last alone).  hierarchical, a = alpha / (1 - alpha):
 *   dT_k = a sum_{digit 1 of i = k} dp_i + sum_{digit 2 of i = k} dp_i - [k = 0] a sum_i dp_i
 * Traps: the tables of BART and RoBERTa have two rows more than positions; `past` counts unpadded tokens only. */
#include <stdlib.h>
#include "relative/positions.h"

/* WEIGHT rounds alpha and 1 - alpha; UNIT the product, difference and quotient of u; MIX the products and the sum of q;
 * SCATTER the sums of a gradient. */
enum { TABLE, WEIGHT, UNIT, MIX, SCATTER };

static const struct ball *entry(struct ask *w, long i, long c)
{
    return b_step(w, TABLE, b_in(w, "table", i_add(w, ((const struct learned *)w->params)->offset, i), c, 0));
}

static const struct ball *unit(struct ask *w, const struct ball *a, const struct ball *rest, long i, long c) /* u_i */
{
    const struct ball *moved = b_step(w, UNIT, b_sub(w, entry(w, i, c), b_step(w, UNIT, b_mul(w, a, entry(w, 0, c)))));
    return b_step(w, UNIT, b_div(w, moved, rest));
}

static void vector(struct ask *w, const struct ball **y) /* y[d] */
{
    const struct learned *p = w->params;
    long pos = i_in(w, "pos", w->at[0], 0);
    const struct ball *a = b_step(w, WEIGHT, b_q(w, p->alpha)), *rest = b_step(w, WEIGHT, b_sub(w, b_si(w, 1), a));
    for (long c = 0; c < w->len; c++)
        if (pos < 0 || pos >= position_count(p))
            y[c] = b_nan(w);
        else if (b_true(w, p->form == PLAIN))
            y[c] = entry(w, pos, c);
        else {
            const struct ball *high = b_step(w, MIX, b_mul(w, a, unit(w, a, rest, position_digit(w, pos, 0), c)));
            const struct ball *low = b_step(w, MIX, b_mul(w, rest, unit(w, a, rest, position_digit(w, pos, 1), c)));
            y[c] = b_step(w, MIX, b_add(w, high, low));
        }
}

/* y[d], of row at[0].  A position outside the table gives none: its p is no number. */
static void table_grad(struct ask *w, const struct ball **y)
{
    const struct learned *p = w->params;
    const long n = array_in(w, "dp")->dim[0], here = lag(w, w->at[0], p->offset);
    const struct ball *a = b_step(w, WEIGHT, b_q(w, p->alpha)), *rest = b_step(w, WEIGHT, b_sub(w, b_si(w, 1), a)),
                      **t = need(4 * (size_t)n + 1, sizeof *t);
    for (long c = 0; c < w->len; c++) {
        long terms = 0;
        for (long i = 0; i < n; i++) {
            const long pos = i_in(w, "pos", i, 0);
            if (pos < 0 || pos >= position_count(p))
                continue;
            const struct ball *dp = b_in(w, "dp", i, c, 0);
            if (w->arith->fault == FAULT_OVERWRITTEN && (p->form == PLAIN ? pos : position_digit(w, pos, 0)) == here)
                terms = 0;
            if (p->form == PLAIN && b_true(w, pos == here))
                t[terms++] = dp;
            for (int digit = 0; p->form == HIERARCHICAL && digit < 2; digit++) {
                /* This is the gradient of u_i (digit 0) or u_j (digit 1), divided by 1 - alpha. */
                const struct ball *unit =
                    b_step(w, UNIT, b_div(w, b_step(w, MIX, b_mul(w, b_true(w, digit) ? rest : a, dp)), rest));
                if (b_true(w, position_digit(w, pos, digit) == here))
                    t[terms++] = unit;
                if (b_true(w, here == 0))
                    t[terms++] = b_neg(w, b_step(w, UNIT, b_mul(w, a, unit)));
            }
        }
        y[c] = b_sum(w, SCATTER, t, terms);
    }
    free(t);
}

static void row(struct ask *w, const struct ball **y)
{
    const struct learned *p = w->params;
    long i = w->at[0], before = i;
    for (long j = 0; j < i && p->positions == UNPADDED; j++)
        before -= i_in(w, "token", j, 0) == p->padding;
    bool pad = p->positions == UNPADDED && i_in(w, "token", i, 0) == p->padding;
    y[0] = b_si(w, b_true(w, pad) ? p->padding : i_add(w, i_add(w, p->offset, p->past), before));
}

static long extent(const void *q, char axis)
{
    const struct learned *p = q;
    return axis == 'r' ? p->rows : axis == 's' ? position_count(p) : 0;
}
static const struct preset presets[] = {
    { "paper", "", "arXiv:1810.04805: 512 rows" },
    { "seed", "", "000_8611a63759cff694.txt: trained vectors, as the paper" },
    { "hierarchical", "form=hierarchical rows=300 alpha=0.3", "kexue.fm/archives/7947: 90000 positions" },
    { "BART", "rows=1026 offset=2 past=300",
        "huggingface/transformers modeling_bart.py BartLearnedPositionalEmbedding" },
    { "RoBERTa", "rows=514 offset=2 positions=unpadded padding=1",
        "huggingface/transformers modeling_roberta.py create_position_ids_from_input_ids" },
    { "code:facebookresearch/fairseq", "rows=1026 offset=2 positions=unpadded padding=1 past=1000",
        "learned_positional_embedding.py, utils.make_positions" },
    { "packed", "rows=4", "sequences side by side: positions start again, and occur often" },
    { "code:bojone/bert4keras", "form=hierarchical",
        "layers.py PositionEmbedding(hierarchical=True): 512^2 positions" },
    { 0 },
};
static const struct preset contracts[] = {
    { "stored bf16", "table=bf16", "a checkpoint in bfloat16" },
    { "bert4keras f32", "form=hierarchical weight=f32 unit=f32 mix=f32", "layers.py, operation by operation" },
    { 0 },
};
const struct row row_learned = {
    .name = "learned", .title = "learned absolute positions", .cite = "Devlin et al. 2019; Su 2020",
    .steps = { "table weight unit mix scatter" },
    .declares = position_params, .size = sizeof(struct learned), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = position_refuse,
    .q = { { "int pos[n]<s table[r,d] -> p[n|d]", vector }, { "int token[n] -> int row[n|]", row },
           { "int pos[n]<s dp[n,d] -> dtable[r|d]", table_grad } },
};
