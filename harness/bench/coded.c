/* One new token over a cache of codes: 32 query heads, 8 key heads, 32768 keys of 128, against the same attention over
 * keys and values in bf16, by the installed functions.  A row's call brings codes as numbers; its kernel packs them,
 * and what is timed is given the packed cache and must answer the same bits. */
#include "tile/coded.h"
#include "bench/core/bench.h"

enum { HEADS = 32, KEY_HEADS = 8, WIDE = 128, KEYS = 32768 };
struct coded_turn { const struct trial *t; struct mer_codes k, v; struct mer_attention a; uint16_t *o; void *scratch; };
static void by_codes(void *with)
{
    struct coded_turn *x = with;
    mer_attention_codes_bf16(x->o, NULL, x->t->in[0].data, &x->k, &x->v, &x->a);
}
static const void *input(const struct coded_turn *x, const char *name) { return mer_in(&x->t->call, name)->data; }
static void by_bf16(void *with)
{
    struct coded_turn *x = with;
    mer_attention_bf16(x->o, NULL, input(x, "q"), input(x, "k"), input(x, "v"), &x->a, x->scratch);
}

/* Judges the row's kernel on as many numbers from the beginning of the arrays as the reference can take. */
static bool checked(struct bench *b, struct trial *t, const char *name, const struct mer_kernel *kernel)
{
    enum { SOME = 256 };
    struct mer_array *k = trial_in(t, "k"), *v = trial_in(t, "v");
    k->dim[1] = v->dim[1] = SOME;
    struct mer_call some = t->call;
    const bool good = mer_ask(kernel, &some) == MER_OK && bench_check(b, t, name, kernel->profile, 0, false);
    k->dim[1] = v->dim[1] = KEYS;
    return good;
}

/* Keys and values have the same code, and a scale for each token and so many channels. */
static const struct coded_shape { const char *code; int width; } shapes[] = { { "int8", 128 }, { "int8", 32 },
    { "e4m3", 128 }, { "e5m2", 128 }, { "int4", 32 }, { "e2m1", 16 } };
static void coded(struct bench *b, const struct coded_shape *s)
{
    char name[64], text[160], sizes[96], err[400] = "no kernel";
    const char *slot = "";
    struct trial t;
    const struct mer_kernel *kernel = NULL;
    snprintf(name, sizeof name, "decode %d/%d heads, %d %s/%d", HEADS, KEY_HEADS, KEYS, s->code, s->width);
    if (!bench_wants(b, name))
        return;
    snprintf(sizes, sizeof sizes, "h=%d g=%d n=1 m=%d d=%d e=%d r=%d a=%d t=%d b=%d", HEADS, KEY_HEADS, KEYS, WIDE,
        WIDE, KEYS, WIDE / s->width, KEYS, WIDE / s->width);
    snprintf(text, sizeof text, "k_code=%s v_code=%s k_width=%d v_width=%d causal=bottomright", s->code, s->code,
        s->width, s->width);
    struct coded_turn x = { .t = &t, .a = { .h = HEADS, .g = KEY_HEADS, .n = 1, .m = KEYS, .d = WIDE, .e = WIDE,
        .causal = MER_BOTTOM_RIGHT } };
    if (!trial_make(&t, &(struct trial_spec){ "quantized", text, "o", MER_BF16, sizes, 1 }, err, sizeof err))
        kernel = bench_kernel("quantized", "o lse", "bf16", &t.call, &slot);
    if (kernel && coded_pack(&t.call, &x.k, &x.v) == MER_OK) {
        enum { OUT = HEADS * WIDE };
        x.o = need(OUT, sizeof *x.o), x.scratch = need(mer_attention_scratch(&x.a), 1);
        by_codes(&x);
        const bool same = !memcmp(x.o, t.out[0].data, OUT * sizeof *x.o);
        if (!same)
            bench_absent(b, name, "the installed function answers other bits than the row's kernel"), b->failed++;
        else if (checked(b, &t, name, kernel)) {
            size_t used = strlen(b->check);
            snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
            struct runner r[] = { { name, by_codes, &x }, { "bf16", by_bf16, &x } };
            bench_turns(r, 2, b->turns);
            const double elements = 2.0 * KEY_HEADS * KEYS * WIDE;
            bench_item(b, &(struct item){ name, &r[0], &r[1], elements,
                elements * (*s->code == 'i' && s->code[3] == '4' ? 0.5 : 1) + elements / s->width * 4, 0.80, false });
        }
        free(x.o), free(x.scratch);
        coded_release(&x.k), coded_release(&x.v);
    } else
        bench_absent(b, name, err);
    trial_close(&t);
}

static void measure(struct bench *b)
{
    b->lines = 1;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        coded(b, &shapes[k]);
    b->lines = 0;
}
const struct group group_coded = { 460, measure };
