/* What is known of the failures of a kernel; see failures.h. */
#include "diagnose/joint/failures.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trial/change.h"

/* KERNELS are remembered, since a subject's kernels are asked by questions and then once more by checks; the one that
 * was named longest ago is forgotten first. */
enum { KERNELS = 24 };
static struct failures none, *known[KERNELS], *here = &none;
static long turn;

static void forget(struct failures *j)
{
    for (int k = 0; k < j->n; k++)
        trial_close(&j->kept[k]);
    *j = (struct failures){ .n = 0 };
}

/* The entry of that name; else a new one, in a free place or that of the one named longest ago. */
static struct failures *kernel_named(const char *about)
{
    int at = 0;
    for (int k = 0; k < KERNELS; k++) {
        if (known[k] && !strcmp(known[k]->about, about))
            return known[k];
        if (known[at] && (!known[k] || known[k]->asked < known[at]->asked))
            at = k;
    }
    known[at] = known[at] ? known[at] : need(1, sizeof **known);
    forget(known[at]);
    snprintf(known[at]->about, sizeof known[at]->about, "%s", about);
    return known[at];
}

void failures_keep(struct failures *f, const struct trial *t, bool fresh)
{
    char err[300];
    if (f->n == KEPT)
        return;
    struct trial *to = &f->kept[f->n];
    if (trial_copy(to, t, err, sizeof err))
        trial_close(to);
    else
        f->right[f->n] = false, f->fresh[f->n++] = fresh;
}

struct failures *failures_here(void) { return here; }

const struct failures *failures_sibling(const struct failures *f, int *next)
{
    while (*f->row && *next < KERNELS) {
        const struct failures *other = known[(*next)++];
        if (other && other != f && !strcmp(other->row, f->row))
            return other;
    }
    return NULL;
}

bool failures_all_kept(const struct failures *f)
{
    long reported = 0;
    for (int k = 0; k < f->n; k++)
        reported += !f->fresh[k];
    return reported == f->failures - 1;
}

void failures_begin(const char *about)
{
    here = about && *about ? kernel_named(about) : &none;
    here->asked = ++turn;
    for (int k = 0; here == &none && k < KERNELS; k++) {
        if (known[k])
            forget(known[k]);
        free(known[k]), known[k] = NULL;
    }
}

void failures_of_kernel(const char *subject, const struct mer_kernel *k)
{
    char about[300];
    snprintf(about, sizeof about, "%.120s %s %.100s %s %p", subject, k->row, k->out, k->type, (const void *)k);
    failures_begin(about);
    snprintf(here->row, sizeof here->row, "%.120s %s", subject, k->row);
}
