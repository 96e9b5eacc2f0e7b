/* The nearest class of another program; see nearest.h. */
#include "lab/export/nearest.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/tsv.h"
#include "base/words.h"
#include "core/data.h"
#include "lab/export/tables.h"

enum { SWITCHES = 10 };
struct attempt {
    const struct trained *t;
    struct class_reading r;
    struct foreign m;
    /* vectors[v][c] of tokens, as the laboratory scales them; places[positions][c], NULL where nothing is added */
    const float *vectors, *places;
    char key[SWITCHES][80];
    bool is[SWITCHES];                    /* by default */
    int switches;
};

/* The next name in an expression that may be a key of the configuration, into to[n]; what follows it, or NULL. */
static const char *next_key(const char *s, char *to, size_t n)
{
    static const char words[] = "if else and or not is in for None True False get len int round";
    while (*s) {
        size_t len = 1;
        if (*s == '\'')
            len = strcspn(s + 1, "'") + 2;
        else if (isalpha((unsigned char)*s) || *s == '_') {
            while (isalnum((unsigned char)s[len]) || s[len] == '_')
                len++;
            snprintf(to, n, "%.*s", (int)len, s);
            if (!words_have(words, to) && len < n)
                return s + len;
        }
        s += len < strlen(s) ? len : strlen(s);
    }
    return NULL;
}

/* Whether an expression's value is the one wanted: the same text, or the same number. */
static bool is_wanted(struct attempt *a, const char *expression, const json_t *wanted)
{
    char text[80];
    if (!class_value(&a->r, expression, text, sizeof text))
        return false;
    return json_is_string(wanted) ? !strcmp(text, json_string_value(wanted)) :
                                    strtod(text, NULL) == json_number_value(wanted);
}
/* Sets the first key that makes the expression what is wanted, which is taken; false: none does. */
static bool solve(struct attempt *a, const char *expression, json_t *wanted)
{
    char key[80];
    bool done = false;
    for (const char *s = expression; wanted && !done && (s = next_key(s, key, sizeof key));) {
        json_t *before = json_incref(json_object_get(a->r.config, key));
        json_object_set(a->r.config, key, wanted);
        done = is_wanted(a, expression, wanted);
        if (!done && before)
            json_object_set(a->r.config, key, before);
        else if (!done)
            json_object_del(a->r.config, key);
        json_decref(before);
    }
    done = done || (wanted && is_wanted(a, expression, wanted));
    json_decref(wanted);
    return done;
}

/* The name in configurations of the laboratory's activation, a new reference; NULL: there is none. */
static json_t *activation(void)
{
    char path[600];
    struct tsv t;
    json_t *name = NULL;
    for (tsv_open(&t, data_path("weights/any.tsv", path, sizeof path)); !name && tsv_next(&t);)
        if (t.n == 3 && !strcmp(t.col[0], "name") && !strcmp(t.col[2], trained_act))
            name = json_string(t.col[1]);
    tsv_close(&t);
    return name;
}
/* What a size or a rule of a table has to be, a new reference; NULL: it is not asked here. */
static json_t *wanted(const struct attempt *a, const char *what, const char *name)
{
    const struct lab_size *s = &a->t->m.size;
    const struct { const char *letter; int64_t extent; } sizes[] = { { "c", s->channels }, { "f", s->inner },
        { "v", s->vocab }, { "p", a->t->positions } };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !strcmp(what, "size"); k++)
        if (!strcmp(name, sizes[k].letter))
            return json_integer(sizes[k].extent);
    return strcmp(what, "rule") ? NULL :
        !strcmp(name, "eps")    ? json_real(trained_eps()) :
        !strcmp(name, "act")    ? activation() :
                                  NULL;
}

/* Finds the switches of an expression. */
static void find_switches(struct attempt *a, const char *expression)
{
    char key[80], is[8];
    for (const char *s = expression; (s = strstr(s, "get(")); s += 4) {
        if (sscanf(s, "get(%79[a-zA-Z0-9_], %7[a-zA-Z])", key, is) != 2 || (strcmp(is, "True") && strcmp(is, "False")))
            continue;
        int k = 0;
        while (k < a->switches && strcmp(a->key[k], key))
            k++;
        if (k == SWITCHES)
            continue;
        a->switches += k == a->switches;
        strcpy(a->key[k], key), a->is[k] = !strcmp(is, "True");
    }
}

/* Sets what needs no trial; false: a size or rule of the class cannot be the model's. */
static bool settle(struct attempt *a)
{
    struct tsv t;
    bool fits = true;
    for (tsv_open(&t, a->r.table); fits && tsv_next(&t);) {
        json_t *w = t.n == 3 ? wanted(a, t.col[0], t.col[1]) : NULL;
        fits = !w || solve(a, t.col[2], w);
        for (int k = 2; k < t.n; k++)
            find_switches(a, t.col[k]);
    }
    tsv_close(&t);
    return fits;
}

/* Sets a key under the name that the class gives it. */
static void set(struct attempt *a, const char *key, json_t *v)
{
    const struct type_fact *alias = fact_of(&a->r.facts, "-", "alias.", key);
    json_object_set_new(a->r.config, alias ? alias->value : key, v);
}

/* Row rope's parameters in words, in canonical form; "": they are none. */
static void canonical(const char *words, char *text, size_t n)
{
    struct trial t = { .row = row_named("rope") };
    char why[300];
    *text = 0;
    if (*words && !trial_params(&t, words, why, sizeof why))
        snprintf(text, n, "%s", t.text);
    trial_close(&t);
}
static void own_rotation(const struct attempt *a, char *text, size_t n)
{
    const struct encoding *e = a->t->m.enc;
    char words[400];
    encoding_text(words, sizeof words, e->turn ? e->params : "", &a->t->m.size, a->t->positions);
    canonical(words, text, n);
}
static double parameter(const char *text, const char *name)
{
    for (const char *s = text; *s; s = word_next(s))
        if (!strncmp(s, name, strlen(name)) && s[strlen(name)] == '=')
            return strtod(s + strlen(name) + 1, NULL);
    return 0;
}
static void set_rotation(struct attempt *a)
{
    char text[TEXT_MAX];
    own_rotation(a, text, sizeof text);
    if (!*text)
        return;
    const double dim = parameter(text, "dim"), rotary = parameter(text, "rotary");
    json_object_set_new(a->r.config, "rope_parameters",
        json_pack("{s:s,s:f,s:f}", "rope_type", "default", "rope_theta", parameter(text, "base"),
            "partial_rotary_factor", rotary > 0 ? rotary / dim : 1.0));
}

/* Whether a rule that not every class has changes nothing. */
static bool is_neutral(const char *text, double neutral) { return !*text || strtod(text, NULL) == neutral; }
static bool rules_fit(struct attempt *a, char *err, size_t n)
{
    struct foreign *m = &a->m;
    char type[sizeof m->type];
    memcpy(type, m->type, sizeof type);
    *m = (struct foreign){ .layers = 0 }, memcpy(m->type, type, sizeof type);
    return !class_rules(&a->r, err, n) && !strcmp(m->norm, "layernorm") && !strcmp(m->act, trained_act) &&
        !m->parallel && is_neutral(m->offset, 0) && is_neutral(m->embed_scale, 1) && is_neutral(m->residual, 1) &&
        is_neutral(m->logit_scale, 1) && is_neutral(m->cap, 0);
}

/* Whether attention and positions of every layer are the model's. */
static bool sight_fits(struct attempt *a, char *err, size_t n)
{
    const struct lab_size *s = &a->t->m.size;
    char own[TEXT_MAX], is[TEXT_MAX];
    if (class_sight(&a->r, a->m.type, (long)a->t->positions, err, n))
        return false;
    own_rotation(a, own, sizeof own);
    bool fits = a->m.layers == s->layers && a->m.size['h'] == s->heads && a->m.size['g'] == s->heads &&
        a->m.size['d'] * s->heads == s->channels;
    for (long l = 0; fits && l < a->m.layers; l++) {
        canonical(a->m.layer[l].rope, is, sizeof is);
        fits = !strcmp(own, is) && !strcmp(a->m.layer[l].attention, "causal=bottomright");
    }
    return fits;
}

/* Gives a role the numbers x[lines][stride], of each line `width` from `first` on; turned: as its transpose. */
struct nearest_piece { const float *x; int64_t lines, stride, first, width; bool turned; };
static void give(struct model_layer *l, enum role role, struct nearest_piece p)
{
    struct mer_array *y = &l->of[role];
    if (!p.x)
        return;
    *y = (struct mer_array){ .type = MER_F32, .rank = 2, .dim = { p.lines, p.width } };
    float *to = y->data = need((size_t)(p.lines * p.width) + 32, sizeof *to);
    for (int64_t i = 0; i < p.lines; i++)
        for (int64_t j = 0; j < p.width; j++)
            to[p.turned ? j * p.lines + i : i * p.width + j] = p.x[i * p.stride + p.first + j];
}
static void give_line(struct model_layer *l, enum role role, const float *x, int64_t first, int64_t width)
{
    give(l, role, (struct nearest_piece){ .x = x, .lines = 1, .first = first, .width = width });
}
/* The model's weights by their roles: matrices as [out][in], which the laboratory keeps as [in][out]. */
static void weigh(struct attempt *a)
{
    const struct trained *t = a->t;
    const int64_t c = t->m.size.channels, f = t->m.size.inner, v = t->m.size.vocab;
    for (long k = 0; k < a->m.layers; k++) {
        struct model_layer *l = &a->m.layer[k];
        const struct layer_blocks *b = &t->m.layer[k];
        const float *wi = trained_block(t, b->wi), *bi = trained_block(t, b->bi);
        for (int s = 0; s < 3; s++) {
            give(l, (enum role)(Q + 2 * s), (struct nearest_piece){ wi, c, 3 * c, s * c, c, true });
            give_line(l, (enum role)(Q_BIAS + 2 * s), bi, s * c, c);
        }
        give(l, O, (struct nearest_piece){ trained_block(t, b->wo), c, c, 0, c, true });
        give(l, UP, (struct nearest_piece){ trained_block(t, b->w1), c, f, 0, f, true });
        give(l, DOWN, (struct nearest_piece){ trained_block(t, b->w2), f, c, 0, c, true });
        give_line(l, O_BIAS, trained_block(t, b->bo), 0, c), give_line(l, UP_BIAS, trained_block(t, b->b1), 0, f);
        give_line(l, DOWN_BIAS, trained_block(t, b->b2), 0, c);
        give_line(l, NORM1, trained_block(t, b->ga), 0, c), give_line(l, NORM1_BIAS, trained_block(t, b->sa), 0, c);
        give_line(l, NORM2, trained_block(t, b->gf), 0, c), give_line(l, NORM2_BIAS, trained_block(t, b->sf), 0, c);
    }
    struct model_layer *last = &a->m.layer[a->m.layers];
    give(last, EMBED, (struct nearest_piece){ a->vectors, v, c, 0, c, false });
    give(last, HEAD, (struct nearest_piece){ trained_block(t, t->m.out), v, c, 0, c, false });
    give(last, PLACE, (struct nearest_piece){ a->places, t->positions, c, 0, c, false });
    give_line(last, NORM, trained_block(t, t->m.g), 0, c), give_line(last, NORM_BIAS, trained_block(t, t->m.s), 0, c);
}

/* Tries one setting of the switches; bit k: the k-th is turned. */
static bool one_setting(struct attempt *a, unsigned turned, struct nearest *to)
{
    char why[900];
    bool fits;
    for (int k = 0; k < a->switches; k++)
        json_object_set_new(a->r.config, a->key[k], json_boolean(a->is[k] != (turned >> k & 1)));
    fits = rules_fit(a, why, sizeof why) && sight_fits(a, why, sizeof why);
    if (fits) {
        struct released list;
        weigh(a);
        fits = !class_release(&a->r, &list, why, sizeof why);
        if (fits) {
            nearest_close(to);
            *to = (struct nearest){ .config = json_deep_copy(a->r.config), .list = list,
                .turned = __builtin_popcount(turned) };
            memcpy(to->type, a->m.type, sizeof to->type);
        } else
            released_free(&list);
    }
    foreign_close(&a->m);
    return fits;
}

/* Tries a class; `to` becomes it where it is nearer than what is there. */
static void one_class(struct nearest *to, struct attempt of, const char *type)
{
    static struct attempt a; /* large */
    const struct trained *t = of.t;
    char why[900];
    a = of;
    if (!class_begin(&a.r, &a.m, json_pack("{s:s}", "model_type", type), type, why, sizeof why)) {
        set(&a, "num_hidden_layers", json_integer(t->m.size.layers));
        set(&a, "num_attention_heads", json_integer(t->m.size.heads));
        set(&a, "max_position_embeddings", json_integer(t->positions));
        json_object_set_new(a.r.config, "dtype", json_string("float32"));
        set_rotation(&a);
        bool found = !settle(&a);
        for (int k = 0; k <= a.switches && !found && (!to->config || k < to->turned); k++)
            for (unsigned turned = 0; turned < 1u << a.switches && !found; turned++)
                found = __builtin_popcount(turned) == k && one_setting(&a, turned, to);
    }
    class_close(&a.r);
}

/* What another program has no place for: what is no rotation by row rope, and no table that is added. */
static bool has_classes(const struct encoding *e)
{
    return !e->bias && !e->attend && !e->embed && !e->by && !e->randomised &&
        (!e->turn || (!strcmp(e->turn, "rope") && !e->keys));
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }
/* The names of all classes with a table, in order; how many there are. */
static int types(char (*name)[64], int room)
{
    char path[700];
    int many = 0;
    data_path("weights/any.tsv", path, sizeof path);
    *strrchr(path, '/') = 0;
    DIR *d = opendir(path);
    for (struct dirent *f; d && (f = readdir(d)) && many < room;) {
        const size_t len = strlen(f->d_name);
        if (len > 4 && len < 68 && !strcmp(f->d_name + len - 4, ".tsv") && strcmp(f->d_name, "any.tsv"))
            snprintf(name[many++], 64, "%.*s", (int)(len - 4), f->d_name);
    }
    if (d)
        closedir(d);
    qsort(name, (size_t)many, sizeof *name, by_name);
    return many;
}

int nearest_find(struct nearest *to, const struct trained *t, const char *only, char *err, size_t n)
{
    char name[256][64];
    const struct encoding *e = t->m.enc;
    const int64_t all = t->positions * t->m.size.channels;
    *to = (struct nearest){ .config = NULL };
    float *places = e->place ? need((size_t)all + 32, sizeof *places) : NULL,
          *vectors = need((size_t)(t->m.size.vocab * t->m.size.channels) + 32, sizeof *vectors);
    const bool some = !t->m.size.encoders && has_classes(e);
    int rc = some ? tables_vectors(t, vectors, err, n) : 0;
    rc = rc || !some || !places ? rc : tables_places(t, places, err, n);
    const int many = rc || !some ? 0 : types(name, 256);
    for (int k = 0; k < many; k++)
        if (!only || !strcmp(only, name[k]))
            one_class(to, (struct attempt){ .t = t, .vectors = vectors, .places = places }, name[k]);
    free(places), free(vectors);
    if (!rc && !to->config)
        snprintf(err, n,
            only ? "--as %.100s: no class of that name (data/weights), or none that computes what encoding %s does" :
                   "%.0sno class of data/weights computes what encoding %s does",
            only ? only : "", e->name);
    return rc ? rc : to->config != NULL;
}

void nearest_close(struct nearest *to)
{
    json_decref(to->config), released_free(&to->list);
    *to = (struct nearest){ .config = NULL };
}
