/* The arrays of some calls in memory that asker and answerer share.  The answerer sees every array between GUARD bytes
 * that nobody may touch on either side; its data ends within a cache line of its last page, and the bytes of its pages
 * before and behind the data are random, drawn anew each time. Inputs are mapped for reading alone, and the asker keeps
 * its own: nothing that the answerer does changes them. */
#ifndef ARENA_H
#define ARENA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "meridian.h"

struct spot; /* where one array lies */
struct arena {
    int fd;                       /* the memory, to be passed on; -1: none */
    char *at;                     /* as the asker maps it, `bytes` long */
    size_t bytes;
    struct spot *spot;            /* one for each array: call by call, inputs before outputs */
    int n_spots, n_calls;
    struct mer_call *const *call; /* borrowed */
    unsigned char *random;        /* what was drawn for the surroundings, one spot after the other */
    uint64_t nonce;               /* of these calls; whoever answers has to write it back */
};

enum { NO_FAULT, FAULT_ADDRESS, FAULT_MAP };
/* What the answerer writes back; the first page of the shared memory. */
struct answered {
    uint64_t nonce;               /* the arena's, once the kernel came back */
    int32_t answer;               /* MER_OK, MER_SKIP, MER_BAD, or whatever the kernel said */
    /* FAULT_ADDRESS: `fault` is one within the arena that could not be read or written; FAULT_MAP: the errno of mapping
     * it */
    int32_t faulted;
    /* where the answerer maps the arena, and how many addresses it takes with its guards */
    uint64_t base, span;
    uint64_t fault;               /* an address: from base */
    /* bytes of the description behind this page, and how many calls and arrays it holds */
    uint64_t head, calls, spots;
};

/* Lays n calls out: their parameters, names, shapes, the bytes of inputs and of outputs.  0, or -1 and one line in why.
 * arena_close is due either way. `c` must stay as it is until then. */
int arena_open(struct arena *a, struct mer_call *const *c, int n, char *why, size_t n_why);
void arena_close(struct arena *a);

/* In the process that answers: the calls, *n of them, mapped from fd, their arrays apart and guarded; *back is for the
 * answer.  NULL: no memory, which the asker learns. */
struct mer_call *arena_enter(int fd, struct answered **back, int *n);

/* After the answerer has ended.  What the answer was; false: none came. */
bool arena_answer(const struct arena *a, int *answer);
/* The array that a fault was about: "touched memory 12 bytes behind its output 'y'", "wrote to its input 'x'"; or that
 * the arrays could not be mapped.  false: none is known. */
bool arena_fault(const struct arena *a, char *text, size_t n);
/* Bytes written outside of outputs, in the same words.  false: none. */
bool arena_overrun(const struct arena *a, char *text, size_t n);
void arena_take(const struct arena *a); /* the outputs, back to the arrays of the calls */
#endif
