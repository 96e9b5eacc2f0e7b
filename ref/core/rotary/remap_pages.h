/* The pages of a row of remapped distances, the same for each: included by the row's file behind its own `static const
 * struct remapped remapped`, which says where a pair stands and what a query sees (remap.h). */
static const struct ball *score(struct ask *w, long h, long i, long j) { return remap_score(w, h, i, j, &remapped); }
static struct mix mixing(const struct ask *w)
{
    return (struct mix){ dim_in(w, "k", 1), score, mix_v, remapped.sees,
        .empty = ((const struct remap *)w->params)->empty };
}
static struct mix_grad gradient(const struct ask *w)
{
    return (struct mix_grad){ mixing(w), "do", remap_scale, remap_slope };
}
static const struct ball *met_by_query(struct ask *w, long h, long i, long j, long c)
{
    return remap_met_by_query(w, h, i, j, c, &remapped);
}
static const struct ball *met_by_key(struct ask *w, long h, long i, long c)
{
    return remap_met_by_key(w, h, i, w->at[1], c, &remapped);
}
static void query_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_query_grad(w, &g, met_by_query, y);
}
static void key_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_key_grad(w, &g, mix_of_key, met_by_key, y);
}
static void value_grad(struct ask *w, const struct ball **y)
{
    struct mix_grad g = gradient(w);
    mix_value_grad(w, &g, mix_of_key, y);
}
static void distance(struct ask *w, const struct ball **y) { y[0] = remap_distance(w, w->at[0], w->at[1], &remapped); }
