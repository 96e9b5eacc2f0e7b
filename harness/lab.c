/* `lab`: the laboratory's own checks: `lab gradcheck`, every block of every encoding; `lab list`, what can be
 * trained; `lab speed`, what a step costs; `lab weights FOLDER`, what a checkpoint of another program holds; `lab run
 * FOLDER`, what it answers; `lab tokens FOLDER`, how it cuts a text; `lab export CHECKPOINT`, a trained model as such a
 * folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/progress.h"
#include "core/cli.h"
#include "block/gemm.h"
#include "lab/export/folder.h"
#include "lab/net/own.h"
#include "lab/net/own_subject.h"
#include "lab/train/gradcheck.h"
#include "lab/train/speed.h"
#include "lab/run/answer.h"
#include "lab/run/given.h"
#include "lab/weights/weights.h"
#include "ball/ball.h"

/* Prints a line for each block: how many are off, or -1 after one line on standard error where nothing was compared. */
static int check_one(const char *encoding, const struct lab_size *s, uint64_t seed)
{
    struct gradcheck g[BLOCKS_MOST];
    char err[600];
    progress_count(encoding);
    int n = gradcheck(encoding, s, seed, NULL, g, err, sizeof err), bad = 0;
    progress_pause();
    if (n < 0)
        return fprintf(stderr, "meridian lab: %s\n", err), -1;
    for (int k = 0; k < n; k++) {
        const int ok = g[k].difference <= 1e-6;
        bad += !ok;
        printf("%-10s %s %-12s %6lld  |g| %-10.4g difference %-10.3g kernels %-10.3g %s\n", encoding,
            s->encoders ? "encoder-decoder" : "decoder", g[k].block, (long long)g[k].count, g[k].norm, g[k].difference,
            g[k].kernels, ok ? "PASS" : "FAIL");
    }
    return bad;
}

static int gradients(const struct cli *c)
{
    long seed;
    int bad = 0, done = 0, failed = 0;
    const char *only = cli_value(c, "encoding", NULL);
    if (!cli_long(c, "seed", 1, 0, 1 << 30, &seed))
        return EXIT_USAGE;
    if (only && !encoding_named(only))
        return cli_error(c, "unknown encoding '%s'; see lab list", only);
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        if (only && strcmp(only, e->name))
            continue;
        const int of = check_one(e->name, &gradcheck_size, (uint64_t)seed),
                  pair = !of && e->source ? check_one(e->name, &gradcheck_pair, (uint64_t)seed) : 0;
        if (of < 0 || pair < 0)
            failed++;
        else
            done++, bad += of || pair;
    }
    if (done)
        printf("%d encodings, %d with a block whose gradient is off by more than 1e-6\n", done, bad);
    if (failed)
        cli_error(c, "%d encodings without an answer: their gradients were not compared", failed);
    return bad ? EXIT_FAIL : failed ? EXIT_USAGE : EXIT_PASS;
}

static int list(void)
{
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        printf("%-12s %s%s%s  [%s]%s%s\n", e->name, e->params ? e->params : "", e->sizes ? " " : "",
            e->sizes ? e->sizes : "", e->cite,
            !e->source     ? "" :
                *e->source ? "; in an encoder " :
                             "; in an encoder too",
            e->source ? e->source : "");
    return EXIT_PASS;
}

/* Prints one line for each encoding.  The peak is the multiply-adds that this processor does in registers, measured
 * between the steps. */
static int speeds(const struct cli *c)
{
    long turns;
    int bad = 0, done = 0;
    const char *only = cli_value(c, "encoding", NULL), *task = "lm";
    char err[600];
    struct corpus corpus;
    if (!cli_long(c, "turns", 9, 1, 31, &turns))
        return EXIT_USAGE;
    if (only && !encoding_named(only))
        return cli_error(c, "unknown encoding '%s'; see lab list", only);
    const int text = corpus_open(&corpus, TEXT_CHARACTERS, err, sizeof err) == 0;
    if (!text) {
        task = "needle";
        fprintf(stderr, "meridian lab: task needle in place of lm: %s\n", err);
    }
    printf("one thread's processor time, median of %ld steps of task %s; products by %.40s\n", turns, task,
        gemm_small_by());
    printf("%-12s %10s %8s %9s  %-26s %-26s %s\n", "encoding", "parameters", "ms/step", "s/1200",
        "products ms, share of peak", "attention ms, share", "all else ms   peak GFLOP/s");
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        struct speed s;
        if (only && strcmp(only, e->name))
            continue;
        done++;
        progress_count(e->name);
        const int failed = speed_of(&s, e->name, task, cli_value(c, "set", ""), text ? &corpus : NULL, (int)turns, err,
            sizeof err);
        progress_pause();
        if (failed) {
            bad++, printf("%-12s %s\n", e->name, err);
            continue;
        }
        printf("%-12s %10lld %8.2f %9.1f  %7.2f %5.1f %%            %7.2f %5.1f %% %-10s %7.2f      %7.1f\n", e->name,
            (long long)s.count, 1e3 * s.step, 1200 * s.step, 1e3 * s.products.seconds,
            100 * speed_share(&s.products, &s.peak), 1e3 * s.attend.seconds, 100 * speed_share(&s.attend, &s.peak),
            s.slot, 1e3 * (s.step - s.products.seconds - s.attend.seconds), 1e-9 * s.peak.flop / s.peak.seconds);
        fflush(stdout);
    }
    if (text)
        corpus_close(&corpus);
    return bad ? EXIT_FAIL : done ? EXIT_PASS : EXIT_NOTHING;
}

/* Prints a line for each tensor: type, shape, least and greatest number. */
static int say_weights(const struct checkpoint_files *w, char *err, size_t n)
{
    struct extremes x;
    double numbers = 0;
    size_t tensors = 0;
    for (const struct shard_file *f = w->file; f < w->file + w->files; f++)
        for (const struct tensor *t = f->of; t < f->of + f->n; t++, tensors++) {
            if (weights_extremes(f, t, &x, err, n))
                return -1;
            printf("%-60s %-4s [", t->name, type_name[t->a.type]);
            for (int k = 0; k < t->a.rank; k++)
                printf("%s%lld", k ? "," : "", (long long)t->a.dim[k]);
            printf("] %.6g to %.6g\n", x.least, x.most);
            numbers += (double)array_len(&t->a);
        }
    printf("%zu tensors, %.0f numbers, %d files\n", tensors, numbers, w->files);
    return 0;
}
static int weights(const struct cli *c)
{
    static struct checkpoint_files w; /* large */
    char err[900];
    int rc = EXIT_PASS;
    if (c->words != 2)
        return cli_error(c, "weights: give the folder of a checkpoint");
    if (weights_open(&w, c->word[1], err, sizeof err) || say_weights(&w, err, sizeof err))
        rc = cli_error(c, "%s", err);
    weights_close(&w);
    return rc;
}

/* Prints the numbers of a text's tokens, on one line. */
static int tokens(const struct cli *c)
{
    struct given_tokens g;
    char err[900];
    if (c->words != 2 || !cli_has(c, "text"))
        return cli_error(c, "tokens: give the folder of a tokenizer.json, and --text");
    int rc = given_read(&g, c, c->word[1], err, sizeof err) ? cli_error(c, "%s", err) : EXIT_PASS;
    for (long k = 0; k < g.n && !rc; k++)
        printf("%s%lld", k ? " " : "", (long long)g.token[k]);
    if (!rc)
        putchar('\n');
    free(g.token);
    return rc;
}

static int verb(const struct cli *c)
{
    if (!strcmp(c->word[0], "weights"))
        return weights(c);
    if (!strcmp(c->word[0], "tokens"))
        return tokens(c);
    if (!strcmp(c->word[0], "run"))
        return answer_run(c);
    if (!strcmp(c->word[0], "export"))
        return folder_export(c);
    if (c->words > 1)
        return cli_error(c, "one argument too many: '%s'", c->word[1]);
    return !strcmp(c->word[0], "speed") ?
        speeds(c) :
        !strcmp(c->word[0], "gradcheck") ?
        gradients(c) :
        !strcmp(c->word[0], "list") ?
        list() :
        cli_error(c, "unknown '%s'; there are: export gradcheck list run speed tokens weights", c->word[0]);
}
static int run(const struct cli *c)
{
    char err[900];
    const char *text;
    for (int k = 0; (text = cli_each(c, "own", &k));)
        if (own_encoding(text, err, sizeof err))
            return cli_error(c, "--own: %s", err);
    progress_of("lab", strcmp(c->word[0], "run") && strcmp(c->word[0], "export") ? "encodings" : "layers", 0);
    const int rc = verb(c);
    own_close();
    return rc;
}
static const struct flag flags[] = { { "encoding", "NAME", "only this one", "gradcheck speed" },
    { "own", "TEXT", "an encoding of your own, \"NAME=BASE [WORDS] [by SUBJECT]\"", .many = true },
    { "seed", "1", "of parameters, tokens, directions; of run, numbers of a task", "gradcheck run" },
    { "turns", "9", "steps of each encoding", "speed" },
    { "set", "TEXT", "other parameters of the training whose speed it is", "speed" },
    { "tokens", "LIST", "numbers of tokens, \"1 2 3\", or a file of them", "run" },
    { "text", "FILE", "a text, or - for standard input, that the folder's tokenizer.json cuts into tokens",
        "run tokens" },
    { "no-special", NULL, "without the tokens that the tokenizer puts before and behind a text", "run tokens",
        .needs = "text" },
    { "task", "NAME", "needle: a sentence with a number is asked for, in --text", "run", .needs = "text" },
    { "needle", "TEXT", "the sentence, with {} for the number", "run", .needs = "task" },
    { "question", "TEXT", "what stands at the end, with {} for the answer", "run", .needs = "task" },
    { "depths", "5", "how many places of the sentence, from the begin of the text to its end", "run", .needs = "task" },
    { "trials", "10", "parts of the text for each length and depth", "run", .needs = "task" },
    { "out", "PATH", "the logits as .npy or .safetensors; of export, the folder that is made", "run export" },
    { "as", "CLASS", "this class instead of the nearest; plain: own names, tables and a load.py", "export" },
    { "length", "N", "positions that are written, all that the model may be asked for; of run, tokens of a window, "
        "or of a task, 1024,4096",
        "run export" },
    { "stride", "S", "each window so much further than the last; N/2 by itself", "run", .needs = "length" },
    { "changes", "TEXT", "other evaluations of the same text, \"NAME: rope base=5e5; NAME: KEY=JSON ..\", or a file",
        "run", .needs = "length" },
    { "other-program", NULL, "a checkpoint of another build too", "export" },
    { "json", NULL, "one object a line, for each position and the sum", "run" },
    { "against", "FILE", "logits of another program, judged by bounds: .npy [tokens,vocabulary]", "run" },
    { "hidden", "FILE", "its stages, .npy [layers+1,tokens,width]: each block is judged by itself", "run",
        .needs = "against" },
    { "judge", NULL, "judge what own kernels give, block by block", "run" },
    { "profile", "f32", "the arithmetic that bounds allow, words of one row behind ROW.", "run" },
    { "config", "KEY=JSON", "another value in config.json: rope_scaling={..}", "run", .many = true },
    { "words", "TEXT", "parameters that win: \"rope layout=interleaved; attention temperature=logn\"", "run" }, { 0 } };
const struct verb verb_lab = { "lab",
    "export CHECKPOINT | gradcheck | list | run FOLDER | speed | tokens FOLDER | weights FOLDER",
    "models of the laboratory: their gradients against differences, block by block; what can be trained; what a step "
    "costs; the tensors of a checkpoint folder, its tokens of a text, and its answers to them; a trained model as such "
    "a folder",
    NO_ROW, 1, 2, flags, run };
