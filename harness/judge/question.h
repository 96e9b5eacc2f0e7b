/* One question to one kernel of a subject, as it is judged (examine/examine.h), asked again where it fails
 * (examine/smallest.h), and written as a command that repeats it (replay.h). */
#ifndef JUDGE_QUESTION_H
#define JUDGE_QUESTION_H
#include "judge/declaration.h"
#include "subject/subject.h"
/* All pointers are borrowed. */
struct question {
    const struct subject *subject;
    const struct mer_kernel *kernel;
    /* The text of a preset; the outputs, NULL for all that the kernel has; sizes as trial_make reads them, or NULL. */
    const char *params, *out, *sizes;
    uint64_t seed;
    long lines;                       /* compared of each output, a random sample where it has more; 0: all */
    /* The claim about the kernel, or NULL.  Its conventions and profile already stand in params and in the kernel; here
     * it limits sizes and positions. */
    const struct declared *claim;
    /* The question uses what the claimed conventions do not mention, such as optional inputs: declining it is no
     * failure. */
    bool beyond;
    /* All conventions that the subject is asked under, this one among them; ends with name NULL.  NULL: the presets of
     * the row. */
    const struct preset *conventions;
    bool stated;                      /* sizes are somebody's own: where they do not hold, nothing is asked */
    /* The question as a line (climb.h), where its inputs were drawn; NULL: sizes and seed make them. */
    const char *drawn;
};
#endif
