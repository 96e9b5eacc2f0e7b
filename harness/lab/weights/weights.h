/* The weights of a checkpoint folder: model.safetensors, or the shards that model.safetensors.index.json names.
 * Folders may come from anybody: every header is checked before memory is allocated, and no tensor reaches out of its
 * file. */
#ifndef WEIGHTS_H
#define WEIGHTS_H
#include "core/arrayfile.h"

enum { SHARDS = 512 };
/* One file: its path, its tensors in the file's order; all owned. */
struct shard_file { char *path; int fd; struct tensor *of; size_t n; };
struct checkpoint_files { struct shard_file file[SHARDS]; int files; };
/* What a tensor holds: the least and the greatest of its numbers, 0 and 0 of none. */
struct extremes { double least, most; };
/* Opens a folder and checks all headers.  0, or -1 and one line in err; weights_close is due either way. */
int weights_open(struct checkpoint_files *w, const char *folder, char *err, size_t n);
void weights_close(struct checkpoint_files *w);
/* Reads all numbers of a tensor in pieces.  0, or -1 and one line: the file became shorter, its type is none of F64,
 * F32, F16 and BF16, or a number is not finite. */
int weights_extremes(const struct shard_file *f, const struct tensor *t, struct extremes *x, char *err, size_t n);
/* Reads all numbers of a tensor into to[]. 0, or -1 and one line: as weights_extremes, or a number of float64 is none
 * of float32. */
int weights_floats(const struct shard_file *f, const struct tensor *t, float *to, char *err, size_t n);
#endif
