/* Commands to paste: what asks one question again, quoted for sh. */
#ifndef REPLAY_H
#define REPLAY_H
#include "judge/examine.h"
/* Whole, or "" where it does not fit: a command cut short asks something else. */
void replay_kernel(char *text, size_t n, const struct question *q);
/* profile: NULL = the pack's */
void replay_case(char *text, size_t n, const struct subject *s, const char *id, const char *profile, long lines);
/* check: its name; profile, declaration (a file's name): NULL = none is said, and the kernel's own holds. */
void replay_check(char *text, size_t n, const struct question *q, const char *check, const char *profile);
#endif
