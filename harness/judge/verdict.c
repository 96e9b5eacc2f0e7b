/* Prints and counts verdicts.  A report is written under a temporary name and renamed when complete, so that a run that
 * is killed leaves the old report in place. */
#include "base/progress.h"
#include "base/digest.h"
#include "judge/verdict.h"
#include "judge/baseline.h"
#include "diagnose/blind.h"
#include "judge/declaration.h"
#include "diagnose/diagnose.h"
#include "judge/ci.h"
#include "core/printable.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

const char *cost_text(const struct cost *c, char *text, size_t n)
{
    snprintf(text, n, "%ldb %.2gus/el %llu retries", c->prec, c->elements ? 1e-3 * c->ns / (double)c->elements : 0,
        (unsigned long long)c->retries);
    return text;
}

/* Opens the file that flag `name` asks for; *f is NULL where the flag is not given.  false after one line on stderr. */
static bool open_file(struct draft *d, FILE **f, const struct cli *c, const char *name)
{
    char err[400];
    const char *path = cli_value(c, name, NULL);
    if (path && draft_open(d, path, err, sizeof err))
        return fprintf(stderr, "meridian: --%s: %s\n", name, err), false;
    *f = d->file;
    return true;
}

bool sink_open(struct sink *s, const struct cli *c)
{
    *s = (struct sink){ .json = cli_has(c, "json") };
    s->lines = s->json && cli_has(c, "text");
    if (!open_file(&s->file[0], &s->junit, c, "junit"))
        return false;
    if (!open_file(&s->file[1], &s->md, c, "md"))
        return draft_drop(&s->file[0]), false;
    if (s->junit)
        fprintf(s->junit, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"meridian\">\n");
    if (s->md)
        fprintf(s->md,
            "| verdict | subject | row | quantity | parameters | bound used | ulp | correct | power | note "
            "|\n|---|---|---|---|---|---|---|---|---|---|\n");
    return true;
}

/* Writes the bits of x as a double for "f64", else as the float that it is: half formats are exact in float. */
static void bits(char *text, size_t n, double x, const char *type)
{
    uint64_t b;
    uint32_t b32;
    float y = (float)x;
    memcpy(&b, &x, sizeof b);
    memcpy(&b32, &y, sizeof b32);
    if (!strcmp(type, "f64"))
        snprintf(text, n, "0x%016llx", (unsigned long long)b);
    else
        snprintf(text, n, "0x%08x", b32);
}

/* Writes the worst element: output[line's first two indices|element], what it is, what it should be, its bound. */
static void witness(const struct finding *f, char *text, size_t n)
{
    const struct tally *y = f->tally;
    char got[24], want[24];
    bits(got, sizeof got, y->got, f->type ? f->type : "f64");
    bits(want, sizeof want, y->want, f->type ? f->type : "f64");
    snprintf(text, n, "%s[%ld,%ld|%ld]: got %a (%s, %.9g) want %a (%s) bound %.3g", y->out ? y->out : "?", y->at[0],
        y->at[1], y->k, y->got, got, y->got, y->want, want, y->bound);
}

/* The lines of a verdict; painted where `to` is a terminal. */
static void say_text(FILE *to, const struct finding *f)
{
    static const char *const paint[WORDS] = { "\033[32m", "\033[36m", "\033[33m", "\033[33m", "\033[33m", "\033[31m",
        "\033[31m" };
    const char *on = colour(to) ? paint[f->word] : "", *off = *on ? "\033[0m" : "", *least = "";
    char line[900], cost[80];
    fprintf(to, "%s%s%s %s %s.%s", on, word_name[f->word], off, f->subject, f->row, f->quantity);
    if (f->id)
        fprintf(to, strchr(f->id, ' ') ? " \"%s\"" : " %s", f->id);
    fprintf(to, " %s", *f->params ? f->params : "-");
    if (f->tally) {
        double power = power_of(&f->tally->power, &least);
        fprintf(to,
            " %s used %.3g gauge %.3g<=%.3g ulp %.3g correct %ld/%ld over %ld undecided %ld power %.2f(%s) seed "
            "%llu ref %s",
            f->method, f->tally->ratio, f->tally->gauge, f->tally->derived, f->tally->ulp, f->tally->correct,
            f->tally->n, f->tally->over, f->tally->undecided, power, least, (unsigned long long)f->seed,
            cost_text(&f->tally->cost, cost, sizeof cost));
    }
    fprintf(to, "%s%s\n", *f->reason ? ": " : "", f->reason);
    if (f->blind)
        fprintf(to, "  these inputs could not have told %ld of %ld known mistakes%s%s\n", f->blind->hidden,
            f->blind->asked, f->blind->hidden ? ": " : "", f->blind->names);
    if ((f->word == CRASHED || (f->word == FAILED && !f->tally)) && *f->replay)
        fprintf(to, "  again: %s\n", f->replay);
    if ((f->word != FAILED && f->word != KNOWN_DEVIATION) || !f->tally)
        return;
    witness(f, line, sizeof line);
    fprintf(to, "  at %s\n     exactly %s\n", line, f->tally->digits);
    if (f->word == KNOWN_DEVIATION)
        return;
    if (f->diagnosis)
        diagnosis_say(to, f->row, f->diagnosis);
    if (*f->replay)
        fprintf(to, "  again: %s\n", f->replay);
    if (*f->smallest)
        fprintf(to, "  smallest: %s\n", f->smallest);
}

static void say_command(json_t *o, const char *key, const char *command)
{
    char text[sizeof ((struct finding *)0)->replay]; /* a copy, in which bytes that JSON cannot hold are replaced */
    if (!*command)
        return;
    snprintf(text, sizeof text, "%s", command), printable(text);
    json_object_set_new(o, key, json_string(text));
}

/* Adds the lines that are printed without --json. */
static void say_lines(json_t *o, const struct finding *f)
{
    char *lines = NULL;
    size_t n;
    FILE *to = need_stream(&lines, &n);
    say_text(to, f);
    fclose(to);
    for (char *c = lines; *c; c++) /* commands may hold any bytes */
        *c = (unsigned char)*c > 126 ? '?' : *c;
    json_object_set_new(o, "text", json_string(lines));
    free(lines);
}

static void say_json(const struct sink *s, const struct finding *f)
{
    json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I}", "verdict", word_name[f->word], "subject", f->subject,
        "row", f->row, "quantity", f->quantity, "case", f->id ? f->id : f->params, "params", f->params, "method",
        f->method ? f->method : "", "seed", (json_int_t)f->seed);
    const char *least;
    char line[900];
    if (f->type)
        json_object_set_new(o, "type", json_string(f->type));
    if (f->tally) {
        const struct tally *y = f->tally;
        struct {
            const char *key;
            double x;
        } real[] = { { "used", y->ratio }, { "gauge", y->gauge }, { "ulp", y->ulp }, { "bound", y->derived },
            { "power", power_of(&y->power, &least) } };
        json_t *m = json_pack("{s:I,s:I,s:I,s:I}", "n", (json_int_t)y->n, "over", (json_int_t)y->over, "correct",
            (json_int_t)y->correct, "undecided", (json_int_t)y->undecided);
        for (size_t k = 0; k < sizeof real / sizeof *real; k++) /* JSON has no infinity and no NaN */
            json_object_set_new(m, real[k].key,
                isfinite(real[k].x) ? json_real(real[k].x) : json_string(isnan(real[k].x) ? "nan" : "inf"));
        json_object_set_new(o, "measures", m);
        json_object_set_new(o, "reference",
            json_pack("{s:I,s:f,s:I,s:I,s:I,s:I}", "bits", (json_int_t)y->cost.prec, "us_per_element",
                y->cost.elements ? 1e-3 * y->cost.ns / (double)y->cost.elements : 0, "elements",
                (json_int_t)y->cost.elements, "retries", (json_int_t)y->cost.retries, "exact_path",
                (json_int_t)y->cost.exact, "ties", (json_int_t)y->cost.ties));
        witness(f, line, sizeof line);
        if (f->word == FAILED || f->word == KNOWN_DEVIATION)
            json_object_set_new(o, "witness", json_string(line));
    }
    if (*f->reason)
        json_object_set_new(o, "reason", json_string(f->reason));
    if (f->diagnosis)
        json_object_set_new(o, "mistakes", diagnosis_json(f->diagnosis));
    if (f->diagnosis && f->diagnosis->anatomy.n) {
        json_t *facts = json_array();
        for (int k = 0; k < f->diagnosis->anatomy.n; k++)
            json_array_append_new(facts, json_string(f->diagnosis->anatomy.fact[k]));
        json_object_set_new(o, "anatomy", facts);
    }
    if (f->blind)
        json_object_set_new(o, "untold",
            json_pack("{s:I,s:I,s:s}", "asked", (json_int_t)f->blind->asked, "hidden", (json_int_t)f->blind->hidden,
                "mistakes", f->blind->names));
    say_command(o, "replay", f->replay);
    say_command(o, "smallest", f->smallest);
    if (s->lines)
        say_lines(o, f);
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}

enum { BORROWED = 6 };
/* g: f with every text that comes from outside made fit for one line, JSON and XML.  text[] holds the copies, which the
 * caller frees.  The commands stay as they are: they are quoted for a shell. */
static void make_plain(const struct finding *f, struct finding *g, char *text[BORROWED])
{
    *g = *f;
    const char **borrowed[BORROWED] = { &g->subject, &g->row, &g->quantity, &g->id, &g->type, &g->sizes };
    for (int k = 0; k < BORROWED; k++) {
        text[k] = *borrowed[k] ? need_copy(*borrowed[k]) : NULL;
        if (text[k])
            printable(text[k]), *borrowed[k] = text[k];
    }
    printable(g->params), printable(g->reason);
}

/* Writes text as part of a cell of a Markdown table, with its bars escaped. */
static void cell(FILE *f, const char *text)
{
    for (; *text; text++)
        fprintf(f, *text == '|' ? "\\|" : "%c", *text);
}

static void say_md(FILE *o, const struct finding *f)
{
    const struct tally *y = f->tally;
    const char *least = "",
               *text[] = { "| ", word_name[f->word], " | ", f->subject, " | ", f->row, " | ", f->quantity, " ",
                   f->type ? f->type : "", " | ", f->id ? f->id : "", f->id ? " " : "", f->params };
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        k % 2 ? cell(o, text[k]) : (void)fputs(text[k], o);
    if (y)
        fprintf(
            o, " | %.3g | %.3g | %ld/%ld | %.2f | ", y->ratio, y->ulp, y->correct, y->n, power_of(&y->power, &least));
    else
        fputs(" | | | | | ", o);
    cell(o, y && f->match ? f->match->effect : f->reason), fputs(" |\n", o);
}

static void say_junit(FILE *o, const struct finding *f)
{
    char at[900] = "";
    if (f->tally && f->tally->out)
        witness(f, at, sizeof at);
    junit_case(o, f, at);
}

/* Whether f is a SKIP whose reason was printed before, which is counted as unsaid; else its reason is remembered. */
static bool is_said(struct sink *s, const struct finding *f)
{
    if (!s->brief || f->word != SKIPPED || f->elsewhere)
        return false;
    const uint64_t reason = digest_text(f->reason);
    /* mutant: loop 2952: behind the last digest stands that of no text. */
    for (long k = 0; k < s->reasons; k++)
        if (s->said[k] == reason)
            return s->unsaid++, true;
    if (s->reasons < REASONS)
        s->said[s->reasons++] = reason;
    return false;
}

static void count_cause(struct sink *s, const struct finding *f)
{
    char kernel[120];
    finding_kernel(f, kernel, sizeof kernel);
    causes_count(&s->causes, kernel, f->row, f->match, f->diagnosis);
}

void sink_say(struct sink *s, const struct finding *f)
{
    struct finding met, worse, said;
    char *text[BORROWED];
    f = s->declared ? declaration_meets(s->declared, f, &met) : f;
    f = s->baseline ? baseline_meets(s->baseline, f, &worse) : f;
    make_plain(f, &said, text), f = &said;
    said.source = s->annotations ? annotate_source(s->annotations, f) : NULL;
    s->count[f->word == SKIPPED && f->elsewhere ? ELSEWHERE : f->word]++;
    if (f->word == FAILED && f->diagnosis)
        count_cause(s, f);
    if (f->tally)
        s->cost[0] += 1e-9 * f->tally->cost.ns, s->cost[1] += 1e-9 * f->tally->bounds_ns,
            s->cost[2] += 1e-9 * f->tally->judging_ns;
    progress_pause();
    if (s->json)
        say_json(s, f);
    else if (((!s->quiet && !f->elsewhere) || f->word == FAILED || f->word == CRASHED) && !is_said(s, f))
        say_text(stdout, f);
    if (s->annotations)
        annotate_say(s->json ? stderr : stdout, s->annotations, f);
    if (s->junit)
        say_junit(s->junit, f);
    if (s->md)
        say_md(s->md, f);
    for (int k = 0; k < BORROWED; k++)
        free(text[k]);
    fflush(stdout);
}

void sink_unseen(struct sink *s, const char *subject)
{
    struct declaration *d = s->declared;
    struct finding f;
    s->declared = NULL;
    for (long at = 0; d && declaration_unseen(d, &at, subject, &f);)
        sink_say(s, &f);
}

static bool keep_file(struct draft *d)
{
    char err[400];
    if (!draft_keep(d, err, sizeof err))
        return true;
    return fprintf(stderr, "meridian: %s\n", err), false;
}

int sink_close(struct sink *s, const char *named)
{
    char *what = need_copy(named);
    printable(what);
    long judged = s->count[PASS] + s->count[KNOWN_DEVIATION] + s->count[FAILED] + s->count[CRASHED],
         measured = judged + s->count[VACUOUS] + s->count[UNDECIDED_VERDICT];
    if (s->junit)
        fprintf(s->junit, "</testsuite>\n");
    double pages = s->cost[0] + s->cost[1];
    char spent[120] = "";
    if (pages > 0)
        snprintf(spent, sizeof spent, "; reference %.2g s, bounds %.2g s, judging %.2g s (%.0f %%)", s->cost[0],
            s->cost[1], s->cost[2], 100 * s->cost[2] / pages);
    bool written = keep_file(&s->file[0]);
    written = keep_file(&s->file[1]) && written;
    if (s->count[FAILED] > 1)
        causes_say(&s->causes, s->count[FAILED], s->json, stdout);
    causes_free(&s->causes);
    if (s->unsaid)
        printf("SKIP %ld more, for %s above; --verbose says each\n", s->unsaid,
            s->reasons == 1 ? "the reason" : "reasons");
    fprintf(s->json ? stderr : stdout,
        "%s: %ld pass, %ld known deviations, %ld fail, %ld crash, %ld vacuous (%.2g %%), %ld undecided, %ld skipped, "
        "%ld counted with another kernel%s\n",
        what, s->count[PASS], s->count[KNOWN_DEVIATION], s->count[FAILED], s->count[CRASHED], s->count[VACUOUS],
        measured ? 100 * (double)s->count[VACUOUS] / (double)measured : 0, s->count[UNDECIDED_VERDICT],
        s->count[SKIPPED], s->count[ELSEWHERE], spent);
    free(what);
    return !written       ? EXIT_USAGE :
        s->count[CRASHED] ? EXIT_CRASH :
        s->count[FAILED]  ? EXIT_FAIL :
        judged            ? EXIT_PASS :
                            EXIT_NOTHING;
}
