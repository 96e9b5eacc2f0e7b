/* CONSTANT: all values are c.  As weights add up to one, the answer is c at any length and for any scores: equal
 * ones, rising or falling along the keys (a running maximum that changes at every tile, or never), or one far above
 * many others.  Accumulators that stagnate or overflow, rescalings that are lost and sums that leave keys out show
 * at the lengths that are used in practice and at no shorter ones: in float16 a sum of equal terms stops growing
 * after 2048 of them. */
#include <math.h>
#include "checks/core/probe.h"

enum { EQUAL, RISING, FALLING, ONE, SCORES };
static const char *const score_name[SCORES] = { "equal", "rising", "falling", "one above many" };

/* Score of key j of m; it is put into the first component of the key, as the query's first component is 1 and its
 * others are 0. */
static double score_of(int how, long j, long m)
{
    switch (how) {
    case RISING: return 16.0 * (double)j / (double)m;
    case FALLING: return 16.0 * (double)(m - 1 - j) / (double)m;
    case ONE: return j == 0 ? 8 : 0;
    default: return 0;
    }
}

static bool make(struct probe *p, struct trial *t, const char *sizes, int how, double c)
{
    if (!probe_make(p, t, NULL, sizes))
        return false;
    const struct mer_array *q = trial_in(t, "q"), *k = trial_in(t, "k");
    const long d = k->dim[2], m = k->dim[1];
    probe_fill(t, "q", 0), probe_fill(t, "k", 0), probe_fill(t, "v", c);
    for (long i = 0; i < q->dim[0] * q->dim[1]; i++)
        array_put(trial_in(t, "q"), i * d, sqrt((double)d)); /* cancels the usual scale of 1/sqrt(d) */
    for (long i = 0; i < k->dim[0] * m; i++)
        array_put(trial_in(t, "k"), i * d, score_of(how, i % m, m));
    return true;
}

static bool ask_one(struct probe *p, const char *sizes, int how, double c)
{
    struct trial t;
    if (!make(p, &t, sizes, how, c) || !probe_ask(p, &t))
        return p->word == PASS;
    const bool fine = probe_judge(p, &t);
    if (!fine)
        probe_say(p, "values that are all %g, scores %s, %s: %.9g", c, score_name[how], sizes, array_get(&t.out[0], 0));
    trial_close(&t);
    return fine && p->word == PASS;
}

/* A large value: the sum of two is within the format and the sum of a thousand is not, where the format is narrow
 * (float16); elsewhere 2^119, which a sum of unnormalised weights takes beyond float32. */
static double near_the_end(const struct probe *p)
{
    const struct format *f = format_named(p->kernel->type, strlen(p->kernel->type));
    return f ? ldexp(1, (int)(f->emax < 120 ? f->emax : 120) - 1) : 1;
}

/* Sizes: one query, as in decoding, and a few; whether the other scores and the other values are asked, too. `once`:
 * only under the row's first preset, as the reference takes long for long inputs. */
static const struct length {
    const char *sizes;
    bool scores, values, once;
} lengths[] = {
    { "h=1 g=1 n=1 m=1024 d=4 e=1", true, true, false },
    { "h=2 g=1 n=3 m=2053 d=4 e=1", false, false, false },
    { "h=1 g=1 n=1 m=4099 d=4 e=1", false, true, false },
    { "h=1 g=1 n=1 m=32768 d=4 e=1", false, false, true },
    { "h=1 g=1 n=1 m=131072 d=4 e=1", false, false, true },
};

static bool ask_length(struct probe *p, const struct length *of)
{
    if (!ask_one(p, of->sizes, EQUAL, 1))
        return false;
    for (int how = RISING; of->scores && how < SCORES; how++)
        if (!ask_one(p, of->sizes, how, 1))
            return false;
    return !of->values || (ask_one(p, of->sizes, EQUAL, 20) && ask_one(p, of->sizes, EQUAL, 0x1p-10));
}

static void run(struct probe *p)
{
    const struct row *r = row_named(p->kernel->row);
    const bool first = !strcmp(p->params, r->presets[0].text);
    const char *longest = "";
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        if (first || !lengths[k].once) {
            if (!ask_length(p, &lengths[k]))
                return;
            longest = lengths[k].sizes;
        }
    if (ask_one(p, lengths[0].sizes, EQUAL, near_the_end(p)) && p->asked)
        probe_say(p, "to %s", strstr(longest, "m="));
}
const struct check check_constant = {
    .name = "CONSTANT", .question = "Do values that are all alike come out as they are, at every length?",
    .cluster = "A17",
    .sources = "ggml-org/llama.cpp#28124",
    .asks = "attention.o", .kills = "fault.stagnate", .run = run,
};
