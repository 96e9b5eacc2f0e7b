/* Writes and reads the lines of the process transport.  What is read may hold any bytes and is checked. */
#include "subject/protocol.h"
#include <jansson.h>
#include <stdio.h>
#include "ball/ball.h"
#include "core/printable.h"
#include "subject/contain.h"

static json_t *arrays_json(const struct mer_array *a, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        json_t *shape = json_array(), *strides = json_array();
        json_int_t step = (json_int_t)type_size(a[i].type);
        for (int k = 0; k < a[i].rank; k++)
            json_array_append_new(shape, json_integer(a[i].dim[k]));
        for (int k = a[i].rank - 1; k >= 0; step *= a[i].dim[k--])
            json_array_insert_new(strides, 0, json_integer(step));
        json_array_append_new(list,
            json_pack("{s:s,s:s,s:o,s:o}", "name", a[i].name, "type", type_name[a[i].type], "shape", shape, "strides",
                strides));
    }
    return list;
}

char *protocol_ask(const struct mer_call *c)
{
    json_t *ask = json_pack("{s:i,s:s,s:s,s:o,s:o}", "meridian", MER_ABI, "row", c->row, "params", c->params, "in",
        arrays_json(c->in, c->n_in), "out", arrays_json(c->out, c->n_out));
    size_t n = json_dumpb(ask, NULL, 0, JSON_COMPACT | JSON_PRESERVE_ORDER);
    char *line = need(n + 2, 1);
    json_dumpb(ask, line, n, JSON_COMPACT | JSON_PRESERVE_ORDER);
    line[n] = '\n', line[n + 1] = 0;
    json_decref(ask);
    return line;
}

const char protocol_hello[] = "{\"meridian\":1,\"hello\":true}\n";
_Static_assert(MER_ABI == 1, "protocol_hello says the ABI");

static json_t *answer(const char *line, size_t len, char *why, size_t n)
{
    json_error_t e;
    json_t *o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &e), *abi = json_object_get(o, "meridian");
    if (!json_is_object(o) || !json_is_integer(json_object_get(o, "status"))) {
        snprintf(why, n,
            "broke the protocol: '%.*s' is no answer line such as {\"status\":0}; what a subject prints belongs on "
            "standard error",
            len < 60 ? (int)len : 60, line);
        one_line(why);
        json_decref(o);
        return NULL;
    }
    if (abi && (!json_is_integer(abi) || json_integer_value(abi) != MER_ABI)) {
        snprintf(
            why, n, "another ABI: it answers in version %lld, this is %d", (long long)json_integer_value(abi), MER_ABI);
        json_decref(o);
        return NULL;
    }
    return o;
}

static const char *text_or(json_t *o, const char *key, const char *otherwise)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : otherwise;
}

/* Checks the list of outputs in an answer.  0, or -1: it is not what was asked for. */
static int shapes(json_t *list, const struct mer_call *c, char *why, size_t n)
{
    if (json_array_size(list) != (size_t)c->n_out)
        return snprintf(why, n, "broke the protocol: %zu outputs, %d asked for", json_array_size(list), c->n_out), -1;
    for (int i = 0; i < c->n_out; i++) {
        json_t *o = json_array_get(list, (size_t)i), *shape = json_object_get(o, "shape");
        const struct mer_array *a = &c->out[i];
        const char *name = text_or(o, "name", ""), *type = text_or(o, "type", "");
        bool same = json_array_size(shape) == (size_t)a->rank;
        for (int k = 0; same && k < a->rank; k++)
            same = json_integer_value(json_array_get(shape, (size_t)k)) == a->dim[k];
        char *says = json_dumps(shape, JSON_COMPACT | JSON_ENCODE_ANY);
        if (strcmp(name, a->name) || strcmp(type, type_name[a->type]) || !same)
            snprintf(why, n, "wrong size: output %d is %.31s %.8s %.60s, asked for %s %s of rank %d with %ld elements",
                i, name, type, says ? says : "without a shape", a->name, type_name[a->type], a->rank, array_len(a)),
                same = false;
        free(says);
        if (!same || *why)
            return one_line(why), -1;
    }
    return 0;
}

int protocol_answer(const char *line, size_t len, const struct mer_call *c, char *why, size_t n)
{
    *why = 0;
    json_t *o = answer(line, len, why, n), *out = json_object_get(o, "out");
    if (!o)
        return MER_CRASHED;
    json_int_t status = json_integer_value(json_object_get(o, "status"));
    int rc = status >= MER_OK && status <= MER_BAD ? (int)status : MER_CRASHED;
    if (rc == MER_CRASHED)
        snprintf(
            why, n, "broke the protocol: status %lld; allowed: 0 done, 1 not offered, 2 failed", (long long)status);
    else if (rc == MER_OK && out && shapes(out, c, why, n))
        rc = MER_CRASHED;
    else if (rc == MER_BAD || rc == MER_SKIP)
        snprintf(why, n, "%.300s", text_or(o, "why", "")), one_line(why);
    json_decref(o);
    return rc;
}

const char *kernel_fault(const struct mer_kernel *k)
{
    static _Thread_local char text[120];
    const struct {
        const char *name, *is;
        size_t most;
    } word[] = { { "row", k->row, 60 },
                 { "out", k->out, KERNEL_OUTS },
                 { "type", k->type, 60 },
                 { "profile", k->profile, 900 } };
    for (int i = 0; i < 4; i++)
        if (!word[i].is || (i < 3 && !*word[i].is) || strlen(word[i].is) > word[i].most)
            return snprintf(text, sizeof text, "a kernel declares no usable %s: it is %s", word[i].name,
                       word[i].is && *word[i].is ? "too long" : "empty"),
                   text;
    int t = type_named(k->type);
    return t < 0 || t > MER_BF16 ?
           snprintf(text, sizeof text, "a kernel of row '%s' declares element type '%s'; allowed: f64 f32 f16 bf16",
               k->row, k->type),
           one_line(text), text : NULL;
}

/* Sources of kernels, known by the pointer to the row's name, which each entry of a hello has of its own. */
static struct { const char *row; char *source; } *sources;
static size_t n_sources;
const char *kernel_source(const struct mer_kernel *k)
{
    for (size_t i = 0; i < n_sources; i++)
        if (sources[i].row == k->row)
            return sources[i].source;
    return NULL;
}
static void keep_source(const struct mer_kernel *k, const char *source)
{
    sources = need_more(sources, n_sources + 1, sizeof *sources);
    sources[n_sources].row = k->row, sources[n_sources++].source = need_copy(source);
}
static void drop_source(const struct mer_kernel *k)
{
    for (size_t i = 0; i < n_sources; i++)
        if (sources[i].row == k->row) {
            free(sources[i].source), sources[i] = sources[--n_sources];
            break;
        }
    if (!n_sources)
        free(sources), sources = NULL;
}

void kernels_free(struct mer_kernel *list)
{
    for (struct mer_kernel *k = list; k && k->row; k++)
        drop_source(k), free((void *)(uintptr_t)k->row), free((void *)(uintptr_t)k->out),
            free((void *)(uintptr_t)k->type), free((void *)(uintptr_t)k->profile);
    free(list);
}

struct mer_kernel *protocol_kernels(const char *line, size_t len, char *why, size_t n)
{
    json_t *o = answer(line, len, why, n), *list = json_object_get(o, "kernels"), *v;
    size_t used = 0, i;
    if (!o)
        return NULL;
    struct mer_kernel *k = need(json_array_size(list) + 1, sizeof *k);
    const char *fault =
        json_integer_value(json_object_get(o, "status")) || !json_array_size(list) ? "no kernels" : NULL;
    json_array_foreach (list, i, v) {
        const struct mer_kernel one = { .row = text_or(v, "row", NULL),
            .out = text_or(v, "out", NULL),
            .type = text_or(v, "type", NULL),
            .profile = text_or(v, "profile", ""),
            .gauge = json_number_value(json_object_get(v, "gauge")),
            .correct = json_is_true(json_object_get(v, "correct")),
            .strided = json_is_true(json_object_get(v, "strided")) };
        if (fault || (fault = kernel_fault(&one)))
            break;
        k[used] = one;
        k[used].row = need_copy(one.row), k[used].out = need_copy(one.out), k[used].type = need_copy(one.type),
        k[used].profile = need_copy(one.profile);
        const char *source = text_or(v, "source", NULL);
        if (source && (strlen(source) > 300 || !*source))
            fault = "the source of a kernel is empty or longer than 300 bytes";
        else if (source)
            keep_source(&k[used], source);
        used++;
    }
    if (fault)
        snprintf(why, n, "its hello is unusable: %s", fault), kernels_free(k), k = NULL;
    json_decref(o);
    return k;
}

char *protocol_offer(const struct mer_plugin *p, char *why, size_t n)
{
    json_t *list = json_array();
    char *line = NULL;
    for (const struct mer_kernel *k = p->kernel; k->row; k++) {
        json_t *one = json_pack("{s:s,s:s,s:s,s:s,s:f,s:b,s:b}", "row", k->row, "out", k->out, "type", k->type,
            "profile", k->profile, "gauge", k->gauge, "correct", k->correct, "strided", k->strided);
        if (!one || json_array_append_new(list, one)) {
            snprintf(why, n, "kernel %d: its row, out, type or profile is not UTF-8, or its gauge is no number",
                (int)(k - p->kernel));
            json_decref(list);
            return NULL;
        }
    }
    json_t *hello = json_pack("{s:i,s:i,s:s?,s:o}", "meridian", MER_ABI, "status", 0, "name", p->name, "kernels", list);
    line = json_dumps(hello, JSON_COMPACT);
    if (!line)
        snprintf(why, n, "its name is not UTF-8");
    json_decref(hello);
    return line;
}
