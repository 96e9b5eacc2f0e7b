/* A model of another program: what its configuration and data/weights/TYPE.tsv say, and its weights by their roles.
 * The table is that of the configuration's model_type; a new class is a new table.  Its lines:
 *   prefix TEXT                      names of tensors may begin with it, or not
 *   size LETTER EXPRESSION           an extent: c width, f of the feed-forward layer, v tokens, p rows of trained
 *                                    positions (h, g and d, heads, heads of keys and their width, are the card's)
 *   rule NAME EXPRESSION             norm 'layernorm' or 'rmsnorm'; eps; act; order 'pre' or 'parallel'
 *   tensor ROLES NAMES AXES [WHEN]   what the tensor is, by one of these names (* in it: the layer); without WHEN, or
 *                                    where it is true, it must be there, else it must not; role -: it may be there, and
 *                                    is not read
 * AXES: letters of one axis stand side by side, the slowest first; a digit counts the roles.  c,3hd is [c][3 h d], q
 * before k before v; h3d,c has q, k and v side by side in each head.  Expressions: model/formula.h. */
#ifndef CLASS_H
#define CLASS_H
#include <stdbool.h>
#include "lab/weights/weights.h"
#include "model/formula.h"

/* What a tensor is.  Matrices are kept as [out][in], whatever the file has. */
enum role {
    EMBED,
    PLACE,
    HEAD,
    HEAD_BIAS,
    NORM,
    NORM_BIAS,
    NORM1,
    NORM1_BIAS,
    NORM2,
    NORM2_BIAS,
    Q,
    Q_BIAS,
    K,
    K_BIAS,
    V,
    V_BIAS,
    O,
    O_BIAS,
    Q_NORM,
    K_NORM,
    GATE,
    GATE_BIAS,
    UP,
    UP_BIAS,
    DOWN,
    DOWN_BIAS,
    ROLES
};
/* A layer: its weights, float32, owned, data NULL where there is none; rope, attention: the rows' parameters in words,
 * owned, "" where nothing turns.  One layer more than there are holds what is of no layer. */
struct model_layer { struct mer_array of[ROLES]; char *rope, *attention; };
struct foreign {
    char type[64], norm[24], eps[40], act[24];
    bool parallel;                        /* attention and feed-forward layer side by side */
    long size[128], layers;               /* extents by letter */
    struct model_layer *layer;            /* layers + 1 of them, owned */
};
/* What was read so far: the configuration and the class's table. */
struct class_reading { struct foreign *m; json_t *config; struct formula f; struct type_facts facts; char table[700]; };

/* Reads FOLDER/config.json, puts the values of `set` into it ("KEY=JSON", ends with NULL), and reads the table of its
 * type: r->m has sizes, rules and layers, but no weights.  0, or -1 and one line in err; class_close is due either way,
 * and foreign_close of m. */
int class_open(struct class_reading *r, struct foreign *m, const char *folder, const char *const *set, char *err,
    size_t n);
void class_close(struct class_reading *r);
/* What an expression is as text, "" and false where it has no value. */
bool class_value(struct class_reading *r, const char *expression, char *text, size_t n);
void foreign_close(struct foreign *m);
/* Fills rope and attention of all layers and the sizes h, g and d from the card of the configuration. tokens: how many
 * are in use, for laws that depend on it.  0, or -1 and one line. */
int class_sight(struct class_reading *r, const char *file, long tokens, char *err, size_t n);
/* Fills the weights from the folder's files by the table.  0, or -1 and one line that names a tensor that is missing,
 * or is none of the class's, or has another shape, with the file and what is expected. */
int class_bind(struct class_reading *r, const struct checkpoint_files *w, char *err, size_t n);
#endif
