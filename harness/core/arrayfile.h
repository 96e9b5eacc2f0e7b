/* Arrays on disk: .npy (version 1 and 2, C order, little endian) and .safetensors (the tensor "t").  Readers of
 * anybody's bytes: header and file size must agree exactly before one byte is allocated. */
#ifndef ARRAYFILE_H
#define ARRAYFILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "meridian.h"
enum { HEADER_MAX = 1 << 20 };            /* bytes of a header, at most */
static const uint64_t ARRAY_BYTES_MAX = (uint64_t)1 << 30; /* of one array's data */
/* Type, rank, shape of `a` and where its data begins, from the first `have` bytes of a file of `size` bytes.  0, or -1
 * and err. */
int npy_header(
    const unsigned char *head, size_t have, uint64_t size, struct mer_array *a, uint64_t *data, char *err, size_t n);
int safetensors_header(
    const unsigned char *head, size_t have, uint64_t size, struct mer_array *a, uint64_t *data, char *err, size_t n);
/* name[] inside dir: no folder, no leading dot, no link, a regular file; a->data is malloc'd (with room to spare), or
 * NULL where `load` is false. */
int array_file(const char *dir, const char *name, bool load, struct mer_array *a, char *err, size_t n);
/* .npy, or .safetensors by the name's end; -1: not written whole */
int array_write(const char *path, const struct mer_array *a);
bool name_is_plain(const char *name);
#endif
