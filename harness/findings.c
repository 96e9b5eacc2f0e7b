/* `findings`: what was found in released libraries, by kind; one of them in full; judged again by its recording, or run
 * again by its own program; and, of each bug, the folder to send. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/progress.h"
#include "core/cli.h"
#include "findings/discovery.h"
#include "findings/rerun.h"
#include "findings/sent.h"

/* What is done with each line, and what came of it. */
struct findings_each {
    const struct cli *c;
    bool json, again, run;
    const char *to, *python;
    char work[40]; /* the folder in which programs are run; "": none yet */
    long seconds, of[DISCOVERY_KINDS], seen, other, absent, written, failed;
    bool met[CLI_WORDS];
};

static void as_json(json_t *o)
{
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}

static void say(const struct findings_each *e, const char *word, const struct discovery *d, const char *said)
{
    progress_pause();
    if (e->json)
        as_json(json_pack("{s:s,s:s,s:s,s:s,s:s}", "id", d->id, "library", d->library, "version", d->version, "result",
            word, "said", said));
    else
        printf("%-8s %s, %s %s%s%s\n", word, d->id, d->library, d->version, *said ? ": " : "", said);
    fflush(stdout); /* a program to be run may take a minute, and who waits sees what was done */
}

/* The recordings of the line, judged once more. */
static void again(struct findings_each *e, const struct discovery *d)
{
    struct tally y = { 0 };
    char said[400];
    const bool seen = discovery_seen(d, &y, said, sizeof said);
    *(seen ? &e->seen : &e->other) += 1;
    say(e, seen ? "SEEN" : "OTHER", d, said);
}

static void rerun(struct findings_each *e, const struct discovery *d)
{
    static const char *const word[] = { "SHOWN", "OTHER", "SKIP" };
    struct sent s;
    char said[700] = "";
    const enum rerun rc = sent_read(&s, d->id, said, sizeof said) ? RERUN_ABSENT :
        sent_rerun(&s, e->work, e->python, e->seconds, said, sizeof said);
    *(rc == RERUN_SHOWN ? &e->seen : rc == RERUN_OTHER ? &e->other : &e->absent) += 1;
    say(e, word[rc], d, said);
    sent_free(&s);
}

static void folder(struct findings_each *e, const struct discovery *d)
{
    struct sent s;
    char path[4300], said[700] = "";
    snprintf(path, sizeof path, "%.4200s/%s", e->to, d->id);
    const int rc = sent_read(&s, d->id, said, sizeof said) || sent_write(&s, path, said, sizeof said);
    *(rc ? &e->failed : &e->written) += 1;
    if (rc)
        cli_error(e->c, "%s; no more are written", said);
    else
        say(e, "WRITTEN", d, path);
    sent_free(&s);
}

static void in_full(const struct discovery *d)
{
    struct sent s;
    char err[400];
    discovery_print(d, false);
    printf("         witness   %s\n", d->witness);
    if (d->kind == BUG && !sent_read(&s, d->id, err, sizeof err))
        printf("\n%s", s.text), sent_free(&s);
}

static void listed(const struct findings_each *e, const struct discovery *d)
{
    if (e->json)
        discovery_print(d, true);
    else if (e->c->words)
        in_full(d);
    else
        printf("%-8s %-30s %-16s %-10s %s\n", discovery_word[d->kind], d->id, d->library, d->version, d->effect);
}

static int line(const struct discovery *d, void *with)
{
    struct findings_each *e = with;
    bool wanted = !e->c->words;
    for (int k = 0; k < e->c->words; k++)
        if (!strcmp(e->c->word[k], d->id))
            wanted = e->met[k] = true;
    /* of no bug there is a program */
    if (!wanted || (d->kind != BUG && !e->c->words && (e->run || e->to)))
        return 0;
    e->of[d->kind]++;
    progress_count(d->id);
    if (d->kind != BUG && (e->run || e->to))
        e->absent++, say(e, "SKIP", d, "no bug, so that there is no text to send and no program of its own");
    else if (e->again)
        again(e, d);
    else if (e->run)
        rerun(e, d);
    else if (e->to && !e->failed)
        folder(e, d);
    else if (e->to)
        e->absent++;
    else
        listed(e, d);
    return 0;
}

/* Notes which words name a line. */
static int known(const struct discovery *d, void *with)
{
    struct findings_each *e = with;
    for (int k = 0; k < e->c->words; k++)
        e->met[k] |= !strcmp(e->c->word[k], d->id);
    return 0;
}

static int closing(const struct findings_each *e)
{
    if (!e->json && (e->again || e->run))
        printf("findings: %ld %s, %ld otherwise, %ld not run\n", e->seen, e->run ? "shown by their own programs" :
            "seen again in their recordings", e->other, e->absent);
    else if (!e->json && !e->to && !e->c->words)
        printf("findings: %ld bugs; no bugs: %ld of accuracy, %ld policies, %ld documented options; `meridian findings "
               "ID` tells one in full\n", e->of[BUG], e->of[ACCURACY], e->of[POLICY], e->of[OPTION]);
    return e->failed ? EXIT_USAGE : e->other ? EXIT_FAIL : (e->again || e->run || e->to) && !(e->seen + e->written) ?
        EXIT_NOTHING : EXIT_PASS;
}

static int run(const struct cli *c)
{
    struct findings_each e = { .c = c, .json = cli_has(c, "json"), .again = cli_has(c, "again"),
        .run = cli_has(c, "run"),
        .to = cli_value(c, "to", NULL), .python = cli_value(c, "python", "python3") };
    if (!cli_long(c, "seconds", 600, 1, 86400, &e.seconds))
        return EXIT_USAGE;
    if (e.again + e.run + (e.to != NULL) > 1)
        return cli_error(c, "one of --again, --run and --to");
    if (e.to && (!*e.to || strlen(e.to) > 3900))
        return cli_error(c, "--to: a folder's path, at most 3900 bytes");
    if (discoveries_each(known, &e))
        return cli_error(c, "data/findings.tsv cannot be read, or a line of it has another form");
    for (int k = 0; k < c->words; k++)
        if (!e.met[k])
            return cli_error(c, "no finding '%.80s'; `meridian findings` names them", c->word[k]);
    if (e.run && !mkdtemp(strcpy(e.work, "/tmp/meridian-findings-XXXXXX")))
        return cli_error(c, "--run: no folder can be made in /tmp");
    if (e.run || e.again)
        progress_of("findings", "findings", 0);
    const int rc = discoveries_each(line, &e);
    if (e.run)
        rerun_drop(e.work);
    if (rc)
        return cli_error(c, "data/findings.tsv cannot be read, or a line of it has another form");
    return closing(&e);
}
static const struct flag flags[] = {
    { "again", NULL, "judges their recordings again: each must be the same to the last digit of its witness" },
    { "run", NULL, "runs the program of each bug, where its library is installed; cargo compiles those in Rust" },
    { "to", "DIR", "writes a folder for each bug: text to send, program, what it prints, versions, again.sh" },
    { "python", "python3", "the interpreter that has the libraries", .needs = "run" },
    { "seconds", "600", "for each program", .needs = "run" },
    { "json", NULL, "one object a line" },
    { 0 },
};
const struct verb verb_findings = { "findings", "[ID ...]",
    "what was found in released libraries: listed, seen again, run again, as folders to send", NO_ROW, 0, CLI_WORDS,
    flags, run };
