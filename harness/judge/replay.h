/* Commands to paste: what asks one question again, quoted for sh. */
#ifndef REPLAY_H
#define REPLAY_H
#include "judge/examine.h"
/* Whole, or "" where it does not fit: a command cut short asks something else. */
void replay_kernel(char *text, size_t n, const struct question *q);
void replay_case(char *text, size_t n, const struct subject *s, const char *id, const char *profile, long lines); /* profile: NULL = the pack's */
struct probe;
void replay_check(char *text, size_t n, const struct probe *p, const char *profile); /* profile: NULL = the kernel's own */
#endif
