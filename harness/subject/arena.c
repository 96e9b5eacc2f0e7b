/* Layout of the shared memory (one memfd): a page for the answer; the description of the calls, in which pointers are
 * offsets from its beginning; then each array in pages of its own.  The answerer maps the same pieces in the same
 * order, with GUARD inaccessible addresses before, between and behind them. */
#include "subject/arena.h"
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ball/ball.h"
#include "row/row.h"

/* GUARD: addresses of a guard, so many that an index that is off by a row still meets it.  LINE: bytes of a cache line,
 * at which data begins, as it does with the allocators that kernels are used with.  ODD: bytes of malloc's alignment;
 * data that the asker holds at less is so on purpose and keeps its offset within a line. */
enum { GUARD = 2 << 20, LINE = 64, ODD = 16 };

struct arena_spot {
    uint64_t file, room; /* its pages: where in the file, and their bytes */
    uint64_t place;      /* the same pages from the answerer's base */
    uint64_t start, bytes; /* of the data within the pages */
    int32_t input;
};

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
static uint64_t whole(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }
static char *data_of(const struct arena *a, const struct arena_spot *s) { return a->at + s->file + s->start; }
static uint64_t slack_of(const struct arena_spot *s) { return s->room - s->bytes; }

static struct mer_array *array_at(const struct mer_call *c, int k)
{
    return k < c->n_in ? &c->in[k] : &c->out[k - c->n_in];
}

/* The array of the calls that spot number k is for. */
static const struct mer_array *array_of(const struct arena *a, int k)
{
    int i = 0;
    for (; k >= a->call[i]->n_in + a->call[i]->n_out; i++)
        k -= a->call[i]->n_in + a->call[i]->n_out;
    return array_at(a->call[i], k);
}

static struct arena_spot spot_of(const struct mer_array *x, bool input, uint64_t file, uint64_t place)
{
    const uint64_t page = page_size(), bytes = (uint64_t)mer_span(x) * mer_width(x->type);
    const uint64_t at = (uintptr_t)x->data % ODD ? (uintptr_t)x->data % LINE : 0;
    const uint64_t room = bytes + at ? whole(bytes + at, page) : page;
    const uint64_t start = (room - bytes - at) / LINE * LINE + at;
    return (struct arena_spot){ file, room, place, start, bytes, input };
}

/* Behind the inputs of a call, and behind its outputs, stands an array that is none, without extents and data: who
 * reads one too many meets it always, and no array of another kind. */
enum { NONE_BEHIND = 2 };
/* How many bytes the description takes: the calls, their arrays and spots, and every text with its end. */
static size_t head_size(struct mer_call *const *c, int n)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++) {
        bytes += sizeof **c + NONE_BEHIND * sizeof(struct mer_array) + strlen(c[i]->row) + strlen(c[i]->params) + 2;
        for (int k = 0; k < c[i]->n_in + c[i]->n_out; k++)
            bytes += sizeof(struct mer_array) + sizeof(struct arena_spot) + strlen(array_at(c[i], k)->name) + 1;
    }
    return bytes;
}

/* A pointer of the description: an offset from its beginning, which relocate() turns into an address. */
static void *from_head(uint64_t at) { return (void *)(uintptr_t)at; }

static char *put_text(char *head, size_t *at, const char *text)
{
    const size_t begin = *at;
    *at += strlen(text) + 1;
    return memcpy(head + begin, text, strlen(text) + 1), from_head(begin);
}

static void describe(const struct arena *a, char *head)
{
    struct mer_call *call = (struct mer_call *)(void *)head;
    struct arena_spot *spot = (struct arena_spot *)(void *)(call + a->n_calls);
    struct mer_array *array = (struct mer_array *)(void *)(spot + a->n_spots);
    size_t at = (size_t)((char *)(array + a->n_spots + NONE_BEHIND * a->n_calls) - head);
    if (a->n_spots)
        memcpy(spot, a->spot, (size_t)a->n_spots * sizeof *spot);
    for (int i = 0, s = 0; i < a->n_calls; i++) {
        const struct mer_call *c = a->call[i];
        struct mer_array *own = array + s + NONE_BEHIND * i, *out = own + c->n_in + 1;
        for (int k = 0; k < c->n_in + c->n_out; k++, s++) {
            struct mer_array *x = k < c->n_in ? &own[k] : &out[k - c->n_in];
            *x = *array_at(c, k);
            x->name = put_text(head, &at, x->name);
            x->data = from_head(a->spot[s].place + a->spot[s].start); /* from the answerer's base */
        }
        call[i] = (struct mer_call){ .n_in = c->n_in,
            .n_out = c->n_out,
            .in = from_head((uint64_t)((char *)own - head)),
            .out = from_head((uint64_t)((char *)out - head)) };
        call[i].row = put_text(head, &at, c->row), call[i].params = put_text(head, &at, c->params);
    }
}

/* Fills `to` with random bytes of the system; 0, or -1. */
static int draw(void *to, size_t bytes)
{
    for (size_t got = 0; got < bytes;) {
        const ssize_t k = getrandom((char *)to + got, bytes - got, 0);
        if (k < 0 && errno != EINTR)
            return -1;
        got += k > 0 ? (size_t)k : 0;
    }
    return 0;
}

/* Copies the arrays into the memory and fills the bytes around them with random ones; 0, or -1. */
static int fill(struct arena *a)
{
    size_t slack = sizeof a->nonce;
    for (int k = 0; k < a->n_spots; k++)
        slack += slack_of(&a->spot[k]);
    a->random = need(slack, 1);
    if (draw(a->random, slack))
        return -1;
    memcpy(&a->nonce, a->random + slack - sizeof a->nonce, sizeof a->nonce);
    a->nonce |= 1; /* never the 0 of a fresh page */
    const unsigned char *from = a->random;
    for (int k = 0; k < a->n_spots; k++) {
        const struct arena_spot *s = &a->spot[k];
        char *pages = a->at + s->file;
        memcpy(pages, from, s->start), from += s->start;
        memcpy(pages + s->start + s->bytes, from, slack_of(s) - s->start), from += slack_of(s) - s->start;
        if (s->bytes)
            memcpy(pages + s->start, array_of(a, k)->data, s->bytes);
    }
    return 0;
}

/* Memory of a->bytes, shared by its descriptor and mapped here. */
static int allocate(struct arena *a, char *why, size_t n)
{
    struct rlimit most;
    if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur < a->bytes) /* a larger file raises SIGXFSZ, which kills */
        return snprintf(why, n,
                   "cannot be contained: its arrays take %zu bytes, the limit of file sizes is %llu (ulimit -f)",
                   a->bytes, (unsigned long long)most.rlim_cur),
               -1;
    a->fd = memfd_create("call", MFD_CLOEXEC);
    void *at = a->fd < 0 || ftruncate(a->fd, (off_t)a->bytes) ?
        MAP_FAILED :
        mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
    if (at == MAP_FAILED)
        return snprintf(why, n, "cannot be contained: %s", strerror(errno)), -1;
    a->at = at;
    return 0;
}

/* Memory that is given holds the other bits of these bytes, memory that was freed holds these: numbers near the end of
 * float32's range, which are indices of no array (0x7f7f7f7f), or -24 (0xc1c1c1c1). */
static const int32_t perturbs[] = { [MEMORY_USUAL] = 0x80, [MEMORY_OTHER] = 0x3e };
static enum held_bytes memory_holds;
void arena_memory(enum held_bytes holds) { memory_holds = holds; }

int arena_open(struct arena *a, struct mer_call *const *c, int n, char *why, size_t n_why)
{
    const size_t page = page_size(), head = whole(head_size(c, n), page);
    uint64_t place = GUARD + page + GUARD + head + GUARD;
    *a = (struct arena){ .fd = -1, .call = c, .n_calls = n, .bytes = page + head };
    for (int i = 0; i < n; i++)
        a->n_spots += c[i]->n_in + c[i]->n_out;
    a->spot = need((size_t)a->n_spots + 1, sizeof *a->spot);
    for (int i = 0, s = 0; i < n; i++)
        for (int k = 0; k < c[i]->n_in + c[i]->n_out; k++, s++) {
            a->spot[s] = spot_of(array_at(c[i], k), k < c[i]->n_in, a->bytes, place);
            a->bytes += a->spot[s].room, place += a->spot[s].room + GUARD;
        }
    if (allocate(a, why, n_why))
        return -1;
    if (fill(a))
        return snprintf(why, n_why, "cannot be contained: no random numbers: %s", strerror(errno)), -1;
    *(struct answered *)(void *)a->at =
        (struct answered){ .span = place, .head = head, .calls = (uint64_t)n, .spots = (uint64_t)a->n_spots,
            .perturb = perturbs[memory_holds] };
    describe(a, a->at + page);
    return 0;
}

void arena_close(struct arena *a)
{
    if (a->at)
        munmap(a->at, a->bytes);
    if (a->fd >= 0)
        close(a->fd);
    free(a->spot), free(a->random);
    *a = (struct arena){ .fd = -1 };
}

/* Maps `bytes` of fd at this very address; NULL: it failed. */
static void *lay(char *at, uint64_t bytes, int may, int how, int fd, uint64_t from)
{
    void *got = mmap(at, bytes, may, how | MAP_FIXED, fd, (off_t)from);
    return got == MAP_FAILED ? NULL : got;
}

/* Turns the offsets of the description into addresses: data counts from base, everything else from head. */
static void relocate(struct mer_call *c, int n, char *head, char *base)
{
    for (int i = 0; i < n; i++) {
        c[i].row = head + (uintptr_t)c[i].row, c[i].params = head + (uintptr_t)c[i].params;
        c[i].in = (struct mer_array *)(void *)(head + (uintptr_t)c[i].in);
        c[i].out = (struct mer_array *)(void *)(head + (uintptr_t)c[i].out);
        for (int k = 0; k < c[i].n_in + c[i].n_out; k++) {
            struct mer_array *x = array_at(&c[i], k);
            x->name = head + (uintptr_t)x->name, x->data = base + (uintptr_t)x->data;
        }
    }
}

static struct mer_call *enter(int fd, struct answered **back, int *n)
{
    struct answered a;
    const size_t page = page_size();
    if (pread(fd, &a, sizeof a, 0) != (ssize_t)sizeof a)
        return NULL;
    char *base = mmap(NULL, a.span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    char *head = base + GUARD + page + GUARD;
    *back = lay(base + GUARD, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!*back || !lay(head, a.head, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, page))
        return NULL;
    struct mer_call *call = (struct mer_call *)(void *)head;
    const struct arena_spot *spot = (const struct arena_spot *)(const void *)(call + a.calls);
    for (uint64_t k = 0; k < a.spots; k++)
        if (!lay(base + spot[k].place, spot[k].room, spot[k].input ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                spot[k].file))
            return NULL;
    relocate(call, (int)a.calls, head, base);
    (*back)->base = (uint64_t)(uintptr_t)base, (*back)->span = a.span;
    *n = (int)a.calls;
    return call;
}

struct mer_call *arena_enter(int fd, struct answered **back, int *n)
{
    struct mer_call *c = enter(fd, back, n);
    const struct answered failed = { .faulted = FAULT_MAP, .fault = (uint64_t)errno };
    return c || pwrite(fd, &failed, sizeof failed, 0) < 0 ? c : NULL;
}

void arena_leave(struct answered *back) { munmap((char *)back - GUARD, back->span); }

bool arena_answer(const struct arena *a, int *answer)
{
    const struct answered *back = (const struct answered *)(const void *)a->at;
    *answer = back->answer;
    return back->nonce == a->nonce;
}

static const char *side(const struct arena_spot *s) { return s->input ? "input" : "output"; }

bool arena_fault(const struct arena *a, char *text, size_t n)
{
    const struct answered back = *(const struct answered *)(const void *)a->at;
    uint64_t near = UINT64_MAX;
    if (back.faulted == FAULT_MAP)
        return snprintf(text, n, "could not map the arrays: %s", strerror((int)back.fault)), true;
    for (int k = 0; k < a->n_spots && back.faulted == FAULT_ADDRESS; k++) {
        const struct arena_spot *s = &a->spot[k];
        const char *name = array_of(a, k)->name;
        const uint64_t from = s->place + s->start, end = from + s->bytes, pages = s->place + s->room;
        const uint64_t off = back.fault < from ? from - back.fault : back.fault < end ? 0 : back.fault - end + 1;
        /* pages of an input can be read, so a fault there was a write */
        const bool write = s->input && back.fault >= s->place && back.fault < pages;
        if (off >= near || off > GUARD)
            continue;
        near = off;
        if (!off)
            snprintf(text, n, "%s its %s '%.40s' (byte %llu of %llu)", write ? "wrote to" : "could not reach", side(s),
                name, (unsigned long long)(back.fault - from), (unsigned long long)s->bytes);
        else
            snprintf(text, n, "%s %llu bytes %s its %s '%.40s'", write ? "wrote" : "touched memory",
                (unsigned long long)off, back.fault < from ? "before" : "behind", side(s), name);
    }
    return near != UINT64_MAX;
}

/* The changed byte around the data that is nearest to it: 1, 2 .. behind the data, -1, -2 .. before it; 0: none. */
static int64_t changed(const struct arena *a, const struct arena_spot *s, const unsigned char *random)
{
    const unsigned char *pages = (const unsigned char *)a->at + s->file, *behind = pages + s->start + s->bytes;
    const uint64_t n = slack_of(s) - s->start;
    for (uint64_t k = 0; k < n; k++)
        if (behind[k] != random[s->start + k])
            return (int64_t)k + 1;
    for (uint64_t k = s->start; k > 0; k--)
        if (pages[k - 1] != random[k - 1])
            return -(int64_t)(s->start - k + 1);
    return 0;
}

bool arena_overrun(const struct arena *a, char *text, size_t n)
{
    const unsigned char *random = a->random;
    for (int k = 0; k < a->n_spots; random += slack_of(&a->spot[k++])) {
        const struct arena_spot *s = &a->spot[k];
        const struct mer_array *x = array_of(a, k);
        const int64_t at = changed(a, s, random);
        if (at)
            return snprintf(text, n, "wrote outside its %s '%.40s' (%llu bytes): %lld bytes %s it", side(s), x->name,
                       (unsigned long long)s->bytes, (long long)(at < 0 ? -at : at), at < 0 ? "before" : "behind"),
                   true;
        if (s->input && s->bytes && memcmp(data_of(a, s), x->data, s->bytes))
            return snprintf(text, n, "wrote to its input '%.40s'", x->name), true;
    }
    return false;
}

void arena_take(const struct arena *a)
{
    for (int k = 0; k < a->n_spots; k++)
        if (!a->spot[k].input && a->spot[k].bytes)
            memcpy(array_of(a, k)->data, data_of(a, &a->spot[k]), a->spot[k].bytes);
}
