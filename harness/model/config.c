/* Finds the position encodings that a config.json states, each with its evidence; a file without evidence is
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "facts/facts.h"
#include "facts/renamed.h"
#include "model/config.h"
#include "model/config_card.h"
#include "model/config_rope.h"
#include "model/rope_keys.h"
#include "row/row.h"

static const char most_keys[] = "max_position_embeddings n_positions max_seq_len max_sequence_length seq_length "
                                "model_max_length max_seq_length n_ctx";

/* Takes a fact at the type's own place into a text. */
static const char *take_fact(const struct type_facts *f, const char *name, char *to, size_t n)
{
    const struct type_fact *x = fact_of(f, "-", name, "");
    snprintf(to, n, "%s", x ? x->value : "");
    return x ? x->source : "";
}

/* What the classes themselves say where nobody has settled the type: its first encoding, the base and the share. */
static void type_by_classes(struct type *t, const struct type_facts *f)
{
    const struct type_fact *first = fact_anywhere(f, "position"), *theta = fact_of(f, "-", "default_theta", "");
    const struct type_fact *share = fact_of(f, "-", "given.", "partial_rotary_factor");
    for (size_t k = 0; k < f->n; k++) /* a rotation decides the table, wherever else positions are known */
        if (!strcmp(f->of[k].name, "position") && !strcmp(f->of[k].value, "rope"))
            first = &f->of[k];
    if (!first)
        return;
    const bool rope = !strcmp(first->value, "rope");
    const struct type_fact *layout = fact_of(f, first->place, "layout", "");
    size_t at = 0;
    t->known = rope || strcmp(first->value, "sinusoid") != 0;
    snprintf(t->row, sizeof t->row, "%s", first->value);
    snprintf(t->source, sizeof t->source, "%s", first->source);
    snprintf(t->layout, sizeof t->layout, "%s", layout && *layout->value != '\'' ? layout->value : "half");
    if (rope && theta && strspn(theta->value, "0123456789.e+") == strlen(theta->value))
        at += (size_t)snprintf(t->defaults, sizeof t->defaults, "base=%.9g", strtod(theta->value, NULL));
    if (rope && share && strspn(share->value, "0123456789.") == strlen(share->value))
        snprintf(t->defaults + at, sizeof t->defaults - at, "%spartial=%.40s", at ? " " : "", share->value);
}

static void find_type(struct type *t, const char *name)
{
    struct type_facts f;
    *t = (struct type){ .known = false };
    snprintf(t->name, sizeof t->name, "%s", name);
    facts_read(&f, name);
    snprintf(t->source, sizeof t->source, "%s", take_fact(&f, "row", t->row, sizeof t->row));
    t->known = *t->row;
    const struct type_fact *width = fact_of(&f, "-", "default.head_dim", "");
    t->head = width ? strtol(width->value, NULL, 10) : 0;
    snprintf(t->head_source, sizeof t->head_source, "%s", width ? width->source : "");
    take_fact(&f, "layout", t->layout, sizeof t->layout);
    if (!*t->layout)
        snprintf(t->layout, sizeof t->layout, "-");
    take_fact(&f, "defaults", t->defaults, sizeof t->defaults);
    if (!t->known)
        type_by_classes(t, &f);
    facts_free(&f);
}

static void not_judged(struct config_reading *r, const char *row, const char *evidence)
{
    const bool words = row[strspn(row, "abcdefghijklmnopqrstuvwxyz0123456789_")];
    struct config_encoding *e = config_add(r, words ? "-" : row, evidence);
    const struct row *known = row_named(row);
    if (!e)
        return;
    if (words) /* what a person wrote of positions that are no row */
        snprintf(e->reason, sizeof e->reason, "positions are %.200s: no table over one position", row);
    else if (!strcmp(row, "none"))
        snprintf(e->reason, sizeof e->reason, "the model has no position encoding");
    else if (!strcmp(row, "learned"))
        snprintf(e->reason, sizeof e->reason, "a learned table is weights, not a formula");
    else
        snprintf(e->reason, sizeof e->reason,
            known ? "row %s has no table over positions" : "row %s is not in this build", row);
}

static void read_sinusoid(struct config_reading *r)
{
    char key[40], word[40], text[200];
    int64_t width, most;
    size_t at;
    static const char keys_of_width[] = "d_model hidden_size n_embd emb_dim dim";
    if (!field_long(r->f, &r->s, keys_of_width, 2, 65536, &width) &&
        (r->f->bad || !config_class_number(r, keys_of_width, &width))) {
        if (!r->f->bad)
            config_open(r, &r->s, "d_model", "missing, the width of a sinusoidal table");
        return;
    }
    snprintf(text, sizeof text, "types.tsv: %s", r->type.name);
    struct config_encoding *e = config_add(r, "sinusoid", text);
    if (!e)
        return;
    if (type_default(&r->type, "length", key, sizeof key) && field_long(r->f, &r->s, key, 1, 1L << 53, &most))
        e->most = most;
    if (type_default(&r->type, "part", word, sizeof word))
        snprintf(e->layers, sizeof e->layers, "%s", word);
    at = (size_t)snprintf(text, sizeof text, "dim=%lld layout=%s", (long long)width, r->type.layout);
    static const char *const keys[] = { "base", "spacing", "origin", "padding" };
    const struct row *row = row_named("sinusoid");
    for (int k = 0; k < 4; k++) {
        bool has = false;
        for (const struct param *p = row_params(row); p->name; p++)
            has |= !strcmp(p->name, keys[k]);
        if (has && type_default(&r->type, keys[k], word, sizeof word))
            at += (size_t)snprintf(text + at, sizeof text - at, " %s=%s", keys[k], word);
    }
    config_finish(r, e, text);
    config_note(r->c, "sinusoidal table: its form is that of model_type %s (%s)", r->type.name, r->type.source);
}

static void note_attention(struct config_reading *r)
{
    int64_t window = 0;
    bool on = true, yes;
    field_bool(r->f, &r->s, "use_sliding_window", &on);
    if (on && field_long(r->f, &r->s, "sliding_window", 0, 1L << 53, &window) && window)
        config_note(r->c, "sliding window %lld: distances stay below it on those layers, absolute positions do not",
            (long long)window);
    config_card_indexer(r);
    if (field_has(&r->s, "attention_chunk_size"))
        config_note(r->c, "attention_chunk_size: chunked attention; absolute positions are judged");
    json_t *nope = field_find(&r->s, "no_rope_layers", NULL, 0);
    size_t turned = 0;
    for (size_t k = 0; k < json_array_size(nope); k++)
        turned += json_is_number(json_array_get(nope, k)) && json_number_value(json_array_get(nope, k)) != 0;
    if (json_array_size(nope))
        config_note(r->c, "no_rope_layers: %zu of %zu layers turn", turned, json_array_size(nope));
    if ((field_bool(r->f, &r->s, "use_logn_attn", &yes) && yes) ||
        field_has(&r->s, "attn_temperature_tuning llama_4_scaling_beta"))
        config_note(r->c, "a length-dependent query scale is no part of the figures");
}

static void read_alibi(struct config_reading *r, bool *is, bool *no)
{
    struct scope attn;
    bool yes = false;
    *is = *no = false;
    if (field_bool(r->f, &r->s, "alibi use_alibi", &yes) ||
        (field_scope(r->f, &r->s, "attn_config", &attn) && field_bool(r->f, &attn, "alibi", &yes)))
        *is = yes, *no = !yes;
}

static void classify(struct config_reading *r)
{
    char kind[40] = "", evidence[96];
    bool alibi, not_alibi, sines = false;
    snprintf(evidence, sizeof evidence, "types.tsv: %s", r->type.name);
    read_alibi(r, &alibi, &not_alibi);
    field_text(r->f, &r->s, "position_embedding_type", kind, sizeof kind);
    field_bool(r->f, &r->s, "sinusoidal_embeddings sinusoidal_pos_embds", &sines);
    if (alibi || !strcmp(kind, "alibi"))
        not_judged(r, "alibi", alibi ? "alibi" : "position_embedding_type");
    else if (r->type.known && !strcmp(r->type.row, "sinusoid"))
        read_sinusoid(r);
    else if (rope_said(&r->s) || (r->type.known && !strcmp(r->type.row, "rope")))
        config_rope(r);
    else if (!strcmp(kind, "absolute") && !sines)
        not_judged(r, "learned", "position_embedding_type");
    else if (!strncmp(kind, "relative_key", 12))
        not_judged(r, "shaw", "position_embedding_type");
    else if (r->type.known && !sines && !(not_alibi && !strcmp(r->type.row, "alibi")))
        not_judged(r, r->type.row, evidence);
    else
        config_open(r, &r->s, "model_type",
            config_class_known(r) ? "found '%s', whose positions, where it has any, are no table that a row of this "
                                       "build has the formula of: see its card" :
                                       "found '%s', which data/models/types.tsv does not have, and no key here says "
                                       "which position encoding it is",
            r->c->model_type);
}

/* Puts the type's dictionary of rotary parameters in the place of what the file does not say at all, as its class
 * does. */
static void complete_rope(struct config_reading *r)
{
    const bool says = rope_said(&r->s) || field_has(&r->s, rope_base_keys) ||
        field_has(&r->s, rope_share_keys);
    if (!r->type.known || strcmp(r->type.row, "rope") || says)
        return;
    json_t *dictionary = config_card_rope(r);
    if (!dictionary)
        return;
    config_note(r->c, "rope_parameters are not in the file: those of model_type %s by default", r->type.name);
    json_object_set_new(r->s.at, "rope_parameters", dictionary);
}

/* Takes a part as the object that is read.  type: what it is where it does not say; said: the file has it. */
static void enter(struct config_reading *r, const struct scope *part, const char *type, bool said)
{
    char name[64] = "";
    field_text(r->f, part, "model_type", name, sizeof name);
    r->s = *part;
    if (*name || *type)
        snprintf(r->c->model_type, sizeof r->c->model_type, "%s", *name ? name : type);
    find_type(&r->type, r->c->model_type);
    if (said)
        config_note(r->c, "from %s: the language part of a larger model", part->path);
    else
        config_note(r->c, "%s is not in the file: that of model_type %s by default", part->path, r->c->model_type);
}

/* Goes down to the language part of a larger model, where the object itself says nothing of rotations: by its usual
 * names, else to the part of which the card says that it turns and sees the past alone, else to one that turns. */
static void enter_language(struct config_reading *r)
{
    static const char usual[] = "text_config llm_config language_config";
    struct scope inner;
    char key[80], type[64];
    find_type(&r->type, r->c->model_type);
    for (int depth = 0; depth < 4 && !r->f->bad; depth++) {
        if (config_card_flat(r, type, sizeof type)) {
            find_type(&r->type, type);
            return;
        }
        if (rope_said(&r->s))
            return;
        if (!field_find(&r->s, usual, key, sizeof key))
            *key = 0;
        if (!config_card_part(r, key, sizeof key, type, sizeof type) && !*key)
            return;
        const bool said = field_has(&r->s, key);
        config_card_handed_on(r, key);
        if (field_scope(r->f, &r->s, key, &inner))
            enter(r, &inner, type, said);
    }
}

static void present_names(struct config_reading *r)
{
    struct type_facts f;
    facts_read(&f, r->type.name);
    renamed_lists(r->s.at, &f);
    facts_free(&f);
}

int config_of(json_t *root, const char *file, struct config *c, char *err, size_t n)
{
    struct fields f = { .file = file, .err = err, .n = n };
    struct config_reading r = { .f = &f, .c = c };
    static struct taken taken; /* large */
    struct scope inner;
    taken.n = 0;
    *c = (struct config){ .n = 0 };
    const struct scope whole = r.s = (struct scope){ .at = root, .taken = &taken };
    if (field_scope(&f, &r.s, "provenance", &inner)) {
        field_text(&f, &inner, "kind", c->kind, sizeof c->kind);
        field_text(&f, &inner, "source", c->source, sizeof c->source);
    }
    field_text(&f, &r.s, "model_type", c->model_type, sizeof c->model_type);
    enter_language(&r);
    present_names(&r);
    complete_rope(&r);
    if (!field_long(&f, &r.s, most_keys, 1, 1L << 53, &r.most) && !f.bad)
        config_class_number(&r, most_keys, &r.most);
    if (!f.bad)
        classify(&r);
    if (!f.bad)
        note_attention(&r);
    json_object_del(root, "provenance"); /* ours, no key of a model */
    fields_unread(&whole, c->unread, sizeof c->unread);
    return f.bad ? -1 : 0;
}

int config_read(const char *file, struct config *c, char *err, size_t n)
{
    struct fields f = { .err = err, .n = n };
    json_t *root = fields_load_python(&f, file);
    *c = (struct config){ .n = 0 };
    const int rc = root ? config_of(root, file, c, err, n) : -1;
    json_decref(root);
    return rc;
}
