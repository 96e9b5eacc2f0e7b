/* config.json in, encodings out: spellings, what a file is silent of, every file of data/models, and the verb. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "config_text.h"
#include "core/data.h"
#include "context/scan.h"

static struct config d;

static int reads(const char *text, struct config *out) { return read_text(text, strlen(text), out); }

/* Each pair: the same model in two spellings, or a spelling and what it means. */
Test(model, spellings_old_and_new_mean_the_same)
{
    static const char *const pair[][2] = {
        { "{\"model_type\":\"llama\",\"head_dim\":128,\"rope_theta\":500000.0,\"rope_scaling\":{\"type\":\"linear\","
            "\"factor\":4}}",
          "{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_attention_heads\":32,"
          "\"rope_parameters\":{\"rope_theta\":500000,\"rope_type\":\"linear\",\"factor\":4.0}}" },
        { "{\"model_type\":\"gpt_neox\",\"hidden_size\":6144,\"num_attention_heads\":64,\"rotary_pct\":0.25,"
            "\"rotary_emb_base\":10000}",
          "{\"model_type\":\"gpt_neox\",\"hidden_size\":6144,\"num_attention_heads\":64,"
          "\"rope_parameters\":{\"rope_theta\":10000.0,\"rope_type\":\"default\",\"partial_rotary_factor\":0.25}}" },
        { "{\"model_type\":\"gpt_neox\",\"hidden_size\":6144,\"num_attention_heads\":64}",
          "{\"model_type\":\"gpt_neox\",\"head_dim\":96,\"rotary_dim\":24,\"rope_theta\":1e4}" },
        { "{\"model_type\":\"gemma3_text\",\"head_dim\":256,\"rope_theta\":1000000,\"rope_local_base_freq\":10000,"
            "\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8.0}}",
          "{\"model_type\":\"gemma3_text\",\"head_dim\":256,"
          "\"rope_parameters\":{\"full_attention\":{\"rope_type\":\"linear\",\"factor\":8,\"rope_theta\":1e6},"
          "\"sliding_attention\":{\"rope_type\":\"default\",\"rope_theta\":1e4}}}" },
        { "{\"model_type\":\"x\",\"head_dim\":64,\"rope_theta\":10000,\"max_position_embeddings\":16384,"
            "\"rope_scaling\":{\"type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":4096}}",
          "{\"model_type\":\"x\",\"head_dim\":64,\"original_max_position_embeddings\":4096,"
          "\"max_position_embeddings\":16384,\"rope_parameters\":{\"rope_type\":\"yarn\",\"rope_theta\":10000,"
          "\"factor\":4,\"beta_fast\":32,\"beta_slow\":1,\"truncate\":true}}" },
        { "{\"model_type\":\"llama\",\"head_dim\":64}",
            "{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":null,\"rope_theta\":10000}" },
        { "{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":{},\"rope_parameters\":{\"rope_type\":\"linear\","
            "\"factor\":4,\"rope_theta\":10000}}",
            "{\"model_type\":\"llama\",\"head_dim\":64,\"rope_theta\":10000,\"rope_scaling\":{\"type\":\"linear\","
            "\"factor\":4},\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":10000}}" },
        { "{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":64,\"head_dim\":64,\"rope_theta\":10000,"
            "\"rope_interleave\":true}",
          "{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":64,\"hidden_size\":7168,\"num_attention_heads\":128}" },
        { "{\"model_type\":\"qwen2_5_vl\",\"head_dim\":128,\"rope_theta\":1000000,\"rope_scaling\":{\"type\":\"mrope\","
            "\"mrope_section\":[16,24,24]}}",
          "{\"model_type\":\"qwen2_5_vl\",\"text_config\":{\"model_type\":\"qwen2_5_vl\",\"head_dim\":128,"
          "\"rope_theta\":1000000}}" },
        { "{\"model_type\":\"phi3\",\"head_dim\":4,\"rope_theta\":1e4,\"max_position_embeddings\":64,"
            "\"original_max_position_embeddings\":16,\"rope_scaling\":{\"type\":\"longrope\",\"short_factor\":[1,1.5],"
            "\"long_factor\":[2,3]}}",
          "{\"model_type\":\"phi3\",\"head_dim\":4,\"max_position_embeddings\":64,"
          "\"rope_parameters\":{\"rope_type\":\"longrope\",\"rope_theta\":1e4,\"factor\":4,"
          "\"original_max_position_embeddings\":16,\"short_factor\":[1,1.5],\"long_factor\":[2,3]}}" },
    };
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        cr_assert_eq(reads(pair[k][0], &c), 0, "%zu: %s", k, err);
        cr_assert_eq(reads(pair[k][1], &d), 0, "%zu: %s", k, err);
        cr_assert_eq(c.n, d.n, "pair %zu: %d and %d encodings", k, c.n, d.n);
        for (int i = 0; i < c.n; i++)
            cr_assert(
                !strcmp(c.e[i].row, d.e[i].row) && !strcmp(c.e[i].params, d.e[i].params) && c.e[i].most == d.e[i].most,
                "pair %zu: '%s' up to %ld and '%s' up to %ld", k, c.e[i].params, (long)c.e[i].most, d.e[i].params,
                (long)d.e[i].most);
    }
}

Test(model, published_settings_in_our_words)
{
    static const struct { const char *file, *params; int n; long most; } want[] = {
        { "published-llama-3.1-8b", "dim=128 base=500000 scaling=llama3 factor=8 trained=8192", 1, 131072 },
        { "published-gpt-neox-20b", "dim=96 rotary=24", 1, 2048 },
        { "published-phi-2", "dim=80 rotary=32", 1, 2048 },
        { "published-deepseek-v3", "layout=interleaved scaling=yarn factor=40 trained=4096 mscale=1 mscale_all_dim=1",
            1, 163840 },
        { "published-deepseek-v2-lite", "layout=interleaved scaling=yarn factor=40 trained=4096 mscale=707/1000 "
            "mscale_all_dim=707/1000", 1, 163840 },
        { "published-qwen2.5-7b-instruct-yarn", "dim=128 base=1000000 scaling=yarn factor=4 trained=32768", 1, 131072 },
        { "published-gemma-3-27b-text", "dim=128 base=1000000 scaling=linear factor=8", 2, 131072 },
        { "published-minicpm-2b-128k", "base=1000000 scaling=dynamic factor=4 trained=65536 length=262144", 1, 262144 },
        { "gpt_oss", "base=150000 scaling=yarn factor=32 trained=4096 truncate=off", 1, 131072 },
        { "gptj", "dim=256 rotary=64 layout=interleaved", 1, 2048 },
        { "published-qwen3.5-27b-text", "dim=256 rotary=64 base=10000000", 1, 262144 },
        { "gemma4", "dim=256", 2, 131072 },
        { "published-phi-3.5-mini-instruct", NULL, 2, 4096 },
        { "mimo_v2_flash", "dim=192 rotary=64 base=5000000", 2, 131072 },
        { "deepseek_v4", NULL, 2, 1048576 },
        { "whisper", "dim=384 layout=concat spacing=shifted", 1, 1500 },
    };
    char what[120], path[600];
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        snprintf(what, sizeof what, "models/%s.json", want[k].file);
        cr_assert_eq(config_read(data_path(what, path, sizeof path), &c, err, sizeof err), 0, "%s", err);
        cr_assert(c.n == want[k].n && c.e[0].most == want[k].most &&
                (!want[k].params || !strcmp(c.e[0].params, want[k].params)),
            "%s: %d encodings, %s, up to %ld", want[k].file, c.n, c.e[0].params, (long)c.e[0].most);
    }
    data_path("models/gemma4.json", path, sizeof path);
    cr_assert_eq(config_read(path, &c, err, sizeof err), 0);
    /* Heads of 512 where everything is seen (global_head_dim), of which a quarter turns: transformers 5.23.0,
     * configuration_gemma4.py and modeling_rope_utils.py, _compute_proportional_rope_parameters. */
    cr_assert_str_eq(c.e[1].params, "dim=512 rotary=128 base=1000000 partial=proportional");
}

/* A file that says nothing of rotations has the dictionary of its class, scaling and kinds of layers with it. */
Test(model, a_class_s_own_dictionary_takes_the_place_of_none)
{
    static struct config c;
    cr_assert_eq(reads("{\"model_type\":\"ministral3\",\"head_dim\":128}", &c), 0, "%s", err);
    cr_expect(c.n == 1 && strstr(c.e[0].params, "base=1000000 scaling=yarn factor=16 trained=16384"), "%s",
        c.e[0].params);
    cr_assert_eq(reads("{\"model_type\":\"mellum\",\"head_dim\":128}", &c), 0, "%s", err);
    cr_expect(c.n == 2 && strstr(c.e[0].params, "base=500000") && !strstr(c.e[1].params, "base="), "%d: %s", c.n,
        c.e[0].params);
    /* A base of the file's own is no such silence. */
    cr_assert_eq(reads("{\"model_type\":\"ministral3\",\"head_dim\":128,\"rope_theta\":5e4}", &c), 0, "%s", err);
    cr_expect(!strstr(c.e[0].params, "yarn"), "%s", c.e[0].params);
}

/* A file that is silent of widths, bases, the context or its language part has those of its class, as its card has
 * them.  The values are those of the configuration classes of transformers 5.23.0. */
Test(model, what_a_file_is_silent_of_is_what_its_card_has)
{
    static const struct { const char *text; int n; const char *params, *last; long most; } want[] = {
        { "{\"model_type\":\"llama\"}", 1, "dim=128", "dim=128", 2048 },
        { "{\"model_type\":\"llama\",\"hidden_size\":2048}", 1, "", "", 2048 },
        { "{\"model_type\":\"glm\"}", 1, "dim=128 rotary=64 layout=interleaved",
            "dim=128 rotary=64 layout=interleaved", 131072 },
        { "{\"model_type\":\"deepseek_v3\"}", 1, "layout=interleaved", "layout=interleaved", 4096 },
        { "{\"model_type\":\"gemma3_text\"}", 2, "dim=256 base=1000000", "dim=256", 131072 },
        { "{\"model_type\":\"gpt_oss\"}", 1, "base=150000 scaling=yarn factor=32 trained=4096 truncate=off",
            "base=150000 scaling=yarn factor=32 trained=4096 truncate=off", 131072 },
        { "{\"model_type\":\"gemma3\"}", 2, "dim=256 base=1000000", "dim=256", 131072 },
        { "{\"model_type\":\"gemma3\",\"text_config\":{\"hidden_size\":2560,\"num_hidden_layers\":34}}", 2,
            "dim=256 base=1000000", "dim=256", 131072 },
        { "{\"model_type\":\"gemma3_text\",\"rope_theta\":2e6,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8}"
            "}", 2, "dim=256 base=2000000 scaling=linear factor=8", "dim=256", 131072 },
        /* Classes of several kinds of layers keep the rope_type of their own beside the older word, and take over no
         * dictionary that names no kind. */
        { "{\"model_type\":\"gemma3_text\",\"rope_theta\":2e6,\"rope_scaling\":{\"type\":\"linear\",\"factor\":8}}", 2,
            "dim=256 base=2000000", "dim=256", 131072 },
        { "{\"model_type\":\"gemma3_text\",\"rope_parameters\":{\"rope_type\":\"linear\",\"factor\":8}}", 2,
            "dim=256 base=1000000", "dim=256", 131072 },
        /* ModernBERT scales both kinds, each with a base of its own. */
        { "{\"model_type\":\"modernbert\",\"local_rope_theta\":2e4,\"rope_scaling\":{\"rope_type\":\"linear\","
            "\"factor\":4}}", 2, "base=160000 scaling=linear factor=4", "base=20000 scaling=linear factor=4", 8192 },
        { "{\"model_type\":\"modernbert\",\"global_rope_theta\":5e4,\"rope_parameters\":{\"sliding_attention\":"
            "{\"rope_type\":\"linear\",\"factor\":2}}}", 2, "base=50000", "scaling=linear factor=2", 8192 },
        { "{\"model_type\":\"voxtral\"}", 1, "dim=128 base=100000000", "dim=128 base=100000000", 131072 },
        /* OLMo 3 reads rope_theta once, for the layers that see everything. */
        { "{\"model_type\":\"olmo3\",\"rope_theta\":1e4}", 2, "dim=128", "dim=128 base=500000", 2048 },
        { "{\"model_type\":\"qwen2_vl\",\"hidden_size\":1536,\"num_attention_heads\":12,\"rope_theta\":1e6}", 1,
            "dim=128 base=1000000", "dim=128 base=1000000", 32768 },
        { "{\"model_type\":\"t5gemma\"}", 1, "dim=256", "dim=256", 8192 },
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        cr_assert_eq(reads(want[k].text, &c), 0, "%s: %s", want[k].text, err);
        cr_expect(c.n == want[k].n && !strcmp(c.e[0].params, want[k].params) &&
                !strcmp(c.e[c.n - 1].params, want[k].last) && c.e[0].most == want[k].most,
            "%s: %d encodings, %s to %s up to %ld", want[k].text, c.n, c.e[0].params, c.e[c.n - 1].params,
            (long)c.e[0].most);
        cr_expect(c.n_notes > 0, "%s: nothing is said", want[k].text);
    }
    cr_assert(!reads("{\"model_type\":\"pegasus\"}", &c), "%s", err);
    cr_expect(strstr(c.e[0].params, "dim=1024"), "%s", c.e[0].params);
    cr_assert(!reads("{\"model_type\":\"esm\"}", &c), "%s", err);
    cr_expect(!strcmp(c.e[0].row, "none") && strstr(c.e[0].reason, "no layer of model_type esm turns"), "%s",
        c.e[0].reason);
    cr_expect(reads("{\"model_type\":\"detr\"}", &c) && strstr(err, "see its card"), "%s", err);
}

/* The length that a scaling counts from, where a file says several: transformers 5.23.0, modeling_rope_utils.py,
 * _compute_dynamic_ntk_parameters and standardize_rope_params; harness/adapters/checkpoints.py judges both live. */
Test(model, the_length_that_a_scaling_counts_from)
{
    static const char head[] = "{\"model_type\":\"llama\",\"head_dim\":64,\"max_position_embeddings\":32768,",
                      end[] = "\"factor\":4,\"original_max_position_embeddings\":4096}}";
    static const struct { const char *text, *params; long most; } want[] = {
        { "\"rope_scaling\":{\"type\":\"dynamic\",", "scaling=dynamic factor=4 trained=32768 length=131072",
            131072 },
        { "\"original_max_position_embeddings\":2048,\"rope_scaling\":{\"type\":\"dynamic\",",
            "scaling=dynamic factor=4 trained=32768 length=131072", 131072 },
        { "\"rope_scaling\":{\"type\":\"yarn\",", "scaling=yarn factor=4 trained=4096", 32768 },
        { "\"original_max_position_embeddings\":2048,\"rope_scaling\":{\"type\":\"yarn\",",
            "scaling=yarn factor=4 trained=2048", 32768 },
    };
    char text[500];
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        snprintf(text, sizeof text, "%s%s%s", head, want[k].text, end);
        cr_assert_eq(reads(text, &c), 0, "%zu: %s", k, err);
        cr_expect(c.n == 1 && !strcmp(c.e[0].params, want[k].params) && c.e[0].most == want[k].most,
            "%zu: %s up to %ld", k, c.e[0].params, (long)c.e[0].most);
        bool said = k == 2; /* nothing there is passed over */
        for (int j = 0; j < c.n_notes; j++)
            said |= !strncmp(c.note[j], "original_max_position_embeddings", 32);
        cr_expect(said, "%zu: nothing is said", k);
    }
    /* Llama's own maximum is 2048; a type that no table has is asked for it. */
    cr_expect(!reads("{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":{\"type\":\"dynamic\",\"factor\":4,"
        "\"original_max_position_embeddings\":4096}}", &c) && strstr(c.e[0].params, "trained=2048 length=8192"), "%s%s",
        err, c.e[0].params);
    cr_expect(reads("{\"model_type\":\"x\",\"head_dim\":64,\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"dynamic\","
        "\"factor\":4,\"original_max_position_embeddings\":4096}}", &c) != 0 &&
        strstr(err, "max_position_embeddings: missing, needed by dynamic"), "%s", err);
}

/* Are the encodings and what is said of them the same? */
static bool same_reading(const struct config *a, const struct config *b)
{
    bool same = a->n == b->n && a->n_notes == b->n_notes && !memcmp(a->note, b->note, sizeof a->note);
    for (int k = 0; same && k < a->n; k++)
        same = !strcmp(a->e[k].row, b->e[k].row) && !strcmp(a->e[k].params, b->e[k].params) &&
            !strcmp(a->e[k].layers, b->e[k].layers) && !strcmp(a->e[k].reason, b->e[k].reason) &&
            a->e[k].most == b->e[k].most;
    return same;
}

/* The object that holds a key "rope_scaling.factor" of root, and the key's own name. */
static json_t *holder(json_t *root, const char *path, const char **key)
{
    json_t *at = root;
    for (*key = path; at && !json_object_get(at, *key);) {
        char part[100];
        const size_t n = strcspn(*key, ".");
        if (!(*key)[n])
            return NULL;
        snprintf(part, sizeof part, "%.*s", (int)n, *key);
        at = json_object_get(at, part), *key += n + 1;
    }
    return at;
}

/* Of a file's keys, those that are said not to be read change nothing when they are taken away, and a key that nobody
 * knows is among them. */
static void unread_of(const char *path)
{
    static struct config without;
    const char *key;
    json_t *root = json_load_file(path, 0, NULL);
    cr_assert_eq(config_read(path, &c, err, sizeof err), 0, "%s", err);
    for (const char *s = c.unread; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s, " "), s);
        json_t *at = holder(root, name, &key), *v = at ? json_incref(json_object_get(at, key)) : NULL;
        cr_assert(v, "%s: %s", path, name);
        json_object_del(at, key);
        char *text = json_dumps(root, 0);
        cr_expect(!reads(text, &without) && same_reading(&c, &without), "%s: without %s", path, name);
        json_object_set_new(at, key, v), free(text);
    }
    json_object_set_new(root, "attn_nobody_knows", json_integer(7));
    char *text = json_dumps(root, 0);
    cr_expect(!reads(text, &without) && same_reading(&c, &without) && strstr(without.unread, "attn_nobody_knows"),
        "%s: %s", path, without.unread);
    free(text), json_decref(root);
}

Test(model, a_key_that_is_said_not_to_be_read_changes_nothing, .timeout = 120)
{
    char dir[600], path[900];
    data_path("models/README.md", dir, sizeof dir);
    *strrchr(dir, '/') = 0;
    DIR *at = opendir(dir);
    cr_assert(at != NULL);
    for (struct dirent *e; (e = readdir(at));)
        if (strstr(e->d_name, ".json"))
            snprintf(path, sizeof path, "%s/%s", dir, e->d_name), unread_of(path);
    closedir(at);
    cr_assert_eq(reads("{\"model_type\":\"llama\",\"head_dim\":64,\"attn_logit_softcapping\":50,\"use_qk_norm\":true,"
                       "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2,\"beta\":3}}", &c), 0, "%s", err);
    cr_expect_str_eq(c.unread, "attn_logit_softcapping use_qk_norm rope_scaling.beta");
}

Test(model, every_recorded_configuration_is_read_and_nearly_all_are_judged, .timeout = 60)
{
    char dir[600], path[900];
    long files = 0, judged = 0, published = 0, reasons = 0, encodings = 0;
    data_path("models/README.md", dir, sizeof dir);
    *strrchr(dir, '/') = 0;
    DIR *at = opendir(dir);
    cr_assert(at != NULL);
    for (struct dirent *e; (e = readdir(at));) {
        if (!strstr(e->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        cr_assert_eq(config_read(path, &c, err, sizeof err), 0, "%s", err);
        cr_assert(c.n > 0 && *c.kind, "%s: %d encodings, provenance '%s'", path, c.n, c.kind);
        int any = 0;
        for (int k = 0; k < c.n; k++) {
            struct scan s;
            encodings++;
            reasons += *c.e[k].reason != 0;
            if (*c.e[k].reason)
                continue;
            cr_assert_eq(scan_run(c.e[k].row, c.e[k].params, !strcmp(c.e[k].row, "rope") ? "hf-f32" : "f32", 300, &s,
                             err, sizeof err),
                0, "%s: %s", path, err);
            cr_assert(s.worst > 0 && s.worst < 1e-3 && !s.nonfinite, "%s: %g", path, s.worst);
            any = 1;
        }
        files++, judged += any, published += any && !strncmp(e->d_name, "published-", 10);
    }
    closedir(at);
    cr_assert(files == 128 && judged == 115 && published == 42 && reasons == 13,
        "%ld files, %ld judged, %ld of them published, %ld encodings, %ld reasons", files, judged, published, encodings,
        reasons);
}

static int shell(const char *args, char *out, size_t n)
{
    char self[500], command[1400];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len < 0 ? 0 : len] = 0;
    *strrchr(self, '/') = 0;
    snprintf(command, sizeof command, "\"%s/meridian\" model %s 2>&1", self, args);
    FILE *f = popen(command, "r");
    size_t at = fread(out, 1, n - 1, f);
    out[at] = 0;
    int rc = pclose(f);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128;
}

Test(model, the_verb_exits_as_documented_and_writes_whole_files)
{
    static char out[20000];
    char args[2000], path[600], dir[] = "/tmp/meridian-model-XXXXXX";
    cr_assert(mkdtemp(dir) != NULL);
    snprintf(args, sizeof args, "'%s' --limit 600 --md %s/m.md",
        data_path("models/llama.json", path, sizeof path), dir);
    cr_assert_eq(shell(args, out, sizeof out), 0, "%s", out);
    cr_assert(strstr(out, "hf-f32") && strstr(out, "class default") && strstr(out, "phase64"), "%s", out);
    snprintf(args, sizeof args, "%s/m.md.part", dir);
    cr_assert(access(args, F_OK), "a half-written file was left");
    snprintf(args, sizeof args, "%s/m.md", dir);
    cr_assert_eq(access(args, R_OK), 0);
    unlink(args), rmdir(dir);
    snprintf(args, sizeof args, "%s --md /no/such/dir/m.md", path);
    cr_assert_eq(shell(args, out, sizeof out), 2, "%s", out);
    snprintf(args, sizeof args, "%s --contract no-such", path);
    cr_assert_eq(shell(args, out, sizeof out), 2, "%s", out);
    snprintf(args, sizeof args, "%s --limit 600 --contract hf-f32 --json", path);
    cr_assert_eq(shell(args, out, sizeof out), 0, "%s", out);
    cr_assert(*out == '{' && strchr(out, '\n') == out + strlen(out) - 1, "%s", out);
    char bad[80];
    snprintf(bad, sizeof bad, "/tmp/meridian-model-%d.json", (int)getpid());
    FILE *f = fopen(bad, "w");
    cr_assert(f && fputs("{\"model_type\":\"llama\",\"head_dim\":64,\"max_position_embeddings\":64,\"rope_scaling\":"
                         "{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":4,\"high_freq_factor\":1,"
                         "\"original_max_position_embeddings\":32}}\n", f) >= 0 && !fclose(f));
    cr_assert_eq(shell(bad, out, sizeof out), 2, "%s", out);
    unlink(bad);
    cr_assert(strstr(out, "cannot be judged: rope_scaling.high_freq_factor: found 1"), "%s", out);
    snprintf(args, sizeof args, "'%s'", data_path("models/bert.json", path, sizeof path));
    cr_assert_eq(shell(args, out, sizeof out), 77, "%s", out);
    cr_assert_eq(shell("/no/such/config.json", out, sizeof out), 2, "%s", out);
}
