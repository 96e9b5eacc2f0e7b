/* Reads a pack as judge does and notes what was taken; see understood.h. */
#include "pack/understood.h"
#include <stdio.h>
#include <string.h>
#include "base/words.h"
#include "pack/recorded.h"
#include "trial/profile.h"

void understood_begin(struct understood *u, struct subject *s)
{
    struct pack *p = s->state;
    *u = (struct understood){ .s = s, .t = need(1, sizeof *u->t), .unread = json_array(), .idle = json_array() };
    p->read = json_object();
}

void understood_end(struct understood *u)
{
    struct pack *p = u->s->state;
    json_decref(p->read), p->read = NULL;
    json_decref(u->unread), json_decref(u->idle);
    trial_close(u->t), free(u->t);
}

static void unread(struct understood *u, const struct pack *p, json_t *c)
{
    static const char *const kinds[] = { "in", "out" };
    const char *key;
    json_t *v;
    char text[120];
    for (int k = 0; k < 2; k++)
        json_object_foreach (json_object_get(c, kinds[k]), key, v)
            if (!json_string_value(v) || !json_object_get(p->read, json_string_value(v))) {
                snprintf(text, sizeof text, "%sput %.80s", kinds[k], key);
                json_array_append_new(u->unread, json_string(text));
            }
}

/* Lists the words of a case's own profile that have no effect.  Each word is asked alone, because profile_idle names
 * only the first. */
static void idle(struct understood *u)
{
    char err[900], why[300], word[120];
    struct trace *t = need(1, sizeof *t);
    const struct preset these[2] = { { "these", u->t->text, "" }, { 0 } };
    char outs[TRIAL_OUT * 32] = "";
    for (int k = 0; k < u->t->call.n_out; k++)
        snprintf(outs + strlen(outs), sizeof outs - strlen(outs), "%s%s", k ? " " : "", u->t->out[k].name);
    if (!profile_trace(t, u->t->row, these, outs, NULL, u->t->profile, err, sizeof err))
        for (const char *s = u->t->profile + strspn(u->t->profile, " "); *s; s = word_next(s)) {
            struct trace one = { 0 };
            one.used[0] = t->used[s - u->t->profile], one.summed[0] = t->summed[s - u->t->profile];
            one.rounded = t->rounded;
            snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " "), s);
            if (profile_idle(&one, u->t->row, word, why, sizeof why))
                json_array_append_new(u->idle, json_string(word));
        }
    free(t);
}

/* Whether some output holds real numbers, so that its arithmetic matters. */
static bool rounds(const struct trial *t)
{
    bool any = false;
    for (int k = 0; k < t->call.n_out; k++)
        any |= t->out[k].type < MER_I64;
    return any;
}

bool understood_next(struct understood *u)
{
    struct pack *p = u->s->state;
    const size_t at = p->at;
    json_t *c = json_array_get(json_object_get(p->root, "cases"), at);
    trial_close(u->t);
    *u->t = (struct trial){ 0 };
    json_array_clear(u->unread), json_array_clear(u->idle);
    *u->why = 0, *u->params = 0;
    if (!(u->got = u->s->next(u->s, u->t, u->why, sizeof u->why)))
        return false;
    u->word = u->got == 1 ? "READ" : u->got == 2 ? "SKIP" : "REFUSED";
    u->last = p->at != at;
    if (u->got == 1) {
        *u->why = 0;
        params_brief(row_params(u->t->row), u->t->params, u->params, sizeof u->params);
        struct arith a;
        /* what a case is judged by must be readable for these sizes */
        const int words = trial_profile(u->t, u->t->profile, &a, WIDEN, u->why, sizeof u->why);
        if (!words && rounds(u->t))
            snprintf(u->why, sizeof u->why, "no profile: add \"profile\": \"f32\" (data/README.md, Profiles)");
        if (words < 0 || (!words && rounds(u->t)))
            u->got = 2, u->word = "SKIP";
        else if (!p->told)
            idle(u);
    }
    if (u->last && u->got == 1)
        unread(u, p, c);
    if (u->last)
        json_object_clear(p->read);
    return true;
}
