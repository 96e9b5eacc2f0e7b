/* A plug-in that misbehaves in the way that RUDE names: it rotates nothing, and then errs.  `loading` and `gone` do so
 * while it is loaded. */
#include <stdio.h>
#include <unistd.h>
#include "meridian.h"

static int is(const char *way) { return getenv("RUDE") && !strcmp(getenv("RUDE"), way); }

__attribute__((constructor)) static void loaded(void)
{
    if (is("loading"))
        printf("{\"loaded\": true}\n");
    if (is("gone"))
        _exit(0);
}

static int run(const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x");
    size_t n = (size_t)(x->dim[0] * x->dim[1] * x->dim[2]);
    float *y = mer_out(c, "y")->data;
    memcpy(y, x->data, n * sizeof *y);
    if (is("prints"))
        printf("step 1 of 3 <&>\n"), fflush(stdout);
    if (is("floods"))
        for (int k = 0; k < 1 << 14; k++)
            printf("%0100d\n", k);
    for (int k = 0; is("random") && k < 3; k++) /* This is what uninitialised memory is at its worst. */
        ((unsigned *)y)[(size_t)k % n] ^= (unsigned)getpid() & 1023;
    for (size_t k = 0; is("scrambles") && k < n; k++) /* This is what no rule explains. */
        y[k] *= (k * 2654435761u >> 13) % 7 < 3 ? -1 : 1;
    if (is("overruns"))
        y[n + 3] = 7;
    if (is("underruns"))
        y[-1] = 7;
    if (is("sleeps"))
        sleep(60);
    if (is("exit0"))
        exit(0);
    if (is("closes"))
        for (int k = 0; k < 64; k++)
            close(k);
    while (is("allocates")) {
        char *p = malloc(64 << 20);
        if (!p)
            abort();
        memset(p, 1, 64 << 20);
    }
    if (is("prints and dies"))
        printf("assertion failed: n %% 8 == 0\n"), fflush(stdout), abort();
    return MER_OK;
}

static const struct mer_kernel kernels[] = {
    { "rope", "y", "f32", "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:2 product=f64:2 sum=f32:1.001", 0,
        run },
    { 0 },
};
static const struct mer_plugin plugin = { MER_ABI, "rude", kernels };
const struct mer_plugin *meridian_plugin(void);
const struct mer_plugin *meridian_plugin(void) { return &plugin; }
