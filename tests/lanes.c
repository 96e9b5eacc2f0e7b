/* Kernel hygiene, for every slot of the rows with tables and rotations: tails, alignments, guard pages on both sides,
 * inputs
 * unchanged, aliasing, neighbours that are NaN.  A kernel is compared with itself in comfortable memory, bit for bit,
 * and
 * with the reference within its claim.                     After dav1d's checkasm and Arm's optimized-routines. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include "compare/compare.h"
#include "half.h"
#include "kernels.h"
#include "libmeridian.h"
#include "rotate/rotate.h"
#include "trial/trial.h"

static const char *const walked[] = { "rope", "sinusoid", NULL };
typedef void with_kernel(const struct slot *s, const struct mer_kernel *k);
static void each_kernel(with_kernel *f)
{
    int seen = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            for (int r = 0; walked[r]; r++)
                if (!strcmp(walked[r], k->row))
                    f(s, k), seen++;
    cr_assert_gt(seen, 0);
}
static bool rotates(const struct mer_kernel *k) { return !strcmp(k->row, "rope") && !strcmp(k->out, "y"); }

/* The v-th way of width d: each layout, with all of d or two thirds of it rotated.  False where there is none. */
static bool text_of(char *text, size_t n, const struct mer_kernel *k, int d, int v)
{
    int r = d * 2 / 3 / 2 * 2;
    if (!strcmp(k->row, "sinusoid"))
        snprintf(text, n, "dim=%d layout=%s", d, v ? "concat" : "interleaved");
    else
        snprintf(text, n, "dim=%d rotary=%d layout=%s partial=%s", d, v & 2 ? r : 0, v & 1 ? "interleaved" : "half",
            v & 4 ? "proportional" : "prefix");
    return !strcmp(k->row, "sinusoid") ? v < 2 : v < 8 && (!(v & 2) || (r >= 2 && r < d)) && (v & 2 || !(v & 4));
}

/* Memory with an unreadable page directly before and behind; the rest of it is filled with CANARY. */
enum { ARENAS = 6, ROOM = 1 << 17, PAGE = 4096, CANARY = 0xa5 };
static struct arena { unsigned char *room, *at; size_t bytes; } arena[ARENAS];
static void *arena_place(struct arena *a, const void *data, size_t bytes, bool behind, size_t offset)
{
    if (!a->room) {
        unsigned char *p = mmap(NULL, ROOM + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert(p != MAP_FAILED && !mprotect(p, PAGE, PROT_NONE) && !mprotect(p + PAGE + ROOM, PAGE, PROT_NONE));
        a->room = p + PAGE;
        memset(a->room, CANARY, ROOM);
    }
    cr_assert_leq(bytes + offset, (size_t)ROOM);
    if (a->at)
        memset(a->at, CANARY, a->bytes);
    a->at = behind ? a->room + ROOM - bytes - offset : a->room + offset, a->bytes = bytes;
    if (bytes)
        memcpy(a->at, data, bytes);
    return a->at;
}
static bool arena_kept(const struct arena *a) /* Was nothing written beside the array?  It looks 256 bytes far. */
{
    for (size_t k = 1; k <= 256; k++)
        if ((a->at >= a->room + k && a->at[-(long)k] != CANARY) ||
            (a->at + a->bytes + k <= a->room + ROOM && a->at[a->bytes + k - 1] != CANARY))
            return false;
    return true;
}

static size_t bytes_of(const struct mer_array *a) { return (size_t)array_len(a) * type_size(a->type); }
static struct mer_array *array_of(struct trial *t, int k)
{
    return k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in];
}

/* Runs again, from the state prepared once, with every array of an answered trial moved; array k starts `offset`
 * elements (integers: none) off the guard. */
static const char *asked_elsewhere(const struct mer_kernel *k, struct trial *t, bool behind, int offset)
{
    struct mer_array in[16], out[4];
    struct mer_call c = t->call;
    memcpy(in, t->in, sizeof in), memcpy(out, t->out, sizeof out);
    c.in = in, c.out = out;
    int all = c.n_in + c.n_out;
    cr_assert_leq(all, (int)ARENAS);
    for (int j = 0; j < all; j++) {
        struct mer_array *a = j < c.n_in ? &in[j] : &out[j - c.n_in];
        size_t off = a->type == MER_I64 ? 0 : (size_t)(offset + (offset ? 3 * j : 0)) * type_size(a->type);
        a->data = arena_place(&arena[j], array_of(t, j)->data, bytes_of(a), behind, off);
        if (j >= c.n_in)
            memset(a->data, 0xff, bytes_of(a));
    }
    if (k->run(&c) != MER_OK)
        return "not offered";
    for (int j = 0; j < all; j++) {
        if (memcmp(arena[j].at, array_of(t, j)->data, arena[j].bytes))
            return j < c.n_in ? "changes an input" : "gives other bits";
        if (!arena_kept(&arena[j]))
            return "writes beside an array";
    }
    return NULL;
}

static void placed(const struct slot *s, const struct mer_kernel *k, int d, int v, int n, int h, int offsets)
{
    char text[96], sizes[32], err[400];
    struct trial t;
    const char *bad = NULL;
    if (!text_of(text, sizeof text, k, d, v))
        return;
    snprintf(sizes, sizeof sizes, "n=%d h=%d", n, h);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, text, k->out, type_named(k->type), sizes, 3 }, err,
        sizeof err), 0, "%s", err);
    int rc = k->prepare ? k->prepare(&t.call) : MER_OK, off = 0;
    rc = rc == MER_OK ? k->run(&t.call) : rc;
    cr_assert(rc == MER_OK || rc == MER_SKIP);
    for (; rc == MER_OK && !bad && off < offsets; off++)
        for (int behind = 0; behind < 2 && !bad; behind++)
            bad = asked_elsewhere(k, &t, behind, off);
    cr_expect(
        !bad, "%s %s.%s %s, %s n=%d h=%d, offset %d: %s", s->name, k->row, k->out, k->type, text, n, h, off - 1, bad);
    if (k->release && t.call.state)
        k->release(t.call.state);
    trial_close(&t);
}

static void tails(const struct slot *s, const struct mer_kernel *k)
{
    for (int v = 0; v < 8; v++) {
        for (int d = 2; d <= 68; d += 2) /* 1 to 34 pairs: two vectors of 16 lanes and a tail. */
            placed(s, k, d, v, 3, 2, 1);
        placed(s, k, 130, v, 67, 3, 1); /* More than one block of positions. */
        /* Heads that are taken together, and one left over. */
        placed(s, k, 22, v, 3, 9, 1), placed(s, k, 66, v, 3, 9, 1);
    }
}
Test(lanes, tails_never_touch_a_byte_beside_the_arrays_and_inputs_stay) { each_kernel(tails); }

static void offsets(const struct slot *s, const struct mer_kernel *k)
{
    for (int v = 0; v < 8; v++) {
        placed(s, k, 66, v, 3, 2, 64 / (int)type_size(type_named(k->type)));
        placed(s, k, 22, v, 3, 2, 64 / (int)type_size(type_named(k->type)));
    }
}
Test(lanes, every_alignment_gives_the_same_bits) { each_kernel(offsets); }

static void nothing(const struct slot *s, const struct mer_kernel *k)
{
    for (int empty = 0; empty < 3; empty++) { /* No positions, no heads, or neither. */
        char err[400];
        struct trial t;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, "dim=16", k->out, type_named(k->type), "n=2 h=2", 3 },
            err, sizeof err), 0, "%s", err);
        struct sign sign;
        sign_read(&sign, row_quantity(t.row, t.out[0].name)->sign);
        for (int j = 0; j < t.call.n_in + t.call.n_out; j++) {
            const struct axes *x = j < t.call.n_in ? &sign.in[j] : &sign.out;
            for (int a = 0; a < x->rank; a++)
                if ((x->axis[a] == 'n' && empty != 1) || (x->axis[a] == 'h' && empty != 0))
                    array_of(&t, j)->dim[a] = 0;
        }
        cr_assert_eq(k->prepare ? k->prepare(&t.call) : MER_OK, MER_OK);
        /* A table has no heads, and is not empty without them. */
        const char *bad = array_len(&t.out[0]) ? NULL : asked_elsewhere(k, &t, true, 0);
        cr_expect(!bad || !strcmp(bad, "not offered"), "%s %s.%s %s, empty %d: %s", s->name, k->row, k->out, k->type,
            empty, bad);
        if (k->release)
            k->release(t.call.state);
        trial_close(&t);
    }
}
Test(lanes, no_heads_and_no_positions_are_allowed) { each_kernel(nothing); }

static void claims(const struct slot *s, const struct mer_kernel *k)
{
    for (int v = 0; v < 8; v++)
        for (int n = 0; n < 7; n++) {
            char text[96], err[400];
            struct trial t;
            struct tally y;
            struct arith a;
            if (!text_of(text, sizeof text, k, (int[]){ 2, 6, 16, 30, 34, 62, 66 }[n], v))
                continue;
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ k->row, text, k->out, type_named(k->type), "n=5 h=2",
                17 }, err, sizeof err), 0, "%s", err);
            cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
            if (mer_ask(k, &t.call) == MER_OK) {
                judge_outputs(&t, &a, 6, &y);
                cr_expect(tally_passes(&y) && (!k->gauge || y.gauge <= k->gauge) && (!k->correct || y.correct == y.n),
                    "%s %s.%s %s %s: %ld of %ld over, gauge %g of %g, %ld correct", s->name, k->row, k->out, k->type,
                    text, y.over, y.n, y.gauge, k->gauge, y.correct);
            }
            trial_close(&t);
        }
}
Test(lanes, every_tail_stays_within_its_claim) { each_kernel(claims); }

enum { H = 5, N = 3, D = 76, R = 70, CELLS = H * N * D, K = D / 2 };
static struct { float cos[N * K], sin[N * K]; unsigned char x[CELLS * 4], y[CELLS * 4], z[CELLS * 4]; } it;
/* One slot's rotation of x[h][n][d] into y by the tables it.cos and it.sin; r channels turn.  What core/rope_api.c does
 * for the best slot. */
static int turn(const struct mer_kernel *k, void *y, const void *x, int h, int n, int d, int r, int layout)
{
    struct rotation s = { .shape = rope_shape_of(d, r, layout & MER_INTERLEAVED, layout & MER_PROPORTIONAL),
        .cos = it.cos,
        .sin = it.sin };
    struct mer_array in = { "x", type_named(k->type), 3, { h, n, d }, (void *)(uintptr_t)x },
                     out = { "y", in.type, 3, { h, n, d }, y };
    return k->run(&(struct mer_call){ "rope", "", 1, 1, &in, &out, &s });
}

static int pairs_of(int layout) { return layout & MER_PROPORTIONAL ? D / 2 : R / 2; }
static bool channel_turns(int j, int layout)
{
    int half = pairs_of(layout);
    return layout & MER_INTERLEAVED ? j < R : j % half < R / 2 && j < 2 * half;
}
static int partner(int j, int layout)
{
    return layout & MER_INTERLEAVED ? j ^ 1 : j < pairs_of(layout) ? j + pairs_of(layout) : j - pairs_of(layout);
}
static void fill_it(int type)
{
    struct mer_array x = { "x", type, 1, { CELLS }, it.x };
    for (int k = 0; k < CELLS; k++)
        array_put(&x, k, ldexp((double)(int64_t)(gen_bits(2, 1, (uint64_t)k) >> 40), -23) - 1.01);
    for (int k = 0; k < N * K; k++) {
        double t = 0.37 * k;
        it.cos[k] = (float)cos(t), it.sin[k] = (float)sin(t);
    }
}

static void aliased(const struct slot *s, const struct mer_kernel *k)
{
    size_t e = type_size(type_named(k->type));
    for (int layout = 0; layout < 4 && rotates(k); layout++) {
        for (size_t b = 0; b < CELLS * e; b++) /* Channels that pass may hold any bits, a signalling NaN among them. */
            it.x[b] = (unsigned char)gen_bits(5, (uint64_t)layout, b);
        memcpy(it.z, it.x, sizeof it.x);
        fill_it(type_named(k->type));
        for (int i = 0; i < CELLS; i++)
            if (!channel_turns(i % D, layout))
                memcpy(it.x + (size_t)i * e, it.z + (size_t)i * e, e);
        memcpy(it.z, it.x, sizeof it.x);
        if (turn(k, it.y, it.x, H, N, D, R, layout) != MER_OK)
            continue;
        turn(k, it.z, it.z, H, N, D, R, layout);
        cr_expect(
            !memcmp(it.y, it.z, CELLS * e), "%s %s layout %d: in place gives other bits", s->name, k->type, layout);
        int other = 0, same = 0;
        for (int i = 0; i < CELLS; i++)
            if (channel_turns(i % D, layout))
                same += !memcmp(it.y + (size_t)i * e, it.x + (size_t)i * e, e);
            else
                other += memcmp(it.y + (size_t)i * e, it.x + (size_t)i * e, e) != 0;
        cr_expect(other == 0 && same < H * N * R / 4,
            "%s %s layout %d: %d passing channels changed, %d turning did not", s->name, k->type, layout, other, same);
    }
}
Test(lanes, in_place_gives_the_bits_of_out_of_place_and_other_channels_pass_untouched) { each_kernel(aliased); }

static double value(const void *x, int type, int k)
{
    struct mer_array a = { "", type, 1, { CELLS }, (void *)(uintptr_t)x };
    return array_get(&a, k);
}
static bool same_class(double got, double want)
{
    return isnan(want) ? isnan(got) : isinf(want) ? got == want : isfinite(got);
}

/* What IEEE says of a poisoned pair, in double; the table's zeros make inf * 0. */
static double expected(const double *x, int base, int j, int layout, double c, double s)
{
    double own = x[base + j], other = x[base + partner(j, layout)];
    return j < partner(j, layout) ? own * c - other * s : own * c + other * s;
}

static void poisoned(const struct slot *s, const struct mer_kernel *k)
{
    static double wide[CELLS];
    const double poison[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    int type = type_named(k->type), row = N + 1; /* Head 1, position 1 has rows on both sides. */
    size_t e = type_size(type);
    for (int layout = 0; layout < 4 && rotates(k); layout++) {
        fill_it(type);
        for (int p = 0; p < pairs_of(layout); p += 5)
            it.sin[pairs_of(layout) + p] = 0, it.cos[pairs_of(layout) + p] = 1;
        if (turn(k, it.y, it.x, H, N, D, R, layout) != MER_OK)
            continue;
        for (int j = 0; j < D; j++)
            for (int p = 0; p < 3; p++) {
                struct mer_array x = { "x", type, 1, { CELLS }, it.x };
                unsigned char kept[4];
                int at = row * D + j, wrong = -1;
                memcpy(kept, it.x + (size_t)at * e, e);
                array_put(&x, at, poison[p]);
                for (int i = 0; i < CELLS; i++)
                    wide[i] = value(it.x, type, i);
                turn(k, it.z, it.x, H, N, D, R, layout);
                for (int i = 0; i < CELLS && wrong < 0; i++) {
                    int c = i - row * D;
                    bool hit = channel_turns(j, layout) ? c == j || c == partner(j, layout) : c == j;
                    int pair = layout & MER_INTERLEAVED ? c / 2 : c % pairs_of(layout);
                    double want = !hit || !channel_turns(j, layout) ?
                        wide[i] :
                        expected(wide, row * D, c, layout, (double)it.cos[pairs_of(layout) + pair],
                            (double)it.sin[pairs_of(layout) + pair]);
                    if (hit ? !same_class(value(it.z, type, i), want) :
                              memcmp(it.z + (size_t)i * e, it.y + (size_t)i * e, e))
                        wrong = i;
                }
                cr_expect(wrong < 0, "%s %s layout %d: %g at %d, element %d is %a", s->name, k->type, layout, poison[p],
                    at, wrong, wrong < 0 ? 0 : value(it.z, type, wrong));
                memcpy(it.x + (size_t)at * e, kept, e);
            }
    }
}
Test(lanes, a_nan_or_infinity_stays_in_its_pair_and_reads_as_ieee_says) { each_kernel(poisoned); }

/* With a = 1, b = 0 the rotation stores (cos, sin) themselves: every slot's rounding to 16 bits, seen from outside. */
static void stored(const struct slot *s, const struct mer_kernel *k)
{
    int bf16 = !strcmp(k->type, "bf16");
    enum { SHORTEST = 8, TAILS = 32, LONGEST = 2 * (SHORTEST + TAILS) };
    static uint16_t x[LONGEST], y[LONGEST];
    if (!rotates(k) || type_size(type_named(k->type)) != 2)
        return;
    /* Each bit pattern of 16 bits with its neighbourhood in float: ties and both sides of them. */
    for (uint32_t block = 0; block < 1 << 15; block++) {
        uint16_t h = (uint16_t)(block * 2 + 1);
        uint32_t low = bits_of(bf16 ? from_bf16(h) : from_f16(h)), step = bf16 ? 0x8000 : 0x1000,
                 near[] = { 0, 1, step - 1, step, step + 1, 2 * step - 1, 2 * step, 3 * step };
        int pairs = SHORTEST + (int)(block % TAILS), bad = -1; /* Every length of a tail in turn. */
        for (int p = 0; p < pairs; p++) {
            it.cos[p] = float_of(low + near[p % 8]), it.sin[p] = float_of((low + near[(p + p / 8) % 8]) ^ 0x80000000u);
            x[p] = bf16 ? 0x3f80 : 0x3c00, x[p + pairs] = 0;
        }
        if (turn(k, y, x, 1, 1, 2 * pairs, 2 * pairs, MER_HALF) != MER_OK)
            return;
        for (int p = 0; p < pairs; p++)
            for (int b = 0; b < 2; b++) {
                float v = b ? it.sin[p] : it.cos[p], w = b ? it.cos[p] : it.sin[p];
                uint16_t want = bf16 ? to_bf16(v) : to_f16(v), got = y[p + b * pairs];
                /* The product 0 * w joins the sum: it is NaN where w is infinite. */
                bool nan = isnan(v) || isnan(w) || isinf(w);
                if (nan ? !isnan(bf16 ? from_bf16(got) : from_f16(got)) :
                          (got ^ want) & 0x7fff || ((got ^ want) & 0x8000 && want & 0x7fff))
                    bad = p;
            }
        cr_assert_lt(bad, 0, "%s %s near %a: cos %a -> %04x, sin %a -> %04x", s->name, k->type, (double)float_of(low),
            (double)it.cos[bad], y[bad], (double)it.sin[bad], y[bad + pairs]);
    }
}
Test(lanes, every_slot_rounds_to_16_bits_like_half_h) { each_kernel(stored); }

/* With cos = 1, sin = 0 it stores x: every slot's reading of all 65,536 patterns; a NaN may become quiet. */
static void read_back(const struct slot *s, const struct mer_kernel *k)
{
    int bf16 = !strcmp(k->type, "bf16");
    enum { SHORTEST = 8, TAILS = 32, LONGEST = 2 * (SHORTEST + TAILS) };
    static uint16_t x[LONGEST], y[LONGEST];
    for (int layout = 0; layout < 2 && rotates(k) && type_size(type_named(k->type)) == 2; layout++)
        for (uint32_t h = 0; h < 1 << 16; h += K) {
            for (uint32_t p = 0; p < K; p++) {
                it.cos[p] = 1, it.sin[p] = 0;
                x[layout ? 2 * p : p] = (uint16_t)(h + p), x[layout ? 2 * p + 1 : p + K] = 0;
            }
            if (turn(k, y, x, 1, 1, D, D, layout) != MER_OK)
                break;
            for (uint32_t p = 0; p < K; p++) {
                uint16_t want = (uint16_t)(h + p), got = y[layout ? 2 * p : p];
                bool nan = isnan(bf16 ? from_bf16(want) : from_f16(want));
                cr_assert_eq(got, nan ? want | (bf16 ? 0x40 : 0x200) : want, "%s %s layout %d: %04x -> %04x", s->name,
                    k->type, layout, want, got);
            }
        }
}
Test(lanes, every_slot_reads_all_16_bit_patterns) { each_kernel(read_back); }

Test(lanes, meridian_isa_masks_slots_and_the_installed_rotation_follows)
{
    static const char *const order[] = { "scalar", "avx2", "avx512", "avx512bf16", "amx" };
    for (int top = 0; top < 5; top++) {
        const struct slot *best = NULL;
        setenv("MERIDIAN_ISA", order[top], 1);
        for (const struct slot *s = slots; s->name; s++) {
            int level = 0;
            while (strcmp(order[level], s->name))
                level++;
            cr_expect(level <= top || !s->here(), "%s is offered under %s", s->name, order[top]);
            best = s->here() && !strcmp(s->kernel->row, "rope") && !strcmp(s->kernel->type, "f32") ? s : best;
        }
        fill_it(MER_F32);
        cr_assert(best && turn(best->kernel, it.y, it.x, H, N, D, R, MER_HALF) == MER_OK);
        cr_expect_eq(mer_rope_f32((float *)(void *)it.z, (const float *)(const void *)it.x, it.cos, it.sin,
                         &(struct mer_rotation){ H, N, D, R, MER_HALF }),
            0);
        cr_expect(!memcmp(it.y, it.z, sizeof it.y), "%s: the installed function gives other bits than slot %s",
            order[top], best->name);
    }
    unsetenv("MERIDIAN_ISA");
}

Test(lanes, the_installed_rotations_answer_and_refuse)
{
    float c[2] = { 0.6f, 0.6f }, s[2] = { 0.8f, 0.8f }, x[4] = { 1, 2, 3, 4 }, y[4] = { 9, 9, 9, 9 };
    const struct mer_rotation whole = { 1, 1, 4, 4, MER_HALF };
    cr_expect_eq(mer_rope_f32(y, x, c, s, &whole), 0);
    cr_expect(y[0] == 1 * 0.6f - 3 * 0.8f || y[0] == fmaf(1, 0.6f, -(3 * 0.8f)));
    cr_expect_eq(mer_rope_f32(x, x, c, s, &whole), 0);
    cr_expect(!memcmp(x, y, sizeof x));
    static const struct mer_rotation bad[] = { { -1, 1, 4, 4, 0 }, { 1, -1, 4, 4, 0 }, { 1, 1, 4, 3, 0 },
        { 1, 1, 4, 6, 0 }, { 1, 1, 4, 0, 0 }, { 1, 1, 4, 4, 4 }, { 1, 1, 3, 2, MER_PROPORTIONAL } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        cr_expect_eq(mer_rope_f32(y, x, c, s, &bad[k]), -1, "case %zu", k);
    cr_expect(!memcmp(x, y, sizeof x));
    cr_expect_eq(mer_rope_bf16(NULL, NULL, NULL, NULL, &(struct mer_rotation){ 0, 0, 4, 4, MER_INTERLEAVED }), 0);
    cr_expect_eq(mer_rope_f16(NULL, NULL, NULL, NULL, &(struct mer_rotation){ 3, 0, 4, 2, MER_PROPORTIONAL }), 0);
}
