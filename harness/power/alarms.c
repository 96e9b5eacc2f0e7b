/* Judges right subjects and reports false alarms; see alarms.h. */
#include "power/alarms.h"
#include <math.h>
#include "power/kill.h"
#include "trial/change.h"

const int alarm_type[ALARM_TYPES] = { MER_F64, MER_F32, MER_F16, MER_BF16 };
enum { LINES = 16 };
static const char *const fills[] = { "n=5 m=7", "n=7 m=5 small", "n=5 m=7 h=4 g=2 heavy", "n=7 m=9 h=4 g=2 probe" };

/* Why the case cannot be asked of a right subject, by its exact answer; NULL: it can.  A contract may leave the range
 * of its formats: float16 has no position beyond 65504, and the cosine of infinity is NaN.  And a case in which every
 * value is 0, or every one 1, tells nothing, such as the gradient of a gate that is not there. */
static const char *unasked(const struct trial *t)
{
    struct trial exact;
    const char *why = NULL;
    bool zeros = true, ones = true;
    char err[200];
    if (!trial_copy(&exact, t, err, sizeof err))
        reference_lines(&exact, &(struct arith){ 0 }, LINES);
    for (long i = 0; i < array_len(&t->out[0]); i++) {
        double x = array_get(&exact.out[0], i), got = array_get(&t->out[0], i);
        if (isnan(got) && !isnan(x))
            why = "the contract itself gives NaN here: its formats overflow";
        zeros &= isnan(x) || x == 0, ones &= isnan(x) || x == 1; /* lines not asked, and policies, are NaN in both */
    }
    trial_close(&exact);
    return why ? why : zeros ? "0 everywhere" : ones ? "1 everywhere" : NULL;
}

static void ask(const struct row *r, const char *profile, const char *sizes, struct alarm *a)
{
    struct trial t;
    struct tally y;
    struct arith rounds, wide;
    char params[TEXT_MAX];
    /* a contract may set parameters too, and they their inputs */
    snprintf(params, sizeof params, "%s %s", a->preset, profile);
    a->word = SKIPPED, a->ratio = 0, a->n = a->over = 0, *a->why = 0;
    if (!trial_make(&t, &(struct trial_spec){ r->name, params, a->out, a->type, sizes, 5 }, a->why, sizeof a->why) &&
        trial_profile(&t, profile, &rounds, ROUND, a->why, sizeof a->why) >= 0) {
        reference_lines(&t, &rounds, LINES);
        const char *why = unasked(&t);
        if (why)
            snprintf(a->why, sizeof a->why, "%s", why);
        else if (arith_read(&wide, r, t.profile, WIDEN, a->why, sizeof a->why) >= 0) {
            judge_outputs(&t, &wide, LINES, &y);
            a->word = tally_word(&y), a->ratio = y.ratio, a->n = y.n, a->over = y.over;
        }
    }
    trial_close(&t);
}

long alarms_each(const struct row *r, long stride, void (*f)(const struct alarm *a, void *with), void *with)
{
    char sharp[1024];
    const struct preset own[] = { { "sharp", sharp, "" }, { NULL } },
                        *first = r->contracts && r->contracts->name ? r->contracts : own;
    long turn = 0, asked = 0;
    profile_sharp(r, sharp, sizeof sharp);
    for (const struct preset *c = first; c->name; c++)
        for (const struct preset *p = r->presets; p->name; p++)
            for (int k = 0; k < ALARM_TYPES; k++)
                for (const struct quantity *q = r->q; q->sign; q++, turn++) {
                    struct sign s;
                    sign_read(&s, q->sign);
                    struct alarm a = {
                        .contract = c->name, .preset = p->text, .out = s.out.name, .type = alarm_type[k]
                    };
                    if (turn % stride)
                        continue;
                    ask(r, c->text, fills[turn / stride % 4], &a);
                    f(&a, with), asked++;
                }
    return asked;
}
