/* `lab run --length N`: losses of a model on a text, window by window, and the same under changes at evaluation. */
#ifndef RUN_WINDOWS_H
#define RUN_WINDOWS_H
#include "lab/run/opened.h"

/* Windows of `length` tokens over a text of n, each `stride` further than the last; the last one ends with the text,
 * and is as long as the others where the text is.  Every token but the first is predicted once, in the first window
 * that has it; `before`, the tokens that it sees there, are length - stride at least behind the first window. */
struct windows { long n, length, stride, count; };
/* The windows of a text of n tokens, n > 1, 0 < stride < length; a shorter text is one window. */
struct windows windows_over(long n, long length, long stride);
/* Where window k begins, and the first token that is predicted in it; the tokens behind, up to the next window's first,
 * are predicted in it too. */
long windows_from(const struct windows *w, long k);
long windows_first(const struct windows *w, long k);
/* Losses in nats of every token, loss[n], loss[0] is 0: of a model by own kernels, under words of rows that win.
 * *ahead: whether a token sees what stands behind it.  0, or -1 and one line. */
int windows_losses(const struct windows *w, const struct foreign *m, const char *words, const int64_t *token,
    double *loss, bool *ahead, char *err, size_t n);
/* Runs `lab run FOLDER --length N`; an exit status, errors said. */
int windows_run(const struct cli *c);
#endif
