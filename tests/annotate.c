/* Marks on CI pages: which kernel's source is named, what is escaped, how many are said. */
#include <criterion/criterion.h>
#include "command.h"
#include "judge/ci.h"
#include "subject/protocol.h"

static char *said(struct annotations *a, const struct finding *f)
{
    char *text = NULL;
    size_t n;
    FILE *o = open_memstream(&text, &n);
    annotate_say(o, a, f);
    fclose(o);
    return text;
}

Test(annotate, a_source_is_cut_at_its_line)
{
    static const struct { const char *text, *file; long line; } list[] = {
        { "a.c:42", "a.c", 42 }, { "a.c", "a.c", 1 }, { "C:/x.c:7", "C:/x.c", 7 }, { "a.c:", "a.c:", 1 },
        { "a.c:0", "a.c:0", 1 }, { "a.c:4x", "a.c:4x", 1 }, { "a:b", "a:b", 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char file[100];
        long line;
        annotate_cut(list[k].text, file, sizeof file, &line);
        cr_expect(!strcmp(file, list[k].file) && line == list[k].line, "%s: %s %ld", list[k].text, file, line);
    }
}

Test(annotate, the_kernel_that_fails_is_named_once_and_its_words_are_escaped)
{
    static const char hello[] = "{\"meridian\":1,\"status\":0,\"kernels\":["
        "{\"row\":\"rope\",\"out\":\"y\",\"type\":\"f32\",\"profile\":\"f32\",\"source\":\"a,b.c:42\"},"
        "{\"row\":\"rope\",\"out\":\"cos sin\",\"type\":\"f32\",\"profile\":\"f32\",\"source\":\"tables.c:7\"},"
        "{\"row\":\"rope\",\"out\":\"y\",\"type\":\"bf16\",\"profile\":\"f32\"}]}";
    char why[300];
    struct mer_kernel *k = protocol_kernels(hello, sizeof hello - 1, why, sizeof why);
    cr_assert(k, "%s", why);
    struct subject who = { .name = "x", .kernel = k };
    struct annotations a = { .who = &who, .source = "other.c", .workflow = true };
    struct finding f = { .word = FAILED, .row = "rope", .quantity = "y", .type = "f32", .reason = "50 % off\nat 1: x" };
    static const struct { const char *out, *type, *source; } list[] = {
        { "y", "f32", "a,b.c:42" }, { "sin", "f32", "tables.c:7" }, { "cos sin", "f32", "tables.c:7" },
        { "y", "bf16", "other.c" }, { "si", "f32", "other.c" },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        f.quantity = list[i].out, f.type = list[i].type;
        cr_expect_str_eq(annotate_source(&a, &f), list[i].source, "%s %s", f.quantity, f.type);
    }
    f.quantity = "y", f.type = "f32", f.source = annotate_source(&a, &f);
    char *first = said(&a, &f), *again = said(&a, &f);
    cr_expect_str_eq(first,
        "::error file=a%2Cb.c,line=42,title=meridian FAIL rope.y f32::50 %25 off%0Aat 1: x\n", "%s", first);
    cr_expect_str_eq(again, "");
    free(first), free(again);
    f.word = PASS, f.type = "bf16", again = said(&a, &f);
    cr_expect_str_eq(again, "");
    free(again);
    f.word = CRASHED, f.source = NULL, a.workflow = false, again = said(&a, &f);
    cr_expect_str_eq(again, "");
    free(again);
    a.workflow = true, again = said(&a, &f);
    cr_expect(!strncmp(again, "::error title=meridian CRASH rope.y bf16::", 42), "%s", again);
    free(again);
    kernels_free(k);
}

Test(annotate, a_hello_with_an_unusable_source_is_refused)
{
    static const char hello[] = "{\"meridian\":1,\"status\":0,\"kernels\":[{\"row\":\"rope\",\"out\":\"y\",\"type\":"
        "\"f32\",\"profile\":\"f32\",\"source\":\"\"}]}";
    char why[300];
    cr_expect(!protocol_kernels(hello, sizeof hello - 1, why, sizeof why) && strstr(why, "source of a kernel is empty"),
        "%s", why);
}

Test(annotate, the_verb_marks_a_library_and_junit_has_its_file, .timeout = 60)
{
    char args[300], path[80];
    snprintf(path, sizeof path, "/tmp/meridian-annotate-%d.xml", (int)getpid());
    snprintf(args, sizeof args,
        "judge build/plugin.so --few --checks none --verdicts "
        "--annotate --source tests/plugin/rope.c:10 --junit %s", path);
    cr_expect_eq(meridian("", args), 1);
    const char *at = strstr(out, "\n::error file=tests/plugin/rope.c,line=10,title=meridian FAIL rope.y f32::");
    cr_expect(at && !strstr(at + 2, "\n::error "), "%s", out);
    slurp(path, out, sizeof out);
    cr_expect(strstr(out, "\" file=\"tests/plugin/rope.c\" line=\"10\"><failure"), "%.900s", out);
    unlink(path);
}
