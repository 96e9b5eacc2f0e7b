/* Does what a test runs give its memory back?  Memory is looked at when the thread that ran it has ended, and with it
 * what its allocator kept at hand. */
#ifndef GIVEN_BACK_H
#define GIVEN_BACK_H
#include <criterion/criterion.h>
#include <malloc.h>
#include <pthread.h>
#include "ball/ball.h"

struct given_back { void (*run)(const void *of); const void *of; };
static inline void *given_back_once(void *with)
{
    const struct given_back *x = with;
    x->run(x->of), balls_forget(), mpfr_free_cache();
    return NULL;
}
/* The bytes that one more run keeps, once all is warm: 0, or the most of several runs. */
static inline size_t given_back_less(void (*run)(const void *of), const void *of)
{
    enum { WARM = 2, RUNS = 5 };
    struct given_back x = { run, of };
    size_t before = 0, most = 0;
    for (int k = 0; k < RUNS; k++) {
        pthread_t one;
        cr_assert(!pthread_create(&one, NULL, given_back_once, &x) && !pthread_join(one, NULL));
        const size_t used = mallinfo2().uordblks;
        most = k >= WARM && used > before && used - before > most ? used - before : most;
        before = used;
    }
    return most;
}
#endif
