/* Biases whose rows are slices of a line: every slot writes the scalar's bits, near and past the caches, and nothing
 * beside them. */
#include <criterion/criterion.h>
#include "kernels.h"
#include "relative/slices.h"
#include "trial/trial.h"

static const struct {
    const char *slot;
    slice_copy *copy;
} list[] = { { "scalar", slice_plain }, { "avx2", slice_avx2 }, { "avx512", slice_avx512 } };
static bool slot_here(const char *name)
{
    for (const struct slot *s = slots; s->name; s++)
        if (!strcmp(s->name, name))
            return s->here();
    return false;
}

Test(slices, a_copy_is_exact_at_every_alignment_and_touches_nothing_else)
{
    enum { ROOM = 1400 };
    static _Alignas(64) char from[ROOM], to[ROOM];
    for (int k = 0; k < ROOM; k++)
        from[k] = (char)(gen_bits(3, 1, (uint64_t)k) | 1);
    for (int l = 0; l < 3; l++)
        for (size_t bytes = 0; slot_here(list[l].slot) && bytes < 1200; bytes += bytes < 300 ? 1 : 37)
            for (size_t at = 0; at < 64; at += 3) {
                size_t with = (at * 7 + bytes) % 64;
                memset(to, 0, ROOM);
                list[l].copy(to + 64 + at, from + with, bytes, (int)(at % 2) || bytes > 300);
                cr_assert(!memcmp(to + 64 + at, from + with, bytes), "%s: %zu bytes, %zu to %zu", list[l].slot, bytes,
                    with, at);
                for (size_t k = 0; k < ROOM; k++)
                    cr_assert(to[k] == 0 || (k >= 64 + at && k < 64 + at + bytes),
                        "%s: %zu bytes to %zu: byte %zu is written", list[l].slot, bytes, at, k);
            }
}

static void compared(const char *row, const char *type, const char *sizes)
{
    struct trial t, u;
    char err[400];
    int seen = 0;
    cr_assert(!trial_make(&t, &(struct trial_spec){ row, "", "bias", type_named(type), sizes, 4 }, err, sizeof err) &&
        !trial_make(&u, &(struct trial_spec){ row, "", "bias", type_named(type), sizes, 4 }, err, sizeof err), "%s",
        err);
    size_t bytes = (size_t)array_len(&t.out[0]) * type_size(t.out[0].type);
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            if (!strcmp(k->row, row) && !strcmp(k->out, "bias") && !strcmp(k->type, type)) {
                struct trial *to = seen++ ? &u : &t;
                memset(to->out[0].data, 0xff, bytes);
                cr_assert_eq(mer_ask(k, &to->call), MER_OK);
                cr_expect(!memcmp(t.out[0].data, to->out[0].data, bytes), "%s %s %s %s: other bits than the scalar",
                    s->name, row, type, sizes);
            }
    cr_expect(seen > 0);
    trial_close(&t), trial_close(&u);
}
Test(slices, every_slot_writes_the_scalars_bits)
{
    /* The arrays of the last size lie past the caches. */
    static const char *const types[] = { "f32", "bf16", "f16" },
                             *const sizes[] = { "h=3 n=7 m=13", "h=2 n=129 m=300", "h=3 n=1031 m=709" };
    for (int k = 0; k < 3; k++)
        for (int z = 0; z < 3; z++)
            compared("alibi", types[k], sizes[z]), compared("t5", types[k], sizes[z]);
}
