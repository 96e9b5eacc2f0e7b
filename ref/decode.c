/* Decoding: the most probable sequence under a table of next-token log-probabilities.
 * Graves 2012; Sutskever et al. 2014; Wu et al. 2016, eq. 14
 *   log P(y) = sum_t log p(y_t | y_1 .. y_{t-1})      score = log P(y) / lp(|y|)
 *   lp = 1, ((5 + |y|) / 6)^alpha (gnmt), |y|^alpha (power)
 * form=tree: row (V^n - 1)/(V - 1) + base-V number of the n tokens so far, the first most significant; form=markov: row
 * of the last token, `start` first.
 * given=logit: log-softmax of the row.  A sequence ends with eos, which has a log-probability like any token.
 *   greedy      the best token, every time
 *   beam        of all extensions of the beam's sequences the pool * beam best, in order; those that end may be found
 *               (finish), the first `beam` others go on
 *   exhaustive  every sequence
 * finish  top: an end counts among the first `beam` extensions; any: anywhere in the pool      keep  best: the `beam`
 *         best ends; first: the first to come; none: only an end in first place counts (and stops), the beam shrinks by
 *         the others
 * last    at `length`, what has not ended: finished as it is; forced to eos; spare: counts where nothing has ended
 * stop    none; full: `beam` ends found; now, reach: and the worst of them is at least the beam's best, scored at its
 *         length, or at `length`; best: the best end beats the beam's best scored at `length`; top: an end came first
 * Equal candidates: the one of the earlier sequence, then of the lower id.  An empty text counts 1 in lp.
 * Traps: lp counts eos; the prompt does not count (extra=0); the beam starts with one sequence, not with `beam` copies;
 * a bound by lp(length) is one for alpha >= 0. */
#include <stdlib.h>
#include "row/row.h"
#include "search/search.h"
#include "softmax/log_softmax.h"

enum { TABLE, SHIFT, EXP, TOTAL, LOG, NEXT, SUM, RATIO, EXPONENT, POWERS, SCORE };
static const struct search_steps steps = { SUM, RATIO, EXPONENT, POWERS, SCORE };

static long row_of(const struct ask *w, const long *token, long n)
{
    const struct decode *p = w->params;
    long level = 0, at = 0;
    if (p->form == MARKOV)
        return n ? token[n - 1] : p->start;
    for (long k = 0; k < n; k++)
        level += search_power(p->of.vocab, k), at = i_add(w, i_mul(w, at, p->of.vocab), token[k]);
    return i_add(w, level, at);
}

static void next(struct ask *w, const long *token, long n, const struct ball **y) /* y[vocab] */
{
    const struct decode *p = w->params;
    const long row = row_of(w, token, n), V = p->of.vocab;
    for (long v = 0; v < V; v++)
        y[v] = b_step(w, TABLE, b_in(w, "table", row, v, 0));
    if (p->given == LOGIT)
        log_softmax(w, (struct log_steps){ SHIFT, EXP, TOTAL, LOG, NEXT }, y, V);
}

/* Lines of hypothesis at[0].  Under WIDEN an open choice leaves every token and every score open. */
static void tokens(struct ask *w, const struct ball **y) /* y[s] holds start, if there is one, tokens, then padding. */
{
    const struct decode *p = w->params;
    struct found f = search(w, &p->of, steps, next);
    /* One that was not found has no tokens: more lines than that are asked where a change shrinks the beam. */
    const struct search_guess none = { 0 }, *g = w->at[0] < f.n ? &f.guess[w->at[0]] : &none;
    for (long c = 0, front = p->start >= 0; c < w->len; c++) {
        const long t = c < front ? p->start : c - front < g->n ? g->token[c - front] : p->pad, pad = labs(p->pad - t);
        y[c] = b_si(w, t); /* What else may stand there is a token of the vocabulary, or the padding. */
        y[c] = f.vague ? b_widen(w, y[c], up_si(labs(t) + p->of.vocab > pad ? labs(t) + p->of.vocab : pad)) : y[c];
    }
    free(f.guess);
}
static void score(struct ask *w, const struct ball **y)
{
    struct found f = search(w, &((const struct decode *)w->params)->of, steps, next);
    y[0] = f.vague ? b_widen(w, b_si(w, 0), up_inf()) : w->at[0] < f.n ? f.guess[w->at[0]].score : b_minus_inf(w);
    free(f.guess);
}

/* The log-probability of the first at[0] + 1 given tokens; NaN beyond `length` or the vocabulary. */
static void cumulative(struct ask *w, const struct ball **y)
{
    const struct decode *p = w->params;
    const struct ball **lp = need((size_t)p->of.vocab + 1, sizeof *lp);
    long token[SEARCH_LENGTH], n = w->at[0] + 1;
    bool known = n <= p->of.length;
    *y = b_nan(w);
    for (long k = 0; k < n && known; k++)
        token[k] = i_in(w, "target", k, 0), known = token[k] >= 0 && token[k] < p->of.vocab;
    for (long k = 0; k < n && known; k++) {
        next(w, token, k, lp);
        *y = k ? b_step(w, SUM, b_add(w, *y, lp[token[k]])) : lp[token[k]];
    }
    free(lp);
}
static void penalty(struct ask *w, const struct ball **y)
{
    const struct decode *p = w->params;
    const struct ball *lp = length_penalty(w, &p->of, steps, i_in(w, "len", w->at[0], 0), true);
    y[0] = lp ? lp : b_si(w, 1);
}

static long extent(const void *q, char axis)
{
    const struct decode *p = q;
    return axis == 'v' ? p->of.vocab :
        axis == 'p'    ? search_rows(p) :
        axis == 'k'    ? (p->of.search == GREEDY || p->of.keep == KEEP_NONE ? 1 : p->of.beam) :
                         0;
}
static const struct preset presets[] = {
    { "greedy", "given=logit", "Graves 2012" },
    { "paper", "search=beam beam=3 penalty=gnmt alpha=0.6 given=logit", "arXiv:1609.08144, eq. 14" },
    { "seed", "search=beam beam=4 given=logit start=1", "000_8611a63759cff694.txt: beam search" },
    { "code:tensorflow/tensor2tensor", "search=beam beam=4 penalty=gnmt alpha=0.6 finish=any last=spare stop=best "
        "given=logit", "utils/beam_search.py" },
    { "code:facebookresearch/fairseq", "search=beam beam=5 penalty=power keep=first last=forced stop=full given=logit",
        "sequence_generator.py, search.py BeamSearch" },
    { "code:huggingface/transformers", "search=beam beam=4 penalty=power stop=now given=logit start=1",
        "generation/utils.py _beam_search, early_stopping=False" },
    { "early_stopping", "search=beam beam=3 penalty=power stop=full given=logit start=1",
        "generation/utils.py, early_stopping=True" },
    { "never", "search=beam beam=3 penalty=power alpha=2 stop=reach given=logit start=1",
        "generation/utils.py, early_stopping=\"never\"" },
    { "prompt", "search=beam beam=3 penalty=power extra=4 stop=now given=logit start=1",
        "huggingface/transformers before #27351: the prompt counts" },
    { "text", "search=beam beam=3 penalty=power count=text stop=now given=logit start=1",
        "huggingface/transformers#8890: the end does not count, an unfinished text counts whole" },
    { "code:bojone/bert4keras", "search=beam beam=4 pool=1 keep=none last=spare stop=top given=logit",
        "snippets.py AutoRegressiveDecoder.beam_search" },
    { "exhaustive", "search=exhaustive vocab=4 length=4 beam=3 penalty=gnmt given=logit", "" },
    { "markov", "search=beam beam=3 form=markov start=1 vocab=9 length=4 eos=0 penalty=power alpha=0.5 given=logit",
        "" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32",
        "table=f32 shift=f32 exp=f32 total=f32 log=f32 next=f32 sum=f32 ratio=f32 exponent=f32 power=f32 score=f32",
        "log_softmax and sums in float32" },
    { 0 }
};
const struct row row_decode = {
    .name = "decode", .title = "greedy, beam and exhaustive search", .cite = "Wu et al. 2016",
    .steps = { "table shift exp total log next sum ratio exponent power score" },
    .declares = decode_params, .size = sizeof(struct decode), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = decode_refuse, .sizes = "s=7",
    .q = { { "table[p,v] -> int tokens[k|s]", tokens }, { "table[p,v] -> score[k|]", score },
           { "table[p,v] int target[n]<v -> cumulative[n|]", cumulative }, { "int len[n] -> penalty[n|]", penalty } },
};
