/* A question is validated once, before any kernel, check or reader sees it: what cannot be asked is refused in one
 * line, and nothing crashes behind it. */
#include <criterion/criterion.h>
#include <sys/mman.h>
#include "command.h"
#include "judge/asked.h"
#include "judge/ci.h"
#include "kernels.h"
#include "core/kept.h"
#include "core/printable.h"
#include "pack/open.h"
#include "reader/core/reader.h"
#include "trial/change.h"
#include "trial/sized.h"
#include "trial/valid.h"

/* Adds the row's own steps and those of the rows that it calls, each once. */
static void add_steps(const struct row *r, const char *format, char *text, size_t n)
{
    size_t len;
    const char *s;
    for (int k = 0; (s = row_step(r, k, &len)); k++) {
        char word[80];
        size_t at = strlen(text);
        snprintf(word, sizeof word, "%s%.*s=%s", at ? " " : "", (int)len, s, format);
        if (!strstr(text, at ? word : "=") && at + strlen(word) < n)
            strcpy(text + at, word);
    }
    for (const struct row *const *p = r->parts; p && *p; p++)
        add_steps(*p, format, text, n);
}

/* "step=f64 .." for every step of the row. */
static const char *every_step(const struct row *r, const char *format, char *text, size_t n)
{
    *text = 0, add_steps(r, format, text, n);
    return text;
}

Test(valid, every_own_kernel_declares_arithmetic_and_outputs_that_can_be_read)
{
    char why[600];
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row; k++) {
            cr_expect_eq(valid_outs(row_named(k->row), k->out, why, sizeof why), 0, "%s %s: %s", s->name, k->row, why);
            cr_expect(valid_declares(k, NULL, why, sizeof why), "%s %s %s: %s", s->name, k->row, k->out, why);
        }
}

Test(valid, no_row_takes_a_profile_that_is_no_arithmetic_of_it)
{
    char step[80], text[1200], why[600];
    for (const struct row *const *r = all_rows; *r; r++) {
        size_t len;
        const char *s = row_step(*r, 0, &len);
        if (!s)
            continue;
        static const char *const bad[] = { "%s=f31", "%s", "%s=", "%s=f32:", "%s=f32:-1", "%s=f32:nan", "%s=f32: 2",
            "%s=f32/h0", "%s=f32/h4294967297", "%s=f32/lanes0", "%s=f32/lanes", "%s=f32 %s=f64", "%s=f32 %s=f32",
            "%s=f32 x=f32", "%s=f32 fault=uncentred", "%s=f32 ftz=maybe", "%s=f32 ftz=on ftz=on", "%s=f32\n",
            "%s=f32 \x01=f32", "x=f32", "nonsense", "=", "=f32", "", " ", "ftz=on" };
        snprintf(step, sizeof step, "%.*s", (int)len, s);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
            snprintf(text, sizeof text, bad[k], step, step);
#pragma GCC diagnostic pop
            *why = 0;
            cr_expect(valid_profile(*r, NULL, text, why, sizeof why) == -1 && *why && !strchr(why, '\n'),
                "%s takes '%s' (%s)", (*r)->name, text, why);
        }
        /* Parameters that change the question are no arithmetic; routes are. */
        for (const struct param *p = row_params(*r); p->name; p++) {
            snprintf(text, sizeof text, "%s=f32 %s=%s", step, p->name, p->value);
            cr_expect_eq(valid_profile(*r, NULL, text, why, sizeof why), p->kind == ROUTE || p->route ? 0 : -1,
                "%s: '%s'", (*r)->name, text);
        }
        /* Too long, though every single word is right. */
        size_t at = (size_t)snprintf(text, sizeof text, "%s=f32", step);
        memset(text + at, ' ', PROFILE_MOST), text[at + PROFILE_MOST] = 0;
        cr_expect_eq(valid_profile(*r, NULL, text, why, sizeof why), -1);
        cr_expect_eq(valid_profile(*r, NULL, every_step(*r, "f64", text, sizeof text), why, sizeof why), 0, "%s: %s",
            (*r)->name, why);
    }
}

Test(valid, a_profile_or_contract_that_the_row_has_not_is_usage_before_anything_runs)
{
    static const struct { const char *args, *says; } list[] = {
        { "judge own:scalar --row rope --profile x=f32", "--profile: unknown word 'x=f32'" },
        { "judge own:scalar --row sinusoid --profile ''", "names no step" },
        { "judge own:scalar --row mrope --checks FREQ --profile table=f32\\ table=f64", "each is said once" },
        { "judge own:scalar --profile phase=f32", "of row" },
        { "judge own:scalar --row rope --profile dim=4\\ phase=f32", "is a parameter of rope" },
        { "judge build/plugin.so --profile x=f32", "unknown word" },
        { "judge own:scalar --row rope --contract nosuch", "has no contract 'nosuch'" },
        { "judge build/plugin.so --contract nosuch", "has no contract 'nosuch'" },
        { "judge --exec true --row rope --out nosuch --profile phase=f32", "has no quantity 'nosuch'" },
        { "judge own:scalar --row rope --type i64", "--type" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        int rc = meridian("", list[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && !*out && strstr(err, list[k].says), "%s: exit %d '%s' lacks '%s'",
            list[k].args, rc, err, list[k].says);
    }
    static const char hello[] =
        "--exec \"exec python3 -c 'import sys,json\nfor l in sys.stdin: "
        "print(json.dumps({\\\"status\\\":0,\\\"kernels\\\":[dict(row=\\\"rope\\\",out=\\\"cos\\\",type=\\\"f32\\\","
        "profile=\\\"x=f32\\\")]} if \\\"hello\\\" in l else {\\\"status\\\":1}),flush=True)'\"";
    char args[600];
    snprintf(args, sizeof args, "judge %s", hello);
    int rc = meridian("", args);
    cr_expect(rc == 1 && strstr(out, "FAIL") && strstr(out, "the arithmetic that it declares cannot be read"),
        "exit %d %s%s", rc, out, err);
}

Test(valid, share_asks_kernels_for_their_own_outputs_alone, .timeout = 300)
{
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            struct sign s;
            char args[200];
            bool offered = false;
            sign_read(&s, q->sign);
            for (const struct slot *o = slots; o->name; o++)
                for (const struct mer_kernel *k = o->kernel; k->row && o->here(); k++)
                    offered |= !strcmp(k->row, (*r)->name) && valid_offer(k, s.out.name);
            /* Gradients and whole layers take long; those that nobody offers are asked, as these are what crashed. */
            if (offered && (strchr("ds", *s.out.name) || s.n_in > 8))
                continue;
            snprintf(args, sizeof args, "share %s --out %s --seeds 1 --lines 1", (*r)->name, s.out.name);
            int rc = meridian("", args);
            cr_expect(offered ? rc == 0 || rc == 77 : rc == 77 && lines(err) == 1 && !*out, "%s: exit %d %s%s", args,
                rc, out, err);
        }
    cr_expect(meridian("", "share rope --out nosuch") == 2 && strstr(err, "has no quantity 'nosuch'"), "%s", err);
}

/* What the reference writes is judged right, of every row and preset: the folder that comes back is the question that
 * was asked. */
Test(valid, every_row_is_exported_and_its_reference_judged, .timeout = 600)
{
    char args[2400], text[1000];
    cr_assert_eq(system("rm -rf build/valid-export && mkdir -p build/valid-export"), 0);
    for (const struct row *const *r = all_rows; *r; r++) {
        snprintf(args, sizeof args, "export %s --reference --type f32 --out build/valid-export/%s --profile '%s'",
            (*r)->name, (*r)->name, every_step(*r, "f64", text, sizeof text));
        cr_expect_eq(meridian("", args), 0, "%s%s", out, err);
        snprintf(args, sizeof args, "judge build/valid-export/%s --lines 2", (*r)->name);
        int rc = meridian("", args);
        cr_expect(rc == 0 && !*err && strstr(out, "PASS") && !strstr(out, "SKIP"), "%s: exit %d %.600s%s", args, rc,
            out, err);
    }
}

/* at[] of one index before an unreadable page: no index behind it is read. */
Test(valid, a_line_reads_as_many_indices_as_its_signature_has)
{
    const long page = sysconf(_SC_PAGESIZE);
    unsigned char *p = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(p != MAP_FAILED && !mprotect(p + page, (size_t)page, PROT_NONE));
    long *at = (long *)(void *)(p + page) - 1;
    *at = 1;
    char why[300];
    struct trial t;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "softmax", "", "lse", MER_F64, "n=3 m=2", 1 }, why, sizeof why),
        0, "%s", why);
    static const struct arith exact = { 0 };
    struct ask w = { .call = &t.call, .arith = &exact, .len = 1 };
    const struct ball *y[1];
    ask_reset(&w, 100);
    line_of(&w, (struct page_of){ t.row, "lse", t.text, t.in, t.call.n_in }, at, 1, y);
    const struct mer_array *x = trial_in(&t, "x");
    cr_expect_float_eq(b_value(y[0]), log(exp(array_get(x, 2)) + exp(array_get(x, 3))), 1e-12);
    ask_clear(&w), trial_close(&t), munmap(p, (size_t)(2 * page));
}

/* Weights are read off arrays that lie as [h,n,m]; rows whose arrays of the same names lie otherwise (seq2seq:
 * weights[t|m]) have none. */
Test(valid, readers_read_weights_where_they_lie)
{
    int read = 0, other = 0;
    char err_open[400];
    struct subject who;
    cr_assert_eq(subject_open(&who, "own:scalar", err_open, sizeof err_open), 0, "%s", err_open);
    for (const struct mer_kernel *k = who.kernel; k->row; k++) {
        struct asking a = { .s = &who, .k = k, .row = row_named(k->row), .told = "", .type = type_named(k->type) };
        struct trial t;
        if (strcmp(k->type, "f32") || !(reader_wants(&a, "weights") || reader_wants(&a, "o")) ||
            !reader_make(&a, &t, "", "h=1 g=1 n=3 m=8 d=4 e=8"))
            continue;
        const struct mer_array *w = reader_out(&t, reader_wants(&a, "weights") ? "weights" : "o");
        double *all = reader_weights(&a, &t, 3, 8);
        cr_expect(!all || (w->rank == 3 && w->dim[1] == 3 && w->dim[2] == 8), "%s %s", k->row, k->out);
        read += all != NULL, other += w->rank != 3;
        free(all), trial_close(&t);
    }
    who.close(&who);
    cr_expect(read > 3 && other > 0, "%d read, %d of another shape", read, other);
}

Test(valid, inputs_of_two_types_are_exchanged_whole)
{
    char why[400];
    struct trial t, c;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "feedforward", "", "y", MER_F32, "n=2 wg", 1 }, why, sizeof why),
        0, "%s", why);
    struct mer_array *a = trial_in(&t, "w1"), *b = trial_in(&t, "wg"), wide = *b;
    wide.type = MER_F64, wide.data = need((size_t)array_len(b) + 16, sizeof(double));
    for (long i = 0; i < array_len(b); i++)
        array_put(&wide, i, array_get(b, i));
    free(b->data), *b = wide;
    cr_expect_eq(trial_check(&t, why, sizeof why), 0, "reals of two types are values: %s", why);
    cr_assert(!trial_copy(&c, &t, why, sizeof why) && !trial_change(&c, "w1<>wg", why, sizeof why), "%s", why);
    for (long i = 0; i < array_len(a); i++)
        cr_expect(
            array_get(trial_in(&c, "w1"), i) == array_get(b, i) && array_get(trial_in(&c, "wg"), i) == array_get(a, i),
            "element %ld", i);
    trial_close(&c), trial_close(&t);
}

/* One case of three is broken: it alone is refused, by its name, and the run is not good. */
Test(valid, a_broken_case_is_refused_alone, .timeout = 120)
{
    static const struct { const char *how, *says; } list[] = {
        { "p['cases'][1]['in'].pop('x')", "input 'x' is missing" },
        { "p['cases'][1]['out'] = []", "no object 'out'" },
        { "p['cases'][1]['row'] = 7", "no row" },
        { "p['cases'][1]['in']['pos'] = 'gone.npy'", "No such file" },
        { "p['cases'][1]['params'] = {'dim': '7'}", "" },
        { "p['cases'][1]['in']['freq'] = p['cases'][1]['in']['x']", "rank 3, expected 1" },
        { "a = f'{d}/rope-2.in.pos.npy'; b = bytearray(open(a, 'rb').read()); b[-8:] = (2**60).to_bytes(8, 'little'); "
            "open(a, 'wb').write(b)", "beyond 2^53" },
        { "a = f'{d}/rope-2.in.pos.npy'; b = open(a, 'rb').read(); open(a, 'wb').write(b[:-1])", "truncated" },
    };
    char command[900];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        cr_assert_eq(system("rm -rf build/valid-case"), 0);
        cr_assert_eq(
            meridian("", "export rope y --reference --out build/valid-case --profile 'table=f32 product=f32 sum=f32'"),
            0, "%s", err);
        snprintf(command, sizeof command,
            "python3 -c \"import json; d = 'build/valid-case'; p = json.load(open(f'{d}/pack.json')); p['cases'] = "
            "p['cases'][:3]; %s; json.dump(p, open(f'{d}/pack.json', 'w'))\"",
            list[k].how);
        cr_assert_eq(system(command), 0);
        for (int json = 0; json < 2; json++) {
            int rc = meridian(
                "", json ? "judge build/valid-case --json" : "judge build/valid-case --junit build/valid-case.xml");
            cr_expect(
                rc == 2 && strstr(err, "case 'rope-2'") && strstr(err, list[k].says) && lines(err) == (json ? 2 : 1),
                "%s: exit %d '%s' lacks '%s'", list[k].how, rc, err, list[k].says);
            cr_expect(
                strstr(out, "rope-1") && strstr(out, "rope-3") && strstr(out, "refused: ") && !strstr(out, "FAIL"),
                "%s: %s", list[k].how, out);
        }
        cr_expect_eq(
            system("python3 -c \"import xml.etree.ElementTree as e; r = e.parse('build/valid-case.xml').getroot(); "
                   "assert len(r) == 3 and len(r.findall('.//error')) == 1\""),
            0);
    }
    cr_expect(meridian("", "judge build/valid-case --case nosuch") == 2 && strstr(err, "no case 'nosuch'"), "%s", err);
    cr_expect(
        meridian("", "judge build/valid-case --contract nosuch") == 2 && strstr(err, "no contract 'nosuch'") && !*out,
        "%s", err);
    cr_expect(
        meridian("", "judge build/valid-case --profile x=f32") == 2 && strstr(err, "unknown word 'x=f32'") && !*out,
        "%s", err);
}

Test(valid, a_subject_is_known_by_its_name_after_its_asker_is_gone)
{
    char name[40] = "own:scalar", why[300];
    struct subject s;
    cr_assert_eq(subject_open(&s, name, why, sizeof why), 0, "%s", why);
    memset(name, 'x', sizeof name - 1);
    cr_expect_str_eq(s.told, "own:scalar");
    cr_expect_eq(kept("own:scalar"), s.told, "the same text is kept once");
    s.close(&s);
}

Test(valid, every_byte_of_a_name_leaves_xml_and_utf8_well_formed)
{
    char all[300], cut[] = "caf\xc3", kind[] = "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                   bad[] = "\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xef\xbf\xbe \xff\xfe]]>";
    for (int k = 1; k < 256; k++)
        all[k - 1] = (char)k;
    all[255] = 0;
    char was[sizeof kind];
    strcpy(was, kind);
    printable(kind), printable(cut);
    cr_expect_str_eq(kind, was, "characters stay");
    cr_expect_str_eq(cut, "caf?");
    FILE *f = fopen("build/valid-names.xml", "w");
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"meridian\">\n", f);
    const char *const names[] = { all, bad, "a ]]> b & <c> \"d\" 'e'" };
    enum { NAMES = 3 };
    for (int word = 0; word < WORDS; word++)
        for (int k = 0; k < NAMES; k++) {
            struct finding g = { .word = (enum word)word,
                .subject = names[k],
                .row = names[k],
                .quantity = names[k],
                .id = k % 2 ? names[k] : NULL,
                .type = names[k],
                .sizes = names[k] };
            snprintf(g.params, sizeof g.params, "%s", names[k]), snprintf(g.reason, sizeof g.reason, "%s", names[k]),
                snprintf(g.replay, sizeof g.replay, "%s", names[k]);
            junit_case(f, &g, names[k]);
        }
    fputs("</testsuite>\n", f), fclose(f);
    char command[200];
    snprintf(command, sizeof command,
        "python3 -c \"import xml.etree.ElementTree as e; assert len(e.parse('build/valid-names.xml').getroot()) == "
        "%d\"",
        NAMES * WORDS);
    cr_expect_eq(system(command), 0, "an XML reader refuses it");
}

Test(valid, an_input_that_is_named_like_a_flag_can_be_given)
{
    static const struct { const char *args; int rc; const char *says; } list[] = {
        { "eval attention o --in k=1 --in q=2 --in v=3 --at '0,0|0'", 0, "o[0,0|0] = 3 " },
        { "eval attention o --k 1", 2, "--k: a flag, and an input of attention o" },
        { "eval rope cos --pos 0 --at 0,1", 0, "cos[0|1] = 1 " },
        { "eval rope cos --in pos=0 --k 1", 0, "cos[0|1] = 1 " },
        { "eval rope cos --in x=0", 2, "--in: found 'x=0'" },
        { "eval rope cos --in pos", 2, "--in: found 'pos'" },
        { "eval rope cos --pos 0 --at 0,99", 2, "the element of the line, below 32" },
        { "eval rope cos --pos 0 --at 0,1 --k 1", 2, "one of the two" },
        { "eval rope cos --pos 0 --at ''", 2, "--at: empty" },
        { "eval rope cos --pos 0 --at 0,", 2, "--at" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        int rc = meridian("", list[k].args);
        cr_expect(
            rc == list[k].rc && strstr(rc ? err : out, list[k].says), "%s: exit %d %s%s", list[k].args, rc, out, err);
    }
}

/* The text ends with its page, and the next page cannot be read. */
Test(valid, a_condition_that_ends_early_is_not_read_on)
{
    static const char word[] = "dot=f32[m";
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), why[400];
    cr_assert(page != MAP_FAILED && !mprotect(page + 4096, 4096, PROT_NONE));
    char *text = memcpy(page + 4096 - sizeof word, word, sizeof word);
    cr_expect(sized_check(row_named("attention"), text, why, sizeof why) == -1 && strstr(why, "conditions"), "%s", why);
}

Test(valid, a_contract_of_a_row_that_nobody_knows_is_refused_in_words)
{
    const struct mer_kernel kernel[] = { { .row = "unheard", .out = "y", .type = "f32", .profile = "" }, { 0 } };
    const struct subject who = { .name = "plugin", .kernel = kernel };
    char why[400];
    cr_expect(!asked_possible(&(struct asked){ .contract = "torch" }, &who, why, sizeof why) && *why, "no reason");
}
