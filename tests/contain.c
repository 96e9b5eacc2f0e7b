/* A subject that crashes, hangs, leaves early, breaks the protocol or eats memory is named, and the caller is
 * untouched. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "subject/contain.h"
#include "ball/ball.h"

static int fine(const struct mer_call *c) { ((float *)c->out[0].data)[0] = 2; return MER_OK; }
static int crash(const struct mer_call *c) { (void)c; abort(); }
static int fault(const struct mer_call *c) { return *(volatile int *)(uintptr_t)(c->n_out + 7); }
static volatile int turning = 1;
static int hang(const struct mer_call *c) { while (turning) {} return c->n_in; }
static int nap(const struct mer_call *c) { for (;;) pause(); return c->n_in; }
static int leave(const struct mer_call *c) { (void)c; _exit(0); }
static int babble(const struct mer_call *c) { (void)c; return 77; }
static int half(const struct mer_call *c) { ((float *)c->out[0].data)[0] = 5; return MER_BAD; }
static int greedy(const struct mer_call *c)
{
    (void)c;
    for (;;) {
        char *p = malloc(64 << 20);
        if (!p)
            abort();
        memset(p, 1, 64 << 20);
    }
}
static int scribble(const struct mer_call *c) { ((float *)c->in[0].data)[0] = 9; return MER_OK; }
static int minus(const struct mer_call *c) { (void)c; return -1; }
static int stops(const struct mer_call *c) { (void)c; raise(SIGSTOP); return MER_OK; }

Test(contain, every_way_to_fail_has_a_name, .timeout = 60)
{
    static const struct { int (*run)(const struct mer_call *); int rc; const char *says; } list[] = {
        { fine, MER_OK, NULL },
        { crash, MER_CRASHED, "Abort" },
        { fault, MER_CRASHED, "Segmentation" },
        { hang, MER_CRASHED, "hung: killed after 1 s" },
        { nap, MER_CRASHED, "hung" },
        { leave, MER_CRASHED, "left early (exit 0)" },
        { babble, MER_CRASHED, "run answered 77" },
        { minus, MER_CRASHED, "run answered -1" },
        { stops, MER_CRASHED, "stopped itself" },
        { half, MER_BAD, NULL },
        { greedy, MER_CRASHED, "" },
        { scribble, MER_CRASHED, "wrote to its input 'x' (byte 0 of 4)" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        float x = 1, y = 0;
        char why[300] = "";
        struct mer_array in = { "x", MER_F32, 1, { 1 }, &x }, out = { "y", MER_F32, 1, { 1 }, &y };
        struct mer_call c = { "row", "", 1, 1, &in, &out, NULL };
        struct mer_kernel kernel = { .row = "row", .out = "y", .type = "f32", .run = list[k].run };
        struct limits l = { 1, 256 };
#ifdef __SANITIZE_ADDRESS__
        if (list[k].run == greedy || list[k].run == fault)
            continue; /* The sanitizer takes over both. */
#endif
        int rc = contain_ask(&kernel, &c, &l, why, sizeof why);
        cr_expect_eq(rc, list[k].rc, "case %d: %d (%s)", (int)k, rc, why);
        cr_expect(!list[k].says || strstr(why, list[k].says), "case %d: '%s'", (int)k, why);
        cr_expect(x == 1, "case %d: the input changed", (int)k);
        cr_expect(y == (list[k].run == fine ? 2.0f : 0.0f), "case %d: output %g", (int)k, (double)y);
    }
}

/* The surroundings of an array at every distance, with shapes on both sides of a cache line and of a page: what is read
 * or written there is noticed and named. */
/* `distance` counts bytes behind the data's end, or before its beginning where negative; `of` is the array, inputs
 * first, then the output. */
static long distance, of;
static bool reads;
static int reach(const struct mer_call *c)
{
    const struct mer_array *a = of < c->n_in ? &c->in[of] : &c->out[of - c->n_in];
    volatile unsigned char *at = (unsigned char *)a->data + (distance < 0 ? distance : mer_span(a) * 4 + distance - 1);
    if (reads)
        return *at < 255 || *at > 1 ? MER_OK : MER_BAD;
    /* That none of 8 random bytes has this value fails once in 10^17 runs, when all of them have it. */
    for (int k = 0; k < 8; k++)
        at[distance < 0 ? -k : k] = 0xa5;
    return MER_OK;
}

Test(contain, what_is_touched_around_an_array_is_named, .timeout = 120)
{
    static const long far[] = { 1, 2, 57, 64, 65, 4096, 4097, 1 << 20, -1, -64, -65, -4096, -4097, -(1 << 20) },
                      len[] = { 0, 1, 15, 16, 17, 1023, 1024, 1025 };
    static const char *const name[] = { "x", "w", "y" };
    for (size_t n = 0; n < sizeof len / sizeof *len; n++)
        for (size_t k = 0; k < 2 * sizeof far / sizeof *far; k++) {
            float x[1025] = { 0 }, w[3] = { 0 }, y[1025] = { 0 };
            char why[300] = "", wanted[60];
            struct mer_array in[2] = { { "x", MER_F32, 1, { len[n] }, x }, { "w", MER_F32, 1, { 3 }, w } },
                             out = { "y", MER_F32, 1, { len[n] }, y };
            struct mer_call c = { "row", "", 2, 1, in, &out, NULL };
            const struct mer_kernel kernel = { .row = "row", .out = "y", .type = "f32", .run = reach };
            /* Reading is caught only beyond a page: what lies nearer may belong to the array's own pages. */
            distance = far[k / 2], reads = k % 2 && labs(distance) > 4096, of = (long)(n + k) % 3;
            int rc = contain_ask(&kernel, &c, &usual_limits, why, sizeof why);
            snprintf(wanted, sizeof wanted, "its %sput '%s'", of < 2 ? "in" : "out", name[of]);
            cr_expect(rc == MER_CRASHED && strstr(why, wanted), "%ld elements, %s at %ld of '%s': %d %s", len[n],
                reads ? "read" : "written", distance, name[of], rc, why);
        }
}

static int right(const struct mer_call *c)
{
    const uintptr_t at = (uintptr_t)c->in[0].data;
    memcpy(c->out[0].data, c->in[0].data, (size_t)mer_span(&c->in[0]) * 4);
    ((float *)c->out[0].data)[0] = (float)(at % 64);
    return MER_OK;
}

/* Arrays begin on a cache line, but where the asker put them off it on purpose; sequences of calls are answered in
 * their order. */
Test(contain, calls_come_as_they_were_asked)
{
    char room[256] __attribute__((aligned(64))) = { 0 }, why[300] = "";
    float y[3][4] = { { 0 } };
    struct mer_array in[3], out[3];
    struct mer_call c[3], *all[3];
    const struct mer_kernel kernel = { .row = "row", .out = "y", .type = "f32", .run = right };
    for (int k = 0; k < 3; k++) {
        const float x[] = { 0, (float)k, 2, 3 };
        in[k] = (struct mer_array){ "x", MER_F32, 1, { 4 }, memcpy(room + 64 * k + 16 + 4 * k, x, sizeof x) };
        out[k] = (struct mer_array){ "y", MER_F32, 1, { 4 }, y[k] };
        c[k] = (struct mer_call){ "row", "a=1", 1, 1, &in[k], &out[k], NULL }, all[k] = &c[k];
    }
    cr_assert_eq(contain_together(&kernel, all, 3, &usual_limits, why, sizeof why), MER_OK, "%s", why);
    for (int k = 0; k < 3; k++)
        cr_expect(y[k][0] == (k ? 16.0f + 4 * (float)k : 0) && y[k][1] == (float)k && y[k][3] == 3, "%d: %g %g", k,
            (double)y[k][0], (double)y[k][1]);
}
