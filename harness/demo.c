/* `demo`: small models at work. `demo reverse WORD` writes a word backwards by greedy and by beam search, judges
 * what the kernels computed, and draws the attention. --model encdec is the post-LN Transformer of the laboratory,
 * trained on the spot; --model seq2seq the recurrent model, whose weights are given in closed form. */
#include <stdio.h>
#include <stdlib.h>
#include "compare/compare.h"
#include "core/cli.h"
#include "core/files.h"
#include "page/plot.h"
#include "lab/exact/reverse.h"
#include "lab/train/words.h"

/* the letter of a token of row seq2seq (reverse.h) */
static char letter(int64_t token) { return token ? (char)('a' + token - 1) : '.'; }
/* The letter of a token of the laboratory (tasks.h). */
static char symbol(int64_t token)
{
    return token < REWRITE_LETTERS ? (char)('a' + token) : token == REWRITE_END ? '.' : '^';
}

static void show(const char *what, const struct beam_guess *g, char (*of)(int64_t))
{
    char text[BEAM_LENGTH + 1];
    for (int64_t k = 0; k < g->n; k++)
        text[k] = of(g->token[k]);
    text[g->n] = 0;
    printf("%-9s%-18s log P %.9g%s\n", what, text, g->sum, g->ended ? "" : "  (not ended)");
}
static void show_all(
    const char *word, const struct beam_guess *greedy, const struct beam_guess *found, int64_t n, char (*of)(int64_t))
{
    printf("source   %s\n", word);
    show("greedy", greedy, of);
    for (int64_t k = 0; k < n; k++) {
        char rank[24];
        snprintf(rank, sizeof rank, "beam %lld", (long long)k + 1);
        show(rank, &found[k], of);
    }
}

static void tics(FILE *f, char axis, const char *text)
{
    fprintf(f, "set %ctics (", axis);
    for (long k = 0; text[k]; k++)
        fprintf(f, "%s\"%c\" %ld", k ? ", " : "", text[k], k);
    fprintf(f, ")\n");
}
/* Draws weights[n][m], of each letter written on the letters of the source. */
static void draw(const double *weights, const struct beam_guess *g, const char *source, const char *under,
    const char *dir, char (*of)(int64_t))
{
    struct plot p;
    const long n = (long)g->n, m = (long)strlen(source);
    char said[BEAM_LENGTH + 1] = "";
    for (int64_t k = 0; k < g->n; k++)
        said[k] = of(g->token[k]), said[k + 1] = 0;
    plot_open(&p, dir, "demo-reverse", "What each output letter reads", under);
    p.height = 560;
    for (long t = 0; t < n; t++)
        for (long j = 0; j < m; j++)
            fprintf(p.data, "%ld\t%ld\t%.9g\n", j, t, weights[t * m + j]);
    p.series++;
    tics(p.set, 'x', source), tics(p.set, 'y', said);
    fprintf(p.set,
        "unset grid\nset border 15\nset cbrange [0:1]\nset xlabel \"source\"\nset ylabel \"output\"\nset xrange "
        "[-0.5:%ld.5]\nset yrange [%ld.5:-0.5]\nset palette defined (0 \"#440154\", 0.25 \"#3b528b\", 0.5 \"#21918c\", "
        "0.75 \"#5ec962\", 1 \"#fde725\")\n",
        m - 1, n - 1);
    fprintf(p.draw, "plot data using 1:2:3 with image\n");
    if (plot_close(&p))
        fprintf(stderr, "meridian demo: not drawn: %s\n", p.why);
    else
        printf("drawn    %s/demo-reverse.svg and .png\n", dir);
}

/* Judges the rows of the outputs under the tokens found: within the derived bound, and how many correctly rounded. */
static int judge(struct reverser *r, const struct beam_guess *g)
{
    struct arith a;
    struct tally y;
    char err[400];
    if (reverse_run(r, g->token, g->n - 1) != MER_OK ||
        trial_profile(&r->t, r->t.profile, &a, WIDEN, err, sizeof err) <= 0)
        return -1;
    judge_outputs(&r->t, &a, 0, &y);
    printf("judged   %s: weights and log-probabilities use %.3g of their derived bound, %ld of %ld correctly rounded, "
           "%ld of %ld lines\n",
        tally_verdict(&y), y.ratio, y.correct, y.n, y.lines, y.lines_of);
    return tally_passes(&y) ? 0 : -1;
}

static int recurrent(const struct cli *c, const char *word, long beam, const char *dir)
{
    struct reverser r;
    struct beam_rules rules = { .vocab = REVERSE_LETTERS, .pool = 2, .beam = 1, .greedy = 1 };
    struct beam_guess greedy, found[REVERSE_LETTERS];
    char err[400], source[REVERSE_MOST + 2];
    int64_t n = 0, one = 0;
    if (reverse_open(&r, word, err, sizeof err))
        return reverse_close(&r), cli_error(c, "%s", err);
    const struct beam_model model = reverse_model(&r);
    rules.length = r.length + 1;
    int rc = beam_search(&rules, &model, &greedy, &one);
    rules.greedy = 0, rules.beam = beam, rules.now = 1;
    rc = rc == MER_OK ? beam_search(&rules, &model, found, &n) : rc;
    if (rc == MER_OK) {
        show_all(word, &greedy, found, n, letter);
        rc = judge(&r, &greedy) ? MER_BAD : MER_OK;
        const struct mer_array *w = mer_out(&r.t.call, "weights"); /* [t][m] */
        double *weights = need((size_t)array_len(w), sizeof *weights);
        for (int64_t k = 0; k < array_len(w); k++)
            weights[k] = array_get(w, k);
        snprintf(source, sizeof source, ".%s", word);
        draw(weights, &greedy, source,
            "attention weights of the greedy search; the full stop starts the source and ends the output", dir, letter);
        free(weights);
    }
    reverse_close(&r);
    return rc == MER_OK ? EXIT_PASS : EXIT_FAIL;
}

static int transformer(const struct cli *c, const char *word, long beam, const char *dir)
{
    struct trainer t;
    struct writer g = { .y = NULL }, exact = { .y = NULL };
    struct beam_guess greedy, found[GENERATE_BEAM];
    struct tally y;
    char err[4600], source[REVERSE_MOST + 2], hex[65];
    int64_t steps, token[REVERSE_MOST + 1];
    const int64_t m = (int64_t)strlen(word) + 1;
    double *weights = NULL;
    if (words_train(&t, dir, cli_value(c, "set", ""), &steps, err, sizeof err) ||
        generator_open(&g, &t.m, t.params, m, generator_room(m), 0, err, sizeof err))
        return generator_close(&g), trainer_close(&t), cli_error(c, "%s", err);
    trainer_digest(&t, hex);
    printf("weights  %lld parameters, %lld steps%s, last loss %.3g nats, SHA-256 %s\n", (long long)t.m.count,
        (long long)t.step, steps ? "" : " (before now)", t.loss, hex);
    for (int64_t k = 0; k < m; k++)
        token[k] = k + 1 < m ? word[k] - 'a' : REWRITE_END;
    g.all = 1;
    int64_t one = generate(&g, token, REWRITE_START, REWRITE_END, 0, &greedy),
            n = one == 1 ? generate(&g, token, REWRITE_START, REWRITE_END, beam, found) : -1;
    int rc = n < 0 ? (snprintf(err, sizeof err, "a kernel failed"), -1) : 0;
    if (!rc) { /* runs once more at the length found, and keeps every layer */
        show_all(word, &greedy, found, n, symbol);
        rc = generator_open(&exact, &t.m, t.params, m, greedy.n, 1, err, sizeof err);
        exact.start = REWRITE_START;
        rc = rc || pair_encode(&exact.p, t.params, token) != MER_OK ||
                words_judge(&exact, greedy.token, greedy.n - 1, &y, err, sizeof err) ?
            -1 :
            0;
        if (rc)
            printf("judged   %s\n", err);
        else
            printf("judged   PASS: %ld parts of the model, each from what it read, use at most %.3g of their derived "
                   "bound, %ld of %ld correctly rounded\n",
                y.lines, y.ratio, y.correct, y.n);
    }
    if (!rc) {
        weights = need((size_t)(greedy.n * m), sizeof *weights);
        rc = words_weights(&exact, weights);
        snprintf(source, sizeof source, "%s.", word);
        draw(weights, &greedy, source,
            "cross-attention of the last layer, mean over heads, greedy search; the full stop ends source and output",
            dir, symbol);
    }
    generator_close(&g), generator_close(&exact), trainer_close(&t), free(weights);
    return rc ? EXIT_FAIL : EXIT_PASS;
}

static int run(const struct cli *c)
{
    const char *word = c->word[1], *dir = cli_value(c, "out", "report"), *model = cli_value(c, "model", "encdec");
    char err[400];
    long beam;
    if (strcmp(c->word[0], "reverse"))
        return cli_error(c, "no demo '%s'; there is: reverse", c->word[0]);
    if (!cli_long(c, "beam", 3, 1, REVERSE_LETTERS, &beam))
        return EXIT_USAGE;
    if (strcmp(model, "encdec") && strcmp(model, "seq2seq"))
        return cli_error(c, "no model '%s'; there are: encdec seq2seq", model);
    if (strlen(dir) > 3900)
        return cli_error(c, "--out: too long a path");
    if (reverse_word(word, err, sizeof err) || folder_make(dir, err, sizeof err))
        return cli_error(c, "%s", err);
    return (strcmp(model, "encdec") ? recurrent : transformer)(c, word, beam, dir);
}
static const struct flag flags[] = { { "beam", "3",
                                         "sequences that the beam search keeps, at most the vocabulary's 27" },
    { "out", "DIR", "folder of the picture and of the trained weights; default report" },
    { "model", "encdec",
        "encdec: a Transformer that is trained once, in the folder; seq2seq: a recurrent one with "
        "weights in closed form" },
    { "set", "TEXT", "other parameters of its training: \"steps=1200 seed=2\"" }, { 0 } };
const struct verb verb_demo = { "demo", "reverse WORD",
    "a small model at work: a word backwards, by greedy and by beam search", NO_ROW, 2, 2, flags, run };
