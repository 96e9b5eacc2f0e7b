/* Runs checkpoints of other programs; see answer.h. */
#include "lab/run/answer.h"
#include <stdlib.h>
#include <string.h>
#include "core/arrayfile.h"
#include "lab/weights/judged.h"
#include "lab/run/needle.h"
#include "lab/run/opened.h"
#include "lab/run/windows.h"

enum { ERROR = 900 };
/* A run: the model, its tokens, and all stages by own kernels, owned. */
struct answer_run {
    const struct cli *c;
    struct foreign m;
    struct given_tokens given;
    struct changed changed;
    long n;
    struct record own;
    char *err;
};

/* All stages by own kernels. */
static int kernels(struct answer_run *r)
{
    struct engine e;
    struct keeping k;
    r->own.n = r->n;
    keeping_open(&k, &r->own, &r->m);
    engine_kernels(&e);
    strcpy(e.words, r->changed.words);
    int rc = walk(&e, (struct prompt){ &r->m, r->given.token, r->n }, &k.stages, r->err, ERROR);
    if (!rc && r->n > 1 && walk_ahead(&e, &r->m, r->n))
        cli_error(r->c, "a token sees what stands behind it, so each loss is of a model that is shown the answer");
    e.close(&e);
    return rc;
}

/* Prints a line a position: the token there, what it cost where it was predicted, what is expected behind it. */
static void say(const struct answer_run *r, bool json)
{
    const long v = r->m.size['v'];
    double sum = 0;
    if (!json)
        printf("%8s %8s %12s %8s %12s\n", "position", "token", "loss/nats", "next", "logit");
    for (long i = 0; i < r->n; i++) {
        const float *line = r->own.logits + i * v;
        long best = 0;
        for (long j = 1; j < v; j++)
            best = line[j] > line[best] ? j : best;
        const double cost = i ? opened_loss(line - v, v, r->given.token[i]) : 0;
        sum += cost;
        char text[40] = "null";
        if (i)
            snprintf(text, sizeof text, json ? "%.9g" : "%.6f", cost);
        printf(json ? "{\"position\":%ld,\"token\":%lld,\"loss\":%s,\"next\":%ld,\"logit\":%.9g}\n" :
                      "%8ld %8lld %12s %8ld %12.6g\n",
            i, (long long)r->given.token[i], i || json ? text : "-", best, (double)line[best]);
    }
    const double mean = r->n > 1 ? sum / (double)(r->n - 1) : 0;
    if (r->n > 1)
        printf(json ? "{\"predicted\":%ld,\"mean_loss\":%.9g}\n" : "%ld tokens predicted, mean loss %.6f nats\n",
            r->n - 1, mean);
}

/* Reads a recorded array of that many axes, or with one more of extent 1 in front; a->rank becomes theirs. */
static int recorded(const struct answer_run *r, const char *flag, const int64_t *dim, int rank, struct mer_array *a)
{
    const char *path = cli_value(r->c, flag, ""), *slash = strrchr(path, '/');
    char folder[300], shape[100] = "";
    const int len = slash ? (int)(slash - path) + (slash == path) : 1;
    snprintf(folder, sizeof folder, "%.*s", len, slash ? path : ".");
    if (len >= (int)sizeof folder)
        return snprintf(r->err, ERROR, "--%s: too long a path", flag), -1;
    if (array_file(folder, slash ? slash + 1 : path, true, a, r->err, ERROR))
        return -1;
    const int more = a->rank == rank + 1 && a->dim[0] == 1;
    bool fits = a->rank == rank + more && a->type == MER_F32;
    for (int k = 0; k < rank; k++) {
        fits = fits && a->dim[k + more] == dim[k];
        snprintf(shape + strlen(shape), 30, "%s%lld", k ? "," : "", (long long)dim[k]);
    }
    return fits ? 0 : (snprintf(r->err, ERROR, "--%s %.300s: must be float32 [%s]", flag, path, shape), -1);
}

/* Judges by pages what was recorded, or what own kernels gave; an exit status, or -1 and one line. */
static int judge(struct answer_run *r, const struct record *of)
{
    struct engine e;
    struct stage_judge j = { .of = of, .m = &r->m, .json = cli_has(r->c, "json") };
    int rc = engine_pages(&e, cli_value(r->c, "profile", "f32"), r->err, ERROR);
    strcpy(e.words, r->changed.words);
    judged_open(&j);
    rc = rc ? rc : walk(&e, (struct prompt){ &r->m, r->given.token, r->n }, &j.stages, r->err, ERROR);
    e.close(&e);
    return rc ? rc : strcmp(judged_verdict(&j), "PASS") ? EXIT_FAIL : EXIT_PASS;
}

static int against(struct answer_run *r)
{
    const int64_t v = r->m.size['v'], c = r->m.size['c'];
    struct mer_array logits = { .data = NULL }, hidden = { .data = NULL };
    int rc = recorded(r, "against", (const int64_t[]){ r->n, v }, 2, &logits);
    if (!rc && cli_has(r->c, "hidden"))
        rc = recorded(r, "hidden", (const int64_t[]){ r->m.layers + 1, r->n, c }, 3, &hidden);
    rc = rc ? rc : judge(r, &(struct record){ .hidden = hidden.data, .logits = logits.data, .n = r->n });
    free(logits.data), free(hidden.data);
    return rc;
}

static int run(struct answer_run *r)
{
    const char *out = cli_value(r->c, "out", NULL);
    struct record *own = &r->own;
    int rc = given_read(&r->given, r->c, r->c->word[1], r->err, ERROR);
    r->n = r->given.n;
    if (!rc && !r->n)
        rc = (snprintf(r->err, ERROR, "--text: no tokens"), -1);
    rc = rc ? rc : changed_read(&r->changed, r->c, r->err, ERROR);
    rc = rc ? rc : opened_read(&r->m, r->c->word[1], &r->changed, &r->given, r->n, r->err, ERROR);
    rc = rc ? rc : kernels(r);
    struct mer_array logits = { .type = MER_F32, .rank = 2, .dim = { r->n, r->m.size['v'] }, .data = own->logits };
    if (!rc && out)
        rc = array_replace(out, &logits, r->err, ERROR);
    if (!rc)
        say(r, cli_has(r->c, "json")), fflush(stdout);
    if (!rc && cli_has(r->c, "judge"))
        rc = judge(r, own);
    else if (!rc && cli_has(r->c, "against"))
        rc = against(r);
    return rc;
}

int answer_run(const struct cli *c)
{
    char err[ERROR] = "";
    struct answer_run r = { .c = c, .err = err };
    if (c->words == 2 && cli_has(c, "task"))
        return strcmp(cli_value(c, "task", ""), "needle") ?
            cli_error(c, "--task: unknown '%s'; there is: needle", cli_value(c, "task", "")) :
            needle_run(c);
    if (c->words != 2 || cli_has(c, "tokens") == cli_has(c, "text"))
        return cli_error(c, "run: give the folder of a checkpoint, and --tokens or --text, one of the two");
    if (cli_has(c, "judge") && cli_has(c, "against"))
        return cli_error(c, "--judge and --against: one of the two");
    if (cli_has(c, "length"))
        return windows_run(c);
    int rc = run(&r);
    if (rc < 0)
        rc = cli_error(c, "%s", err);
    foreign_close(&r.m), free(r.given.token), free(r.own.hidden), free(r.own.logits);
    return rc;
}
