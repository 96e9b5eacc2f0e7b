/* A subject that crashes, hangs, leaves early, breaks the protocol or eats memory is named, and the caller is untouched. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contain.h"
#include "ball.h"

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

Test(contain, every_way_to_fail_has_a_name, .timeout = 60)
{
    static const struct { int (*run)(const struct mer_call *); int rc; const char *says; } list[] = {
        { fine, MER_OK, NULL }, { crash, MER_CRASHED, "Abort" }, { fault, MER_CRASHED, "Segmentation" }, { hang, MER_CRASHED, "hung: killed after 1 s" }, { nap, MER_CRASHED, "hung" },
        { leave, MER_CRASHED, "left early (exit 0)" }, { babble, MER_CRASHED, "answered 77" }, { half, MER_BAD, NULL }, { greedy, MER_CRASHED, "" }, { scribble, MER_OK, NULL },
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
            continue; /* the sanitizer takes both over */
#endif
        int rc = contain_ask(&kernel, &c, &l, why, sizeof why);
        cr_expect_eq(rc, list[k].rc, "case %d: %d (%s)", (int)k, rc, why);
        cr_expect(!list[k].says || strstr(why, list[k].says), "case %d: '%s'", (int)k, why);
        cr_expect(x == 1, "case %d: the input changed", (int)k);
        cr_expect(y == (list[k].run == fine ? 2.0f : 0.0f), "case %d: output %g", (int)k, (double)y);
    }
}
