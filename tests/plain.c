/* Every quantity of every row, asked by a pack that says only row, quantity, parameters, arrays and "f32"; generated
 * from the rows' tables. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include "base/words.h"
#include "compare/compare.h"
#include "core/arrayfile.h"
#include "examine/examine.h"
#include "pack/open.h"
#include "row/every.h"

static const char *dir; /* The folder of this test alone, as tests run side by side. */

static const char *saved(const struct mer_array *a)
{
    static char file[64];
    char path[120];
    snprintf(file, sizeof file, "%s.%s", a->name, a->type == MER_BF16 ? "safetensors" : "npy");
    snprintf(path, sizeof path, "%s/%s", dir, file);
    cr_assert_eq(array_write(path, a), 0);
    return file;
}

static json_t *object_of(const char *text)
{
    json_t *o = json_object();
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s)) {
        char key[64], value[400];
        const size_t n = strcspn(s, "=");
        snprintf(key, sizeof key, "%.*s", (int)n, s);
        snprintf(value, sizeof value, "%.*s", (int)(strcspn(s, " ") - n - 1), s + n + 1);
        json_object_set_new(o, key, json_string(value));
    }
    return o;
}

/* Writes the pack; `output` is the key under which the answer stands in it. */
static void plain(const struct trial *t, const char *params, const char *output, const char *profile)
{
    char path[120];
    json_t *in = json_object(), *c;
    mkdir(dir, 0777);
    for (int k = 0; k < t->call.n_in; k++)
        json_object_set_new(in, t->in[k].name, json_string(saved(&t->in[k])));
    c = json_pack("{s:[{s:s,s:s,s:s,s:o,s:s,s:o,s:{s:s}}]}", "cases", "id", "c", "row", t->row->name, "op",
        t->out[0].name, "params", object_of(params), "profile", profile, "in", in, "out", output, saved(&t->out[0]));
    snprintf(path, sizeof path, "%s/pack.json", dir);
    cr_assert_eq(json_dump_file(c, path, 0), 0);
    json_decref(c);
}

/* The word of the one question that the pack is, and why. */
static enum word asked(char *why, size_t n)
{
    static struct tally y;
    static struct mistake m;
    struct subject s;
    struct trial t;
    struct finding f = { .word = SKIPPED };
    *why = 0;
    if (subject_open(&s, dir, why, n))
        return CRASHED;
    if (s.next(&s, &t, why, n) == 1) {
        examine_outputs(&t, 4, &y, &f, &m);
        snprintf(why, n, "%.300s used %g, profile %.80s", f.reason, y.ratio, t.profile);
    }
    trial_close(&t), s.close(&s);
    return f.word;
}

/* The first preset that has this quantity, small and with every optional input that it reads. */
static const char *made(struct trial *t, const struct row *r, const char *out, int type)
{
    char err[900];
    for (const struct preset *p = r->presets; p->name; p++) {
        if (!trial_make(t, &(struct trial_spec){ r->name, p->text, out, type, "n=3 m=4", 3 }, err, sizeof err) &&
            !trial_holds(t, err, sizeof err))
            return p->text;
        trial_close(t);
    }
    cr_assert_fail("%s.%s: no preset makes it: %s", r->name, out, err);
    return NULL;
}

Test(plain, every_quantity_of_every_row_is_asked_in_plain_words)
{
    char why[900];
    dir = "build/plain-rows";
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            struct sign s;
            struct trial t;
            sign_read(&s, q->sign);
            const char *params = made(&t, *r, s.out.name, MER_F32);
            reference_run(&t, &(struct arith){ 0 });
            plain(&t, params, s.out.name, "f32");
            enum word w = asked(why, sizeof why);
            cr_expect(w == PASS || w == VACUOUS, "%s.%s {%s}: %s %s", (*r)->name, s.out.name, params, word_name[w],
                why);
            trial_close(&t);
        }
}

/* An output under any name, other formats, and words of several formats. */
Test(plain, formats_and_the_name_of_the_output_are_free)
{
    static const struct { int type; const char *output, *profile, *reads; enum word word; } list[] = {
        { MER_F32, "result", "f32", "f32", PASS },
        { MER_F64, "y", "f64", "f64", PASS },
        { MER_BF16, "o", "bf16 in, f32 sums", "in=bf16 f32", PASS },
        { MER_F32, "o", "f32, exp=f32:9", "f32 exp=f32:9", PASS },
        { MER_F32, "lse", "f32", "", SKIPPED }, /* The output has the name of another quantity than op says. */
        { MER_F32, "o", "f33", "", SKIPPED },
    };
    char why[900], err[400];
    dir = "build/plain-formats";
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=topleft", "o", list[k].type, "n=3 m=4",
            3 }, err, sizeof err), 0);
        reference_run(&t, &(struct arith){ 0 });
        plain(&t, "causal=topleft", list[k].output, list[k].profile);
        enum word w = asked(why, sizeof why);
        cr_expect(w == list[k].word && (w != PASS || strstr(why, list[k].reads)), "%s %s: %s %s", list[k].output,
            list[k].profile, word_name[w], why);
        trial_close(&t);
    }
}

/* Said of all steps an addition is rounded to nearest, and a function has four half-ulps; a word of its own wins. */
Test(plain, a_word_for_all_steps_gives_way_to_the_words_of_one)
{
    struct arith a;
    char err[400], words[80];
    const struct row *r = row_named("attention");
    cr_assert_gt(arith_read(&a, r, "exp=f32:9 f32 in=bf16", WIDEN, err, sizeof err), 0, "%s", err);
    const int exp = 4, dot = 0; /* The numbers of two steps of softmax mixing (softmax/mix.h). */
    cr_expect(a.at[exp].ulps == 9 && !a.at[exp].every && a.at[dot].every && a.at[dot].ulps == EVERY_ULPS);
    cr_expect_gt(a.inputs, 3);
    cr_expect(arith_read(&a, r, "f32x", WIDEN, err, sizeof err) < 0 && strstr(err, "f32"), "%s", err);
    cr_expect(arith_read(&a, r, "shiift=f32", WIDEN, err, sizeof err) < 0 && strstr(err, "did you mean 'shift'"), "%s",
        err);
    cr_expect(!every_plain("bf16 inputs, f32 sums", words, sizeof words) && !strcmp(words, "in=bf16 f32"), "%s", words);
    cr_expect(!every_plain("dot=f32[m>=64,h<=4] f32", words, sizeof words));
    cr_expect_str_eq(words, "dot=f32[m>=64,h<=4] f32");
    cr_expect_eq(every_plain("f32 sums", words, 3), -1);
}

/* Every input of a large row, said more often than there is room for: one line, and no word beyond. */
Test(plain, inputs_said_again_and_again)
{
    struct arith a;
    char text[400] = "", err[600];
    for (int k = 0; k < 20; k++)
        strcat(text, k % 2 ? "in=bf16 " : "in=f16 ");
    memset(&a, 0, sizeof a);
    cr_expect(arith_read(&a, row_named("layer"), text, WIDEN, err, sizeof err) < 0 && strstr(err, "inputs"), "%s", err);
    cr_expect_leq(a.inputs, INPUT_WORDS);
}
