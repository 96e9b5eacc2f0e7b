/* Every own kernel under every choice of every parameter of its row, the others at their defaults, with every optional
 * input that it may have and without them: presets hold only the conventions that somebody uses together, and a kernel
 * may take the rest for one of these. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "compare/answers.h"
#include "compare/compare.h"
#include "kernels.h"
#include "part.h"
#include "trial/trial.h"

enum { ROOM = 400 };
static const char extents[] = "n=3 m=4";

static bool makes(const struct mer_kernel *k, const char *params, const char *sizes)
{
    struct trial t;
    char err[400];
    const bool made = !trial_make(&t,
        &(struct trial_spec){ k->row, params, k->out, type_named(k->type), sizes, 7 }, err, sizeof err);
    trial_close(&t);
    return made;
}

/* Extents, and the names of all optional inputs of the kernel's outputs that can be there together. */
static void with_all(char sizes[ROOM], const struct mer_kernel *k, const char *params)
{
    const struct row *row = row_named(k->row);
    snprintf(sizes, ROOM, "%s", extents);
    for (const char *o = k->out; *o; o += strcspn(o, " "), o += strspn(o, " ")) {
        char out[40];
        struct sign s;
        snprintf(out, sizeof out, "%.*s", (int)strcspn(o, " "), o);
        sign_read(&s, row_quantity(row, out)->sign);
        for (int i = 0; i < s.n_in; i++) {
            const size_t at = strlen(sizes);
            if (!s.in[i].optional || strstr(sizes, s.in[i].name))
                continue;
            snprintf(sizes + at, ROOM - at, " %s", s.in[i].name);
            if (!makes(k, params, sizes))
                sizes[at] = 0;
        }
    }
}

/* Is the kernel asked, and within its bound? */
static long expect_within(
    const struct mer_kernel *k, const char *params, const char *sizes, struct exact_answers *known)
{
    char err[400];
    struct trial t;
    struct tally y;
    struct arith a;
    if (trial_make(&t, &(struct trial_spec){ k->row, params, k->out, type_named(k->type), sizes, 7 }, err, sizeof err))
        return trial_close(&t), 0;
    cr_assert_gt(trial_profile(&t, k->profile, &a, WIDEN, err, sizeof err), 0, "%s: %s", k->row, err);
    const int rc = mer_ask(k, &t.call);
    if (rc == MER_OK) {
        t.answers = known;
        judge_outputs(&t, &a, 32, &y);
        cr_expect(tally_passes(&y), "%s.%s %s: %ld over, ratio %g at %s %ld %ld | %ld got %a want %a", k->row, k->out,
            t.text, y.over, y.ratio, y.out, y.at[0], y.at[1], y.k, y.got, y.want);
    }
    trial_close(&t);
    return rc == MER_OK;
}

static void keeps_each_choice(const struct row *row)
{
    long asked = 0, choices = 0;
    struct exact_answers *known = answers_open();
    for (const struct param *p = row_params(row); p->name; p++) {
        if (p->kind != ENUM)
            continue;
        for (const char *word = p->choices; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
            char params[ROOM], why[ROOM], sizes[ROOM];
            snprintf(params, sizeof params, "%s=%.*s", p->name, (int)strcspn(word, " "), word);
            if (row_takes(row, params, why, sizeof why))
                continue; /* It needs another parameter, too. */
            choices++;
            for (const struct slot *s = slots; s->name; s++)
                for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++) {
                    if (strcmp(k->row, row->name) || strcmp(k->type, "f32"))
                        continue;
                    with_all(sizes, k, params);
                    asked += expect_within(k, params, sizes, known);
                    if (is_due(choices, 3)) /* the others on other days */
                        asked += expect_within(k, params, extents, known);
                }
        }
    }
    answers_close(known);
    cr_expect(!choices || asked, "%s: of %ld choices none is asked", row->name, choices);
}
#define ROW(name) Test(each_choice, of_##name##_is_kept, .timeout = 300) { keeps_each_choice(row_named(#name)); }
#include "rows.h"
#undef ROW
