/* Every check accepts what is right under every convention that it applies to, and fails each mistake that it names. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include "part.h"
#include "power/check_kill.h"
#include "command.h"
#include "power/faults.h"

static void survivor(void *with, const char *name, const char *told, const char *says)
{
    cr_expect(told, "%s does not kill %s in %s: %s", ((const char **)with)[0], name, ((const char **)with)[1], says);
}

/* Every PARTS-th check: `make mutants` asks no test that takes longer than the seconds which it has for a mutant. */
enum { PARTS = 8 };
static void kills(int type, int part)
{
    for (const struct check *const *c = all_checks; *c; c++) {
        const char *what[] = { (*c)->name, type_name[type] };
        if ((c - all_checks) % PARTS == part)
            check_kills(*c, type, survivor, what);
    }
}
#define KILLS(k) \
    Test(checks, every_mistake_that_a_check_names_is_failed_in_f32_##k, .timeout = 300) { kills(MER_F32, k); }
KILLS(0) KILLS(1) KILLS(2) KILLS(3) KILLS(4) KILLS(5) KILLS(6) KILLS(7)

/* Every fourth check in float32, and other ones in bfloat16 (part.h). */
static void accepts(int type)
{
    int all = 0;
    for (const struct check *const *c = all_checks; *c; c++) {
        if (!is_due(c - all_checks + 2 * (type == MER_BF16), 4))
            continue;
        char words[900] = "";
        int bad, good = check_accepts(*c, type, &bad, words, sizeof words);
        cr_expect(bad == 0, "%s: %d right subjects are not accepted, such as %s", (*c)->name, bad, words);
        cr_expect(good > 0, "%s asks nothing in %s", (*c)->name, type_name[type]);
        all += good;
    }
    cr_expect_geq(all, 40, "%d", all);
}
Test(checks, right_subjects_of_every_preset_are_accepted_in_f32, .timeout = 300) { accepts(MER_F32); }
Test(checks, right_subjects_of_every_preset_are_accepted_in_bf16, .timeout = 300) { accepts(MER_BF16); }

Test(checks, what_a_check_asks_of_is_a_quantity_of_a_row)
{
    for (const struct check *const *c = all_checks; *c; c++)
        for (const char *s = check_asked(*c); *s; s += strcspn(s, " "), s += strspn(s, " ")) {
            char row[40], out[40];
            cr_assert_eq(sscanf(s, "%39[^. ].%39[^ ]", row, out), 2, "%s: %s", (*c)->name, s);
            const struct row *r = row_named(row);
            cr_expect(r && row_quantity(r, out), "%s asks %s.%s, which is none", (*c)->name, row, out);
        }
}

Test(checks, what_a_check_does_not_ask_about_passes_it)
{
    static const struct { const char *check, *mistake; bool told; } list[] = {
        { "ALIAS", "rope.bf16-position", true },
        { "ALIAS", "rope.half", false },
        { "MERGE", "attention.lse-base", true },
        { "MERGE", "attention.scale-d", false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct mistake m;
        struct probe p;
        const struct fault_of_code *fault;
        char row[40], out[40];
        snprintf(row, sizeof row, "%.*s", (int)strcspn(list[k].mistake, "."), list[k].mistake);
        cr_assert_eq(fault_find(list[k].mistake, &m, &fault), 0);
        cr_expect_eq(check_tells(check_named(list[k].check, strlen(list[k].check)), MER_F32, row, &m, fault, out,
                         sizeof out, &p),
            list[k].told, "%s %s", list[k].check, list[k].mistake);
    }
}

Test(checks, a_failing_check_says_what_it_found_and_its_command_repeats_it)
{
    static const struct { const char *check, *says; } list[] = {
        { "ONEHOT", "channel 0 turns with 1 (interleaved); declared: with 64" },
        { "OFFSET", "no offset of -4 to 4 explains the rows" },
        { "PERM", "as halves of the permuted vector" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char args[300], first[2000], again[3000] = "";
        snprintf(args, sizeof args, "judge build/plugin.so --checks %s --preset 'codellama linear'", list[k].check);
        int rc = meridian("", args);
        cr_expect(strstr(out, list[k].says), "%s: %s", list[k].says, out);
        snprintf(first, sizeof first, "%.*s", (int)strcspn(out, "\n"), out);
        const char *from = strstr(out, "again: meridian ");
        cr_expect(from || rc != 1, "%s", out);
        if (!from)
            continue;
        snprintf(again, sizeof again, "%.*s", (int)strcspn(from + 16, "\n"), from + 16);
        cr_expect_eq(meridian("", again), rc, "%s: %s", again, err);
        cr_expect(!strncmp(out, first, strcspn(first, ":")) || strstr(out, list[k].says), "%s\n%s", first, out);
    }
    cr_expect(meridian("", "judge build/plugin.so --checks ONEHOT,NONE") == 2 && strstr(err, "found 'NONE'") &&
            lines(err) == 1,
        "%s", err);
    cr_expect(meridian("", "list --checks") == 0 && strstr(out, "ONEHOT") && strstr(out, "cluster A3 A4") &&
            strstr(out, "huggingface/transformers#25199"),
        "%s", out);
}

Test(checks, every_cluster_has_one_and_every_mistake_named_exists)
{
    for (int k = 1; k <= 19; k++) {
        char name[8];
        bool found = false;
        snprintf(name, sizeof name, "A%d", k);
        for (const struct check *const *c = all_checks; *c; c++)
            for (const char *s = (*c)->cluster; (s = strstr(s, name)); s++)
                found |= s[strlen(name)] == ' ' || !s[strlen(name)];
        cr_expect(found, "no check of cluster %s", name);
    }
}

Test(checks, own_kernels_pass_them)
{
    int rc = meridian(
        "", "judge own:scalar --row rope --checks TAB,TRIG,ONEHOT,PERM,FREQ,STATE,PREFIX,OFFSET,INVARIANCE,ALIAS");
    cr_expect(rc == 0 && !strstr(out, "FAIL") && !strstr(out, "UNDECIDED"), "exit %d %.2000s", rc, out);
    rc = meridian("",
        "judge own:scalar --row attention --type f32 --checks "
        "ALIGN,WINDOW,EMPTY,LEAK,MASK,HEADS,SCALE,SOFTCAP,SINK,LSE,MERGE,PREFIX,INVARIANCE,STATE --preset causal");
    cr_expect(rc == 0 && !strstr(out, "FAIL"), "exit %d %.2000s", rc, out);
}
