/* `meridian pack check`: what would be read, what is not understood and what is near, what is never read. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "command.h"
#include "core/arrayfile.h"

static const char *dir; /* The folder of this test alone, as tests run side by side. */

static void save(const char *name, int rank, const long *dim)
{
    static float data[64];
    char path[200];
    struct mer_array a = { name, MER_F32, rank, { 0 }, data };
    for (int k = 0; k < rank; k++)
        a.dim[k] = dim[k];
    snprintf(path, sizeof path, "%s/%s.npy", dir, name);
    cr_assert_eq(array_write(path, &a), 0);
}

static void arrays(void)
{
    mkdir(dir, 0777);
    save("q", 3, (long[]){ 2, 3, 4 }), save("k", 3, (long[]){ 2, 5, 4 }), save("v", 3, (long[]){ 2, 5, 4 });
    save("o", 3, (long[]){ 2, 3, 4 });
}

/* Writes one case; `rest` is what stands behind its name, every key but `in` and `out`. */
static void one(const char *rest, const char *in, const char *out)
{
    char path[200];
    snprintf(path, sizeof path, "%s/pack.json", dir);
    FILE *f = fopen(path, "w");
    fprintf(f, "{\"cases\": [{\"id\": \"c\", %s, \"in\": {\"q\": \"q.npy\", \"k\": \"k.npy\", \"v\": \"v.npy\"%s}, "
        "\"out\": {\"%s\": \"o.npy\"}}]}", rest, in, out);
    fclose(f);
}

#define CASE "\"row\": \"attention\", \"op\": \"o\", \"profile\": \"f32\""
Test(understood, each_word_that_is_not_is_named_with_the_nearest)
{
    static const struct { const char *rest, *in, *out, *says; int exit; } list[] = {
        { CASE, "", "o", "READ c: attention o[2,3,4] f32 of q[2,3,4] f32, k[2,5,4] f32, v[2,5,4] f32; defaults; f32\n",
            0 },
        { CASE ", \"params\": {\"causal\": \"topleft\"}", "", "anything", "causal=topleft; f32\n", 0 },
        { CASE ", \"params\": {\"causl\": \"topleft\"}", "", "o",
            "unknown word 'causl=topleft' (did you mean 'causal'?)", 1 },
        { CASE ", \"parms\": {}", "", "o", "'parms' of the case (did you mean 'params'?)", 1 },
        { CASE, ", \"biass\": \"o.npy\"", "o", "input 'biass' (did you mean 'bias'?)", 1 },
        { "\"row\": \"atention\", \"profile\": \"f32\"", "", "o", "unknown row 'atention' (did you mean 'attention'?)",
            1 },
        { "\"row\": \"attention\", \"op\": \"atend\", \"profile\": \"f32\"", "", "y",
            "op 'atend' (did you mean 'attend'?)", 1 },
        { "\"row\": \"attention\", \"op\": \"attend\", \"profile\": \"f32\", \"params\": {\"softcpa\": 3}", "", "y",
            "softcpa=3 (did you mean 'softcap'?)", 1 },
        { "\"row\": \"attention\", \"op\": \"o\", \"profile\": \"f32 shiift=f32\"", "", "o",
            "unknown word 'shiift=f32' (did you mean 'shift'?)", 1 },
        { "\"row\": \"attention\", \"op\": \"o\", \"profile\": \"f32 tanh=f32\"", "", "o",
            "without effect: tanh=f32\n", 0 },
        { "\"row\": \"attention\", \"op\": \"o\"", "", "o", "SKIP c: no profile", 1 },
        { CASE ", \"params\": {\"causal\": \"top\"}", "", "o", "found 'top', allowed: none topleft", 2 },
    };
    char args[200];
    dir = "build/understood-words";
    arrays();
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        one(list[k].rest, list[k].in, list[k].out);
        snprintf(args, sizeof args, "pack check %s", dir);
        cr_expect_eq(meridian("", args), list[k].exit, "%s: %s%s", list[k].rest, out, err);
        cr_expect(strstr(list[k].exit == 2 ? err : out, list[k].says), "%s: '%s' lacks '%s' (%s)", list[k].rest, out,
            list[k].says, err);
    }
}

/* Every array of a case is taken by one of its questions, or said not to be. */
Test(understood, an_array_that_nothing_reads_is_said)
{
    cr_expect_eq(meridian("", "pack check data/peers/hf-beam"), 0);
    cr_expect(strstr(out, "READ greedy-0/0: decode tokens") && strstr(out, "not read: input source\n"), "%s", out);
    cr_expect(strstr(out, "19 cases: 19 questions read, 0 skipped, 0 refused\n"), "%s", out);
    cr_expect_eq(meridian("", "pack check data/peers/hf-mrope/pack.json --json"), 0, "%s", err);
    cr_expect(strstr(out, "\"word\":\"READ\",\"row\":\"mrope\"") && !strstr(out, "cases:"), "%s", out);
}

Test(understood, what_is_no_pack_is_one_line)
{
    static const struct { const char *args, *says; } list[] = { { "README.md", "a pack is a folder with pack.json" },
        { "data", "data/pack.json: No such file" }, { "/proc/nonexistent", "No such file" } };
    char args[200];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(args, sizeof args, "pack check %s", list[k].args);
        cr_expect_eq(meridian("", args), 2);
        cr_expect(strstr(err, list[k].says) && !*out, "%s %s", out, err);
    }
    cr_expect_eq(meridian("", "pack chek data"), 2);
    cr_expect(strstr(err, "allowed: check DIR"), "%s", err);
}
