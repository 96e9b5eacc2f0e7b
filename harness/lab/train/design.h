/* The runs of `meridian extrapolate`: which tasks, encodings and seeds are trained, what they are asked
 * (data/extrapolate.tsv), and one run of them. */
#ifndef DESIGN_H
#define DESIGN_H
#include "lab/train/evaluate.h"
#include "lab/train/train.h"

/* SEEDS_MOST: seeds of a run that a page can read; TRIALS_MOST: questions of a size, or windows of text. */
enum { STUDIES = 16, SIZES = 16, DEPTHS = 8, SEEDS_MOST = 64, TRIALS_MOST = 1 << 20 };
/* One line of data/extrapolate.tsv.  encodings: names with blanks between; one in brackets is trained only where all
 * are wanted.  set: parameters of training.  depths 0: what is sought may stand anywhere. */
struct study {
    char task[16], encodings[200], set[200];
    long steps, seeds, sizes, depths, trials, size[SIZES];
    double depth[DEPTHS];
};
/* The next encoding of s; *at is NULL at first and is advanced.  1: a name; 2: one in brackets; 0: no more. */
int study_next(const struct study *s, const char **at, char name[40]);
/* What is wrong with parameters of training that a design's column or a flag sets beside what the design says: seed,
 * and in the column steps.  A text that the next call overwrites; NULL: nothing.  Other words are not judged here. */
const char *fault_of_set(const char *set, bool column);
/* Reads the design of a file into s[STUDIES].  Returns how many; -1 and one line in err, with the number of the line
 * that is wrong: also where it contradicts itself or an earlier line. */
long design_read(struct study *s, const char *path, char *err, size_t n);

/* The same of a design that compares settings of training (data/plateau.tsv): a task may have several lines, which
 * differ in their steps or parameters of training and ask the same. */
long settings_read(struct study *s, const char *path, char *err, size_t n);

/* Writes the parameters of a study's training as text into to[n]; set: further ones, which win. */
void study_training(const struct study *s, const char *set, long seed, char *to, size_t n);

/* The largest size that a study's training has rows of, set being as above: what fits into their length. */
int64_t study_trained(const struct study *s, const char *set);

/* A run: trained to its end, continuing what is there, then asked everything, with every variant that fits.  Answers go
 * to ASKED.answers as lines
 *   measure  variant  size  depth  value  n          value as %.17g; n: rows asked, or tokens of a loss; the first
 *   line is the training's identity
 * losses of text, or of windows of a task with a distance, also to ASKED.losses; PATH.checkpoint stays, so other
 * questions need no other training.  0; 1: answers were there already; -1 and one line. */
/* done: of the work of a run (work.h), what was done now; spared: what had been done before, by an earlier life. */
struct waited { double done, spared; };
struct run {
    const struct study *study;
    const char *encoding;
    long seed;
    char path[4200], asked[4200], text[400];
    /* The digest of the gates there are today ("": none are kept).  A run that begins its training writes it to
     * PATH.gates, and what stands there goes to the answers as "# gates HEX"; a training that began without it has
     * none. */
    char gates[65];
    struct waited *waited; /* shared with the process that waits for the run; NULL: nobody does */
};
/* Names the files of a run of r's study, encoding and seed in dir by these and digests: path by everything that the
 * weights depend on, asked by the questions too. */
int run_name(struct run *r, const char *dir, const char *set, const struct corpus *c, char *err, size_t n);
/* Does the run, r being named.  note: "", or a damaged checkpoint that was set aside.  Returns as above. */
int run_do(const struct run *r, const struct corpus *c, int workers, char *note, size_t note_size, char *err, size_t n);
#endif
