/* Rotary attention at remapped distances: distances.h. */
#include <math.h>
#include <stdio.h>
#include "libmeridian.h"
#include "relative/distances.h"

/* The most lines that a table of distances may have; a call that needs more is declined. */
enum { LINES_MOST = 1 << 24 };

static int sees(const struct distances *m, int64_t i, int64_t j)
{
    return j <= m->memory + i && (!m->visible || m->visible(m, m->memory + i, j));
}

/* The table of near or far distances first .. last; nothing where there is no such distance. */
static int make_wave(struct distances *m, int far, const int64_t first, const int64_t last)
{
    struct distance_wave *y = &m->wave[far];
    struct mer_angles *angles = NULL;
    char text[400], err[200];
    const char *base = mer_text(m->call, "base");
    y->first = first, y->lines = last - first + 1;
    if (y->lines <= 0)
        return MER_OK;
    if (y->lines > LINES_MOST)
        return MER_SKIP;
    snprintf(text, sizeof text, "dim=%lld base=%.*s scaling=%s factor=%lld", (long long)(2 * m->pairs),
        (int)(strcspn(base, " ") < 200 ? strcspn(base, " ") : 200), base, far ? "linear" : "default",
        (long long)(far ? m->divide : 1));
    const size_t count = (size_t)(y->lines * m->pairs);
    int64_t *pos = malloc((size_t)y->lines * sizeof *pos);
    y->cos = malloc(count * sizeof *y->cos), y->sin = malloc(count * sizeof *y->sin);
    for (int64_t t = 0; pos && t < y->lines; t++)
        pos[t] = first + t;
    int rc = !pos || !y->cos || !y->sin                              ? MER_BAD :
        mer_angles_new(&angles, "rope", text, 4096, err, sizeof err) ? MER_SKIP :
        mer_table_at_f64(y->cos, y->sin, angles, pos, y->lines)      ? MER_BAD :
                                                                       MER_OK;
    mer_angles_free(angles), free(pos);
    return rc;
}

static void close_waves(struct distances *m)
{
    for (int far = 0; far < 2; far++)
        free(m->wave[far].cos), free(m->wave[far].sin);
    free(m->warm);
}

/* Reads the call, finds which distances occur, and makes their tables and the temperatures. */
static int open_waves(struct distances *m)
{
    const struct mer_array *q = mer_in(m->call, "q"), *k = mer_in(m->call, "k");
    const int64_t n = q->dim[1], keys = k->dim[1], trained = mer_int(m->call, "trained");
    const double scale = mer_real(m->call, "scale");
    int64_t least[2] = { INT64_MAX, INT64_MAX }, most[2] = { -1, -1 };
    m->pairs = mer_int(m->call, "dim") / 2, m->neighbours = mer_is(m->call, "layout", "interleaved"),
    m->memory = mer_int(m->call, "memory");
    m->scale = scale != 0 ? scale : 1 / sqrt((double)(2 * m->pairs));
    if (q->dim[2] != 2 * m->pairs)
        return MER_BAD;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < keys; j++)
            if (sees(m, i, j)) {
                const struct distance at = m->place(m, m->memory + i, j);
                least[at.far] = at.over < least[at.far] ? at.over : least[at.far],
                most[at.far] = at.over > most[at.far] ? at.over : most[at.far];
            }
    m->warm = malloc((size_t)(n + 1) * sizeof *m->warm);
    for (int64_t i = 0; m->warm && i < n; i++)
        m->warm[i] =
            trained && m->memory + i + 1 > trained ? log((double)(m->memory + i + 1)) / log((double)trained) : 1;
    int rc = m->warm ? MER_OK : MER_BAD;
    for (int far = 0; far < 2 && rc == MER_OK; far++)
        rc = most[far] < least[far] ? MER_OK : make_wave(m, far, least[far], most[far]);
    return rc;
}

/* The cosines and sines of the pair (i, j), [pairs] each. */
static void turn(const struct distances *m, int64_t i, int64_t j, const double **cos, const double **sin)
{
    const struct distance at = m->place(m, m->memory + i, j);
    const struct distance_wave *y = &m->wave[at.far];
    *cos = y->cos + (at.over - y->first) * m->pairs, *sin = y->sin + (at.over - y->first) * m->pairs;
}

static float score(const struct relative *r, int64_t h, int64_t i, int64_t j)
{
    const struct distances *m = r->row;
    const float *q = relative_q(r, h, i), *k = relative_k(r, h, j);
    const int64_t by = m->neighbours ? 2 : 1, apart = m->neighbours ? 1 : m->pairs;
    const double *cos, *sin;
    double s = 0;
    turn(m, i, j, &cos, &sin);
    for (int64_t p = 0; p < m->pairs; p++) {
        const double qa = (double)q[p * by], qb = (double)q[p * by + apart], ka = (double)k[p * by],
                     kb = (double)k[p * by + apart];
        s += (qa * ka + qb * kb) * cos[p] - (qb * ka - qa * kb) * sin[p];
    }
    return (float)(s * m->scale * m->warm[i]);
}
static int visible(const struct relative *r, int64_t h, int64_t i, int64_t j) { (void)h; return sees(r->row, i, j); }

enum { DQ, DK, DV };
static void spread(const struct relative_grad *g, int64_t h, int64_t i, int64_t j, float ds, float p)
{
    const struct relative *r = &g->r;
    const struct distances *m = r->row;
    const float *q = relative_q(r, h, i), *k = relative_k(r, h, j);
    float *dq = g->out[DQ].to ? g->out[DQ].to + (h * r->n + i) * r->d : NULL,
          *dk = g->out[DK].to ? g->out[DK].to + (h * r->m + j) * r->d : NULL;
    const int64_t by = m->neighbours ? 2 : 1, apart = m->neighbours ? 1 : m->pairs;
    const double *cos, *sin, to = (double)ds * m->warm[i];
    turn(m, i, j, &cos, &sin);
    for (int64_t c = 0; c < m->pairs; c++) {
        const int64_t a = c * by, b = a + apart;
        if (dq) {
            dq[a] += (float)(to * ((double)k[a] * cos[c] + (double)k[b] * sin[c]));
            dq[b] += (float)(to * ((double)k[b] * cos[c] - (double)k[a] * sin[c]));
        }
        if (dk) {
            dk[a] += (float)(to * ((double)q[a] * cos[c] - (double)q[b] * sin[c]));
            dk[b] += (float)(to * ((double)q[b] * cos[c] + (double)q[a] * sin[c]));
        }
    }
    relative_add(&g->out[DV], h * r->m + j, p, relative_seed(g, h, i), NULL, r->e);
}

static int asked(struct distances *m, int back)
{
    if (!back && !mer_is(m->call, "empty", "zero"))
        return MER_SKIP;
    int rc = open_waves(m);
    struct relative_grad g = { { .call = m->call, .row = m, .score = score, .visible = visible },
        { { "dq", 1 }, { "dk", 1 }, { "dv" } }, (float)m->scale, spread };
    rc = rc != MER_OK ? rc : back ? relative_back(&g) : relative_attend(&g.r);
    close_waves(m);
    return rc;
}
int distances_attend(struct distances *m) { return asked(m, 0); }
int distances_gradients(struct distances *m) { return asked(m, 1); }

int distances_map(struct distances *m)
{
    struct mer_array *y = mer_out(m->call, "distance"); /* [n][m] */
    m->memory = mer_int(m->call, "memory");
    for (int64_t t = 0; t < y->dim[0] * y->dim[1]; t++) {
        const struct distance at = m->place(m, m->memory + t / y->dim[1], t % y->dim[1]);
        ((float *)y->data)[t] = (float)((double)at.over / (double)(at.far ? m->divide : 1));
    }
    return MER_OK;
}
int distances_visible(const struct distances *m)
{
    struct mer_array *y = mer_out(m->call, "visible");
    for (int64_t t = 0; t < y->dim[0] * y->dim[1]; t++) {
        const int64_t at = mer_int(m->call, "memory") + t / y->dim[1], j = t % y->dim[1];
        ((int64_t *)y->data)[t] = j <= at && m->visible(m, at, j);
    }
    return MER_OK;
}
