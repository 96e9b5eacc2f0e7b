/* Subjects: own kernels, a shared library, a process.  (A folder of arrays: pack.c.)  All answer struct mer_call. */
#include <dlfcn.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "contain.h"
#include "kernels.h"
#include "trial.h"

static int run_here(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n) { (void)s; return contain_ask(k, c, &usual_limits, why, n); }
static void close_library(struct subject *s) { dlclose(s->state); }
static void close_list(struct subject *s) { free(s->state); }

static int open_own(struct subject *s, const char *slot, char *err, size_t n)
{
    size_t used = 0;
    struct mer_kernel *list = need(256, sizeof *list);
    for (const struct slot *o = slots; o->name; o++)
        if (!strcmp(o->name, slot) && o->here())
            for (const struct mer_kernel *k = o->kernel; k->row; k++)
                list[used++] = *k;
    s->kernel = s->state = list;
    s->run = run_here;
    s->close = close_list;
    if (used)
        return 0;
    free(list), s->kernel = NULL, s->state = NULL;
    return snprintf(err, n, "slot '%s' is not on this machine", slot), -1;
}

static int open_library(struct subject *s, const char *path, char *err, size_t n)
{
    s->state = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!s->state)
        return snprintf(err, n, "%s", dlerror()), -1;
    const struct mer_plugin *(*entry)(void);
    *(void **)&entry = dlsym(s->state, "meridian_plugin"); /* POSIX: object to function pointer */
    const struct mer_plugin *p = entry ? entry() : NULL;
    if (!p || p->abi != MER_ABI)
        return dlclose(s->state), snprintf(err, n, "%s: %s", path, p ? "another ABI version" : "no symbol meridian_plugin"), -1;
    s->kernel = p->kernel;
    s->run = run_here;
    s->close = close_library;
    return 0;
}

int subject_open(struct subject *s, const char *what, char *err, size_t n)
{
    struct stat st;
    *s = (struct subject){ 0 };
    snprintf(s->name, sizeof s->name, "%s", what);
    if (!strncmp(what, "own", 3))
        return open_own(s, what[3] == ':' ? what + 4 : "scalar", err, n);
    if (stat(what, &st))
        return snprintf(err, n, "%s: no such file", what), -1;
    return S_ISDIR(st.st_mode) ? subject_pack(s, what, err, n) : open_library(s, what, err, n);
}

struct child { pid_t pid; FILE *to, *from; };

static json_t *arrays_json(const struct mer_array *a, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        json_t *shape = json_array();
        for (int k = 0; k < a[i].rank; k++)
            json_array_append_new(shape, json_integer(a[i].dim[k]));
        json_array_append_new(list, json_pack("{s:s,s:s,s:o}", "name", a[i].name, "type", type_name[a[i].type], "shape", shape));
    }
    return list;
}

static int run_child(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    snprintf(why, n, "the process gave no answer in the protocol");
    struct child *p = s->state;
    (void)k;
    json_t *ask = json_pack("{s:s,s:s,s:o,s:o}", "row", c->row, "params", c->params, "in", arrays_json(c->in, c->n_in), "out", arrays_json(c->out, c->n_out));
    json_dumpf(ask, p->to, JSON_COMPACT);
    json_decref(ask);
    fputc('\n', p->to);
    for (int i = 0; i < c->n_in; i++)
        fwrite(c->in[i].data, type_size(c->in[i].type), (size_t)array_len(&c->in[i]), p->to);
    fflush(p->to);
    char line[512];
    int status = MER_BAD;
    if (!fgets(line, sizeof line, p->from) || sscanf(line, "{\"status\":%d", &status) != 1)
        return MER_CRASHED;
    for (int i = 0; i < c->n_out && status == MER_OK; i++)
        if (fread(c->out[i].data, type_size(c->out[i].type), (size_t)array_len(&c->out[i]), p->from) != (size_t)array_len(&c->out[i]))
            return MER_CRASHED;
    return status;
}

static void close_child(struct subject *s)
{
    struct child *p = s->state;
    fclose(p->to);
    fclose(p->from);
    waitpid(p->pid, NULL, 0);
    free(p);
}

int subject_exec(struct subject *s, const char *command, const struct mer_kernel *declared)
{
    int to[2], from[2];
    *s = (struct subject){ .run = run_child, .close = close_child };
    snprintf(s->name, sizeof s->name, "%s", command);
    s->own[0] = *declared;
    s->kernel = s->own;
    struct child *p = need(1, sizeof *p);
    s->state = p;
    if (pipe(to) || pipe(from))
        return -1;
    p->pid = fork();
    if (!p->pid) {
        dup2(to[0], 0), dup2(from[1], 1);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    p->to = fdopen(to[1], "wb");
    p->from = fdopen(from[0], "rb");
    return 0;
}
