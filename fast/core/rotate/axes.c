/* Calls of row mrope: axes.h. */
#include "rotate/axes.h"
#include <stdio.h>
#include "kernels.h"
#include "rotate/unite.h"

static int prepare(struct mer_call *c, int back)
{
    char text[300], err[200];
    struct rope_axes *s = calloc(1, sizeof *s);
    const char *base = mer_text(c, "base"), *at = mer_text(c, "sections");
    const int64_t dim = mer_int(c, "dim");
    if (!s)
        return MER_BAD;
    s->rest = mer_is(c, "mode", "rest"), s->woven = s->rest || mer_is(c, "mode", "interleaved");
    for (int a = 0; a < AXES; a++, at += strcspn(at, ", "), at += *at == ',')
        s->section[a] = strtoll(at, NULL, 10);
    s->turn.known = -1, s->turn.back = back;
    s->turn.shape = rope_shape_of(dim, 0, mer_is(c, "layout", "interleaved"), 0);
    snprintf(text, sizeof text, "dim=%lld base=%.*s", (long long)dim,
        (int)(strcspn(base, " ") < 200 ? strcspn(base, " ") : 200), base);
    if (rope_shape_bad(&s->turn.shape) ||
        mer_angles_new(&s->turn.angles, "rope", text, rotate_limit(mer_in(c, "pos")), err, sizeof err))
        return free(s), MER_SKIP;
    c->state = s;
    return MER_OK;
}
int axes_prepare(struct mer_call *c) { return prepare(c, 0); }
int axes_prepare_back(struct mer_call *c) { return prepare(c, 1); }
void axes_release(void *state)
{
    struct rope_axes *s = state;
    mer_angles_free(s->turn.angles), free(s->turn.pos), free(s->turn.own), free(s);
}

int axes_of(const struct rope_axes *s, int64_t k)
{
    int a = (int)(k % AXES);
    if (s->woven)
        return a == 0 || k < AXES * s->section[a] ? a : s->rest ? AXES_NONE : 0;
    return k < s->section[0] ? 0 : k < s->section[0] + s->section[1] ? 1 : 2;
}

/* A type of entries: libmeridian's table of it, its bytes, its number 1. */
typedef int table_at(void *cos, void *sin, const struct mer_angles *a, const int64_t *pos, int64_t count);
struct axes_entry { table_at *at; int64_t size; uint32_t one; };
static int at_f32(void *cos, void *sin, const struct mer_angles *a, const int64_t *pos, int64_t n)
{
    return mer_table_at_f32(cos, sin, a, pos, n);
}
static int at_bf16(void *cos, void *sin, const struct mer_angles *a, const int64_t *pos, int64_t n)
{
    return mer_table_at_bf16(cos, sin, a, pos, n);
}
static int at_f16(void *cos, void *sin, const struct mer_angles *a, const int64_t *pos, int64_t n)
{
    return mer_table_at_f16(cos, sin, a, pos, n);
}
static struct axes_entry entry_of(int32_t type)
{
    return type == MER_F32 ? (struct axes_entry){ at_f32, 4, 0x3f800000 } :
        type == MER_F16    ? (struct axes_entry){ at_f16, 2, 0x3c00 } :
                             (struct axes_entry){ at_bf16, 2, 0x3f80 };
}

/* Rows of entries are taken as bytes, PIECE at a time: a row has whole PIECEs here. */
enum { PIECE = 16, ROWS = 128 };
typedef uint8_t piece __attribute__((vector_size(PIECE), may_alias));

void unite_scalar(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, int64_t bytes)
{
    unite_all(to, x, y, z, bytes);
}
static unite_rows *unite(void)
{
    static unite_rows *const by_level[] = { unite_scalar, unite_avx2, unite_avx512, unite_avx512, unite_avx512 };
    return by_level[mer_isa_level()];
}

/* The making of a table: at most ROWS rows of each axis in memory, each a cosine row and then a sine row of `width`
 * bytes, of which `used` are entries.  mask[axis]: the bytes of its pairs; one: the number 1 in the pairs that do not
 * turn. */
struct axes_making {
    const struct rope_axes *s;
    struct axes_entry e;
    const int64_t *pos;  /* [AXES][n] */
    int64_t n, used, width;
    uint8_t *cos, *sin;  /* [n][used], where the table goes */
    uint8_t *mask, *one; /* [AXES][width]; [width] */
    uint8_t *row, *room; /* [AXES][ROWS][2][width]; [2][ROWS][used], as libmeridian leaves them */
    int64_t place[ROWS]; /* the positions of rows */
};

static int64_t position(const struct axes_making *m, int axis, int64_t i) { return m->pos[axis * m->n + i]; }
static int agree(const struct axes_making *m, int64_t i) /* whether token i has one position on every axis */
{
    return position(m, 0, i) == position(m, 1, i) && position(m, 0, i) == position(m, 2, i);
}

/* The pairs of every axis, as masks. */
static void masks(struct axes_making *m)
{
    memset(m->mask, 0, (size_t)((AXES + 1) * m->width));
    for (int64_t k = 0; k < m->s->turn.shape.live; k++) {
        const int a = axes_of(m->s, k);
        if (a == AXES_NONE)
            memcpy(m->one + k * m->e.size, &m->e.one, (size_t)m->e.size);
        else
            memset(m->mask + a * m->width + k * m->e.size, 0xff, (size_t)m->e.size);
    }
}

/* Tokens i .. end - 1, whose axes agree: plain rope's table, but for the pairs that do not turn. */
static int plain(const struct axes_making *m, int64_t i, int64_t end)
{
    const int64_t size = m->e.size;
    uint8_t *co = m->cos + i * m->used, *si = m->sin + i * m->used;
    if (m->e.at(co, si, m->s->turn.angles, m->pos + i, end - i))
        return MER_SKIP;
    for (; m->s->rest && i < end; i++, co += m->used, si += m->used)
        for (int64_t k = 0; k < m->s->turn.shape.live; k++)
            if (axes_of(m->s, k) == AXES_NONE)
                memcpy(co + k * size, &m->e.one, (size_t)size), memset(si + k * size, 0, (size_t)size);
    return MER_OK;
}

/* Rows of an axis for tokens i .. end - 1, and in *least the position of the first one; or, where these positions are
 * more than tokens, a row for each token, and *least = INT64_MIN. */
static int rows_of_axis(struct axes_making *m, int axis, int64_t i, int64_t end, int64_t *least)
{
    int64_t low = position(m, axis, i), high = low, count = end - i;
    for (int64_t t = i; t < end; t++) {
        const int64_t p = position(m, axis, t);
        low = p < low ? p : low, high = p > high ? p : high;
    }
    const int few = (uint64_t)high - (uint64_t)low < (uint64_t)count;
    *least = few ? low : INT64_MIN, count = few ? high - low + 1 : count;
    for (int64_t t = 0; t < count; t++)
        m->place[t] = few ? low + t : position(m, axis, i + t);
    uint8_t *co = m->room, *si = m->room + ROWS * m->used, *to = m->row + axis * ROWS * 2 * m->width;
    if (m->e.at(co, si, m->s->turn.angles, m->place, count))
        return MER_SKIP;
    const uint8_t *mask = m->mask + axis * m->width;
    for (int64_t t = 0; t < count; t++, co += m->used, si += m->used, to += 2 * m->width) {
        memcpy(to, co, (size_t)m->used), memcpy(to + m->width, si, (size_t)m->used);
        for (int64_t b = 0; b < m->width; b += PIECE) {
            *(piece *)(to + b) &= *(const piece *)(mask + b);
            *(piece *)(to + m->width + b) &= *(const piece *)(mask + b);
            if (axis == 0)
                *(piece *)(to + b) |= *(const piece *)(m->one + b);
        }
    }
    return MER_OK;
}
/* Tokens i .. end - 1, as far as `reach` went. */
static int mixed(struct axes_making *m, int64_t i, int64_t end)
{
    unite_rows *const join = unite();
    int64_t least[AXES];
    int rc = MER_OK;
    for (int a = 0; a < AXES && rc == MER_OK; a++)
        rc = rows_of_axis(m, a, i, end, &least[a]);
    for (int64_t t = i; t < end && rc == MER_OK; t++) {
        const uint8_t *x[AXES];
        for (int a = 0; a < AXES; a++)
            x[a] = m->row + (a * ROWS + (least[a] == INT64_MIN ? t - i : position(m, a, t) - least[a])) * 2 * m->width;
        join(m->cos + t * m->used, x[0], x[1], x[2], m->used);
        join(m->sin + t * m->used, x[0] + m->width, x[1] + m->width, x[2] + m->width, m->used);
    }
    return rc;
}
/* How far tokens from i on are made together: up to two whose axes agree, and up to ROWS tokens, or further while no
 * axis has more than ROWS positions. */
static int64_t reach(const struct axes_making *m, int64_t i)
{
    int64_t end = i + 1, low[AXES], high[AXES];
    for (int a = 0; a < AXES; a++)
        low[a] = high[a] = position(m, a, i);
    for (; end < m->n && !(agree(m, end) && (end + 1 == m->n || agree(m, end + 1))); end++) {
        int wide = 0;
        for (int a = 0; a < AXES; a++) {
            const int64_t p = position(m, a, end);
            low[a] = p < low[a] ? p : low[a], high[a] = p > high[a] ? p : high[a];
            wide |= (uint64_t)high[a] - (uint64_t)low[a] >= ROWS;
        }
        if (wide && end - i >= ROWS)
            break;
    }
    return end;
}

/* cos and sin [n][K] of the positions pos[AXES][n].  MER_SKIP where an entry is not decided. */
static int make(const struct rope_axes *s, const struct mer_array *pos, void *cos, void *sin, int32_t type)
{
    struct axes_making m = { .s = s, .e = entry_of(type), .pos = pos->data, .n = pos->dim[1], .cos = cos, .sin = sin };
    m.used = s->turn.shape.live * m.e.size, m.width = (m.used + PIECE - 1) / PIECE * PIECE;
    uint8_t *memory = NULL;
    int rc = MER_OK;
    for (int64_t i = 0, end; i < m.n && rc == MER_OK; i = end) {
        for (end = i; end < m.n && agree(&m, end); end++)
            ;
        if (end > i) {
            rc = plain(&m, i, end);
            continue;
        }
        end = reach(&m, i);
        if (!memory) {
            memory = aligned_alloc(64, (size_t)(m.width * (AXES + 1 + 2 * ROWS * (AXES + 1)) + 63) / 64 * 64);
            if (!memory)
                return MER_BAD;
            m.mask = memory, m.one = m.mask + AXES * m.width, m.row = m.one + m.width,
            m.room = m.row + AXES * ROWS * 2 * m.width;
            memset(m.row, 0, (size_t)(AXES * ROWS * 2 * m.width)), masks(&m);
        }
        rc = mixed(&m, i, end);
    }
    free(memory);
    return rc;
}

int axes_table_for(struct rope_axes *s, const struct mer_call *c)
{
    const struct mer_array *pos = mer_in(c, "pos");
    struct rotation *r = &s->turn;
    const int64_t n = pos->dim[1], half = (n * r->shape.stride + 15) / 16 * 16;
    const size_t bytes = (size_t)(AXES * n) * sizeof *r->pos;
    if (r->known == n && !memcmp(r->pos, pos->data, bytes))
        return MER_OK;
    if (r->known != n) { /* else there is room */
        free(r->pos), free(r->own);
        r->pos = malloc(bytes + 1), r->own = aligned_alloc(64, (size_t)half * 2 * sizeof *r->own + 64);
    }
    r->known = -1;
    if (!r->pos || !r->own)
        return MER_BAD;
    if (n)
        memcpy(r->pos, pos->data, bytes);
    r->cos = r->own, r->sin = r->own + half;
    int rc = make(s, pos, r->own, r->own + half, MER_F32);
    for (int64_t k = 0; r->back && rc == MER_OK && k < n * r->shape.stride; k++)
        r->own[half + k] = -r->own[half + k];
    r->known = rc == MER_OK ? n : -1;
    return rc;
}

int axes_turn(const struct mer_call *c, const struct mer_kernel *rope)
{
    struct rope_axes *s = c->state;
    int rc = axes_table_for(s, c);
    return rc == MER_OK ?
        rotate_by(rope, mer_out(c, s->turn.back ? "dx" : "y"), mer_in(c, s->turn.back ? "dy" : "x"), &s->turn) :
        rc;
}

int axes_table(const struct mer_call *c)
{
    struct mer_array *co = mer_out(c, "cos"), *si = mer_out(c, "sin"), *one = co ? co : si;
    void *spare = co && si ? NULL : malloc((size_t)mer_count(one) * mer_width(one->type) + 1);
    int rc = spare || (co && si) ?
        make(c->state, mer_in(c, "pos"), co ? co->data : spare, si ? si->data : spare, one->type) :
        MER_BAD;
    free(spare);
    return rc;
}
