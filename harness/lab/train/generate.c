/* The search of row decode over the log-probabilities of a trained encoder-decoder; see generate.h. */
#include "lab/train/generate.h"
#include <string.h>
#include "lab/net/pair_row.h"

int64_t generator_room(int64_t want) { return want + want / 2 + 4 < BEAM_LENGTH ? want + want / 2 + 4 : BEAM_LENGTH; }

int generator_open(struct writer *g, const struct model *m, const float *params, int64_t source, int64_t length,
    int whole, char *err, size_t n)
{
    *g = (struct writer){ .params = params };
    if (pass_open_pair(&g->p, m,
        (struct pass_form){ .maths = &maths_f32, .rows = 1, .source = source, .length = length, .backward = whole },
        err, n))
        return -1;
    g->y = need((size_t)(length * m->size.vocab), sizeof *g->y);
    return 0;
}

void generator_close(struct writer *g)
{
    pass_close(&g->p);
    free(g->y);
    *g = (struct writer){ 0 };
}

/* Behind the n tokens stand zeros, which lines 0 .. n do not see, since the decoder is causal. */
int generate_behind(struct writer *g, const int64_t *token, int64_t n)
{
    memset(g->p.word, 0, (size_t)g->p.tokens * sizeof *g->p.word);
    g->p.word[0] = g->start;
    memcpy(g->p.word + 1, token, (size_t)n * sizeof *token);
    return pass_logits(&g->p, g->params, g->p.word);
}

static int next(void *with, const int64_t *token, int64_t n, double *y)
{
    struct writer *g = with;
    const int64_t v = g->p.m->size.vocab;
    const int rc = generate_behind(g, token, n);
    pair_logprob(&g->p, g->y);
    memcpy(y, g->y + n * v, (size_t)v * sizeof *y);
    return rc;
}

int64_t generate(
    struct writer *g, const int64_t *source, int64_t start, int64_t end, int64_t beam, struct beam_guess *found)
{
    const int64_t m = g->p.source->length, n = g->p.length;
    const struct beam_rules rules = { .vocab = g->p.m->size.vocab,
        .length = n,
        .eos = end,
        .beam = beam ? beam : 1,
        .pool = 2,
        .greedy = !beam,
        .best = !g->all,
        .now = g->all };
    const struct beam_model model = { next, g };
    int64_t count = 0, *token = need((size_t)(m + n), sizeof *token);
    memcpy(token, source, (size_t)m * sizeof *token);
    g->start = start;
    int rc = pair_encode(&g->p, g->params, token);
    free(token);
    rc = rc == MER_OK && beam <= GENERATE_BEAM ? beam_search(&rules, &model, found, &count) : MER_BAD;
    return rc == MER_OK ? count : -1;
}
