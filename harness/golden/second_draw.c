/* Draws questions for a second system at random. */
#include <math.h>
#include <string.h>
#include "climb/climb.h"
#include "golden/second.h"
#include "base/words.h"

struct second_words { char *at; size_t n; };
static void join(struct second_words *w, const char *name, const char *value, int len)
{
    const size_t used = strlen(w->at);
    snprintf(w->at + used, w->n - used, "%s%s=%.*s", used ? " " : "", name, len, value);
}

static void draw_choice(struct second_words *w, const struct param *p, struct chance *r)
{
    long n = 0;
    for (const char *s = p->choices; *s; s = word_next(s))
        n++;
    const char *s = p->choices;
    for (n = chance_below(r, n); n > 0; n--)
        s = word_next(s);
    join(w, p->name, s, (int)strcspn(s, " "));
}

static void draw_param(struct second_words *w, const struct param *p, struct chance *r)
{
    static const char *const rationals[] = { "0", "1", "1/3", "2", "7/5", "1/1000", "3/7", "16", "10000", "500000" };
    char value[40];
    if (p->kind == ENUM)
        draw_choice(w, p, r);
    else if (p->kind == RATIONAL)
        join(w, p->name, rationals[chance_below(r, 10)], 20);
    else if (p->kind == INT) {
        const long now = strtol(p->value, NULL, 10),
                   x = chance_one_in(r, 2) ? now + chance_below(r, 5) - 2 :
            chance_one_in(r, 8)            ? chance_below(r, 1L << 20) :
                                             chance_below(r, 12);
        snprintf(value, sizeof value, "%ld", p->least < p->most && (x < p->least || x > p->most) ? now : x);
        join(w, p->name, value, 30);
    }
}

static void draw_params(struct second_words *w, const struct row *row, struct chance *r)
{
    const int presets = row_presets(row);
    int params = 0;
    while (row_params(row)[params].name)
        params++;
    snprintf(w->at, w->n, "%s", row->presets[chance_below(r, presets)].text);
    for (long k = chance_one_in(r, 3) ? 0 : 1 + chance_below(r, 3); k > 0 && params; k--)
        draw_param(w, &row_params(row)[chance_below(r, params)], r);
}

/* Draws sizes for the letters of the signature, small ones, one of them rarely longer; optional inputs at random;
 * and a way to fill. */
static void draw_sizes(struct second_words *w, const struct row *row, const struct sign *s, struct chance *r)
{
    static const char *const ways[] = { "uniform", "normal", "small", "heavy", "probe" };
    char letters[64] = "", value[24], name[2] = "";
    for (int k = 0; k <= s->n_in; k++) {
        const struct axes *x = k < s->n_in ? &s->in[k] : &s->out;
        for (int i = 0; i < x->rank; i++)
            if (!strchr(letters, x->axis[i]))
                letters[strlen(letters) + 1] = 0, letters[strlen(letters)] = x->axis[i];
    }
    const long large = chance_one_in(r, 3) ? chance_below(r, (long)strlen(letters)) : -1;
    snprintf(w->at, w->n, "%s", ways[chance_below(r, 5)]);
    for (long k = 0; letters[k]; k++) {
        /* the row's own choice, where letters must agree with each other */
        if (row->sizes && strchr(row->sizes, letters[k]))
            continue;
        snprintf(value, sizeof value, "%ld", k == large ? 1 + chance_below(r, 9) : 1 + chance_below(r, 4));
        *name = letters[k];
        join(w, name, value, 20);
    }
    const long optional = chance_below(r, 3);
    for (int k = 0; k < s->n_in; k++)
        if (s->in[k].optional && (optional == 2 || (optional == 1 && chance_one_in(r, 3)))) {
            const size_t used = strlen(w->at);
            snprintf(w->at + used, w->n - used, " %s", s->in[k].name);
        }
}

/* Fills integers that are neither counts nor masks with positions of every size. */
static void draw_positions(struct mer_array *a, const struct axes *x, struct chance *r)
{
    double top = 0;
    for (long i = 0; i < array_len(a); i++)
        top = fmax(top, fabs(array_get(a, i)));
    if (x->below || x->upto || top <= 1 || !chance_one_in(r, 2))
        return;
    for (long i = 0; i < array_len(a); i++) {
        const double far = (double)chance_below(r, 1L << (1 + chance_below(r, 40)));
        array_put(a, i, chance_one_in(r, 4) ? -far : far);
    }
}

static void draw_inputs(struct trial *t, const struct sign *s, struct chance *r)
{
    const bool ways = chance_one_in(r, 4);
    for (int k = 0; k < t->call.n_in; k++) {
        if (t->in[k].type < MER_I64 && ways && chance_one_in(r, 2))
            climb_fill(t, &t->in[k], (int)chance_below(r, climb_ways()), chance_bits(r));
        for (int i = 0; i < s->n_in && t->in[k].type >= MER_I64; i++)
            if (!strcmp(s->in[i].name, t->in[k].name))
                draw_positions(&t->in[k], &s->in[i], r);
    }
}

int second_draw(struct trial *t, const struct row *row, uint64_t seed, uint64_t k)
{
    /* tries; elements of an output, and numbers of all inputs, at most */
    enum { TRIES = 30, MOST = 400, LARGEST = 1500 };
    static const int types[] = { MER_F64, MER_F32, MER_F32, MER_BF16 };
    struct chance r = { gen_bits(seed, k, 77), 0 };
    char params[1600], sizes[400], err[900];
    struct sign s;
    long n = 0;
    while (row->q[n].sign)
        n++;
    sign_read(&s, row->q[k % (uint64_t)n].sign);
    for (int tries = 0; tries < TRIES; tries++) {
        struct second_words p = { params, sizeof params }, z = { sizes, sizeof sizes };
        double bytes = 0;
        draw_params(&p, row, &r);
        draw_sizes(&z, row, &s, &r);
        const int type = types[chance_below(&r, 4)];
        const bool fits = !trial_size(t, &(struct trial_spec){ row->name, params, s.out.name, MER_F64, sizes },
            &bytes, err, sizeof err) &&
            bytes <= 8.0 * LARGEST;
        trial_close(t);
        if (!fits)
            continue;
        if (!trial_make(t, &(struct trial_spec){ row->name, params, s.out.name, type, sizes, chance_bits(&r) >> 40 },
            err, sizeof err) && array_len(&t->out[0]) <= MOST) {
            draw_inputs(t, &s, &r);
            if (!trial_check(t, err, sizeof err))
                return 0;
        }
        trial_close(t);
    }
    return -1;
}
