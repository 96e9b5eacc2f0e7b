/* What edits there are and what they do: words that name places of pages, numbers of parameters, lines that an edit of
 * an index reaches, and the result of a step, once. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "edited.h"
#include "part.h"
#include "words/each.h"

/* Rows made of rows hand each other lines of numbers, and an edit of an index reads lines that the page alone would not
 * make: they are there all the same.  A line that was left out was a null pointer once.  Where every place that an edit
 * can reach holds a number, so does the answer. */
static int reads_lines(const struct trial_spec *spec, bool finite)
{
    static struct edits_drawn all;
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    char err[600];
    struct trial t;
    int lines = 0;
    all.n = 0;
    if (trial_make(&t, spec, err, sizeof err))
        return 0;
    edits_of_sites(&t, some, 2, WORDS_ALL, draw, &all);
    for (int k = 0; k < all.n; k++) {
        struct trial wrong;
        struct arith a;
        if (!strstr(all.change[k], ":index.") && !strstr(all.change[k], ":line."))
            continue;
        cr_assert_eq(trial_copy(&wrong, &t, err, sizeof err), 0, "%s", err);
        *wrong.profile = 0;
        cr_assert_eq(trial_change(&wrong, all.change[k], err, sizeof err), 0, "%s", err);
        cr_assert_geq(trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err), 0, "%s", err);
        reference_run(&wrong, &a);
        for (long i = 0; finite && i < array_len(&wrong.out[0]); i++)
            cr_expect(isfinite(array_get(&wrong.out[0], i)), "%s %s: element %ld is no number", spec->row,
                all.change[k], i);
        trial_close(&wrong), lines++;
    }
    trial_close(&t);
    return lines;
}
Test(edits, of_an_index_reach_lines_that_the_page_alone_leaves_out, .timeout = 120)
{
    cr_assert_gt(
        reads_lines(&(struct trial_spec){ "layer", "heads=2 width=4", "y", MER_F32, "n=3 c=6 normal", 5 }, true), 20);
    cr_assert_gt(
        reads_lines(&(struct trial_spec){ "block", "heads=2 width=4", "encoder", MER_F32, "n=3 c=6 normal", 5 }, true),
        20);
}
Test(edits, of_an_index_are_answered_in_every_row, .timeout = 300)
{
    int lines = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        struct sign first;
        if (!is_due(r - all_rows, 4))
            continue;
        sign_read(&first, (*r)->q[0].sign);
        lines += reads_lines(&(struct trial_spec){ (*r)->name, "", first.out.name, MER_F32, NULL, 5 }, false);
    }
    cr_assert_gt(lines, 100, "%d edits of an index", lines);
}

/* How many operations of its page an output has that edits are about. */
static int operations(const char *row, const char *out)
{
    static struct edits_drawn all;
    static const struct place first = { 0, 0 };
    struct trial t;
    char err[600];
    int n = 0;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, "", out, MER_F32, NULL, 5 }, err, sizeof err), 0, "%s", err);
    all.n = 0, edits_of_sites(&t, &first, 1, WORDS_ALL, draw, &all);
    for (int k = 0; k < all.n; k++)
        n += strncmp(all.change[k], "edit=out:", 9) != 0;
    trial_close(&t);
    return n;
}
/* A fault of a program is mostly a single operation done differently: a page none of whose operations is known leaves
 * its row's faults without names. */
Test(edits, are_about_operations_of_every_page)
{
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            struct sign s;
            sign_read(&s, q->sign);
            cr_expect_gt(operations((*r)->name, s.out.name), 0, "%s.%s", (*r)->name, s.out.name);
        }
}

/* A kernel that copies an input and does no more: where that has the shape of the answer, it is among the edits, and is
 * the answer, line by line; an input of another shape is not. */
Test(edits, the_answer_is_an_input)
{
    static const struct { const char *row, *out, *in, *change; } list[] = {
        { "rope", "y", "x", "edit=out:0:out:given-0" }, { "layernorm", "dx", "x", "edit=out:0:out:given-0" },
        { "feedforward", "du", "da", "edit=out:0:out:given-1" }, { "shaw", "o", "v", "edit=out:0:out:given-2" } };
    static struct edits_drawn all;
    static const struct place first = { 0, 0 };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        struct arith a;
        char err[600];
        bool has = false;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ list[k].row, "", list[k].out, MER_F32,
            k == 3 ? "n=5 m=6" : NULL, 5 }, err, sizeof err), 0, "%s", err);
        all.n = 0, edits_of_sites(&t, &first, 1, WORDS_ALL, draw, &all);
        for (int j = 0; j < all.n; j++)
            has |= !strcmp(all.change[j], list[k].change);
        cr_expect_eq(has, k < 3, "%s.%s: %s", list[k].row, list[k].out, list[k].change);
        cr_assert_geq(trial_profile(&t, list[k].change, &a, ROUND, err, sizeof err), 0, "%s", err);
        reference_run(&t, &a);
        bool same = true;
        const struct mer_array *in = trial_in(&t, list[k].in);
        for (long i = 0; i < array_len(&t.out[0]) && i < array_len(in); i++)
            same = same && array_get(&t.out[0], i) == array_get(in, i);
        cr_expect_eq(same, k < 3, "%s.%s is not %s", list[k].row, list[k].out, list[k].in);
        trial_close(&t);
    }
}

/* An edit may leave a pair without a row of its table: a page that answers the term alone answers 0.  It was a null
 * pointer once. */
Test(edits, that_leave_no_row_are_answered)
{
    static const char *const outs[] = { "c2p", "p2c" };
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    for (int k = 0; k < 2; k++) {
        struct sought want = { "signed.c:", ":plus:mul" };
        struct trial t;
        char err[600];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "deberta", "", outs[k], MER_F32, NULL, 5 }, err, sizeof err),
            0, "%s", err);
        edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
        trial_close(&t);
        cr_assert(*want.change, "%s is not enumerated", outs[k]);
        cr_expect_eq(answered(&t, "deberta", "", outs[k], NULL, want.change), 0, "%s", want.change);
        trial_close(&t);
    }
}

/* Keeps which of the documents' words begin one of the row's. */
struct shown { char word[24][96]; bool there[24]; int n; };
static void find_shown(const char *change, const char *effect, const char *equal, void *with)
{
    struct shown *x = with;
    (void)effect, (void)equal;
    for (int k = 0; k < x->n; k++)
        x->there[k] |= !strncmp(change, x->word[k], strlen(x->word[k])) &&
            strchr(".:-", change[strlen(x->word[k])]);
}
/* Takes the words "edit=FILE:LINE:KIND" of a document. */
static void take_shown(struct shown *x, const char *path)
{
    char line[4000];
    FILE *f = fopen(path, "r");
    cr_assert(f != NULL, "%s", path);
    while (fgets(line, sizeof line, f))
        for (const char *s = line; (s = strstr(s, "edit="));) {
            char file[60], kind[20];
            int at;
            s += 5;
            if (sscanf(s, "%59[a-z0-9_/].c:%d:%19[a-z]", file, &at, kind) != 3)
                continue;
            cr_assert_lt(x->n, 24);
            snprintf(x->word[x->n++], sizeof *x->word, "edit=%s.c:%d:%s", file, at, kind);
        }
    fclose(f);
}
/* Examples name lines of pages, which move: each is an operation that some row has there. */
Test(edits, words_that_documents_show_are_there, .timeout = 60)
{
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    static const char *const documents[] = { "harness/README.md", "ref/core/edit/site.h", "ref/core/edit/whole.h",
        "harness/diagnose/diagnose.h", "harness/diagnose/diagnose.c" };
    static struct shown x;
    char err[400];
    for (size_t k = 0; k < sizeof documents / sizeof *documents; k++)
        take_shown(&x, documents[k]);
    cr_assert_geq(x.n, 8, "%d words", x.n);
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign && q < (*r)->q + 2; q++) {
            struct sign s;
            struct trial t;
            sign_read(&s, q->sign);
            if (!trial_make(&t, &(struct trial_spec){ (*r)->name, "", s.out.name, MER_F32, "", 5 }, err, sizeof err))
                edits_of_sites(&t, some, 2, WORDS_ALL, find_shown, &x);
            trial_close(&t);
        }
    for (int k = 0; k < x.n; k++)
        cr_expect(x.there[k], "%s: no row has such an operation there", x.word[k]);
}

/* A page that is looked at answers what it answers otherwise; and a word that names no place, kind or operation is
 * refused. */
Test(edits, a_page_that_is_looked_at_is_the_same)
{
    struct arith a;
    char err[600];
    static const char *const unknown[] = { "edit=nowhere:0:add:zero", "edit=nowhere:1:in:zero" };
    static const char *const elsewhere[] = { "edit=nowhere:0:add:zero", "edit=nowhere:1:mul.2:roll" };
    cr_expect(!same_effect("shaw", "", "o", "", unknown));
    cr_expect(same_effect("shaw", "", "o", "", elsewhere));
    for (const char *const *s = (const char *const[]){ "edit=rope.c:1:mul:roll", "edit=rope.c:1:mul.9:roll",
             "edit=rope.c:mul:div", "edit=rope.c:1:mul:div:5of4", "edit=rope.c:1:mul:div:1of4:2", NULL }; *s; s++)
        cr_expect_eq(arith_read(&a, row_named("rope"), *s, WIDEN, err, sizeof err), -1, "%s", *s);
}

/* A number in another form is the same number, or there are no such edits: with the base that a law has changed, the
 * frequency is no power of the base that is given.  Each power that has edits does something. */
Test(edits, of_another_form_change_what_is_answered)
{
    static struct edits_drawn all;
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    static const char *const params[] = { "dim=16", "dim=16 scaling=ntk factor=8",
        "dim=16 scaling=dynamic factor=8 trained=64 length=256" };
    for (int k = 0; k < 3; k++) {
        struct trial t;
        char err[600];
        int powers = 0;
        all.n = 0;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", params[k], "freq", MER_F32, "", 5 }, err,
            sizeof err), 0, "%s", err);
        edits_of_sites(&t, some, 2, WORDS_ALL, draw, &all);
        trial_close(&t);
        for (int n = 0; n < all.n; n++)
            if (strstr(all.change[n], ":pow:mul")) {
                const char *const change[] = { all.change[n], "edit=nowhere:0:add:zero" };
                powers++;
                cr_expect(!same_effect("rope", params[k], "freq", "", change), "%s %s", params[k], *change);
            }
        cr_expect_eq(powers, 2, "%s: %d powers", params[k], powers);
    }
}

/* length=-1 says that there is no padding: one more than that is no mistake by one. */
Test(edits, what_is_none_is_not_counted_on)
{
    static const struct { const char *params; int rc; } asked[] = { { "", -1 }, { "length=3", 0 }, { "length=0", 0 } };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct trial t;
        char err[600] = "";
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", asked[k].params, "o", MER_F32, NULL, 5 }, err,
            sizeof err), 0, "%s", err);
        cr_expect(trial_change(&t, "length+=1", err, sizeof err) == asked[k].rc, "%s: %s", asked[k].params, err);
        cr_expect(!asked[k].rc || strstr(err, "length"), "%s", err);
        trial_close(&t);
    }
}

/* What stands in place of another: the number of a parameter is written by its name. */
Test(edits, a_parameter_takes_the_number_of_another)
{
    struct trial t;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=bottomright chunk=5", "o", MER_F32, "n=9",
        3 }, err, sizeof err), 0);
    cr_assert_eq(trial_change(&t, "chunk=0 window=chunk", err, sizeof err), 0, "%s", err);
    cr_expect(mer_int(&t.call, "window") == 5 && mer_int(&t.call, "chunk") == 0, "%s", t.text);
    cr_expect_neq(trial_change(&t, "causal=chunk", err, sizeof err), 0);
    trial_close(&t);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "y", MER_F32, "n=3", 3 }, err, sizeof err), 0);
    cr_assert_eq(trial_change(&t, "layout+=3", err, sizeof err), 0, "%s", err);
    cr_expect(mer_is(&t.call, "layout", "interleaved"), "%s", t.text);
    cr_assert_eq(trial_change(&t, "layout+=-5", err, sizeof err), 0, "%s", err);
    cr_expect(mer_is(&t.call, "layout", "half"), "%s", t.text);
    /* Of several words none is lost. */
    const double x = array_get(&t.in[0], 5);
    cr_assert_eq(trial_change(&t, "x*=4 x*=-2 layout=interleaved", err, sizeof err), 0, "%s", err);
    cr_expect(array_get(&t.in[0], 5) == -8 * x && x != 0 && mer_is(&t.call, "layout", "interleaved"), "%s", t.text);
    cr_expect_neq(trial_change(&t, "x*=4 nothing=1", err, sizeof err), 0);
    trial_close(&t);
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "", "o", MER_F32, "n=4 m=4 h=1 g=1 d=8 e=8", 3 },
        err, sizeof err), 0);
    const double key = array_get(mer_find(t.in, t.call.n_in, "k"), 3), value = array_get(
        mer_find(t.in, t.call.n_in, "v"), 3);
    cr_assert_eq(trial_change(&t, "k<>v v*=2", err, sizeof err), 0, "%s", err);
    cr_expect(array_get(mer_find(t.in, t.call.n_in, "k"), 3) == value &&
        array_get(mer_find(t.in, t.call.n_in, "v"), 3) == 2 * key, "an exchange, and what is left of its line");
    trial_close(&t);
}

/* The answer of row rope, dim=8, under an edit of its products, all exact; NULL: as the page is. */
static void turned_by(const char *change, double y[8])
{
    struct trial t;
    struct arith a = { .how = EXACT };
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "rope", "dim=8", "y", MER_F64, "h=1 n=1 normal", 3 }, err,
        sizeof err), 0, "%s", err);
    array_put(mer_find(t.in, t.call.n_in, "pos"), 0, 5);
    *t.profile = 0;
    cr_assert(!change || !trial_change(&t, change, err, sizeof err), "%s", err);
    cr_assert(!trial_profile(&t, t.profile, &a, EXACT, err, sizeof err) || change, "%s", err);
    reference_run(&t, &a);
    for (int k = 0; k < 8; k++)
        y[k] = array_get(&t.out[0], k);
    trial_close(&t);
}
/* Of four products for each of four pairs, the first half are those of the first two pairs; and one is the first. */
Test(edits, halves_of_a_line_are_those_of_its_turns)
{
    double own[8], early[8], late[8], first[8], last[8];
    turned_by(NULL, own);
    turned_by("edit=rope.c:75:mul:double:early", early), turned_by("edit=rope.c:75:mul:double:late", late);
    turned_by("edit=rope.c:75:mul:double:first", first), turned_by("edit=rope.c:75:mul:double:last", last);
    for (int k = 0; k < 8; k++) {
        const bool before = k % 4 < 2;
        cr_expect(early[k] == (before ? 2 : 1) * own[k] && late[k] == (before ? 1 : 2) * own[k], "%d: %g %g %g", k,
            own[k], early[k], late[k]);
        cr_expect_eq(first[k] != own[k], k == 0, "the first product is of the first number: %d", k);
        cr_expect_eq(last[k] != own[k], k == 7, "the last one of the last: %d", k);
    }
}

/* A constant that a step holds, a scale or a cap, is no result of it: an edit of the step changes what it gives,
 * once. */
Test(edits, once)
{
    static const struct {
        const char *row, *params, *out, *edit, *same;
    } list[] = {
        { "attention", "scale=1/2", "o", "edit=score:double", "scale=1" },
        { "attention", "", "o", "edit=score:double", "q@=double" },
        { "attention", "", "o", "edit=score:negate", "q@=negate" },
        { "shaw", "", "o", "edit=score:negate", "q@=negate" },
        { "softmax", "scale=1/2", "p", "edit=score:double", "scale=1" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(same_effect(list[k].row, list[k].params, list[k].out, "",
                      (const char *const[]){ list[k].edit, list[k].same }),
            "%s %s: %s and %s", list[k].row, list[k].params, list[k].edit, list[k].same);
}

/* Opened over the declared question, an edit is the one that is opened by itself: the same key, the same numbers, the
 * same radii. */
Test(edits, over_the_declared_question_are_what_they_are_alone, .timeout = 120)
{
    static const struct { struct trial_spec of; const char *profile; } asked[] = {
        { { "rope", "dim=6 base=10000", "cos sin", MER_F32, "n=3", 5 }, "phase=f32 table=f32" },
        { { "attention", "causal=bottomright window=3", "o", MER_BF16, "h=4 g=2 n=3 m=7 bias sink", 5 },
            "in.k=f16 route=online block=2 dot=f32/lanes8[m>=7] dot=f64[m<7] weight=bf16 sum=f32" },
        { { "layer", "heads=2 width=4", "y", MER_F32, "n=3 c=6", 5 }, "project=f32 attention.exp=f32 dot=f64" },
    };
    static struct edits_drawn all;
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct trial t;
        struct hypothesis declared;
        char err[900];
        cr_assert_eq(trial_make(&t, &asked[k].of, err, sizeof err), 0, "%s", err);
        snprintf(t.profile, sizeof t.profile, "%s", asked[k].profile);
        const struct place some[] = { { 0, 0 }, { 0, 1 } };
        cr_assert(hypothesis_open(&declared, &t, "", NULL), "%s: %s", asked[k].of.row, asked[k].profile);
        all.n = 0;
        edits_of_sites(&t, some, 2, WORDS_ALL, draw, &all), edits_each(&t, draw, &all);
        int same = 0;
        for (int e = 0; e < all.n; e++) {
            struct hypothesis alone, over;
            double v[2][64], r[2][64];
            if (!change_is_edit(all.change[e]) || !is_due(e, 8))
                continue;
            const bool made = hypothesis_open(&alone, &t, all.change[e], NULL);
            cr_assert_eq(hypothesis_over(&over, &declared, all.change[e]), made, "%s", all.change[e]);
            cr_assert(place_len(&t, some) <= 64);
            if (made) {
                const bool says = hypothesis_says(&alone, some, v[0], r[0]);
                const size_t bytes = (size_t)place_len(&t, some) * sizeof **v;
                cr_expect(over.key == alone.key && over.wider == alone.wider, "%s", all.change[e]);
                cr_expect_eq(hypothesis_says(&over, some, v[1], r[1]), says, "%s", all.change[e]);
                cr_expect(!memcmp(v[0], v[1], bytes) && !memcmp(r[0], r[1], bytes), "%s", all.change[e]);
                same++;
            }
            hypothesis_close(&over), hypothesis_close(&alone);
        }
        cr_expect_gt(same, 10, "%s: %d edits", asked[k].of.row, same);
        hypothesis_close(&declared), trial_close(&t);
    }
}

/* Which of both signs words of one branch speak of, and whether what they do says so. */
struct branches { bool of[2]; };
static void branch(const char *change, const char *effect, const char *equal, void *with)
{
    static const char *const sign[] = { "negative", "positive" };
    struct branches *b = with;
    (void)equal;
    for (int k = 0; k < 2; k++) {
        char says[40];
        const bool is = strstr(change, sign[k]) != NULL;
        snprintf(says, sizeof says, " (of %s numbers)", sign[k]);
        b->of[k] |= is && strstr(change, ":sigmoid:exp:");
        cr_expect_eq(strstr(effect, says) != NULL, is, "%s: %s", change, effect);
    }
}
/* One branch of a function is asked where a line has numbers of its sign, be it of one of several lines. */
Test(edits, of_one_sign_are_asked_where_a_line_has_numbers_of_it)
{
    static const double gates[] = { -1, -2, 1, 2, -1, 2 };
    static const struct { struct place p[2]; int n; bool negative, positive; } list[] = {
        { { { 0, 0 } }, 1, true, false }, { { { 0, 1 } }, 1, false, true }, { { { 0, 2 } }, 1, true, true },
        { { { 0, 0 }, { 0, 1 } }, 2, true, true }, { { { 0, 1 }, { 0, 0 } }, 2, true, true },
    };
    struct trial t;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "gatedout", "", "y", MER_F32, "h=1 g=1 n=3 m=2 d=2 e=2", 5 }, err,
        sizeof err), 0, "%s", err);
    for (long k = 0; k < 6; k++)
        array_put(mer_find(t.in, t.call.n_in, "gate"), k, gates[k]);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct branches b = { { false, false } };
        edits_of_sites(&t, list[k].p, list[k].n, WORDS_SIGNS, branch, &b);
        cr_expect(b.of[0] == list[k].negative && b.of[1] == list[k].positive, "%zu: %d %d", k, b.of[0], b.of[1]);
    }
    trial_close(&t);
}

/* The state of another token changes the gradient that meets it, and the one that reads the state behind it. */
Test(edits, the_state_of_another_token_is_another_one)
{
    static const struct { const char *row, *out; struct sought want; } list[] = {
        { "deltanet", "dk", { "state_grad.c:", "index.0:back" } },
        { "linear", "dq", { "state_grad.c:", "index.0:before", .last = true } },
    };
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    static const char sizes[] = "g=1 h=1 n=4 d=3 e=2 normal";
    for (int k = 0; k < 2; k++) {
        struct sought want = list[k].want;
        struct trial t;
        char err[600];
        const struct trial_spec spec = { list[k].row, "", list[k].out, MER_F32, k ? sizes + 4 : sizes, 5 };
        cr_assert_eq(trial_make(&t, &spec, err, sizeof err), 0, "%s", err);
        edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
        trial_close(&t);
        cr_assert(*want.change, "%s", list[k].row);
        cr_expect_eq(answered(&t, spec.row, "", spec.outs, spec.sizes, want.change), 0, "%s", want.change);
        trial_close(&t);
    }
}
