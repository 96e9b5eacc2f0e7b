/* The default question: what a covering design asks, and which faults it meets that plain questions pass. */
#include <criterion/criterion.h>
#include "command.h"
#include "design/cover.h"
#include "kernels.h"

/* Every pair of choices is asked or said to be impossible, and no question is refused. */
static void covers(const struct row *r, const char *outs)
{
    struct cover c;
    struct cover_question q;
    long n[4], asked = 0;
    char err[400];
    cover_open(&c, r, r->presets, outs, MER_F32, NULL);
    for (int turn = 0; cover_input(&c, &turn, &q); asked++) {
        struct trial t;
        cr_expect_eq(trial_make(&t, &(struct trial_spec){ r->name, c.presets[q.preset].text, outs, MER_F32, q.sizes,
            1 }, err, sizeof err), 0, "%s %s: %s", r->name, q.sizes, err);
        trial_close(&t);
        cover_answered(&c, &q);
    }
    while (cover_next(&c, &q)) {
        double bytes;
        struct trial t;
        cr_assert_lt(++asked, 5000, "%s %s", r->name, outs);
        cr_expect_eq(trial_size(&t, &(struct trial_spec){ r->name, c.presets[q.preset].text, outs, MER_F32, q.sizes },
            &bytes, err, sizeof err), 0, "%s %s: %s", r->name, q.sizes, err);
        trial_close(&t);
        cover_answered(&c, &q);
    }
    cover_count(&c, n);
    cr_expect(n[PAIR_OPEN] == 0 && n[PAIR_ASKED] > 0, "%s %s: %ld open, %ld asked", r->name, outs, n[PAIR_OPEN],
        n[PAIR_ASKED]);
    cover_close(&c);
}
Test(cover, every_pair_of_choices_of_every_row_is_asked_or_impossible, .timeout = 300)
{
    for (const struct row *const *r = all_rows; *r; r++) {
        struct sign s;
        sign_read(&s, (*r)->q[0].sign);
        covers(*r, s.out.name);
    }
}

/* A row whose numbers cost more than it seems is asked nothing that would take longer than two seconds by that. */
Test(cover, what_takes_too_long_is_not_asked)
{
    long dear[2] = { 0, 0 }, asked[2] = { 0, 0 };
    for (int slow = 0; slow < 2; slow++) {
        struct cover c;
        struct cover_question q;
        long n[4];
        cover_open(&c, row_named("encdec"), row_named("encdec")->presets, "logits", MER_F32, NULL);
        cr_assert(cover_next(&c, &q));
        if (slow) /* 1000 numbers took 0.1 s; a faster question afterwards changes nothing. */
            cover_took(&c, &q, 1e-4 * q.work), cover_took(&c, &q, 1e-6 * q.work), cover_took(&c, &q, 0);
        cover_answered(&c, &q);
        for (; cover_next(&c, &q) && asked[slow] < 500; cover_answered(&c, &q), asked[slow]++)
            cr_expect(!slow || q.work <= 2e4, "%s: %g numbers", q.sizes, q.work);
        cover_count(&c, n), dear[slow] = n[PAIR_DEAR];
        cover_close(&c);
    }
    cr_expect(dear[1] > dear[0] && asked[1] > 5, "%ld and %ld, %ld asked", dear[0], dear[1], asked[1]);
}

/* A design ends whatever its questions are answered: all declined; each preset ended when it comes for the third time,
 * or the tenth, its question left open; each second one declined. */
Test(cover, a_design_ends_whatever_is_answered, .timeout = 120)
{
    for (const struct row *const *r = all_rows; *r; r++)
        for (int way = 0; way < 4; way++) {
            struct cover c;
            struct cover_question q;
            struct sign s;
            long turn = 0, times[COVER_LEVELS] = { 0 };
            sign_read(&s, (*r)->q[0].sign);
            cover_open(&c, *r, (*r)->presets, s.out.name, MER_F32, NULL);
            for (; turn < 6000 && cover_next(&c, &q); turn++)
                if (way == 0 || (way == 3 && turn & 1))
                    cover_declined(&c, &q);
                else if (way < 3 && times[q.level[0]]++ >= (way == 1 ? 2 : 9))
                    cover_end_preset(&c, q.level[0]);
                else
                    cover_answered(&c, &q);
            cr_expect_lt(turn, 6000, "%s, way %d", (*r)->name, way);
            cover_close(&c);
        }
}

/* The outputs of every own kernel have a design, also where sizes are such that no other extent of a letter fits. */
Test(cover, the_outputs_of_every_kernel_have_a_design)
{
    long designs = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row; k++, designs++) {
            struct cover c;
            cover_open(&c, row_named(k->row), row_named(k->row)->presets, k->out, type_named(k->type), NULL);
            cr_expect(c.n > 1 && c.levels > 1, "%s %s", k->row, k->out);
            cover_close(&c);
            /* Of an output that there is not, as in a list that was cut, nothing is free. */
            char cut[300];
            snprintf(cut, sizeof cut, "%.200s nosuch", k->out);
            cover_open(&c, row_named(k->row), row_named(k->row)->presets, cut, type_named(k->type), NULL);
            cover_close(&c);
        }
    cr_expect_gt(designs, 200);
}

/* Widths that a row has a usual size for are asked like all others; extents that have to agree stay as they are. */
Test(cover, every_width_that_can_be_chosen_is)
{
    static const struct { const char *row, *outs, *varied, *kept; } list[] = {
        { "gateddelta", "o final", "d e n", "" },
        { "deltanet", "o final", "d e n", "" },
        { "conv", "y final", "c w n", "" },
        { "mla", "o lse", "d e l n m", "" },
        { "cope", "o lse", "d e p", "" },
        { "differential", "o", "d e", "" },
        { "deberta", "o lse", "d e", "" },
        { "xlnet", "o lse", "d e", "r" },
        { "fire", "bias", "s h", "" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct row *r = row_named(list[k].row);
        struct cover c;
        cover_open(&c, r, r->presets, list[k].outs, MER_F32, NULL);
        for (const char *s = list[k].varied; *s; s += 1 + (s[1] == ' ')) {
            int levels = 0;
            for (int j = 0; j < c.n; j++)
                levels += c.choice[j].kind == OF_LETTER && *c.choice[j].name == *s ? c.choice[j].n : 0,
                    levels += c.choice[j].kind == OF_GROUPS && strchr("hg", *s) ? c.choice[j].n : 0;
            cr_expect_gt(levels, 3, "%s %s: %d extents of %c", list[k].row, list[k].outs, levels, *s);
        }
        for (int j = 0; j < c.n && *list[k].kept; j++)
            cr_expect(c.choice[j].kind != OF_LETTER || *c.choice[j].name != *list[k].kept, "%s: %s", list[k].row,
                list[k].kept);
        cover_close(&c);
    }
}

/* A letter's place in the signatures says what it is: lengths cross blocks by one on both sides, widths are odd and
 * prime. */
Test(cover, lengths_cross_blocks_and_inputs_come_alone_and_together)
{
    struct cover c;
    const struct row *r = row_named("attention");
    int inputs = 0;
    cover_open(&c, r, r->presets, "o", MER_F32, NULL);
    for (int k = 0; k < c.n; k++) {
        const struct choice *x = &c.choice[k];
        bool has[300] = { false };
        for (int j = 0; j < x->n; j++)
            has[x->level[j] < 300 ? x->level[j] : 0] = true;
        inputs += x->kind == OF_INPUT;
        if (!strcmp(x->name, "n") || !strcmp(x->name, "m"))
            cr_expect(has[15] && has[17] && has[63] && has[65] && has[127] && has[129] && has[255] && has[257], "%s",
                x->name);
        if (!strcmp(x->name, "d") || !strcmp(x->name, "e"))
            cr_expect(has[7] && has[13] && has[67] && !has[257], "%s", x->name);
    }
    /* bias, keep, doc, query_doc, cu_seqlens_q, cu_seqlens_k, sink, q_gain and k_gain. */
    cr_expect_eq(inputs, 9, "%d", inputs);
    cover_close(&c);
}

/* Right under plain questions, wrong where an input comes: the example, told to leave an input unread. */
Test(cover, an_input_that_is_not_read_is_a_failure_and_named, .timeout = 120)
{
    cr_assert_eq(system("sed 's/ || !mer_only(c, \"x pos\")//' harness/adapters/examples/rope.c > build/unread.c && cc "
                        "-std=c11 -O2 -ffp-contract=off -Ifast -fPIC -shared -o build/unread.so build/unread.c -lm"),
        0);
    cr_expect(meridian("", "judge build/unread.so --checks none --preset paper") == 1 &&
            strstr(out, "\"COVER freq\"") && strstr(out, "the input freq is read not at all"),
        "%s%s", out, err);
    cr_expect(meridian("", "judge build/unread.so --checks none --preset paper --few") == 0, "%s%s", out, err);
    cr_expect(meridian("", "judge build/example.so --checks none --preset paper") == 0 &&
            strstr(out, "not offered: freq cos sin"),
        "%s%s", out, err);
}

/* The example with other words in the place of mer_real(c, "base"). */
static void base_is(const char *words)
{
    char command[400];
    snprintf(command, sizeof command, "sed 's/mer_real(c, \"base\")/%s/' harness/adapters/examples/rope.c "
        "> build/baseless.c && cc -std=c11 -O2 -ffp-contract=off -Ifast -fPIC -shared -o build/baseless.so "
        "build/baseless.c -lm", words);
    cr_assert_eq(system(command), 0);
}
/* No preset among those that it answers has another base: a kernel that answers several and does not read the base, or
 * reads it in some branches alone, is asked for it all the same.  The example declines other scalings, and passes. */
Test(cover, parameters_that_no_preset_has_are_asked, .timeout = 120)
{
    static const char *const read[] = { "10000",
        "(mer_is(c, \"layout\", \"interleaved\") || mer_int(c, \"rotary\") ? mer_real(c, \"base\") : 10000)" };
    for (size_t k = 0; k < 2; k++) {
        base_is(read[k]);
        cr_expect(meridian("", "judge build/baseless.so --checks none --verdicts") == 1 &&
            strstr(out, "\"PARAMETER base=") && strstr(out, "asked to tell whether base is read"), "%s%s", out, err);
        cr_expect(!strstr(out, "COVER n=") && !strstr(out, "COVER h=") && !strstr(out, " RANDOM "), "%s", out);
    }
    cr_expect(meridian("", "judge build/baseless.so --checks none --preset paper") == 0, "%s%s", out, err);
    cr_expect(meridian("", "judge build/example.so --checks none") == 0, "%s%s", out, err);
    /* The factor of a scaling matters under that scaling alone. */
    const char *untold = strstr(out, "no question was found that such a value changes, of: ");
    cr_expect(untold && strstr(untold, " factor "), "%s", out);
}

/* Right wherever the design asks, and wrong of subnormal numbers alone: questions at random find it, say how to ask
 * again, and a kernel that is right answers that question, too. */
Test(cover, what_no_design_thought_of_is_found_at_random, .timeout = 120)
{
    char ask[600] = "", command[800];
    cr_assert_eq(system("sed 's/double u = (double)\\*a/double u = fabsf(*a) < 0x1p-126f ? 0 : (double)*a/' "
                        "harness/adapters/examples/rope.c > build/flushed.c && cc -std=c11 -O2 -ffp-contract=off "
                        "-Ifast -fPIC -shared -o build/flushed.so build/flushed.c -lm"), 0);
    cr_expect(meridian("", "judge build/flushed.so --preset paper --checks none --few") == 0, "%s%s", out, err);
    cr_expect(meridian("", "judge build/flushed.so --preset paper --checks none") == 1 && strstr(out, " RANDOM "),
        "%s%s", out, err);
    const char *from = strstr(out, "--ask '");
    cr_assert(from && sscanf(from, "--ask '%599[^']", ask) == 1, "%s", out);
    snprintf(command, sizeof command, "judge build/flushed.so --ask '%s'", ask);
    cr_expect(meridian("", command) == 1, "%s: %s%s", command, out, err);
    snprintf(command, sizeof command, "judge build/example.so --ask '%s'", ask);
    cr_expect(meridian("", command) == 0 && strstr(out, " RANDOM "), "%s: %s%s", command, out, err);
    cr_expect(meridian("", "judge build/example.so --ask 'rope|y'") == 2 && strstr(err, "9 fields"), "%s", err);
    cr_expect(meridian("", "judge build/example.so --few --ask 'rope|y'") == 2 && strstr(err, "--few"), "%s", err);
    cr_expect(meridian("", "judge build/example.so --ask 'rope|dx|f32|subject|-|-|n=1 seed=1|-|-'") == 2 &&
            strstr(err, "no kernel of that row"), "%s", err);
}

/* Rows that the caller brings may be one wide, where a table of sinusoids cannot be: a kernel that does not read them
 * declines, and does not fail while it makes a table for nothing. */
Test(cover, rows_that_are_not_read_are_declined)
{
    cr_expect_eq(meridian("", "judge own:scalar --row xlnet --ask 'xlnet|o lse|f32|subject|-|-|rows c=1 d=1 h=1 m=1 "
                              "n=1 seed=1|-|q=1 k=1 v=1*2 u=1 vr=0 wr=0 rs=0 se=0*2 seg=1*2 rows=0*32'"), 77,
        "%s%s", out, err);
}
