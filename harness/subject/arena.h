/* The arrays of some calls in memory that two processes share: the asker, which is this program, and the answerer,
 * which runs the kernel.  The answerer has each array between guards of inaccessible addresses; the data ends within a
 * cache line of its last page, and the bytes around it in its own pages are random, drawn anew for each arena.  Inputs
 * are mapped read-only and the asker keeps its own copy, so nothing that the answerer does changes them. */
#ifndef ARENA_H
#define ARENA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "meridian.h"

struct arena_spot; /* the place of one array */
struct arena {
    int fd;                       /* descriptor of the memory, to be passed to the answerer; -1: none */
    char *at;                     /* the asker's mapping, `bytes` long */
    size_t bytes;
    struct arena_spot *spot;            /* one for each array: call by call, inputs before outputs */
    int n_spots, n_calls;
    struct mer_call *const *call; /* borrowed */
    unsigned char *random;        /* the random bytes around the data, one spot after the other */
    uint64_t nonce;               /* a random number, never 0, that the answerer writes back with its answer */
};

enum { NO_FAULT, FAULT_ADDRESS, FAULT_MAP };
/* What the answerer writes back; the first page of the shared memory. */
struct answered {
    uint64_t nonce;               /* the arena's, written once the kernel has returned */
    int32_t answer;               /* what the kernel returned: MER_OK, MER_SKIP, MER_BAD, or any other number */
    /* FAULT_ADDRESS: at the address `fault` a read or a write faulted; FAULT_MAP: `fault` is the errno of mapping the
     * arena; NO_FAULT: neither */
    int32_t faulted;
    /* where the answerer maps the arena, and how many addresses it takes with its guards */
    uint64_t base, span;
    uint64_t fault;               /* an address, counted from base; or an errno */
    int32_t perturb;              /* of arena_memory, as mallopt has it (M_PERTURB) */
    /* bytes of the description of the calls behind this page; how many calls and arrays it describes */
    uint64_t head, calls, spots;
};

enum held_bytes { MEMORY_USUAL, MEMORY_OTHER };
/* Says what the memory holds that a kernel is given by malloc and did not write: in all arenas from now on the usual
 * bytes, which are no zeros, or others.  A kernel whose answer changes with them reads what nobody wrote.  It is so
 * where the C library is glibc and the kernel runs in a child of this program, not in a process that somebody else
 * starts. */
void arena_memory(enum held_bytes holds);
/* Copies n calls into shared memory: parameters, names, shapes, and the bytes of inputs and outputs.  c is borrowed and
 * must not change until arena_close, which is due either way.  0, or -1 and one line in why. */
int arena_open(struct arena *a, struct mer_call *const *c, int n, char *why, size_t n_why);
void arena_close(struct arena *a);

/* In the answerer: maps the arena from fd and returns its calls, *n of them, which live until arena_leave; *back is
 * the page for the answer.  NULL: it could not be mapped, which arena_fault then tells the asker. */
struct mer_call *arena_enter(int fd, struct answered **back, int *n);
/* Unmaps what arena_enter has mapped, by its *back, which ends with it as the calls do. */
void arena_leave(struct answered *back);

/* In the asker, after the answerer has ended: the answer.  false: the kernel did not return. */
bool arena_answer(const struct arena *a, int *answer);
/* Writes what a fault was about: "touched memory 12 bytes behind its output 'y'", "wrote to its input 'x'", or that the
 * arrays could not be mapped.  false: no fault in the arena is known. */
bool arena_fault(const struct arena *a, char *text, size_t n);
/* Writes in the same words which bytes around an array were changed.  false: none. */
bool arena_overrun(const struct arena *a, char *text, size_t n);
/* Copies the outputs back to the arrays of the calls. */
void arena_take(const struct arena *a);
#endif
