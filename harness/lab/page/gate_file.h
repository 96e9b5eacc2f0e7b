/* The file of gates, data/gates.tsv: orderings that the field has published, one a line:
 *   id  task  measure  worse  what  better  margin  known  source      separated by tabs; a side is
 *   encoding/variant@size[:depth]; known: "seen", an earlier run of this project showed how it comes out, or "new" */
#ifndef GATE_FILE_H
#define GATE_FILE_H
#include <stdbool.h>
#include <stddef.h>

enum { GATES_MOST = 256 };
struct side { char encoding[32], variant[32]; long size; double depth; };
/* against: "", or the id of a gate that cannot hold together with this one and perhaps others */
struct gate {
    char id[80], task[16], measure[16], worse[64], what[16], better[64], known[16], source[200], against[80];
    double margin;
    struct side side[2]; /* of worse, better */
};
/* Whether the measure is a loss of text, whose single symbols have an entropy. */
bool measure_of_text(const char *measure);
/* Whether the measure is a loss, of which less is better; of all others more is. */
bool measure_is_loss(const char *measure);
/* Whether it is a share of trials. */
bool measure_is_share(const char *measure);
/* Reads a file into g[GATES_MOST] and sets `against`.  Returns how many; -1 and one line in err: it cannot be read, or
 * a line is none, with its number, or an id is there twice. */
long gates_read(const char *path, struct gate *g, char *err, size_t n);
/* Whether one of the gates of a file says the same of the same sides, whatever its id, its source and what is known. */
bool gates_have(const struct gate *g, long n, const struct gate *one);
/* Writes the SHA-256 of the file into hex, and a copy of it to DIR/gates-HEX.tsv where none is yet, so that a run can
 * keep from before its training which gates there were.  0, or -1 and one line in err. */
int gates_keep(const char *path, const char *dir, char hex[65], char *err, size_t n);
#endif
