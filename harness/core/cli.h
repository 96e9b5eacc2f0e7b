/* The command line: `meridian VERB [WORD ...] [--flag value ...]`.  A verb declares its flags; where its first word is a row, the row's
 * parameters and (second word: a quantity) its input arrays are flags too.  Anything else is refused with the allowed names. */
#ifndef CLI_H
#define CLI_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "row.h"

enum { EXIT_PASS = 0, EXIT_FAIL = 1, EXIT_USAGE = 2, EXIT_CRASH = 3, EXIT_NOTHING = 77 };
enum { CLI_WORDS = 256, CLI_VALUES = 64 };
struct flag { const char *name, *value, *help; }; /* value: what it takes, or NULL for a switch; a list ends with name NULL */
struct cli {
    const struct verb *verb;
    const char *word[CLI_WORDS];
    int words;
    const struct row *row;      /* of word[0], where the verb takes a row */
    const struct quantity *q;   /* of word[1], where the verb takes a quantity */
    char params[TEXT_MAX];      /* "dim=128 base=500000": the row's parameters that were given */
    struct { const char *name, *value; } given[CLI_VALUES];
    int n_given;
};
enum { NO_ROW, MAYBE_ROW, ROW, ROW_QUANTITY };
struct verb {
    const char *name, *args, *help; /* "eval", "ROW QUANTITY", one line */
    int row;                        /* NO_ROW .. ROW_QUANTITY */
    int least, most;                /* words */
    const struct flag *flags;       /* beside the common ones */
    int (*run)(const struct cli *c);/* returns the exit status */
};
extern const struct verb *const verbs[]; /* generated: build/verbs.h; ends with NULL */

/* 0, or an exit status after one line on stderr; 1 + EXIT_PASS (-1) means help was printed. */
int cli_parse(struct cli *c, const struct verb *v, int argc, char **argv);
const char *cli_value(const struct cli *c, const char *name, const char *otherwise);
bool cli_has(const struct cli *c, const char *name);
bool cli_long(const struct cli *c, const char *name, long otherwise, long least, long most, long *x); /* false after one line on stderr */
int cli_error(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3))); /* prints "meridian VERB: ..."; returns EXIT_USAGE */
/* A named contract of the row, or its text as given ("phase=f32 table=f32"); NULL after one line on stderr. */
const char *cli_contract(const struct cli *c, const char *name);
bool colour(FILE *f); /* a terminal, and no NO_COLOR */
#endif
