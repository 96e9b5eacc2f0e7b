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
#include "row/search.h"

struct decode {
    long vocab, length, eos, start, pad, beam, pool, extra;
    mpq_t alpha;
    int form, given, search, penalty, count, finish, keep, last, stop, ties, first, wide;
};
enum { TREE, MARKOV }; enum { LOGPROB, LOGIT }; enum { REFUSED, ALLOWED };
enum { TABLE, SHIFT, EXP, TOTAL, LOG, NEXT, SUM, RATIO, EXPONENT, POWERS, SCORE };
enum { ROWS_MOST = 1 << 20 };

static long power(long v, long n) { long p = 1; while (n-- > 0 && p <= ROWS_MOST) p *= v; return p; }
static long rows(const struct decode *p) /* of the table; more than ROWS_MOST: too many */
{
    long all = 0;
    for (long n = 0; n < p->length && all <= ROWS_MOST; n++)
        all += power(p->vocab, n);
    return p->form == MARKOV ? p->vocab : all;
}

static long row_of(const struct decode *p, const long *token, long n)
{
    long level = 0, at = 0;
    if (p->form == MARKOV)
        return n ? token[n - 1] : p->start;
    for (long k = 0; k < n; k++)
        level += power(p->vocab, k), at = at * p->vocab + token[k];
    return level + at;
}

static void next(struct ask *w, const long *token, long n, const struct ball **y) /* y[vocab] */
{
    const struct decode *p = w->params;
    const long row = row_of(p, token, n), V = p->vocab;
    for (long v = 0; v < V; v++)
        y[v] = b_step(w, TABLE, b_in(w, "table", row, v, 0));
    if (p->given == LOGPROB)
        return;
    const struct ball *max = y[0], **e = need((size_t)V + 1, sizeof *e);
    for (long v = 1; v < V; v++)
        max = b_max(w, max, y[v]);
    for (long v = 0; v < V; v++)
        y[v] = b_step(w, SHIFT, b_sub(w, y[v], max)), e[v] = b_step(w, EXP, b_exp(w, y[v]));
    const struct ball *lse = b_step(w, LOG, b_log(w, b_sum(w, TOTAL, e, V)));
    for (long v = 0; v < V; v++)
        y[v] = b_step(w, NEXT, b_sub(w, y[v], lse));
    free(e);
}

static struct rules rules_of(const struct decode *p)
{
    return (struct rules){ .vocab = p->vocab,
        .length = p->length,
        .eos = p->eos,
        .beam = p->search == GREEDY ? 1 : p->beam,
        .pool = p->pool,
        .extra = p->extra,
        .alpha = p->alpha,
        .search = p->search,
        .penalty = p->penalty,
        .count = p->count,
        .finish = p->finish,
        .keep = p->keep,
        .last = p->last,
        .stop = p->stop,
        .ties = p->ties,
        .first = p->first,
        .sum = SUM,
        .ratio = RATIO,
        .exponent = EXPONENT,
        .power = POWERS,
        .score = SCORE };
}

/* Under WIDEN an open choice leaves every token and every score open. */
/* y[s] of hypothesis at[0]: start, if there is one; tokens; padding */
static void tokens(struct ask *w, const struct ball **y)
{
    const struct decode *p = w->params;
    struct rules r = rules_of(p);
    struct found f = search(w, &r, next);
    const struct search_guess *g = w->at[0] < f.n ? &f.guess[w->at[0]] : NULL;
    for (long c = 0, front = p->start >= 0; c < w->len; c++) {
        const struct ball *t = b_si(w, c < front ? p->start : g && c - front < g->n ? g->token[c - front] : p->pad);
        y[c] = f.vague ? b_widen(w, t, up_si(p->vocab)) : t;
    }
    free(f.guess);
}
static void score(struct ask *w, const struct ball **y)
{
    struct rules r = rules_of(w->params);
    struct found f = search(w, &r, next);
    y[0] = f.vague ? b_widen(w, b_si(w, 0), up_inf()) : w->at[0] < f.n ? f.guess[w->at[0]].score : b_inf(w, -1);
    free(f.guess);
}

/* log-probability of the first at[0] + 1 given tokens; beyond `length` or the vocabulary there is none */
static void cumulative(struct ask *w, const struct ball **y)
{
    const struct decode *p = w->params;
    const struct ball **lp = need((size_t)p->vocab + 1, sizeof *lp);
    long token[SEARCH_LENGTH], n = w->at[0] + 1;
    bool known = n <= p->length;
    *y = b_nan(w);
    for (long k = 0; k < n && known; k++)
        token[k] = i_in(w, "target", k, 0), known = token[k] >= 0 && token[k] < p->vocab;
    for (long k = 0; k < n && known; k++) {
        next(w, token, k, lp);
        *y = k ? b_step(w, SUM, b_add(w, *y, lp[token[k]])) : lp[token[k]];
    }
    free(lp);
}
static void penalty(struct ask *w, const struct ball **y)
{
    struct rules r = rules_of(w->params);
    const struct ball *lp = length_penalty(w, &r, i_in(w, "len", w->at[0], 0), true);
    y[0] = lp ? lp : b_si(w, 1);
}

static long extent(const void *q, char axis)
{
    const struct decode *p = q;
    return axis == 'v' ? p->vocab :
        axis == 'p'    ? rows(p) :
        axis == 'k'    ? (p->search == GREEDY || p->keep == KEEP_NONE ? 1 : p->beam) :
                         0;
}
static const char *refuse(const void *q)
{
    const struct decode *p = q;
    bool bound = p->stop == STOP_NOW || p->stop == STOP_REACH || p->stop == STOP_BEST,
         power_law = mpq_sgn(p->alpha) >= 0;
    return p->eos >= p->vocab ?
        "eos: not in the vocabulary" :
        p->start >= p->vocab ?
        "start: not in the vocabulary" :
        p->form == MARKOV && p->start < 0 ?
        "start: a table by the last token needs a first one" :
        rows(p) > ROWS_MOST ?
        "length: a table of every prefix would have more than 1048576 rows" :
        p->search == EXHAUSTIVE && power(p->vocab, p->length) > SEARCH_LEAVES ?
        "length: more than 65536 sequences" :
        p->wide == REFUSED && p->beam > p->vocab ?
        "beam: wider than the vocabulary" :
        p->penalty != NO_PENALTY && bound && !power_law ?
        "alpha: below 0 a longer sequence scores less, and no bound by its length allows to stop early" :
        mpz_cmpabs_ui(mpq_numref(p->alpha), 64) > 0 || mpz_cmp_ui(mpq_denref(p->alpha), 10000) > 0 ?
        "alpha: a ratio of at most 64, denominator at most 10000" :
        p->keep == KEEP_NONE && p->stop != STOP_TOP ? "keep: none goes with stop=top" :
                                                      NULL;
}
static const struct param params[] = {
    { "vocab", "6", "tokens V", INT, offsetof(struct decode, vocab), .least = 2, .most = 65536 },
    { "length", "5", "tokens generated at most, eos among them", INT, offsetof(struct decode, length), .least = 1,
        .most = SEARCH_LENGTH },
    { "eos", "2", "ends a sequence", INT, offsetof(struct decode, eos), .least = 0, .most = 65535 },
    { "start", "-1", "in front of the output; -1: nothing", INT, offsetof(struct decode, start), .least = -1,
        .most = 65535 },
    { "pad", "0", "behind the end of a sequence", INT, offsetof(struct decode, pad), .least = -1, .most = 65535 },
    { "form", "tree", "a row of the table: a prefix, or a last token", ENUM, offsetof(struct decode, form),
        .choices = "tree markov" },
    { "given", "logprob", "the table: log-probabilities, or what a softmax makes them of", ENUM,
        offsetof(struct decode, given), .choices = "logprob logit" },
    { "search", "greedy", "how", ENUM, offsetof(struct decode, search), .choices = "greedy beam exhaustive" },
    { "beam", "1", "sequences kept", INT, offsetof(struct decode, beam), .least = 1, .most = 4096 },
    { "wide", "refused", "a beam wider than the vocabulary", ENUM, offsetof(struct decode, wide),
        .choices = "refused allowed" },
    { "pool", "2", "candidates of a step, times beam", INT, offsetof(struct decode, pool), .least = 1, .most = 64 },
    { "penalty", "none", "lp", ENUM, offsetof(struct decode, penalty), .choices = "none gnmt power" },
    { "alpha", "1", "exponent of lp", RATIONAL, offsetof(struct decode, alpha) },
    { "count", "eos", "|y|: with eos, or the text alone", ENUM, offsetof(struct decode, count), .choices = "eos text" },
    { "extra", "0", "added to |y|: a prompt", INT, offsetof(struct decode, extra), .least = -1, .most = 1 << 20 },
    { "finish", "top", "which ends count", ENUM, offsetof(struct decode, finish), .choices = "top any" },
    { "keep", "best", "which ends are kept", ENUM, offsetof(struct decode, keep), .choices = "best first none" },
    { "last", "finished", "what has not ended at `length`", ENUM, offsetof(struct decode, last),
        .choices = "finished forced spare" },
    { "stop", "none", "before `length`", ENUM, offsetof(struct decode, stop),
        .choices = "none full now reach best top" },
    { "ties", "lowest", "of equal candidates", ENUM, offsetof(struct decode, ties), .choices = "lowest highest" },
    { "first", "one", "the beam's start", ENUM, offsetof(struct decode, first), .choices = "one copies" },
    { 0 },
};
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
    .params = params, .size = sizeof(struct decode), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .sizes = "s=7",
    .q = { { "table[p,v] -> int tokens[k|s]", tokens }, { "table[p,v] -> score[k|]", score },
           { "table[p,v] int target[n]<v -> cumulative[n|]", cumulative }, { "int len[n] -> penalty[n|]", penalty } },
};
