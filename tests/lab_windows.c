/* Losses window by window: every token is predicted once and with the context that is said, as `lab run` of the window
 * alone has it; changes are read, compared and refused. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include "command.h"
#include "core/files.h"
#include "lab/run/changes.h"
#include "lab/run/windows.h"

#define LLAMA "data/weights/tiny/llama"
enum { TOKENS = 43 };

Test(lab_windows, every_token_is_predicted_once_behind_as_many_as_is_said, .timeout = 30)
{
    for (long n = 2; n < 40; n++)
        for (long length = 2; length < 12; length++)
            for (long stride = 1; stride < length; stride++) {
                const struct windows w = windows_over(n, length, stride);
                long next = 1;
                for (long k = 0; k < w.count; k++) {
                    const long from = windows_from(&w, k), first = windows_first(&w, k);
                    cr_assert(from >= 0 && from + w.length <= n && first == next &&
                            first - from >= (k ? length - stride : 1) && (!k || first < from + w.length),
                        "%ld %ld %ld: window %ld", n, length, stride, k);
                    next = from + w.length;
                }
                cr_assert(next == n && windows_from(&w, 0) == 0, "%ld %ld %ld: %ld", n, length, stride, next);
            }
}

Test(lab_windows, a_loss_is_that_of_a_softmax_and_the_likeliest_is_the_largest, .timeout = 30)
{
    static const struct { float line[3]; int64_t k; double loss; bool likeliest; } of_line[] = {
        { { 0, 0, 0 }, 1, 1.0986122886681098, true }, { { 1000, 0, -1000 }, 0, 0, true },
        { { 1000, 0, -1000 }, 1, 1000, false }, { { -3, -2, -2 }, 0, 1.8619948040582512, false },
        { { -3, -2, -2 }, 2, 0.8619948040582511, true }, { { 5, 4, 6 }, 0, 1.4076059644443804, false },
    };
    for (size_t k = 0; k < sizeof of_line / sizeof *of_line; k++)
        cr_expect(fabs(opened_loss(of_line[k].line, 3, of_line[k].k) - of_line[k].loss) < 1e-12 &&
                opened_likeliest(of_line[k].line, 3, of_line[k].k) == of_line[k].likeliest,
            "%zu: %.17g", k, opened_loss(of_line[k].line, 3, of_line[k].k));
}

/* Token i of the text, and the text as a list. */
static int token(int i) { return (i * i + 3 * i / 2) % 16; }
static const char *list(int from, int n)
{
    static char text[4 * TOKENS];
    *text = 0;
    for (int i = from; i < from + n; i++)
        snprintf(text + strlen(text), 8, "%s%d", i > from ? " " : "", token(i));
    return text;
}
/* The losses of a window by itself. */
static void alone(int from, int n, const char *more, double *loss)
{
    char args[900];
    snprintf(args, sizeof args, "lab run " LLAMA " --json --tokens '%s' %s", list(from, n), more);
    cr_assert_eq(meridian("", args), 0, "%s: %s", args, err);
    int i = 0;
    for (char *s = strtok(out, "\n"); s && i < n; s = strtok(NULL, "\n"), i++) {
        json_t *line = json_loads(s, 0, NULL);
        loss[i] = json_number_value(json_object_get(line, "loss"));
        json_decref(line);
    }
}
/* One line of what was printed, owned. */
static json_t *said(int line)
{
    const char *s = out;
    while (line--)
        s = strchr(s, '\n') + 1;
    json_t *x = json_loadb(s, strcspn(s, "\n"), 0, NULL);
    cr_assert(x != NULL, "%s", s);
    return x;
}
static double of(const json_t *x, const char *key) { return json_number_value(json_object_get(x, key)); }

Test(lab_windows, losses_are_those_of_each_window_alone, .timeout = 120)
{
    static const struct {
        const char *change, *alone;
    } list_of[] = { { "", "" }, { "attention window=3", "--words 'attention window=3'" },
        { "rope_parameters={\"rope_type\":\"dynamic\",\"rope_theta\":10000,\"factor\":4}; max_position_embeddings=4",
            "--config 'rope_parameters={\"rope_type\":\"dynamic\",\"rope_theta\":10000,\"factor\":4}' --config "
            "max_position_embeddings=4" } };
    enum { CASES = sizeof list_of / sizeof *list_of, LENGTH = 10, STRIDE = 4 };
    const struct windows w = windows_over(TOKENS, LENGTH, STRIDE);
    double sum[CASES] = { 0 };
    char args[1600];
    for (int k = 0; k < CASES; k++)
        for (long i = 0; i < w.count; i++) {
            double one[LENGTH];
            const long from = windows_from(&w, i);
            alone((int)from, LENGTH, list_of[k].alone, one);
            for (long j = windows_first(&w, i); j < from + LENGTH; j++)
                sum[k] += one[j - from];
        }
    snprintf(args, sizeof args,
        "lab run " LLAMA " --json --length %d --stride %d --tokens '%s' --changes 'win: %s; dyn: %s; same:'", LENGTH,
        STRIDE, list(0, TOKENS), list_of[1].change, list_of[2].change);
    cr_assert(meridian("", args) == 0 && lines(out) == 4, "%s%s", out, err);
    for (int k = 0; k < CASES; k++) {
        json_t *x = said(k), *before = json_object_get(x, "by_tokens_before");
        cr_expect(fabs(of(x, "mean_loss") - sum[k] / (TOKENS - 1)) < 1e-7, "%d: %.9g, %.9g", k, of(x, "mean_loss"),
            sum[k] / (TOKENS - 1));
        double all = 0, high = of(x, "high"), low = of(x, "low"), apart = (sum[k] - sum[0]) / (TOKENS - 1);
        long many = 0;
        for (size_t i = 0; i < json_array_size(before); i++) {
            const json_t *y = json_array_get(before, i);
            all += of(y, "count") * of(y, "mean_loss"), many += (long)of(y, "count");
        }
        cr_expect(many == TOKENS - 1 && fabs(all - sum[k]) < 1e-5, "%d: %ld, %g", k, many, all);
        cr_expect(json_is_null(json_object_get(x, "bits_per_byte")));
        if (k)
            cr_expect(fabs(of(x, "difference") - apart) < 1e-7 && low < apart && high > apart &&
                    fabs(high + low - 2 * apart) < 1e-6,
                "%d: %g [%g, %g], %g", k, of(x, "difference"), low, high, apart);
        json_decref(x);
    }
    json_t *same = said(3);
    cr_expect(of(same, "difference") == 0 && json_is_null(json_object_get(same, "low")));
    json_decref(same);
}

Test(lab_windows, bits_a_byte_are_of_the_text, .timeout = 60)
{
    static const char tokenizer[] =
        "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"post_processor\":{\"type\":\"TemplateProcessing\","
        "\"single\":[{\"SpecialToken\":{\"id\":\"s\"}},{\"Sequence\":{\"id\":\"A\"}}],\"special_tokens\":{\"s\":{"
        "\"ids\":[15]}}},"
        "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"u\",\"vocab\":{\"u\":0,\"a\":1,\"b\":2,\"cc\":3%s}}}";
    char text[900], why[300], args[300];
    cr_assert_eq(system("rm -rf build/lab-windows && mkdir -p build/lab-windows && cp " LLAMA "/config.json " LLAMA
                        "/model.safetensors build/lab-windows"),
        0);
    snprintf(text, sizeof text, tokenizer, "");
    cr_assert(!file_replace("build/lab-windows/tokenizer.json", text, strlen(text), why, sizeof why), "%s", why);
    cr_assert(!file_replace("build/lab-windows/t.txt", "a b cc\nx a  b b\n", 16, why, sizeof why), "%s", why);
    snprintf(args, sizeof args, "lab run build/lab-windows --text build/lab-windows/t.txt --json --length 6");
    cr_assert_eq(meridian("", args), 0, "%s", err);
    json_t *x = said(0);
    cr_expect(of(x, "predicted") == 7 && fabs(of(x, "bits_per_byte") - of(x, "mean_loss") * 7 / log(2) / 16) < 1e-6,
        "%s", out);
    json_decref(x);
    cr_expect(meridian("", "lab run build/lab-windows --no-special --text -") == 2 && strstr(err, "--text: no tokens"),
        "%s", err);
    cr_expect(
        meridian("", "lab run build/lab-windows --length 3 --text -") == 2 && strstr(err, "one token"), "%s", err);
    strcat(args, " --no-special");
    cr_assert(meridian("", args) == 0 && strstr(out, "\"predicted\":6,"), "%s%s", out, err);
    cr_assert(meridian("", "lab run build/lab-windows --text build/lab-windows/t.txt") == 0 && lines(out) == 10, "%s%s",
        out, err);
    snprintf(text, sizeof text, tokenizer, ",\"x\":16");
    cr_assert(!file_replace("build/lab-windows/tokenizer.json", text, strlen(text), why, sizeof why), "%s", why);
    cr_expect(meridian("", "lab run build/lab-windows --text build/lab-windows/t.txt") == 2 && lines(err) == 1 &&
            strstr(err, "--text: token 16 at position 4: the model has 0 to 15"), "%s", err);
    cr_assert_eq(system("rm -rf build/lab-windows"), 0);
}

Test(lab_windows, changes_are_read_from_the_line_and_from_files, .timeout = 30)
{
    static const char file[] =
        "# a comment: of two; parts\n\npi: rope_parameters={\"a\": 1}; rms_norm_eps=1e-5\n  wide: attention window=8\n"
        "  rope base=5e5\n";
    struct changed base = { .set = { "eps=1" }, .sets = 1, .words = "rope base=7" };
    struct changes y;
    char why[300] = "";
    cr_assert(!file_replace("build/lab-changes.txt", file, strlen(file), why, sizeof why), "%s", why);
    cr_assert(!changes_read(&y, "build/lab-changes.txt", &base, why, sizeof why) && y.n == 3, "%s", why);
    cr_expect(!strcmp(y.of[0].name, "unchanged") && y.of[0].of.sets == 1 && !strcmp(y.of[0].of.words, "rope base=7"));
    cr_expect(!strcmp(y.of[1].name, "pi") && y.of[1].of.sets == 3 &&
        !strcmp(y.of[1].of.set[1], "rope_parameters={\"a\": 1}") && !strcmp(y.of[1].of.set[2], "rms_norm_eps=1e-5") &&
        !strcmp(y.of[1].of.words, "rope base=7"));
    cr_expect(!strcmp(y.of[2].name, "wide") && y.of[2].of.sets == 1 &&
            !strcmp(y.of[2].of.words, "rope base=5e5; attention window=8; rope base=7"),
        "%s", y.of[2].of.words);
    changes_free(&y), remove("build/lab-changes.txt");
}

Test(lab_windows, what_does_not_fit_is_refused_in_one_line, .timeout = 60)
{
    static const struct { const char *more, *says;
    } list_of[] = {
        { "--text /dev/null", "/dev/null cannot be read" }, { "--text -", "tokenizer.json cannot be read" },
        { "--tokens '1 2 3' --length 1", "--length" },
        { "--tokens '1 2 3' --length 2 --stride 2", "--stride" },
        { "--tokens 1 --length 2", "one token, of which none is predicted" },
        { "--tokens '1 2' --stride 1", "--stride" },
        { "--tokens '1 2' --changes 'a: rope base=3'", "--changes" },
        { "--length 4", "give the folder of a checkpoint" },
        { "--tokens '1 2 16' --length 2", "token 16 at position 2: the model has 0 to 15" },
        { "--tokens '1 2 3' --length 2 --changes none.txt", "none.txt cannot be read, and is no 'NAME: PART; PART'" },
        { "--tokens '1 2 3' --length 2 --changes 'rope base=5; a: b=1'", "'rope base=5' stands before any NAME:" },
        { "--tokens '1 2 3' --length 2 --changes 'a: nope'", "'nope' is neither ROW WORDS nor KEY=JSON" },
        { "--tokens '1 2 3' --length 2 --changes 'a: b=1; a: b=2'", "'a' twice" },
        { "--tokens '1 2 3' --length 2 --changes 'unchanged: b=1'", "'unchanged' twice" },
        { "--tokens '1 2 3' --length 2 --changes 'a: hidden_size=x'", "a: --config 'hidden_size=x': must be KEY=JSON" },
        { "--tokens '1 2 3' --length 2 --changes 'a: rope base=x'", "--changes: 'rope base=x': base" },
        { "--tokens '1 2 3' --length 2 --changes 'b: attention window=2; a: hidden_act=\"nope\"'",
            "a: data/weights/any.tsv: no activation" },
        { "--tokens '1 2 3' --length 2 --words 'nope x=1'", "ROW WORDS" },
    };
    for (size_t k = 0; k < sizeof list_of / sizeof *list_of; k++) {
        char args[400];
        snprintf(args, sizeof args, "lab run " LLAMA " %s", list_of[k].more);
        const int rc = meridian("", args);
        cr_expect(rc == 2 && !*out && lines(err) == 1 && strstr(err, list_of[k].says), "%s: %d, '%s%s' lacks '%s'",
            args, rc, out, err, list_of[k].says);
    }
    cr_expect(
        meridian("", "lab run " LLAMA " --tokens '1 2 3 4' --length 3 --changes 'open: attention causal=none'") == 0 &&
            lines(err) == 1 && strstr(err, "open: a token sees what stands behind it"),
        "%s", err);
}
