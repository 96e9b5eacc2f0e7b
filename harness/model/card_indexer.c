/* What chooses the keys that a layer sees; see card_layer.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "facts/value.h"
#include "model/card_layer.h"
#include "model/card_rope.h"

static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static long number(const json_t *o, const char *key) { return (long)json_integer_value(json_object_get(o, key)); }

/* The fact indexer.NAME at the current place, or NULL. */
static const struct type_fact *fact(struct work *w, const char *name)
{
    return fact_of(w->f.facts, w->place, "indexer.", name);
}

/* The value of the fact indexer.NAME, new; NULL: there is none, or its value is not known, which is noted. */
static json_t *value(struct work *w, const char *name)
{
    char whole[60];
    snprintf(whole, sizeof whole, "indexer.%.40s", name);
    return work_fact(w, whole);
}

/* Puts a count, a whole number from `least` on; what is none is noted, and not put. */
static void put_count(struct work *w, json_t *o, const char *name, long least)
{
    const struct type_fact *x = fact(w, name);
    json_t *v = value(w, name);
    const double n = json_number_value(v);
    char why[300], found[60], what[60];
    if (v && json_is_number(v) && n >= (double)least && n <= 0x1p53 && floor(n) >= n)
        json_object_set_new(o, name, json_integer((json_int_t)n));
    else if (v) {
        work_number(v, found, sizeof found);
        snprintf(what, sizeof what, "indexer.%.40s", name);
        snprintf(why, sizeof why, "%.100s (%.50s) is %s, and must be a whole number from %ld on", x->value, x->source,
            found, least);
        work_open(w, what, why);
    }
    json_decref(v);
}

/* Puts a number or a truth that the fact's expression has. */
static void put_value(struct work *w, json_t *o, const char *name)
{
    json_t *v = value(w, name);
    if (json_is_number(v) || json_is_boolean(v))
        json_object_set(o, name, v);
    json_decref(v);
}

/* Puts a fact that is a word, not an expression. */
static void put_word(struct work *w, json_t *o, const char *name)
{
    const struct type_fact *x = fact(w, name);
    if (x)
        json_object_set_new(o, name, json_string(x->value));
}

/* How the queries and keys of the indexer know positions, which may be otherwise than those of its attention. */
static void put_positions(struct work *w, json_t *o)
{
    const struct type_fact *position = fact(w, "position");
    char line[CARD_LINE];
    struct text t = text_in(line, sizeof line);
    if (!position)
        return;
    const bool turns = !strcmp(position->value, "rope") && work_holds(w, "indexer.rotates", true);
    if (turns) {
        put_word(w, o, "layout"), put_word(w, o, "turns");
        w->f.rope = work_rope_here(w);
        put_count(w, o, "rotary", 0);
        json_decref(w->f.rope);
        w->f.rope = NULL;
    }
    const bool some = turns && (!json_object_get(o, "rotary") || number(o, "rotary"));
    const char *end = word(o, "turns");
    text_put(&t, "%s%s", some ? "rope, " : "none", !some ? "" : *word(o, "layout") ? word(o, "layout") :
        "layout not known");
    if (some && json_object_get(o, "rotary"))
        text_put(&t, ", %s%s%s%ld channels turn", *end ? "the " : "", end, *end ? " " : "", number(o, "rotary"));
    json_object_set_new(o, "positions", json_string(line));
}

/* Adds to what a query sees which of these keys the indexer leaves. */
static void put_sight(json_t *kind, const json_t *o)
{
    char line[CARD_LINE];
    struct text t = text_in(line, sizeof line);
    const long topk = number(o, "topk"), block = number(o, "block"), always = number(o, "always");
    text_put(&t, "%s", *word(kind, "sees") ? word(kind, "sees") : "not known");
    if (*word(o, "of"))
        text_put(&t, "; and of keys that stand for blocks (%s)", word(o, "of"));
    if (*word(o, "of") && block > 0)
        text_put(&t, ", one for every %ld,", block);
    if (!*word(o, "of"))
        text_put(&t, ", of these");
    if (topk > 0)
        text_put(&t, " the %ld", topk);
    else
        text_put(&t, " those");
    if (block > 0 && !*word(o, "of"))
        text_put(&t, " blocks of %ld keys", block);
    text_put(&t, " of largest index score%s", topk > 0 ? "" : ", how many is not known");
    if (always > 1)
        text_put(&t, ", the query's own and the %ld before it among them", always - 1);
    else if (always)
        text_put(&t, ", the query's own among them");
    json_object_set_new(kind, "sees", json_string(line));
}

/* A layer whose keys are joined by others that stand for blocks: what the table has of them is their indexer alone. */
static void note_beside(struct work *w, json_t *kind, bool chosen)
{
    char line[CARD_LINE];
    work_open(w, "cache", "what is kept of keys that stand for blocks is not in the table");
    if (chosen)
        return;
    snprintf(line, sizeof line, "%.400s; and keys that stand for blocks", word(kind, "sees"));
    json_object_set_new(kind, "sees", json_string(line));
    work_open(w, "sees", "of how many keys those stand that are beside a layer's own is not in the table");
}

/* Whether a condition of the indexer holds on this layer; one that cannot be told is noted, and does not. */
static bool holds(struct work *w, const char *name, bool otherwise)
{
    json_t *v = fact(w, name) ? value(w, name) : NULL;
    const bool is = fact(w, name) ? v && value_true(v) : otherwise;
    json_decref(v);
    return is;
}

void work_indexer(struct work *w, json_t *kind)
{
    const struct type_fact *x = fact_of(w->f.facts, w->place, "indexer", "");
    const bool own = x && holds(w, "when", true), shares = x && !own && holds(w, "shares", false);
    if (x && holds(w, "beside", false))
        note_beside(w, kind, own);
    if (!own && !shares)
        return;
    json_t *o = json_object();
    put_count(w, o, "topk", 1), put_count(w, o, "block", 1), put_count(w, o, "always", 0);
    put_word(w, o, "of");
    if (fact(w, "block") && !fact(w, "always"))
        work_open(w, "indexer", "whether keys behind the last whole block are seen is not in the table");
    if (shares)
        json_object_set_new(o, "shares", json_true());
    else {
        json_object_set_new(o, "class", json_string(x->value));
        json_object_set_new(o, "source", json_string(x->source));
        put_count(w, o, "heads", 1), put_count(w, o, "key_heads", 1), put_count(w, o, "head_dim", 1);
        put_positions(w, o);
        put_word(w, o, "act"), put_word(w, o, "pool");
        put_value(w, o, "weights"), put_value(w, o, "added"), put_value(w, o, "scale"), put_value(w, o, "cache");
        const double kept = json_number_value(json_object_get(o, "cache"));
        if (!(kept > 0 && kept <= 1 << 20)) /* No model leaves that of a token. */
            json_object_del(o, "cache");
    }
    put_sight(kind, o);
    json_object_set_new(kind, "indexer", o);
}

/* How the score of a key, or of a block, is made of the heads. */
static void put_scores(struct text *t, const json_t *o)
{
    const json_t *scale = json_object_get(o, "scale"), *added = json_object_get(o, "added");
    const char *act = word(o, "act"), *pool = word(o, "pool");
    if (*act)
        text_put(t, "; scores: %s%s product of each head", strcmp(act, "none") ? act : "the",
            strcmp(act, "none") ? " of the" : "");
    if (json_is_true(json_object_get(o, "weights")))
        text_put(t, ", added by trained weights");
    else if (added)
        text_put(t, json_is_true(added) ? ", added" : ", each head selects for itself");
    if (json_is_number(scale))
        text_put(t, ", times %.9g", json_number_value(scale));
    if (*pool)
        text_put(t, "; a block's: %s", !strcmp(pool, "max of scores") ? "the largest of its keys'" :
                !strcmp(pool, "mean of keys")                         ? "that of the mean of its keys" :
                                                                        "that of a trained mean of its keys");
}

void card_indexer_text(const json_t *kind, char *text, size_t n)
{
    const json_t *o = json_object_get(kind, "indexer"), *cache = json_object_get(o, "cache");
    const char *other = word(json_object_get(kind, "rules"), "layout");
    struct text t = text_in(text, n);
    *text = 0;
    if (json_object_get(o, "shares"))
        text_put(&t, "its selection: that of the last layer that has an indexer of its own");
    if (!o || json_object_get(o, "shares"))
        return;
    text_put(&t, "its indexer: %s", strcmp(word(o, "class"), "any") ? word(o, "class") : "assumed");
    if (json_object_get(o, "heads"))
        text_put(&t, ", %ld heads", number(o, "heads"));
    if (json_object_get(o, "head_dim"))
        text_put(&t, "%s of %ld", json_object_get(o, "heads") ? "" : ", heads", number(o, "head_dim"));
    if (json_object_get(o, "key_heads"))
        text_put(&t, ", %ld of keys", number(o, "key_heads"));
    else if (json_object_get(o, "heads"))
        text_put(&t, " over one of keys");
    if (*word(o, "positions"))
        text_put(&t, "; positions %s", word(o, "positions"));
    if (*word(o, "layout") && *other && strcmp(other, word(o, "layout")))
        text_put(&t, " (its attention: %s)", other);
    put_scores(&t, o);
    if (json_is_number(cache))
        text_put(&t, "; a token leaves %.9g numbers of index keys", json_number_value(cache));
    text_put(&t, "  (%s)", word(o, "source"));
}

const char *card_indexer_why(const json_t *indexer)
{
    return json_object_get(indexer, "pool") ? "row sparse selects single keys, and this indexer blocks of them" :
        !json_object_get(indexer, "added")               ? "how this indexer makes its scores is not known" :
        !json_is_true(json_object_get(indexer, "added")) ? "row sparse adds the scores of all heads" :
        strcmp(word(indexer, "act"), "relu")             ? "row sparse has the maximum of each product with 0" :
                                                           NULL;
}
