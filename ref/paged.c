/* Attention over a paged cache of keys and values.                                 Kwon et al. 2023, arXiv:2309.06180
 * The cache is p pages of s slots, k[p,s,g,d] and v[p,s,g,e]; sequence r of b owns the pages table[r][0 .. c-1]:
 *   key j of sequence r stands in page table[r][j div s], slot j mod s
 * Query i is a token of sequence seq[i] at position pos[i], and sees the keys 0 .. pos[i] of that sequence, its own
 * among them:
 *   o_i = row attention of q_i over those keys and values        lse_i = its log-sum-exp
 * So several new tokens of a sequence are queries at its last positions, each causal; sequences may be of any lengths;
 * a page of two tables is a shared prefix; pages that no table names, and slots behind the last position, may hold
 * anything, NaN included, since they are not read.  Query head h reads key head floor(h / (H/G)) (group=repeat) or
 * h mod G (tile).
 *   page    s        pages    c: so many pages a table has room for, which bounds positions by page times pages
 * scale, window, cap, base and group are those of row attention.
 * Faults, of those who walk a table by hand: "contiguous", key j in page j div s whatever the table says; "full", the
 * last page is read to its end.
 * Traps: flashinfer's lse is in base 2.  A page times its stride passes 32 bits in caches of real size. */
#include <stdio.h>
#include <stdlib.h>
#include "row/shared_head.h"
#include "row/row.h"
#include "row/shared.h"
extern const struct row row_attention, row_paged;

struct paged { mpq_t scale, cap; long page, pages, window; int base, group; };
enum { GROUP_REPEAT, GROUP_TILE };
enum { CONTIGUOUS = FAULTS, FULL };

static const struct paged *own(const struct ask *w) { return w->params; }
static long key_head(const struct ask *w, long h)
{
    return shared_head(w, own(w)->group == GROUP_TILE, h, dim_in(w, "q", 0), dim_in(w, "k", 2));
}
/* The page of key j of sequence r. */
static long page_of(const struct ask *w, long r, long j)
{
    const long at = i_div(w, j, own(w)->page);
    return w->arith->fault == CONTIGUOUS ? at % dim_in(w, "k", 0) : i_in(w, "table", r, at);
}
/* How many keys query i reads. */
static long seen(const struct ask *w, long i)
{
    const long m = i_add(w, i_in(w, "pos", i, 0), 1), page = own(w)->page, most = page * own(w)->pages;
    return w->arith->fault == FULL ? (m + page - 1) / page * page : m < 0 ? 0 : m < most ? m : most;
}
/* Element c of key j, or of its value, as query i of head h meets it. */
static const struct ball *cached(struct ask *w, const char *name, long h, long i, long j, long c)
{
    const struct mer_array *a = array_in(w, name);
    const long first = i_mul(w, page_of(w, i_in(w, "seq", i, 0), j), own(w)->page);
    const long at = i_add(w, first, i_mod(w, j, own(w)->page));
    return b_element(w, a, (at * a->dim[2] + key_head(w, h)) * a->dim[3] + c);
}
/* y[len] of row attention for the asked query. */
static void asked(struct ask *w, const char *out, const struct ball **y)
{
    const long h = w->at[0], i = w->at[1], m = seen(w, i), d = dim_in(w, "q", 2), e = dim_in(w, "v", 3);
    const struct ball **q = need((size_t)(d + m * (d + e)) + 1, sizeof *q), **k = q + d, **v = k + m * d;
    char text[TEXT_MAX];
    for (long c = 0; c < d; c++)
        q[c] = b_in(w, "q", h, i, c);
    for (long j = 0; j < m; j++) {
        for (long c = 0; c < d; c++)
            k[j * d + c] = cached(w, "k", h, i, j, c);
        for (long c = 0; c < e; c++)
            v[j * e + c] = cached(w, "v", h, i, j, c);
    }
    const struct mer_array in[] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { 1, 1, d }, .data = q },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { 1, m, d }, .data = k },
        { .name = "v", .type = BALLS, .rank = 3, .dim = { 1, m, e }, .data = v } };
    params_pick(row_params(&row_paged), w->params, "scale window cap base", text, sizeof text);
    strcat(text, " causal=bottomright");
    line_of(w, (struct page_of){ &row_attention, out, text, in, 3 }, NULL, w->len, y);
    free(q);
}
static void output(struct ask *w, const struct ball **y) { asked(w, "o", y); }
static void logsumexp(struct ask *w, const struct ball **y) { asked(w, "lse", y); }

/* L, which bounds positions, is no axis of an array: the slots of a whole table. */
static long extent(const void *params, char axis)
{
    const struct paged *p = params;
    return axis == 's' ? p->page : axis == 'c' ? p->pages : axis == 'L' ? p->page * p->pages : 0;
}
static const char *refuse(const void *params)
{
    const struct paged *p = params;
    return mpq_sgn(p->scale) < 0                ? "scale: must not be below 0" :
        mpq_sgn(p->cap) < 0                     ? "cap: must not be below 0" :
        p->page * p->pages > 1L << 24           ? "page, pages: must be no more than 2^24 slots together" :
                                                  NULL;
}
static const struct param params[] = {
    { "page", "4", "slots of a page", INT, offsetof(struct paged, page), .least = 1, .most = 1 << 20 },
    { "pages", "3", "pages that a sequence's table has room for", INT, offsetof(struct paged, pages), .least = 1,
        .most = 1 << 20 },
    { .as = &param_scale, .at = offsetof(struct paged, scale) },
    { .as = &param_window, .at = offsetof(struct paged, window) },
    { .as = &param_cap, .at = offsetof(struct paged, cap) },
    { .as = &param_lse_base, .at = offsetof(struct paged, base) },
    { .as = &param_group, .at = offsetof(struct paged, group) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "page=16", "arXiv:2309.06180: blocks of 16 tokens; vLLM's block_table" },
    { "code:Dao-AILab/flash-attention", "page=16 window=5", "flash_attn_with_kvcache: block_table, cache_seqlens; "
        "pages there are of 256" },
    { "code:flashinfer-ai/flashinfer", "page=16 base=2", "BatchDecodeWithPagedKVCacheWrapper: lse in base 2" },
    { "tokens", "page=1 pages=12", "sglang: req_to_token, a page a token" },
    { "capped", "cap=30", "logits_soft_cap of flashinfer and vLLM" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_attention, NULL };
#define CACHE "q[h,n,d] k[p,s,g,d] v[p,s,g,e] int table[b,c]<p int seq[n]<b int pos[n]<L "
const struct row row_paged = {
    .name = "paged", .title = "attention over a paged cache", .cite = "Kwon et al. 2023",
    .faults = "contiguous full", .parts = parts, .declares = params, .size = sizeof(struct paged),
    .presets = presets, .contracts = contracts, .extent = extent, .refuse = refuse, .sizes = "d=4 e=3 b=2 p=5",
    .q = { { CACHE "-> o[h,n|e]", output }, { CACHE "-> lse[h,n|]", logsumexp } },
};
