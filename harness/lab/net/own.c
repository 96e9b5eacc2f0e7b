/* Reads the texts of users' own encodings; see own.h. */
#include "lab/net/own.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/digest.h"
#include "base/words.h"
#include "core/files.h"
#include "core/kept.h"
#include "lab/net/model.h"
#include "lab/net/own_subject.h"

enum { LONG = 15, TEXT = 700 }; /* LONG: bytes of an encoding's name, as the page's tables have room for */

/* A text of its own that has the same digest until one of the files that the subject is made of changes: the library,
 * or the words of the command that are files. */
static uint64_t digest_of_files(const char *by)
{
    uint64_t d = digest_start;
    char path[4096];
    for (const char *s = strncmp(by, "exec ", 5) ? by : by + 5; *s; s = word_next(s)) {
        struct stat st;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(s, " "), s);
        if (!stat(path, &st) && S_ISREG(st.st_mode))
            d = file_digest(path, d);
    }
    return d;
}

/* The quantities that a model of this encoding asks of its row, "y dx": words into outs. */
static void asked_of(const struct encoding *e, const struct model *m, char *outs, size_t n)
{
    snprintf(outs, n, "%s",
        e->attend      ? "o dq dk dv" :
            e->place   ? "p" :
            e->turn    ? "y dx" :
            e->bias    ? "bias" :
                         "re im damplitude dfrequency dtheta");
    size_t at = strlen(outs);
    for (int k = 0; e->attend && k < m->extras; k++)
        at += (size_t)snprintf(outs + at, n - at, " d%s", m->extra[k]);
    if ((e->place || e->bias) && m->extras && e->grads)
        snprintf(outs + at, n - at, " %s", e->grads);
    if (e->place && m->place[0] >= 0)
        snprintf(outs + at, n - at, " dtable");
}

/* Does the subject offer all of that in float32? */
static int check_subject(const struct encoding *e, const struct model *m, char *err, size_t n)
{
    struct subject s;
    char outs[300], out[40], why[500];
    if (own_subject(&s, e->by, why, sizeof why))
        return snprintf(err, n, "%s: %s", e->name, why), -1;
    int rc = 0;
    asked_of(e, m, outs, sizeof outs);
    for (const char *o = outs; *o && !rc; o = word_next(o)) {
        const struct mer_kernel *k = s.kernel;
        snprintf(out, sizeof out, "%.*s", (int)strcspn(o, " "), o);
        while (k->row && !own_offers(k, encoding_row(e), out, MER_F32))
            k++;
        if (!k->row)
            rc = (snprintf(err, n, "%s: %s offers no %s.%s in f32; an encoding like %s asks for %s", e->name, e->by,
                      encoding_row(e), out, e->base, outs),
                -1);
    }
    s.close(&s);
    return rc;
}

/* Reads NAME=BASE into e; *rest: what follows. */
static int read_name(struct encoding *e, const char *text, const char **rest, char *err, size_t n)
{
    const size_t len = strcspn(text, "= "), base = text[len] ? strcspn(text + len + 1, " ") : 0;
    char name[40], of[40];
    bool plain = len > 0 && len <= LONG && text[len] == '=';
    for (size_t k = 0; k < len && plain; k++)
        plain = islower((unsigned char)text[k]) || (k && (isdigit((unsigned char)text[k]) || text[k] == '-'));
    if (!plain)
        return snprintf(err, n,
                   "'%.60s': NAME=BASE [WORDS] [by SUBJECT], with a name of at most %d small letters, digits and '-'",
                   text, LONG),
               -1;
    snprintf(name, sizeof name, "%.*s", (int)len, text);
    snprintf(of, sizeof of, "%.*s", base < 39 ? (int)base : 39, text + len + 1);
    const struct encoding *like = encoding_named(of);
    if (encoding_named(name))
        return snprintf(err, n, "%s: there is an encoding of that name", name), -1;
    if (!like || like->base)
        return snprintf(err, n, "%s: unknown base '%s'; `meridian lab list` names the encodings", name, of), -1;
    if (!encoding_row(like))
        return snprintf(err, n, "%s: '%s' has no row, so nothing could be another's", name, of), -1;
    *e = *like, e->name = kept(name), e->base = like->name;
    *rest = text + len + 1 + base;
    return 0;
}

/* Reads WORDS and "by SUBJECT" into e. */
static int read_words(struct encoding *e, const char *rest, char *err, size_t n)
{
    static const struct lab_size usual = {
        .layers = 3, .heads = 4, .channels = 64, .inner = 256, .vocab = 64, .length = 64, .reach = 1024
    };
    const char *by = rest;
    while (*by && !(!strncmp(by, " by ", 4) && by[4]))
        by++;
    char words[TEXT], text[2 * TEXT], why[400];
    snprintf(words, sizeof words, "%.*s", (int)(by - rest), rest);
    if (*by)
        e->by = kept(by + 4);
    else if (!words[strspn(words, " ")])
        return snprintf(err, n, "%s: like %s in everything: give WORDS or 'by SUBJECT'", e->name, e->base), -1;
    snprintf(text, sizeof text, "%s %s", e->params ? e->params : "", words);
    e->params = kept(text);
    encoding_text(text, sizeof text, e->params, &usual, usual.length);
    if (row_takes(row_named(encoding_row(e)), text, why, sizeof why))
        return snprintf(err, n, "%s: %s", e->name, why), -1;
    snprintf(text, sizeof text, "like %s: %s%s%s", e->base, e->params, e->by ? ", by " : "", e->by ? e->by : "");
    if (e->by)
        snprintf(text + strlen(text), sizeof text - strlen(text), " files=%016llx",
            (unsigned long long)digest_of_files(e->by));
    e->told = kept(text);
    return 0;
}

int own_encoding(const char *text, char *err, size_t n)
{
    static struct encoding own[ENCODINGS_ADDED];
    static int used;
    struct model m;
    const char *rest;
    if (used == ENCODINGS_ADDED)
        return snprintf(err, n, "'%.60s': more than %d encodings", text, ENCODINGS_ADDED), -1;
    struct encoding *e = &own[used];
    if (read_name(e, text, &rest, err, n) || read_words(e, rest, err, n) || !encoding_add(e))
        return -1;
    used++;
    if (model_open(&m, e->name,
        &(struct lab_size){ .layers = 1, .heads = 4, .channels = 64, .inner = 8, .vocab = 8, .length = 8, .reach = 16 },
        err, n))
        return -1;
    return e->by ? check_subject(e, &m, err, n) : 0;
}
