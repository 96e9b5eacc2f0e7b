/* Subjects that are wrong on purpose: the reference, rounded once, under a named mistake of data/mistakes or with a
 * fault that no change of a
 * parameter can say.  Checks are tried on them. */
#ifndef FAULTS_H
#define FAULTS_H
#include "subject/subject.h"
#include "trial/mistake.h"
#include "trial/trial.h"
/* Faults of code, each with its source.  They keep what they remember between calls, as the code did.
 *   state       an earlier, longer call changes what a shorter one is answered         huggingface/transformers#25306
 *   twice       every other answer is one unit off in one place                         Dao-AILab/flash-attention#1897
 *   neighbour   a row follows the content of another row                               deepseek-ai/FlashMLA#212
 *   reduction   sines wrong from 48039 on                                              kekzl/imp#1317
 *   strides     arrays that are not dense are read as if they were                     flagos-ai/FlagGems#5896
 *   gaps        what lies between the elements of an output is written                 Dao-AILab/flash-attention#1661
 *   decode      one query alone: its bias, or its position, is lost                    keras-team/keras-hub#2861 */
struct fault_of_code { const char *name, *effect, *cite; };
extern const struct fault_of_code faults_of_code[]; /* ends with name NULL */

struct wrong {
    const struct mistake *mistake;
    const char *fault;
    struct mer_kernel kernel[2];
    long longest, asked;
    char profile[1024];
};
/* What answers row.out in elements of `type`, rounded once: mistake and fault NULL: right.  Its profile is sharp enough
 * to see every mistake: all float32 but frequencies and angles, which are float64. */
void subject_wrong(struct subject *s, struct wrong *w, const char *row, const char *out, int type,
    const struct mistake *m, const char *fault);
/* "rope.half", "fault.state": 0 with *m or *fault set, or -1: there is none of that name. */
int fault_find(const char *name, struct mistake *m, const char **fault);
#endif
