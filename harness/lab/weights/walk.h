/* The pass of a model of another program, from tokens to logits, in rows: every operation is a question to an engine,
 * which answers it by this project's kernels (engine_kernels) or by the rows' pages (engine_pages).
 *   x = embed[token] (* scale) (+ place)
 *   pre       x += post1 o(attend(norm1 x))     x += post2 down(act(norm2 x))
 *   parallel  x = (down(act(norm2 x)) + o(attend(norm1 x))) + x, or x = (x + o(..)) + down(..) in turn
 *   logits = head(norm x) (* scale) (capped), the embedding's table where there is no head
 * act: a(up), or a(gate) up; q, k and v have biases, norms of a head or of all (before the rotation) and rotations
 * where the model has them; a norm that it has not changes nothing, and in parallel norm2 is then norm1.  Each branch
 * may be multiplied by a number before it is added. */
#ifndef WALK_H
#define WALK_H
#include "ball/ball.h"
#include "lab/weights/class.h"

/* A question: output `out` of a row under parameters in words, of its inputs by their names.  fixed: words that win
 * over the model's are not about it. */
struct row_question { const char *row, *out, *params; struct mer_array in[4]; int n; bool fixed; };
struct engine {
    int type;                             /* of the values: MER_F32, or BALLS */
    size_t size;                          /* of an element of that type */
    /* Answers q into y, whose extents are set and whose data has room.  0, or -1 and one line in err. */
    int (*ask)(struct engine *e, const struct row_question *q, struct mer_array *y, char *err, size_t n);
    void (*close)(struct engine *e);      /* gives back what the engine holds, and the balls of every answer */
    void *own;
    char words[600];                      /* parameters that win over the model's: "rope layout=interleaved; .." */
};
/* Own kernels in float32, matrices by fast/core/block/gemm.h. */
void engine_kernels(struct engine *e);
/* Pages in balls that hold every implementation of the arithmetic that the profile declares: its words as for judge, or
 * behind ROW. for one row.  0, or -1 and one line: a word that no row here knows.  engine->close is due either way. */
int engine_pages(struct engine *e, const char *profile, char *err, size_t n);
/* What looks on at the stages of a pass: at(.., stage, x) sees x[n][c] behind the embedding (stage 0) and behind layer
 * stage - 1, the last norm behind the last layer, and the logits x[n][v] (stage layers + 1).  It may put other numbers
 * into x, of float32 too, whose data is then the pass's to free: the pass goes on from them. */
struct stages { void (*at)(struct stages *s, long stage, struct mer_array *x); };
/* A model and the tokens that it is given. */
struct prompt { const struct foreign *m; const int64_t *token; long n; };
/* Computes all stages, in values of the engine. 0, or -1 and one line in err. */
int walk(struct engine *e, struct prompt q, struct stages *s, char *err, size_t n);
/* Whether in some layer a query gives weight to a key behind its own place, among n tokens or the first WALK_AHEAD of
 * them, asked of row attention under the model's words and those that win over them; false too where the engine has no
 * answer.  The engine is one of float32. */
enum { WALK_AHEAD = 64 };
bool walk_ahead(struct engine *e, const struct foreign *m, long n);
/* The rows that a model is made of; ends with NULL. */
extern const char *const walk_rows[];
#endif
