/* Writes commands into a text of fixed size; see replay.h. */
#include "judge/replay.h"
#include <stdio.h>
#include <string.h>
#include "base/words.h"
#include "trial/trial.h"
#include "trial/valid.h"

struct replay_text { char *to; size_t n, at; }; /* at: bytes so far, counted on behind the n bytes of room */

static void raw(struct replay_text *t, const char *s)
{
    for (; *s; s++, t->at++)
        if (t->at + 1 < t->n)
            t->to[t->at] = *s;
}

/* Between single quotes nothing is special to sh but the quote itself. */
static void quoted(struct replay_text *t, const char *s)
{
    raw(t, "'");
    for (; *s; s++)
        raw(t, *s == '\'' ? "'\\''" : (const char[]){ *s, 0 });
    raw(t, "'");
}

static void flag(struct replay_text *t, const char *name, const char *value)
{
    raw(t, " --"), raw(t, name), raw(t, " "), quoted(t, value);
}

static void number(struct replay_text *t, const char *name, unsigned long long x)
{
    char value[24];
    snprintf(value, sizeof value, "%llu", x);
    raw(t, " --"), raw(t, name), raw(t, " "), raw(t, value);
}

static struct replay_text begin(char *to, size_t n, const struct subject *s)
{
    struct replay_text t = { to, n, 0 };
    raw(&t, "meridian judge ");
    raw(&t, s->process ? "--exec " : "");
    quoted(&t, s->told ? s->told : s->name);
    return t;
}

/* Closes the text, or empties it where it was cut. */
static void end(struct replay_text *t) { t->to[t->at + 1 < t->n ? t->at : 0] = 0; }

/* Writes the sizes that the question had: those of q, without words that did not hold. */
static void write_sizes(const struct question *q, char *to, size_t n)
{
    struct trial t;
    char err[300], word[40];
    double bytes;
    size_t at = 0;
    *to = 0;
    const int bad = trial_size(&t, &(struct trial_spec){ q->kernel->row, q->params, q->out ? q->out : q->kernel->out,
        type_named(q->kernel->type), q->sizes }, &bytes, err, sizeof err);
    for (const char *s = q->sizes; *s && at < n; s = word_next(s)) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " "), s);
        if (bad || valid_sized_so(&t, word, err, sizeof err))
            at += (size_t)snprintf(to + at, n - at, "%s%s", at ? " " : "", word);
    }
    trial_close(&t);
}

void replay_kernel(char *text, size_t n, const struct question *q)
{
    struct replay_text t = begin(text, n, q->subject);
    flag(&t, "row", q->kernel->row), flag(&t, "out", q->out ? q->out : q->kernel->out),
        flag(&t, "type", q->kernel->type), flag(&t, "profile", q->kernel->profile);
    char sizes[400] = "";
    if (!q->drawn)
        flag(&t, "params", q->params);
    if (q->sizes && !q->drawn)
        write_sizes(q, sizes, sizeof sizes), flag(&t, "sizes", sizes);
    if (q->claim && q->claim->file)
        flag(&t, "declaration", q->claim->file);
    if (q->drawn)
        flag(&t, "ask", q->drawn);
    else
        number(&t, "seed", q->seed);
    number(&t, "lines", (unsigned long long)q->lines);
    end(&t);
}

void replay_case(char *text, size_t n, const struct subject *s, const char *id, const char *profile, long lines)
{
    struct replay_text t = begin(text, n, s);
    flag(&t, "case", id);
    if (profile)
        flag(&t, "profile", profile);
    number(&t, "lines", (unsigned long long)lines);
    end(&t);
}

void replay_check(char *text, size_t n, const struct question *q, const char *check, const char *profile)
{
    struct replay_text t = begin(text, n, q->subject);
    flag(&t, "checks", check), flag(&t, "row", q->kernel->row), flag(&t, "out", q->kernel->out);
    flag(&t, "type", q->kernel->type), flag(&t, "params", q->params);
    if (profile)
        flag(&t, "profile", profile);
    if (q->claim && q->claim->file)
        flag(&t, "declaration", q->claim->file);
    number(&t, "seed", q->seed);
    end(&t);
}
