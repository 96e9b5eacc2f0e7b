/* Problems of the caller's own, answered by the best slot here, or by the first: flash.h, flash_grad.h. */
#include "attention/flash_grad.h"
#include "kernels.h"

/* Asks the kernels of attention with these outputs, from the highest slot down, until one answers.  The call has no
 * arrays: its state is the problem. */
static int best(void *problem, const char *out, const char *type)
{
    struct mer_call c = { "attention", "", 0, 0, NULL, NULL, problem };
    int last = 0, rc = MER_SKIP;
    while (slots[last].name)
        last++;
    while (last-- && rc != MER_OK) {
        const struct mer_kernel *k = slots[last].kernel;
        if (!strcmp(k->row, "attention") && slots[last].here())
            for (; k->row && rc != MER_OK; k++)
                rc = strcmp(k->type, type) || strcmp(k->out, out) ? MER_SKIP : k->run(&c);
    }
    return rc;
}
int flash_best(struct flash *f)
{
    return best(f, "o lse", f->type == MER_F32 ? "f32" : f->type == MER_BF16 ? "bf16" : "f16");
}
int flash_plain(struct flash *f)
{
    struct mer_call c = { "attention", "", 0, 0, NULL, NULL, f };
    const struct slot *s = slots;
    while (strcmp(s->kernel->row, "attention"))
        s++;
    return s->kernel->run(&c);
}
int flash_grad_best(struct flash_grad *g) { return best(g, "dq dk dv", "f32"); }
