/* Out of memory: one line and exit status 2, the machine's state and no verdict about a subject.  Memory of numbers:
 * lists of free blocks by size, from which MPFR and GMP are told to take before main begins. */
#include "ball/need.h"
#include <gmp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Noreturn void none_left(void)
{
    fputs("meridian: out of memory\n", stderr);
    exit(2);
}

/* An overflow of n size is found by calloc; 0 elements get a block of one byte or more, which can be freed. */
void *need(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        none_left();
    return p;
}

void *need_more(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        none_left();
    void *q = realloc(p, n && size ? n * size : 1);
    if (!q)
        none_left();
    return q;
}

char *need_copy(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(need(n, 1), s, n);
}

FILE *need_stream(char **text, size_t *n)
{
    FILE *f = open_memstream(text, n);
    if (!f)
        none_left();
    return f;
}

/* Sizes are whole limbs (UNIT) up to MOST bytes; all others are malloc's.  A thread gets CHUNK bytes at a time, of SLAB
 * bytes that the system gave.  Where it gives none, or there are SLABS of them, a chunk is malloc's. */
enum { UNIT = 8, MOST = 1024, CHUNK = 1 << 16, SLAB = 1 << 24, SLABS = 1 << 12 };
static char *slab[SLABS];
static size_t slabs, left; /* left: bytes of the newest slab that no thread has */
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER; /* for these three */

struct spare { struct spare *next; };
static _Thread_local struct { struct spare *first[MOST / UNIT + 1]; char *at; size_t left; } mine;

#ifdef __SANITIZE_ADDRESS__ /* It finds what is read after it was given back only where malloc made it. */
static bool listed(size_t bytes) { return (void)bytes, false; }
#else
static bool listed(size_t bytes) { return bytes && bytes <= MOST && bytes % UNIT == 0; }
#endif

/* CHUNK bytes that no thread has. */
static char *chunk(void)
{
    char *at = NULL;
    pthread_mutex_lock(&shared);
    if (!left && slabs < SLABS) {
        void *more = mmap(NULL, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (more != MAP_FAILED)
            slab[slabs++] = more, left = SLAB;
    }
    if (left)
        at = slab[slabs - 1] + SLAB - left, left -= CHUNK;
    pthread_mutex_unlock(&shared);
    return at ? at : need(CHUNK, 1);
}

/* A new block, which no list had.  What is left of the last chunk is lost. */
static void *carve(size_t bytes)
{
    if (mine.left < bytes)
        mine.at = chunk(), mine.left = CHUNK;
    void *block = mine.at;
    mine.at += bytes, mine.left -= bytes;
    return block;
}

void *limbs_take(size_t bytes)
{
    if (!listed(bytes))
        return need_more(NULL, bytes, 1);
    struct spare **first = &mine.first[bytes / UNIT], *block = *first;
    if (!block)
        return carve(bytes);
    *first = block->next;
    return block;
}

void limbs_give(void *block, size_t bytes)
{
    if (!listed(bytes)) {
        free(block);
        return;
    }
    struct spare **first = &mine.first[bytes / UNIT], *now = block;
    now->next = *first, *first = now;
}

/* The same block with another size; or another one, with what both sizes hold of it. */
static void *resize(void *block, size_t old, size_t bytes)
{
    if (!listed(old) && !listed(bytes))
        return need_more(block, bytes, 1);
    if (old == bytes)
        return block;
    void *other = limbs_take(bytes);
    memcpy(other, block, old < bytes ? old : bytes);
    limbs_give(block, old);
    return other;
}

void digits_free(char *text)
{
    void (*give)(void *block, size_t bytes);
    mp_get_memory_functions(NULL, NULL, &give);
    give(text, strlen(text) + 1);
}

void limbs_inherited(bool yes)
{
    for (size_t k = 0; k < slabs; k++)
        madvise(slab[k], SLAB, yes ? MADV_DOFORK : MADV_DONTFORK);
}

/* Before main, since a number that another allocator made could not be given back here. */
__attribute__((constructor)) static void install(void) { mp_set_memory_functions(limbs_take, resize, limbs_give); }
