/* Shapes that no list names: every row's signatures with extents at random and optional inputs in every combination,
 * under presets and other conventions.  What a trial takes, its page answers; what it refuses, it refuses in one line.
 * Each row is asked in a child, which says what it is at: a page that aborts costs one question, and is a failure that
 * names it. */
#include <criterion/criterion.h>
#include <sys/mman.h>
#include "base/clock.h"
#include "climb/climb.h"
#include "command.h"
#include "compare/compare.h"
#include "compare/line_at.h"

/* QUESTIONS are asked of a row, and at least LEAST of each of its quantities. */
enum { QUESTIONS = 130, LEAST = 5, CRASHES = 6, LINES = 2 };
/* What parent and child share; `aloud` counts refusals that are not one line. */
struct at { long question, made, refused, aloud; char now[6000]; };

struct words { char text[4000]; };
static void add(struct words *w, const char *word)
{
    const size_t n = strlen(w->text);
    if (n + strlen(word) + 2 < sizeof w->text)
        sprintf(w->text + n, "%s%s", n ? " " : "", word);
}

/* One preset, and up to three other choices or small numbers. */
static void draw_conventions(struct words *w, const struct row *row, struct chance *r)
{
    long presets = 0, params = 0;
    char word[800];
    while (row->presets[presets].name)
        presets++;
    while (row_params(row)[params].name)
        params++;
    add(w, row->presets[chance_below(r, presets)].text);
    for (long k = chance_below(r, 4); k > 0 && params; k--) {
        const struct param *p = &row_params(row)[chance_below(r, params)];
        if (p->kind == ENUM || p->kind == ROUTE) {
            const char *s = p->choices;
            for (long skip = chance_below(r, 8); skip > 0; skip--) {
                s += strcspn(s, " "), s += strspn(s, " ");
                s = *s ? s : p->choices;
            }
            snprintf(word, sizeof word, "%s=%.*s", p->name, (int)strcspn(s, " "), s);
        } else if (p->kind == INT)
            snprintf(word, sizeof word, "%s=%ld", p->name, chance_below(r, 9) - chance_one_in(r, 12));
        /* A number near 3, of few digits or of many, which a page has to hand on whole. */
        else if (p->kind == RATIONAL)
            snprintf(word, sizeof word, chance_one_in(r, 2) ? "%s=7/2" : "%s=3%0300d/1%0300d", p->name, 1, 0);
        else
            continue;
        add(w, word);
    }
}

/* Draws letters and optional inputs of one quantity; combination has a bit for each of those, set where it is there. */
static void draw_shapes(
    struct words *w, const struct row *row, const struct sign *s, unsigned long combination, struct chance *r)
{
    char word[32], seen[64] = "";
    /* Key heads divide the heads; the row's own choice often does not. */
    const long groups = 1 + chance_below(r, 3);
    int optional = 0;
    for (int k = 0; k <= s->n_in; k++) {
        const struct axes *x = k < s->n_in ? &s->in[k] : &s->out;
        /* Cumulative lengths come together, and have one bit. */
        if (x->optional && combination >> (x->upto ? 0 : optional++) & 1)
            add(w, x->name);
        for (int j = 0; j < x->rank; j++)
            if (!strchr(seen, x->axis[j])) {
                seen[strlen(seen)] = x->axis[j];
                if (chance_one_in(r, 8)) /* Now and then the row's own choice stays. */
                    continue;
                const long most = row->parts ? 3 : 5, n = chance_one_in(r, 40) ? 0 : 1 + chance_below(r, most);
                snprintf(word, sizeof word, "%c=%ld", x->axis[j],
                    x->axis[j] == 'h'     ? n * groups :
                        x->axis[j] == 'g' ? groups :
                                            n);
                add(w, word);
            }
    }
}

static void answer(struct trial *t, const struct quantity *q, const struct sign *s)
{
    struct arith exact = { .how = EXACT };
    struct ask w = { .arith = &exact, .params = t->params, .call = &t->call };
    const struct mer_array *out = &t->out[0];
    long lines = 1, len = 1;
    for (int k = 0; k < out->rank; k++)
        *(k < s->out.lead ? &lines : &len) *= out->dim[k];
    const struct ball **y = need((size_t)len + 1, sizeof *y);
    w.len = len;
    for (long pick = 0; pick < LINES && pick < lines && len; pick++) {
        line_at(&w, out, s->out.lead, pick ? lines - 1 : 0);
        ask_reset(&w, 53);
        line_page(&w, q, NULL, y);
    }
    free(y), ask_clear(&w);
}

static void ask(const struct row *row, long question, struct at *at)
{
    struct chance r = { .seed = 20261123, .at = (uint64_t)question << 16 };
    const struct quantity *q = &row->q[0];
    struct words params = { "" }, sizes = { "" };
    struct trial t = { .params = NULL };
    struct sign s;
    char err[900] = "";
    long n = 0;
    while (row->q[n].sign)
        n++;
    q = &row->q[question % n];
    sign_read(&s, q->sign);
    draw_conventions(&params, row, &r);
    draw_shapes(
        &sizes, row, &s, question / n < 4 ? (unsigned long[]){ 0, ~0UL, 1, 2 }[question / n] : chance_bits(&r), &r);
    snprintf(at->now, sizeof at->now, "%s %s, params '%s', sizes '%s'", row->name, s.out.name, params.text, sizes.text);
    if (trial_make(&t, &(struct trial_spec){ row->name, params.text, s.out.name, MER_F64, sizes.text,
        1 + (uint64_t)question }, err, sizeof err) || trial_check(&t, err, sizeof err)) {
        at->refused++;
        at->aloud += strlen(err) < 5 || strchr(err, '\n');
    } else
        at->made++, answer(&t, q, &s);
    trial_close(&t);
}

static void ask_row(const struct row *row, struct at *at)
{
    long n = 0, crashes = 0;
    while (row->q[n].sign)
        n++;
    const long questions = n * LEAST > QUESTIONS ? n * LEAST : QUESTIONS;
    while (at->question < questions && crashes < CRASHES) {
        int status;
        const pid_t pid = fork();
        if (pid == 0) {
            alarm((unsigned)(60 * slower)); /* This is for all questions of a row. */
            for (; at->question < questions; at->question++)
                ask(row, at->question, at);
            _exit(0);
        }
        cr_assert(pid > 0 && waitpid(pid, &status, 0) == pid);
        if (WIFEXITED(status) && !WEXITSTATUS(status))
            break;
        cr_expect(false, "signal %d: %s", WTERMSIG(status), at->now);
        crashes++, at->question++;
    }
}

Test(shapes, what_is_taken_is_answered_and_what_is_not_is_refused_in_a_line, .timeout = 120)
{
    struct at *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(at, MAP_FAILED);
    for (const struct row *const *row = all_rows; *row; row++) {
        *at = (struct at){ 0 };
        ask_row(*row, at);
        fprintf(stderr, "%s: %ld answered, %ld refused\n", (*row)->name, at->made, at->refused);
        cr_expect(at->made > 0 && at->aloud == 0, "%s: %ld answered, %ld of %ld refusals are no line", (*row)->name,
            at->made, at->aloud, at->refused);
    }
    munmap(at, sizeof *at);
}

/* What a part of the row refuses is refused at every door, before a page runs: on the command line with exit status 2
 * and one line. */
Test(shapes, that_a_part_refuses_are_refused_at_the_door)
{
    static const struct { const char *args, *says; } list[] = {
        { "judge own:scalar --row txl --sizes c=1", "sinusoids are 1 wide" },
        { "judge own:scalar --row xlnet --sizes c=1", "sinusoids are 1 wide" },
        { "judge own:scalar --row encdec --sizes c=1", "positions that are added to src[m,1]" },
        { "judge own:scalar --row deberta --out layer_heads --sizes bkr", "bkr is the bias of wkr" },
        { "judge own:scalar --row deberta --out layer_heads --sizes 'bkr wkr bqr'", "bqr is the bias of wqr" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const int rc = meridian("", list[k].args);
        cr_expect(rc == 2 && !*out && lines(err) == 1 && strstr(err, list[k].says), "%s: %d '%s' '%s'", list[k].args,
            rc, out, err);
    }
    /* DeBERTa v1 has a projection of keys without a bias. */
    cr_expect_eq(meridian("", "judge own:scalar --row deberta --out layer_heads --sizes wkr"), 0, "%s", err);
}

/* A number of many digits reaches a part whole: beside a neighbour of 2 digits, 10^-300 away, every output is the same
 * double. */
Test(shapes, numbers_of_many_digits_reach_the_parts_whole, .timeout = 120)
{
    struct arith exact = { .how = EXACT };
    char out[40], text[2][700], err[900];
    long asked = 0;
    for (const struct row *const *row = all_rows; *row; row++)
        for (const struct param *p = row_params(*row); p->name; p++) {
            struct trial t[2] = { { .params = NULL }, { .params = NULL } };
            struct sign s;
            bool made = p->kind == RATIONAL;
            sign_read(&s, (*row)->q[0].sign);
            snprintf(out, sizeof out, "%s", s.out.name);
            snprintf(text[0], sizeof text[0], "%s=5/2", p->name),
                snprintf(text[1], sizeof text[1], "%s=25%0299d/1%0300d", p->name, 1, 0);
            for (int k = 0; k < 2 && made; k++)
                made = !trial_make(&t[k], &(struct trial_spec){ (*row)->name, text[k], out, MER_F64, "n=3 m=3", 1 },
                    err, sizeof err);
            if (made) {
                reference_run(&t[0], &exact), reference_run(&t[1], &exact), asked++;
                cr_expect_eq(memcmp(t[0].out[0].data, t[1].out[0].data, (size_t)array_len(&t[0].out[0]) * 8), 0,
                    "%s.%s %s", (*row)->name, out, p->name);
            }
            trial_close(&t[0]), trial_close(&t[1]);
        }
    cr_expect_gt(asked, 30);
}
