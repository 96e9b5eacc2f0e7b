/* Golden lines: exact values as text, by which an implementation in any language can check itself.  Columns, separated
 * by tabs:
 *   id  quantity  parameters  inputs  out  flags  cite
 * inputs: pos=131071 x=gen:uniform:7 k=3
 *             k: the element of the line; x: from generator `uniform` with seed 7, float32 values in (-1, 1)
 *         n=2 m=3 at=0,1 bias q[]=1,-inf
 *             single letters: sizes (of h g n m d e those that are not given are 1 or the usual ones); at: the leading
 *             indices of the line; bias: an optional input that is present; name[]: the elements of an array, others
 *             come from the generator with seed 1
 * out: a hexfloat, rounded to odd at 120 bits (`~`: rounding it to f64, f32, f16 or bf16 is rounding the real number
 * once), or exact (`=`).  The questions are in data/golden/<row>.in; the header of data/golden/<row>.tsv names schema,
 * digest of the questions, MPFR version, count and digest of the body. */
#ifndef GOLDEN_H
#define GOLDEN_H
#include <stdio.h>
#include "trial/trial.h"
enum { GOLDEN_BITS = 120 };
/* One golden line, by its columns. */
struct golden { char id[64], quantity[32], params[400], inputs[240], out[64], flags[64], cite[96]; };
/* Makes data/golden/<row>.tsv from the row's questions, as a malloc'd text; NULL and err: a question is wrong, or a
 * value stays undecided. */
char *golden_make(const char *row, char *err, size_t n);
/* 0: the text's header, count and digest fit its body; -1 and err: they do not */
int golden_intact(const char *text, char *err, size_t n);
/* Calls f for every line of the text; g is valid only during the call.  The number of lines, or what f returned
 * below 0, which stops it. */
int golden_each(const char *text, int (*f)(const struct golden *g, void *with), void *with);
/* Makes the question of a line as a trial with one f32 output, and *k the number of the element asked for. 0, or -1
 * and err; trial_close(t) is due either way. */
int golden_trial(struct trial *t, const char *row, const struct golden *g, long *k, char *err, size_t n);
/* Writes the path of the row's .tsv into path[n]; false: the row has no questions. */
bool golden_path(const char *row, char *path, size_t n);
/* Makes the row's answers again. 1: they equal the file byte for byte; 0: the row has no questions; -1 and err. */
int golden_check(const char *row, char *err, size_t n);
/* Writes the leading indices of the line and its length; returns where in the output it begins. */
long golden_line(const struct trial *t, const struct golden *g, long at[MER_RANK], long *len);
#endif
