/* Gradients of attention, [8][1024][64], float32: forward and gradients together as a multiple of the forward alone.
 * The check: the same kernel on the last queries of the last head with all its keys is judged against the reference,
 * and what that call shares with the timed one must have its bits: dq of these queries, and under a causal mask dk
 * and dv of the last keys, which no other query sees. */
#include "bench/core/bench.h"

/* LAST queries are checked; LENGTH - LAST is a whole number of the kernels' tiles of 48 queries, so that both calls
 * cut them alike */
enum { HEADS = 8, LENGTH = 1024, WIDTH = 64, LAST = 16 };
struct step { const struct mer_kernel *kernel[2]; struct mer_call call[2]; };
static void forward(void *with)
{
    struct step *s = with;
    s->kernel[0]->run(&s->call[0]);
}
static void both(void *with)
{
    struct step *s = with;
    s->kernel[0]->run(&s->call[0]), s->kernel[1]->run(&s->call[1]);
}

static void tail_of(struct mer_array *to, const struct mer_array *from) /* copies the last array_len(to) elements */
{
    size_t bytes = (size_t)array_len(to) * sizeof(float), all = (size_t)array_len(from) * sizeof(float);
    memcpy(to->data, (const char *)from->data + all - bytes, bytes);
}
static bool same_tail(const struct mer_array *a, const struct mer_array *b, long elements)
{
    return !memcmp((const float *)a->data + array_len(a) - elements, (const float *)b->data + array_len(b) - elements,
        (size_t)elements * sizeof(float));
}

static bool checked(struct bench *b, const char *name, const char *mask, const struct trial *whole,
    const struct mer_kernel *k, const char *slot)
{
    struct trial t;
    char sizes[80], err[400];
    snprintf(sizes, sizeof sizes, "h=1 g=1 n=%d m=%d d=%d e=%d", LAST, LENGTH, WIDTH, WIDTH);
    bool good = !trial_make(&t, &(struct trial_spec){ "attention", mask, "dq dk dv", MER_F32, sizes, 1 }, err,
        sizeof err);
    for (int in = 0; good && in < t.call.n_in; in++)
        tail_of(&t.in[in], &whole->in[in]);
    good = good && mer_ask(k, &t.call) == MER_OK && bench_check(b, &t, name, k->profile, k->gauge, false);
    bool same = good && same_tail(&t.out[0], &whole->out[0], LAST * WIDTH);
    for (int out = 1; same && *mask && out < 3; out++)
        same = same_tail(&t.out[out], &whole->out[out], LAST * WIDTH);
    if (good && !same)
        bench_absent(b, name, "the timed call has other bits than the checked one"), b->failed++;
    size_t used = strlen(b->check);
    snprintf(b->check + used, sizeof b->check - used, ", %d queries; slot %s", LAST, slot);
    trial_close(&t);
    return same;
}

static void gradient(struct bench *b, const char *shape, const char *mask)
{
    char name[64], sizes[80], err[400] = "no kernel";
    const char *slot = "";
    struct trial t, u;
    snprintf(name, sizeof name, "attention %d/%d %s gradients", LENGTH, WIDTH, shape);
    if (!bench_wants(b, name))
        return;
    snprintf(sizes, sizeof sizes, "h=%d g=%d n=%d m=%d d=%d e=%d", HEADS, HEADS, LENGTH, LENGTH, WIDTH, WIDTH);
    bool made = !trial_make(&t, &(struct trial_spec){ "attention", mask, "dq dk dv", MER_F32, sizes, 1 }, err,
        sizeof err);
    made = !trial_make(&u, &(struct trial_spec){ "attention", mask, "o lse", MER_F32, sizes, 1 }, err, sizeof err) &&
        made;
    struct step s = { { made ? bench_kernel("attention", "o lse", "f32", &u.call, &slot) : NULL,
                          made ? bench_kernel("attention", "dq dk dv", "f32", &t.call, &slot) : NULL },
        { u.call, t.call } };
    s.call[0].in = t.in; /* both calls read the same buffers: q k v, then do */
    if (s.kernel[0] && s.kernel[1] && s.kernel[0]->prepare(&s.call[0]) == MER_OK &&
        s.kernel[1]->prepare(&s.call[1]) == MER_OK) {
        struct runner r[] = { { "forward", forward, &s }, { name, both, &s } };
        bench_turns(r, 2, b->turns);
        if (checked(b, name, mask, &t, s.kernel[1], slot))
            bench_item(b,
                &(struct item){
                    name, &r[1], &r[0], 1.0 * HEADS * LENGTH * WIDTH, 40.0 * HEADS * LENGTH * WIDTH, 4.0, false });
    } else
        bench_absent(b, name, err);
    for (int k = 0; k < 2; k++)
        if (s.kernel[k] && s.call[k].state)
            s.kernel[k]->release(s.call[k].state);
    trial_close(&t), trial_close(&u);
}

static void measure(struct bench *b)
{
    b->lines = 1;
    gradient(b, "full", "");
    gradient(b, "causal", "causal=bottomright");
    b->lines = 0;
}
const struct group group_gradient = { 600, measure };
