/* Parameters that no preset varies: a kernel that never reads one is told, and one that declines what it does not read
 * is not. */
#include <criterion/criterion.h>
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
static long width; /* the only one of q that it takes, or 0 */
static int run(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    char text[TEXT_MAX + 300], wanted[300];
    struct mer_call of = *c;
    (void)s, (void)why, (void)n;
    if (width && mer_in(c, "q")->dim[2] != width)
        return MER_SKIP;
    snprintf(text, sizeof text, "%s ", c->params);
    snprintf(wanted, sizeof wanted, "%s ", word ? word : "");
    if (word && declines && !strstr(text, wanted))
        return MER_SKIP;
    snprintf(text, sizeof text, "%s%s", word ? wanted : "", c->params); /* the first one is read */
    of.params = text;
    const int rc = mer_ask(k, &of);
    c->state = of.state;
    return rc;
}
/* Asks kernel k as that subject for each parameter, and with h NULL at random.  true: a question fails; said: what the
 * verdict is then. */
static char said[4000];
static const struct declared *taken;
static bool fails(const struct mer_kernel *k, struct heeded *h)
{
    const struct asked all = { 0 };
    const struct subject who = { .name = "own", .kernel = k, .run = run };
    const struct random_of of = { &all, &who, k, row_named(k->row)->presets, NULL, 1, 1, true };
    struct sink s = { .quiet = true };
    bool is = false;
    FILE *text = tmpfile();
    const int stdout_was = dup(1);
    joint_want(false);
    fflush(stdout), dup2(fileno(text), 1);
    if (h)
        heeded_questions(&s, &of, taken, 0.5, h, &is);
    else
        random_questions(&s, &of, &is);
    sink_close(&s, "all");
    fflush(stdout), dup2(stdout_was, 1), close(stdout_was);
    rewind(text);
    said[fread(said, 1, sizeof said - 1, text)] = 0, fclose(text);
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

/* Where questions at random find it, they say what such a kernel owes. */
Test(heeded, what_is_found_at_random_says_which_words_no_preset_has, .timeout = 60)
{
    for (int slot = 0; slots[slot].name; slot++)
        if (!strcmp(slots[slot].name, "scalar") && !strcmp(slots[slot].kernel->row, "rope")) {
            word = "base=10000", declines = false;
            cr_expect(fails(slots[slot].kernel, NULL) && strstr(said, " RANDOM ") && strstr(said, ": no preset has ") &&
                strstr(said, ": a kernel that does not read a parameter declines this"), "%s", said);
            declines = true;
            cr_expect(!fails(slots[slot].kernel, NULL), "%s", said);
        }
}

/* A kernel of one width alone is asked at that width. */
Test(heeded, a_kernel_of_one_width_is_asked_at_it, .timeout = 60)
{
    const struct declared only = { .size = { { 'd', 64, 64 }, { 'm', 1, 5 }, { 'n', 7, 9 } }, .n_sizes = 3 };
    for (int slot = 0; slots[slot].name; slot++)
        if (!strcmp(slots[slot].name, "scalar") && !strcmp(slots[slot].kernel->row, "attention")) {
            struct heeded h;
            word = "cap=0", declines = false, width = 64, taken = NULL;
            cr_expect(!fails(slots[slot].kernel, &h) && !h.asked, "%ld questions", h.asked);
            taken = &only;
            cr_expect(fails(slots[slot].kernel, &h) && strstr(said, "--sizes 'd=64 m=5 n=7'"), "%s", said);
        }
}
