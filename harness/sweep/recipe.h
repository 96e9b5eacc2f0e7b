/* Recipes of sweeps: plain text, read whole before anything runs.  data/README.md has the syntax; every error names
 * file, line and column.
 *   title   Error against length
 *   seed = 1..3                          axes before the first measure hold for every block
 *   measure accuracy                     a block: one measure, one or more rows, their axes
 *   row     rope sinusoid
 *   length = 1 3 8..2^20 *4              a list; a..b with step +s (default 1) or ratio *q (rounded to integers); 2^20
 *   memory = @m-@n+1                     a sum of integers and of other axes of the cell
 *   figure  NAME y=gauge x=length by=row what is drawn: chart.h */
#ifndef RECIPE_H
#define RECIPE_H
#include <stddef.h>

enum { RECIPE_AXES = 40, RECIPE_VALUES = 4096, RECIPE_BLOCKS = 64, RECIPE_FIGURES = 32, FIGURE_KEYS = 20 };
struct recipe_place { int line, column; };
struct value { char *text; struct recipe_place at; };                      /* of a range: where the range stands */
struct axis { char name[40]; struct recipe_place at; struct value *value; long n; };
struct recipe_block {
    struct value measure, *row;                                      /* row NULL: the measure has none */
    long rows;
    struct axis axis[RECIPE_AXES];
    int axes;
};
struct figure_line {
    char name[40];
    struct recipe_place at;
    struct {
        char key[24];
        struct value value;
    } key[FIGURE_KEYS];
    int keys;
};
struct recipe {
    char path[1024], name[64], title[200], *text;                    /* text: the file as it was read */
    struct recipe_block common, block[RECIPE_BLOCKS];
    int blocks, figures;
    struct figure_line figure[RECIPE_FIGURES];
};

/* A file by its path, or data/recipes/NAME.recipe.  0, or -1 and one line "FILE:LINE:COLUMN: what was found; what is
 * allowed".  recipe_close is due either way. */
int recipe_open(struct recipe **r, const char *name, char *err, size_t n);
/* The same from a text; path is for messages. */
int recipe_read(struct recipe **r, const char *path, const char *text, char *err, size_t n);
void recipe_close(struct recipe *r);
/* Writes "FILE:LINE:COLUMN: " and the message to err, and returns -1. */
int recipe_error(const struct recipe *r, struct recipe_place at, char *err, size_t n, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
const char *figure_key(const struct figure_line *f, const char *key, const char *otherwise);
#endif
