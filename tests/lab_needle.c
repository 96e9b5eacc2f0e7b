/* A sentence with a number in a text, and the question for it: how a trial is put together, what is counted, and what
 * is refused. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include "command.h"
#include "arith/need.h"
#include "core/files.h"
#include "lab/run/needle.h"

#define LLAMA "data/weights/tiny/llama"
/* The 16 tokens of the small models: digits, letters and signs, and s, which stands before every text. */
static const char tokenizer[] =
    "{\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"s\"}},"
    "{\"Sequence\":{\"id\":\"A\"}}],\"special_tokens\":{\"s\":{\"ids\":[15]}}},\"model\":{\"type\":\"BPE\",\"vocab\":{"
    "\"0\":0,\"1\":1,"
    "\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9,\"a\":10,\"b\":11,\"k\":12,\" "
    "\":13,\"?\":14%s},\"merges\":[]}}";
static void folder(const char *path, const char *more)
{
    char text[1200], file[200], why[300], command[400];
    snprintf(command, sizeof command,
        "rm -rf %s && mkdir -p %s && cp " LLAMA "/config.json " LLAMA "/model.safetensors %s", path, path, path);
    cr_assert_eq(system(command), 0);
    snprintf(text, sizeof text, tokenizer, more), snprintf(file, sizeof file, "%s/tokenizer.json", path);
    cr_assert(!file_replace(file, text, strlen(text), why, sizeof why), "%s", why);
    snprintf(file, sizeof file, "%s/hay.txt", path);
    cr_assert(!file_replace(file, "abababaabbaabbabba", 18, why, sizeof why), "%s", why);
}
static void drop(const char *path)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", path);
    cr_assert_eq(system(command), 0);
}

Test(lab_needle, a_trial_is_text_with_the_sentence_in_it_and_the_question_behind, .timeout = 30)
{
    static const struct { long length; double depth, from; const char *is; long answer;
    } list[] = {
        { 24, 0, 0, "sk12345 abababaabb?12345", 5 },
        { 24, 1, 0, "sabababaabbk12345 ?12345", 5 },
        { 24, 0.5, 0, "sababak12345 baabb?12345", 5 },
        { 24, 0.2, 1, "sbbk12345 aabbabba?12345", 5 },
        { 23, 0.5, 0, "sababak12345 baab?12345", 5 },
        { 14, 0.5, 0.5, "sk12345 ?12345", 5 },
    };
    static const char letters[] = "0123456789abk ?s";
    struct tokenizer t;
    char why[400];
    folder("build/lab-needle-trial", "");
    cr_assert(!tokenizer_open(&t, "build/lab-needle-trial", why, sizeof why), "%s", why);
    struct haystack h = { .t = &t, .needle = "k{} ", .question = "?{}" };
    cr_assert(!tokenizer_cut(&t, "abababaabbaabbabba", 18, false, &h.text, why, sizeof why));
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ids x = { .n = 0 };
        char got[60] = "";
        long answer = 0;
        const int rc = needle_trial(&h, (struct needle_place){ list[k].length, list[k].depth, list[k].from, 12345 }, &x,
            &answer, why, sizeof why);
        for (size_t i = 0; i < x.n && i < 50; i++)
            got[i] = letters[x.of[i]];
        cr_expect(!rc && !strcmp(got, list[k].is) && answer == list[k].answer, "%zu: '%s', %ld", k, got, answer);
        free(x.of);
    }
    free(h.text.of), tokenizer_free(&t), drop("build/lab-needle-trial");
}

Test(lab_needle, losses_are_those_of_the_answer_alone, .timeout = 60)
{
    const char *f = "build/lab-needle-loss";
    char args[600];
    folder(f, "");
    snprintf(args, sizeof args,
        "lab run %s --task needle --text %s/hay.txt --needle 'k{} ' --question '?{}' --length 20,24 --depths 2 "
        "--trials 3 --json --changes 'near: attention window=2'",
        f, f);
    cr_assert(meridian("", args) == 0 && lines(out) == 8, "%s%s", out, err);
    char *first = need_copy(out);
    cr_expect(meridian("", args) == 0 && !strcmp(first, out), "another run has other trials");
    free(first);
    json_t *x = json_loadb(out, strcspn(out, "\n"), 0, NULL);
    const double loss = json_number_value(json_object_get(x, "mean_loss"));
    cr_expect(json_integer_value(json_object_get(x, "length")) == 20 && loss > 0 &&
            json_integer_value(json_object_get(x, "trials")) == 3,
        "%s", out);
    json_decref(x);
    snprintf(args, sizeof args,
        "lab run %s --task needle --text %s/hay.txt --needle 'k{} ' --question '?{}' --length 20 --depths 1 "
        "--trials 1 --json --seed 5",
        f, f);
    cr_assert(meridian("", args) == 0 && lines(out) == 1, "%s%s", out, err);
    x = json_loads(out, 0, NULL);
    const double wanted = json_number_value(json_object_get(x, "mean_loss"));
    json_decref(x);
    /* The same trial by itself. */
    struct tokenizer t;
    struct ids of = { .n = 0 };
    struct draw d = { 5, NEEDLE_STREAM, 0 };
    char why[400], list[200] = "";
    long answer = 0;
    double sum = 0;
    cr_assert(!tokenizer_open(&t, f, why, sizeof why), "%s", why);
    struct haystack h = { .t = &t, .needle = "k{} ", .question = "?{}" };
    cr_assert(!tokenizer_cut(&t, "abababaabbaabbabba", 18, false, &h.text, why, sizeof why));
    cr_assert(
        !needle_trial(&h, (struct needle_place){ 20, 0.5, 0.5, needle_number(&d) }, &of, &answer, why, sizeof why) &&
        answer == 5);
    for (size_t k = 0; k < of.n; k++)
        snprintf(list + strlen(list), 8, "%d ", (int)of.of[k]);
    snprintf(args, sizeof args, "lab run %s --json --tokens '%s'", f, list);
    cr_assert_eq(meridian("", args), 0, "%s", err);
    char *s = out;
    for (int k = 0; k < 20; k++, s = strchr(s, '\n') + 1) {
        x = json_loadb(s, strcspn(s, "\n"), 0, NULL);
        sum += k < 15 ? 0 : json_number_value(json_object_get(x, "loss"));
        json_decref(x);
    }
    cr_expect(fabs(wanted - sum / 5) < 1e-7, "%.9g, %.9g", wanted, sum / 5);
    free(of.of), free(h.text.of), tokenizer_free(&t);
    drop(f);
}

Test(lab_needle, what_does_not_fit_is_refused_in_one_line, .timeout = 60)
{
    static const struct { const char *more, *says;
    } list[] = {
        { "--task maze --length 20", "--task: unknown 'maze'; there is: needle" },
        { "--task needle", "give --length" },
        { "--task needle --length 20,x", "'20,x' is no list of numbers" },
        { "--task needle --length 1", "no list of numbers" },
        { "--task needle --length 20 --needle k", "with {} where the number stands" },
        { "--task needle --length 20 --question k", "with {} where the number stands" },
        { "--task needle --length 12 --needle 'k{}' --question '?{}'", "in 12 tokens there is no room" },
        { "--task needle --length 20,90 --needle 'k{}' --question '?{}'", "18 tokens, and 90 tokens need 77 of it" },
        { "--task needle --length 20 --needle 'k{}' --question '?{}' --depths 0", "--depths" },
        { "--task needle --length 20 --needle 'k{}' --question '?{}' --changes 'a: x'",
            "neither ROW WORDS nor KEY=JSON" },
        { "--task needle --length 20 --needle 'k{}' --question '?{}' --config hidden_size=-1", "must be a number" },
        { "--needle 'k{}'", "--needle" },
    };
    const char *f = "build/lab-needle-bad";
    folder(f, "");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char args[500];
        snprintf(args, sizeof args, "lab run %s --text %s/hay.txt %s", f, f, list[k].more);
        const int rc = meridian("", args);
        cr_expect(rc == 2 && !*out && lines(err) == 1 && strstr(err, list[k].says), "%s: %d, '%s%s' lacks '%s'", args,
            rc, out, err, list[k].says);
    }
    folder(f, ",\"x\":16");
    char args[300];
    snprintf(args, sizeof args,
        "lab run %s --text %s/hay.txt --task needle --length 20 --needle 'k{}' --question '?{}'", f, f);
    cr_expect(meridian("", args) == 2 && strstr(err, "tokenizer.json has token 16: the model has 0 to 15"), "%s", err);
    drop(f);
}
