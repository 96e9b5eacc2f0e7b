/* Small models at work: `demo reverse WORD` writes a word backwards by greedy and by beam search, judges what the kernel computed, and draws its attention. */
#include <stdio.h>
#include <stdlib.h>
#include "cli.h"
#include "files.h"
#include "plot.h"
#include "reverse.h"

static char letter(int64_t token) { return token ? (char)('a' + token - 1) : '.'; }

static void show(const char *what, const struct beam_guess *g)
{
    char text[BEAM_LENGTH + 1];
    for (int64_t k = 0; k < g->n; k++)
        text[k] = letter(g->token[k]);
    text[g->n] = 0;
    printf("%-9s%-18s log P %.9g%s\n", what, text, g->sum, g->ended ? "" : "  (not ended)");
}

/* Rows of the outputs under the tokens found, against the page: derived bound, and correctly rounded or not. */
static int judge(struct reverser *r, const struct beam_guess *g)
{
    struct arith a;
    struct tally y;
    char err[400];
    if (reverse_run(r, g->token, g->n - 1) != MER_OK || trial_profile(&r->t, r->t.profile, &a, WIDEN, err, sizeof err) <= 0)
        return -1;
    judge_outputs(&r->t, &a, 0, &y);
    printf("judged   %s: weights and log-probabilities use %.3g of their derived bound, %ld of %ld correctly rounded, %ld of %ld lines\n", tally_verdict(&y), y.ratio, y.correct, y.n, y.lines, y.lines_of);
    return tally_passes(&y) ? 0 : -1;
}

static void tics(FILE *f, char axis, const char *text)
{
    fprintf(f, "set %ctics (", axis);
    for (long k = 0; text[k]; k++)
        fprintf(f, "%s\"%c\" %ld", k ? ", " : "", text[k], k);
    fprintf(f, ")\n");
}
static int draw(struct reverser *r, const struct beam_guess *g, const char *word, const char *dir)
{
    struct plot p;
    const struct mer_array *weights = mer_out(&r->t.call, "weights"); /* [t][m] */
    char source[REVERSE_MOST + 2], said[BEAM_LENGTH + 1] = "";
    snprintf(source, sizeof source, ".%s", word);
    for (int64_t k = 0; k < g->n; k++)
        said[k] = letter(g->token[k]), said[k + 1] = 0;
    plot_open(&p, dir, "demo-reverse", "What each output letter reads", "attention weights of the greedy search; the full stop starts the source and ends the output");
    p.height = 560;
    for (long t = 0; t < weights->dim[0]; t++)
        for (long j = 0; j < weights->dim[1]; j++)
            fprintf(p.data, "%ld\t%ld\t%.9g\n", j, t, array_get(weights, t * weights->dim[1] + j));
    p.series++;
    tics(p.set, 'x', source), tics(p.set, 'y', said);
    fprintf(p.set, "unset grid\nset border 15\nset cbrange [0:1]\nset xlabel \"source\"\nset ylabel \"output\"\nset xrange [-0.5:%ld.5]\nset yrange [%ld.5:-0.5]\nset palette defined (0 \"#440154\", 0.25 \"#3b528b\", 0.5 \"#21918c\", 0.75 \"#5ec962\", 1 \"#fde725\")\n",
            (long)weights->dim[1] - 1, (long)weights->dim[0] - 1);
    fprintf(p.draw, "plot data using 1:2:3 with image\n");
    return plot_close(&p) ? (fprintf(stderr, "meridian demo: not drawn: %s\n", p.why), -1) : 0;
}

static int reverse(const struct cli *c)
{
    struct reverser r;
    struct beam_rules rules = { .vocab = REVERSE_LETTERS, .pool = 2, .beam = 1, .greedy = 1 };
    struct beam_guess greedy, found[REVERSE_LETTERS];
    const char *word = c->word[1], *dir = cli_value(c, "out", "report");
    char err[400];
    long beam;
    int64_t n = 0, one = 0;
    if (!cli_long(c, "beam", 3, 1, REVERSE_LETTERS, &beam))
        return EXIT_USAGE;
    if (strlen(dir) > 3900)
        return cli_error(c, "--out: too long a path");
    if (reverse_open(&r, word, err, sizeof err) || folder_make(dir, err, sizeof err))
        return reverse_close(&r), cli_error(c, "%s", err);
    const struct beam_model model = reverse_model(&r);
    rules.length = r.length + 1;
    int rc = beam_search(&rules, &model, &greedy, &one);
    rules.greedy = 0, rules.beam = beam, rules.now = 1;
    rc = rc == MER_OK ? beam_search(&rules, &model, found, &n) : rc;
    if (rc == MER_OK) {
        printf("source   %s\n", word);
        show("greedy", &greedy);
        for (int64_t k = 0; k < n; k++) {
            char rank[24];
            snprintf(rank, sizeof rank, "beam %lld", (long long)k + 1);
            show(rank, &found[k]);
        }
        rc = judge(&r, &greedy) ? MER_BAD : MER_OK;
        if (!draw(&r, &greedy, word, dir))
            printf("drawn    %s/demo-reverse.svg and .png\n", dir);
    }
    reverse_close(&r);
    return rc == MER_OK ? EXIT_PASS : EXIT_FAIL;
}

static int run(const struct cli *c) { return strcmp(c->word[0], "reverse") ? cli_error(c, "no demo '%s'; there is: reverse", c->word[0]) : reverse(c); }
static const struct flag flags[] = { { "beam", "3", "sequences that the beam search keeps, at most the vocabulary's 27" }, { "out", "DIR", "folder of the picture; default report" }, { 0 } };
const struct verb verb_demo = { "demo", "reverse WORD", "a small model at work: a word backwards, by greedy and by beam search", NO_ROW, 2, 2, flags, run };
