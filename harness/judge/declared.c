/* How a declaration is applied: which claim is about a kernel, which sizes and positions are asked of it, and which
 * failures are expected. */
#include <fnmatch.h>
#include <stdio.h>
#include "judge/declaration.h"
#include "diagnose/diagnose.h"
#include "core/field.h"
#include "base/words.h"

/* Whether every word of outs is in the list; an empty list has all. */
static bool all_listed(const char *list, const char *outs)
{
    for (const char *s = outs; *s && *list; s = word_next(s))
        if (!words_find(list, s, strcspn(s, " ")))
            return false;
    return true;
}

const struct declared *declared_of(const struct declaration *d, const char *row, const char *outs, const char *type)
{
    for (const struct declared *c = d ? d->claim : NULL; c && c < d->claim + d->n; c++)
        if (!strcmp(c->row->name, row) && all_listed(c->outs, outs) &&
            (type_named(type) < 0 || c->types >> type_named(type) & 1))
            return c;
    return NULL;
}

const struct declared *declared_found(const struct declaration *d, const struct mer_kernel *k)
{
    for (const struct declared *c = d ? d->claim : NULL; c && c < d->claim + d->n; c++)
        if (c->found && !strcmp(c->row->name, k->row) && !strcmp(c->outs, k->out) &&
            type_named(k->type) >= 0 && c->types >> type_named(k->type) & 1)
            return c;
    return NULL;
}

/* The first kernel of the claim's row that has the output of length len (NULL: any) and the type (-1: any); all: and no
 * output that is not claimed.  NULL: there is none. */
static const struct mer_kernel *offers(
    const struct subject *s, const struct declared *c, const char *out, size_t len, bool all, int type)
{
    for (const struct mer_kernel *k = s->kernel; k->row; k++)
        if (!strcmp(k->row, c->row->name) && (!out || words_find(k->out, out, len)) &&
            (!all || all_listed(c->outs, k->out)) && (type < 0 || type_named(k->type) == type))
            return k;
    return NULL;
}

int declaration_offered(const struct declaration *d, const struct subject *s, char *err, size_t n)
{
    struct fields f = { .file = d->file, .err = err, .n = n };
    for (const struct declared *c = d->claim; c < d->claim + d->n && !f.bad; c++) {
        struct scope at = { 0 };
        snprintf(at.path, sizeof at.path, "%s", c->path);
        if (!offers(s, c, NULL, 0, false, -1))
            fields_refuse(&f, &at, "row", "found '%s', but %s offers nothing of that row", c->row->name, s->name);
        for (const char *o = c->outs; *o; o = word_next(o))
            if (!offers(s, c, o, strcspn(o, " "), true, -1)) {
                const struct mer_kernel *k = offers(s, c, o, strcspn(o, " "), false, -1);
                fields_refuse(&f, &at, "outputs", "found '%.*s', but %s offers %s%s", (int)strcspn(o, " "), o, s->name,
                    k ? "it only together, as " : "no such output", k ? k->out : "");
            }
        for (int type = 0; type <= MER_BF16 && c->types != ~0u; type++)
            if (c->types >> type & 1 && !offers(s, c, NULL, 0, true, type))
                fields_refuse(
                    &f, &at, "types", "found '%s', but %s offers no %s in it", type_name[type], s->name, c->row->name);
    }
    return f.bad ? -1 : 0;
}

/* What one question may cost: bytes of its arrays; and multiplications, estimated as the product of all different
 * extents that an output and one of its inputs have. */
static const double question_bytes = 0x1p26, question_work = 0x1p30;
/* Whether a question of the sizes in t, whose arrays take `bytes`, costs no more than that. */
static bool affordable(const struct trial *t, double bytes)
{
    double most = 0;
    for (int o = 0; o < t->call.n_out; o++) {
        struct sign s;
        sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
        for (int k = 0; k < s.n_in; k++) {
            double work = 1;
            char seen[2 * MER_RANK + 1] = "";
            for (int x = 0, n = 0; x < s.out.rank + s.in[k].rank; x++) {
                char c = x < s.out.rank ? s.out.axis[x] : s.in[k].axis[x - s.out.rank];
                if (strchr(seen, c) || (c == 'g' && strchr(seen, 'h'))) /* g key heads are shared by h heads */
                    continue;
                work *= (double)t->size[(int)(seen[n++] = c)];
            }
            most = work > most ? work : most;
        }
    }
    return bytes <= question_bytes && most <= question_work;
}

static long clamp(const struct range *g, long x) { return x < g->least ? g->least : x > g->most ? g->most : x; }

static void append_size(char *text, size_t n, char letter, long x)
{
    size_t at = strlen(text);
    snprintf(text + at, n - at, " %c=%ld", letter, x);
}

/* Appends sizes to `text` that move its letters into the declared ranges.  alone >= 0: size number `alone` goes to its
 * most, halved until the question is affordable; -1: all go to their least; -2: only what lies outside moves; -3: only
 * d and e move, and only up.  false: the sizes of text are impossible. */
static bool fit(
    const struct declared *k, const char *params, const char *outs, int type, int alone, char *text, size_t n)
{
    struct trial t;
    double bytes;
    char err[300];
    const size_t base = strlen(text);
    const struct trial_spec of = { k->row->name, params, outs, type, text }; /* text grows below */
    if (trial_size(&t, &of, &bytes, err, sizeof err))
        return trial_close(&t), false; /* the same sizes are refused with a reason where they are asked */
    for (long most = alone < 0 ? 0 : k->size[alone].most;; most /= 2) {
        struct trial u;
        text[base] = 0;
        for (int i = 0; i < k->n_sizes; i++) {
            const struct range *g = &k->size[i];
            const long was = t.size[(int)g->letter],
                       to = alone == -1                   ? g->least :
                alone == i                                ? clamp(g, most) :
                alone > -3                                ? clamp(g, was) :
                strchr("de", g->letter) && was < g->least ? g->least :
                                                            was;
            if (t.bound[(int)g->letter] && to != was)
                append_size(text, n, g->letter, to);
        }
        bool made = !trial_size(&u, &of, &bytes, err, sizeof err),
             least = most <= (alone < 0 ? 0 : k->size[alone].least);
        /* g must divide h: take the largest divisor that is not above it */
        if (u.bound['h'] && u.bound['g'] && u.size['g'] > 0 && u.size['h'] % u.size['g']) {
            long g = u.size['g'];
            while (u.size['h'] % g)
                g--;
            append_size(text, n, 'g', g);
            trial_close(&u);
            made = !trial_size(&u, &of, &bytes, err, sizeof err);
        }
        bool fits = !made || least || affordable(&u, bytes);
        trial_close(&u);
        if (fits)
            return trial_close(&t), true;
    }
}

void declared_widths(const struct declared *k, const char *params, const char *outs, int type, char *text, size_t n)
{
    if (k && k->n_sizes)
        fit(k, params, outs, type, -3, text, n);
}

bool declared_sizes(const struct declared *k, const struct preset *p, const char *outs, int type,
    const char *const usual[2], int turn, struct declared_question *q)
{
    const bool ends = k && !k->found && (p == k->convention || p == k->row->presets);
    int alone = -2;
    *q->id = 0;
    for (int i = 0, left = turn - 2; turn > 2 && ends && i < k->n_sizes; i++)
        if (k->size[i].least < k->size[i].most && !--left)
            alone = i;
    if (turn > 1 && (!ends || !k->n_sizes || (turn > 2 && alone < 0)))
        return false;
    snprintf(q->sizes, sizeof q->sizes, "%s", usual[turn == 1]);
    if (k && k->n_sizes)
        fit(k, p->text, outs, type, turn == 2 ? -1 : alone, q->sizes, sizeof q->sizes);
    if (turn == 2)
        snprintf(q->id, sizeof q->id, "least sizes");
    if (turn > 2)
        snprintf(q->id, sizeof q->id, "most %c", k->size[alone].letter);
    return true;
}

/* 0: an integer input of this name holds positions; 1: differences of two positions; -1: neither, and it has no
 * declared range. */
static int position_kind(const char *name)
{
    return !strcmp(name, "pos") || !strcmp(name, "key_pos")             ? 0 :
        !strcmp(name, "distance") || !strcmp(name, "relative_position") ? 1 :
                                                                          -1;
}

/* The declared range of such an input; of: what position_kind() says of its name, 0 or 1. */
static void position_range(const struct declared *k, int of, double *least, double *most)
{
    *least = of ? (double)(k->least - k->most) : (double)k->least;
    *most = of ? (double)(k->most - k->least) : (double)k->most;
}

void declared_positions(const struct declared *k, struct trial *t, bool ends)
{
    for (int i = 0; k->positioned && i < t->call.n_in; i++) {
        struct mer_array *a = &t->in[i];
        double least, most;
        if (a->type != MER_I64 || position_kind(a->name) < 0)
            continue;
        position_range(k, position_kind(a->name), &least, &most);
        const int64_t span = (int64_t)(most - least) + 1;
        for (long e = 0, len = array_len(a); e < len; e++) {
            int64_t x = ((int64_t *)a->data)[e];
            x = x > (int64_t)most  ? (int64_t)most - (x - (int64_t)most) % span :
                x < (int64_t)least ? (int64_t)least + ((int64_t)least - x) % span :
                                     x;
            array_put(a, e, ends && e == 0 ? most : ends && e == len - 1 ? least : (double)x);
        }
    }
}

bool declared_has(const struct declared *k, const char *changes)
{
    for (const struct param *q = row_params(k->row); q->name && k->convention; q++) {
        const struct mer_call asked = { .params = changes };
        bool found = q->kind != ENUM || !*mer_text(&asked, q->name);
        for (const struct preset *p = k->convention; p->name && !found; p++) {
            char ours[200], theirs[200];
            void *a = need(1, k->row->size), *b = need(1, k->row->size);
            found = !params_read(row_params(k->row), a, p->text, ours, sizeof ours) &&
                !params_read(row_params(k->row), b, changes, theirs, sizeof theirs);
            params_pick(row_params(k->row), a, q->name, ours, sizeof ours),
                params_pick(row_params(k->row), b, q->name, theirs, sizeof theirs);
            found = found && !strcmp(ours, theirs);
            params_clear(row_params(k->row), a), params_clear(row_params(k->row), b);
            free(a), free(b);
        }
        if (!found)
            return false;
    }
    return true;
}

bool declared_outside(const struct declared *k, const struct trial *t, char *why, size_t n)
{
    for (const struct range *g = k->size; g < k->size + k->n_sizes; g++)
        if (t->bound[(int)g->letter] && (t->size[(int)g->letter] < g->least || t->size[(int)g->letter] > g->most))
            return snprintf(why, n, k->found ? "outside the sizes that it was found to take: %c is %ld, taken %ld" :
                                               "outside the declared sizes: %c is %ld, declared %ld to %ld",
                       g->letter, t->size[(int)g->letter], g->least, g->most),
                   true;
    for (int i = 0; k->positioned && i < t->call.n_in; i++) {
        const struct mer_array *a = &t->in[i];
        double least, most;
        /* without data only the sizes are in question */
        if (a->type != MER_I64 || position_kind(a->name) < 0 || !a->data)
            continue;
        position_range(k, position_kind(a->name), &least, &most);
        for (long e = 0; e < array_len(a); e++)
            if (!(array_get(a, e) >= least && array_get(a, e) <= most))
                return snprintf(why, n, "outside the declared positions: %s is %.0f, allowed %.0f to %.0f", a->name,
                           array_get(a, e), least, most),
                       true;
    }
    return false;
}

/* Whether the parameters that matter to the known case have its values in params. */
static bool same_params(const struct row *r, const struct known_case *k, const char *params)
{
    char ours[TEXT_MAX], theirs[TEXT_MAX], err[300];
    void *a = need(1, r->size), *b = need(1, r->size);
    const struct param *of = row_params(r);
    bool same = !params_read(of, a, k->params, err, sizeof err) && !params_read(of, b, params, err, sizeof err);
    params_pick(of, a, k->keys, ours, sizeof ours), params_pick(of, b, k->keys, theirs, sizeof theirs);
    params_clear(of, a), params_clear(of, b);
    free(a), free(b);
    return same && !strcmp(ours, theirs);
}

/* Whether the known case is about this finding: row, case, type, some output, and the parameters that matter. */
static bool meets(const struct declared *c, const struct known_case *k, const struct finding *f)
{
    if (strcmp(c->row->name, f->row) || (*k->id && (!f->id || fnmatch(k->id, f->id, 0))) ||
        (f->type && type_named(f->type) >= 0 && !(c->types & k->types & 1u << type_named(f->type))))
        return false;
    bool out = !*k->outs && all_listed(c->outs, f->quantity);
    for (const char *s = f->quantity; *s && !out; s = word_next(s))
        out = words_find(k->outs, s, strcspn(s, " "));
    return out && (!*k->keys || same_params(c->row, k, f->params));
}

const struct finding *declaration_meets(struct declaration *d, const struct finding *f, struct finding *g)
{
    if (f->word != FAILED && f->word != PASS)
        return f;
    for (struct declared *c = d->claim; c < d->claim + d->n; c++)
        for (struct known_case *k = c->known; k < c->known + c->n_known; k++) {
            if (!meets(c, k, f))
                continue;
            k->asked++;
            if (f->word == PASS)
                continue;
            const bool as = !*k->mistake || (f->match && f->diagnosis && diagnosis_holds(f->diagnosis, k->mistake));
            *g = *f;
            k->seen += as;
            if (as)
                g->word = KNOWN_DEVIATION,
                snprintf(g->reason, sizeof g->reason, "declared: %s%s%s%s", k->reason, *k->cite ? " [" : "", k->cite,
                    *k->cite ? "]" : "");
            else
                snprintf(g->reason, sizeof g->reason, "declared as %s, found as %s%s%.400s", k->mistake,
                    f->match ? f->match->id : "no known mistake", *f->reason ? ": " : "", f->reason);
            return g;
        }
    return f;
}

const struct known_case *declaration_named(const struct declaration *d)
{
    for (const struct declared *c = d->claim; c < d->claim + d->n; c++)
        for (const struct known_case *k = c->known; k < c->known + c->n_known; k++)
            if (*k->mistake)
                return k;
    return NULL;
}

bool declaration_unseen(const struct declaration *d, long *at, const char *subject, struct finding *f)
{
    long number = 0;
    for (const struct declared *c = d->claim; c < d->claim + d->n; c++)
        for (const struct known_case *k = c->known; k < c->known + c->n_known; k++) {
            if (number++ < *at || k->seen)
                continue;
            *f = (struct finding){ .word = k->asked ? FAILED : SKIPPED,
                .subject = subject,
                .row = c->row->name,
                .quantity = *k->outs ? k->outs :
                    *c->outs         ? c->outs :
                                       "*",
                .id = *k->id ? k->id : NULL,
                .method = "declared" };
            snprintf(f->params, sizeof f->params, "%s", k->params);
            snprintf(f->reason, sizeof f->reason,
                k->asked ? "the declared deviation '%s' is no longer seen: asked %ld times; take it out of %.200s" :
                           "the declared deviation '%s' was not asked about",
                k->reason, k->asked, d->file);
            *at = number;
            return true;
        }
    return false;
}
