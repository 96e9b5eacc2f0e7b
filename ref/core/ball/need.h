/* Memory that a page, a proof or a measurement cannot go on without: where there is none left, the program says so in
 * one line and ends with status 2.  Never in fast/: a library returns MER_BAD instead.  Whoever asks frees by free. */
#ifndef NEED_H
#define NEED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
/* n zeroed elements of `size` bytes, never NULL, even for n = 0; n size beyond size_t counts as out of memory. */
void *need(size_t n, size_t size);
/* p, which is NULL or from here, with room for n elements: the old ones are kept, the new ones undefined.  p itself is
 * gone. */
void *need_more(void *p, size_t n, size_t size);
/* The same text in memory of its own. */
char *need_copy(const char *s);
/* open_memstream: what is written there is *text, of *n bytes, once the stream is flushed or closed. */
FILE *need_stream(char **text, size_t *n);

/* Memory of numbers: of balls, and of all that MPFR and GMP allocate.  Blocks of one size are kept when they are given
 * back and taken again, a list for each thread, so that a number is made and cleared in a few instructions; they lie
 * apart from all else, and a child process that computes nothing of this kind can be spared them. */
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
