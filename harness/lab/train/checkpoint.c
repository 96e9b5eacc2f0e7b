/* Writes and reads checkpoints of a training; see train.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/files.h"
#include "lab/text/sha256.h"
#include "lab/train/train.h"

static const char magic[] = "meridian checkpoint 2";
enum { DIGEST = 65 }; /* hex and a newline */

/* Writes the text line at the head of a checkpoint.  It holds the last loss, so that a training that was finished
 * earlier can be reported like one that ran now. */
static int header(const struct trainer *t, char *text, size_t n, int64_t step, double loss)
{
    return snprintf(text, n, "%s\n%s\nstep %lld count %lld loss %a\n", magic, t->identity, (long long)step,
        (long long)t->m.count, loss);
}

int checkpoint_write(const struct trainer *t, const char *path, char *err, size_t n)
{
    char head[4000], hex[65];
    const size_t at = (size_t)header(t, head, sizeof head, t->step, t->loss),
                 bytes = (size_t)t->m.count * sizeof(float);
    char *text = need(at + 3 * bytes + DIGEST, 1), *to = text + at;
    memcpy(text, head, at);
    memcpy(to, t->params, bytes), memcpy(to + bytes, t->first, bytes), memcpy(to + 2 * bytes, t->second, bytes);
    sha256_of(text, at + 3 * bytes, hex);
    memcpy(to + 3 * bytes, hex, 64), to[3 * bytes + 64] = '\n';
    int rc = file_replace(path, text, at + 3 * bytes + DIGEST, err, n);
    free(text);
    return rc;
}

static int set_aside(const char *path, const char *why, char *err, size_t n)
{
    char other[4300];
    for (int k = 1; k < 10000; k++) {
        snprintf(other, sizeof other, "%.4200s.corrupt-%d", path, k);
        if (access(other, F_OK))
            return rename(path, other) ?
                (snprintf(err, n, "%s: %s, and it cannot be renamed: %s", path, why, strerror(errno)), -1) :
                (snprintf(err, n, "%s: %s; set aside as %s", path, why, other), 0);
    }
    return snprintf(err, n, "%s: %s, and there are 9999 like it", path, why), -1;
}

/* Where the arrays of a checkpoint's text begin, whose head is read into *s; 0: it is none. */
static size_t head_of(struct kept_training *s, const char *text, size_t size)
{
    const size_t lead = strlen(magic);
    const char *line = size > lead && !memcmp(text, magic, lead) && text[lead] == '\n' ? text + lead + 1 : NULL,
               *end = line ? memchr(line, '\n', size - (size_t)(line - text)) : NULL, *last;
    if (!end || end - line >= (long)sizeof s->identity ||
        sscanf(end + 1, "step %lld count %lld loss %la", &s->step, &s->count, &s->loss) != 3 || s->count < 1 ||
        s->count > (long long)size || !(last = memchr(end + 1, '\n', size - (size_t)(end + 1 - text))))
        return 0;
    snprintf(s->identity, sizeof s->identity, "%.*s", (int)(end - line), line);
    return (size_t)(last + 1 - text);
}

static bool is_whole(const char *text, size_t size)
{
    char hex[65];
    if (size < sizeof magic + DIGEST)
        return false;
    sha256_of(text, size - DIGEST, hex);
    return !memcmp(hex, text + size - DIGEST, 64);
}

int checkpoint_load(struct kept_training *s, const char *path, char *err, size_t n)
{
    struct stat st;
    *s = (struct kept_training){ .step = -1 };
    if (stat(path, &st))
        return snprintf(err, n, "%.300s: %s", path, strerror(errno)), -1;
    char *text = file_read(path);
    const size_t size = text ? (size_t)st.st_size : 0;
    const char *wrong = !text ? "cannot be read" : !is_whole(text, size) ? "damaged: its SHA-256 is another" : NULL;
    const size_t at = wrong ? 0 : head_of(s, text, size), bytes = (size_t)s->count * sizeof(float);
    if (!wrong && (!at || size != at + 3 * bytes + DIGEST))
        wrong = "no checkpoint of this laboratory, or one of another version of it";
    if (!wrong)
        memcpy(s->params = need((size_t)s->count, sizeof *s->params), text + at, bytes);
    free(text);
    return wrong ? (snprintf(err, n, "%.300s: %s", path, wrong), -1) : 0;
}

void kept_free(struct kept_training *s) { free(s->params), s->params = NULL; }

int checkpoint_read(struct trainer *t, const char *path, char *err, size_t n)
{
    struct stat st;
    char head[4000], *text, *line;
    long long step = -1, count = -1;
    double loss = 0;
    const size_t bytes = (size_t)t->m.count * sizeof(float);
    *err = 0;
    if (stat(path, &st))
        return errno == ENOENT ? 0 : (snprintf(err, n, "%s: %s", path, strerror(errno)), -1);
    const size_t size = (size_t)st.st_size;
    if (!(text = file_read(path)))
        return snprintf(err, n, "%s: cannot be read", path), -1;
    if (!is_whole(text, size))
        return free(text),
               set_aside(path, size < sizeof magic + DIGEST ? "too short for a checkpoint" : "its SHA-256 is another",
                   err, n);
    line = strchr(text, '\n');
    line = line ? strchr(line + 1, '\n') : NULL;
    const size_t at = line && sscanf(line + 1, "step %lld count %lld loss %la", &step, &count, &loss) == 3 ?
        (size_t)header(t, head, sizeof head, step, loss) :
        0;
    if (!at || size != at + 3 * bytes + DIGEST || memcmp(text, head, at))
        return free(text),
               snprintf(
                   err, n, "%s: a checkpoint of another training, program or processor; wanted: %s", path, t->identity),
               -1;
    memcpy(t->params, text + at, bytes), memcpy(t->first, text + at + bytes, bytes),
        memcpy(t->second, text + at + 2 * bytes, bytes);
    t->step = step, t->loss = loss;
    free(text);
    return 1;
}
