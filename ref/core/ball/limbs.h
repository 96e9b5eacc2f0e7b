/* Memory of numbers: of balls, and of all that MPFR and GMP allocate.  Blocks of one size are kept when they are given
 * back and taken again, a list for each thread, so that a number is made and cleared in a few instructions; they lie
 * apart from all else, and a child process that computes nothing of this kind can be spared them. */
#ifndef LIMBS_H
#define LIMBS_H
#include <stdbool.h>
#include <stddef.h>
/* A block of that many bytes, which hold anything; never NULL. */
void *limbs_take(size_t bytes);
/* Gives back a block that limbs_take or GMP made of as many bytes. */
void limbs_give(void *block, size_t bytes);
/* Frees a text that GMP made (mpq_get_str of NULL). */
void digits_free(char *text);
/* Whether children forked from here on get these blocks; they do until somebody says otherwise.  A child that did not
 * get them may touch no number, neither an old one nor a new one.  It saves the copying of page tables, which takes
 * milliseconds where a long line was asked before. */
void limbs_inherited(bool yes);
#endif
