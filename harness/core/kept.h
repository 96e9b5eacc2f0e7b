/* Names that outlive whoever gave them: what a subject was asked for is printed long after the caller's buffer is
 * gone. */
#ifndef KEPT_H
#define KEPT_H
/* A copy of `text` that lives until the program ends and is never changed; the same text gives the same pointer.  Not
 * for threads. */
const char *kept(const char *text);
#endif
