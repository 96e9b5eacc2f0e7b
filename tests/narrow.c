/* Attention of 16-bit arrays in float32 arithmetic: where a slot has the same kernel for float32, with the same
 * declared steps, its answer to the widened inputs, rounded once, is the answer, to the bit.  NaNs count as equal. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "kernels.h"
#include "odd.h"
#include "trial/trial.h"

static const struct mer_kernel *twin(const struct slot *s, const struct mer_kernel *k)
{
    for (const struct mer_kernel *x = s->kernel; x->row; x++)
        if (!strcmp(x->type, "f32") && !strcmp(x->out, k->out) && !strcmp(x->profile, k->profile))
            return x;
    return NULL;
}
/* Every seventh element becomes one that a conversion may get wrong: bits from both ends of a binade, among them
 * subnormals, infinities and NaNs. */
static void fill(struct mer_array *x, int seed)
{
    for (long i = 0; i < array_len(x); i += 7) {
        const uint64_t b = gen_bits((uint64_t)seed, 5, (uint64_t)i);
        ((uint16_t *)x->data)[i] = (uint16_t)((b & 0xfc00) | (b >> 20 & 1 ? 0x3ff : b >> 21 & 3));
    }
}
static struct mer_array widened(const struct mer_array *x)
{
    struct mer_array y = *x;
    if (x->type != MER_BF16 && x->type != MER_F16)
        return y;
    y.type = MER_F32, y.data = malloc((size_t)array_len(x) * sizeof(float) + 1);
    for (long i = 0; i < array_len(x); i++)
        ((float *)y.data)[i] = load_float(x->data, i, x->type);
    return y;
}
static bool rounded(const struct mer_array *y, const struct mer_array *wide)
{
    bool all = true;
    for (long i = 0; i < array_len(y); i++) {
        uint16_t want[2]; /* room for any type */
        store_float(want, 0, ((const float *)wide->data)[i], y->type);
        all &= ((uint16_t *)y->data)[i] == *want || (isnan(array_get(y, i)) && isnan(array_get(wide, i)));
    }
    return all;
}

static int compared(const struct slot *s, const struct mer_kernel *k, const char *sizes, int how)
{
    struct trial t;
    struct mer_array in[16], out[4];
    char err[400];
    const struct mer_kernel *wide = twin(s, k);
    if (!wide)
        return 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", how ? "causal=bottomright" : "", k->out,
        type_named(k->type), sizes, 3 }, err, sizeof err), 0, "%s", err);
    for (int x = 0; x < t.call.n_in && how; x++)
        if (!strcmp(t.in[x].name, "v"))
            fill(&t.in[x], how);
    for (int x = 0; x < t.call.n_in; x++)
        in[x] = widened(&t.in[x]);
    for (int x = 0; x < t.call.n_out; x++)
        out[x] = widened(&t.out[x]);
    struct mer_call c = t.call;
    c.in = in, c.out = out;
    int rc = mer_ask(k, &t.call);
    cr_expect_eq(mer_ask(wide, &c), rc, "%s %s %s", s->name, k->out, sizes);
    for (int x = 0; x < t.call.n_out && rc == MER_OK; x++)
        cr_expect(rounded(&t.out[x], &out[x]), "%s %s %s, %s, %d: %s is not that of float32, rounded", s->name, k->out,
            k->type, sizes, how, t.out[x].name);
    for (int x = 0; x < t.call.n_in + t.call.n_out; x++) {
        struct mer_array *a = x < t.call.n_in ? &in[x] : &out[x - t.call.n_in];
        if (a->data != (x < t.call.n_in ? t.in[x].data : t.out[x - t.call.n_in].data))
            free(a->data);
    }
    trial_close(&t);
    return rc == MER_OK;
}

Test(narrow, sixteen_bits_have_the_answer_of_float32_rounded_once)
{
    static const char *const sizes[] = { "h=4 g=2 n=1 m=70 d=9 e=19 sink", "h=4 g=2 n=3 m=530 d=33 e=70 bias keep",
        "h=2 g=1 n=20 m=70 d=24 e=33 bias" };
    int asked[MER_TYPES] = { 0 };
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            for (int c = 0; c < 9 && !strcmp(k->row, "attention"); c++)
                if (type_named(k->type) == MER_BF16 || type_named(k->type) == MER_F16)
                    asked[type_named(k->type)] += compared(s, k, sizes[c / 3], c % 3);
    cr_expect(asked[MER_F16] >= 9 && asked[MER_F16] == asked[MER_BF16], "%d %d", asked[MER_F16], asked[MER_BF16]);
}
