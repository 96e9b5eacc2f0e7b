/* Losses window by window; see windows.h. */
#include "lab/run/windows.h"
#include <string.h>

struct windows windows_over(long n, long length, long stride)
{
    const struct windows w = { n, length < n ? length : n, stride, 1 };
    return (struct windows){ w.n, w.length, w.stride, 1 + (n - w.length + stride - 1) / stride };
}
long windows_from(const struct windows *w, long k)
{
    return k * w->stride < w->n - w->length ? k * w->stride : w->n - w->length;
}
long windows_first(const struct windows *w, long k) { return k ? windows_from(w, k - 1) + w->length : 1; }

/* Observes one window: keeps the losses of the tokens from `first` on. */
struct observer {
    struct stages stages;
    const struct foreign *m;
    const int64_t *token; /* of the window */
    double *loss;         /* of the window's tokens */
    long first, n;
};
static void observe(struct stages *s, long stage, struct mer_array *x)
{
    const struct observer *k = (const struct observer *)s;
    const long v = k->m->size['v'];
    const float *logits = x->data;
    if (stage <= k->m->layers)
        return;
    for (long i = k->first; i < k->n; i++)
        k->loss[i] = opened_loss(logits + (i - 1) * v, v, k->token[i]);
}

int windows_losses(const struct windows *w, const struct foreign *m, const char *words, const int64_t *token,
    double *loss, bool *ahead, char *err, size_t n)
{
    struct engine e;
    int rc = 0;
    engine_kernels(&e);
    snprintf(e.words, sizeof e.words, "%s", words);
    loss[0] = 0;
    for (long k = 0; k < w->count && !rc; k++) {
        const long from = windows_from(w, k);
        struct observer see = { { observe }, m, token + from, loss + from, windows_first(w, k) - from, w->length };
        rc = walk(&e, (struct prompt){ m, token + from, w->length }, &see.stages, err, n);
    }
    *ahead = !rc && walk_ahead(&e, m, w->length);
    e.close(&e);
    return rc;
}
