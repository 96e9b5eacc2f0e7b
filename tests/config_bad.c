/* Files of configurations that must be refused in one line, with the place and what is allowed: each kind of mistake,
 * sizes and kinds of files, and damage at every byte. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "config_text.h"
#include "core/data.h"

/* Every refusal is one line with the file, the place and what is allowed. */
static void refused(const char *name, const char *text, size_t n, const char *place)
{
    cr_assert_neq(read_text(text, n, &c), 0, "%s was accepted", name);
    cr_assert(!strchr(err, '\n') && strstr(err, "/tmp/meridian-config-"), "%s: '%s'", name, err);
    cr_assert(strstr(err, place), "%s: '%s' does not say '%s'", name, err, place);
}

#define LLAMA "\"model_type\":\"llama\",\"head_dim\":64,\"max_position_embeddings\":4096"
#define YARN(x) "{" LLAMA ",\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"yarn\"," x "}}"
#define LLAMA3(x) "{" LLAMA ",\"rope_theta\":1e4,\"rope_scaling\":{\"rope_type\":\"llama3\"," x "}}"
static const struct { const char *name, *text, *place; } bad[] = {
    { "empty", "", "1:0: not JSON" },
    { "blank", "  \n ", "not JSON" },
    { "truncated", "{\"model_type\":\"llama\",\"head_dim\":", "1:33: not JSON" },
    { "half a word", "{\"a\": tru", "not JSON" },
    { "array", "[1,2]", "1:1: found an array" }, { "number", "7", "not JSON" }, { "trailing", "{}x", "1:3: not JSON" },
    { "byte order mark", "\xef\xbb\xbf{" LLAMA "}", "1:1: found a byte order mark" },
    { "not UTF-8", "{\"model_type\":\"\xff\xfe\"}", "not JSON" },
    { "duplicate key", "{" LLAMA ",\"rope_theta\":1e4,\n\"rope_theta\":1e5}", "2:12: not JSON: duplicate" },
    { "1e999", "{" LLAMA ",\"rope_theta\":1e999}", "not JSON: real number overflow" },
    { "NaN", "{" LLAMA ",\"rope_theta\":NaN}", "rope_theta: found NaN, allowed: a finite number" },
    { "Infinity", "{" LLAMA ",\n\"rope_theta\":-Infinity}", "2:1: rope_theta: found -Infinity, allowed: a finite" },
    { "infinite count", "{\"model_type\":\"llama\",\"head_dim\":Infinity}", "head_dim: found Infinity, allowed: an" },
    { "infinite object", "{" LLAMA ",\"rope_scaling\":NaN}", "rope_scaling: found NaN, allowed: an object" },
    { "behind an infinity", "{\"a\": [0, -Infinity,\n NaN], \"b\": tru}", "2:15: not JSON: invalid token" },
    { "infinity as a key", "{\"a\": NaN,\n Infinity: 1}", "2:9: not JSON" },
    { "half an infinity", "{\"a\": Infinit}", "1:13: not JSON" }, { "plus", "{\"a\": +Infinity}", "not JSON" },
    { "more than infinity", "{\"a\": Infinity1}", "not JSON" }, { "infinity alone", "Infinity", "1:1: found a single" },
    { "huge integer", "{" LLAMA ",\"rope_theta\":99999999999999999999}", "not JSON: too big integer" },
    { "1e300", "{" LLAMA ",\"rope_theta\":1e300}", "rope_theta: found 1" },
    { "theta 1", "{" LLAMA ",\"rope_theta\":1}", "rope_theta: found 1, allowed: more than 1" },
    { "theta negative", "{" LLAMA ",\"rope_theta\":-10000}", "rope_theta: found -10000" },
    { "theta string", "{" LLAMA ",\"rope_theta\":\"10000\"}", "rope_theta: found a string" },
    { "theta object", "{" LLAMA ",\"rope_theta\":{}}", "rope_theta: found an object" },
    { "scaling array", "{" LLAMA ",\"rope_scaling\":[]}", "rope_scaling: found an array" },
    { "type number", "{" LLAMA ",\"rope_scaling\":{\"type\":3}}", "rope_scaling.type: found an integer" },
    { "unknown type", "{" LLAMA ",\"rope_scaling\":{\"type\":\"magic\",\"factor\":2}}",
        "rope_scaling.type: found 'magic', allowed: default linear" },
    { "no type", "{" LLAMA ",\"rope_scaling\":{\"factor\":2}}", "rope_scaling.rope_type: missing" },
    { "factor 0.5", "{" LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":0.5}}",
        "rope_scaling.factor: found 0.5, allowed: at least 1" },
    { "no factor", "{" LLAMA ",\"rope_scaling\":{\"type\":\"linear\"}}", "rope_scaling.factor: missing" },
    { "factor true", "{" LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":true}}",
        "rope_scaling.factor: found true" },
    { "ntk width 2", "{\"model_type\":\"llama\",\"head_dim\":2,\"max_position_embeddings\":64,"
        "\"rope_scaling\":{\"type\":\"dynamic\",\"factor\":2}}", "undefined at width 2" },
    { "odd width", "{\"model_type\":\"llama\",\"head_dim\":7}", "head_dim: found a rotated width of 7" },
    { "indexer takes none", "{\"model_type\":\"deepseek_v32\",\"index_topk\":0}", "index_topk: found 0, allowed" },
    { "indexer takes -4", "{\"model_type\":\"glm_moe_dsa\",\"index_topk\":-4}", "index_topk: found -4, allowed" },
    { "indexer takes many", "{\"model_type\":\"hy_v4\",\"index_topk\":\"many\"}", "index_topk: found a string" },
    { "half an index head", "{\"model_type\":\"axk2\",\"index_n_heads\":2.5}", "index_n_heads: found 2.5" },
    { "index blocks of none", "{\"model_type\":\"glm5_next_text\",\"index_kpool\":0}", "index_kpool: found 0" },
    { "index heads without width", "{\"model_type\":\"minimax_m3_vl_text\",\"index_head_dim\":0}",
        "index_head_dim: found 0" },
    { "odd share", "{" LLAMA ",\"partial_rotary_factor\":0.33}", "found a rotated width of 21" },
    { "share 1.5", "{" LLAMA ",\"partial_rotary_factor\":1.5}", "partial_rotary_factor: found 1.5" },
    { "rotary_dim wide", "{\"model_type\":\"gptj\",\"n_embd\":64,\"n_head\":4,\"rotary_dim\":32}",
        "rotary_dim: found a rotated width of 32 in a head of 16" },
    { "share zero", "{" LLAMA ",\"rotary_pct\":0.0}", "found 0, allowed: more than 0" },
    { "head_dim zero", "{\"model_type\":\"llama\",\"head_dim\":0}", "head_dim: found 0" },
    { "head_dim half", "{\"model_type\":\"llama\",\"head_dim\":64.5}", "head_dim: found 64.5" },
    { "heads do not divide", "{\"model_type\":\"llama\",\"hidden_size\":100,\"num_attention_heads\":7}",
        "num_attention_heads: found 7" },
    { "no width", "{\"model_type\":\"x\",\"rope_theta\":1e4,\"hidden_size\":100}", "head_dim: missing" },
    { "no even width", "{\"model_type\":\"llama\",\"hidden_size\":100}", "found a rotated width of 3 in a head of 3" },
    { "no theta", "{\"model_type\":\"unheard-of\",\"head_dim\":64,\"rope_scaling\":null,\"rotary_pct\":1}",
        "rope_theta: missing, and model_type 'unheard-of'" },
    { "unknown model", "{\"model_type\":\"unheard-of\",\"hidden_size\":64}", "model_type: found 'unheard-of'" },
    { "nothing", "{}", "model_type: found ''" },
    { "kind number", "{\"model_type\":\"bert\",\"position_embedding_type\":46}",
        "position_embedding_type: found an integer" },
    { "share 4", "{" LLAMA ",\"partial_rotary_factor\":4.0}", "found 4: more than the whole head turns" },
    { "model_type number", "{\"model_type\":4}", "model_type: found an integer" },
    { "yarn factor 0", YARN("\"factor\":0"), "rope_scaling.factor: found 0" },
    { "yarn betas", YARN("\"factor\":2,\"beta_fast\":1,\"beta_slow\":32"), "beta_slow" },
    { "yarn mscale", YARN("\"factor\":2,\"mscale\":-1"), "rope_scaling.mscale: found -1" },
    { "yarn truncate", YARN("\"factor\":2,\"truncate\":1"), "rope_scaling.truncate: found an integer" },
    { "llama3 no trained", LLAMA3("\"factor\":8,\"low_freq_factor\":1,\"high_freq_factor\":4"),
        "rope_scaling.original_max_position_embeddings: missing" },
    { "llama3 no low", LLAMA3("\"factor\":8,\"original_max_position_embeddings\":8192"),
        "rope_scaling.low_freq_factor: missing" },
    { "longrope no lists", "{" LLAMA
        ",\"rope_scaling\":{\"type\":\"longrope\",\"original_max_position_embeddings\":512}}",
        "rope_scaling.short_factor: missing" },
    { "longrope short list", "{" LLAMA
        ",\"rope_scaling\":{\"type\":\"su\",\"original_max_position_embeddings\":512,\"short_factor\":[1],"
        "\"long_factor\":[2]}}", "one entry for each pair" },
    { "longrope word", "{" LLAMA
        ",\"rope_scaling\":{\"type\":\"longrope\",\"original_max_position_embeddings\":512,\"short_factor\":[1,\"a\"],"
        "\"long_factor\":[]}}", "short_factor[1]" },
    { "positions beyond 2^53",
        "{\"model_type\":\"llama\",\"head_dim\":64,\"max_position_embeddings\":9007199254740993}",
        "max_position_embeddings: found 9007199254740993" },
    { "positions negative", "{\"model_type\":\"llama\",\"head_dim\":64,\"max_position_embeddings\":-1}",
        "max_position_embeddings: found -1" },
    { "positions string", "{\"model_type\":\"llama\",\"head_dim\":64,\"max_position_embeddings\":\"4k\"}",
        "max_position_embeddings: found a string" },
    { "text_config string", "{\"model_type\":\"x\",\"text_config\":\"y\"}", "text_config: found a string" },
    { "nested bad", "{" LLAMA
        ",\"rope_parameters\":{\"full_attention\":{\"rope_type\":\"linear\",\"rope_theta\":1e4,\"factor\":-2}}}",
        "rope_parameters.full_attention.factor: found -2" },
    { "mla contradiction", "{\"model_type\":\"x\",\"qk_rope_head_dim\":64,\"head_dim\":128,\"rope_theta\":1e4,"
        "\"partial_rotary_factor\":0.25}", "qk_rope_head_dim: found 64" },
};

Test(config_bad, bad_files_get_one_line_with_the_place)
{
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        refused(bad[k].name, bad[k].text, strlen(bad[k].text), bad[k].place);
    char text[3000];
    memset(text, '[', sizeof text);
    refused("deep nesting", text, sizeof text, "1:65: found nesting deeper than 64");
    snprintf(text, sizeof text, "{\"model_type\":\"ll%cama\"}", 1);
    refused("control character", text, strlen(text), "not JSON");
    refused("NUL byte", "{\"model_type\":\0\"llama\"}", 23, "not JSON");
    refused("NUL in a string", "{\"model_type\":\"\\u0000\"}", 23, "not JSON");
}

Test(config_bad, size_and_kind_of_file_are_seen_before_reading)
{
    char path[] = "/tmp/meridian-config-XXXXXX", dir[] = "/tmp/meridian-fifo-XXXXXX", fifo[64];
    int fd = mkstemp(path);
    cr_assert_eq(ftruncate(fd, 1L << 40), 0);
    close(fd);
    cr_assert_neq(config_read(path, &c, err, sizeof err), 0);
    cr_assert(strstr(err, "found 1099511627776 bytes, allowed: 16777216"), "%s", err);
    cr_assert_neq(config_read("/tmp", &c, err, sizeof err), 0);
    cr_assert(strstr(err, "/tmp: found a folder"), "%s", err);
    cr_assert_neq(config_read("/dev/zero", &c, err, sizeof err), 0);
    cr_assert(strstr(err, "a device or pipe"), "%s", err);
    cr_assert(mkdtemp(dir) != NULL);
    snprintf(fifo, sizeof fifo, "%s/fifo", dir);
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    cr_assert_neq(config_read(fifo, &c, err, sizeof err), 0); /* It is refused without waiting for a writer. */
    unlink(fifo), rmdir(dir), unlink(path);
    cr_assert_neq(config_read("/no/such/file", &c, err, sizeof err), 0);
    cr_assert(strstr(err, "/no/such/file"), "%s", err);
}

/* Damage at every byte of a real file: never a crash, always a verdict or one line. */
Test(config_bad, damaged_files_never_crash)
{
    char path[600], text[4096];
    FILE *f = fopen(data_path("models/published-deepseek-v3.json", path, sizeof path), "r");
    size_t n = fread(text, 1, sizeof text, f);
    long refusals = 0;
    fclose(f);
    for (size_t k = 0; k < n; k++) {
        char old = text[k];
        text[k] = (char)(old ^ (1 << k % 7));
        int rc = read_text(text, n, &c);
        cr_assert(
            rc == 0 ? c.n > 0 : *err && !strchr(err, '\n'), "byte %zu: rc %d, %d encodings, '%s'", k, rc, c.n, err);
        refusals += rc != 0;
        text[k] = old;
        cr_assert(read_text(text, k, &c), "accepted the first %zu bytes", k);
    }
    cr_assert_gt(refusals, (long)n / 4);
}
