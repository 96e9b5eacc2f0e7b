/* A kernel asked again with every array beside an unreadable page: the same bits, inputs unchanged, nothing written
 * beside an array. After dav1d's checkasm. */
#ifndef GUARD_H
#define GUARD_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>
#include "trial/trial.h"

enum { GUARD_PAGE = 4096 };
static inline size_t guard_bytes(const struct mer_array *a) { return (size_t)array_len(a) * type_size(a->type); }
static inline size_t guard_room(size_t bytes) { return (bytes + GUARD_PAGE) / GUARD_PAGE * GUARD_PAGE; }

/* Memory of whole pages with an unreadable one on each side; the array ends, or begins, there. */
static inline void *guarded(size_t bytes, bool behind)
{
    size_t room = guard_room(bytes);
    unsigned char *p = mmap(NULL, room + 2 * GUARD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(p != MAP_FAILED && !mprotect(p, GUARD_PAGE, PROT_NONE) &&
        !mprotect(p + GUARD_PAGE + room, GUARD_PAGE, PROT_NONE));
    memset(p + GUARD_PAGE, 0xa5, room);
    return behind ? p + GUARD_PAGE + room - bytes : p + GUARD_PAGE;
}

/* Asks k again for the trial t, which it has answered before.  The answer is NULL, or what is wrong, with the array's
 * name in bad[n]. */
static inline const char *guard_ask(const struct mer_kernel *k, struct trial *t, bool behind, char *bad, size_t n)
{
    struct mer_array in[24], out[4];
    struct mer_call moved = t->call;
    const char *wrong = NULL;
    cr_assert(moved.n_in <= 24 && moved.n_out <= 4);
    for (int j = 0; j < moved.n_in + moved.n_out; j++) {
        bool given = j < moved.n_in;
        struct mer_array *a = given ? &in[j] : &out[j - moved.n_in];
        *a = given ? t->in[j] : t->out[j - moved.n_in];
        void *from = a->data;
        a->data = guarded(guard_bytes(a), behind);
        if (given)
            memcpy(a->data, from, guard_bytes(a));
        else
            memset(a->data, 0xff, guard_bytes(a));
    }
    moved.in = in, moved.out = out;
    if (mer_ask(k, &moved) != MER_OK)
        wrong = "not offered there";
    for (int j = 0; j < moved.n_in + moved.n_out; j++) {
        const struct mer_array *a = j < moved.n_in ? &in[j] : &out[j - moved.n_in],
                               *b = j < moved.n_in ? &t->in[j] : &t->out[j - moved.n_in];
        const unsigned char *from = a->data;
        const char *here = wrong ? wrong :
            memcmp(from, b->data, guard_bytes(a)) ?
                                   j < moved.n_in ? "an input was changed" : "another place gives other bits" :
            (behind ? from[-1] : from[guard_bytes(a)]) != 0xa5 ? "something was written beside it" :
                                                                 NULL;
        if (here && !wrong)
            wrong = here, snprintf(bad, n, "%s", a->name);
    }
    for (int j = 0; j < moved.n_in + moved.n_out; j++) {
        struct mer_array *a = j < moved.n_in ? &in[j] : &out[j - moved.n_in];
        size_t room = guard_room(guard_bytes(a));
        munmap((unsigned char *)a->data - (behind ? room - guard_bytes(a) : 0) - GUARD_PAGE, room + 2 * GUARD_PAGE);
    }
    return wrong;
}
#endif
