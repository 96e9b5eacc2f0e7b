/* Puts the questions of a plan to a running model, site by site. */
#include "base/progress.h"
#include "against/against.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "against/live.h"
#include "against/plan.h"
#include "examine/examine.h"
#include "diagnose/joint/joint.h"
#include "core/field.h"
#include "model/card.h"

enum { USUAL_SECONDS = 60 }; /* of one answer; the first may take three times as long: libraries load for long */
/* built, refused, bad: configurations that the library built, refused to build, and that are no JSON. */
struct all { const struct cli *cli; struct sink sink; const char *library; long built, refused, bad; int seconds; };
/* One model: its notes, and what its small configuration says. */
struct against_one { struct all *all; struct live live; struct config config; const json_t *sites;
    json_t *card; };

static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static void say(struct against_one *o, enum word verdict, const char *where, const char *row, const char *why)
{
    struct finding f = { .word = verdict, .subject = where, .row = row, .quantity = "*", .method = "card" };
    snprintf(f.reason, sizeof f.reason, "%s", why);
    sink_say(&o->all->sink, &f);
}

static void ask(struct against_one *o, const struct planned *q, const char *site)
{
    static struct trial t;
    static struct finding f;
    struct view w;
    struct tally y;
    char as[200];
    const struct row *r = row_named(q->row);
    const struct mer_kernel k = { .row = q->row, .out = q->out, .type = q->type, .profile = q->profile };
    snprintf(as, sizeof as, "%.150s/%s", site, q->way);
    view_open(&w, &o->live, as, &k);
    if (*q->reason) {
        say(o, q->wrong ? FAILED : SKIPPED, as, q->row, q->reason);
        return;
    }
    struct declared range = { .file = "", .row = r, .types = ~0u, .positioned = q->ranged, .least = q->least,
        .most = q->most };
    const struct preset under[2] = { { "card", q->params, "" }, { 0 } };
    const struct question question = { &w.subject, w.subject.own, q->params, NULL, q->sizes, 1, 64,
        q->ranged ? &range : NULL, true, under };
    joint_kernel(as, w.subject.own);
    examine(&question, &t, &y, &f);
    if (q->ranged) /* the command would need a declaration of the positions */
        *f.replay = *f.smallest = 0;
    sink_say(&o->all->sink, &f);
    trial_close(&t);
}

/* Whether a site lies at a place of the card: "model.layers.self_attn" at "layers.self_attn", below the part of the
 * configuration that the card is of, and is of the class that the card says; towers may have the same places. */
static bool lies_at(const json_t *site, const char *place, const char *class)
{
    if (*word(site, "class") && strcmp(class, "any") && strcmp(word(site, "class"), class))
        return false;
    const char *at = word(site, "place");
    const size_t a = strlen(at), b = strlen(place);
    return a >= b && !strcmp(at + a - b, place) && (a == b || at[a - b - 1] == '.');
}

/* Whether "0-4, 6" has the number k. */
static bool listed(const char *layers, long k)
{
    for (const char *s = layers; *s;) {
        char *end;
        const long from = strtol(s, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;
        if (k >= from && k <= to)
            return true;
        s = end + strspn(end, ", ");
        if (end == s && *s)
            return false;
    }
    return false;
}

/* Says the ways and modes in which a site cannot be asked. */
static void say_unable(struct against_one *o, const json_t *site, const char *name)
{
    const char *key;
    char as[220];
    json_t *why;
    const char *place = word(site, "place");
    const size_t len = strlen(place);
    json_object_foreach(json_object_get(o->live.notes, "unable"), key, why)
        if (!strncmp(key, place, len) && key[len] == '/') {
            snprintf(as, sizeof as, "%.150s%.60s", name, key + len);
            say(o, SKIPPED, as, "attention", json_string_value(why));
        }
}

/* A card, and of which inner configuration it is; "": of the whole. */
struct asked_card { const json_t *card; const char *path; };
/* The card of an inner configuration, "text_config" or "thinker_config.text_config"; NULL: the card has none. */
static const json_t *inner_card(const json_t *card, const char *path)
{
    char key[120];
    while (card && *path) {
        const size_t n = strcspn(path, ".");
        if (n >= sizeof key)
            return NULL;
        memcpy(key, path, n), key[n] = 0;
        card = json_object_get(json_object_get(card, "inner"), key);
        path += n + (path[n] == '.');
    }
    return card;
}

/* Is a site of the part of the model that the card of this inner configuration is of?  A site whose configuration has
 * no card of its own may be of any. */
static bool concerns(const struct against_one *o, const json_t *site, const char *path)
{
    const char *config = word(site, "config");
    const json_t *own = json_object_get(site, "config") ? inner_card(o->card, config) : NULL;
    return !strcmp(config, path) || !json_array_size(json_object_get(own, "parts"));
}

/* Does a site lie at the whole place of some part of this card? */
static bool claimed(const json_t *card, const json_t *site)
{
    size_t k;
    json_t *part;
    json_array_foreach(json_object_get(card, "parts"), k, part)
        if (lies_at(site, word(part, "place"), word(part, "class")))
            return true;
    return false;
}

/* The first site that a kind of a part of a card is of; NULL: there is none.  Where the class that was built has other
 * modules around it, the last words of the place decide, two at least. */
static const json_t *site_of(const struct against_one *o, const struct asked_card *of, const json_t *part,
    const json_t *kind)
{
    size_t k;
    json_t *site;
    const char *const whole = word(part, "place"), *place = whole, *rest;
    do {
        rest = strchr(place, '.');
        json_array_foreach(o->sites, k, site)
            if (concerns(o, site, of->path) && lies_at(site, place, word(part, "class")) &&
                listed(word(kind, "layers"), (long)json_integer_value(json_object_get(site, "layer"))) &&
                (place == whole || !claimed(of->card, site)))
                return site;
        place = rest ? rest + 1 : NULL;
    } while (place && strchr(place, '.'));
    return NULL;
}

static void judge_kind(struct against_one *o, const struct asked_card *of, const json_t *part, const json_t *kind)
{
    static struct agenda p;
    char why[500], name[160];
    const json_t *profiles = json_object_get(o->live.notes, "profiles"), *site = site_of(o, of, part, kind);
    if (!site) {
        snprintf(name, sizeof name, "%.100s[%.50s]", word(part, "place"), word(kind, "layers"));
        say(o, SKIPPED, name, "attention", "nothing in the library went through its attention interface there");
        return;
    }
    p.n = 0;
    snprintf(name, sizeof name, "%.150s", word(site, "name"));
    if (plan_contradicts(kind, site, why, sizeof why))
        say(o, FAILED, name, "attention", why);
    plan_rotation(&p, kind, site, profiles, &o->config);
    plan_attention(&p, kind, site, profiles);
    for (int i = 0; i < p.n; i++)
        ask(o, &p.of[i], name);
    say_unable(o, site, name);
}

static void judge_card(struct against_one *o, const json_t *card, const char *path)
{
    size_t k, i;
    json_t *part, *kind, *inner;
    const char *key;
    char below[240];
    const struct asked_card of = { card, path };
    json_array_foreach(json_object_get(card, "parts"), k, part)
        json_array_foreach(json_object_get(part, "kinds"), i, kind)
            judge_kind(o, &of, part, kind);
    json_object_foreach(json_object_get(card, "inner"), key, inner) {
        snprintf(below, sizeof below, "%.110s%s%.120s", path, *path ? "." : "", key);
        judge_card(o, inner, below);
    }
}

/* The lines before the verdicts: what the library is, and what was cut. */
static void say_model(const struct against_one *o, const char *file)
{
    size_t k;
    json_t *v;
    FILE *to = o->all->sink.json ? stderr : stdout;
    fprintf(to, "%s against %s", file, word(o->live.notes, "library"));
    json_array_foreach(json_object_get(o->live.notes, "cut"), k, v)
        fprintf(to, "%s%s", k ? ", " : "; made small: ", json_string_value(v));
    fputc('\n', to);
    json_array_foreach(json_object_get(o->live.notes, "said"), k, v)
        fprintf(to, "  %s\n", json_string_value(v));
    if (*word(o->live.notes, "ended"))
        fprintf(to, "  its forward pass ends early: %s\n", word(o->live.notes, "ended"));
}

static int judge_file(struct all *a, const char *file)
{
    static struct against_one o;
    char err[700];
    struct fields f = { .err = err, .n = sizeof err };
    json_t *root = fields_load_python(&f, file);
    if (!root)
        return a->bad++, fprintf(stderr, "meridian model: %s\n", err), 0;
    json_decref(root);
    o = (struct against_one){ .all = a };
    int rc = live_open(&o.live, a->library, file, a->seconds, err, sizeof err);
    if (rc == -1)
        return live_close(&o.live), fprintf(stderr, "meridian model: not judged: %s\n", err), EXIT_NOTHING;
    json_t *small = rc ? NULL : json_object_get(o.live.notes, "config");
    if (rc) {
        a->refused++;
        say(&o, rc == 1 ? SKIPPED : CRASHED, file, "*", err);
    } else {
        a->built++;
        say_model(&o, file);
        o.sites = json_object_get(o.live.notes, "sites");
        if (config_read(o.live.config, &o.config, err, sizeof err) && !o.config.open)
            fprintf(stderr, "meridian model: %s\n", err);
        o.card = card_of(small);
        judge_card(&o, o.card, "");
        json_decref(o.card);
    }
    live_close(&o.live);
    return 0;
}

int against_run(const struct cli *c, const char *library)
{
    static struct all a;
    long seconds;
    char what[120];
    a = (struct all){ .cli = c, .library = library };
    if (!cli_long(c, "seconds", USUAL_SECONDS, 1, 86400, &seconds))
        return EXIT_USAGE;
    a.seconds = (int)seconds;
    if (!sink_open(&a.sink, c))
        return EXIT_USAGE;
    a.sink.brief = true;
    progress_of("model", "questions", 0);
    for (int k = 0; k < c->words; k++)
        if (judge_file(&a, c->word[k]))
            return draft_drop(&a.sink.file[0]), draft_drop(&a.sink.file[1]), EXIT_NOTHING;
    snprintf(what, sizeof what, "%.40s: %ld of %d models built", library, a.built, c->words);
    const int rc = sink_close(&a.sink, what);
    joint_begin(NULL);
    return a.bad ? EXIT_USAGE : rc;
}
