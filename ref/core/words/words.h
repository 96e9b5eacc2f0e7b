/* What operations done differently are called: the tables of words.c, by which words are read, and enumerated in
 * each.c. */
#ifndef WORDS_WORDS_H
#define WORDS_WORDS_H
#include <stdbool.h>
#include <stddef.h>
#include "edit/noted.h"
#include "edit/site_parts.h"

/* An operation: its name in words, and what it does. */
struct op_word { const char *name, *says; };
extern const struct op_word op_words[OPS];
/* A way to read an index otherwise; of_all: of an operation over all its terms, where `says` is of the second number of
 * a difference or quotient. */
struct way_word { const char *name, *says, *of_all; };
extern const struct way_word way_words[WAYS];
/* A kind of operation: its name, what it is, and the names of operations that make sense of it, blanks between; of_one:
 * those that make sense of one of its two numbers. */
struct kind_word { const char *name, *says, *ops, *of_one; };
extern const struct kind_word kind_words[SITE_KINDS];
/* The end of a kind's name where not what it gives is meant, but its first number (1) or its second (2). */
enum { OPERANDS = 3 };
extern const char *const operand_words[OPERANDS];
/* Last parts of words: with hidden keys, with these and a total of 0 as 1; of negative and of other numbers. */
extern const char word_hidden[], word_guarded[], word_negative[], word_positive[];
/* The number of the operation with this name of n bytes; -1: none. */
int op_named(const char *s, size_t n);
/* Is a map part of the way?  Can an index of that kind, or of one of its numbers, be read in it? */
bool way_has_map(int way);
bool way_of(int kind, int operand, int way);
/* May what an operation of that kind gives be off by an extent? */
bool kind_shifts(int kind, int operand);
#endif
