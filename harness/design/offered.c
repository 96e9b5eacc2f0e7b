/* Tries sizes on a kernel that declines the usual ones, those first that depart from them least. */
#include "design/offered.h"
#include <stdio.h>
#include <string.h>
#include "arith/need.h"
#include "design/cover.h"
#include "subject/contain.h"

/* Extents tried of all widths together, and of all lengths: 0 is the usual extent of each; EQUAL that of the first;
 * ONE, of the first alone, is a single query.  Then what tiles and vectors of real kernels take. */
enum { EQUAL = -1, ONE = -2 };
static const long widths[] = { 0, EQUAL, 16, 64, 128, 32, 256 }, lengths[] = { 0, EQUAL, ONE, 16, 64, 128 };
/* Heads and key heads: 0 is the usual grouping. */
static const long groups[] = { 0, 2, 1 };
enum { WIDTHS = sizeof widths / sizeof *widths, LENGTHS = sizeof lengths / sizeof *lengths,
    GROUPS = sizeof groups / sizeof *groups };
static const char usual[] = "n=10 m=13 h=4 g=2";

/* The letters whose extents are open: widths, lengths, and whether heads are grouped. */
struct open { char width[COVER_CHOICES + 1], length[COVER_CHOICES + 1]; bool grouped; };

static struct open open_letters(const struct row *r, const struct preset *presets, const char *outs, int type)
{
    struct cover c;
    struct open o = { 0 };
    cover_open(&c, r, presets, outs, type, NULL);
    for (int k = 0; k < c.n; k++) {
        const char letter = *c.choice[k].name;
        o.grouped |= c.choice[k].kind == OF_GROUPS;
        if (c.choice[k].kind == OF_LETTER && letter != 'h' && letter != 'g') {
            char *to = cover_is_length(&c, letter) ? o.length : o.width;
            to[strlen(to)] = letter;
        }
    }
    char *query = NULL; /* the axis of the queries leads the output: it comes first */
    struct sign s;
    for (int k = 0; cover_sign(&c, 0, &s) && k < s.out.lead && !query; k++)
        query = strchr(o.length, s.out.axis[k]);
    cover_close(&c);
    if (query) {
        const char was = *o.length;
        *o.length = *query, *query = was;
    }
    return o;
}

static bool is_answered(const struct subject *who, const struct mer_kernel *k, struct trial *t)
{
    char err[600];
    const int rc = who->run((struct subject *)who, k, &t->call, err, sizeof err);
    return rc != MER_SKIP && rc != MER_UNASKED;
}

bool offered_at(const struct subject *who, const struct mer_kernel *k, const char *outs, const char *params,
    const char *sizes)
{
    struct trial t;
    char err[600];
    bool answers = false;
    if (!trial_make(&t, &(struct trial_spec){ k->row, params, outs, type_named(k->type), sizes, 1 }, err, sizeof err)) {
        t.answers = who->answers;
        answers = is_answered(who, k, &t);
        for (const struct mer_kernel *o = who->kernel; o && o->row && !answers; o++)
            answers = o != k && !strcmp(o->row, k->row) && !strcmp(o->out, k->out) && !strcmp(o->type, k->type) &&
                is_answered(who, o, &t);
    }
    trial_close(&t);
    return answers;
}

static void set(struct declared *c, char letter, long to)
{
    if (c->n_sizes < CLAIM_SIZES)
        c->size[c->n_sizes++] = (struct range){ letter, to, to };
}
/* Sets the letters to the extent that `way` stands for; t has the usual ones. */
static void set_all(struct declared *c, const struct trial *t, const char *letters, long way)
{
    for (const char *l = letters; way && *l && (way != ONE || l == letters); l++)
        set(c, *l, way == ONE ? 1 : way == EQUAL ? t->size[(int)*letters] : way);
}
static void write_sizes(const struct declared *c, char *text, size_t n)
{
    size_t at = 0;
    *text = 0;
    for (const struct range *g = c->size; g < c->size + c->n_sizes && at < n; g++)
        at += (size_t)snprintf(text + at, n - at, "%s%c=%ld", at ? " " : "", g->letter, g->least);
}

/* Whether the kernel answers under some preset at the usual sizes, but for those of c; c->found is that preset's. */
static bool answers(struct declared *c, const struct subject *who, const struct mer_kernel *k, const char *outs,
    const struct preset *presets)
{
    char sizes[300];
    write_sizes(c, sizes, sizeof sizes);
    for (const struct preset *p = presets; p->name; p++)
        if (offered_at(who, k, outs, p->text, c->n_sizes ? sizes : usual))
            return c->found = p->text, true;
    return false;
}

/* Tries the ways in the order of how many steps from the usual they are.  false: none is taken. */
static bool search(struct declared *c, const struct subject *who, const struct mer_kernel *k, const char *outs,
    const struct preset *presets)
{
    const struct open o = open_letters(c->row, presets, outs, type_named(k->type));
    struct trial t;
    char err[300];
    double bytes;
    bool found = false;
    if (trial_size(&t, &(struct trial_spec){ k->row, presets->text, outs, type_named(k->type), usual }, &bytes, err,
        sizeof err))
        return trial_close(&t), false;
    for (int steps = 1; steps <= WIDTHS + LENGTHS + GROUPS - 3 && !found; steps++)
        for (int w = 0; w < WIDTHS && w <= steps && !found; w++)
            for (int l = 0; l < LENGTHS && w + l <= steps && !found; l++) {
                const int g = steps - w - l;
                if (g >= GROUPS || (g && !o.grouped) || (w && !*o.width) || (l && !*o.length))
                    continue;
                c->n_sizes = 0;
                set_all(c, &t, o.width, widths[w]), set_all(c, &t, o.length, lengths[l]);
                set_all(c, &t, "hg", groups[g]);
                found = answers(c, who, k, outs, presets);
            }
    trial_close(&t);
    return found;
}

const struct declared *offered_find(const struct asked *a, const struct subject *who, const struct mer_kernel *k)
{
    const char *outs = a->out ? a->out : k->out;
    struct preset given[2];
    struct declared c = { .row = row_named(k->row) };
    const int type = type_named(k->type);
    if (!c.row || type < 0 || !a->found || a->declared || a->sizes || declared_found(a->found, k))
        return NULL;
    c.types = 1u << type;
    const struct preset *presets = asked_one(a, c.row, NULL, given);
    snprintf(c.outs, sizeof c.outs, "%s", k->out);
    if (answers(&c, who, k, outs, presets) || !search(&c, who, k, outs, presets))
        return NULL;
    a->found->claim = need_more(a->found->claim, (size_t)a->found->n + 1, sizeof *a->found->claim);
    a->found->claim[a->found->n++] = c;
    return declared_found(a->found, k);
}

const struct declared *offered_claim(const struct asked *a, const struct mer_kernel *k)
{
    const struct declared *c = declared_of(a->declared, k->row, k->out, k->type);
    return c ? c : declared_found(a->found, k);
}

bool offered_words(
    const struct subject *who, const struct mer_kernel *k, const char *told, const char **params, char *sizes, size_t n)
{
    const struct preset given[2] = { { "given", told, "" }, { 0 } };
    struct declared c = { .row = row_named(k->row) };
    const struct preset *presets = *told ? given : c.row->presets;
    if (answers(&c, who, k, k->out, presets) || !search(&c, who, k, k->out, presets))
        return false;
    write_sizes(&c, sizes, n);
    *params = c.found;
    return true;
}
