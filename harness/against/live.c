/* Starts an adapter, reads what it found, and puts a word before the parameters of each question, so that one process
 * answers for every site. */
#include "against/live.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/data.h"
#include "core/field.h"
#include "core/files.h"
#include "arith/need.h"
#include "subject/contain.h"
#include "subject/process.h"

/* Appends a word in single quotes, inside which nothing is special to sh but the quote itself. */
static void quoted(char *to, size_t n, const char *s)
{
    size_t at = strlen(to);
    at += (size_t)snprintf(to + at, n - at, " '");
    for (; *s && at + 6 < n; s++)
        at += (size_t)snprintf(to + at, n - at, *s == '\'' ? "'\\''" : "%c", *s);
    snprintf(to + at, n - at, "'");
}

/* Writes the command without the notes, as a person would paste it; false: there is no such adapter. */
static bool command(char *text, size_t n, const char *library, const char *file)
{
    char what[200], path[600];
    const char *python = getenv("MERIDIAN_PYTHON");
    snprintf(what, sizeof what, "../harness/adapters/%.60s/against.py", library);
    data_path(what, path, sizeof path);
    *text = 0;
    snprintf(text, n, "exec");
    quoted(text, n, python && *python ? python : "python3");
    quoted(text, n, path);
    quoted(text, n, file);
    return !access(path, R_OK);
}

/* The notes as JSON; NULL: the adapter wrote none. */
static json_t *notes_read(const struct live *v)
{
    char err[400];
    struct fields f = { .err = err, .n = sizeof err };
    return access(v->notes_at, R_OK) ? NULL : fields_load_python(&f, v->notes_at);
}

static const char *said(const struct live *v, const char *key)
{
    return json_string_value(json_object_get(v->notes, key));
}

/* Starts the adapter, or takes the one at the other ends of given descriptors: "fd:5,6=NOTES", whose notes are written.
 * Returns as live_open. */
static int begin(struct live *v, const char *library, const char *file, int seconds, char *err, size_t n)
{
    char start[2000], why[600] = "";
    const bool given = !strncmp(library, "fd:", 3);
    const char *name = given ? "transformers" : library, *at = given ? strchr(library, '=') : NULL;
    if (strchr(name, '/') || !command(v->command, sizeof v->command, name, file))
        return snprintf(err, n, "no adapter for '%.60s' here: harness/adapters/%.60s/against.py of the source tree",
                   name, name), -1;
    const char *tmp = getenv("TMPDIR");
    snprintf(v->folder, sizeof v->folder, "%.150s/meridian-against-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(v->folder))
        return snprintf(err, n, "cannot make the folder %s", v->folder), *v->folder = 0, -1;
    snprintf(v->notes_at, sizeof v->notes_at, "%s/notes.json", v->folder);
    if (given && at)
        snprintf(v->notes_at, sizeof v->notes_at, "%s", at + 1);
    snprintf(start, sizeof start, "%s --notes '%s' 2>'%s/said'", v->command, v->notes_at, v->folder);
    v->open = !(given ? subject_given(&v->subject, library + 3, seconds, why, sizeof why) :
                        subject_exec(&v->subject, start, NULL, seconds, why, sizeof why));
    snprintf(err, n, "%.400s", why);
    return 0;
}

int live_open(struct live *v, const char *library, const char *file, int seconds, char *err, size_t n)
{
    *v = (struct live){ .open = false };
    if (begin(v, library, file, seconds, err, n))
        return -1;
    v->notes = notes_read(v);
    if (said(v, "absent"))
        return snprintf(err, n, "%s is not installed for this Python: %.200s; MERIDIAN_PYTHON names another", library,
                   said(v, "absent")), -1;
    if (said(v, "refused"))
        return snprintf(err, n, "%.400s", said(v, "refused")), 1;
    if (!v->open || !v->notes)
        return -MER_CRASHED;
    snprintf(v->config, sizeof v->config, "%s/config.json", v->folder);
    char *text = json_dumps(json_object_get(v->notes, "config"), JSON_INDENT(1));
    const int failed = !text || file_replace(v->config, text, strlen(text), err, n);
    free(text);
    return failed ? -MER_CRASHED : 0;
}

void live_close(struct live *v)
{
    static const char *const left[] = { "notes.json", "notes.json.new", "said", "config.json" };
    char path[220];
    if (v->open)
        v->subject.close(&v->subject);
    json_decref(v->notes);
    for (int k = 0; k < 4 && *v->folder; k++)
        snprintf(path, sizeof path, "%s/%s", v->folder, left[k]), unlink(path);
    if (*v->folder)
        rmdir(v->folder);
    *v = (struct live){ .open = false };
}

static int view_run(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    const struct view *w = s->state;
    struct mer_call asked = *c;
    const size_t room = strlen(w->as) + strlen(c->params) + 8;
    char *params = need(room, 1);
    snprintf(params, room, "as=%s %s", w->as, c->params);
    asked.params = params;
    const int rc = w->live->subject.run(&w->live->subject, k, &asked, why, n);
    free(params);
    return rc;
}

static void view_close(struct subject *s) { (void)s; }

void view_open(struct view *w, struct live *v, const char *as, const struct mer_kernel *kernel)
{
    *w = (struct view){ .live = v };
    snprintf(w->as, sizeof w->as, "%s", as);
    snprintf(w->told, sizeof w->told, "%s --as", v->command);
    quoted(w->told, sizeof w->told, as);
    w->subject = (struct subject){ .run = view_run, .close = view_close, .state = w, .told = w->told, .process = true,
        .seconds = v->subject.seconds };
    snprintf(w->subject.name, sizeof w->subject.name, "%s", as);
    w->subject.own[0] = *kernel, w->subject.kernel = w->subject.own;
}
