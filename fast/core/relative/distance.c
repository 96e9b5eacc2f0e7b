/* Sinusoids of distances, from the tables of libmeridian: distance.h. */
#include "relative/distance.h"
#include <stdio.h>
#include "libmeridian.h"
#include "relative/relative.h"

/* A table that is made once: that of distance_table(c, dim, first, rows). */
struct distance_kept { float *table; int64_t dim, first, rows; };
void distance_release(void *state)
{
    struct distance_kept *s = state;
    free(s->table), free(s);
}
int distance_keep(struct mer_call *c, int64_t dim, int64_t first, int64_t rows)
{
    struct distance_kept *s = malloc(sizeof *s);
    c->state = NULL;
    if (!s)
        return MER_BAD;
    *s = (struct distance_kept){ distance_table(c, dim, first, rows), dim, first, rows };
    c->state = s;
    return s->table ? MER_OK : MER_BAD;
}

float *distance_table(const struct mer_call *c, int64_t dim, int64_t first, int64_t rows)
{
    const struct distance_kept *kept = c->state;
    if (kept && kept->dim == dim && kept->first == first && kept->rows == rows) {
        const size_t bytes = (size_t)(rows * dim) * sizeof(float);
        float *copy = malloc(bytes + 1);
        return copy ? memcpy(copy, kept->table, bytes) : NULL;
    }
    char text[160];
    const int concat = mer_is(c, "layout", "concat");
    const int64_t pairs = dim / 2, end = first + rows < 0 ? 0 : first + rows, far = end > -first ? end : -first;
    struct mer_angles *a = NULL;
    float *y = calloc((size_t)(rows * dim) + 1, sizeof *y), *cos = malloc((size_t)(2 * rows * pairs + 1) * sizeof *cos),
          *sin = cos ? cos + rows * pairs : NULL;
    snprintf(text, sizeof text, "dim=%lld odd=zero base=%.*s", (long long)dim, (int)strcspn(mer_text(c, "base"), " "),
        mer_text(c, "base"));
    int bad = !y || !cos || mer_angles_new(&a, "sinusoid", text, far < 1 << 12 ? far + 1 : 1 << 12, NULL, 0) ||
        mer_table_f32(cos, sin, a, first, rows);
    for (int64_t t = 0; !bad && t < rows * pairs; t++) {
        int64_t r = t / pairs, k = t % pairs;
        y[r * dim + (concat ? k : 2 * k)] = sin[t];
        y[r * dim + (concat ? pairs + k : 2 * k + 1)] = cos[t];
    }
    mer_angles_free(a);
    free(cos);
    return bad ? (free(y), NULL) : y;
}

/* The distances of a call: rows of them from `first` on, of width wide; negated: row t is of minus distance 1 - n + t,
 * so the table is turned around. */
struct key_distances { int64_t width, first, rows; int negated; };
static struct key_distances distances_of(const struct mer_call *c)
{
    const int64_t n = mer_in(c, "q")->dim[1], m = mer_in(c, "k")->dim[1];
    const int negated = mer_is(c, "sign", "key-query");
    return (struct key_distances){ mer_in(c, "wr")->dim[1], negated ? 1 - m : 1 - n, n + m > 0 ? n + m - 1 : 0,
        negated };
}
int distance_prepare(struct mer_call *c)
{
    if (mer_in(c, "rows")) /* They stand for the table, and no kernel here reads them. */
        return MER_SKIP;
    const struct key_distances r = distances_of(c);
    return distance_keep(c, r.width, r.first, r.rows);
}
float *distance_rows(const struct mer_call *c)
{
    const struct key_distances r = distances_of(c);
    const int64_t P = r.rows, width = r.width;
    const int negated = r.negated;
    float *R = distance_table(c, width, r.first, P);
    for (int64_t t = 0; R && negated && t < P / 2; t++)
        for (int64_t k = 0; k < width; k++) {
            float x = R[t * width + k];
            R[t * width + k] = R[(P - 1 - t) * width + k], R[(P - 1 - t) * width + k] = x;
        }
    return R;
}

float *distance_lines(const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *wr = mer_in(c, "wr");
    const int64_t h = q->dim[0], n = q->dim[1], d = q->dim[2], m = mer_in(c, "k")->dim[1],
                  P = n + m > 0 ? n + m - 1 : 0, width = wr->dim[1];
    float *y = calloc((size_t)(h * P * d) + 1, sizeof *y), *R = distance_rows(c);
    for (int64_t t = 0; y && R && t < h * P; t++)
        for (int64_t k = 0; k < width; k++)
            relative_gather(
                y + t * d, R[t % P * width + k], (const float *)wr->data + (t / P * width + k) * d, NULL, d);
    if (!R)
        free(y), y = NULL;
    free(R);
    return y;
}
