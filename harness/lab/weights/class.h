/* A model of another program: what its configuration and data/weights/TYPE.tsv say, and its weights by their roles.
 * The table is that of the configuration's model_type; a new class is a new table.  Its lines:
 *   prefix TEXT                      names of tensors may begin with it, or not
 *   size LETTER EXPRESSION           an extent: c width, f of the feed-forward layer, v tokens, p rows of trained
 *                                    positions (h, g and d, heads, heads of keys and their width, are the card's)
 *   rule NAME EXPRESSION             norm 'layernorm' or 'rmsnorm'; eps; act; order 'pre', 'parallel' or
 *                                    'parallel-in-turn'; and where a class has them: offset, added to the gain of every
 *                                    norm; embed_scale, 0 for the root of the width; residual, what a branch is
 *                                    multiplied by; logit_scale; cap of the logits, 0 for none
 *   tensor ROLES NAMES AXES [WHEN]   what the tensor is, by one of these names (* in it: the layer, #: a head); without
 *                                    WHEN, or where it is true, it must be there, else it must not; role -: it may be
 *                                    there, and is not read
 * AXES: letters of one axis stand side by side, the slowest first; (A+B+C) are its parts, of one role each.
 * c,(hd+hd+hd) is q before k before v; h(d+d+d),c has them side by side in each head; g(r+1+1)d,c in each head of
 * keys, with its r heads of queries.  A norm of a whole branch is post1 or post2, of q and k by head q_norm (d) or
 * q_heads (h,d), of all heads together q_whole (hd).  A branch without norm1 or norm2 reads what the layer is given,
 * in parallel what norm1 gave.  Expressions: facts/formula.h. */
#ifndef CLASS_H
#define CLASS_H
#include <stdbool.h>
#include "lab/weights/released.h"
#include "lab/weights/weights.h"
#include "facts/formula.h"

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
    POST1,
    POST2,
    Q,
    Q_BIAS,
    K,
    K_BIAS,
    V,
    V_BIAS,
    O,
    O_BIAS,
    Q_NORM,
    Q_NORM_BIAS,
    Q_HEADS,
    Q_WHOLE,
    K_NORM,
    K_NORM_BIAS,
    K_HEADS,
    K_WHOLE,
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
    char type[64], norm[24], act[24];
    char eps[40], offset[40], embed_scale[40], residual[40], logit_scale[40], cap[40]; /* "": there is none */
    bool parallel, in_turn;               /* branches side by side; the first is then added to x before the second */
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
/* The two halves of class_open: takes a configuration, which is owned from now on, and finds its
 * type; and reads the table of the type, which may be done again after the configuration was changed.  file:
 * what errors call the configuration. */
int class_begin(struct class_reading *r, struct foreign *m, json_t *config, const char *file, char *err, size_t n);
int class_rules(struct class_reading *r, char *err, size_t n);
/* What an expression is as text, "" and false where it has no value. */
bool class_value(struct class_reading *r, const char *expression, char *text, size_t n);
void foreign_close(struct foreign *m);
/* Fills rope and attention of all layers and the sizes h, g and d from the card of the configuration. tokens: how many
 * are in use, for laws that depend on it.  0, or -1 and one line. */
int class_sight(struct class_reading *r, const char *file, long tokens, char *err, size_t n);
/* Whether class_sight follows a key of a card's kind of layers or of its rules, or refuses a card that has it; UNKNOWN:
 * nobody has decided, and it is refused too. */
enum card_object { CARD_KIND, CARD_RULES };
enum card_key { KEY_UNKNOWN, KEY_FOLLOWED, KEY_REFUSED };
enum card_key class_key(enum card_object of, const char *key);
/* Fills the weights from the folder's files by the table.  0, or -1 and one line that names a tensor that is missing,
 * or is none of the class's, or has another shape, with the file and what is expected. */
int class_bind(struct class_reading *r, const struct checkpoint_files *w, char *err, size_t n);
/* The other way round: the tensors that a checkpoint of the class has, from the model's weights, under the first name
 * that the table has for each.  What is added and the model has not, a bias or positions, is zeros. *list: owned, as
 * the names and the data; released_free is due.  0, or -1 and one line: the model has weights that no tensor of the
 * class holds, or the class has tensors that the model has no weights for. */
int class_release(struct class_reading *r, struct released *list, char *err, size_t n);
#endif
