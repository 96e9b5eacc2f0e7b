/* The command line: `meridian VERB [WORD ...] [--flag value ...]`, read once, from the verbs' own tables.
 *
 * Flags may stand anywhere after the verb, before words too; `--flag value` and `--flag=value` are the same, `-o` is
 * short for `--out` where a verb has it, and behind `--` everything is a word.  A word that names a row, and one that
 * names a quantity of it, are checked before the verb runs; the row's parameters, and for a verb that asks one point
 * the quantity's input arrays, are flags too.  Everything else is refused with what is allowed: an unknown flag, one
 * given twice, one without its value, one that has no effect beside the words and flags that were given. */
#ifndef CLI_H
#define CLI_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "row/row.h"

/* Exit statuses of the program; the last: nothing was judged (77 is "skipped" to automake). */
enum { EXIT_PASS = 0, EXIT_FAIL = 1, EXIT_USAGE = 2, EXIT_CRASH = 3, EXIT_NOTHING = 77 };
enum { CLI_WORDS = 256, CLI_VALUES = 64 };
/* A list of flags ends with name NULL. */
struct flag {
    /* what its value is called in help, NULL for a switch; "ROW" and "TYPE" are checked to be one */
    const char *name, *value;
    const char *help;
    const char *with;         /* "known scale": it has an effect only beside these first words; NULL: always */
    const char *needs;        /* the flag without which it has no effect, or NULL */
    bool many;                /* may be given more than once, each time for something else: read by cli_each */
    bool writes;              /* its value is a file that the verb writes: refused before any work if it cannot be */
};
/* A command line that has been read. */
struct cli {
    const struct verb *verb;
    const char *word[CLI_WORDS];
    int words;
    const struct row *row;      /* of word[0], where the verb takes a row and one was given; else NULL */
    const struct quantity *q;   /* of word[1], where the verb takes a quantity and one was given; else NULL */
    char params[TEXT_MAX];      /* "dim=128 base=500000": the row's parameters that were given */
    struct { const char *name, *value; } given[CLI_VALUES]; /* the other flags, in order; value "" for a switch */
    int n_given;
};
/* What the first words of a verb are: nothing special; a row, or none for all rows; a row; a row whose parameters are
 * flags; the same and a quantity; and the same with its input arrays as flags. */
enum { NO_ROW, MAYBE_ROW, ROW, ROW_PARAMS, ROW_QUANTITY, ROW_POINT };
/* One of the words of which a verb takes any number: what it means, and the flags that have an effect on it,
 * "dim base", or "". */
struct verb_word { const char *name, *says, *takes; };
/* A verb of the program; each file harness/NAME.c defines verb_NAME. */
struct verb {
    const char *name, *args, *help; /* "eval", "ROW QUANTITY", one line */
    int row;                        /* NO_ROW .. ROW_POINT */
    int least, most;                /* how many words it takes */
    const struct flag *flags;       /* its own, or NULL; --help is common to all verbs */
    int (*run)(const struct cli *c);/* returns the exit status */
    /* NULL, or: sets *to to the k-th word, from 0, of those that may be given, in any number; false: there are no more.
     * Other words are refused, and a flag that some words take where none of the given ones does; no word is all. */
    bool (*choice)(int k, struct verb_word *to);
};
extern const struct verb *const verbs[]; /* generated: build/verbs.h; ends with NULL */

/* Reads argv[1] .. argv[argc - 1] for the verb v.  0; or an exit status after one line on standard error; or -1 after
 * help was printed.  The words and values of *c point into argv.  One command line is read at a time: cli_unused
 * speaks of the last. */
int cli_parse(struct cli *c, const struct verb *v, int argc, char **argv);
/* The first flag that was given and that nobody has asked cli_value or cli_has about since, so that it had no effect;
 * NULL where there is none. */
const char *cli_unused(const struct cli *c);
/* The value of the flag, "" for a switch; `otherwise` where it was not given. */
const char *cli_value(const struct cli *c, const char *name, const char *otherwise);
bool cli_has(const struct cli *c, const char *name); /* whether the flag was given */
/* The next value of a flag that may be given more than once, in the order of the command line, *k counting from 0;
 * NULL: none is left. */
const char *cli_each(const struct cli *c, const char *name, int *k);
/* The flag's value as an integer, `otherwise` where it was not given; false after one line on standard error where it
 * is none from least to most. */
bool cli_long(const struct cli *c, const char *name, long otherwise, long least, long most, long *x);
/* Prints "meridian VERB: ..." as one line on standard error, control bytes as '?'; returns EXIT_USAGE. */
int cli_error(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A named contract of the row, or its text as given ("phase=f32 table=f32"); NULL after one line on stderr. */
const char *cli_contract(const struct cli *c, const char *name);
bool colour(FILE *f); /* whether f is a terminal and the environment does not set NO_COLOR */
#endif
