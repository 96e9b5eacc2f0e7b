/* A chain of two rows: the lines of the inner row become an array of balls, which the page of the outer row reads like
 * any other input. */
#include "trial/change.h"
#include "compare/line_at.h"
#include "power/encoded.h"
#include <stdio.h>

enum { PART_BITS = 320 }; /* precision of a part's real numbers, far beyond the 2^-12 ulp of f64 that the page needs */

/* Appends to t->profile: every step in float32, elementary functions to 1 ulp, sums in any order; only the weights,
 * which a fused kernel stores, in the type of the arrays. */
static void declare(struct trial *t)
{
    size_t len, at = 0;
    const char *s;
    for (int k = 0; (s = row_step(t->row, k, &len)); k++) {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)len, s);
        bool libm = strstr("exp log tanh power slope table amplitude", word) != NULL;
        at += (size_t)snprintf(t->profile + at, sizeof t->profile - at, "%s%s=%s%s", k ? " " : "", word,
            strcmp(word, "weight") ? "f32" : type_name[t->type], libm ? ":2" : "");
    }
}
void encoded_profile(struct encoded *e)
{
    declare(&e->t);
    for (int k = 0; k < e->parts; k++)
        declare(&e->part[k]);
}

static int rotate(struct encoded *e, int k, const char *params, char *err, size_t n)
{
    static const char *const names[] = { "q", "k" };
    const struct mer_array *x = trial_in(&e->t, names[k]);
    char sizes[100];
    struct trial *t = &e->part[k];
    snprintf(sizes, sizeof sizes, "h=%ld n=%ld", (long)x->dim[0], (long)x->dim[1]);
    e->feeds[k] = names[k], e->parts = k + 1;
    if (trial_make(t, &(struct trial_spec){ "rope", params, "y", e->t.type, sizes, 1 }, err, n))
        return -1;
    struct mer_array *to = trial_in(t, "x"), *pos = trial_in(t, "pos");
    if (to->dim[2] != x->dim[2])
        return snprintf(err, n, "rope: dim is %ld, q and k have %ld", (long)to->dim[2], (long)x->dim[2]), -1;
    memcpy(to->data, x->data, (size_t)array_len(x) * type_size(x->type));
    for (long i = 0; i < pos->dim[0]; i++)
        array_put(pos, i, (double)(i + trial_in(&e->t, "k")->dim[1] - x->dim[1]));
    return 0;
}

static int bias(
    struct encoded *e, const char *row, const char *params, const char *sizes, uint64_t seed, char *err, size_t n)
{
    const struct mer_array *q = trial_in(&e->t, "q"), *k = trial_in(&e->t, "k");
    char text[TEXT_MAX], all[300];
    snprintf(text, sizeof text, "heads=%ld offset=%ld %s", (long)q->dim[0], (long)(k->dim[1] - q->dim[1]), params);
    snprintf(all, sizeof all, "%.200s n=%ld m=%ld", sizes, (long)q->dim[1], (long)k->dim[1]);
    e->feeds[0] = "bias", e->parts = 1;
    if (trial_make(&e->part[0], &(struct trial_spec){ row, text, "bias", e->t.type, all, seed }, err, n))
        return -1;
    return e->part[0].out[0].dim[0] == q->dim[0] ? 0 : (snprintf(err, n, "%s: heads and h differ", row), -1);
}

int encoded_make(struct encoded *e, const struct trial_spec *of, const char *encoding, char *err, size_t n)
{
    char inner[32] = "";
    *e = (struct encoded){ 0 };
    if (trial_make(&e->t, of, err, n))
        return -1;
    snprintf(inner, sizeof inner, "%.*s", (int)strcspn(encoding, " "), encoding);
    const char *rest = encoding + strcspn(encoding, " ");
    if (!*inner || !strcmp(inner, "-"))
        return 0;
    if (!strcmp(inner, "rope"))
        return rotate(e, 0, rest, err, n) || rotate(e, 1, rest, err, n) ? -1 : 0;
    return bias(e, inner, rest, of->sizes, of->seed, err, n);
}

int encoded_change(struct encoded *e, const char *change, char *err, size_t n)
{
    const char *colon = strstr(change, ": ");
    size_t len = colon ? (size_t)(colon - change) : 0;
    int changed = 0;
    if (!colon)
        return trial_change(&e->t, change, err, n);
    for (int k = 0; k < e->parts; k++)
        if ((!strncmp(change, e->feeds[k], len) && !e->feeds[k][len]) ||
            (!strncmp(change, e->part[k].row->name, len) && !e->part[k].row->name[len])) {
            if (trial_change(&e->part[k], colon + 2, err, n))
                return -1;
            changed++;
        }
    return changed ? 0 : (snprintf(err, n, "'%s' names no part of the chain", change), -1);
}

void encoded_close(struct encoded *e)
{
    trial_close(&e->t);
    for (int k = 0; k < e->parts; k++)
        trial_close(&e->part[k]);
}

/* Reads the declared profile of one row into a, or real numbers for EXACT; the declaration stays. */
static int read_profile(struct trial *t, enum how how, struct arith *a, char *err, size_t n)
{
    char declared[sizeof t->profile];
    memcpy(declared, t->profile, sizeof declared);
    const enum how as = how == ROUND && !*declared ? EXACT : how;
    const int steps = trial_profile(t, how == EXACT ? "" : t->profile, a, as, err, n);
    memcpy(t->profile, declared, sizeof declared);
    return steps < 0 ? -1 : 0;
}

int chain_open(struct chain *r, struct encoded *e, enum how how, char *err, size_t n)
{
    *r = (struct chain){ .e = e, .call = e->t.call };
    memcpy(r->in, e->t.in, (size_t)e->t.call.n_in * sizeof *r->in);
    r->call.in = r->in;
    bool bad = false;
    for (int k = -1; k < e->parts && !bad; k++) {
        struct trial *t = k < 0 ? &e->t : &e->part[k];
        struct arith *a = k < 0 ? &r->own : &r->sub[k];
        bad = read_profile(t, how, a, err, n);
        if (k < 0)
            continue;
        struct mer_array *to = mer_find(r->in, r->call.n_in, e->feeds[k]);
        to = to ? to : &r->in[r->call.n_in++];
        *to = (struct mer_array){ .name = e->feeds[k], .type = BALLS, .rank = t->out[0].rank };
        memcpy(to->dim, t->out[0].dim, sizeof to->dim);
        r->slot[k] = to->data = need((size_t)array_len(to) + 1, sizeof(const struct ball *));
    }
    r->call.params = e->t.text;
    return bad ? -1 : 0;
}

/* Lines [first, first + count) of part k, in order, into its slot. */
static void fill(struct chain *r, struct ask *w, int k, long first, long count)
{
    struct trial *t = &r->e->part[k];
    const struct quantity *q = row_quantity(t->row, t->out[0].name);
    struct sign s;
    long len = 1;
    sign_read(&s, q->sign);
    for (int a = s.out.lead; a < s.out.rank; a++)
        len *= t->out[0].dim[a];
    w->params = t->params, w->call = &t->call, w->arith = &r->sub[k], w->len = len;
    for (long line = first; line < first + count; line++) {
        line_at(w, &t->out[0], s.out.lead, line);
        line_page(w, q, NULL, r->slot[k] + line * len);
    }
}

bool chain_line(struct chain *r, const long *at, long len, const struct ball **y)
{
    struct trial *t = &r->e->t;
    const struct format *f = format_named(type_name[t->type], strlen(type_name[t->type]));
    const struct quantity *q = row_quantity(t->row, t->out[0].name);
    const struct mer_array *queries = mer_in(&t->call, "q"), *keys = mer_in(&t->call, "k");
    long n = queries->dim[1], row = at[0] * n + at[1];
    mpfr_prec_t bits = r->own.how == WIDEN ? f->p + 64 : PART_BITS;
    ask_reset(&r->line, bits);
    for (int k = 0; k < r->e->parts; k++)
        if (!strcmp(r->e->feeds[k], "q"))
            fill(r, &r->line, k, row, 1);
        else if (!strcmp(r->e->feeds[k], "bias"))
            fill(r, &r->line, k, row * keys->dim[1], keys->dim[1]);
        else if (!r->keys.used) { /* of every key, once */
            ask_reset(&r->keys, bits);
            fill(r, &r->keys, k, 0, keys->dim[0] * keys->dim[1]);
        }
    r->w.params = t->params, r->w.call = &r->call, r->w.arith = &r->own, r->w.len = len;
    memcpy(r->w.at, at, sizeof r->w.at);
    if (r->own.how == WIDEN) {
        ask_reset(&r->w, bits);
        line_page(&r->w, q, f, y);
        return true;
    }
    return !r->line.undecided && !r->keys.undecided && line_eval(&r->w, q, f, y) == YES;
}

void chain_close(struct chain *r)
{
    ask_clear(&r->w), ask_clear(&r->line), ask_clear(&r->keys);
    free(r->slot[0]), free(r->slot[1]);
}
