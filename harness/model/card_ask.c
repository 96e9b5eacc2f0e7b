/* Questions of a card's conventions; see card_ask.h.  Which row judges which kind of positions: data/models/
 * questions.tsv. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/tsv.h"
#include "base/words.h"
#include "core/data.h"
#include "model/card_ask.h"
#include "model/card_differ.h"
#include "model/card_layer.h"
#include "facts/formula.h"
#include "row/row.h"
#include "facts/parts.h"

/* One card.  differ: its list; root: its configuration; read: the keys of that which were read; c: what it says of
 * tables, NULL with err: why it says none; facts: of its type. */
struct card_asking {
    json_t *differ, *root, *read;
    const struct config *c;
    const char *err;
    struct type_facts facts;
};

static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static long number(const json_t *o, const char *key) { return (long)json_integer_value(json_object_get(o, key)); }

void card_put_scale(struct text *t, const json_t *rules, long width)
{
    const json_t *scale = json_object_get(rules, "scale");
    const double s = json_number_value(scale);
    if (json_is_number(scale) && fabs(s * sqrt((double)width) - 1) > 0x1p-50)
        text_put(t, " scale=%.17g", s);
}

void card_put_sight(struct text *t, const json_t *rules, int first)
{
    const bool causal = strstr(word(rules, "mask"), "causal");
    const long window = number(rules, "window"), chunk = number(rules, "chunk");
    if (causal)
        text_put(t, " causal=bottomright");
    if (window > 0 && causal)
        text_put(t, " window=%ld", window);
    else if (window > 0) /* Aligned so; right says how far ahead. */
        text_put(t, " causal=bottomright left=%ld right=%ld", window, window);
    if (chunk > 0)
        text_put(t, " chunk=%ld", chunk);
    if (chunk > 0 && first)
        text_put(t, " start=%d", first);
    if (first)
        text_put(t, " first=%d", first);
}

bool card_concerns(const struct config_encoding *e, const json_t *kind)
{
    const char *of = word(kind, "kind");
    const size_t len = strcspn(e->layers, ",");
    const bool by_length = !strncmp(e->layers, "up to ", 6) || !strncmp(e->layers, "beyond ", 7);
    return !strcmp(e->row, "rope") && (!*e->layers || by_length || (strlen(of) == len && !strncmp(e->layers, of, len)));
}

/* Adds a question to a kind or table.  params: may begin with a blank; inputs: optional ones that the layer has;
 * output: the one quantity that is asked about, "" for all of the row. */
static void ask_output(struct card_asking *a, json_t *of, const char *what, const char *row, const char *params,
    const char *sizes, const char *inputs, const char *output)
{
    static char command[TEXT_MAX + 400];
    params += strspn(params, " ");
    struct text t = text_in(command, sizeof command);
    text_put(&t, "meridian judge own:scalar --row %s", row);
    if (*params)
        text_put(&t, " --params \"%s\"", params);
    if (*sizes)
        text_put(&t, " --sizes \"%s\"", sizes);
    if (*output)
        text_put(&t, " --out \"%s\"", output);
    if (!json_object_get(of, "judge"))
        json_object_set_new(of, "judge", json_array());
    json_array_append_new(json_object_get(of, "judge"), json_pack("{s:s,s:s,s:s,s:s,s:s}", "what", what, "row", row,
        "params", params, "sizes", sizes, "command", command));
    card_differ(a->differ, row, params, inputs);
}

static void ask(struct card_asking *a, json_t *of, const char *what, const char *row, const char *params,
    const char *sizes,
    const char *inputs)
{
    ask_output(a, of, what, row, params, sizes, inputs, "");
}

static void ask_nothing(json_t *of, const char *what, const char *why)
{
    if (!json_object_get(of, "judge"))
        json_object_set_new(of, "judge", json_array());
    json_array_append_new(json_object_get(of, "judge"), json_pack("{s:s,s:s}", "what", what, "why", why));
}

/* ---- positions ---- */

/* Whether a row takes these parameters; false: why[n] says what is wrong with them. */
static bool takes(const char *row, const char *params, char *why, size_t n)
{
    const struct row *r = row_named(row);
    void *p = r ? calloc(1, r->size) : NULL;
    if (!r)
        snprintf(why, n, "this build has no row %s", row);
    bool good = p && !row_knows(r, params, why, n) && !params_read(row_params(r), p, params, why, n);
    const char *refuse = good && r->refuse ? r->refuse(p) : NULL;
    if (refuse)
        snprintf(why, n, "%s", refuse), good = false;
    if (p)
        params_clear(row_params(r), p);
    free(p);
    return good;
}

/* The rotation under every encoding of the file that concerns the kind; the layout is the card's. */
static void ask_rotation(struct card_asking *a, json_t *kind)
{
    static char params[TEXT_MAX];
    const char *layout = word(json_object_get(kind, "rules"), "layout");
    bool any = false;
    for (int k = 0; a->c && k < a->c->n; k++) {
        const struct config_encoding *e = &a->c->e[k];
        if (!card_concerns(e, kind))
            continue;
        any = true;
        struct text t = text_in(params, sizeof params);
        if (*layout)
            text_put(&t, "layout=%s", layout);
        for (const char *s = e->params; *s; s = word_next(s))
            if (!*layout || strncmp(s, "layout=", 7))
                text_put(&t, "%s%.*s", t.at ? " " : "", (int)strcspn(s, " "), s);
        if (*e->reason)
            ask_nothing(kind, "rotation", e->reason);
        else
            ask(a, kind, "rotation", "rope", params, "", "");
    }
    if (!any)
        ask_nothing(kind, "rotation", *a->err ? a->err : "no table of the file concerns these layers");
}

/* "16,24,24" of a list of whole numbers; false: it is none. */
static bool put_numbers(struct text *t, const json_t *list)
{
    size_t k;
    json_t *v;
    json_array_foreach(list, k, v) {
        if (!json_is_integer(v))
            return false;
        text_put(t, "%s%lld", k ? "," : "", (long long)json_integer_value(v));
    }
    return json_array_size(list) > 0;
}

/* The rotation by several positions of a token: row mrope where all axes share one list of frequencies, row rope2d
 * where each of two has its own.  Where the row has no such form, the rules say why. */
static void ask_axes(struct card_asking *a, json_t *kind)
{
    const json_t *rules = json_object_get(kind, "rules"), *grid = json_object_get(rules, "grid");
    const char *axes = word(rules, "axes"), *spread = word(rules, "spread"), *how = word(rules, "coordinates");
    const bool shared = !strcmp(word(rules, "frequency"), "shared");
    char params[300], why[300];
    struct text t = text_in(params, sizeof params);
    text_put(&t, "dim=%ld base=%.17g layout=%s", number(rules, "rotary"),
        json_number_value(json_object_get(rules, "base")), *word(rules, "layout") ? word(rules, "layout") : "half");
    bool known = !shared || (!strcmp(axes, "t h w") && strcmp(spread, "blocks"));
    if (shared) {
        text_put(&t, " mode=%s sections=", strcmp(spread, "sections") ? spread : "chunked");
        known &= put_numbers(&t, json_object_get(rules, "sections"));
    } else {
        text_put(&t, " first=%s axes=%s frequency=%s", *axes == 'h' ? "rows" : "columns", spread,
            word(rules, "frequency"));
        known = !strcmp(axes, "h w") || !strcmp(axes, "w h");
        if (!strcmp(how, "from 1 on"))
            text_put(&t, " start=1");
        else if (!strcmp(how, "centred") && json_is_integer(grid))
            text_put(&t, " coordinates=centred height=%ld width=%ld", number(rules, "grid"), number(rules, "grid"));
        else
            known &= !*how;
    }
    if (known && !t.cut && takes(shared ? "mrope" : "rope2d", params, why, sizeof why))
        ask(a, kind, "rotation of images", shared ? "mrope" : "rope2d", params, "", "");
    else
        ask_nothing(kind, "rotation of images", "no row of this build deals pairs out to axes so");
}

/* Which row judges something by data/models/questions.tsv, with which parameters and sizes. */
struct card_question {
    char row[24], of_params[900], of_sizes[160], output[40]; /* output: the quantity asked about, "" for all. */
    struct text params, sizes;
    bool sized; /* Every size that the row is asked at is known, and not too large. */
};

/* A number as it was meant: with as many digits as read back as it. */
static void put_real(struct text *t, const char *name, double v)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.15g", v);
    if (strtod(digits, NULL) < v || strtod(digits, NULL) > v)
        snprintf(digits, sizeof digits, "%.17g", v);
    text_put(t, "%s%s=%s", t->at ? " " : "", name, digits);
}

/* The value of one line: a parameter; a size, "size.LETTER"; "size.NAME", an optional input, there if it is true; or
 * "output", the quantity asked about. */
static void put_line(struct card_question *q, const char *name, const json_t *v)
{
    const bool size = !strncmp(name, "size.", 5);
    const json_int_t n = json_integer_value(v);
    if (size && json_is_boolean(v))
        text_put(&q->sizes, "%s%s", json_is_true(v) && q->sizes.at ? " " : "", json_is_true(v) ? name + 5 : "");
    else if (size && json_is_integer(v) && n > 0 && n <= 1 << 20)
        text_put(&q->sizes, "%s%s=%lld", q->sizes.at ? " " : "", name + 5, (long long)n);
    else if (size)
        q->sized = false;
    else if (!strcmp(name, "output"))
        snprintf(q->output, sizeof q->output, "%s", json_is_string(v) ? json_string_value(v) : "");
    else if (json_is_string(v))
        text_put(&q->params, "%s%s=%s", q->params.at ? " " : "", name, json_string_value(v));
    else if (json_is_number(v))
        put_real(&q->params, name, json_number_value(v));
}

/* What judges one kind of positions, or of mixers, q to be filled; as: the name of the layer or table in the
 * expressions.  false: no row judges that kind. */
static bool look_up(const struct card_asking *a, const json_t *of, const char *as, const char *kind,
    struct card_question *q)
{
    char path[600];
    struct tsv lines;
    bool found = false;
    json_t *root = json_copy(a->root);
    json_object_set(root, as, (json_t *)of);
    q->params = text_in(q->of_params, sizeof q->of_params), q->sizes = text_in(q->of_sizes, sizeof q->of_sizes);
    q->sized = true, *q->output = 0;
    for (tsv_open(&lines, data_path("models/questions.tsv", path, sizeof path)); tsv_next(&lines);) {
        if (lines.n < 5 || strcmp(lines.col[0], kind))
            continue;
        struct formula f = { .facts = &a->facts, .root = root, .read = a->read };
        json_t *v = strcmp(lines.col[3], "-") ? formula_value(&f, lines.col[3]) : NULL;
        found = true;
        snprintf(q->row, sizeof q->row, "%s", lines.col[1]);
        if (strcmp(lines.col[2], "-"))
            put_line(q, lines.col[2], v);
        json_decref(v);
    }
    tsv_close(&lines);
    json_decref(root);
    return found;
}

/* What is said of positions at a kind or table: parts with commas or semicolons between, of which the first words are
 * kinds of positions. */
static void ask_positions(struct card_asking *a, json_t *of)
{
    char kind[60], why[300];
    struct card_question q;
    const char *says = word(of, "positions");
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(says, ",; "), says);
    if (!*kind || !strcmp(kind, "none"))
        return;
    const json_t *rules = json_object_get(of, "rules");
    const bool several = *word(rules, "axes"), shared = !strcmp(word(rules, "frequency"), "shared");
    if (!strcmp(kind, "rope")) {
        if (!several || shared)
            ask_rotation(a, of);
        if (several)
            ask_axes(a, of);
    } else if (!look_up(a, of, json_object_get(of, "place") ? "table" : "kind", kind, &q))
        ask_nothing(of, "positions", "no row of this build has these positions");
    else if (!takes(q.row, q.of_params, why, sizeof why))
        ask_nothing(of, "positions", why);
    else
        ask(a, of, "positions", q.row, q.of_params, "", "");
}

/* ---- layers without a softmax, and gates ---- */

/* One part of a layer, which `kind` names in data/models/questions.tsv; as: the name of the layer in expressions. */
static void ask_piece(struct card_asking *a, json_t *of, const char *as, const char *what, const char *kind)
{
    char why[300];
    struct card_question q;
    if (!look_up(a, of, as, kind, &q))
        ask_nothing(of, what, "no row of this build judges it");
    else if (!takes(q.row, q.of_params, why, sizeof why))
        ask_nothing(of, what, why);
    else if (!q.sized)
        ask_nothing(of, what, "one of its sizes is not known, or longer than one question may be");
    else
        ask_output(a, of, what, q.row, q.of_params, q.of_sizes, "", q.output);
}

/* The recurrence of a mixer and the short convolution before it, each as its row has it. */
static void ask_mixer(struct card_asking *a, json_t *of)
{
    static const char convolution[] = "short convolution";
    const char *kind = word(of, "mixer");
    if (*kind && strcmp(kind, convolution)) {
        /* Whose first layer is asked about, where layers differ by their number alone. */
        json_object_set_new(of, "first", json_integer(strtol(word(of, "layers"), NULL, 10)));
        ask_piece(a, of, "mixer", "recurrence", kind);
        json_object_del(of, "first");
    }
    if (json_object_get(of, "conv"))
        ask_piece(a, of, "mixer", "convolution", convolution);
}

/* ---- attention ---- */

/* A count or width that one question may have; 0: the object has none. */
static long within(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_integer(v) && json_integer_value(v) > 0 && json_integer_value(v) <= 1 << 20 ? number(o, key) : 0;
}

/* Sizes in which every rule of the layer shows: keys beyond its window or chunk, groups of heads, widths.  false: one
 * question cannot be as large as that. */
static bool put_sizes(struct text *t, const json_t *kind)
{
    const json_t *rules = json_object_get(kind, "rules"), *image = json_object_get(kind, "window_size");
    const long heads = within(kind, "heads"), width = within(kind, "head_dim");
    /* Keys that heads take in turn are repeated before the attention, whose groups lie beside each other. */
    const long kv = within(kind, json_object_get(kind, "tiled") ? "heads" : "kv_heads");
    const long value = within(json_object_get(kind, "latent") ? json_object_get(kind, "latent") : kind, "v_head_dim");
    const long window = within(rules, "window"), chunk = within(rules, "chunk");
    const long ratio = heads > 0 && kv > 0 && heads % kv == 0 ? heads / kv : 1, groups = kv == 1 ? 1 : 2;
    const bool both = window > 0 && !strstr(word(rules, "mask"), "causal");
    const double area = json_number_value(json_array_get(image, 0)) * json_number_value(json_array_get(image, 1));
    const long place = area > 0 && area <= 1 << 20 ? (long)area : 0;
    const long beyond = window > 0 ? window + 5 : chunk > 0 ? chunk + 4 : place > 0 ? place : 24;
    const long queries = place > 0 || (both && window < 512) ? beyond : beyond > 1024 ? 2 : 8;
    text_put(t, "h=%ld g=%ld n=%ld m=%ld", ratio * groups, groups, queries, beyond);
    if (width > 0)
        text_put(t, " d=%ld e=%ld", width, value > 0 ? value : width);
    if (json_object_get(kind, "sinks"))
        text_put(t, " sink");
    return !(json_object_get(rules, "window") && !window) && !(json_object_get(rules, "chunk") && !chunk);
}

static void ask_attention(struct card_asking *a, json_t *kind)
{
    char params[400], sizes[160];
    const json_t *rules = json_object_get(kind, "rules"), *cap = json_object_get(kind, "softcap");
    struct text t = text_in(params, sizeof params), s = text_in(sizes, sizeof sizes);
    if (!*word(rules, "mask") || !json_is_number(json_object_get(rules, "scale"))) {
        ask_nothing(kind, "attention",
            *word(rules, "mask") ? "its scores are not scaled by a number of the file" :
                                   "what a query sees is none of row attention's masks");
        return;
    }
    card_put_sight(&t, rules, 0);
    if (!t.at)
        text_put(&t, " causal=none");
    card_put_scale(&t, rules, number(kind, "head_dim"));
    if (json_is_number(cap))
        text_put(&t, " cap=%.17g", json_number_value(cap));
    if (put_sizes(&s, kind))
        ask(a, kind, "attention", "attention", params, sizes, json_object_get(kind, "sinks") ? "sink" : "");
    else
        ask_nothing(kind, "attention", "its window is longer than one question may be");
    if (json_object_get(kind, "gate"))
        ask_piece(a, kind, "kind", "gated output", "gated output");
}

/* Latent attention with its rotation: row mla, whose parameters of the rotation are among rope's. */
static void ask_latent(struct card_asking *a, json_t *kind)
{
    static char params[TEXT_MAX];
    const json_t *latent = json_object_get(kind, "latent"), *rules = json_object_get(kind, "rules");
    const long still = within(latent, "qk_nope_head_dim"), turns = within(latent, "qk_rope_head_dim");
    char sizes[160], why[300];
    struct text t = text_in(params, sizeof params), s = text_in(sizes, sizeof sizes);
    const struct row *r = row_named("mla");
    if (!latent || !r || turns <= 0)
        return;
    text_put(&t, "layout=%s", *word(rules, "layout") ? word(rules, "layout") : "half");
    for (int k = 0; a->c && k < a->c->n; k++)
        for (const char *w = card_concerns(&a->c->e[k], kind) ? a->c->e[k].params : ""; *w; w = word_next(w))
            for (const struct param *p = row_params(r); p->name; p++)
                if (strcmp(p->name, "layout") && !strncmp(w, p->name, strlen(p->name)) && w[strlen(p->name)] == '=')
                    text_put(&t, " %.*s", (int)strcspn(w, " "), w);
    /* The row makes the scale of yarn itself from mscale_all_dim; every other one is said. */
    if (!strstr(params, "mscale_all_dim=")) {
        card_put_scale(&t, rules, still + turns);
        text_put(&t, " warming=none");
    }
    text_put(&s, "h=2 n=2 m=6 d=%ld r=%ld l=%ld e=%ld", still, turns, within(latent, "kv_lora_rank"),
        within(latent, "v_head_dim"));
    if (takes("mla", params, why, sizeof why))
        ask(a, kind, "latent attention", "mla", params, sizes, "");
    else
        ask_nothing(kind, "latent attention", why);
}

/* What chooses the keys that a layer sees, and the attention over these; of a layer that takes the selection of another
 * one, the attention alone. */
static void ask_selection(struct card_asking *a, json_t *kind)
{
    const json_t *indexer = json_object_get(kind, "indexer");
    const char *why = card_indexer_why(indexer);
    if (!indexer)
        return;
    if (!json_object_get(indexer, "shares") && why)
        ask_nothing(kind, "selection", why);
    else if (!json_object_get(indexer, "shares"))
        ask_piece(a, kind, "kind", "selection", "index scores");
    if (*word(indexer, "of"))
        ask_nothing(kind, "attention over its selection", "no row of this build has keys that stand for blocks");
    else if (json_object_get(kind, "sinks"))
        ask_nothing(kind, "attention over its selection", "row sparse has no sink");
    else
        ask_piece(a, kind, "kind", "attention over its selection", "selected keys");
}

/* ---- the card ---- */

/* The configuration of an inner card, new, as the larger class hands it on: the file's own part, or the keys around it
 * where the class fills it with them. */
static json_t *part_of(const struct card_asking *a, const json_t *root, const char *key, const json_t *inner)
{
    json_t *at = json_object_get(root, key);
    json_t *o = json_is_object(at) ? json_copy(at) : json_copy((json_t *)root);
    if (!json_is_object(at)) {
        const char *name;
        json_t *v;
        json_t *kept = json_object();
        json_object_foreach(o, name, v)
            if (json_object_get(json_object_get(inner, "read"), name))
                json_object_set(kept, name, v);
        json_decref(o), o = kept;
    }
    struct formula f = { .facts = &a->facts, .root = a->root };
    json_t *whole = part_handed_on(&f, key, json_is_object(at) || json_object_size(o) ? o : NULL);
    json_object_set(whole, "model_type", json_object_get(inner, "model_type"));
    json_decref(o);
    return whole;
}

/* Whether layers of the card have the kind of positions of a table: they are asked then, with what they know. */
static bool has_kind(const json_t *parts, const json_t *table)
{
    const char *says = word(table, "positions");
    const size_t n = strcspn(says, ",; ");
    size_t j, k;
    json_t *part, *kind;
    json_array_foreach(parts, j, part)
        json_array_foreach(json_object_get(part, "kinds"), k, kind)
            if (!strncmp(word(kind, "positions"), says, n) && !word(kind, "positions")[n])
                return true;
    return false;
}

void card_ask(json_t *card, const json_t *root)
{
    char err[600] = "";
    size_t j, k;
    json_t *part, *kind, *table, *inner;
    const char *key;
    struct config *c = calloc(1, sizeof *c);
    struct card_asking a = { .differ = json_array(), .root = json_deep_copy(root), .err = err,
        .read = json_object_get(card, "read") };
    json_t *parts = json_object_get(card, "parts");
    facts_read(&a.facts, word(card, "model_type"));
    if (c && json_array_size(parts)) {
        json_t *own = json_deep_copy(root);
        json_object_set(own, "model_type", json_object_get(card, "model_type"));
        a.c = config_of(own, "the file", c, err, sizeof err) ? NULL : c;
        json_decref(own);
    }
    json_array_foreach(json_object_get(card, "tables"), j, table)
        if (!has_kind(parts, table))
            ask_positions(&a, table);
    json_array_foreach(parts, j, part)
        json_array_foreach(json_object_get(part, "kinds"), k, kind)
            ask_positions(&a, kind), ask_latent(&a, kind), ask_attention(&a, kind), ask_selection(&a, kind);
    json_array_foreach(json_object_get(card, "mixers"), j, part)
        json_array_foreach(json_object_get(part, "kinds"), k, kind)
            ask_mixer(&a, kind);
    json_object_set_new(card, "differ", a.differ);
    json_object_foreach(json_object_get(card, "inner"), key, inner) {
        json_t *o = part_of(&a, root, key, inner);
        card_ask(inner, o);
        json_decref(o);
    }
    json_decref(a.root), facts_free(&a.facts);
    free(c);
}
