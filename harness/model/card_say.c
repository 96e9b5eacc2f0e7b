/* Cards as text and as Markdown, one by one, side by side, and as a line of a table. */
#include <stdlib.h>
#include <string.h>
#include "model/card.h"
#include "model/card_layer.h"

static const char *word_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void start(FILE *to, int indent, bool md) { fprintf(to, "%*s%s", indent, "", md ? "- " : ""); }

/* The numbers of a layer that are numbers: "32 heads of 128 over 8 of keys". */
static void say_heads(FILE *to, const json_t *kind)
{
    const json_t *heads = json_object_get(kind, "heads"), *kv = json_object_get(kind, "kv_heads");
    const json_t *width = json_object_get(kind, "head_dim");
    if (json_is_integer(heads))
        fprintf(to, "%lld heads", (long long)json_integer_value(heads));
    else
        fprintf(to, "heads not known");
    if (json_is_number(width))
        fprintf(to, " of %.9g", json_number_value(width));
    if (json_is_integer(kv) && !json_equal(kv, heads))
        fprintf(to, ", %lld of keys%s", (long long)json_integer_value(kv),
            json_object_get(kind, "tiled") ? " that they take in turn" : "");
}

static long part_of(const json_t *latent, const char *key)
{
    return (long)json_integer_value(json_object_get(latent, key));
}

/* Latent attention, windows of images and what the cache keeps of a token. */
static void say_parts(FILE *to, const json_t *kind)
{
    const json_t *latent = json_object_get(kind, "latent"), *cache = json_object_get(kind, "cache");
    if (latent) {
        fprintf(to, "; latent attention: keys and values through %ld", part_of(latent, "kv_lora_rank"));
        if (json_object_get(latent, "q_lora_rank"))
            fprintf(to, ", queries through %ld", part_of(latent, "q_lora_rank"));
        fprintf(to, ", %ld channels that do not turn, %ld that may, values of %ld", part_of(latent, "qk_nope_head_dim"),
            part_of(latent, "qk_rope_head_dim"), part_of(latent, "v_head_dim"));
    } else if (json_is_integer(json_object_get(kind, "v_head_dim")))
        fprintf(to, "; values of %lld", (long long)json_integer_value(json_object_get(kind, "v_head_dim")));
    if (json_object_get(kind, "shares"))
        fprintf(to, "; keys and values of the last layer of its kind that has its own");
    else if (json_is_integer(cache))
        fprintf(to, "; a token leaves %lld numbers", (long long)json_integer_value(cache));
}

static void say_kind(FILE *to, const json_t *kind, int indent, bool md)
{
    char line[2 * CARD_LINE];
    start(to, indent, md);
    fprintf(to, "layers %s (%lld)%s%s: ", word_of(kind, "layers"),
        (long long)json_integer_value(json_object_get(kind, "count")), *word_of(kind, "kind") ? " " : "",
        word_of(kind, "kind"));
    say_heads(to, kind);
    fprintf(to, "; positions %s; scores %s", *word_of(kind, "positions") ? word_of(kind, "positions") : "by the tables",
        *word_of(kind, "scores") ? word_of(kind, "scores") : "not known");
    const json_t *cap = json_object_get(kind, "softcap");
    if (json_is_number(cap))
        fprintf(to, ", capped at %.9g", json_number_value(cap));
    if (json_object_get(kind, "sinks"))
        fprintf(to, ", a learned sink in each head");
    if (*word_of(kind, "qk_norm"))
        fprintf(to, ", q and k through %s", word_of(kind, "qk_norm"));
    if (json_object_get(kind, "temperature"))
        fprintf(to, ", a temperature of the query by its position");
    if (json_object_get(kind, "gate"))
        fprintf(to, "; its output is multiplied by %s of a gate, %s", word_of(kind, "gate_act"),
            strcmp(word_of(kind, "gate"), "head") ? "element by element" : "one number a head");
    fprintf(to, "; sees %s", *word_of(kind, "sees") ? word_of(kind, "sees") : "not known");
    say_parts(to, kind);
    fputc('\n', to);
    card_indexer_text(kind, line, sizeof line);
    if (*line) {
        start(to, indent + 2, md);
        fprintf(to, "%s\n", line);
    }
}

/* A number of a layer between two texts; nothing where the layer has none. */
static void say_number(FILE *to, const char *before, const json_t *kind, const char *key, const char *after)
{
    const json_t *v = json_object_get(kind, key);
    if (json_is_number(v))
        fprintf(to, "%s%.9g%s", before, json_number_value(v), after);
}

/* How a scan makes its steps of dt, and how its output is gated; nothing of a layer that is none. */
static void say_scan(FILE *to, const json_t *kind)
{
    static const char first[] = "norm, then ";
    const char *gate = word_of(kind, "output_gate");
    const bool normed = strstr(gate, "norm"), before = !strncmp(gate, first, sizeof first - 1);
    const bool soft = !strcmp(word_of(kind, "dt_softplus"), "on");
    const bool least = json_number_value(json_object_get(kind, "dt_min")) > 0;
    if (*word_of(kind, "dt_softplus"))
        fprintf(to, "; steps %s", soft ? "softplus of dt" : "dt itself");
    if (json_is_true(json_object_get(kind, "dt_bias")))
        fprintf(to, " with a bias");
    if (least)
        say_number(to, ", at least ", kind, "dt_min", "");
    say_number(to, least ? " and at most " : ", at most ", kind, "dt_max", "");
    if (json_is_true(json_object_get(kind, "skip")))
        fprintf(to, "; D x is added");
    gate += before ? sizeof first - 1 : 0;
    if (*gate)
        fprintf(to, "; its output is %smultiplied by %.*s of a gate%s", before ? "normed, then " : "",
            (int)strcspn(gate, ","), gate, normed && !before ? ", then normed" : "");
}

/* Layers that mix tokens without a softmax. */
static void say_mixer(FILE *to, const json_t *kind, int indent, bool md)
{
    const json_t *heads = json_object_get(kind, "heads"), *keys = json_object_get(kind, "key_heads");
    start(to, indent, md);
    fprintf(to, "layers %s (%lld)%s%s: %s", word_of(kind, "layers"),
        (long long)json_integer_value(json_object_get(kind, "count")), *word_of(kind, "kind") ? " " : "",
        word_of(kind, "kind"), *word_of(kind, "mixer") ? word_of(kind, "mixer") : "what it does is not known");
    say_number(to, "; ", kind, "heads", " heads");
    say_number(to, " with values of ", kind, "value_width", "");
    if (!json_equal(keys, heads))
        say_number(to, ", ", kind, "key_heads", " of keys");
    say_number(to, ", keys of ", kind, "key_width", "");
    say_number(to, strcmp(word_of(kind, "mixer"), "short convolution") ? "; a convolution before it, over " : ", over ",
        kind, "conv", " tokens");
    say_number(to, " of ", kind, "channels", " channels");
    say_scan(to, kind);
    say_number(to, "; a state of ", kind, "state", " numbers, however long the text is");
    fputc('\n', to);
}

/* By which command a kind or table is judged, a line for each of its conventions. */
static void say_judge(FILE *to, const json_t *of, int indent, bool md)
{
    const char *quote = md ? "`" : "";
    size_t k;
    json_t *v;
    json_array_foreach(json_object_get(of, "judge"), k, v) {
        start(to, indent, md);
        if (*word_of(v, "why"))
            fprintf(to, "no command judges its %s: %s\n", word_of(v, "what"), word_of(v, "why"));
        else
            fprintf(to, "judge its %s: %s%s%s\n", word_of(v, "what"), quote, word_of(v, "command"), quote);
    }
}

static bool of_one(const json_t *a, const json_t *b)
{
    return !strcmp(word_of(a, "row"), word_of(b, "row")) && !strcmp(word_of(a, "parameter"), word_of(b, "parameter"));
}

/* Where others have done it otherwise: a line for each parameter of a row, with the names of data/mistakes. */
static void say_differ(FILE *to, const json_t *card, int indent, bool md)
{
    const json_t *list = json_object_get(card, "differ");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *v = json_array_get(list, k);
        size_t first = 0, n = 0;
        while (!of_one(json_array_get(list, first), v))
            first++;
        if (first < k) /* its line is there already */
            continue;
        start(to, indent, md);
        fprintf(to, "others differ in %s of %s (meridian show %s):", word_of(v, "parameter"), word_of(v, "row"),
            word_of(v, "row"));
        for (size_t i = k; i < json_array_size(list); i++) {
            const json_t *x = json_array_get(list, i);
            if (of_one(x, v))
                fprintf(to, "%s %s (%s)", n++ ? "," : "", word_of(x, "id"), word_of(x, "cite"));
        }
        fputc('\n', to);
    }
}

/* The whole cache of keys and values, for each token. */
static void say_cache(FILE *to, const json_t *card, int indent, bool md)
{
    const json_t *cache = json_object_get(card, "cache");
    const long near = part_of(cache, "windowed");
    if (!cache)
        return;
    start(to, indent, md);
    fprintf(to, "keys and values: %ld numbers a token, %ld bytes in 16 bits", part_of(cache, "numbers"),
        part_of(cache, "bytes"));
    if (near)
        fprintf(to, "; %ld of the numbers only within a window or chunk", near);
    if (part_of(cache, "index"))
        fprintf(to, "; %ld of the numbers are index keys", part_of(cache, "index"));
    fputc('\n', to);
}

static void say_unread(FILE *to, const json_t *card, int indent, bool md)
{
    size_t k;
    json_t *v;
    if (!json_array_size(json_object_get(card, "keys_not_read")))
        return;
    start(to, indent, md);
    fprintf(to, "keys not read:");
    json_array_foreach(json_object_get(card, "keys_not_read"), k, v)
        fprintf(to, md ? " `%s`" : " %s", json_string_value(v));
    fputc('\n', to);
}

void card_say(FILE *to, const json_t *card, int indent, bool md)
{
    size_t k, i;
    json_t *part, *kind, *v;
    const char *key;
    const bool assumed = json_is_true(json_object_get(card, "assumed"));
    start(to, indent, md);
    fprintf(to, "card of %s%s%s%s%s%s\n", word_of(card, "model_type"), *word_of(card, "class") ? ", " : "",
        word_of(card, "class"), assumed ? ": no type of the table; by common spellings of keys, assumed" : "",
        *word_of(card, "model") ? ": " : "",
        strcmp(word_of(card, "model"), "parts") ? word_of(card, "model") : "made of the parts below");
    json_array_foreach(json_object_get(card, "tables"), k, part) {
        start(to, indent + 2, md);
        fprintf(to, "%s: positions %s  (%s)\n", word_of(part, "place"), word_of(part, "positions"),
            word_of(part, "source"));
        say_judge(to, part, indent + 4, md);
    }
    json_array_foreach(json_object_get(card, "parts"), k, part) {
        start(to, indent + 2, md);
        fprintf(to, "%s: %s%s%s  (%s)\n", word_of(part, "place"), word_of(part, "class"),
            *word_of(part, "when") ? ", if " : "", word_of(part, "when"), word_of(part, "source"));
        json_array_foreach(json_object_get(part, "kinds"), i, kind)
            say_kind(to, kind, indent + 4, md), say_judge(to, kind, indent + 6, md);
    }
    json_array_foreach(json_object_get(card, "mixers"), k, part) {
        start(to, indent + 2, md);
        fprintf(to, "%s: %s%s%s  (%s)\n", word_of(part, "place"), word_of(part, "class"),
            *word_of(part, "when") ? ", if " : "", word_of(part, "when"), word_of(part, "source"));
        json_array_foreach(json_object_get(part, "kinds"), i, kind)
            say_mixer(to, kind, indent + 4, md), say_judge(to, kind, indent + 6, md);
    }
    say_cache(to, card, indent + 2, md);
    say_differ(to, card, indent + 2, md);
    json_array_foreach(json_object_get(card, "open"), k, v) {
        start(to, indent + 2, md);
        fprintf(to, "not known: %s\n", json_string_value(v));
    }
    json_object_foreach(json_object_get(card, "inner"), key, v) {
        start(to, indent + 2, md);
        fprintf(to, "%s:\n", key);
        card_say(to, v, indent + 4, md);
    }
    say_unread(to, card, indent, md);
}

bool card_reads(const json_t *card, const char *path, size_t n)
{
    char part[100];
    const char *dot = memchr(path, '.', n);
    const size_t lead = dot ? (size_t)(dot - path) : n;
    snprintf(part, sizeof part, "%.*s", (int)lead, path);
    if (!dot)
        return json_object_get(json_object_get(card, "read"), part) != NULL;
    return card_reads(json_object_get(json_object_get(card, "inner"), part), dot + 1, n - lead - 1);
}

/* ---- two cards ---- */

static long changed(FILE *to, const char *path, const json_t *a, const json_t *b)
{
    static const char *const besides[] = { "source", "open", "defaults", "count", "read", "rules", "judge", "differ",
        "keys_not_read" };
    char *one, *two, inner[300];
    const char *key;
    json_t *v;
    long n = 0;
    if (json_equal((json_t *)a, (json_t *)b))
        return 0;
    if (json_is_object(a) && json_is_object(b)) {
        json_t *all = json_copy((json_t *)a);
        json_object_update_missing(all, (json_t *)b);
        json_object_foreach(all, key, v) {
            bool skip = false;
            for (size_t k = 0; k < sizeof besides / sizeof *besides; k++)
                skip |= !strcmp(key, besides[k]);
            snprintf(inner, sizeof inner, "%.200s%s%.80s", path, *path ? "." : "", key);
            n += skip ? 0 : changed(to, inner, json_object_get(a, key), json_object_get(b, key));
        }
        json_decref(all);
        return n;
    }
    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        for (size_t k = 0; k < json_array_size(a); k++) {
            const char *place = word_of(json_array_get(a, k), "place");
            snprintf(inner, sizeof inner, "%.200s%s%.80s", path, *path ? " " : "", place);
            n += changed(to, inner, json_array_get(a, k), json_array_get(b, k));
        }
        return n;
    }
    one = a ? json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    two = b ? json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    fprintf(to, "  %s: %.300s -> %.300s\n", path, one ? one : "nothing", two ? two : "nothing");
    free(one), free(two);
    return 1;
}

long card_changes(FILE *to, const json_t *a, const json_t *b) { return changed(to, "", a, b); }

/* ---- a line of a table ---- */

struct card_found { char positions[120], sees[120]; };

/* Adds a text to a list "a | b" unless it is there already or there is no room. */
static void add(char *list, size_t n, const char *s)
{
    const size_t len = strlen(list);
    if (*s && !strstr(list, s) && len + strlen(s) + 4 < n)
        snprintf(list + len, n - len, "%s%s", len ? " + " : "", s);
}

static void gather(const json_t *card, struct card_found *f)
{
    size_t k, i;
    json_t *part, *kind, *v;
    const char *key;
    char first[60];
    json_array_foreach(json_object_get(card, "tables"), k, part) {
        const char *s = word_of(part, "positions");
        snprintf(first, sizeof first, "%.*s", (int)strcspn(s, ","), s);
        add(f->positions, sizeof f->positions, first);
    }
    json_array_foreach(json_object_get(card, "parts"), k, part)
        json_array_foreach(json_object_get(part, "kinds"), i, kind) {
            const char *s = word_of(kind, "positions");
            snprintf(first, sizeof first, "%.*s", (int)strcspn(s, ","), s);
            add(f->positions, sizeof f->positions, first);
            s = word_of(kind, "sees");
            snprintf(first, sizeof first, "%.*s", (int)strcspn(s, ","), s);
            add(f->sees, sizeof f->sees, strstr(s, "index score") ? "selected" :
                strstr(s, "window of") ? "window" : strstr(s, "chunks") ? "chunk" : first);
        }
    json_object_foreach(json_object_get(card, "inner"), key, v)
        gather(v, f);
}

void card_row(FILE *to, const char *name, const json_t *card, bool md)
{
    struct card_found f = { .positions = "" };
    gather(card, &f);
    const char *whole = json_is_true(json_object_get(card, "complete"))    ? "whole" :
        json_is_true(json_object_get(card, "assumed"))                     ? "assumed" :
                                                                             "in part";
    const char *what = *f.positions ? f.positions : *word_of(card, "model") ? word_of(card, "model") : "-";
    fprintf(to, md ? "| %s | %s | %s | %s | %s |\n" : "%-40s %-28s %-8s %-40s %s\n", name,
        word_of(card, "model_type"), whole, what, *f.sees ? f.sees : "-");
}
