/* Arrays on disk: .npy (versions 1 and 2, C order, little endian) and .safetensors (the tensor named "t").  Files
 * may come from anybody: header and size of a file must agree exactly before memory for its data is allocated. */
#ifndef ARRAYFILE_H
#define ARRAYFILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "meridian.h"
enum { HEADER_MAX = 1 << 20 };            /* bytes of a header, at most; a longer one is refused */
static const uint64_t ARRAY_BYTES_MAX = (uint64_t)1 << 30; /* bytes of one array's data, at most */
/* Reads the header of a file of `size` bytes from its first `have` bytes: type, rank and shape into *a (no name, no
 * data), and where the data begins into *data. 0, or -1 and one line in err. */
int npy_header(
    const unsigned char *head, size_t have, uint64_t size, struct mer_array *a, uint64_t *data, char *err, size_t n);
int safetensors_header(
    const unsigned char *head, size_t have, uint64_t size, struct mer_array *a, uint64_t *data, char *err, size_t n);
/* A tensor of a file: its name, owned; type, rank and shape without data; the byte of the file where its data is. */
struct tensor { char *name; struct mer_array a; uint64_t at; };
/* Reads all tensors of a header, which must cover the file without gap or overlap, into *list: tensors_free is due.
 * 0, or -1 and one line in err, with an empty list. */
int safetensors_list(
    const unsigned char *head, size_t have, uint64_t size, struct tensor **list, size_t *count, char *err, size_t n);
void tensors_free(struct tensor *list, size_t count); /* frees a list with its names */
/* Reads the array file `name` of folder dir into *a: the name must be plain (name_is_plain), no link, a regular
 * file. a->data is malloc'd with 128 bytes to spare, and the caller's to free; NULL where `load` is false. a->name
 * is left alone. 0, or -1 and one line in err, with a->data NULL. */
int array_file(const char *dir, const char *name, bool load, struct mer_array *a, char *err, size_t n);
/* Writes *a, which must be dense, as .safetensors where the path ends so, else as .npy (which has no bfloat16). 0,
 * or -1: it could not be written whole, and what was written stays. */
int array_write(const char *path, const struct mer_array *a);
/* The same as a draft, which takes the place of what was there when it is whole (files.h).  0, or -1 and one line. */
int array_replace(const char *path, const struct mer_array *a, char *err, size_t n);
/* Writes the arrays a[count], which must be dense, as tensors of one .safetensors file by their names, in their order,
 * as a draft; others read from its metadata that the layout is PyTorch's.  0, or -1 and one line. */
int tensors_replace(const char *path, const struct mer_array *a, size_t count, char *err, size_t n);
/* Whether it names a file of a folder: not NULL or empty, below 200 bytes, no slash, no dot in front. */
bool name_is_plain(const char *name);
#endif
