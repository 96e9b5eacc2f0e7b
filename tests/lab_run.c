/* Checkpoints of other programs run by own kernels: what transformers recorded of small ones (data/weights/tiny) lies
 * within the derived bounds of every block, and nothing that breaks a rule does; folders that do not fit their class
 * are refused in one line. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include "command.h"
#include "core/files.h"

#define TINY "data/weights/tiny"
/* Asks a folder, with the logits and stages that were recorded in TINY/of under the lead "yarn." or "". */
static int ask(const char *before, const char *folder, const char *of, const char *lead, const char *more)
{
    char args[2000];
    snprintf(args, sizeof args,
        "lab run %s --tokens " TINY "/tokens.txt --against " TINY "/%s/%slogits.npy --hidden " TINY
        "/%s/%shidden.npy --profile 'f32 divide=first' %s", folder, of, lead, of, lead, more);
    return meridian(before, args);
}
static int recorded(const char *name, const char *more)
{
    char folder[300];
    snprintf(folder, sizeof folder, TINY "/%s", name);
    return ask("", folder, name, "", more);
}
static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)); s++)
        n++;
    return n;
}
static void sh(const char *format, const char *a, const char *b)
{
    char command[600];
    snprintf(command, sizeof command, format, a, b);
    cr_assert_eq(system(command), 0, "%s", command);
}

Test(lab_run, every_class_with_a_table_is_as_transformers_computes_it, .timeout = 240)
{
    DIR *d = opendir(TINY);
    char types[2000] = "", folder[300], args[400], type[100];
    cr_assert(d != NULL);
    for (struct dirent *f; (f = readdir(d));) {
        if (*f->d_name == '.' || strchr(f->d_name, '.'))
            continue;
        cr_expect(recorded(f->d_name, "") == 0 && count(out, "\nPASS ") == 4 && !strstr(out, "FAIL"), "%s: %s%s",
            f->d_name, out, err);
        snprintf(folder, sizeof folder, TINY "/%s", f->d_name);
        snprintf(args, sizeof args, "lab run %s --tokens " TINY "/tokens.txt --judge", folder);
        cr_expect(meridian("", args) == 0 && count(out, "\nPASS ") == 4, "%s, own: %s%s", f->d_name, out, err);
        snprintf(args, sizeof args, "%s/config.json", folder);
        char *text = file_read(args);
        const char *at = strstr(text, "\"model_type\": \"");
        cr_assert(at && sscanf(at + 15, "%90[a-z0-9_]", type) == 1);
        strcat(strcat(types, type), " ");
        free(text);
    }
    closedir(d);
    cr_assert((d = opendir("data/weights")) != NULL);
    for (struct dirent *f; (f = readdir(d));) {
        const size_t len = strlen(f->d_name);
        if (len < 5 || strcmp(f->d_name + len - 4, ".tsv") || !strcmp(f->d_name, "any.tsv"))
            continue;
        snprintf(type, sizeof type, "%.*s ", (int)(len - 4 > 90 ? 90 : len - 4), f->d_name);
        cr_expect(strstr(types, type) != NULL, "%s: nothing is recorded of this class", f->d_name);
    }
    closedir(d);
}

Test(lab_run, other_rotations_at_evaluation_are_as_transformers_computes_them, .timeout = 120)
{
    static const char *const names[] = { "linear", "dynamic", "yarn" }, *const others[] = { "",
        "--config max_position_embeddings=4", "" };
    for (int k = 0; k < 3; k++) {
        char path[200], more[900], lead[20];
        snprintf(path, sizeof path, TINY "/llama/%s.json", names[k]);
        char *json = file_read(path);
        cr_assert(json != NULL);
        snprintf(more, sizeof more, "--config 'rope_parameters=%.500s' %s", json, others[k]);
        snprintf(lead, sizeof lead, "%s.", names[k]);
        cr_expect(ask("", TINY "/llama", "llama", lead, more) == 0, "%s: %s%s", names[k], out, err);
        cr_expect(ask("", TINY "/llama", "llama", lead, "") == 1 && strstr(out, "FAIL"), "%s unsaid: %s", names[k],
            out);
        free(json);
    }
}

Test(lab_run, a_broken_rule_leaves_the_bounds, .timeout = 240)
{
    static const struct { const char *of, *more; } list[] = {
        { "llama", "--words 'rope layout=interleaved'" }, { "llama", "--words 'rope base=5000'" },
        { "llama", "--config rms_norm_eps=1e-5" }, { "llama", "--words 'attention scale=1/2'" },
        { "llama", "--words 'attention causal=none'" }, { "llama", "--words 'attention group=tile'" },
        { "llama", "--words 'attention temperature=logn trained=4'" }, { "llama", "--config 'hidden_act=\"gelu\"'" },
        { "llama3", "--config 'rope_parameters={\"rope_type\":\"default\",\"rope_theta\":10000}'" },
        { "mistral", "--config sliding_window=null" }, { "mistral", "--config sliding_window=4" },
        { "gpt2", "--config 'activation_function=\"gelu\"'" }, { "gpt2", "--config layer_norm_epsilon=1e-5" },
        { "gpt_neox", "--config use_parallel_residual=false" }, { "gpt_neox", "--words 'rope rotary=4'" },
        { "gpt_neox_serial", "--config use_parallel_residual=true" },
        { "gpt_neox_serial", "--words 'rope layout=interleaved'" },
        { "qwen3", "--words 'rmsnorm offset=1'" }, { "gemma", "--words 'rmsnorm offset=0'" },
        { "gemma2", "--config query_pre_attn_scalar=16" }, { "gemma2", "--config attn_logit_softcapping=null" },
        { "gemma2", "--config final_logit_softcapping=null" }, { "gemma2", "--config final_logit_softcapping=0.8" },
        { "gemma2", "--config sliding_window=4" },
        { "gemma3", "--config 'layer_types=[\"full_attention\",\"sliding_attention\"]'" },
        { "phi3", "--config original_max_position_embeddings=16" }, { "phi3", "--config max_position_embeddings=64" },
        { "cohere", "--config logit_scale=0.25" }, { "cohere", "--words 'rope layout=half'" },
        { "granite", "--config residual_multiplier=0.25" }, { "granite", "--config logits_scaling=4" },
        { "granite", "--config attention_multiplier=0.5" }, { "granite", "--config embedding_multiplier=11" },
        { "smollm3", "--config 'no_rope_layers=[1,1]'" },
        { "olmo3", "--config 'layer_types=[\"full_attention\",\"full_attention\"]'" },
        { "cohere2", "--config 'layer_types=[\"sliding_attention\",\"sliding_attention\"]'" },
        { "stablelm", "--words 'rope rotary=8'" }, { "gptj", "--words 'rope layout=half'" },
        { "gptj", "--config rotary_dim=8" }, { "phi", "--words 'layernorm eps=1e-5'" },
        { "falcon", "--words 'attention causal=none'" }, { "falcon_apart", "--words 'rope base=5000'" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(recorded(list[k].of, list[k].more) == 1 && strstr(out, "FAIL"), "%s %s: %s%s", list[k].of,
            list[k].more, out, err);
    /* Classes whose table says something else: weights read in another order, or in another role. */
    static const struct { const char *of, *edit, *table; } tables[] = { { "gpt_neox", "s/h(d+d+d)/(hd+hd+hd)/" },
        { "gpt2", "s/c,(hd+hd+hd)/c,h(d+d+d)/" }, { "gpt2", "s/\thd,c$/\tc,hd/" },
        { "gpt2", "s/tensor\tq k v/tensor\tk q v/" },
        { "gpt2", "s/tensor\tq k v/tensor\tq v k/" }, { "llama", "gate and up exchanged" },
        { "gemma", "s/^rule\tembed_scale.*//" }, { "gemma2", "s/^rule\tcap.*//" },
        { "gemma2", "s/post1/x/;s/norm2/post1/;s/\tx\t/\tnorm2\t/" },
        { "phi3", "s/tensor\tgate up/tensor\tup gate/" },
        { "phi3", "s/tensor\tq k v/tensor\tq v k/" }, { "phi3", "s/(hd+gd+gd),c/g(rd+d+d),c/" },
        { "olmo2", "s/tensor\tpost1/tensor\tnorm1/" }, { "cohere", "s/parallel-in-turn/pre/" },
        { "cohere", "s/^rule\tlogit_scale.*//" }, { "cohere", "s/^\\(rule\tnorm\t.\\)layer/\\1rms/" },
        { "stablelm", "s/parallel-in-turn/pre/" }, { "gptj", "s/parallel/pre/" },
        { "phi", "s/parallel/pre/" }, { "falcon", "s/(hd+gd+gd)/(gd+hd+gd)/;s/q k v/k q v/;s/q.bias k/k.bias q/" },
        { "falcon_new", "s/g(r+1+1)d/(gr+g+g)d/", "falcon" }, { "falcon_apart", "s/h(d+d+d)/(hd+hd+hd)/", "falcon" } };
    const char *data = "build/lab-run-data";
    sh("rm -rf %s && mkdir -p %s/weights", data, data);
    sh("ln -s \"$PWD/data/models\" %s/models", data, "");
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        sh("cp data/weights/*.tsv %s/weights", data, "");
        char edit[200];
        snprintf(edit, sizeof edit, "%s' %s/weights/%s.tsv", tables[k].edit, data,
            tables[k].table ? tables[k].table : tables[k].of);
        if (*tables[k].edit == 's')
            sh("sed -i '%s%s", edit, "");
        else
            sh("sed -i 's/gate_proj/x_proj/;s/up_proj/gate_proj/;s/x_proj/up_proj/' %s/weights/llama.tsv", data, "");
        char before[100], folder[100];
        snprintf(before, sizeof before, "MERIDIAN_DATA=%s", data);
        snprintf(folder, sizeof folder, TINY "/%s", tables[k].of);
        cr_expect(ask(before, folder, tables[k].of, "", "") == 1 && strstr(out, "FAIL"), "%s %s: %s%s", tables[k].of,
            tables[k].edit, out, err);
    }
    sh("rm -rf %s%s", data, "");
}

/* A copy of a checkpoint, with its file in memory. */
static char *copy(const char *of, const char *to, size_t *n)
{
    char path[200];
    struct { FILE *f; char *text; } x;
    sh("rm -rf %s && mkdir -p %s", to, to);
    sh("cp " TINY "/%s/* %s/", of, to);
    snprintf(path, sizeof path, TINY "/%s/model.safetensors", of);
    cr_assert((x.f = fopen(path, "r")) != NULL);
    x.text = malloc(1 << 20);
    *n = fread(x.text, 1, (1 << 20) - 1, x.f);
    x.text[*n] = 0;
    fclose(x.f);
    return x.text;
}
static void put(const char *folder, const char *text, size_t n)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    cr_assert(!file_replace(path, text, n, why, sizeof why), "%s", why);
}

/* Every tensor of the first layer, and those of no layer, counts: with zeros in its place the bounds are left. */
static void zeroed(const char *of)
{
    char folder[100];
    size_t n;
    int done = 0;
    snprintf(folder, sizeof folder, "build/lab-run-%s", of);
    char *text = copy(of, folder, &n), *kept = malloc(n + 1);
    memcpy(kept, text, n + 1);
    uint64_t head;
    memcpy(&head, text, 8);
    for (const char *at = kept + 8; (at = strstr(at, "\"dtype\":\"BF16\"")); at++) {
        const char *name = at;
        while (strncmp(--name, "\":{", 3) != 0) {
        }
        const char *end = name;
        while (*--name != '"') {
        }
        unsigned long from, to;
        const char *offsets = strstr(at, "\"data_offsets\":[");
        if (strstr(name, ".1.") && strstr(name, ".1.") < end)
            continue;
        cr_assert(offsets && sscanf(offsets + 16, "%lu,%lu", &from, &to) == 2 && 8 + head + to <= n);
        memcpy(text, kept, n);
        memset(text + 8 + head + from, 0, to - from);
        put(folder, text, n), done++;
        cr_expect(ask("", folder, of, "", "") == 1 && strstr(out, "FAIL"), "%s without %.*s: %s%s", of,
            (int)(end - name), name, out, err);
    }
    cr_expect(done >= 9, "%s: %d tensors", of, done);
    free(text), free(kept);
    sh("rm -rf %s%s", folder, "");
}
Test(lab_run, every_tensor_of_llama_and_qwen3_counts, .timeout = 240) { zeroed("llama"), zeroed("qwen3"); }
Test(lab_run, every_tensor_of_gpt2_and_gpt_neox_counts, .timeout = 240) { zeroed("gpt2"), zeroed("gpt_neox"); }
Test(lab_run, every_tensor_of_gemma3_phi3_and_olmo2_counts, .timeout = 240)
{
    zeroed("gemma3"), zeroed("phi3"), zeroed("olmo2");
}
Test(lab_run, every_tensor_of_cohere_stablelm_and_falcon_counts, .timeout = 240)
{
    zeroed("cohere"), zeroed("stablelm"), zeroed("falcon");
}

/* A loss of a token that was seen is no prediction: that is said, whatever word lets it be seen. */
Test(lab_run, losses_of_a_model_that_sees_the_answer_are_said_to_be, .timeout = 60)
{
    static const struct { const char *more; int ahead; } list[] = {
        { "--tokens '3, 5 7'", 0 },
        { "--tokens 3,5,7 --words 'attention causal=none'", 1 },
        { "--tokens 3,5,7 --words 'attention prefix=2'", 1 },
        { "--tokens 3,5,7 --words 'attention prefix=1'", 0 },
        { "--tokens 3,5,7 --words 'attention cap=5 window=2'", 0 },
        { "--tokens 3 --words 'attention causal=none'", 0 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char args[300];
        snprintf(args, sizeof args, "lab run " TINY "/llama %s", list[k].more);
        cr_expect(meridian("", args) == 0 && lines(err) == list[k].ahead && (!*err || strstr(err, "shown the answer")),
            "%s: %s", list[k].more, err);
    }
}

Test(lab_run, what_does_not_fit_is_refused_in_one_line, .timeout = 240)
{
    static const struct { const char *of, *more, *says; bool answered; } list[] = {
        { "llama", "", "give the folder of a checkpoint, and --tokens" },
        { "none", "--tokens 1", "none/config.json" },
        { "llama", "--tokens '1 16'", "token 16 at position 1: the model has 0 to 15" },
        { "llama", "--tokens ' '", "no tokens" }, { "llama", "--tokens '1 x'", "cannot be read" },
        { "llama", "--tokens '3,,5'", "a comma without a number, at ',,5'" },
        { "llama", "--tokens '3, ,5'", "a comma without a number" },
        { "llama", "--tokens '3,5,'", "a comma without a number" },
        { "llama", "--tokens ,3", "a comma without a number" }, { "llama", "--tokens ,", "a comma without a number" },
        { "gpt2", "--tokens '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'", "17 tokens: the model has positions for 16" },
        { "llama", "--tokens 1 --config rms_norm_eps", "--config 'rms_norm_eps': must be KEY=JSON" },
        { "llama", "--tokens 1 --config attention_bias=false", "is one that by config.json is not there" },
        { "llama", "--tokens 1 --config 'hidden_act=\"nope\"'", "no activation 'nope'" },
        { "llama", "--tokens 1 --config 'model_type=\"bert\"'", "models of type 'bert' cannot be run here" },
        { "llama", "--tokens 1 --config hidden_size=10", "embed_tokens.weight' is [16,8], and by config.json must be "
            "[16,10] (v,c)" },
        { "llama", "--tokens 1 --config num_hidden_layers=3", "no tensor 'model.layers.2.input_layernorm.weight' [8] "
            "(c)" },
        { "llama", "--tokens 1 --config num_hidden_layers=1", "tensor 'model.layers.1." },
        { "llama", "--tokens 1 --config num_hidden_layers=0", "num_hidden_layers" },
        { "llama", "--tokens 1 --config hidden_size=-1", "must be a number from 1 to 2^30" },
        { "llama", "--tokens 1 --words 'row base=1'", "ROW WORDS" },
        { "llama", "--tokens 1 --words 'rope base=x'", "base" },
        { "llama", "--tokens 1 --judge --against x.npy", "one of the two" },
        { "llama", "--tokens '1 2' --against " TINY "/llama/hidden.npy", "must be float32 [2,16]", .answered = true },
        { "llama", "--tokens 1 --judge --profile 'nope=f32'", "no row of a model knows 'nope=f32'", .answered = true },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char args[400];
        snprintf(args, sizeof args, "lab run " TINY "/%s %s", list[k].of, list[k].more);
        const int rc = meridian("", args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, list[k].says) && (list[k].answered || !*out),
            "%s: exit %d, '%s' lacks '%s'", args, rc, err, list[k].says);
    }
    size_t n;
    char *text = copy("llama", "build/lab-run-other", &n), *at = strstr(text + 8, "up_proj.bias");
    cr_assert(at != NULL);
    *at = 'U';
    put("build/lab-run-other", text, n);
    cr_expect(meridian("", "lab run build/lab-run-other --tokens 1") == 2 && lines(err) == 1 &&
            strstr(err, "no tensor 'model.layers.0.mlp.up_proj.bias' [12] (f)"), "%s", err);
    free(text);
    sh("rm -rf %s%s", "build/lab-run-other", "");
    /* Tables whose axes are none, or have other parts than roles. */
    static const char *const axes[] = { "(hd+hd+hd", "c,hd+hd", "((hd+hd)+hd)", "c,(hd+hd)", "c,(hd+hd+hd+hd)", "c,hd",
        "x,(hd+hd)", "c,(hd+hd+hd),,,,,,,,,,,,", "" };
    sh("rm -rf %s && mkdir -p %s/weights", "build/lab-run-axes", "build/lab-run-axes");
    sh("ln -s \"$PWD/data/models\" %s/models", "build/lab-run-axes", "");
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
        sh("cp data/weights/*.tsv %s/weights", "build/lab-run-axes", "");
        sh("sed -i 's/c,(hd+hd+hd)/%s/' %s/weights/gpt2.tsv", axes[k], "build/lab-run-axes");
        const int rc = meridian("MERIDIAN_DATA=build/lab-run-axes", "lab run " TINY "/gpt2 --tokens 1");
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, "gpt2") && !*out, "%s: %d, %s", axes[k], rc, err);
    }
    sh("rm -rf %s%s", "build/lab-run-axes", "");
    /* Changes beyond the room for them are not dropped. */
    char many[2000] = "lab run " TINY "/llama --tokens 1";
    for (int k = 0; k < 33; k++)
        strcat(many, " --config hidden_size=8");
    cr_expect(meridian("", many) == 2 && lines(err) == 1 && strstr(err, "at most 32") && !*out, "%s", err);
}
