/* The clauses, in the order in which they are judged: what is worst first. */
#include "oracle.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/cli.h"
#include "core/printable.h"
#include "arith/need.h"
#include "report.h"
#include "whole.h"

enum { LINES = 3 }; /* of standard error, but for a line for each of many files that are named */
static const double REFUSING = 0.2; /* s of processor time, which a busy machine may give in a minute */
static char class[200];

static void walk(struct before *b, const char *folder, const char *inside)
{
    char path[PATH_MAX];
    path_join(path, folder, inside);
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char name[PATH_MAX];
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(name, sizeof name, "%s%s%s", inside, *inside ? "/" : "", e->d_name);
        path_join(path, folder, name);
        if (lstat(path, &st))
            continue;
        b->file = need_more(b->file, (size_t)b->n + 1, sizeof *b->file);
        b->file[b->n].name = need_copy(name);
        b->file[b->n].size = S_ISREG(st.st_mode) ? (long)st.st_size : -1;
        b->file[b->n++].changed = S_ISREG(st.st_mode)
            ? st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec + (long long)st.st_ino : 0;
        if (S_ISDIR(st.st_mode))
            walk(b, folder, name);
    }
    if (d)
        closedir(d);
}

void before_take(struct before *b, const char *folder)
{
    *b = (struct before){ 0 };
    walk(b, folder, "");
}

void before_free(struct before *b)
{
    for (int k = 0; k < b->n; k++)
        free(b->file[k].name);
    free(b->file);
}

static int find(const struct before *b, const char *name)
{
    for (int k = 0; k < b->n; k++)
        if (!strcmp(b->file[k].name, name))
            return k;
    return -1;
}

static const char *verb_of(const struct world *w) /* the verb that was asked for, or "" */
{
    for (const struct verb *const *v = verbs; w->argc > 1 && *v; v++)
        if (!strcmp((*v)->name, w->argv[1]))
            return (*v)->name;
    return "";
}

static const char *found(const struct world *w, const char *format, const char *what)
{
    snprintf(class, sizeof class, format, what);
    const size_t n = strlen(class);
    snprintf(class + n, sizeof class - n, ":%s", verb_of(w));
    return class;
}

/* Whether a file is one that the case damaged, or that one set aside ("store.db.corrupt-1"). */
static bool damaged(const struct world *w, const char *name)
{
    for (const char *s = w->damaged.s; *s; s += strcspn(s, " ")) {
        s += *s == ' ';
        const size_t n = strcspn(s, " ");
        if (n && !strncmp(name, s, n) && (!name[n] || name[n] == '.' || name[n] == '-'))
            return true;
    }
    return false;
}

/* A run that was ended by force leaves what it had not renamed yet; one whose files may not grow, a store's journal. */
static const char *fault_of(const char *path, bool ended)
{
    const char *fault = whole_fault(path);
    return ended && fault && !strncmp(fault, whole_temporary, strlen(whole_temporary)) ? NULL : fault;
}

/* What an ended run left unfinished, the next may take: a draft, and a store's journal, which takes back what was not
 * whole. */
static bool used_up(const struct world *w, const char *name)
{
    return strstr(name, ".part") || (w->again && strstr(name, ".db-journal"));
}

static const char *files(const struct world *w, const struct places *p, const struct before *b, bool ended,
    struct bytes *why)
{
    struct before after;
    const char *bad = NULL;
    before_take(&after, p->folder);
    for (int k = 0; k < b->n && !bad; k++)
        if (find(&after, b->file[k].name) < 0 && !used_up(w, b->file[k].name))
            bytes_say(why, "%s is gone", b->file[k].name), bad = found(w, "%s", "lost");
    for (int k = 0; k < after.n && !bad; k++) {
        char path[PATH_MAX];
        const int was = find(b, after.file[k].name);
        path_join(path, p->folder, after.file[k].name);
        if (damaged(w, after.file[k].name) || (was >= 0 && b->file[was].changed == after.file[k].changed &&
            b->file[was].size == after.file[k].size))
            continue;
        if (was < 0 && strstr(after.file[k].name, ".corrupt-")) /* It was whole, whoever's it is. */
            bytes_say(why, "%s: what nothing had damaged was set aside", after.file[k].name),
                bad = found(w, "%s", "taken");
        const char *fault = bad ? NULL : fault_of(path, ended);
        if (fault)
            bytes_say(why, "%s: %s", after.file[k].name, fault), bad = found(w, "half-%.20s", fault);
    }
    before_free(&after);
    struct before tmp;
    before_take(&tmp, p->tmp);
    if (!bad && tmp.n && !ended)
        bytes_say(why, "%s stays in TMPDIR", tmp.file[0].name), bad = found(w, "half-%s", "temporary");
    before_free(&tmp);
    return bad;
}

/* Whether a message holds a word, or of a long one the beginning: its bytes, or what may be shown of them. */
static bool quotes(const char *message, const char *word)
{
    char begin[21];
    const char *value = *word == '-' ? strchr(word, '=') : NULL;
    snprintf(begin, sizeof begin, "%s", value ? value + 1 : word);
    if (*begin && strstr(message, begin))
        return true;
    printable(begin);
    return *begin && strstr(message, begin);
}

/* A line of standard error that begins with `meridian`, names the verb, and quotes or names something. */
static bool reasoned(const struct world *w, const char *err)
{
    static const char *const places[] = { "--", "usage", "'", "/", "standard output", "names", "allowed" };
    char head[60];
    const char *verb = verb_of(w);
    snprintf(head, sizeof head, *verb ? "meridian %s: " : "meridian", verb);
    if (w->argc < 2)
        return !strncmp(err, head, strlen(head));
    for (const char *line = err; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        char one[2000];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
        const size_t from = !strncmp(one, head, strlen(head)) ? strlen(head) : !strncmp(one, "meridian: ", 10) ? 10 : 0;
        for (size_t k = 0; from && k < sizeof places / sizeof *places; k++)
            if (strstr(one + from, places[k]))
                return true;
        for (int k = 2; from && k < w->argc; k++)
            if (quotes(one + from, w->argv[k]))
                return true;
    }
    return false;
}

static bool dirty(const struct bytes *t)
{
    for (size_t k = 0; k < t->n; k++)
        if ((t->s[k] < ' ' && t->s[k] >= 0 && t->s[k] != '\n' && t->s[k] != '\t') || t->s[k] == 127)
            return true;
    return false;
}

/* Lines of complaint; where code that is not ours writes there too, only those that begin as ours do. */
static int count_lines(const struct bytes *t, bool ours)
{
    int n = 0;
    for (const char *line = t->s, *end = t->s + t->n; line < end; line = memchr(line, '\n', (size_t)(end - line)),
        line = line ? line + 1 : end)
        n += !ours || !strncmp(line, "meridian", 8);
    return n;
}

/* What its end says: signals, status, time and memory. */
static const char *ending(const struct world *w, const struct seen *s, struct bytes *why)
{
    char word[40];
    if (s->signal && !s->late && !s->fat && !s->killed) {
        snprintf(word, sizeof word, "SIG%s", sigabbrev_np(s->signal) ? sigabbrev_np(s->signal) : "?");
        bytes_say(why, "ended by %s", word);
        /* no verb: it is the surroundings' */
        return s->signal == SIGXFSZ ? "signal:SIGXFSZ" : found(w, "signal:%s", word);
    }
    if (s->fat)
        return bytes_say(why, "more memory than allowed"), found(w, "%s", "memory");
    if (s->idle && !w->foreign)
        return bytes_say(why, "after %.1f s nothing of it was running", s->seconds), found(w, "%s", "hang");
    if (s->late)
        return w->refuse && s->busy > REFUSING ? bytes_say(why, "not refused in %.1f s", s->seconds), found(w, "%s",
            "accepted") : NULL;
    const bool known = s->status == EXIT_PASS || s->status == EXIT_FAIL || s->status == EXIT_USAGE ||
        s->status == EXIT_NOTHING ||
                       (s->status == EXIT_CRASH && (w->foreign || s->orphaned));
    snprintf(word, sizeof word, "%d", s->status);
    if (!known && !s->killed)
        return bytes_say(why, "exit status %d", s->status), found(w, "status:%s", word);
    return NULL;
}

/* Is every line about a word of the command line, and are there no more of them than words? */
static bool one_each(const struct world *w, const char *err, int lines)
{
    char head[60];
    snprintf(head, sizeof head, "meridian %s: ", verb_of(w));
    for (const char *line = err; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        char one[2000];
        bool about = false;
        snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
        for (int k = 2; k < w->argc && !about && !strncmp(one, head, strlen(head)); k++)
            about = quotes(one + strlen(head), w->argv[k]);
        if (!about)
            return false;
    }
    return lines <= w->argc - 2;
}

static const char *sayings(const struct world *w, const struct seen *s, struct bytes *why)
{
    const int lines = count_lines(&s->err, w->foreign);
    if (lines > LINES && !one_each(w, s->err.s, lines))
        return bytes_say(why, "%d lines on standard error: '%.600s'", lines, s->err.s), found(w, "%s", "lines");
    if (!w->foreign && dirty(&s->err))
        return bytes_say(why, "a control character on standard error"), found(w, "%s", "bytes");
    if (s->late || s->killed || s->err.n >= w->limit) /* cut off by the limit of files that it had to bear */
        return NULL;
    if (s->status && !s->err.n && !s->out.n)
        return bytes_say(why, "exit %d without a word", s->status), found(w, "%s", "silent");
    if (s->status == EXIT_USAGE && !reasoned(w, s->err.s))
        return bytes_say(why, "exit 2 without a reason that names verb and place: '%.300s'", s->err.s), found(w, "%s",
            "reason");
    if (w->guilty && s->status == EXIT_PASS)
        return bytes_say(why, "exit 0 for a subject that errs"), found(w, "%s", "acquitted");
    if (w->refuse && s->status != EXIT_USAGE)
        return bytes_say(why, "exit %d, not refused", s->status), found(w, "%s", "accepted");
    return NULL;
}

const char *oracle(const struct script *c, const struct world *w, const struct seen *s, const struct places *p,
    const struct before *b, struct bytes *why)
{
    struct bytes kind = { 0 };
    const char *bad = NULL;
    const bool ended = s->late || s->fat || s->killed || s->signal;
    (void)c;
    const struct bytes *report = w->foreign ? &s->ours : &s->report;
    if (report->n && report_class(report->s, &kind)) {
        bytes_put(why, report->s, report->n < 3000 ? report->n : 3000);
        snprintf(class, sizeof class, "report:%s", kind.s);
        bad = class;
    }
    free(kind.s);
    bad = bad ? bad : ending(w, s, why);
    bad = bad ? bad : sayings(w, s, why);
    if (!bad && s->left && (!ended || s->alone))
        bytes_say(why, "%d processes outlive it", s->left), bad = found(w, "%s", "child");
    return bad ? bad : files(w, p, b, ended || w->again || w->limit != RLIM_INFINITY, why);
}

/* Units of time, and keys of JSON that hold one; memory in use is measured as well, and a store waits for the disk by
 * the clock. */
static const char *const units[] = { "ns", "us", "ms", "s", "min", "h", "x", "waits" };

static bool timed(const char *after, const char *begin, const char *number)
{
    after += *after == ' ';
    if (*after == '%' || !strncmp(after, "MiB", 3)) /* a share of the time; memory that was in use */
        return true;
    const size_t word = strspn(after, "abcdefghijklmnopqrstuvwxyz");
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strlen(units[k]) == word && !strncmp(after, units[k], word))
            return true;
    const char *quote = number - 2, *key = quote; /* "key":number */
    if (number < begin + 4 || quote[0] != '"' || quote[1] != ':')
        return false;
    while (key > begin && key[-1] != '"')
        key--;
    static const char *const words[] = { "us_", "_us", "_ns", "ns_", "seconds", "_s" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (memmem(key, (size_t)(quote - key), words[k], strlen(words[k])))
            return true;
    return false;
}

void without_times(const struct bytes *said, struct bytes *t)
{
    for (const char *s = said->s, *end = said->s + said->n; s < end;) {
        char *after = NULL;
        if ((*s >= '0' && *s <= '9') && (s == said->s || !strchr("abcdefghijklmnopqrstuvwxyz_.", s[-1])))
            strtod(s, &after);
        if (after && after <= end && timed(after, said->s, s))
            bytes_put(t, "#", 1);
        else
            bytes_put(t, s, after ? (size_t)(after - s) : 1);
        s = after ? after : s + 1;
    }
    bytes_put(t, "", 0);
}
