/* Draws questions at random: parameters, arithmetic, sizes and inputs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "climb/climb.h"
#include "trial/inputs.h"
#include "base/words.h"

uint64_t chance_bits(struct chance *r) { return gen_bits(r->seed, 0x636c696d62, r->at++); }
long chance_below(struct chance *r, long n) { return n > 0 ? (long)(chance_bits(r) % (uint64_t)n) : 0; }
bool chance_one_in(struct chance *r, long n) { return chance_below(r, n) == 0; }

/* A text buffer of n bytes, to which words are appended with blanks between; a word that does not fit is left out as
 * a whole. */
struct climb_words { char *at; size_t n; };
static void join(struct climb_words *w, const char *word, size_t len)
{
    const size_t used = strlen(w->at);
    if (used + len + 2 < w->n)
        snprintf(w->at + used, w->n - used, "%s%.*s", used ? " " : "", (int)len, word);
}

static int choices_of(const char *choices)
{
    int n = 0;
    for (; choices && *choices; choices = word_next(choices))
        n++;
    return n;
}

static void join_choice(struct climb_words *w, const struct param *p, int k)
{
    char word[160];
    const char *s = p->choices;
    for (; k-- > 0; s += strspn(s, " "))
        s += strcspn(s, " ");
    snprintf(word, sizeof word, "%s=%.*s", p->name, (int)strcspn(s, " "), s);
    join(w, word, strlen(word));
}

/* An extent, mostly of 1 .. 300: small, odd, prime, a power of two or beside one; rarely up to 20001. */
static long extent(struct chance *r, long most)
{
    static const long odd[] = { 3, 5, 7, 9, 11, 13, 17, 23, 29, 31, 37, 58, 61, 67, 80, 96, 97, 113, 127, 160, 192, 211,
        247, 251, 257, 293 };
    long x;
    switch (chance_below(r, 4)) {
    case 0: x = 1 + chance_below(r, 4); break;
    case 1: x = odd[chance_below(r, sizeof odd / sizeof *odd)]; break;
    case 2: x = (1L << (1 + chance_below(r, 8))) + chance_below(r, 3) - 1; break;
    default: x = 1 + chance_below(r, 300);
    }
    return x > most ? 1 + x % most : x < 1 ? 1 : x;
}

static void join_integer(struct climb_words *w, const struct param *p, struct chance *r)
{
    char word[96];
    const long now = strtol(p->value, NULL, 10), least = p->least < p->most ? p->least : 0,
               most = p->least < p->most ? p->most : 1L << 20;
    long x = chance_one_in(r, 2) ? now + chance_below(r, 5) - 2 : extent(r, 300);
    x = x < least ? least : x > most ? most : x;
    snprintf(word, sizeof word, "%s=%ld", p->name, x);
    join(w, word, strlen(word));
}

/* A rational parameter, mostly a multiple of its default; of one that is 0, or no number, a small number. */
static void join_rational(struct climb_words *w, const struct param *p, struct chance *r)
{
    static const char *const times[] = { "2", "1/2", "3/2", "7/5", "3", "10", "1/3" };
    char word[200];
    mpq_t x, by;
    mpq_init(x), mpq_init(by);
    if (mpq_set_str(x, p->value, 10) || !mpz_sgn(mpq_denref(x)) || !mpq_sgn(x))
        mpq_set_ui(x, 1, 1);
    mpq_canonicalize(x), mpq_set_str(by, times[chance_below(r, 7)], 10), mpq_mul(x, x, by);
    if (gmp_snprintf(word, sizeof word, "%s=%Qd", p->name, x) < (int)sizeof word)
        join(w, word, strlen(word));
    mpq_clear(x), mpq_clear(by);
}

static const struct param *param_of(const struct row *row, const char *word)
{
    const struct param *p = row_params(row);
    while (p->name && (strncmp(p->name, word, strlen(p->name)) || word[strlen(p->name)] != '='))
        p++;
    return p->name ? p : NULL;
}

/* Appends a preset's words; without its routes where a kernel is asked, which has one of its own. */
static void join_preset(struct climb_words *w, const struct row *row, const char *text, bool own)
{
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s)) {
        const struct param *p = param_of(row, s);
        if (!own || !p || p->kind != ROUTE)
            join(w, s, strcspn(s, " "));
    }
}

static void join_param(struct climb_words *w, const struct param *p, struct chance *r)
{
    if (p->kind == ENUM)
        join_choice(w, p, (int)chance_below(r, choices_of(p->choices)));
    else if (p->kind == INT)
        join_integer(w, p, r);
    else if (p->kind == RATIONAL)
        join_rational(w, p, r);
}
/* Draws a preset, and often a few parameters apart from it, or every choice that the row has, so that routes, forms and
 * blocks occur in any combination: two choices that matter only together stand in no preset. */
static void draw_params(struct climb_words *w, const struct row *row, bool own, struct chance *r)
{
    const int presets = row_presets(row);
    int params = 0;
    while (row_params(row)[params].name)
        params++;
    *w->at = 0;
    join_preset(w, row, row->presets[chance_below(r, presets)].text, own);
    for (long k = chance_one_in(r, 2) ? chance_below(r, 4) : 0; k > 0 && params; k--)
        join_param(w, &row_params(row)[chance_below(r, params)], r);
    const bool all = chance_one_in(r, 4);
    for (const struct param *p = row_params(row); p->name && all; p++)
        if (p->kind == ENUM)
            join_param(w, p, r);
    /* routes are drawn most often, as different algorithms round differently */
    for (const struct param *p = row_params(row); p->name; p++)
        if (p->kind == ROUTE && !own && chance_one_in(r, 3))
            join_choice(w, p, (int)chance_below(r, choices_of(p->choices)));
}

enum { NAMES = 160 };
struct named { char name[40]; bool sum; };
static int steps_of(const struct row *row, struct named *at, int n, int depth)
{
    size_t len;
    const char *s;
    for (int k = 0; n < NAMES && (s = row_step(row, k, &len)); k++, n++) {
        snprintf(at[n].name, sizeof at[n].name, "%.*s", (int)len, s);
        at[n].sum = climb_sums(row)[k];
    }
    for (const struct row *const *p = row->parts; p && *p && depth < 3; p++)
        n = steps_of(*p, at, n, depth + 1);
    return n;
}

/* A sum's structure: lanes or a height, beside half-ulps; or a matrix unit, which has an error of its own. */
static void join_structure(char *word, size_t at, size_t n, bool unit, struct chance *r)
{
    const int size = (int)(chance_one_in(r, 2) ? 15 + chance_below(r, 6) : 1L << chance_below(r, 5));
    if (!unit)
        snprintf(word + at, n - at, chance_one_in(r, 2) ? "/lanes%d" : "/h%d", size);
    else if (chance_one_in(r, 2))
        snprintf(word + at, n - at, "/tc%d", size);
    else
        snprintf(word + at, n - at, "/tc%d:%d", size, (int)(12 + chance_below(r, 20)));
}
static void join_step(struct climb_words *w, const struct named *step, const char *format, struct chance *r)
{
    static const char *const ulps[] = { "2", "2.5", "3.01", "4", "8", "32" };
    char word[96];
    const bool structured = step->sum && chance_one_in(r, 3), unit = structured && chance_one_in(r, 3);
    size_t at = (size_t)snprintf(word, sizeof word, "%s=%s", step->name, format);
    if (!unit && chance_one_in(r, 6))
        at += (size_t)snprintf(word + at, sizeof word - at, ":%s", ulps[chance_below(r, 6)]);
    if (structured)
        join_structure(word, at, sizeof word, unit, r);
    join(w, word, strlen(word));
}

/* Any format, those of most kernels more often. */
static const char *draw_format(struct chance *r)
{
    static const int more[] = { MER_F32, MER_F32, MER_F16, MER_BF16 };
    const long k = chance_below(r, FORMATS + (long)(sizeof more / sizeof *more));
    return formats[k < FORMATS ? k : more[k - FORMATS]].name;
}

static void join_contract(struct climb_words *params, struct climb_words *profile, const struct row *row,
    const char *text)
{
    struct arith a;
    char err[600], word[200];
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s)) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " "), s);
        const bool step = !strncmp(word, "ftz=", 4) || arith_read(&a, row, word, WIDEN, err, sizeof err) > 0;
        join(step ? profile : params, word, strlen(word));
    }
}

/* Orders of work that a row or its parts may be given beside their steps. */
static void draw_orders(struct climb_words *w, const struct row *row, struct chance *r)
{
    for (const struct row *const *p = row->parts; p && *p; p++)
        draw_orders(w, *p, r);
    char word[40];
    const char *name;
    for (int k = 0; (name = row_order(row, k)); k++) {
        snprintf(word, sizeof word, "%s=first", name);
        if (chance_one_in(r, 8) && !strstr(w->at, word))
            join(w, word, strlen(word));
    }
}

static void draw_profile(struct climb_words *params, struct climb_words *w, const struct row *row, struct chance *r)
{
    struct named step[NAMES];
    const int n = steps_of(row, step, 0, 0);
    int contracts = 0;
    while (row->contracts && row->contracts[contracts].name)
        contracts++;
    const char *format = draw_format(r);
    const long kind = chance_below(r, 8), skip = kind == 5 ? chance_below(r, n) : -1;
    *w->at = 0;
    if (kind == 6 && contracts)
        join_contract(params, w, row, row->contracts[chance_below(r, contracts)].text);
    for (long k = kind < 3 ? 1 : kind == 3 ? 2 : 0; k > 0 && n; k--) /* one step alone, or two */
        join_step(w, &step[chance_below(r, n)], chance_one_in(r, 3) ? draw_format(r) : format, r);
    for (int k = 0; k < n && !*w->at; k++)
        if (k != skip && !(kind == 7 && chance_one_in(r, 2)))
            join_step(w, &step[k], kind == 7 ? draw_format(r) : format, r);
    if (chance_one_in(r, 6))
        join(w, "ftz=on", 6);
    draw_orders(w, row, r);
}

static bool has_letter(const struct sign *s, char c)
{
    bool any = memchr(s->out.axis, c, (size_t)s->out.rank) != NULL;
    for (int k = 0; k < s->n_in; k++)
        any |= memchr(s->in[k].axis, c, (size_t)s->in[k].rank) != NULL;
    return any;
}

/* The letters of the outputs and of their inputs into letters; those that an output has into kept.  Optional inputs
 * join w at random: none, all, or some. */
static void letters_of(
    char *letters, char *kept, struct climb_words *w, const struct row *row, const char *outs, struct chance *r)
{
    const long optional = chance_below(r, 4);
    char out[40];
    struct sign s;
    *letters = *kept = 0;
    for (const char *o = outs; *o; o = word_next(o)) {
        snprintf(out, sizeof out, "%.*s", (int)strcspn(o, " "), o);
        sign_read(&s, row_quantity(row, out)->sign);
        for (char c = 'a'; c <= 'z'; c++)
            if (has_letter(&s, c) && !strchr(letters, c))
                letters[strlen(letters) + 1] = 0, letters[strlen(letters)] = c;
        for (int k = 0; k < s.out.rank; k++)
            if (!strchr(kept, s.out.axis[k]))
                kept[strlen(kept) + 1] = 0, kept[strlen(kept)] = s.out.axis[k];
        for (int k = 0; k < s.n_in; k++)
            if (s.in[k].optional && !s.in[k].integer && optional >= 2 && (optional == 2 || chance_one_in(r, 2)) &&
                !strstr(w->at, s.in[k].name))
                join(w, s.in[k].name, strlen(s.in[k].name));
    }
}

static bool is_summed(const char *kept, char c) { return !strchr(kept, c) && !strchr("hgbm", c); }

static long letter_among(const char *letters, const char *kept, bool summed, struct chance *r)
{
    long at = -1, n = 0;
    for (long k = 0; letters[k]; k++)
        if ((!summed || is_summed(kept, letters[k])) && chance_one_in(r, ++n))
            at = k;
    return at;
}

/* Draws extents of the letters: most small and one or two of any size, so that a question stays cheap. few: two
 * keys, one of everything else, and any number of what is summed over, so that roundings do not average out. */
static void draw_sizes(struct climb_words *w, const struct row *row, const char *outs, bool few, struct chance *r)
{
    char letters[80], kept[80], word[48];
    *w->at = 0;
    letters_of(letters, kept, w, row, outs, r);
    const bool long_one = chance_one_in(r, 400), fewest = chance_one_in(r, 2), summed = chance_one_in(r, 2);
    const long large = row->parts ? -1 : letter_among(letters, kept, few || chance_one_in(r, 2), r),
               second = chance_one_in(r, 4) && !row->parts && !few ? letter_among(letters, kept, false, r) : -1;
    for (long k = 0; letters[k]; k++) {
        long x = letters[k] == 'm' ? (few ? 2 : 1) + chance_below(r, few ? 2 : 3) :
            few || fewest          ? 1 :
                                     1 + chance_below(r, 3);
        if (summed && !few && is_summed(kept, letters[k]) && !row->parts)
            x = 1 + chance_below(r, 12);
        if (k == large)
            x = long_one ? 300 + chance_below(r, 19702) : extent(r, 300);
        else if (k == second)
            x = extent(r, large >= 0 ? 40 : 300);
        if (strchr("hgb", letters[k]) && x > 4)
            x = 1 + x % 4;
        /* the row's own choice, where letters must agree with each other */
        if (row->sizes && strchr(row->sizes, letters[k]) && chance_one_in(r, 2))
            continue;
        snprintf(word, sizeof word, "%c=%ld", letters[k], x);
        join(w, word, strlen(word));
    }
}

/* The way of input k for scores that a single column makes: operands hold that column, values tell the keys apart,
 * and the other inputs are 0 or anything. */
static int way_of_score(const struct climb *c, int k, struct chance *r)
{
    static const char *const values[] = { "zero-one", "one-zero", "zero-one", "one-zero", "diagonal", "f16-range" };
    static const char *const operands[] = { "first", "column", "columns", "opposite-lines", "apart", "falling",
        "columns", "first" };
    struct sign s;
    char out[40];
    snprintf(out, sizeof out, "%.*s", (int)strcspn(c->out, " "), c->out);
    sign_read(&s, row_quantity(c->t.row, out)->sign);
    for (int j = 0; j < s.n_in; j++)
        if (!strcmp(s.in[j].name, c->t.in[k].name))
            return climb_way_named(is_averaged(&s.in[j], &s.out) ? values[chance_below(r, 6)] :
                    s.in[j].rank > 2 || chance_one_in(r, 3)      ? operands[chance_below(r, 8)] :
                                                                   "zero");
    return climb_way_named(chance_one_in(r, 2) ? "zero" : "one");
}

/* Draws ways for the inputs: one for all, two, another for each, most of them 0, or scores of a single column. */
static void draw_inputs(struct climb *c, struct chance *r)
{
    const long modes = c->few ? 12 : 6; /* with few keys, rather scores of a single column */
    const int theme = (int)chance_below(r, climb_ways()), second = (int)chance_below(r, climb_ways());
    const long mode = chance_below(r, modes);
    for (int k = 0; k < c->t.call.n_in; k++) {
        int way = (int)chance_below(r, climb_ways());
        if (mode < 2)
            way = mode == 0 || chance_one_in(r, 2) ? theme : second;
        else if (mode == 2)
            way = chance_one_in(r, 2) ? climb_way_named("zero") : way;
        else if (mode > 3)
            way = way_of_score(c, k, r);
        c->recipe[k] = (struct recipe_of){ way, chance_bits(r) >> 40 };
        if (c->t.in[k].type < MER_I64)
            climb_fill(&c->t, &c->t.in[k], way, c->recipe[k].seed);
    }
}

static void draw_adverse(struct adverse *a, struct chance *r)
{
    const long mode = chance_below(r, 4), way = chance_below(r, ADVERSE_WAYS), tree = chance_below(r, ADVERSE_TREES);
    *a = (struct adverse){ .seed = chance_bits(r) >> 40, .convert = chance_one_in(r, 2), .flush = chance_one_in(r, 2) };
    for (int s = 0; s < STEPS && mode; s++) { /* mode 0: to nearest, as contracts round */
        a->way[s] = (unsigned char)(mode == 1 ? way : chance_below(r, ADVERSE_WAYS));
        a->tree[s] = (unsigned char)(mode == 1 ? tree : chance_below(r, ADVERSE_TREES));
    }
}

void climb_redraw(struct climb *c, struct chance *r) { draw_inputs(c, r), draw_adverse(&c->adverse, r); }

static const char *draw_quantity(const struct row *row, char *name, size_t size, struct chance *r)
{
    struct sign s;
    int n = 0;
    while (row->q[n].sign)
        n++;
    do
        sign_read(&s, row->q[chance_below(r, n)].sign);
    while (s.out.integer && !chance_one_in(r, 50)); /* integers have no roundings, and are asked rarely */
    snprintf(name, size, "%s", s.out.name);
    return name;
}

static double numbers_of(const struct climb *c) /* how many numbers the inputs hold */
{
    double n = 0;
    for (int k = 0; k < c->t.call.n_in; k++)
        n += (double)array_len(&c->t.in[k]);
    return n;
}

static void draw_step(struct climb_words *w, const struct row *row, int step, struct chance *r)
{
    struct named own = { .sum = climb_sums(row)[step] };
    size_t len;
    const char *name = row_step(row, step, &len);
    snprintf(own.name, sizeof own.name, "%.*s", (int)len, name);
    *w->at = 0;
    join_step(w, &own, draw_format(r), r);
}

/* What is to be drawn: of a row, or of its kernel (of a slot), or NULL; the number of the step that stands alone in the
 * profile, below 0 any profile; the only presets, or NULL for any parameters. */
struct drawn_of {
    const struct row *row;
    const struct slot *slot;
    const struct mer_kernel *kernel;
    int step;
    const struct preset *presets;
};
static void draw_preset(struct climb_words *w, const struct drawn_of *of, struct chance *r)
{
    int n = 0;
    while (of->presets[n].name)
        n++;
    *w->at = 0;
    if (n)
        join_preset(w, of->row, of->presets[chance_below(r, n)].text, true);
}
/* Draws and makes a question. */
static int draw(struct climb *c, const struct drawn_of *of, struct chance *r)
{
    const struct row *row = of->row;
    const struct mer_kernel *kernel = of->kernel;
    enum { TRIES = 40 };
    static const int types[] = { MER_F64, MER_F64, MER_F32, MER_F32, MER_F32, MER_F16, MER_BF16, MER_BF16 };
    char err[900];
    for (int k = 0; k < TRIES; k++) {
        const double most = chance_one_in(r, 30) ? 3e5 : 3000;
        double bytes;
        climb_close(c);
        *c = (struct climb){ .slot = of->slot,
            .kernel = kernel,
            .seed = 1 + (chance_bits(r) >> 50),
            .type = kernel ? type_named(kernel->type) : types[chance_below(r, 8)] };
        struct climb_words params = { c->params, sizeof c->params }, profile = { c->profile, sizeof c->profile },
                     sizes = { c->sizes, sizeof c->sizes };
        if (of->presets)
            draw_preset(&params, of, r);
        else
            draw_params(&params, row, kernel != NULL, r);
        if (kernel)
            snprintf(c->profile, sizeof c->profile, "%s", kernel->profile ? kernel->profile : ""),
                snprintf(c->out, sizeof c->out, "%s", kernel->out);
        else if (of->step >= 0)
            draw_step(&profile, row, of->step, r), draw_quantity(row, c->out, sizeof c->out, r);
        else
            draw_profile(&params, &profile, row, r), draw_quantity(row, c->out, sizeof c->out, r);
        c->few = chance_one_in(r, 2);
        draw_sizes(&sizes, row, c->out, c->few, r);
        struct trial counted = { .params = NULL };
        const bool fits = !trial_size(&counted,
            &(struct trial_spec){ row->name, c->params, c->out, c->type, c->sizes }, &bytes, err, sizeof err) &&
            bytes <= most * 8;
        trial_close(&counted);
        if (fits && !climb_make(c, row, err, sizeof err) && numbers_of(c) <= most) {
            climb_redraw(c, r);
            return 0;
        }
    }
    climb_close(c);
    return -1;
}

int climb_draw(
    struct climb *c, const struct row *row, const struct slot *slot, const struct mer_kernel *kernel, struct chance *r)
{
    return draw(c, &(struct drawn_of){ row, slot, kernel, -1, NULL }, r);
}
int climb_draw_step(struct climb *c, const struct row *row, int step, struct chance *r)
{
    return draw(c, &(struct drawn_of){ row, NULL, NULL, step, NULL }, r);
}
int climb_draw_under(struct climb *c, const struct row *row, const struct mer_kernel *kernel,
    const struct preset *presets, struct chance *r)
{
    return draw(c, &(struct drawn_of){ row, NULL, kernel, -1, presets }, r);
}

/* begin and length of the k-th word; 0: there are fewer */
static int word_at(const char *text, long k, size_t *from, size_t *len)
{
    const char *s = text + strspn(text, " ");
    for (; *s && k > 0; k--)
        s = word_next(s);
    *from = (size_t)(s - text), *len = strcspn(s, " ");
    return *s ? 0 : -1;
}
static long words_in(const char *text) { return choices_of(text + strspn(text, " ")); }

static void vary_size(char *sizes, size_t n, struct chance *r)
{
    size_t from, len;
    char was[CLIMB_SIZES];
    if (word_at(sizes, chance_below(r, words_in(sizes)), &from, &len) || sizes[from + 1] != '=' ||
        strchr("hgb", sizes[from]))
        return;
    const long x = strtol(sizes + from + 2, NULL, 10),
               next = chance_one_in(r, 2) ? extent(r, 300) :
        chance_one_in(r, 2)               ? x + 1 :
        x > 1                             ? x - 1 :
                                            2;
    snprintf(was, sizeof was, "%s", sizes);
    snprintf(sizes, n, "%.*s%ld%s", (int)from + 2, was, next, was + from + len);
}

static void vary_format(char *profile, size_t n, struct chance *r)
{
    size_t from, len;
    char was[CLIMB_PROFILE];
    if (!*profile || word_at(profile, chance_below(r, words_in(profile)), &from, &len))
        return;
    const char *eq = memchr(profile + from, '=', len);
    const size_t format = eq ? strcspn(eq + 1, ":/ ") : 0;
    if (!format || !format_named(eq + 1, format))
        return;
    const size_t at = (size_t)(eq + 1 - profile);
    snprintf(was, sizeof was, "%s", profile);
    snprintf(profile, n, "%.*s%s%s", (int)at, was, draw_format(r), was + at + format);
}

struct climb *climb_vary(const struct climb *c, struct chance *r)
{
    struct climb *next = need(1, sizeof *next);
    struct climb_words params = { next->params, sizeof next->params };
    *next = *c;
    next->made = false;
    switch (chance_below(r, c->kernel ? 3 : 6)) {
    case 0: case 1: vary_size(next->sizes, sizeof next->sizes, r); break;
    case 2: draw_params(&params, c->t.row, c->kernel != NULL, r); break;
    case 3: next->type = c->kernel ? c->type : (int)chance_below(r, 4); break;
    default: vary_format(next->profile, sizeof next->profile, r);
    }
    if (!climb_remake(next, c) && numbers_of(next) < 3e4)
        return next;
    climb_close(next), free(next);
    return NULL;
}
