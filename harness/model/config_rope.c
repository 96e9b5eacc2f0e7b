/* Reads rotary settings.  Sources: the configuration classes of the libraries named in data/models/types.tsv; the
 * scaling laws are those of ref/core/rotary/rotary.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "model/config_card.h"
#include "model/config_rope.h"
#include "model/rope_keys.h"

static const char width_keys[] = "hidden_size n_embd d_model dim";
static const char heads_keys[] = "num_attention_heads n_head n_heads num_heads";
static const char type_keys[] = "rope_type type";
static const char trained_keys[] = "original_max_position_embeddings original_length";

/* Sets *dim to the width of a head, as the file states it or as it follows; false: it does not. */
static bool width_of(struct config_reading *r, int64_t *dim)
{
    int64_t width, heads;
    if (field_long(r->f, &r->s, "head_dim kv_channels", 1, 65536, dim))
        return true;
    if (r->type.head > 0 && r->type.head <= 65536) {
        *dim = r->type.head;
        config_note(r->c, "head width %lld: default of model_type %s, whatever its hidden_size is (%s)",
            (long long)*dim, r->type.name, r->type.head_source);
        return true;
    }
    if (!field_long(r->f, &r->s, width_keys, 1, 1 << 24, &width) ||
        !field_long(r->f, &r->s, heads_keys, 1, 1 << 20, &heads)) {
        config_open(r, &r->s, "head_dim",
            "missing, and so is hidden_size or num_attention_heads; one of the two ways is needed");
        return false;
    }
    if (width % heads) {
        config_open(r, &r->s, "num_attention_heads",
            "found %lld, allowed: a divisor of hidden_size %lld (or say head_dim)", (long long)heads, (long long)width);
        return false;
    }
    *dim = width / heads;
    return true;
}

/* The share of a head that is rotated: stated by the group, else by the file, else by the model's type; else 1. */
static double share_of(struct config_reading *r, const struct scope *g)
{
    double x = 1;
    char text[40];
    if ((g->at && field_number(r->f, g, rope_share_keys, &x, text, sizeof text)) ||
        field_number(r->f, &r->s, rope_share_keys, &x, text, sizeof text)) {
        const struct scope *at = field_has(g, rope_share_keys) ? g : &r->s;
        if (x > 1) /* Some classes say so of turns over several axes. */
            config_open(
                r, at, "partial_rotary_factor", "found %s: more than the whole head turns, which no row has", text);
        else if (!(x > 0))
            fields_refuse(r->f, at, "partial_rotary_factor", "found %s, allowed: more than 0", text);
        return x;
    }
    if (type_default(&r->type, "partial", text, sizeof text)) {
        config_note(r->c, "partial rotary share %s: default of model_type %s (%s)", text, r->type.name, r->type.source);
        return strtod(text, NULL);
    }
    return 1;
}

/* Whether the file has the keys from which a head's width follows. */
static bool says_width(const struct config_reading *r)
{
    return field_has(&r->s, "head_dim kv_channels") || r->type.head > 0 ||
        (field_has(&r->s, width_keys) && field_has(&r->s, heads_keys));
}

/* Appends the parameters dim and rotary of one group of layers. */
static void put_width(
    struct config_reading *r, const struct scope *g, const char *layers, bool proportional, struct text *t)
{
    int64_t dim = 0, mla, rotary = 0;
    /* Latent attention (MLA) rotates a slice of its own; head_dim may be the whole head, of which the slice is a
     * share. */
    if (proportional && config_card_width(r, layers, &dim, &rotary)) {
        share_of(r, g); /* It is read, and refused where it is none. */
    } else if (field_long(r->f, &r->s, "qk_rope_head_dim", 0, 65536, &mla) && mla > 0) {
        double share = share_of(r, g);
        if (field_long(r->f, &r->s, "head_dim", 1, 65536, &dim) && dim != mla && share < 1 &&
            (int64_t)((double)dim * share) != mla)
            fields_refuse(r->f, &r->s, "qk_rope_head_dim", "found %lld, but head_dim times the rotary share is %lld",
                (long long)mla, (long long)((double)dim * share));
        rotary = share < 1 && (!dim || dim == mla) ? (int64_t)((double)mla * share) : mla;
        dim = mla;
    } else if (!says_width(r) && config_card_width(r, layers, &dim, &rotary)) {
        config_note(r->c, "head width %lld, of which %lld turn: as the card of model_type %s has it", (long long)dim,
            (long long)rotary, r->type.name);
        share_of(r, g); /* It is read, and refused where it is none. */
        if (config_class_number(r, "qk_rope_head_dim", &mla) && mla == rotary)
            dim = rotary; /* The slice is a table of its own. */
    } else {
        if (!width_of(r, &dim))
            return;
        if (!field_long(r->f, &r->s, "rotary_dim", 1, 65536, &rotary)) {
            double share = share_of(r, g);
            /* every library cuts with int() */
            rotary = proportional ? 2 * (int64_t)(share * (double)dim / 2) : (int64_t)((double)dim * share);
        }
    }
    if (rotary % 2 || dim % 2 || rotary > dim || rotary < 2)
        config_open(r, &r->s,
            field_has(&r->s, "rotary_dim")           ? "rotary_dim" :
                field_has(&r->s, "qk_rope_head_dim") ? "qk_rope_head_dim" :
                                                       "head_dim",
            "found a rotated width of %lld in a head of %lld, allowed: even, 2 to the head's width", (long long)rotary,
            (long long)dim);
    text_put(t, "dim=%lld%s", (long long)dim, proportional ? " partial=proportional" : "");
    if (rotary != dim || proportional)
        text_put(t, " rotary=%lld", (long long)rotary);
}

static void put_base(struct config_reading *r, const struct scope *g, const char *layers, const char *local,
    struct text *t, char *evidence, size_t n)
{
    char text[40], key[80] = "rope_theta";
    double x = 0;
    const struct scope *where = g;
    const char *keys = rope_base_keys;
    bool found = g->at && field_number(r->f, where, keys, &x, text, sizeof text);
    if (!found) {
        where = &r->s, keys = local ? local : keys;
        found = field_number(r->f, where, keys, &x, text, sizeof text);
    }
    if (found) {
        field_find(where, keys, key, sizeof key);
        snprintf(evidence, n, "%.50s%s%.40s", where->path, *where->path ? "." : "", key);
        if (!(x > 1))
            fields_refuse(r->f, where, key, "found %s, allowed: more than 1", text);
    } else if (!local && type_default(&r->type, "base", text, sizeof text)) {
        snprintf(evidence, n, "types.tsv: %s", r->type.name);
        config_note(r->c, "rope_theta is not in the file: %s is the default of model_type %s (%s)", text, r->type.name,
            r->type.source);
    } else if (config_card_base(r, layers, text, sizeof text)) {
        snprintf(evidence, n, "types.tsv: %s", r->type.name);
        config_note(r->c, "rope_theta is not in the file: %s, as the card of model_type %s has it", text, r->type.name);
    } else
        config_open(r, g->at ? g : &r->s, "rope_theta",
            "missing, and model_type '%s' has no documented default in data/models/types.tsv", r->c->model_type);
    text_put(t, " base=%s", text);
}

static void put_layout(struct config_reading *r, struct text *t)
{
    bool yes;
    if (field_bool(r->f, &r->s, "rope_interleave rotary_emb_interleaved rope_interleaved", &yes))
        text_put(t, " layout=%s", yes ? "interleaved" : "half");
    else if (field_bool(r->f, &r->s, "is_neox_style", &yes))
        text_put(t, " layout=%s", yes ? "half" : "interleaved");
    else if (r->type.known && !strcmp(r->type.row, "rope"))
        text_put(t, " layout=%s", r->type.layout);
    else {
        text_put(t, " layout=half");
        config_note(r->c,
            "pair layout: neither the file nor types.tsv says it for model_type '%s'; shown as half (no figure here "
            "depends on it)",
            r->c->model_type);
    }
}

/* One group of layers while its encoding is put together. */
struct config_group {
    struct config_reading *r;
    const struct scope *s;      /* the scaling dictionary; s->at NULL: none */
    struct config_encoding *e;
    struct text t;
    const char *type, *layers;
};

static bool factor_of(struct config_group *g, bool needed, char *text, size_t n, double *x)
{
    *x = 1;
    snprintf(text, n, "1");
    if (!field_number(g->r->f, g->s, "factor", x, text, n)) {
        if (needed)
            fields_refuse(g->r->f, g->s, "factor", "missing, needed by this scaling");
        return false;
    }
    if (!(*x >= 1))
        fields_refuse(g->r->f, g->s, "factor", "found %s, allowed: at least 1", text);
    return true;
}

/* The trained length, as the file or the group states it, the file before a group that is not of one kind of layer
 * (transformers 5.23.0, modeling_rope_utils.py:836-843); with fallback else the maximum of positions, as the libraries
 * take it for yarn. */
static int64_t trained_of(struct config_group *g, bool fallback)
{
    struct config_reading *r = g->r;
    int64_t file = 0, group = 0;
    const bool told = field_long(r->f, g->s, trained_keys, 2, 1L << 53, &group);
    const bool above = field_long(r->f, &r->s, trained_keys, 2, 1L << 53, &file) && (!told || !*g->layers);
    if (above && told && file != group)
        config_note(r->c, "original_max_position_embeddings: the file's %lld wins over the %lld of %.60s",
            (long long)file, (long long)group, g->s->path);
    if (told || above)
        return above ? file : group;
    if (!fallback || r->most < 2)
        fields_refuse(r->f, g->s, "original_max_position_embeddings", "missing, needed by %s scaling", g->type);
    else
        config_note(r->c,
            "original_max_position_embeddings is not in the file: max_position_embeddings %lld stands for it",
            (long long)r->most);
    return r->most;
}

/* What dynamic scaling counts from: max_position_embeddings alone, whatever else the file says (transformers 5.23.0,
 * modeling_rope_utils.py:341, and :113 for when it goes back). */
static int64_t counted_from(struct config_group *g)
{
    struct config_reading *r = g->r;
    int64_t L = 0;
    const bool said = field_long(r->f, g->s, trained_keys, 2, 1L << 53, &L) ||
        field_long(r->f, &r->s, trained_keys, 2, 1L << 53, &L);
    if (r->most < 2)
        fields_refuse(r->f, &r->s, "max_position_embeddings", "missing, needed by %s scaling", g->type);
    else if (said && L != r->most)
        config_note(r->c,
            "original_max_position_embeddings %lld is not used: dynamic counts from max_position_embeddings %lld",
            (long long)L, (long long)r->most);
    return r->most;
}

static void put_optional(struct config_group *g, const char *key, const char *ours)
{
    double x;
    char text[40];
    if (!field_number(g->r->f, g->s, key, &x, text, sizeof text))
        return;
    if (x < 0)
        fields_refuse(g->r->f, g->s, key, "found %s, allowed: 0 or more", text);
    text_put(&g->t, " %s=%s", ours, text);
}

static void put_list(struct config_group *g, const char *key)
{
    char text[40], at[80];
    json_t *v = field_find(g->s, key, NULL, 0);
    if (!json_is_array(v) || json_array_size(v) > LIST_MAX) {
        fields_refuse(g->r->f, g->s, key,
            v ? "found something else, allowed: an array of at most %d numbers" :
                "missing: an array of at most %d numbers",
            LIST_MAX);
        return;
    }
    text_put(&g->t, " %s=", key);
    for (size_t k = 0; k < json_array_size(v); k++) {
        json_t *x = json_array_get(v, k);
        if (!json_is_number(x) || !(json_number_value(x) > 0) || !(json_number_value(x) < 1e6)) {
            snprintf(at, sizeof at, "%s[%zu]", key, k);
            fields_refuse(g->r->f, g->s, at, "allowed: a number above 0, below 1e6");
            return;
        }
        number_text(x, text, sizeof text);
        text_put(&g->t, "%s%s", k ? "," : "", text);
    }
}

static void by_default(struct config_group *g) { (void)g; }

/* Linear scaling; proportional may have a factor, too, but need not. */
static void by_linear(struct config_group *g)
{
    double f;
    char factor[40];
    if (factor_of(g, strcmp(g->type, "proportional"), factor, sizeof factor, &f) && f > 1)
        text_put(&g->t, " scaling=linear factor=%s", factor);
}

static void by_ntk(struct config_group *g)
{
    double f;
    char factor[40];
    factor_of(g, true, factor, sizeof factor, &f);
    text_put(&g->t, " scaling=ntk factor=%s", factor);
}

/* Dynamic scaling: the base depends on the length in use, and is that of the longest. */
static void by_dynamic(struct config_group *g)
{
    double f;
    char factor[40];
    if (field_number(g->r->f, g->s, "alpha", &f, factor, sizeof factor)) {
        text_put(&g->t, " scaling=ntk factor=%s", factor);
        config_note(g->r->c, "dynamic with alpha: base * alpha^(r/(r-2)) at every length");
        return;
    }
    factor_of(g, true, factor, sizeof factor, &f);
    int64_t L = counted_from(g), N = (int64_t)fmin((double)L * f, 0x1p53);
    g->e->most = N > g->r->most ? N : g->r->most;
    text_put(&g->t, " scaling=dynamic factor=%s trained=%lld length=%lld", factor, (long long)L, (long long)g->e->most);
    config_note(g->r->c,
        "dynamic: the base grows with the length in use; judged with all keys at N = %lld, the longest",
        (long long)g->e->most);
}

static void by_yarn(struct config_group *g)
{
    double f;
    bool truncate;
    char factor[40];
    factor_of(g, true, factor, sizeof factor, &f);
    int64_t L = trained_of(g, true);
    text_put(&g->t, " scaling=yarn factor=%s trained=%lld", factor, (long long)L);
    put_optional(g, "beta_fast", "beta_fast");
    put_optional(g, "beta_slow", "beta_slow");
    put_optional(g, "attention_factor attn_factor", "attention_factor");
    put_optional(g, "mscale", "mscale");
    put_optional(g, "mscale_all_dim", "mscale_all_dim");
    if (field_bool(g->r->f, g->s, "truncate", &truncate))
        text_put(&g->t, " truncate=%s", truncate ? "on" : "off");
    if ((double)L * f > (double)g->r->most && (double)L * f < 0x1p53) {
        g->e->most = (int64_t)((double)L * f);
        config_note(g->r->c, "yarn extends %lld by %s: judged up to %lld", (long long)L, factor, (long long)g->e->most);
    }
}

static void by_llama3(struct config_group *g)
{
    double f, lo = 1, hi = 4;
    char factor[40], low[40] = "", high[40] = "";
    factor_of(g, true, factor, sizeof factor, &f);
    int64_t L = trained_of(g, false);
    if (!field_number(g->r->f, g->s, "low_freq_factor", &lo, low, sizeof low) ||
        !field_number(g->r->f, g->s, "high_freq_factor", &hi, high, sizeof high))
        fields_refuse(
            g->r->f, g->s, *low ? "high_freq_factor" : "low_freq_factor", "missing, needed by llama3 scaling");
    text_put(&g->t, " scaling=llama3 factor=%s trained=%lld low_freq_factor=%s high_freq_factor=%s", factor,
        (long long)L, low, high);
    if (hi >= lo) /* the same: a step, nothing is blended */
        return;
    g->e->invalid = 1;
    snprintf(g->e->reason, sizeof g->e->reason, "%.90s.high_freq_factor: found %s, allowed: low_freq_factor %s or more",
        g->s->path, high, low);
}

/* LongRoPE gives two encodings: short factors for texts of at most L tokens, long factors for longer ones. */
static void by_longrope(struct config_group *g)
{
    struct config_reading *r = g->r;
    double f;
    char factor[90], longer[TEXT_MAX];
    int64_t L = trained_of(g, false);
    if (!factor_of(g, false, factor, sizeof factor, &f) && r->most > L)
        snprintf(factor, sizeof factor, "%lld/%lld", (long long)r->most, (long long)L);
    text_put(&g->t, " scaling=longrope factor=%s trained=%lld", factor, (long long)L);
    put_optional(g, "attention_factor", "attention_factor");
    put_list(g, "short_factor");
    put_list(g, "long_factor");
    if (field_has(g->s, "short_mscale long_mscale"))
        config_note(r->c, "short_mscale / long_mscale change the amplitude only, which is no part of the figures");
    g->e->most = L;
    snprintf(g->e->layers, sizeof g->e->layers, "%.40s%sup to %lld tokens: short factors", g->layers,
        *g->layers ? ", " : "", (long long)L);
    config_note(r->c,
        "longrope: two encodings, by the length in use: short factors up to %lld tokens, long ones beyond",
        (long long)L);
    struct config_encoding *far = r->f->bad || r->most <= L ? NULL : config_add(r, "rope", g->e->evidence);
    if (!far)
        return;
    snprintf(far->layers, sizeof far->layers, "%.40s%sbeyond %lld tokens: long factors", g->layers,
        *g->layers ? ", " : "", (long long)L);
    snprintf(longer, sizeof longer, "%.8100s length=%lld", g->t.to, (long long)r->most);
    config_finish(r, far, longer);
}

static const struct { const char *name; void (*read)(struct config_group *g); } laws[] = {
    { "default", by_default },
    { "linear", by_linear },
    { "dynamic", by_dynamic },
    { "ntk", by_ntk },
    { "yarn", by_yarn },
    { "llama3", by_llama3 },
    { "longrope", by_longrope },
    { "proportional", by_linear }, { "su", by_longrope }, { "deepseek_yarn", by_yarn }, { "mrope", by_default },
};

/* Reads one group of layers with its scaling dictionary, or none.  local: the key of the file for its base, "" for no
 * key at all, where that is not the usual one, else NULL. */
static void read_group(struct config_reading *r, const struct scope *s, const char *layers, const char *local)
{
    static const struct scope nothing = { .at = NULL };
    char type[40] = "default", evidence[96] = "";
    char room[TEXT_MAX];
    struct config_group g = {
        .r = r, .s = s ? s : &nothing, .t = text_in(room, sizeof room), .type = type, .layers = layers
    };
    size_t law = 0;
    char axes[40];
    config_card_law(r, type, sizeof type);
    if (s && !field_text(r->f, s, type_keys, type, sizeof type) && field_has(s, "factor"))
        fields_refuse(r->f, s, "rope_type",
            "missing, but a factor is there; allowed: default linear dynamic yarn llama3 longrope proportional");
    if (!strcmp(type, "axial") || !strcmp(type, "2d") || config_card_axes(r, layers, axes, sizeof axes)) {
        struct config_encoding *e = config_add(r, "rope", s ? s->path : "types.tsv");
        if (e && (!strcmp(type, "axial") || !strcmp(type, "2d")))
            snprintf(
                e->reason, sizeof e->reason, "two-dimensional (%s) positions: not a table over one position", type);
        else if (e)
            snprintf(e->reason, sizeof e->reason, "positions over several axes (%s): not a table over one position",
                axes);
        return;
    }
    while (law < sizeof laws / sizeof *laws && strcmp(laws[law].name, type))
        law++;
    if (law == sizeof laws / sizeof *laws)
        config_open(r, s, field_has(s, "rope_type") ? "rope_type" : "type",
            "found '%s', allowed: default linear dynamic ntk yarn llama3 longrope su proportional mrope", type);
    put_width(r, g.s, layers, !strcmp(type, "proportional"), &g.t);
    put_base(r, g.s, layers, local, &g.t, evidence, sizeof evidence);
    put_layout(r, &g.t);
    if (r->f->bad || !(g.e = config_add(r, "rope", evidence)))
        return;
    snprintf(g.e->layers, sizeof g.e->layers, "%s", layers);
    laws[law].read(&g);
    if (field_has(g.s, "mrope_section"))
        config_note(r->c,
            "mrope_section: positions of text are equal on all axes, which is 1-D rope: judged so; image positions are "
            "not");
    if (field_has(g.s, "llama_4_scaling_beta"))
        config_note(r->c, "llama_4_scaling_beta: the query temperature is no part of the figures");
    if (!*g.e->reason)
        config_finish(r, g.e, g.t.to);
}

static void count_layers(struct config_reading *r, const char *name, char *out, size_t n)
{
    json_t *list = config_card_layers(r);
    size_t all = json_array_size(list), hits = 0;
    for (size_t k = 0; k < all; k++)
        hits += json_is_string(json_array_get(list, k)) && !strcmp(json_string_value(json_array_get(list, k)), name);
    if (all)
        snprintf(out, n, "%.50s, %zu of %zu layers", name, hits, all);
    else
        snprintf(out, n, "%.50s", name);
    json_decref(list);
}

/* Whether the dictionary has one for each kind of layer, {"full_attention": {...}, "sliding_attention": {...}}: it has
 * no scalar member then. */
static bool is_nested(const struct scope *g)
{
    const char *key;
    json_t *v;
    size_t objects = 0;
    json_object_foreach(g->at, key, v) {
        if (!json_is_object(v) && !json_is_null(v))
            return false;
        objects += json_is_object(v);
    }
    return objects > 0;
}

static void read_nested(struct config_reading *r, const struct scope *g)
{
    const char *key;
    json_t *v;
    char layers[96];
    json_object_foreach(g->at, key, v) {
        struct scope inner = { .at = v, .taken = g->taken };
        field_has(g, key); /* taken */
        snprintf(inner.path, sizeof inner.path, "%.100s.%.50s", g->path, key);
        count_layers(r, key, layers, sizeof layers);
        if (json_is_null(v))
            config_note(r->c, "%.150s: null: no position encoding on these layers", inner.path);
        else
            read_group(r, &inner, layers, NULL);
    }
}

/* The dictionary of one kind of layers of a class that has one for each: the part of the file, over which the class
 * puts rope_scaling where that is said of these layers, or that alone. */
static struct scope kind_scope(struct config_reading *r, const struct rope_kind *k)
{
    struct scope parts = { .at = NULL }, whole = { .at = NULL }, part = { .at = NULL };
    const bool scaled = k->scaled && field_scope(r->f, &r->s, "rope_scaling", &whole);
    if (scaled && !field_has(&whole, "rope_type") && field_has(&whole, "type")) {
        config_note(r->c, "rope_scaling.type is not read: model_type %s keeps the rope_type of its own, default",
            r->type.name);
        json_object_set_new(whole.at, "rope_type", json_string("default"));
    }
    if (field_scope(r->f, &r->s, "rope_parameters", &parts) && !field_has(&parts, k->name))
        config_note(r->c, "rope_parameters are not read where they are not those of a kind of layers: model_type %s",
            r->type.name);
    else if (parts.at)
        field_scope(r->f, &parts, k->name, &part);
    if (part.at && scaled)
        json_object_update(part.at, whole.at);
    return part.at ? part : scaled ? whole : part;
}

/* Reads the kinds of layers of a class that has a dictionary for each. */
static void read_kinds(struct config_reading *r, const struct rope_kind *kinds, int n)
{
    char layers[96];
    for (int k = 0; k < n && !r->f->bad; k++) {
        const struct scope s = kind_scope(r, &kinds[k]);
        count_layers(r, kinds[k].name, layers, sizeof layers);
        read_group(r, s.at ? &s : NULL, layers, kinds[k].key);
    }
}

/* The encoding of a class that can turn, and does not with the keys of this file. */
static void add_still(struct config_reading *r)
{
    char text[96];
    snprintf(text, sizeof text, "types.tsv: %s", r->type.name);
    struct config_encoding *e = config_add(r, "none", text);
    if (e)
        snprintf(e->reason, sizeof e->reason, "with the keys of this file no layer of model_type %s turns",
            r->type.name);
}

void config_rope(struct config_reading *r)
{
    struct scope g = { .at = NULL };
    const char *local = field_has(&r->s, rope_local_keys) ? rope_local_keys : NULL;
    int64_t every = 0, all = 0;
    char full[96] = "", near[96] = "";
    bool yes = false;
    json_t *first = field_find(&r->s, "rope_scaling", NULL, 0);
    if (json_is_object(first) && !json_object_size(first)) /* An empty one counts as none. */
        json_object_del(r->s.at, "rope_scaling");
    bool grouped = field_scope(r->f, &r->s, rope_group_keys, &g);
    if (field_long(r->f, &r->s, "qk_rope_head_dim", 0, 65536, &every) && !every) {
        struct config_encoding *e = config_add(r, "none", "qk_rope_head_dim");
        if (e)
            snprintf(e->reason, sizeof e->reason, "qk_rope_head_dim is 0: nothing turns");
        return;
    }
    every = 0;
    if (!rope_said(&r->s) && config_card_still(r)) {
        add_still(r);
        return;
    }
    struct rope_kind kinds[ROPE_KINDS];
    const int n_kinds = config_class_kinds(r, kinds);
    if (n_kinds) {
        read_kinds(r, kinds, n_kinds);
        return;
    }
    if (grouped && is_nested(&g)) {
        read_nested(r, &g);
        return;
    }
    if (field_has(&r->s, "rotary_emb_scale_base") || field_has(&r->s, "rotary_scaling_factor")) {
        struct config_encoding *e = config_add(r, "rope", "rotary_emb_scale_base");
        if (e)
            snprintf(e->reason, sizeof e->reason,
                "rotary_emb_scale_base (xpos) or rotary_scaling_factor is set: row xpos is not in this build");
        return;
    }
    if (field_bool(r->f, &r->s, "use_dynamic_ntk", &yes) && yes)
        config_note(
            r->c, "use_dynamic_ntk: the base grows beyond the trained length; judged within it, where it does not");
    if (local) {
        field_long(r->f, &r->s, "sliding_window_pattern global_attn_every_n_layers", 1, 1 << 20, &every);
        field_long(r->f, &r->s, "num_hidden_layers", 1, 1 << 20, &all);
        snprintf(full, sizeof full, every && all ? "full_attention, %lld of %lld layers" : "full_attention",
            (long long)(every ? all / every : 0), (long long)all);
        snprintf(near, sizeof near, every && all ? "sliding_attention, %lld of %lld layers" : "sliding_attention",
            (long long)(every ? all - all / every : 0), (long long)all);
    }
    read_group(r, grouped ? &g : NULL, full, NULL);
    if (local && !r->f->bad)
        read_group(r, NULL, near, local);
}
