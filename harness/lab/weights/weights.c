/* Reads checkpoint folders; see weights.h. */
#include "lab/weights/weights.h"
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ball/ball.h"
#include "core/field.h"

/* Opens one file and reads its header. */
static int add(struct checkpoint_files *w, const char *folder, const char *name, char *err, size_t n)
{
    struct shard_file *f = &w->file[w->files];
    struct stat st;
    char path[1400], why[400];
    if (w->files == SHARDS)
        return snprintf(err, n, "%.300s: more than %d files", folder, SHARDS), -1;
    snprintf(path, sizeof path, "%.1000s/%.250s", folder, name);
    *f = (struct shard_file){ .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
    if (f->fd < 0)
        return snprintf(err, n, "%.500s: %m", path), -1;
    f->path = need_copy(path), w->files++;
    if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
        return snprintf(err, n, "%.500s: no regular file", path), -1;
    const size_t room = st.st_size < HEADER_MAX ? (size_t)st.st_size : HEADER_MAX;
    unsigned char *head = need(room + 1, 1);
    const ssize_t have = pread(f->fd, head, room, 0);
    const int rc =
        safetensors_list(head, have < 0 ? 0 : (size_t)have, (uint64_t)st.st_size, &f->of, &f->n, why, sizeof why);
    free(head);
    return rc ? (snprintf(err, n, "%.400s: %s", path, why), -1) : 0;
}

static const struct shard_file *of_name(const struct checkpoint_files *w, const char *name)
{
    for (int k = 0; k < w->files; k++)
        if (!strcmp(strrchr(w->file[k].path, '/') + 1, name))
            return &w->file[k];
    return NULL;
}
static bool holds(const struct shard_file *f, const char *name)
{
    for (size_t k = 0; k < f->n; k++)
        if (!strcmp(f->of[k].name, name))
            return true;
    return false;
}

/* Opens the files that the map names, and checks that every tensor is where it says, and that no file has another. */
static int open_mapped(struct checkpoint_files *w, const char *folder, json_t *map, char *err, size_t n)
{
    const char *key;
    json_t *v;
    json_object_foreach (map, key, v) {
        const char *name = json_string_value(v);
        if (!name_is_plain(name))
            return snprintf(err, n, "%.300s: weight_map: '%.100s' has no plain file name", folder, key), -1;
        const struct shard_file *f = of_name(w, name);
        if (!f && add(w, folder, name, err, n))
            return -1;
        f = f ? f : &w->file[w->files - 1];
        if (!holds(f, key))
            return snprintf(err, n, "%.300s: no tensor '%.100s', which the index says is there", f->path, key), -1;
    }
    for (int k = 0; k < w->files; k++)
        for (size_t j = 0; j < w->file[k].n; j++) {
            const char *is = json_string_value(json_object_get(map, w->file[k].of[j].name));
            if (!is || strcmp(is, strrchr(w->file[k].path, '/') + 1))
                return snprintf(err, n, "%.300s: tensor '%.100s' is not the index's", w->file[k].path,
                           w->file[k].of[j].name),
                       -1;
        }
    return 0;
}

int weights_open(struct checkpoint_files *w, const char *folder, char *err, size_t n)
{
    char path[1400];
    struct fields f = { .err = err, .n = n };
    w->files = 0;
    snprintf(path, sizeof path, "%.1000s/model.safetensors.index.json", folder);
    if (access(path, F_OK))
        return add(w, folder, "model.safetensors", err, n);
    json_t *root = fields_load(&f, path), *map = json_object_get(root, "weight_map");
    int rc = -1;
    if (root && !json_is_object(map))
        snprintf(err, n, "%.300s: no object 'weight_map'", path);
    else if (root)
        rc = open_mapped(w, folder, map, err, n);
    json_decref(root);
    return rc;
}

void weights_close(struct checkpoint_files *w)
{
    for (int k = 0; k < w->files; k++) {
        tensors_free(w->file[k].of, w->file[k].n);
        close(w->file[k].fd), free(w->file[k].path);
    }
    w->files = 0;
}

/* Reads a tensor in pieces and hands each number to take, with `to`. */
static int numbers(const struct shard_file *f, const struct tensor *t, int (*take)(void *to, double y), void *to,
    char *err, size_t n)
{
    enum { PIECE = 1 << 16 }; /* bytes */
    static double piece[PIECE / sizeof(double)];
    const uint64_t all = (uint64_t)array_len(&t->a) * type_size(t->a.type);
    if (t->a.type != MER_F64 && t->a.type != MER_F32 && t->a.type != MER_F16 && t->a.type != MER_BF16)
        return snprintf(err, n, "%.300s: tensor '%.100s' is of no type of weights", f->path, t->name), -1;
    for (uint64_t at = 0; at < all; at += PIECE) {
        const size_t bytes = all - at < PIECE ? (size_t)(all - at) : PIECE;
        struct mer_array a = { .type = t->a.type, .rank = 1, .data = piece };
        a.dim[0] = (int64_t)(bytes / type_size(a.type));
        if (pread(f->fd, piece, bytes, (off_t)(t->at + at)) != (ssize_t)bytes)
            return snprintf(err, n, "%.300s: tensor '%.100s' cannot be read whole", f->path, t->name), -1;
        for (long k = 0; k < a.dim[0]; k++) {
            const double y = array_get(&a, k);
            const char *wrong = isnan(y) ? "NaN" : isinf(y) ? "an infinity" : NULL;
            if (!wrong && take(to, y))
                wrong = "what is no number of float32";
            if (wrong)
                return snprintf(err, n, "%.300s: tensor '%.100s' holds %s, its element %llu", f->path, t->name, wrong,
                           (unsigned long long)(at / type_size(a.type)) + (unsigned long long)k),
                       -1;
        }
    }
    return 0;
}

static int extreme(void *to, double y)
{
    struct extremes *x = to;
    x->least = y < x->least ? y : x->least, x->most = y > x->most ? y : x->most;
    return 0;
}
int weights_extremes(const struct shard_file *f, const struct tensor *t, struct extremes *x, char *err, size_t n)
{
    const bool some = array_len(&t->a) > 0;
    *x = (struct extremes){ some ? (double)INFINITY : 0, some ? -(double)INFINITY : 0 };
    return numbers(f, t, extreme, x, err, n);
}

static int single(void *to, double y)
{
    float **at = to;
    **at = (float)y;
    return (double)*(*at)++ != y;
}
int weights_floats(const struct shard_file *f, const struct tensor *t, float *to, char *err, size_t n)
{
    return numbers(f, t, single, &to, err, n);
}
