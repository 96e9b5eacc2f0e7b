/* Commands that ask one question again, quoted for sh, to be pasted into a terminal.  Each function writes the whole
 * command to text[n], or "" where it does not fit: a command cut short would ask something else. */
#ifndef REPLAY_H
#define REPLAY_H
#include "judge/question.h"
/* The command for question q of a kernel. */
void replay_kernel(char *text, size_t n, const struct question *q);
/* The command for case `id` of pack s.  profile NULL: that of the pack holds. */
void replay_case(char *text, size_t n, const struct subject *s, const char *id, const char *profile, long lines);
/* The command for the check of that name on q's row, output, type and parameters.  profile NULL: the kernel's own
 * holds. */
void replay_check(char *text, size_t n, const struct question *q, const char *check, const char *profile);
#endif
