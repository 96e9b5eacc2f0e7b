/* Copies of texts that live as long as the program: the name that a subject was asked for is printed long after the
 * caller's buffer is gone. */
#ifndef KEPT_H
#define KEPT_H
/* A copy of `text` that lives until the program ends and is never changed; equal texts give the same pointer.  Not
 * for concurrent use by threads. */
const char *kept(const char *text);
#endif
