/* Parameters that no preset varies: a kernel that never reads one is told, and one that declines what it does not read
 * is not. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <unistd.h>
#include "command.h"
#include "design/heeded.h"
#include "diagnose/joint/joint.h"
#include "judge/verdict.h"
#include "kernels.h"

/* A subject that is an own kernel under `word` in the place of what the question says; NULL: it is as asked.  declines:
 * it answers MER_SKIP where the question says anything else. */
static const char *word;
static bool declines;
static int run(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    char text[TEXT_MAX];
    struct mer_call of = *c;
    (void)s, (void)why, (void)n;
    snprintf(text, sizeof text, "%s%s%s", word ? word : "", word ? " " : "", c->params); /* the first one is read */
    if (word && declines && !strstr(c->params, word))
        return MER_SKIP;
    of.params = text;
    const int rc = mer_ask(k, &of);
    c->state = of.state;
    return rc;
}
/* Asks kernel k as that subject.  true: a question of a parameter fails. */
static bool fails(const struct mer_kernel *k, struct heeded *h)
{
    const struct asked all = { 0 };
    const struct subject who = { .name = "own", .kernel = k, .run = run };
    const struct random_of of = { &all, &who, k, row_named(k->row)->presets, NULL, 1, 1, true };
    struct sink s = { .quiet = true };
    bool is = false;
    const int out = dup(1), none = open("/dev/null", O_WRONLY);
    joint_want(false);
    fflush(stdout), dup2(none, 1), close(none);
    heeded_questions(&s, &of, 0.5, h, &is);
    sink_close(&s, "all");
    fflush(stdout), dup2(out, 1), close(out);
    cr_expect_eq(s.count[FAILED], is, "%s", k->row);
    return is;
}

/* Whether every preset leaves the parameter at its default. */
static bool unvaried(const struct row *r, const struct param *p)
{
    char word[100];
    snprintf(word, sizeof word, " %s=", p->name);
    for (const struct preset *q = r->presets; q->name; q++) {
        char text[TEXT_MAX];
        snprintf(text, sizeof text, " %s", q->text);
        if (strstr(text, word))
            return false;
    }
    return true;
}
static bool is_untold(const struct heeded *h, const char *name)
{
    char text[400], one[100];
    snprintf(text, sizeof text, " %s ", h->untold), snprintf(one, sizeof one, " %s ", name);
    return strstr(text, one);
}

/* Kernels that never read one of their parameters, each in turn, among those that no preset varies: every one for which
 * a question was found is told; where it is declined instead, none is. */
enum { EVERY = 4 }; /* of the rows are asked here, beside decode, whose padding no other question has */
Test(heeded, a_kernel_reads_each_parameter_or_is_told, .timeout = 120)
{
    static char read_none[200];
    long ignored = 0;
    for (int slot = 0; slots[slot].name; slot++) {
        const struct mer_kernel *k = slots[slot].kernel;
        const struct row *r = row_named(k->row);
        struct heeded right, one;
        if (strcmp(slots[slot].name, "scalar") || strcmp(k->type, "f32") ||
            (slot % EVERY && strcmp(k->row, "decode")))
            continue;
        word = NULL;
        cr_expect(!fails(k, &right), "%s %s: fails without a fault", k->row, k->out);
        for (const struct param *p = row_params(r); p->name; p++) {
            if (p->kind == ROUTE || p->kind == LIST || p->route || !unvaried(r, p) || right.late ||
                is_untold(&right, p->name))
                continue;
            snprintf(read_none, sizeof read_none, "%s=%s", p->name, p->value), word = read_none;
            declines = false, ignored++;
            cr_expect(fails(k, &one), "%s %s: does not read %s", k->row, k->out, p->name);
            declines = true;
            cr_expect(!fails(k, &one) && is_untold(&one, p->name), "%s %s: declines %s", k->row, k->out, p->name);
        }
    }
    cr_expect_geq(ignored, 10, "%ld", ignored);
}
