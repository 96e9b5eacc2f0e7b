/* Says what a fingerprint has found; see fingerprint.h. */
#include "fingerprint/fingerprint.h"
#include <stdio.h>
#include <stdlib.h>

bool fingerprint_whole(const struct fingerprint *f)
{
    return f->of > 0 && f->explained > 0 && f->explained + f->vague == f->of && f->vague <= f->explained && !*f->nature;
}

void fingerprint_verdict(const struct fingerprint *f, char *text, size_t n)
{
    if (fingerprint_whole(f))
        snprintf(text, n, "= ");
    else if (f->undecided && !*f->nature)
        snprintf(text, n,
            "UNDECIDED: 0 of %ld elements lie outside, but the bounds of %ld are too wide to tell; not refuted: ",
            f->of, f->vague);
    else
        snprintf(text, n, "NOT EXPLAINED; the closest is ");
}

void fingerprint_brief(const struct fingerprint *f, char *text, size_t n)
{
    char err[200], brief[TEXT_MAX];
    void *p = need(1, f->row->size);
    params_read(row_params(f->row), p, f->params, err, sizeof err);
    params_brief(row_params(f->row), p, brief, sizeof brief);
    params_clear(row_params(f->row), p), free(p);
    snprintf(text, n, "%s; %s%s%s", *brief ? brief : "(defaults)", f->storage, *f->coarse ? ", " : "", f->coarse);
}
