/* Rows rerope and selfextend on the attention tiles: rotary_far.h. */
#include "relative/rotary_far.h"
#include <math.h>
#include <stdio.h>
#include "rotate/rotate.h"

/* Tables of cos and sin of some lines, both [lines][pairs]. */
struct far_table { float *cos, *sin; };
/* Near keys are first .. last - 1, far ones 0 .. apart - 1.  The near table has the lines of near keys, and of queries
 * from line `own` on. */
struct rotary_far {
    struct flash all;
    struct flash_far far;
    struct rope_shape shape;
    int64_t memory, first, last, apart, own;
    struct far_table near, query, key;
    float *q, *k, *far_q, *far_k, *warm; /* a head's lines, turned; both warm[n] and warmth[n] of struct flash */
    uint8_t *keep;                       /* [n][m]; NULL: all kept */
};

void far_release(void *state)
{
    struct rotary_far *s = state;
    void *const all[] = { s->all.scratch, s->near.cos, s->query.cos, s->key.cos, s->q, s->k, s->far_q, s->far_k,
        s->warm, s->keep };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(s);
}

/* Zeros for so many floats and some more, on a cache line. */
static float *zeros(int64_t floats)
{
    const size_t bytes = ((size_t)floats + 16) / 16 * 64;
    float *p = aligned_alloc(64, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

/* The table of pos[n] / divide, which never falls or jumps far more often than it stays: lines of one position are
 * made once. */
static int make_table(const struct mer_call *c, struct far_table *t, int64_t *pos, int64_t n, int64_t divide)
{
    struct mer_angles *angles = NULL;
    char text[400], err[200];
    const char *base = mer_text(c, "base");
    const int64_t K = mer_int(c, "dim") / 2, half = (n * K + 15) / 16 * 16;
    const struct mer_array all = { .rank = 1, .dim = { n }, .data = pos };
    int64_t lines = 0, *line = malloc((size_t)(n + 1) * sizeof *line);
    snprintf(text, sizeof text, "dim=%lld base=%.*s scaling=%s factor=%lld", (long long)(2 * K),
        (int)(strcspn(base, " ") < 200 ? strcspn(base, " ") : 200), base, divide > 1 ? "linear" : "default",
        (long long)divide);
    t->cos = zeros(2 * half), t->sin = t->cos + half;
    if (!line || !t->cos)
        return free(line), MER_BAD;
    int rc = mer_angles_new(&angles, "rope", text, rotate_limit(&all), err, sizeof err) ? MER_SKIP : MER_OK;
    for (int64_t i = 0; i < n; i++) {
        if (lines == 0 || pos[lines - 1] != pos[i])
            pos[lines++] = pos[i];
        line[i] = lines - 1;
    }
    rc = rc == MER_OK && mer_table_at_f32(t->cos, t->sin, angles, pos, lines) ? MER_SKIP : rc;
    for (int64_t i = n - 1; i >= 0 && rc == MER_OK && line[i] < i; i--) /* no line goes up, so none is lost */
        memcpy(t->cos + i * K, t->cos + line[i] * K, (size_t)K * sizeof(float)),
            memcpy(t->sin + i * K, t->sin + line[i] * K, (size_t)K * sizeof(float));
    mer_angles_free(angles), free(line);
    return rc;
}
static int make_tables(struct rotary_far *s, const struct mer_call *c, const struct far_places *p)
{
    const int64_t n = s->all.n, near = s->own + n, most = near > s->apart ? near : s->apart;
    int64_t *pos = malloc((size_t)(most + 1) * sizeof *pos);
    if (!pos)
        return MER_BAD;
    for (int64_t i = 0; i < near; i++)
        pos[i] = i < s->own ? s->first + i : s->memory + i - s->own;
    int rc = make_table(c, &s->near, pos, near, 1);
    for (int64_t i = 0; i < n; i++)
        pos[i] = p->query(p, s->memory + i);
    rc = rc == MER_OK && s->apart ? make_table(c, &s->query, pos, n, p->divide) : rc;
    for (int64_t j = 0; j < s->apart && p->key; j++)
        pos[j] = p->key(p, j);
    rc = rc == MER_OK && s->apart && p->key ? make_table(c, &s->key, pos, s->apart, p->divide) : rc;
    free(pos);
    return rc;
}

/* warm[n] and warmth[n]: from double, rounded once. */
static void make_warm(struct rotary_far *s, const struct mer_call *c, double scale)
{
    const double trained = (double)mer_int(c, "trained");
    for (int64_t i = 0; i < s->all.n; i++) {
        const double keys = (double)(s->memory + i + 1), t = keys > trained ? log(keys) / log(trained) : 1;
        s->warm[i] = (float)(scale * t), s->warm[s->all.n + i] = (float)t;
    }
    s->all.warm = s->warm, s->all.warmth = s->warm + s->all.n;
}
static int64_t within(int64_t x, int64_t most) { return x < 0 ? 0 : x < most ? x : most; }

static int prepare(struct mer_call *c, const struct far_places p)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *keep = mer_in(c, "keep");
    const int64_t h = q->dim[0], n = q->dim[1], m = k->dim[1], d = q->dim[2];
    const double scale = mer_real(c, "scale") != 0 ? mer_real(c, "scale") : 1 / sqrt((double)d);
    struct rotary_far *s = calloc(1, sizeof *s);
    if (!s)
        return MER_BAD;
    c->state = s;
    if (d != mer_int(c, "dim") || d < 2 || k->dim[2] != d || k->dim[0] != h || v->dim[0] != h || v->dim[1] != m)
        return MER_BAD;
    s->shape = rope_shape_of(d, 0, mer_is(c, "layout", "interleaved"), 0);
    s->memory = mer_int(c, "memory");
    s->first = within(s->memory - p.window + 1, m), s->last = within(s->memory + n, m);
    s->last = s->last < s->first ? s->first : s->last;
    s->apart = within(s->memory + n - p.window, m);
    s->own = (s->last < s->memory ? s->last : s->memory) - s->first;
    s->far = (struct flash_far){ .from = p.window };
    s->all = (struct flash){ .h = 1, .g = 1, .n = n, .m = m, .d = d, .e = v->dim[2], .type = MER_F32,
        .scale = (float)scale, .bounded = 1, .shift = s->memory, .far = s->apart ? &s->far : NULL,
        .empty = mer_is(c, "empty", "nan") ? FLASH_NAN : mer_is(c, "empty", "mean") ? FLASH_MEAN : FLASH_ZERO };
    int rc = make_tables(s, c, &p);
    if (rc != MER_OK)
        return rc;
    s->all.scratch = aligned_alloc(64, (flash_scratch(&s->all) + 63) / 64 * 64);
    s->q = zeros(n * d), s->k = zeros(m * d), s->warm = zeros(2 * n);
    s->far_q = zeros(s->apart ? n * d : 0), s->far_k = zeros(s->key.cos ? m * d : 0);
    s->keep = keep ? malloc((size_t)(n * m) + 1) : NULL;
    if (!s->all.scratch || !s->q || !s->k || !s->warm || !s->far_q || !s->far_k || (keep && !s->keep))
        return MER_BAD;
    if (mer_int(c, "trained"))
        make_warm(s, c, scale);
    return MER_OK;
}

/* Lines of one head, turned by lines of a table. */
struct far_turn { const struct mer_kernel *rope; const struct rope_shape *shape; };
static int turn(const struct far_turn *by, float *y, const float *x, int64_t lines, struct far_table t, int64_t at)
{
    const int64_t d = by->shape->d, K = by->shape->stride;
    const struct mer_array in = { "x", MER_F32, 3, { 1, lines, d }, (void *)(uintptr_t)x },
                           out = { "y", MER_F32, 3, { 1, lines, d }, y };
    const struct rotation s = { .shape = *by->shape, .known = -1, .cos = t.cos + at * K, .sin = t.sin + at * K };
    return lines ? rotate_by(by->rope, &out, &in, &s) : MER_OK;
}
/* Both kinds of lines of head h. */
static int turn_head(struct rotary_far *s, const struct mer_kernel *rope, const float *q, const float *k)
{
    const int64_t d = s->all.d, n = s->all.n;
    const struct far_turn by = { rope, &s->shape };
    int rc = turn(&by, s->q, q, n, s->near, s->own);
    rc = rc == MER_OK ? turn(&by, s->k + s->first * d, k + s->first * d, s->last - s->first, s->near, 0) :
                        rc;
    rc = rc == MER_OK && s->apart ? turn(&by, s->far_q, q, n, s->query, 0) : rc;
    rc = rc == MER_OK && s->key.cos ? turn(&by, s->far_k, k, s->apart, s->key, 0) : rc;
    s->far.q = s->far_q, s->far.k = s->key.cos ? s->far_k : k;
    return rc;
}

int far_attend(
    const struct mer_call *c, const struct flash_slot *slot, const struct mer_kernel *rope, enum flash_which which)
{
    struct rotary_far *s = c->state;
    const struct mer_array *q = mer_in(c, "q"), *keep = mer_in(c, "keep"), *o = mer_out(c, "o"),
                           *lse = mer_out(c, "lse");
    const int64_t n = s->all.n, m = s->all.m, d = s->all.d, e = s->all.e;
    const int few = n <= FLASH_FEW;
    int rc = MER_OK;
    if (!flash_meant(&s->all, which))
        return MER_SKIP;
    for (int64_t h = 0; h < q->dim[0] && rc == MER_OK; h++) {
        struct flash f = s->all;
        rc = turn_head(s, rope, (const float *)q->data + h * n * d, (const float *)mer_in(c, "k")->data + h * m * d);
        f.q = s->q, f.k = s->k, f.v = (const float *)mer_in(c, "v")->data + h * m * e, f.keep = s->keep;
        f.o = o ? (float *)o->data + h * n * e : NULL, f.lse = lse ? (float *)lse->data + h * n : NULL;
        for (int64_t t = 0; keep && t < n * m; t++)
            s->keep[t] = ((const int64_t *)keep->data)[h * n * m + t] != 0;
        rc = rc == MER_OK ? (few ? slot->attend_few : slot->attend)(&f) : rc;
    }
    return rc;
}

/* The places of the rows, as their pages say (ref/rerope.c, ref/selfextend.c). */
static int64_t at_window(const struct far_places *p, int64_t c) { return (void)c, p->window; }
static int64_t moved_on(const struct far_places *p, int64_t c) { return c + p->window * (p->divide - 1); }
static int64_t itself(const struct far_places *p, int64_t j) { return (void)p, j; }
int prepare_rerope(struct mer_call *c)
{
    const int64_t window = mer_int(c, "window"), leak = mer_int(c, "leak");
    return prepare(c, leak ? (struct far_places){ window, leak, 0, 0, moved_on, itself } :
                             (struct far_places){ window, 1, 0, 0, at_window, NULL });
}

/* a: the group; b: how far a query is moved on. */
static int64_t grouped(const struct far_places *p, int64_t j) { return j / p->a; }
static int64_t grouped_on(const struct far_places *p, int64_t c) { return c / p->a + p->b; }
static int64_t shared(const struct far_places *p, int64_t j) { return j / p->a * p->a; }
static int64_t shared_on(const struct far_places *p, int64_t c) { return c / p->a * p->a + p->b; }
int prepare_selfextend(struct mer_call *c)
{
    const int64_t window = mer_int(c, "window"), group = mer_int(c, "group");
    return prepare(c, mer_is(c, "division", "true") ?
            (struct far_places){ window, group, group, window * (group - 1), shared_on, shared } :
            (struct far_places){ window, 1, group, window - window / group, grouped_on, grouped });
}
