/* Texts cut into tokens: what the tokenizers library gave (data/tokenizers, by harness/adapters/tokenizer_files.py) is
 * given again; files that are damaged, contradict themselves or ask for what is not known are refused in one line. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <time.h>
#include "command.h"
#include "arith/need.h"
#include "core/files.h"
#include "lab/text/charsmap.h"
#include "lab/text/onig.h"
#include "lab/token/tokenizer.h"

#define DATA "data/tokenizers"
/* Demands these numbers of a text. */
static void gives(const struct tokenizer *t, const char *name, const json_t *x, const char *key, bool special)
{
    const json_t *text = json_object_get(x, "text"), *wanted = json_object_get(x, key);
    struct ids got = { .n = 0 };
    char why[500] = "";
    const int rc = tokenizer_cut(t, json_string_value(text), json_string_length(text), special, &got, why, sizeof why);
    size_t k = 0;
    while (k < got.n && got.of[k] == json_integer_value(json_array_get(wanted, k)))
        k++;
    cr_expect(!rc && json_is_array(wanted) && k == got.n && k == json_array_size(wanted),
        "%s, %s of '%s': %zu of %zu, %s", name, key, json_string_value(text), k, json_array_size(wanted), why);
    free(got.of);
}

Test(lab_tokens, what_the_library_gave_is_given_again, .timeout = 120)
{
    DIR *d = opendir(DATA);
    long pairs = 0, files = 0;
    cr_assert(d != NULL);
    for (struct dirent *f; (f = readdir(d));) {
        char path[400], why[600];
        struct tokenizer t;
        if (strchr(f->d_name, '.'))
            continue;
        snprintf(path, sizeof path, DATA "/%s/expected.json", f->d_name);
        json_t *root = json_load_file(path, JSON_ALLOW_NUL, NULL), *x;
        snprintf(path, sizeof path, DATA "/%s", f->d_name);
        cr_assert(root && !tokenizer_open(&t, path, why, sizeof why), "%s: %s", path, why);
        size_t k;
        json_array_foreach(json_object_get(root, "of"), k, x) {
            gives(&t, f->d_name, x, "ids", true), gives(&t, f->d_name, x, "plain", false);
            pairs++;
        }
        tokenizer_free(&t), json_decref(root), files++;
    }
    closedir(d);
    cr_expect(files >= 13 && pairs >= 400, "%ld files, %ld texts", files, pairs);
}

/* A folder with this file, of which each test has its own. */
static void put(const char *folder, const char *text, size_t n)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    cr_assert(!folder_make(folder, why, sizeof why) && !file_replace(path, text, n, why, sizeof why), "%s", why);
}
static void drop(const char *folder)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

#define BPE(more) "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]" more "}}"
#define WITH(part) "{" part ",\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[]}}"
#define SPLIT(pattern)                                                                                                 \
    WITH("\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Isolated\",\"invert\":false,\"pattern\":" pattern "}")
#define PRECOMPILED(table) WITH("\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"" table "\"}")
#define ADDED(list) WITH("\"added_tokens\":[" list "]")
Test(lab_tokens, what_a_file_may_not_say_is_named_and_refused, .timeout = 60)
{
    static const struct { const char *file, *says;
    } list[] = {
        { "", "tokenizer.json:1:0: '[' or '{' expected" },
        { "{\"model\":", "unexpected token near end of file" },
        { "[]", "no object; give --tokens" },
        { "{}", "no object 'model'" },
        { "{\"version\":\"2.0\"}", "another version" },
        { "{\"model\":{\"type\":\"Huffman\"}}", "model 'Huffman' is not known" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"a\":1},\"merges\":[]}}", "duplicate object key" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":0},\"merges\":[]}}",
            "the number 0 twice, of 'b' too" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":4294967296},\"merges\":[]}}", "'a' has no number from 0" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":-1},\"merges\":[]}}", "'a' has no number from 0" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":[],\"merges\":[]}}", "no vocabulary" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0}}}", "no list 'merges'" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1},\"merges\":[\"a b\"]}}",
            "merge 0, 'a b' 'b': not all" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a\"]}}", "merge 0 is no pair" },
        { "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[[\"a\",\"b\",\"c\"]]}}", "merge 0 is no pair" },
        { BPE(",\"dropout\":0.1"), "dropout: its tokens are drawn at random" },
        { BPE(",\"fuse_unk\":1"), "fuse_unk is neither true nor false" },
        { "{\"model\":{\"type\":\"Unigram\",\"vocab\":[[\"a\",0]],\"unk_id\":1}}", "unk_id is no number" },
        { "{\"model\":{\"type\":\"Unigram\",\"vocab\":[[\"a\",\"b\"]]}}", "entry 0 is no text with a score" },
        { "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{},\"unk_token\":\"u\"}}",
            "no text 'continuing_subword_prefix'" },
        { WITH("\"normalizer\":{\"type\":\"Normal\"}"), "normalizer 'Normal' is not known" },
        { WITH("\"normalizer\":{\"type\":\"Precompiled\"}"), "'Precompiled': no text 'precompiled_charsmap'" },
        { PRECOMPILED("AAA"), "precompiled_charsmap is not base64" },
        { PRECOMPILED("AAA?"), "precompiled_charsmap is not base64" },
        { PRECOMPILED("BAAAAAAAAAB="), "precompiled_charsmap is not base64" }, /* a bit of a byte that is not there */
        { PRECOMPILED(""), "has 0 bytes, fewer than the trie" },
        { PRECOMPILED("BAAAAAAAAA=="), "has 7 bytes, fewer than the trie" },
        { PRECOMPILED("AAAAAA=="), "has 4 bytes, fewer than the trie" },
        { PRECOMPILED("BAAAAAAAAAD/"), "a text of precompiled_charsmap is not UTF-8" },
        { WITH("\"normalizer\":{\"type\":\"Sequence\"}"), "normalizer 'Sequence' has no list" },
        { WITH("\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\"}]}"),
            "'Prepend': no text" },
        { WITH("\"pre_tokenizer\":{\"type\":\"X\"}"), "pre_tokenizer 'X' is not known; give --tokens" },
        { WITH("\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"ab\"}"),
            "replacement is not one character" },
        { WITH("\"pre_tokenizer\":{\"type\":\"Punctuation\",\"behavior\":\"Y\"}"), "behavior 'Y' is not known" },
        { WITH("\"pre_tokenizer\":{\"type\":\"FixedLength\",\"length\":0}"), "length is no number above 0" },
        { WITH("\"post_processor\":{\"type\":\"Z\"}"), "post_processor 'Z' is not known" },
        { WITH("\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"q\"}}]}"),
            "entry 0" },
        { ADDED("{\"id\":3,\"content\":\"x\"},{\"id\":7,\"content\":\"y\"}"),
            "'y' has the number 7, and by the vocabulary must have 4" },
        { ADDED("{\"id\":1,\"content\":\"a\"}"), "'a' has the number 1, and by the vocabulary must have 0" },
        { ADDED("{\"id\":3,\"content\":\"x\"},{\"id\":3,\"content\":\"x\"}"), "'x' twice" },
        { ADDED("{\"id\":3,\"content\":\"x\"},{\"id\":4,\"content\":\"X\"}],\"normalizer\":{\"type\":\"Lowercase\"},"
                "\"n\":["),
            "'X': the normalizer makes the same text of another" },
        { SPLIT("{\"Regex\":\"(a\"}"), "Regex '(a': a ( without its )" },
        { SPLIT("{\"Glob\":\"a\"}"), "no pattern that is String or Regex" },
    };
    const char *folder = "build/lab-tokens-bad";
    drop(folder);
    cr_expect(meridian("", "lab tokens build/lab-tokens-bad --text README.md") == 2 &&
            strstr(err, "cannot be read; give --tokens"),
        "%s", err);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char why[900] = "";
        struct tokenizer t;
        put(folder, list[k].file, strlen(list[k].file));
        cr_expect(tokenizer_open(&t, folder, why, sizeof why) && strstr(why, list[k].says) && !strchr(why, '\n'),
            "%s: '%s' lacks '%s'", list[k].file, why, list[k].says);
        tokenizer_free(&t);
    }
    /* However a file is cut short, it is refused. */
    char *whole = file_read(DATA "/added/tokenizer.json");
    const size_t n = strlen(whole);
    for (size_t k = 0; k < 40; k++) {
        char why[900];
        struct tokenizer t;
        put(folder, whole, (n - 2) * k / 40);
        cr_expect(tokenizer_open(&t, folder, why, sizeof why), "%zu bytes of %zu are taken", (n - 2) * k / 40, n);
        tokenizer_free(&t);
    }
    free(whole), drop(folder);
}

/* Tables by hand: a root whose children are beyond the end; a child for 'a' whose value is there, within the texts
 * "x\0\u00e9", behind them, in the middle of the last one, and at their end, where the text is empty. */
Test(lab_tokens, a_table_of_characters_is_asked_within_its_ends, .timeout = 30)
{
    enum { UNITS = 256, A = 0x61 ^ 1, VALUE = 1 << 8 };
    static const struct { uint32_t root, value; const char *gives; } list[] = {
        { 1u << 10, 0, "x" },
        { 1u << 10, 2, "\u00e9" },
        { 1u << 10, 4, "" },
        { 1u << 10, 3, NULL },
        { 1u << 10, 5, NULL },
        { 1u << 10, 0x7fffffff, NULL },
        { 1000u << 10, 0, NULL },
        { 1u << 31 | 1u << 9 | 1u << 10, 0, NULL },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char table[4 + 4 * UNITS + 4] = { 0 };
        const uint32_t size = 4 * UNITS;
        const uint32_t a = 'a' | VALUE | 1u << 10, leaf = list[k].value | 1u << 31;
        const char *to = "?";
        size_t length = 1;
        memcpy(table, &size, 4), memcpy(table + 4, &list[k].root, 4);
        memcpy(table + 4 + 4 * A, &a, 4), memcpy(table + 4 + 4 * (A ^ 1), &leaf, 4);
        memcpy(table + 4 + 4 * UNITS, "x\0\u00e9", 4);
        const int got = charsmap_find(table, sizeof table, "ab", 2, &to, &length);
        cr_expect_eq(got, list[k].gives ? 1 : -1, "table %zu: %d", k, got);
        cr_expect(!list[k].gives || (length == strlen(list[k].gives) && !memcmp(to, list[k].gives, length)),
            "table %zu: '%.*s'", k, (int)length, to);
        if (list[k].root == 1u << 10)
            cr_expect_eq(charsmap_find(table, sizeof table, "b", 1, &to, &length), 0);
    }
}

/* Whatever stands in a table, it is asked within its ends: one byte in turn is another, and the answers are texts. */
Test(lab_tokens, a_damaged_table_of_characters_is_a_table_or_refused, .timeout = 60)
{
    json_t *root = json_load_file(DATA "/precompiled/tokenizer.json", JSON_ALLOW_NUL, NULL);
    const json_t *step = json_array_get(json_object_get(json_object_get(root, "normalizer"), "normalizers"), 0);
    const char *text = json_string_value(json_object_get(step, "precompiled_charsmap"));
    char *table, why[300];
    size_t size;
    cr_assert(text && !charsmap_read(text, strlen(text), &table, &size, why, sizeof why), "%s", why);
    for (size_t at = 4; at < size; at++)
        for (int bit = 0; bit < 8; bit += 3) {
            table[at] ^= (char)(1 << bit);
            for (const char *s = "The\tfi\u0301 \u3000\u4f60\u597d", *to; *s; s++) {
                size_t length = 0;
                const int got = charsmap_find(table, size, s, strlen(s), &to, &length);
                cr_assert(got < 1 || (to >= table && to + length <= table + size), "byte %zu", at);
            }
            table[at] ^= (char)(1 << bit);
        }
    free(table), json_decref(root);
}

Test(lab_tokens, what_oniguruma_and_pcre_read_differently_is_refused, .timeout = 30)
{
    static const struct { const char *pattern, *says;
    } list[] = {
        { "a{2}?", "an interval before" },
        { "a{2}+", "an interval before" },
        { "a{x", "begins no interval" },
        { "[a[b]]", "a set within" },
        { "[a&&b]", "a set within" },
        { "[[:alpha:]]", "a set within" },
        { "[]a]", "begins with ]" },
        { "[a", "not closed" },
        { "[a-\\d]", "a range that has no end" },
        { "[\\d-z]", "a range from a set" },
        { "\\1", "read differently" },
        { "\\K", "read differently" },
        { "\\X", "read differently" },
        { "\\R", "read differently" },
        { "\\G", "read differently" },
        { "\\k<a>", "read differently" },
        { "\\xff", "a byte that is no" },
        { "\\x{110000}", "of no character" },
        { "\\ud800", "of no character" },
        { "a(?i)b", "in the middle" },
        { "(?x: a)", "in the middle" },
        { "(?~a)", "in the middle" },
        { "(*FAIL)", "a callout" },
        { "(?<1>a)", "without a name" },
        { "(?#", "comment" },
        { "a)", "without its (" },
        { "(", "without its )" },
        { "\\p{Alnum2}", "neither category" },
        { "\\pL", "without {NAME}" },
        { "(?i)ss", "may be several" },
        { "(?i:stra\u00dfe)", "several" },
        { "(?i)\\p{L}", "without case" },
        { "(?i)\\w", "without case" },
        { "(?i)[\\s]", "without case" },
        { "(?i)ffi", "several" },
        { "\\", "at the end" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char why[200] = "";
        char *text = onig_pattern(list[k].pattern, strlen(list[k].pattern), why, sizeof why);
        cr_expect(!text && strstr(why, list[k].says), "%s: '%s', '%s' lacks '%s'", list[k].pattern, text ? text : "",
            why, list[k].says);
        free(text);
    }
    static const struct {
        const char *pattern, *is;
    } same[] = { { "\\p{^Han}{,3}", "\\P{sc:Han}{0,3}" }, { "(?m:.)|(?<n>\\u0041)?+", "(?s:.)|(?:A)?+" },
        { "[\\t-\\n\\-^]", "[\\x{9}-\\x{a}\\x{2d}\\x{5e}]" },
        { "(?i:'s|[dt])\\h\\z", "(?i:\\x{27}s|[dt])[0-9a-fA-F]\\z" } };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        char why[200] = "";
        char *text = onig_pattern(same[k].pattern, strlen(same[k].pattern), why, sizeof why);
        cr_expect(text && !strcmp(text, same[k].is), "%s: '%s', %s", same[k].pattern, text ? text : "", why);
        free(text);
    }
}

Test(lab_tokens, a_text_that_is_no_text_is_refused_with_its_byte, .timeout = 30)
{
    static const struct {
        const char *bytes;
        size_t n, at;
    } list[] = { { "\xff", 1, 0 }, { "ab\xc3", 3, 2 }, { "a\xc0\x80", 3, 1 }, { "\xed\xa0\x80", 3, 0 },
        { "\xf4\x90\x80\x80", 4, 0 }, { "\xc3\xa9\x80", 3, 2 } };
    struct tokenizer t;
    char why[300], says[60];
    cr_assert(!tokenizer_open(&t, DATA "/byte-level", why, sizeof why));
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ids x = { .n = 0 };
        snprintf(says, sizeof says, "byte %zu is no UTF-8", list[k].at);
        cr_expect(tokenizer_cut(&t, list[k].bytes, list[k].n, true, &x, why, sizeof why) && !strcmp(why, says) && !x.n,
            "%zu: %s", k, why);
        free(x.of);
    }
    tokenizer_free(&t);
}

/* One piece of n letters, and many pieces: eight times the text takes less than twenty times the time. */
static double seconds(const struct tokenizer *t, const char *unit, size_t n)
{
    const size_t length = strlen(unit) * n;
    char *text = need(length + 1, 1), why[300];
    struct ids x = { .n = 0 };
    for (size_t k = 0; k < n; k++)
        memcpy(text + k * strlen(unit), unit, strlen(unit));
    const clock_t from = clock();
    cr_assert(!tokenizer_cut(t, text, length, false, &x, why, sizeof why), "%s", why);
    const double took = (double)(clock() - from) / CLOCKS_PER_SEC;
    cr_expect(x.n > 0);
    free(text), free(x.of);
    return took;
}
Test(lab_tokens, time_grows_as_the_text_does, .timeout = 60)
{
    static const struct {
        const char *of, *unit;
    } list[] = { { "byte-fallback", "the" }, { "byte-level", "xyz" }, { "unigram-bytes", "tion" }, { "wordpiece", "a" },
        { "added", "xxtheTok " } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char path[100], why[300];
        struct tokenizer t;
        snprintf(path, sizeof path, DATA "/%s", list[k].of);
        cr_assert(!tokenizer_open(&t, path, why, sizeof why), "%s", why);
        const double one = seconds(&t, list[k].unit, 5000), many = seconds(&t, list[k].unit, 40000);
        cr_expect(many < 20 * (one + 0.005), "%s: %g s and %g s", list[k].of, one, many);
        tokenizer_free(&t);
    }
}

Test(lab_tokens, the_command_prints_numbers_and_refuses_in_one_line, .timeout = 60)
{
    static const struct { const char *args, *out, *err;
    } list[] = {
        { "lab tokens " DATA "/word-insides --text data/weights/tiny/tokens.txt", "\n", NULL },
        { "lab tokens " DATA "/word-insides", NULL, "tokens: give the folder of a tokenizer.json, and --text" },
        { "lab tokens --text README.md", NULL, "tokens: give the folder" },
        { "lab tokens " DATA "/word-insides --text none.txt", NULL, "--text: none.txt cannot be read" },
        { "lab tokens " DATA "/word-insides --text -", "\n", NULL },
        { "lab tokens data/weights --text README.md", NULL,
            "data/weights/tokenizer.json cannot be read; give --tokens" },
        { "lab run data/weights/tiny/llama --text README.md", NULL, "give --tokens" },
        { "lab run data/weights/tiny/llama --text README.md --tokens 1", NULL, "one of the two" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const int rc = meridian("", list[k].args);
        if (list[k].out)
            cr_expect(rc == 0 && !*err && lines(out) == 1 && strspn(out, "0123456789 \n") == strlen(out), "%s: %d %s%s",
                list[k].args, rc, out, err);
        else
            cr_expect(rc == 2 && !*out && lines(err) == 1 && strstr(err, list[k].err), "%s: %d, '%s' lacks '%s'",
                list[k].args, rc, err, list[k].err);
    }
}
