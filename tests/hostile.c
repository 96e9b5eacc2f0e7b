/* Hostile folders: refused whole in one line, exit 2, nothing on standard output; what is only unknown is a SKIP that
 * names it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <glob.h>
#include <sys/stat.h>
#include "command.h"

static const char *dir; /* Every test has a folder of its own. */
static char path[300];
static const char *in_dir(const char *name) { snprintf(path, sizeof path, "%s/%s", dir, name); return path; }
#define NPY "\x93NUMPY\x01\x00"

static void file(const char *name, const void *data, size_t n)
{
    mkdir(dir, 0777);
    FILE *f = fopen(in_dir(name), "wb");
    cr_assert(f && fwrite(data, 1, n, f) == n && !fclose(f), "%s", path);
}

static void npy(const char *name, const char *dict, size_t bytes)
{
    char all[4096] = NPY;
    size_t len = strlen(dict);
    all[8] = (char)(len & 255), all[9] = (char)(len >> 8);
    memcpy(all + 10, dict, len);
    file(name, all, 10 + len + bytes);
}

static void tensors(const char *name, const char *json, size_t bytes)
{
    char all[4096] = "";
    size_t len = strlen(json);
    all[0] = (char)(len & 255), all[1] = (char)(len >> 8);
    memcpy(all + 8, json, len);
    file(name, all, 8 + len + bytes);
}

static void good(void) /* Arrays of zeros: x[1,2,4], pos[2] and y[1,2,4]. */
{
    npy("x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 32);
    npy("y.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 32);
    npy("pos.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }\n", 16);
}

static const char frame[] = "{\"id\":\"%s\",\"row\":\"%s\",\"params\":{%s},\"profile\":{\"phase\":\"f32\",\"table\":"
                            "\"f32\",\"product\":\"f32\",\"sum\":\"f32\"},\"in\":{%s},\"out\":{%s}}";
static const char in[] = "\"x\":\"x.npy\",\"pos\":\"pos.npy\"", out_y[] = "\"y\":\"y.npy\"", dim[] = "\"dim\":4";

static void pack(
    const char *id, const char *row, const char *params, const char *ins, const char *outs, const char *more)
{
    char text[4000] = "{\"cases\":[", *at = text + strlen(text);
    at += snprintf(at, 3000, frame, id, row, params, ins, outs);
    snprintf(at, 900, "%s]}", more);
    file("pack.json", text, strlen(text));
}

static void refused(const char *what, const char *says)
{
    char args[400];
    snprintf(args, sizeof args, "judge %s --junit %s/report.xml", dir, dir);
    unlink(in_dir("report.xml"));
    int rc = meridian("", args);
    cr_expect(rc == 2 && lines(err) == 1 && !*out && strstr(err, says), "%s: exit %d, '%s' lacks '%s'%s", what, rc, err,
        says, *out ? ", and it printed" : "");
    glob_t left;
    cr_expect_eq(glob(in_dir("report.xml*"), 0, NULL, &left), GLOB_NOMATCH, "%s: a report was written", what);
}

Test(hostile, the_good_pack_is_judged_and_unknown_names_are_skipped)
{
    dir = "build/hostile-good";
    good();
    pack("a", "rope", dim, in, out_y, "");
    /* Outputs of zeros are right here, and show nothing. */
    cr_expect_eq(meridian("", "judge build/hostile-good"), 77, "%s%s", out, err);
    cr_expect(strstr(out, "VACUOUS") && strstr(out, "correct 8/8"), "%s", out);
    static const struct { const char *row, *params, *ins, *outs, *says; } unknown[] = {
        { "ropes", dim, in, out_y, "unknown row 'ropes'" },
        { "rope", "\"dim\":4,\"colour\":3", in, out_y, "colour" },
        { "rope", dim, "\"x\":\"x.npy\",\"position\":\"pos.npy\"", out_y, "input 'position'" },
        { "rope", dim, in, "\"why\":\"y.npy\"", "output 'why'" },
    };
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        pack("a", unknown[k].row, unknown[k].params, unknown[k].ins, unknown[k].outs, "");
        int rc = meridian("", "judge build/hostile-good");
        cr_expect(rc == 77 && strstr(out, "SKIP") && strstr(out, unknown[k].says) && !*err, "%s: exit %d %s%s",
            unknown[k].says, rc, out, err);
    }
}

Test(hostile, broken_packs_are_refused_in_one_line)
{
    static const struct { const char *id, *row, *params, *ins, *outs, *more, *says; } list[] = {
        { "a", "rope", dim, "\"x\":\"../x.npy\",\"pos\":\"pos.npy\"", out_y, "", "not a plain name" },
        { "a", "rope", dim, "\"x\":\"/etc/passwd\",\"pos\":\"pos.npy\"", out_y, "", "not a plain name" },
        { "a", "rope", dim, "\"x\":\"..\",\"pos\":\"pos.npy\"", out_y, "", "not a plain name" },
        { "a", "rope", dim, "\"x\":7,\"pos\":\"pos.npy\"", out_y, "", "not a plain name" },
        { "a", "rope", dim, "\"x\":\"link.npy\",\"pos\":\"pos.npy\"", out_y, "", "link.npy" },
        { "a", "rope", dim, "\"x\":\"fifo.npy\",\"pos\":\"pos.npy\"", out_y, "", "no regular file" },
        { "a", "rope", dim, "\"x\":\"gone.npy\",\"pos\":\"pos.npy\"", out_y, "", "No such file" },
        { "a", "rope", dim, "\"x\":\"pos.npy\",\"pos\":\"pos.npy\"", out_y, "", "rank 1" },
        { "a", "rope", dim, "\"x\":\"x.npy\",\"pos\":\"float.npy\"", out_y, "", "signature says integers" },
        { "a", "rope", dim, in, "\"y\":\"int.npy\"", "", "signature says real" },
        { "a", "rope", dim, in, "\"y\":\"complex.npy\"", "", "element type '<c8'" },
        { "a", "rope", dim, in, "\"y\":\"big.npy\"", "", "element type '>f4'" },
        { "a", "rope", dim, in, "\"y\":\"fortran.npy\"", "", "Fortran" },
        { "a", "rope", dim, in, "\"y\":\"short.npy\"", "", "truncated" },
        { "a", "rope", dim, in, "\"y\":\"long.npy\"", "", "oversized" },
        { "a", "rope", dim, in, "\"y\":\"huge.npy\"", "", "more than an array may have" },
        { "a", "rope", dim, in, "\"y\":\"wrap.npy\"", "", "more than an array may have" },
        { "a", "rope", dim, in, "\"y\":\"void.npy\"", "", "more than an array may have" },
        { "a", "rope", dim, in, "\"y\":\"deep.npy\"", "", "rank above 6" },
        { "a", "rope", dim, in, "\"y\":\"minus.npy\"", "", "bad shape" },
        { "a", "rope", dim, in, "\"y\":\"text.npy\"", "", "not an .npy" },
        /* The closing quote of the key is missing; found by fuzzing. */
        { "a", "rope", dim, in, "\"y\":\"quote.npy\"", "", "bad header" },
        { "a", "rope", dim, in, "\"y\":\"overlap.safetensors\"", "", "overlap" },
        { "a", "rope", dim, in, "\"y\":\"gap.safetensors\"", "", "leave a gap" },
        { "a", "rope", dim, in, "\"y\":\"tail.safetensors\"", "", "oversized" },
        { "a", "rope", dim, in, "\"y\":\"beyond.safetensors\"", "", "outside the file" },
        { "a", "rope", dim, in, "\"y\":\"span.safetensors\"", "", "its shape 64" },
        { "a", "rope", dim, in, "\"y\":\"tera.safetensors\"", "", "more than an array may have" },
        { "a", "rope", dim, in, "\"y\":\"twice.safetensors\"", "", "bad header: duplicate" },
        { "a", "rope", dim, in, "\"y\":\"other.safetensors\"", "", "no tensor \"t\"" },
        { "a", "rope", dim, in, "\"y\":\"length.safetensors\"", "", "bad header length" },
        { "a", "rope", "\"dim\":7", in, out_y, "", "" },
        { "a", "rope", "\"dim\":NaN", in, out_y, "", "invalid token" },
        { "a", "rope", "\"layout\":\"half base=3\"", in, out_y, "", "a word with a blank" },
        { "a", "rope", "\"dim\":4,\"dim\":4", in, out_y, "", "duplicate" },
        { "\xff\xfe", "rope", dim, in, out_y, "", "unable to decode byte 0xff" },
        { "a\\u0007", "rope", dim, in, out_y, "", "control" },
        { "", "rope", dim, in, out_y, "", "an id" },
        { "a", "rope", dim, in, out_y, ",{\"id\":\"a\",\"row\":\"x\",\"in\":{},\"out\":{}}",
            "case 2: this id is used twice" },
        { "a", "rope", dim, in, out_y, ",7", "case 2: every case is an object" },
    };
    dir = "build/hostile-arrays";
    good();
    unlink(in_dir("link.npy")), unlink(in_dir("fifo.npy")), unlink(in_dir("gone.npy"));
    cr_assert(!symlink("x.npy", in_dir("link.npy")) && !mkfifo(in_dir("fifo.npy"), 0666));
    static const struct { const char *name, *dict; size_t bytes; } arrays[] = {
        { "float.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", 16 },
        { "int.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 32 },
        { "complex.npy", "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 64 },
        { "big.npy", "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 32 },
        { "fortran.npy", "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2, 4), }\n", 32 },
        { "short.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 28 },
        { "long.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 36 },
        { "huge.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000), }\n", 32 },
        { "wrap.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (536870912, 1073741824, 32), }\n", 0 },
        { "void.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1073741824, 0, 4), }\n", 0 },
        { "deep.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 2, 4), }\n", 32 },
        { "quote.npy", "{'descr: '<f4', 'fortran_order': False, 'shape': (1, 2, 4), }\n", 32 },
        { "minus.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 2, 4), }\n", 32 },
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        npy(arrays[k].name, arrays[k].dict, arrays[k].bytes);
    file("text.npy", "hello, this is text", 19);
    static const struct { const char *name, *json; size_t bytes; } safe[] = {
        { "overlap.safetensors", "{\"t\":{\"dtype\":\"F32\",\"shape\":[1,2,4],\"data_offsets\":[0,32]},"
            "\"u\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[16,48]}}", 48 },
        { "gap.safetensors", "{\"t\":{\"dtype\":\"F32\",\"shape\":[1,2,4],\"data_offsets\":[8,40]}}", 40 },
        { "tail.safetensors", "{\"t\":{\"dtype\":\"F32\",\"shape\":[1,2,4],\"data_offsets\":[0,32]}}", 40 },
        { "beyond.safetensors", "{\"t\":{\"dtype\":\"F32\",\"shape\":[1,2,4],\"data_offsets\":[0,32]}}", 16 },
        { "span.safetensors", "{\"t\":{\"dtype\":\"F32\",\"shape\":[2,2,4],\"data_offsets\":[0,32]}}", 32 },
        { "tera.safetensors", "{\"t\":{\"dtype\":\"F32\",\"shape\":[1000000,1000000],"
            "\"data_offsets\":[0,4000000000000]}}", 32 },
        { "twice.safetensors", "{\"t\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[0,32]},"
            "\"t\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[0,32]}}", 32 },
        { "other.safetensors", "{\"u\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[0,32]}}", 32 },
    };
    for (size_t k = 0; k < sizeof safe / sizeof *safe; k++)
        tensors(safe[k].name, safe[k].json, safe[k].bytes);
    file("length.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        pack(list[k].id, list[k].row, list[k].params, list[k].ins, list[k].outs, list[k].more);
        refused(list[k].ins == in ? list[k].outs == out_y ? list[k].says : list[k].outs : list[k].ins, list[k].says);
    }
}

Test(hostile, pack_json_of_any_size_and_depth_is_refused_early)
{
    dir = "build/hostile-json";
    static const struct {
        const char *text, *says;
    } raw[] = { { "", "pack.json: line 1" }, { "{", "pack.json" }, { "[1, 2]", "no list 'cases'" },
        { "{\"cases\": 7}", "no list 'cases'" }, { "{\"cases\":[{\"row\":\"rope\"}]}", "case 1" } };
    for (size_t k = 0; k < sizeof raw / sizeof *raw; k++) {
        file("pack.json", raw[k].text, strlen(raw[k].text));
        refused(raw[k].text, raw[k].says);
    }
    static char nest[200000];
    for (int deep = 1000; deep <= 90000; deep *= 90) {
        size_t n = (size_t)snprintf(nest, sizeof nest, "{\"cases\":[],\"x\":");
        memset(nest + n, '[', (size_t)deep), memset(nest + n + deep, ']', (size_t)deep);
        nest[n + 2 * (size_t)deep] = '}';
        file("pack.json", nest, n + 2 * (size_t)deep + 1);
        refused("nesting", deep == 1000 ? "nested too deeply" : "maximum parsing depth");
    }
    file("pack.json", "{", 1);
    cr_assert_eq(truncate(in_dir("pack.json"), 1 << 30), 0);
    refused("a sparse gigabyte", "at most 16 MiB");
    unlink(in_dir("pack.json"));
    refused("no pack.json", "No such file");
    cr_assert_eq(mkfifo(in_dir("pack.json"), 0666), 0);
    refused("a pipe", "no regular file");
    unlink(in_dir("pack.json"));
}

/* A pipe that nobody writes to would be waited for until --seconds, and read as a crash of the subject. */
Test(hostile, a_pipe_is_no_subject, .timeout = 15)
{
    dir = "build/hostile-pipe";
    mkdir(dir, 0777);
    unlink(in_dir("pipe"));
    cr_assert_eq(mkfifo(in_dir("pipe"), 0666), 0);
    cr_expect_eq(meridian("", "judge build/hostile-pipe/pipe --seconds 100"), 2, "%s%s", out, err);
    cr_expect(lines(err) == 1 && strstr(err, "neither a file nor a folder") && !*out, "%s%s", out, err);
}

Test(hostile, a_broken_array_of_a_case_in_other_words_is_refused)
{
    static const char cases[] = "{\"cases\":[{\"id\":\"a\",\"row\":\"rope\",\"op\":\"rotate\",\"params\":{},"
                                "\"profile\":{},\"in\":{\"x\":\"broken.npy\"},\"out\":{\"y\":\"y.npy\"}},"
                                "{\"id\":\"b\",\"row\":\"rope\",\"params\":{\"dim\":4},\"profile\":{\"phase\":\"f32\","
                                "\"table\":\"f32\",\"product\":\"f32\",\"sum\":\"f32\"},\"in\":{\"x\":\"x.npy\","
                                "\"pos\":\"pos.npy\"},\"out\":{\"y\":\"y.npy\"}}]}";
    dir = "build/hostile-named";
    good();
    file("broken.npy", "no array", 8);
    file("pack.json", cases, sizeof cases - 1);
    cr_expect_eq(meridian("", "judge build/hostile-named"), 2, "%s%s", out, err);
    cr_expect(strstr(err, "case 'a'") && strstr(err, "broken.npy"), "%s%s", out, err);
    cr_expect(strstr(out, " b "), "the other case is judged: %s", out);
}

/* A second reader's opinion of a JUnit of failures, under names that XML, JSON, Markdown or a shell would read
 * otherwise. */
Test(hostile, the_junit_of_a_failing_run_is_xml, .timeout = 120)
{
    static const char *const names[] = { "a<b>&\"']]>|.so", "line\nand\033[31m.so", "\xff\xed\xa0\x80\xc3\xa9.so",
        "<!--.so", "&#0;.so" };
    dir = "build/hostile-junit";
    mkdir(dir, 0777);
    cr_assert_eq(system("cp build/plugin.so build/hostile-junit/subject"), 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        unlink(in_dir(names[k]));
        cr_assert_eq(symlink("subject", path), 0);
        setenv("HOSTILE", path, 1);
        cr_expect_eq(
            meridian("", "judge \"$HOSTILE\" --preset gpt-neox --checks none --junit build/hostile-junit/report.xml"),
            1, "%s", err);
        cr_expect_eq(
            system(
                "cd build/hostile-junit && if command -v xmllint >/dev/null; then xmllint --noout report.xml; "
                "else python3 -c 'import xml.etree.ElementTree as e; e.parse(\"report.xml\")'; fi && "
                "grep -q '<failure ' report.xml"),
            0, "%zu", k);
    }
}
