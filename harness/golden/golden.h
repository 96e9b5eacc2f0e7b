/* Golden lines: exact values as text, so that any language can check itself.  Columns, tab separated:
 *   id  quantity  parameters  inputs  out  flags  cite
 * inputs: pos=131071 x=gen:uniform:7 k=3       (k: element of the line; x: generator `uniform`, seed 7, float32 values
 * in (-1, 1))
 *         n=2 m=3 at=0,1 bias q[]=1,-inf    (single letters of h g n m d e: sizes, else 1 or the usual; at: leading
 *                                           indices of the line; bias: an
 *                                     optional input that is there; name[]: an array's elements, others from generator
 *                                     seed 1)
 * out: hexfloat, rounded to odd at 120 bits (`~`: rounding it to f64, f32, f16 or bf16 is rounding the real number
 * once), or exact (`=`). The questions are data/golden/<row>.in; the header of data/golden/<row>.tsv names schema,
 * digest of the questions, MPFR version, count, digest of the body. */
#ifndef GOLDEN_H
#define GOLDEN_H
#include <stdio.h>
#include "trial/trial.h"
enum { GOLDEN_BITS = 120 };
struct golden { char id[64], quantity[32], params[400], inputs[240], out[64], flags[64], cite[96]; };
/* The file as it should be, malloc'd; NULL and err where a question is wrong or a value stays undecided. */
char *golden_make(const char *row, char *err, size_t n);
/* 0, or -1: header, count or digest do not fit the body */
int golden_intact(const char *text, char *err, size_t n);
/* the number of lines, or what f returned below 0 */
int golden_each(const char *text, int (*f)(const struct golden *g, void *with), void *with);
/* The question of a line as a trial with one f32 output, and the element's number; 0, or -1 and err. */
int golden_trial(struct trial *t, const char *row, const struct golden *g, long *k, char *err, size_t n);
/* Where the answers to this row's questions lie: true, or false where it has no questions. */
bool golden_path(const char *row, char *path, size_t n);
/* 1: made again, no byte of them differs; 0: no questions; -1 and err */
int golden_check(const char *row, char *err, size_t n);
/* Leading indices of the line and its length; answers where the line starts in the output. */
long golden_line(const struct trial *t, const struct golden *g, long at[MER_RANK], long *len);
#endif
