/* Own kernels as a subject: those of one slot, each call in a child (contain.h). */
#include <stdio.h>
#include "subject/contain.h"
#include "subject/subject.h"
#include "kernels.h"

static int run_together(
    struct subject *s, const struct mer_kernel *k, struct mer_call *const *c, int n_c, char *why, size_t n)
{
    for (int i = 0; i < n_c; i++)
        if (trial_fits(k, c[i], why, n) != MER_OK)
            return MER_BAD;
    return contain_together(k, c, n_c, &(struct limits){ s->seconds, usual_limits.megabytes }, why, n);
}

static int run_here(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    return run_together(s, k, &c, 1, why, n);
}
static void close_list(struct subject *s) { free(s->state); }

int subject_own(struct subject *s, const char *slot, char *err, size_t n)
{
    size_t used = 0, room = 0;
    struct mer_kernel *list = NULL;
    for (const struct slot *o = slots; o->name; o++)
        if (!strcmp(o->name, slot) && o->here())
            for (const struct mer_kernel *k = o->kernel; k->row; k++) {
                if (used + 1 >= room) /* The last place is the end of the list, row NULL. */
                    room = 2 * room + 64, list = need_more(list, room, sizeof *list);
                list[used++] = *k, list[used] = (struct mer_kernel){ 0 };
            }
    if (!used)
        return snprintf(err, n, "slot '%s' is not on this machine", slot), -1;
    s->kernel = s->state = list;
    s->run = run_here, s->together = run_together;
    s->close = close_list;
    return 0;
}
