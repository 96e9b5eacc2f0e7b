/* A case: lines of text that build a folder and a command line.  Any line may be left out, which is how a case is
 * shrunk, and the lines are what
 * the corpus keeps.  An operand of any bytes is the rest of its line, escaped as in bytes.h.
 *   word TEXT               the next word of the command line
 *   env NAME=TEXT           a variable of its environment
 *   stdout PATH             where standard output goes, in place of a file of ours
 *   limit BYTES             no file may grow beyond
 *   refuse                  a word that holds "nosuch" was made to be nobody's: the command line must be refused
 *   guilty                  the subject errs or does what it must not: the exit status must not be 0
 *   kill MILLISECONDS       kill -9 after so long, then once more whole; with `same` behind it, what that leaves is
 * compared with what
 *                           a run leaves that was never killed
 *   end MILLISECONDS K      kill -9 after so long, of one process alone: the K-th of it and all that it started, modulo
 *                           their number, so that 0 is the program itself, whose children must then not outlive it;
 *                           `same` behind it as above, and where it exits with 0 all the same, at once
 *   file PATH TEXT, fifo PATH, folder PATH, link PATH TARGET
 *   copy FROM PATH          a file or folder of data/ ("data/models/llama.json")
 *   data PATH NAME          the file PATH takes the place of data/NAME for this run
 *   become PATH WHAT        the file is exchanged: link (to itself under another name), loop, fifo, folder, gone,
 * full, dangling, outside
 *   pack ROW PATH           what `export ROW --reference` wrote
 *   subject                 ./subject and ./subject.so, which do what the variable SUBJECT says (subject.c)
 *   store PATH              what `sweep` of a small recipe wrote
 *   json PATH K OP [TEXT]   the K-th value or key of a JSON text: replace, drop, double, rename, nest, move  
 * (damage.h)
 *   poke PATH AT TEXT, cut PATH N, append PATH TEXT, fill PATH AT N     bytes of a file; a place is taken modulo its
 * length
 *   npy PATH KEY TEXT       descr, fortran_order or shape in the header of a .npy file
 *   element PATH K TEXT     the K-th number of a .npy file
 *   line PATH K OP [TEXT]   the K-th line of a text: replace, drop, double, swap, field
 * PATHs lie in the case's folder and hold no blank; "pack/@7" is the seventh file of a folder that is not .json,
 * modulo their number.  A line that does not apply (a damage to a file that is not there) does nothing. */
#ifndef STORM_SCRIPT_H
#define STORM_SCRIPT_H
#include <limits.h>
#include <stdbool.h>
#include <sys/resource.h>
#include "bytes.h"

struct script { char **line; int n; };
void script_add(struct script *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* head as it is, a blank, the bytes escaped */
void script_tail(struct script *s, const char *head, const char *bytes, size_t n);
void script_word(struct script *s, const char *word);
void script_free(struct script *s);
/* all but [without, without + count) */
void script_copy(struct script *to, const struct script *from, int without, int count);
/* Reads the lines of a file (lines that begin with '#' are remarks) or of a text.  False where the file cannot be
 * read. */
bool script_read(struct script *s, const char *path);
void script_text(const struct script *s, struct bytes *t); /* adds one line for each */
/* What a person may paste into a shell: `meridian` and the words. */
void script_command(const struct script *s, struct bytes *t);

/* Where cases live: root/case is the folder of the case at hand, root/made what was exported once, root/data a copy
 * of data/. */
/* origin: what data was copied from; build: where subject.so is */
struct places { char root[200], made[260], data[260], origin[260], folder[260], tmp[260], build[260]; };
struct world {
    char **argv;
    int argc, kill_ms;
    int end_ms, end_of;   /* the end of one process: after so long, and which; 0 ms: none */
    bool same;            /* what it leaves is compared */
    struct bytes env;      /* NAME=TEXT, each with its zero byte */
    struct bytes damaged;  /* " PATH" of each file that was damaged */
    struct bytes replaced; /* names of files of data/, each with its zero byte */
    char out[PATH_MAX];   /* standard output, or "" */
    rlim_t limit;         /* RLIM_INFINITY: none */
    bool again;           /* asked once more in the folder that a kill left */
    bool refuse, guilty, foreign; /* foreign: code that is not ours takes part, so that it may crash */
};
/* Empties the folder and builds it again. */
void world_build(struct world *w, const struct script *s, const struct places *p);
void world_free(struct world *w, const struct places *p); /* and data/ is as it was */
void folder_empty(const char *path); /* removes everything in it, and keeps it; nothing where it is not there */
/* files and folders, not what lies behind links; false where there is nothing */
bool folder_copy(const char *from, const char *to);
#endif
