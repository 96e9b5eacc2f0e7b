/* The steps that a text goes through before it is cut into tokens: normalizers and pre-tokenizers, each of a kind that
 * the file names by its "type".  A Sequence is its steps one after the other. */
#ifndef TOKEN_STAGE_H
#define TOKEN_STAGE_H
#include <jansson.h>
#include <stdbool.h>
#include "lab/token/pieces.h"
#include "lab/text/regex.h"

struct stage_kind;
/* What a step was told; which of it means something is up to its kind.  text[n], pattern: owned. */
struct stage {
    const struct stage_kind *kind;
    struct regex *pattern;
    char *text;
    size_t n;
    int way;                      /* a behavior, or a scheme */
    bool flag[4];
    int64_t length;
};
struct stage_kind {
    const char *type;
    /* Takes what a JSON object says; NULL: there is nothing to take.  0, or -1 and one line in err. */
    int (*read)(struct stage *s, const json_t *of, char *err, size_t n);
    /* Appends to `to` what becomes of the piece v: a normalizer its bytes, a splitter whole pieces. 0, or -1 and one
     * line. */
    int (*run)(const struct stage *s, const struct piece_view *v, struct pieces *to, char *err, size_t n);
};
/* The kinds; each list ends with type NULL. */
extern const struct stage_kind normalizer_kinds[], splitter_kinds[];

/* Steps in their order, owned; {0} are none. */
struct stages_of { struct stage *of; size_t n; bool splits; };
/* Reads what the file has under `key` ("normalizer", "pre_tokenizer") by those kinds; null and nothing are no steps.
 * 0, or -1 and one line that names the step; stages_free is due either way. */
int stages_read(struct stages_of *s, const json_t *root, const char *key, char *err, size_t n);
void stages_free(struct stages_of *s);
/* Takes every piece that is no token yet through all steps.  *p is replaced.  0, or -1 and one line. */
int stages_run(const struct stages_of *s, struct pieces *p, char *err, size_t n);

/* Fields of JSON objects.  A flag that is absent or null is `otherwise`; a text is borrowed.  0, or -1 and one line: of
 * another type, or (text) not there. */
int part_flag(const json_t *of, const char *key, bool otherwise, bool *to, char *err, size_t n);
int part_text(const json_t *of, const char *key, const char **to, size_t *length, char *err, size_t n);
/* Which of the names, a list that ends with NULL, the text under `key` is; `otherwise` where it is absent. */
int part_choice(const json_t *of, const char *key, const char *const *names, int otherwise, int *to, char *err,
    size_t n);
/* The pattern under "pattern": {"String": text} or {"Regex": expression}. */
int part_pattern(struct stage *s, const json_t *of, char *err, size_t n);
/* Keeps a copy of the text under `key` in s. */
int part_kept(struct stage *s, const json_t *of, const char *key, char *err, size_t n);
/* The character that stands for a byte in byte-level vocabularies (GPT-2): printable ones for themselves, the others
 * by U+0100 and on, in order. */
int32_t byte_character(unsigned char byte);
#endif
