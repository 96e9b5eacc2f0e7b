/* From a call of row `attention` to a problem (flash.h).  What a call brings in another type or form (documents, a
 * sink, temperatures, queries and keys that are to be normalised) is made here once, so that every slot knows one
 * problem. */
#include "attention/flash_grad.h"
#include <math.h>
#include "odd.h"

/* What prepare makes.  f is the first member, since flash_run may be given a problem alone.  keep[h][n][m],
 * bias[h][n][m], lse[h][n], sink[h], q, k, v, o: what the call has in another form, or NULL; warm: both warm[n] and
 * warmth[n] of struct flash.  norm, place, offset and eps say how queries and keys are normalised. */
struct flash_state {
    struct flash f;
    uint8_t *keep;
    float *bias, *lse, *sink, *warm, *q, *k, *v, *o;
    int norm, place, offset;
    double eps;
};
enum { NO_NORM, RMS, L2 };
enum { INSIDE, OUTSIDE, CLAMP };

void flash_release(void *state)
{
    struct flash_state *s = state;
    free(s->f.scratch), free(s->keep), free(s->bias), free(s->lse), free(s->sink), free(s->warm), free(s->q),
        free(s->k), free(s->v), free(s->o), free(s);
}

/* The temperature of a query at this place, as the row's page defines it (ref/attention.c). */
static double warmth(const struct mer_call *c, int64_t place)
{
    double t = log((double)(place < 0 ? 1 : place + 1)), a = mer_real(c, "temper"),
           trained = (double)mer_int(c, "trained");
    if (mer_is(c, "temperature", "llama4"))
        return 1 + a * log((double)(1 + (place < 0 ? 1 : place + 1) / mer_int(c, "floor")));
    return mer_is(c, "temperature", "ssmax") ? a * t : t <= log(trained) ? 1 : t / log(trained);
}

/* The rules of reach as the parameters say them, of f's n and m. */
static void see(struct flash *f, const struct mer_call *c)
{
    int64_t left = mer_int(c, "left"), right = mer_int(c, "right"), W = mer_int(c, "window"),
            length = mer_int(c, "length");
    f->padded = mer_int(c, "first"), f->padding = length >= 0 && length < f->m ? f->m - length : 0;
    f->shift = mer_is(c, "causal", "bottomright") ? f->m - f->padding - f->n :
        mer_is(c, "causal", "offset")             ? mer_int(c, "offset") :
                                                    0;
    f->bounded = !mer_is(c, "causal", "none") || right >= 0, f->right = right < 0 ? 0 : right;
    f->prefix = mer_int(c, "prefix"), f->chunk = mer_int(c, "chunk"), f->start = mer_int(c, "start");
    f->window = W;
    if (W && mer_is(c, "windows", "within"))
        f->ahead = W;
    else if (W && mer_is(c, "windows", "closed"))
        f->window = f->ahead = W + 1;
    else if (W && mer_is(c, "windows", "halves"))
        f->window = f->ahead = W / 2 + 1;
    else if (W && mer_is(c, "windows", "uneven"))
        f->window = (W + 1) / 2, f->ahead = W / 2 + 1;
    f->window = left >= 0 && (!f->window || left + 1 < f->window) ? left + 1 : f->window; /* the narrower */
}

/* A document that is packed with others: it begins at query q and key k and is n by m.  Without cumulative lengths all
 * queries and keys are one. */
struct flash_call_document { int64_t q, k, n, m; };
static const int64_t *ends_of(const struct mer_call *c, const char *name)
{
    const struct mer_array *a = mer_in(c, name);
    return a ? a->data : NULL;
}
static struct flash_call_document document_of(const struct flash *f, const struct mer_call *c, int64_t i)
{
    const int64_t *q = ends_of(c, "cu_seqlens_q"), *k = ends_of(c, "cu_seqlens_k");
    for (int64_t s = 0; q; s++) /* ends, since the last of q is n: packed() */
        if (i < q[s + 1])
            return (struct flash_call_document){ q[s], k[s], q[s + 1] - q[s], k[s + 1] - k[s] };
    return (struct flash_call_document){ 0, 0, f->n, f->m };
}
/* Whether cumulative lengths begin with 0, never fall and end with `end`. */
static int sound(const struct mer_array *a, int64_t end)
{
    const int64_t *x = a->data, last = a->dim[0] - 1;
    int good = last >= 0 && x[0] == 0 && x[last] == end;
    for (int64_t s = 0; good && s < last; s++)
        good = x[s] <= x[s + 1];
    return good;
}
/* Whether documents are packed: 1, 0, or -1 where the cumulative lengths are not sound. */
static int packed(const struct flash *f, const struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "cu_seqlens_q"), *k = mer_in(c, "cu_seqlens_k");
    return !q && !k ? 0 : q && k && q->dim[0] == k->dim[0] && sound(q, f->n) && sound(k, f->m) ? 1 : -1;
}

/* The rules of reach of the whole problem; where they count within documents, flash_hide applies them instead. */
void flash_see(struct flash *f, const struct mer_call *c)
{
    see(f, c);
    if (packed(f, c) && !mer_is(c, "counted", "pack"))
        f->bounded = 0, f->shift = f->prefix = f->window = f->ahead = f->chunk = f->padded = f->padding = 0;
}
/* The sizes and rules that query i's document has; *d is that document. */
static struct flash within(const struct flash *f, const struct mer_call *c, int64_t i, struct flash_call_document *d)
{
    struct flash x = { .n = f->n, .m = f->m };
    *d = document_of(f, c, i);
    if (!mer_is(c, "counted", "pack"))
        x.n = d->n, x.m = d->m;
    see(&x, c);
    return x;
}

/* Fills warm and warmth of every query, each rounded once from double. */
static void warm(struct flash_state *s, const struct mer_call *c, double scale)
{
    float *t = s->warm + s->f.n;
    for (int64_t i = 0; i < s->f.n; i++) {
        struct flash_call_document d;
        const struct flash x = within(&s->f, c, i, &d);
        double by = warmth(c, (mer_is(c, "counted", "pack") ? i : i - d.q) + x.shift - mer_int(c, "warm_start"));
        s->warm[i] = (float)(scale * by), t[i] = (float)by;
    }
    s->f.warm = s->warm, s->f.warmth = t;
}

/* Memory for so many floats where it is wanted; NULL, and *bad set, where there is none. */
static float *room(int wanted, size_t floats, int *bad)
{
    float *p = wanted ? malloc((floats + 1) * sizeof *p) : NULL;
    *bad |= wanted && !p;
    return p;
}

int flash_prepare(struct mer_call *c)
{
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *bias = mer_in(c, "bias"),
                           *sink = mer_in(c, "sink");
    struct flash_state *s = calloc(1, sizeof *s);
    if (!s)
        return MER_BAD;
    c->state = s;
    const double scale = mer_real(c, "scale") != 0 ? mer_real(c, "scale") : 1 / sqrt((double)q->dim[2]);
    float constant = (float)mer_real(c, "constant"), all = constant;
    for (int64_t t = 1; t < mer_int(c, "times"); t++)
        all += constant;
    s->f = (struct flash){ .h = q->dim[0],
        .g = k->dim[0],
        .n = q->dim[1],
        .m = k->dim[1],
        .d = q->dim[2],
        .e = v ? v->dim[2] : 0,
        .type = q->type,
        .scale = (float)scale,
        .tiled = mer_is(c, "group", "tile"),
        .bias_first = mer_is(c, "order", "bias-first"),
        .binary = mer_is(c, "base", "2"),
        .cap = (float)mer_real(c, "cap"),
        .cap_last = mer_is(c, "cap_at", "after"),
        .constant = all,
        .finite = mer_is(c, "mask", "add") ? FLASH_ADD :
            mer_is(c, "mask", "fill")      ? FLASH_FILL :
                                             FLASH_HIDE,
        .empty = mer_is(c, "empty", "nan") ? FLASH_NAN :
            mer_is(c, "empty", "mean")     ? FLASH_MEAN :
                                             FLASH_ZERO };
    struct flash *f = &s->f;
    flash_see(f, c);
    s->norm = mer_is(c, "norm", "rms") ? RMS : mer_is(c, "norm", "l2") ? L2 : NO_NORM;
    s->place = mer_is(c, "eps_at", "inside") ? INSIDE : mer_is(c, "eps_at", "outside") ? OUTSIDE : CLAMP;
    s->eps = mer_real(c, "eps"), s->offset = mer_is(c, "gain", "offset");
    int bad = 0, widened = s->norm && f->type != MER_F32, masks = mer_in(c, "keep") || mer_in(c, "doc") || packed(f, c);
    size_t rows = (size_t)(f->h * f->n), cells = rows * (size_t)f->m, keys = (size_t)(f->g * f->m);
    f->scratch = aligned_alloc(64, (flash_scratch(f) + 63) / 64 * 64);
    s->keep = masks ? malloc(cells + 1) : NULL;
    s->bias = room(bias && bias->type != MER_F32, cells, &bad), s->lse = room(1, rows, &bad);
    s->sink = room(sink || mer_is(c, "softmax1", "on"), (size_t)f->h, &bad),
    s->warm = room(!mer_is(c, "temperature", "none"), 2 * (size_t)f->n, &bad);
    s->q = room(s->norm, rows * (size_t)f->d, &bad), s->k = room(s->norm, keys * (size_t)f->d, &bad);
    s->v = room(widened, keys * (size_t)f->e, &bad), s->o = room(widened, rows * (size_t)f->e, &bad);
    if (bad || packed(f, c) < 0 || !f->scratch || (masks && !s->keep))
        return MER_BAD;
    if (s->warm)
        warm(s, c, scale);
    return MER_OK;
}

static float element(const struct mer_array *a, int64_t at)
{
    return load_float(a->data, at, a->type);
}

/* The length by which a row is divided, with eps as the parameters say, in float64; *root is the root of its sum of
 * squares (of its mean square, for RMS) without eps. */
static double length_of(const struct flash_state *s, const struct mer_array *x, int64_t row, int64_t d, double *root)
{
    double sum = 0;
    for (int64_t c = 0; c < d; c++)
        sum += (double)element(x, row * d + c) * (double)element(x, row * d + c);
    sum = s->norm == RMS ? sum / (double)d : sum;
    *root = sqrt(sum);
    return s->place == INSIDE ? sqrt(sum + s->eps) :
        s->place == OUTSIDE   ? *root + s->eps :
        *root < s->eps        ? s->eps :
                                *root;
}
/* The factor of channel c behind the division. */
static double gain_of(const struct flash_state *s, const struct mer_array *gain, int64_t c)
{
    return gain ? (double)element(gain, c) + s->offset : 1;
}

/* y = the rows of x, normalised and times the gain, rounded once from float64. */
static void normalise(const struct flash_state *s, float *y, const struct mer_array *x, const struct mer_array *gain)
{
    int64_t d = x->dim[2];
    for (int64_t r = 0; r < x->dim[0] * x->dim[1]; r++) {
        double root, norm = length_of(s, x, r, d, &root);
        for (int64_t c = 0; c < d; c++)
            y[r * d + c] = (float)((double)element(x, r * d + c) / norm * gain_of(s, gain, c));
    }
}
/* y: the gradients by the normalised rows become those by x (ref/core/softmax/unit.h). */
static void normalise_back(
    const struct flash_state *s, float *y, const struct mer_array *x, const struct mer_array *gain)
{
    int64_t d = x->dim[2];
    for (int64_t r = 0; y && r < x->dim[0] * x->dim[1]; r++) {
        double root, norm = length_of(s, x, r, d, &root), sum = 0;
        for (int64_t c = 0; c < d; c++)
            sum += gain_of(s, gain, c) * (double)y[r * d + c] * (double)element(x, r * d + c);
        sum /= norm * norm * (s->place == INSIDE ? norm : root) * (s->norm == RMS ? (double)d : 1);
        sum = s->place == CLAMP && root < s->eps ? 0 : sum;
        for (int64_t c = 0; c < d; c++)
            y[r * d + c] =
                (float)(gain_of(s, gain, c) * (double)y[r * d + c] / norm - (double)element(x, r * d + c) * sum);
    }
}

/* y[d] = the gradient of the gain: the sum over rows of by, the gradients by the normalised rows, times the rows at
 * unit length.  1024 channels at a time. */
static void gain_back(const struct flash_state *s, float *y, const float *by, const struct mer_array *x)
{
    const int64_t d = x->dim[2];
    double root, sum[1024];
    for (int64_t c0 = 0; c0 < d; c0 += 1024) {
        const int64_t c1 = c0 + 1024 < d ? c0 + 1024 : d;
        memset(sum, 0, sizeof sum);
        for (int64_t r = 0; r < x->dim[0] * x->dim[1]; r++) {
            const double norm = length_of(s, x, r, d, &root);
            for (int64_t c = c0; c < c1; c++)
                sum[c - c0] += (double)by[r * d + c] * ((double)element(x, r * d + c) / norm);
        }
        for (int64_t c = c0; c < c1; c++)
            y[c] = (float)sum[c - c0];
    }
}

int flash_hide(const struct flash *f, const struct mer_call *c, uint8_t *kept)
{
    if (packed(f, c) < 0)
        return MER_BAD;
    const struct mer_array *keep = mer_in(c, "keep"), *doc = mer_in(c, "doc"), *own = mer_in(c, "query_doc");
    const int64_t *of = doc ? doc->data : NULL, *ids = own ? own->data : NULL, *let = keep ? keep->data : NULL;
    const int whole = mer_is(c, "counted", "pack") || !packed(f, c);
    for (int64_t i = 0; i < f->n; i++) {
        struct flash_call_document d;
        const struct flash x = within(f, c, i, &d);
        const int64_t first = whole ? d.k : d.k + flash_seen_first(&x, i - d.q),
                      end = whole ? d.k + d.m : d.k + flash_seen_end(&x, i - d.q),
                      place = whole ? i + x.shift : d.k + i - d.q + x.shift;
        for (int64_t r = i * f->m; r < f->h * f->n * f->m; r += f->n * f->m)
            for (int64_t j = 0; j < f->m; j++) {
                int same = !doc || (own ? of[j] == ids[i] : place >= 0 && place < f->m && of[j] == of[place]);
                kept[r + j] = same && j >= first && j < end && (!keep || let[r + j] != 0);
            }
    }
    return MER_OK;
}

struct flash flash_asked(const struct mer_call *c)
{
    const struct flash_state *s = c->state;
    struct flash f = s->f;
    const struct mer_array *q = mer_in(c, "q"), *k = mer_in(c, "k"), *v = mer_in(c, "v"), *bias = mer_in(c, "bias"),
                           *sink = mer_in(c, "sink"), *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    f.q = q->data, f.k = k->data, f.v = v ? v->data : NULL;
    f.o = o ? o->data : NULL;
    f.lse = lse && f.type != MER_F32 ? s->lse : lse ? lse->data : NULL;
    f.bias = s->bias ? s->bias : bias ? bias->data : NULL;
    f.bias_head = f.n * f.m, f.bias_row = f.m;
    f.keep = s->keep;
    f.sink = s->sink;
    if (s->norm) {
        normalise(s, s->q, q, mer_in(c, "q_gain")), normalise(s, s->k, k, mer_in(c, "k_gain"));
        f.q = s->q, f.k = s->k;
    }
    if (s->v) { /* normalised rows are float32, so the whole problem becomes float32 */
        for (int64_t x = 0; v && x < f.g * f.m * f.e; x++)
            s->v[x] = element(v, x);
        f.v = s->v, f.o = o ? s->o : NULL, f.type = MER_F32;
    }
    for (int64_t h = 0; s->sink && h < f.h; h++)
        s->sink[h] = sink ? element(sink, h) : 0;
    for (int64_t x = 0; s->bias && x < f.h * f.n * f.m; x++)
        s->bias[x] = element(bias, x);
    if (s->keep)
        flash_hide(&f, c, s->keep);
    return f;
}

int flash_meant(const struct flash *f, enum flash_which which)
{
    const int brief = f->m <= FLASH_KEYS, few = f->n <= FLASH_FEW;
    if (which == FLASH_ANY || which == FLASH_SHORT || which == FLASH_LONG)
        return which == FLASH_ANY || brief == (which == FLASH_SHORT);
    return brief == (which == FLASH_FEW_SHORT || which == FLASH_MANY_SHORT) &&
        few == (which == FLASH_FEW_SHORT || which == FLASH_FEW_LONG);
}

int flash_run(const struct mer_call *c, enum flash_which which, int (*attend)(const struct flash *f))
{
    const struct flash_state *s = c->state; /* where a call has no arrays, the state is a struct flash alone */
    struct flash f = c->n_in ? flash_asked(c) : *(const struct flash *)c->state;
    if (!flash_meant(&f, which))
        return MER_SKIP;
    int rc = attend(&f);
    const struct mer_array *lse = c->n_in ? mer_out(c, "lse") : NULL, *o = c->n_in ? mer_out(c, "o") : NULL;
    for (int64_t k = 0; lse && lse->type != MER_F32 && k < f.h * f.n; k++)
        store_float(lse->data, k, f.lse[k], lse->type);
    for (int64_t k = 0; o && s->o && k < f.h * f.n * f.e; k++)
        store_float(o->data, k, s->o[k], o->type);
    return rc;
}

int flash_grad_prepare(struct mer_call *c)
{
    int rc = flash_prepare(c);
    struct flash_state *s = c->state;
    if (rc != MER_OK)
        return rc;
    free(s->f.scratch);
    s->f.scratch = aligned_alloc(64, (flash_grad_scratch(&s->f) + 63) / 64 * 64);
    return s->f.scratch ? MER_OK : MER_BAD;
}

int flash_grad_run(const struct mer_call *c, int (*differentiate)(const struct flash_grad *g))
{
    if (!c->n_in) /* the state is a struct flash_grad alone */
        return differentiate(c->state);
    const struct flash_state *s = c->state;
    float *to[7] = { NULL }, *own = NULL;
    static const char *const name[] = { "dq", "dk", "dv", "dsink", "dbias", "dq_gain", "dk_gain" };
    const struct mer_array *in[] = { mer_in(c, "q"), mer_in(c, "k") },
                           *gain[] = { mer_in(c, "q_gain"), mer_in(c, "k_gain") };
    for (int o = 0; o < 7; o++)
        to[o] = mer_out(c, name[o]) ? mer_out(c, name[o])->data : NULL;
    if ((to[5] || to[6]) && !s->norm)
        return MER_SKIP;
    if (to[5] || to[6]) { /* gradients of gains are made from dq and dk, whether those are wanted or not */
        const int64_t n = in[0]->dim[0] * in[0]->dim[1] * in[0]->dim[2],
                      m = in[1]->dim[0] * in[1]->dim[1] * in[1]->dim[2];
        own = malloc((size_t)(n + m + 1) * sizeof *own);
        if (!own)
            return MER_BAD;
        to[0] = to[0] ? to[0] : own, to[1] = to[1] ? to[1] : own + n;
    }
    struct flash_grad g = { flash_asked(c), mer_in(c, "do")->data, to[0], to[1], to[2], to[3], to[4] };
    int rc = differentiate(&g);
    for (int k = 0; k < 2 && s->norm && rc == MER_OK; k++) {
        if (to[5 + k])
            gain_back(s, to[5 + k], to[k], in[k]);
        normalise_back(s, to[k], in[k], gain[k]);
    }
    free(own);
    return rc;
}

static int is_16(const struct mer_array *a) { return a->type == MER_BF16 || a->type == MER_F16; }
int flash_grad_widened(const struct mer_call *c, int (*run)(const struct mer_call *c))
{
    enum { MOST = 32 };
    struct mer_array a[MOST];
    struct mer_call wide = *c;
    const int n = c->n_in + c->n_out;
    int64_t floats = 0;
    if (n > MOST)
        return MER_BAD;
    for (int x = 0; x < n; x++)
        a[x] = x < c->n_in ? c->in[x] : c->out[x - c->n_in], floats += is_16(&a[x]) ? mer_count(&a[x]) : 0;
    float *room = malloc((size_t)(floats + 1) * sizeof *room), *next = room;
    if (!room)
        return MER_BAD;
    for (int x = 0; x < n; x++)
        if (is_16(&a[x])) {
            for (int64_t k = 0; x < c->n_in && k < mer_count(&a[x]); k++)
                next[k] = element(&a[x], k);
            a[x].type = MER_F32, a[x].data = next, next += mer_count(&a[x]);
        }
    wide.in = a, wide.out = a + c->n_in, wide.state = NULL;
    int rc = flash_grad_prepare(&wide);
    rc = rc == MER_OK ? run(&wide) : rc;
    for (int o = 0; o < c->n_out && rc == MER_OK; o++)
        for (int64_t k = 0; is_16(&c->out[o]) && k < mer_count(&c->out[o]); k++)
            store_float(c->out[o].data, k, ((const float *)wide.out[o].data)[k], c->out[o].type);
    flash_release(wide.state), free(room);
    return rc;
}
