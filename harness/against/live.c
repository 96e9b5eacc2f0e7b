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
#include "ball/need.h"
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
    char path[96], err[400];
    struct fields f = { .err = err, .n = sizeof err };
    snprintf(path, sizeof path, "%s/notes.json", v->folder);
    return access(path, R_OK) ? NULL : fields_load(&f, path);
}

static const char *said(const struct live *v, const char *key) { return json_string_value(json_object_get(v->notes, key)); }

int live_open(struct live *v, const char *library, const char *file, int seconds, char *err, size_t n)
{
    char start[2000], why[600] = "";
    *v = (struct live){ .folder = "/tmp/meridian-against-XXXXXX" };
    if (strchr(library, '/') || !command(v->command, sizeof v->command, library, file))
        return snprintf(err, n, "no adapter for '%.60s' here: harness/adapters/%.60s/against.py of the source tree",
                   library, library), *v->folder = 0, -1;
    if (!mkdtemp(v->folder))
        return snprintf(err, n, "cannot make a folder in /tmp"), *v->folder = 0, -1;
    snprintf(start, sizeof start, "%s", v->command);
    snprintf(start + strlen(start), sizeof start - strlen(start), " --notes '%s/notes.json' 2>'%s/said'", v->folder,
        v->folder);
    v->open = !subject_exec(&v->subject, start, NULL, seconds, why, sizeof why);
    v->notes = notes_read(v);
    if (said(v, "absent"))
        return snprintf(err, n, "%s is not installed for this Python: %.200s; MERIDIAN_PYTHON names another", library,
                   said(v, "absent")), -1;
    if (said(v, "refused") || !v->open || !v->notes)
        return snprintf(err, n, "%.400s", said(v, "refused") ? said(v, "refused") : why), 1;
    snprintf(v->config, sizeof v->config, "%s/config.json", v->folder);
    char *text = json_dumps(json_object_get(v->notes, "config"), JSON_INDENT(1));
    const int failed = !text || file_replace(v->config, text, strlen(text), err, n);
    free(text);
    return failed ? 1 : 0;
}

void live_close(struct live *v)
{
    static const char *const left[] = { "notes.json", "notes.json.new", "said", "config.json" };
    char path[128];
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
