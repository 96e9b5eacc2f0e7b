/* Writes trained models as checkpoint folders; see folder.h. */
#include "lab/export/folder.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/leftover.h"
#include "core/arrayfile.h"
#include "core/data.h"
#include "core/files.h"
#include "core/gen.h"
#include "lab/export/nearest.h"
#include "lab/export/tables.h"

enum { ASKED = 7201, PATH = 1200 };
/* A folder that is being written: its own name, and the name that it has until then, beside it. */
struct folder { const char *path; char part[PATH + 40]; };

static int begin(struct folder *f, const char *path, char *err, size_t n)
{
    struct stat st;
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    f->path = path;
    if (!*path || len > PATH)
        return snprintf(err, n, "--out: a name of 1 to %d bytes", PATH), -1;
    if (!lstat(path, &st))
        return snprintf(err, n, "--out %.300s: there is something of that name; give a new one", path), -1;
    snprintf(f->part, sizeof f->part, "%.*s.part-%d", (int)len, path, (int)getpid());
    if (mkdir(f->part, 0777))
        return snprintf(err, n, "--out %.300s: %s", path, strerror(errno)), -1;
    leftover_add(f->part);
    return 0;
}
/* The path of one of its files, which is removed with the folder if that is not finished. */
static const char *inside(const struct folder *f, const char *name, char *path, size_t n)
{
    snprintf(path, n, "%s/%s", f->part, name);
    leftover_add(path);
    return path;
}
static int put_text(const struct folder *f, const char *name, const char *text, char *err, size_t n)
{
    char path[PATH + 100];
    return file_replace(inside(f, name, path, sizeof path), text, strlen(text), err, n);
}
static int put_json(const struct folder *f, const json_t *root, char *err, size_t n)
{
    /* numbers as short as they were written, where that loses nothing */
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    json_t *again = json_loads(text, 0, NULL);
    if (!json_equal((json_t *)root, again))
        free(text), text = json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS);
    json_decref(again);
    text = need_more(text, strlen(text) + 2, 1), strcat(text, "\n");
    const int rc = put_text(f, "config.json", text, err, n);
    free(text);
    return rc;
}
static int put_arrays(const struct folder *f, const struct released *list, char *err, size_t n)
{
    char path[PATH + 100];
    return tensors_replace(inside(f, "model.safetensors", path, sizeof path), list->of, list->n, err, n);
}
static int put_array(const struct folder *f, const char *name, struct mer_array a, char *err, size_t n)
{
    char path[PATH + 100];
    return array_replace(inside(f, name, path, sizeof path), &a, err, n);
}

/* What the laboratory answers to drawn tokens of its trained length. */
static int put_answers(const struct folder *f, const struct trained *t, char *err, size_t n)
{
    const struct lab_size *s = &t->m.size;
    const int64_t len = s->length < t->positions ? s->length : t->positions, c = s->channels, line = len * c;
    int64_t *token = need((size_t)len, sizeof *token);
    char *text = need((size_t)len + 1, 24), *to = text;
    float *hidden = need((size_t)((s->layers + 1) * line) + 32, sizeof *hidden);
    struct pass p;
    for (int64_t i = 0; i < len; i++) {
        token[i] = (int64_t)(gen_bits(1, ASKED, (uint64_t)i) % (uint64_t)s->vocab);
        to += sprintf(to, "%lld%s", (long long)token[i], i + 1 < len ? " " : "\n");
    }
    const struct pass_form form = { .maths = &maths_f32, .rows = 1, .length = len, .backward = 1 }; /* keeps stages */
    int rc = pass_open(&p, &t->m, form, err, n);
    if (!rc && pass_forward(&p, t->stored.params, token) != MER_OK)
        rc = (snprintf(err, n, "encoding %s: its row has no answer", t->m.enc->name), -1);
    for (int64_t l = 0; !rc && l <= s->layers; l++)
        memcpy(hidden + l * line, l < s->layers ? p.layer[l].x : p.hidden, (size_t)line * sizeof(float));
    rc = rc ? rc : put_text(f, "tokens.txt", text, err, n);
    rc = rc ? rc :
              put_array(f, "logits.safetensors",
                  (struct mer_array){ .type = MER_F32, .rank = 2, .dim = { len, s->vocab }, .data = p.logits }, err, n);
    rc = rc ? rc :
              put_array(f, "hidden.safetensors",
                  (struct mer_array){ .type = MER_F32, .rank = 3, .dim = { s->layers + 1, len, c }, .data = hidden },
                  err, n);
    pass_close(&p);
    free(token), free(text), free(hidden);
    return rc;
}

/* What the file says of where its weights come from, a new reference. */
static json_t *provenance(const struct trained *t)
{
    const char *s = t->stored.identity, *end = strstr(s, " program=");
    char source[1000];
    snprintf(source, sizeof source, "meridian extrapolate: %.*s, step %lld", end ? (int)(end - s) : 0, s,
        t->stored.step);
    return json_pack("{s:s,s:s}", "kind", "trained weights", "source", source);
}

static int put_class(const struct folder *f, const struct trained *t, const struct nearest *to, char *err, size_t n)
{
    json_object_set_new(to->config, "provenance", provenance(t));
    return put_json(f, to->config, err, n) || put_arrays(f, &to->list, err, n) ? -1 : 0;
}

static int put_plain(const struct folder *f, const struct trained *t, struct released *list, char *err, size_t n)
{
    const struct lab_size *s = &t->m.size;
    char path[700];
    double scale;
    if (tables_of(t, list, &scale, err, n))
        return -1;
    char *loader = file_read(data_path("weights/load.py", path, sizeof path));
    json_t *config = json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:o}", "model_type", "meridian", "encoding",
        t->m.enc->name, "layers", (json_int_t)s->layers, "heads", (json_int_t)s->heads, "vocab", (json_int_t)s->vocab,
        "positions", (json_int_t)t->positions, "eps", trained_eps(), "scale", scale, "embed_scale",
        sqrt((double)s->channels), "provenance", provenance(t));
    int rc = loader ? 0 : (snprintf(err, n, "%.300s cannot be read", path), -1);
    rc = rc || put_json(f, config, err, n) || put_arrays(f, list, err, n) || put_text(f, "load.py", loader, err, n) ?
        -1 :
        0;
    json_decref(config), free(loader);
    return rc;
}

/* Writes everything; *found says as what. */
static int write_all(const struct folder *f, const struct trained *t, const char *as, struct nearest *found,
    struct released *plain, char *err, size_t n)
{
    const bool is_plain = as && !strcmp(as, "plain");
    int rc = is_plain ? 0 : nearest_find(found, t, as, err, n);
    if (rc < 0 || (!rc && as && !is_plain))
        return -1;
    rc = rc ? put_class(f, t, found, err, n) : put_plain(f, t, plain, err, n);
    return rc ? rc : put_answers(f, t, err, n);
}

static void say(const struct folder *f, const struct trained *t, const struct nearest *found,
    const struct released *plain)
{
    const struct released *list = found->config ? &found->list : plain;
    double numbers = 0;
    for (size_t k = 0; k < list->n; k++)
        numbers += (double)array_len(&list->of[k]);
    printf("%s: %s of %s after %lld steps, %zu tensors, %.0f numbers\n", f->path,
        found->config ? found->type : "names and tables of its own", t->m.enc->name, t->stored.step, list->n, numbers);
    if (found->config)
        printf("meridian lab run %s --tokens %s/tokens.txt --against %s/logits.safetensors --hidden "
               "%s/hidden.safetensors\n", f->path, f->path, f->path, f->path);
    else
        printf("python3 %s/load.py\n", f->path);
}

int folder_export(const struct cli *c)
{
    static struct trained t;              /* large */
    struct nearest found = { .config = NULL };
    struct released plain = { .of = NULL };
    struct folder f = { .path = NULL };
    char err[900] = "";
    long positions;
    const char *out = cli_value(c, "out", NULL);
    if (c->words != 2 || !out)
        return cli_error(c, "export: give the checkpoint of a training, and --out, a folder that is not there yet");
    if (!cli_long(c, "length", 0, 1, 1 << 20, &positions))
        return EXIT_USAGE;
    int rc = trained_open(&t, c->word[1], positions, cli_has(c, "other-program"), err, sizeof err);
    const bool begun = !rc && !(rc = begin(&f, out, err, sizeof err));
    rc = rc ? rc : write_all(&f, &t, cli_value(c, "as", NULL), &found, &plain, err, sizeof err);
    if (!rc && rename(f.part, out))
        rc = (snprintf(err, sizeof err, "--out %.300s: %s", out, strerror(errno)), -1);
    if (begun)
        leftover_settle(f.part, !rc);
    if (rc)
        cli_error(c, "%s", err);
    else
        say(&f, &t, &found, &plain);
    nearest_close(&found), released_free(&plain), trained_close(&t);
    return rc ? EXIT_USAGE : EXIT_PASS;
}
