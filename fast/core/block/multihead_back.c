/* Gradients of multi-head attention in float32: multihead.h.
 *   do = cut(dy wo^T)    dq dk dv by the best slot's tiles, turned back    dw = x^T join(dq)    db = sum of its rows
 *   dx = join(dq) wq^T + join(dk) wk^T + join(dv) wv^T */
#include "block/multihead.h"

static struct gemm_of turned(struct gemm_of a) { return (struct gemm_of){ a.data, a.stride, !a.transposed }; }

/* to = left[rows][a]^T right[rows][b] as the weight w lies: [a][b], or [b][a] where it is stored transposed. */
static void weight_grad(
    float *to, struct gemm_of w, struct gemm_of left, struct gemm_of right, int64_t a, int64_t b, int64_t rows)
{
    if (w.transposed)
        gemm_f32(to, w.stride, turned(right), left, b, a, rows, 0);
    else
        gemm_f32(to, w.stride, turned(left), right, a, b, rows, 0);
}

/* The gradient of wo, for which attention runs forward once more. */
static int output_grad(const struct multihead *p, const struct multihead_back *g, float *const part[5])
{
    struct flash f = p->shape;
    const int64_t u = p->heads[0] * p->width[2];
    f.q = part[0], f.k = part[1], f.v = part[2], f.o = part[MULTIHEAD_OUT];
    if (multihead_attend(p, &f) != MER_OK)
        return MER_BAD;
    multihead_join(part[MULTIHEAD_FLAT], part[MULTIHEAD_OUT], p->n, p->heads[0], p->width[2], p->strided);
    weight_grad(g->dwo, p->wo, (struct gemm_of){ part[MULTIHEAD_FLAT], u, 0 }, (struct gemm_of){ g->dy, p->c, 0 }, u,
        p->c, p->n);
    return MER_OK;
}

/* Rotates by minus the angle, with the tables of the way forward, whose sines are negated for good. */
static int turn_back(const struct multihead *p, float *dq, float *dk)
{
    for (int64_t k = 0; k < p->n * (p->width[0] / 2); k++)
        p->sin[k] = -p->sin[k];
    const struct mer_rotation of_q = { p->heads[0], p->n, p->width[0], p->width[0], p->layout },
                              of_k = { p->heads[1], p->n, p->width[1], p->width[1], p->layout };
    return mer_rope_f32(dq, dq, p->cos, p->sin, &of_q) || mer_rope_f32(dk, dk, p->cos, p->sin, &of_k);
}

/* The gradients of projection k, its weight, bias and input, from d[heads][rows][width]; flat is room. */
static void gather(const struct multihead *p, const struct multihead_back *g, int k, float *flat, const float *d)
{
    const int64_t f = p->heads[k] * p->width[k], rows = k ? p->m : p->n;
    const float *from[3] = { p->x, p->key, p->value };
    multihead_join(flat, d, rows, p->heads[k], p->width[k], p->strided);
    if (g->dw[k])
        weight_grad(g->dw[k], p->w[k], (struct gemm_of){ from[k], p->wide[k], 0 }, (struct gemm_of){ flat, f, 0 },
            p->wide[k], f, rows);
    if (g->db[k])
        memset(g->db[k], 0, (size_t)f * sizeof *flat);
    for (int64_t x = 0; g->db[k] && x < rows * f; x++)
        g->db[k][x % f] += flat[x];
    if (g->din[k])
        gemm_f32(g->din[k], p->wide[k], (struct gemm_of){ flat, f, 0 }, turned(p->w[k]), rows, p->wide[k], f,
            k && g->din[k] == g->din[0]);
}

int multihead_back(const struct multihead *p, const struct multihead_back *g)
{
    float *part[5], *d[3];
    int wanted = 0, rc = multihead_parts(p, part);
    if (rc == MER_OK && g->dwo)
        rc = output_grad(p, g, part);
    for (int k = 0; k < 3; k++)
        wanted |= g->din[k] || g->dw[k] || g->db[k];
    if (rc != MER_OK || !wanted)
        return rc;
    const int64_t u = p->heads[0] * p->width[2],
                  size[3] = { p->n * p->heads[0] * p->width[0], p->m * p->heads[1] * p->width[1],
                      p->m * p->heads[2] * p->width[2] };
    float *room = malloc((size_t)(size[0] + size[1] + size[2] + 1) * sizeof *room);
    struct flash_grad back = { .f = p->shape, .seed = part[MULTIHEAD_OUT] };
    back.f.scratch = aligned_alloc(64, (flash_grad_scratch(&p->shape) + 63) / 64 * 64);
    rc = room && back.f.scratch ? MER_OK : MER_BAD;
    if (rc == MER_OK) {
        d[0] = back.dq = room, d[1] = back.dk = room + size[0], d[2] = back.dv = room + size[0] + size[1];
        gemm_f32(part[MULTIHEAD_FLAT], u, (struct gemm_of){ g->dy, p->c, 0 }, turned(p->wo), p->n, u, p->c, 0);
        multihead_cut(part[MULTIHEAD_OUT], part[MULTIHEAD_FLAT], NULL, p->n, p->heads[0], p->width[2], p->strided);
        back.f.q = part[0], back.f.k = part[1], back.f.v = part[2];
        rc = flash_grad_best(&back);
    }
    if (rc == MER_OK && p->angles && turn_back(p, d[0], d[1]))
        rc = MER_BAD;
    for (int k = 0; k < 3 && rc == MER_OK; k++)
        gather(p, g, k, part[MULTIHEAD_FLAT], d[k]);
    free(room), free(back.f.scratch);
    return rc;
}
