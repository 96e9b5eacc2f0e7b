/* Readers and writers of .npy and .safetensors; see arrayfile.h.  Every number of a header is checked before it is
 * used. */
#include "core/arrayfile.h"
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ball/ball.h"
#include "core/files.h"

static const char *const descr[MER_TYPES] = { "<f8", "<f4", "<f2", NULL, "<i8", "<i4", "|u1" };
static const char *const dtype[MER_TYPES] = { "F64", "F32", "F16", "BF16", "I64", "I32", "U8" };

/* Bytes of a's data; -1: a negative extent, or more than ARRAY_BYTES_MAX. An extent of 0 does not hide an excessive
 * one beside it: others are checked as if it were 1. */
static int bytes_of(const struct mer_array *a, uint64_t *bytes)
{
    uint64_t n = type_size(a->type);
    bool zero = false;
    for (int k = 0; k < a->rank; k++) {
        zero |= a->dim[k] == 0;
        uint64_t d = a->dim[k] ? (uint64_t)a->dim[k] : 1;
        if (a->dim[k] < 0 || d > ARRAY_BYTES_MAX / n)
            return -1;
        n *= d;
    }
    *bytes = zero ? 0 : n;
    return 0;
}

struct dict { bool descr, order, shape; };
static const char *skip(const char *s) { return s + strspn(s, " \t\n"); }

static const char *npy_shape(const char *s, struct mer_array *a, char *err, size_t n) /* "(3, 4)", "(3,)", "()" */
{
    for (s = skip(s + 1), a->rank = 0; *s != ')'; s = skip(s)) {
        char *end;
        if (*s < '0' || *s > '9')
            return snprintf(err, n, "bad shape"), NULL;
        if (a->rank == MER_RANK)
            return snprintf(err, n, "rank above %d", MER_RANK), NULL;
        unsigned long long d = strtoull(s, &end, 10);
        if (d > ARRAY_BYTES_MAX)
            return snprintf(err, n, "shape of %llu elements: more than an array may have", d), NULL;
        a->dim[a->rank++] = (int64_t)d;
        s = skip(end);
        if (*s == ',')
            s++;
        else if (*s != ')' || a->rank < 2)
            return snprintf(err, n, "bad shape"), NULL;
    }
    return s + 1;
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
static int npy_dict(const char *s, struct mer_array *a, char *err, size_t n)
{
    struct dict seen = { 0 };
    char key[32], type[16];
    int len = 0;
    a->type = -1;
    for (s = skip(*s == '{' ? s + 1 : s); *s && *s != '}'; s = skip(s)) {
        len = 0; /* stays 0 where the closing quote is missing */
        if (sscanf(s, "'%31[a-z_]'%n", key, &len) != 1 || !len)
            return snprintf(err, n, "bad header"), -1;
        s = skip(s + len);
        if (*s != ':')
            return snprintf(err, n, "bad header"), -1;
        s = skip(s + 1);
        len = 0;
        if (!strcmp(key, "descr") && !seen.descr && sscanf(s, "'%15[^']'%n", type, &len) == 1 && len)
            seen.descr = true, s += len;
        else if (!strcmp(key, "fortran_order") && !seen.order && !strncmp(s, "False", 5))
            seen.order = true, s += 5;
        else if (!strcmp(key, "shape") && !seen.shape && *s == '(') {
            seen.shape = true;
            if (!(s = npy_shape(s, a, err, n)))
                return -1;
        } else
            return snprintf(err, n,
                       !strcmp(key, "fortran_order") && !strncmp(s, "True", 4) ? "Fortran order is not supported" :
                                                                                 "bad header: '%s'",
                       key),
                   -1;
        s = skip(s);
        s += *s == ',';
    }
    if (*s != '}' || !seen.descr || !seen.order || !seen.shape)
        return snprintf(err, n, "bad header"), -1;
    for (int t = 0; t < MER_TYPES; t++)
        a->type = descr[t] && !strcmp(type, descr[t]) ? t : a->type;
    a->type = !strcmp(type, "|b1") ? MER_U8 : a->type;
    return a->type < 0 ? snprintf(err, n, "element type '%s' is not supported", type), -1 : 0;
}

static int sized(const struct mer_array *a, uint64_t data, uint64_t size, char *err, size_t n)
{
    uint64_t bytes;
    if (bytes_of(a, &bytes))
        return snprintf(err, n, "its shape is more than an array may have"), -1;
    if (size - data != bytes)
        return snprintf(err, n, "%s: the header says %llu bytes of data, there are %llu",
                   size - data < bytes ? "truncated" : "oversized", (unsigned long long)bytes,
                   (unsigned long long)(size - data)),
               -1;
    return 0;
}

int npy_header(
    const unsigned char *head, size_t have, uint64_t size, struct mer_array *a, uint64_t *data, char *err, size_t n)
{
    if (have < 12 || memcmp(head, "\x93NUMPY", 6) || (head[6] != 1 && head[6] != 2))
        return snprintf(err, n, "not an .npy file, version 1 or 2"), -1;
    uint64_t at = head[6] == 1 ? 10 : 12, len = head[8] | (uint64_t)head[9] << 8;
    len |= head[6] == 2 ? (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24 : 0;
    if (len > HEADER_MAX - 12 || at + len > have || memchr(head + at, 0, len))
        return snprintf(err, n, "bad header"), -1;
    char *text = memcpy(need(len + 1, 1), head + at, len);
    int rc = npy_dict(text, a, err, n);
    free(text);
    *data = at + len;
    return rc ? rc : sized(a, *data, size, err, n);
}

static int by_begin(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Reads one entry of a header: dtype, shape and data_offsets, which must span exactly the shape's bytes within
 * `room`. span[2]: the offsets. */
static int tensor(json_t *t, uint64_t room, struct mer_array *a, uint64_t *span, char *err, size_t n)
{
    json_t *shape = json_object_get(t, "shape"), *offsets = json_object_get(t, "data_offsets");
    const char *type = json_string_value(json_object_get(t, "dtype"));
    a->type = -1, a->rank = 0;
    for (int k = 0; type && k < MER_TYPES; k++)
        a->type = strcmp(type, dtype[k]) ? a->type : k;
    if (type && !strcmp(type, "BOOL"))
        a->type = MER_U8;
    if (a->type < 0 || !json_is_array(shape) || json_array_size(shape) > MER_RANK)
        return snprintf(err, n, a->type < 0 ? "no supported dtype" : "no shape of rank 0 to %d", MER_RANK), -1;
    for (; a->rank < (int)json_array_size(shape); a->rank++) {
        json_t *d = json_array_get(shape, (size_t)a->rank);
        if (!json_is_integer(d) || json_integer_value(d) < 0)
            return snprintf(err, n, "bad shape"), -1;
        a->dim[a->rank] = json_integer_value(d);
    }
    json_t *from = json_array_get(offsets, 0), *to = json_array_get(offsets, 1);
    uint64_t bytes;
    if (bytes_of(a, &bytes))
        return snprintf(err, n, "its shape is more than an array may have"), -1;
    if (json_array_size(offsets) != 2 || !json_is_integer(from) || !json_is_integer(to) ||
        json_integer_value(from) < 0 || json_integer_value(to) < json_integer_value(from) ||
        (uint64_t)json_integer_value(to) > room)
        return snprintf(err, n, "data_offsets outside the file"), -1;
    span[0] = (uint64_t)json_integer_value(from), span[1] = (uint64_t)json_integer_value(to);
    return span[1] - span[0] == bytes ? 0 :
                                        (snprintf(err, n, "data_offsets span %llu bytes, its shape %llu",
                                             (unsigned long long)(span[1] - span[0]), (unsigned long long)bytes),
                                            -1);
}

/* Checks that the tensors cover `room` bytes without gap or overlap. */
static int covered(uint64_t (*span)[2], size_t used, uint64_t room, char *err, size_t n)
{
    uint64_t at = 0;
    qsort(span, used, sizeof *span, by_begin);
    for (size_t k = 0; k < used; at = span[k++][1])
        if (span[k][0] != at)
            return snprintf(err, n, "data_offsets %s at byte %llu", span[k][0] < at ? "overlap" : "leave a gap",
                       (unsigned long long)at),
                   -1;
    return at == room ? 0 :
                        (snprintf(err, n, "%s: its tensors end at byte %llu of %llu",
                             at < room ? "oversized" : "truncated", (unsigned long long)at, (unsigned long long)room),
                            -1);
}

/* Reads the entries of a header into list, which has room for all of them; *count: how many. */
static int entries(json_t *root, uint64_t room, struct tensor *list, size_t *count, char *err, size_t n)
{
    const char *key;
    json_t *v;
    size_t used = 0;
    int rc = 0;
    uint64_t(*span)[2] = need(json_object_size(root) + 1, sizeof *span);
    json_object_foreach (root, key, v) {
        char why[200];
        struct tensor *t = &list[used];
        if (!strcmp(key, "__metadata__"))
            continue;
        if ((rc = tensor(v, room, &t->a, span[used], why, sizeof why))) {
            snprintf(err, n, "tensor '%.100s': %s", key, why);
            break;
        }
        t->at = span[used++][0], t->name = need_copy(key);
    }
    *count = used;
    rc = rc ? rc : covered(span, used, room, err, n);
    free(span);
    return rc;
}

void tensors_free(struct tensor *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        free(list[k].name);
    free(list);
}

int safetensors_list(
    const unsigned char *head, size_t have, uint64_t size, struct tensor **list, size_t *count, char *err, size_t n)
{
    uint64_t len = 0;
    *list = NULL, *count = 0;
    if (have >= 8)
        memcpy(&len, head, 8); /* little endian, as this machine */
    if (have < 8 || len > HEADER_MAX - 8 || 8 + len > have)
        return snprintf(err, n, "not a .safetensors file: bad header length"), -1;
    json_error_t e;
    json_t *root = json_loadb((const char *)head + 8, len, JSON_REJECT_DUPLICATES, &e);
    if (!json_is_object(root)) {
        snprintf(err, n, "bad header: %.100s", root ? "no object" : e.text);
        return json_decref(root), -1;
    }
    *list = need(json_object_size(root) + 1, sizeof **list);
    int rc = entries(root, size - 8 - len, *list, count, err, n);
    json_decref(root);
    for (size_t k = 0; k < *count; k++)
        (*list)[k].at += 8 + len;
    if (rc)
        tensors_free(*list, *count), *list = NULL, *count = 0;
    return rc;
}

int safetensors_header(
    const unsigned char *head, size_t have, uint64_t size, struct mer_array *a, uint64_t *data, char *err, size_t n)
{
    struct tensor *list;
    size_t count, k = 0;
    if (safetensors_list(head, have, size, &list, &count, err, n))
        return -1;
    while (k < count && strcmp(list[k].name, "t"))
        k++;
    const bool found = k < count;
    if (found)
        *a = list[k].a, *data = list[k].at;
    tensors_free(list, count);
    return found ? 0 : (snprintf(err, n, "no tensor \"t\""), -1);
}

bool name_is_plain(const char *name)
{
    return name && *name && *name != '.' && !strchr(name, '/') && strlen(name) < 200;
}

static bool is_tensor(const char *name)
{
    size_t len = strlen(name);
    return len > 12 && !strcmp(name + len - 12, ".safetensors");
}

int array_file(const char *dir, const char *name, bool load, struct mer_array *a, char *err, size_t n)
{
    char path[600], why[300] = "";
    struct stat st;
    uint64_t data = 0;
    a->data = NULL;
    snprintf(path, sizeof path, "%.300s/%.250s", dir, name ? name : "");
    if (!name_is_plain(name))
        return snprintf(err, n, "%.200s: '%.100s' is no file name of this folder", dir, name ? name : ""), -1;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > ARRAY_BYTES_MAX + HEADER_MAX) {
        snprintf(err, n, fd < 0 ? "%.500s: %m" : "%.500s: no regular file of at most 1 GiB", path);
        return fd < 0 ? 0 : close(fd), -1;
    }
    size_t room = st.st_size < HEADER_MAX ? (size_t)st.st_size : HEADER_MAX;
    unsigned char *head = need(room + 1, 1);
    ssize_t have = pread(fd, head, room, 0);
    int rc = have < 0 ? -1 :
                        (is_tensor(name) ? safetensors_header : npy_header)(
                            head, (size_t)have, (uint64_t)st.st_size, a, &data, why, sizeof why);
    free(head);
    size_t bytes = rc || !load ? 0 : (size_t)array_len(a) * type_size(a->type), got = 0;
    if (bytes || (!rc && load))
        a->data = need(bytes + 128, 1);
    for (ssize_t one = 1; got < bytes && one > 0 && a->data; got += one > 0 ? (size_t)one : 0)
        one = pread(fd, (char *)a->data + got, bytes - got, (off_t)(data + got));
    close(fd);
    if (rc || got < bytes)
        return free(a->data), a->data = NULL, snprintf(err, n, "%.300s: %s", path, *why ? why : "cannot be read whole"),
                              -1;
    return 0;
}

/* Writes a in the format of safetensors, or of numpy. */
static bool put(FILE *f, bool safe, const struct mer_array *a)
{
    char shape[160] = "", head[400];
    const size_t bytes = (size_t)array_len(a) * type_size(a->type);
    for (int k = 0, at = 0; k < a->rank; k++)
        at +=
            snprintf(shape + at, sizeof shape - (size_t)at, safe ? "%s%ld" : "%.0s%ld,", k ? "," : "", (long)a->dim[k]);
    int len = safe ?
        snprintf(head, sizeof head, "{\"t\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[0,%zu]}}",
            dtype[a->type], shape, bytes) :
        snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr[a->type], shape);
    int total = safe ? (len + 7) / 8 * 8 : (10 + len + 1 + 63) / 64 * 64 - 10;
    const unsigned char size[8] = { (unsigned char)(total & 255), (unsigned char)(total >> 8) };
    bool ok =
        safe ? fwrite(size, 1, 8, f) == 8 : fwrite("\x93NUMPY\x01\x00", 1, 8, f) == 8 && fwrite(size, 1, 2, f) == 2;
    return ok && fprintf(f, "%-*s%s", safe ? total : total - 1, head, safe ? "" : "\n") == total &&
        fwrite(a->data, 1, bytes, f) == bytes;
}
int array_write(const char *path, const struct mer_array *a)
{
    const bool safe = is_tensor(path);
    FILE *f = safe || descr[a->type] ? fopen(path, "wb") : NULL;
    const bool ok = f && put(f, safe, a);
    return !f || fclose(f) || !ok ? -1 : 0;
}
int array_replace(const char *path, const struct mer_array *a, char *err, size_t n)
{
    const bool safe = is_tensor(path);
    struct draft d;
    if (!safe && !descr[a->type])
        return snprintf(err, n, "%.300s: numpy has no such type; .safetensors has", path), -1;
    if (draft_open(&d, path, err, n))
        return -1;
    put(d.file, safe, a); /* What could not be written is seen when the draft is kept. */
    return draft_keep(&d, err, n);
}

static json_t *shape_of(const struct mer_array *a)
{
    json_t *shape = json_array();
    for (int k = 0; k < a->rank; k++)
        json_array_append_new(shape, json_integer(a->dim[k]));
    return shape;
}

int tensors_replace(const char *path, const struct mer_array *a, size_t count, char *err, size_t n)
{
    json_t *root = json_pack("{s:{s:s}}", "__metadata__", "format", "pt");
    struct draft d;
    size_t at = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t to = at + (size_t)array_len(&a[k]) * type_size(a[k].type);
        json_object_set_new(root, a[k].name,
            json_pack("{s:s,s:o,s:[II]}", "dtype", dtype[a[k].type], "shape", shape_of(&a[k]), "data_offsets",
                (json_int_t)at, (json_int_t)to));
        at = to;
    }
    char *head = json_dumps(root, JSON_COMPACT);
    const size_t room = (strlen(head) + 7) / 8 * 8, told = json_object_size(root);
    const uint64_t size = room;
    json_decref(root);
    int rc = 0;
    if (told != count + 1 || room > HEADER_MAX - 8)
        rc = (snprintf(err, n, "%.300s: tensors of one name, or too many", path), -1);
    else if (!(rc = draft_open(&d, path, err, n))) {
        fwrite(&size, 1, 8, d.file); /* little endian, as this machine */
        fprintf(d.file, "%-*s", (int)room, head);
        for (size_t k = 0; k < count; k++) /* an error stays with the stream, and draft_keep reports it */
            fwrite(a[k].data, 1, (size_t)array_len(&a[k]) * type_size(a[k].type), d.file);
        rc = draft_keep(&d, err, n);
    }
    free(head);
    return rc;
}
