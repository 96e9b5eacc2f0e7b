/* Questions of a card: the commands that judge its conventions, where others differ, keys that nobody reads, and that
 * layers and tables of one file agree. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cards.h"
#include "command.h"
#include "model/card_ask.h"
#include "model/card_differ.h"
#include "row/row.h"

/* Configurations, the place and kind of layers asked about ("-": a table), and the questions that its card prints. */
static const struct { const char *config, *place; int kind; const char *out[2], *command[2]; } asked[] = {
    { "{\"model_type\":\"llama\",\"hidden_size\":256,\"num_attention_heads\":8,\"num_key_value_heads\":2,"
        "\"rope_theta\":500000,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,"
        "\"high_freq_factor\":4,\"original_max_position_embeddings\":8192}}", "layers.self_attn", 0, { "y", "o lse" },
        { "--row rope --params \"layout=half dim=32 base=500000 scaling=llama3 factor=8 trained=8192\"",
          "--row attention --params \"causal=bottomright\" --sizes \"h=8 g=2 n=8 m=24 d=32 e=32\"" } },
    { "{\"model_type\":\"gemma2\",\"sliding_window\":40,\"head_dim\":16}", "layers.self_attn", 0, { "y", "o lse" },
        { "--row rope --params \"layout=half dim=16\"",
          "--row attention --params \"causal=bottomright window=40 scale=0.0625 cap=50\" --sizes "
          "\"h=4 g=2 n=8 m=45 d=16 e=16\"" } },
    { "{\"model_type\":\"gpt_oss\",\"sliding_window\":20}", "layers.self_attn", 0, { "y", "o lse" },
        { "--row rope --params \"layout=half base=150000 scaling=yarn factor=32 trained=4096 truncate=off\"",
          "--row attention --params \"causal=bottomright window=20\" --sizes \"h=16 g=2 n=8 m=25 d=64 e=64 "
          "sink\"" } },
    { "{\"model_type\":\"llama4_text\",\"attention_chunk_size\":12}", "layers.self_attn", 0, { "y", "o lse" },
        { "--row rope --params \"layout=interleaved dim=128 base=500000\"",
          "--row attention --params \"causal=bottomright chunk=12\" --sizes \"h=10 g=2 n=8 m=16 d=128 e=128\"" } },
    { "{\"model_type\":\"modernbert\",\"local_attention\":32,\"hidden_size\":96}", "layers.attn", 1, { "y", "o lse" },
        { "--row rope --params \"layout=half dim=8\"",
          "--row attention --params \"causal=bottomright left=16 right=16\" --sizes \"h=2 g=2 n=21 m=21 d=8 e=8\"" } },
    { "{\"model_type\":\"bloom\",\"n_head\":12,\"hidden_size\":96}", "h.self_attention", 0,
        { "bias", "o lse" },
        { "--row alibi --params \"heads=12\"",
          "--row attention --params \"causal=bottomright\" --sizes \"h=2 g=2 n=8 m=24 d=8 e=8\"" } },
    { "{\"model_type\":\"t5\",\"relative_attention_num_buckets\":16,\"d_kv\":8}",
        "decoder.block.layer.SelfAttention", 0,
        { "bias", "o lse" },
        { "--row t5 --params \"heads=8 buckets=16 direction=causal\"",
          "--row attention --params \"causal=bottomright scale=1\" --sizes \"h=2 g=2 n=8 m=24 d=8 e=8\"" } },
    { "{\"model_type\":\"deepseek_v3\",\"qk_nope_head_dim\":8,\"qk_rope_head_dim\":4,\"v_head_dim\":6,"
        "\"kv_lora_rank\":16}",
        "layers.self_attn", 0, { "y", "o lse" },
        { "--row rope --params \"layout=interleaved dim=4\"",
          "--row mla --params \"layout=interleaved warming=none\" --sizes \"h=2 n=2 m=6 d=8 r=4 l=16 e=6\"" } },
    { "{\"model_type\":\"qwen3_vl_text\",\"head_dim\":32,\"rope_scaling\":{\"type\":\"default\","
        "\"mrope_section\":[6,5,5]},\"rope_theta\":5e6}", "layers.self_attn", 0, { "y", "y" },
        { "--row rope --params \"layout=half dim=32 base=5000000\"",
          "--row mrope --params \"dim=32 base=5000000 layout=half mode=interleaved sections=6,5,5\"" } },
    { "{\"model_type\":\"llama4_vision_model\"}", "model.layers.self_attn", 0, { "y", "o lse" },
        { "--row rope2d --params \"dim=48 base=10000 layout=interleaved first=columns axes=blocks frequency=restart "
          "start=1\"",
          "--row attention --params \"causal=none\" --sizes \"h=2 g=2 n=8 m=24 d=48 e=48\"" } },
    { "{\"model_type\":\"dinov3_vit\",\"image_size\":224,\"patch_size\":16}",
        "model.layer.attention", 0, { "y", "o lse" },
        { "--row rope2d --params \"dim=64 base=100 layout=half first=rows axes=blocks frequency=restart "
          "coordinates=centred height=14 width=14\"",
          "--row attention --params \"causal=none\" --sizes \"h=2 g=2 n=8 m=24 d=64 e=64\"" } },
    { "{\"model_type\":\"swin\",\"window_size\":4}", "encoder.layers.blocks.attention", 0, { "bias", "o lse" },
        { "--row swin --params \"height=4 width=4\"",
          "--row attention --params \"causal=none\" --sizes \"h=2 g=2 n=16 m=16 d=32 e=32\"" } },
    /* Windows that a small map cuts, and the one that was trained for. */
    { "{\"model_type\":\"swinv2\",\"image_size\":256,\"window_size\":16,\"pretrained_window_sizes\":[12,12,12,6]}",
        "encoder.layers.blocks.attention.self", 3, { "continuous", "" },
        { "--row swin --params \"height=8 width=8 trained_height=6 trained_width=6\"", NULL } },
    { "{\"model_type\":\"swinv2\",\"image_size\":256,\"window_size\":8}",
        "encoder.layers.blocks.attention.self", 0, { "continuous", "" },
        { "--row swin --params \"height=8 width=8\"", NULL } },
    /* Layers without a softmax, each as its row has it, and the convolution before it. */
    { "{\"model_type\":\"qwen3_next\",\"linear_key_head_dim\":8,\"linear_value_head_dim\":6}", "layers.linear_attn", 0,
        { "o final", "y final" },
        { "--row gateddelta --params \"l2norm=add l2_eps=1e-06 strength=sigmoid gate=softplus\" --sizes "
          "\"h=4 g=2 n=12 d=8 e=6\"",
          "--row conv --params \"act=silu\" --sizes \"n=9 c=64 w=4\"" } },
    { "{\"model_type\":\"bailing_hybrid\",\"linear_head_dim\":8}", "layers.self_attn", 0, { "o final", "y final" },
        { "--row kda --params \"l2norm=add l2_eps=1e-06 strength=sigmoid gate=lower-bound lower_bound=-5\" --sizes "
          "\"h=2 g=2 n=12 d=8 e=8\"",
          "--row conv --params \"act=silu\" --sizes \"n=9 c=64 w=4\"" } },
    { "{\"model_type\":\"minimax\",\"num_hidden_layers\":4,\"head_dim\":8,\"num_attention_heads\":4}",
        "layers.self_attn", 0,
        { "o final", "" },
        { "--row lightning --params \"slopes=power layers_of=transformers layers=4 layer=1 act=silu\" --sizes "
          "\"h=4 n=6 d=8 e=8\"", NULL } },
    { "{\"model_type\":\"lfm2\",\"full_attn_idxs\":[1],\"conv_bias\":true,\"hidden_size\":16}",
        "layers.conv", 0, { "y final", "" },
        { "--row conv --params \"act=none\" --sizes \"n=8 c=16 w=3 bias\"", NULL } },
    /* A scan, whose gate the row has where no norm follows it, and limits of dt by either spelling. */
    { "{\"model_type\":\"falcon_h1\",\"mamba_d_state\":8,\"mamba_n_groups\":4,\"time_step_limit\":[0.01,0.5]}",
        "layers.mamba", 0, { "y final", "y final" },
        { "--row ssd --params \"a_log=on dt_softplus=on dt_min=0.01 dt_max=0.5 clamp=after gate=silu\" --sizes "
          "\"h=8 g=2 n=12 d=8 e=8 D dt_bias z\"",
          "--row conv --params \"act=silu\" --sizes \"n=9 c=64 w=4 bias\"" } },
    { "{\"model_type\":\"nemotron_h\",\"ssm_state_size\":8}", "layers.mixer", 0, { "y final", "y final" },
        { "--row ssd --params \"a_log=on dt_softplus=on dt_min=0.001 clamp=after\" --sizes "
          "\"h=8 g=2 n=12 d=8 e=8 D dt_bias\"",
          "--row conv --params \"act=silu\" --sizes \"n=9 c=64 w=4 bias\"" } },
    { "{\"model_type\":\"mamba2\",\"state_size\":8,\"n_groups\":1,"
        "\"time_step_limit\":[0.0,{\"__float__\":\"Infinity\"}]}", "layers.mixer", 0, { "y final", "y final" },
        { "--row ssd --params \"a_log=on dt_softplus=on\" --sizes \"h=4 g=1 n=12 d=8 e=8 D dt_bias\"",
          "--row conv --params \"act=silu\" --sizes \"n=9 c=64 w=4 bias\"" } },
    { "{\"model_type\":\"mamba2\",\"state_size\":8,\"n_groups\":1,\"time_step_limit\":[0.01,Infinity]}",
        "layers.mixer", 0, { "y final", "" },
        { "--row ssd --params \"a_log=on dt_softplus=on dt_min=0.01 clamp=after\" --sizes "
          "\"h=4 g=1 n=12 d=8 e=8 D dt_bias\"", NULL } },
    { "{\"model_type\":\"bert\"}", "-", 0, { "p", "" }, { "--row learned --params \"rows=512\"", NULL } },
};

/* The mixer at a place, or else the attention there. */
static json_t *at_place(json_t *card, const char *place)
{
    json_t *part;
    size_t k;
    json_array_foreach(json_object_get(card, "mixers"), k, part)
        if (!strcmp(json_string_value(json_object_get(part, "place")), place))
            return part;
    return part_at(card, place);
}

static json_t *questions_of(json_t *card, const char *place, int kind)
{
    return json_object_get(strcmp(place, "-") ?
            json_array_get(json_object_get(at_place(card, place), "kinds"), (size_t)kind) :
            json_array_get(json_object_get(card, "tables"), 0), "judge");
}

/* What a card prints can be pasted: the own kernel is judged by it, and passes. */
Test(card_questions, the_commands_of_a_card_are_its_conventions_and_run, .timeout = 60)
{
    char args[1200];
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        json_t *root = root_of_text(asked[k].config), *card = card_of(root);
        card_ask(card, root);
        json_t *list = questions_of(card, asked[k].place, asked[k].kind);
        for (int q = 0; q < 2 && asked[k].command[q]; q++) {
            const char *got = json_string_value(json_object_get(json_array_get(list, (size_t)q), "command"));
            snprintf(args, sizeof args, "meridian judge own:scalar %s", asked[k].command[q]);
            cr_expect(got && !strcmp(got, args), "%s: %s", asked[k].config, got ? got : "nothing");
            cr_assert(!got || !strstr(got, " --out "), "%s: an output is asked about twice", got);
            snprintf(args, sizeof args, "%.1000s --out \"%s\" --type f32 --checks none%s", got ? got + 9 : "judge",
                asked[k].out[q], got && strstr(got, "--sizes") ? "" : " --few");
            const int rc = meridian("", args);
            cr_expect(rc == 0 && strstr(out, "PASS own:scalar"), "%s: %d: %s%s", args, rc, out, err);
        }
        json_decref(card), json_decref(root);
    }
}

/* Gates of an attention's output: what the card says of them and the command that judges them, "" where the row has not
 * all of the layer's rules, or what it refuses; the own kernel passes by it. */
static const struct { const char *config, *place, *says, *command, *why; } gated[] = {
    { "{\"model_type\":\"qwen3_next\",\"head_dim\":16}", "layers.self_attn",
        "multiplied by sigmoid of a gate, element by element",
        "--row gatedout --params \"act=sigmoid causal=bottomright\" --sizes \"h=16 g=2 n=8 m=24 d=16 e=16\" "
        "--out \"y\"", "" },
    { "{\"model_type\":\"lfm3\",\"head_dim\":8,\"num_attention_heads\":6,\"num_key_value_heads\":3}",
        "layers.self_attn", "multiplied by sigmoid of a gate, one number a head", NULL, "" },
    { "{\"model_type\":\"lfm3\",\"use_attention_gate\":false}", "layers.self_attn", "", "", "" },
    { "{\"model_type\":\"laguna\",\"gating\":\"per-element\"}", "layers.self_attn",
        "multiplied by softplus of a gate, element by element", "", "softplus" },
    { "{\"model_type\":\"llama\"}", "layers.self_attn", "", "", "" },
    { "{\"model_type\":\"neomme\"}", "layers.self_attn", "multiplied by sigmoid of a gate, element by element", "",
        "right" },
};

/* How the card says that the output of a scan is gated and its time steps are limited. */
static const struct { const char *config, *says; } scans[] = {
    { "{\"model_type\":\"mamba2\"}", "steps softplus of dt with a bias; D x is added; its output is multiplied by silu "
        "of a gate, then normed;" },
    { "{\"model_type\":\"falcon_h1\"}", "its output is multiplied by silu of a gate;" },
    { "{\"model_type\":\"falcon_h1\",\"mamba_rms_norm\":true}",
        "its output is normed, then multiplied by silu of a gate;" },
    { "{\"model_type\":\"falcon_h1\",\"mamba_rms_norm\":true,\"mamba_norm_before_gate\":false}",
        "its output is multiplied by silu of a gate, then normed;" },
    { "{\"model_type\":\"zamba2\",\"time_step_min\":0.002}", "with a bias, at least 0.002; D x" },
    { "{\"model_type\":\"granitemoehybrid\",\"time_step_limit\":[0.001,0.25],"
        "\"layers_block_type\":[\"linear_attention\",\"full_attention\"],\"num_hidden_layers\":2}",
        "with a bias, at least 0.001 and at most 0.25; D x" },
};
Test(card_questions, scans_are_said_with_their_steps_and_gates)
{
    static char text[1 << 15];
    for (size_t k = 0; k < sizeof scans / sizeof *scans; k++) {
        json_t *card = card_of_text(scans[k].config);
        FILE *f = fmemopen(text, sizeof text, "w");
        card_say(f, card, 0, false);
        fclose(f);
        cr_expect(strstr(text, scans[k].says) != NULL, "%s: %s", scans[k].config, text);
        json_decref(card);
    }
}

static json_t *question_about(json_t *kind, const char *what)
{
    size_t k;
    json_t *q;
    json_array_foreach(json_object_get(kind, "judge"), k, q)
        if (!strcmp(json_string_value(json_object_get(q, "what")), what))
            return q;
    return NULL;
}

Test(card_questions, gates_of_an_output_are_said_and_asked_about, .timeout = 60)
{
    char args[1200];
    static char text[1 << 15];
    for (size_t k = 0; k < sizeof gated / sizeof *gated; k++) {
        json_t *root = json_loads(gated[k].config, 0, NULL), *card = card_of(root), *kind, *q;
        card_ask(card, root);
        kind = json_array_get(json_object_get(part_at(card, gated[k].place), "kinds"), 0);
        cr_assert(kind != NULL, "%s", gated[k].config);
        FILE *f = fmemopen(text, sizeof text, "w");
        card_say(f, card, 0, false);
        fclose(f);
        cr_expect(*gated[k].says ? strstr(text, gated[k].says) != NULL : !strstr(text, "of a gate"), "%s: %s",
            gated[k].config, text);
        q = question_about(kind, "gated output");
        const char *got = json_string_value(json_object_get(q, "command"));
        const char *why = json_string_value(json_object_get(q, "why"));
        cr_expect(*gated[k].why ? why && strstr(why, gated[k].why) : !why, "%s: %s", gated[k].config, why ? why : "-");
        if (gated[k].command && *gated[k].command) {
            snprintf(args, sizeof args, "meridian judge own:scalar %s", gated[k].command);
            cr_expect(got && !strcmp(got, args), "%s: %s", gated[k].config, got ? got : "nothing");
        } else if (gated[k].command)
            cr_expect(!got, "%s: %s", gated[k].config, got);
        if (got) {
            snprintf(args, sizeof args, "%.1000s --type f32 --checks none", got + 9);
            cr_expect(meridian("", args) == 0 && strstr(out, "PASS own:scalar"), "%s: %s%s", args, out, err);
        }
        json_decref(card), json_decref(root);
    }
}

/* Indexers: what the card says of each, its questions, and why there are none; the own kernel passes by them. */
static const struct { const char *config, *says, *selection, *over, *why; } chosen[] = {
    { "{\"model_type\":\"deepseek_v32\",\"num_hidden_layers\":2,\"index_topk\":20,\"index_n_heads\":4,"
        "\"index_head_dim\":16,\"qk_rope_head_dim\":8,\"qk_nope_head_dim\":8,\"v_head_dim\":6}",
        "its indexer: DeepseekV32Indexer, 4 heads of 16 over one of keys; positions rope, half, the first 8 channels "
        "turn (its attention: interleaved); scores: relu of the product of each head, added by trained weights, times "
        "0.125; a token leaves 16 numbers of index keys",
        "--row sparse --params \"causal=bottomright topk=20\" --sizes \"n=2 m=25 b=2 a=16\" --out "
        "\"index_score selected\"",
        "--row sparse --params \"causal=bottomright duplicates=once\" --sizes \"h=2 g=2 n=8 m=24 d=16 e=6 c=12\" "
        "--out \"o lse\"", NULL },
    { "{\"model_type\":\"glm_moe_dsa\",\"num_hidden_layers\":2}", "(modeling_glm_moe_dsa.py:153)\n",
        "--row sparse --params \"causal=bottomright topk=2048\" --sizes \"n=2 m=2053 b=2 a=128\" --out "
        "\"index_score selected\"", "", NULL },
    { "{\"model_type\":\"glm_moe_dsa\",\"num_hidden_layers\":2,\"indexer_types\":[\"shared\",\"shared\"]}",
        "its selection: that of the last layer that has an indexer of its own", NULL, "", NULL },
    { "{\"model_type\":\"minimax_m3_vl_text\",\"num_hidden_layers\":1,\"layer_types\":[\"minimax_m3_sparse\"],"
        "\"head_dim\":8,\"index_block_size\":4,\"index_topk_blocks\":3}",
        "scores: the product of each head, each head selects for itself, times 1; a block's: the largest of its keys';",
        NULL, "--row sparse --params \"causal=bottomright duplicates=once block_size=4\" --sizes \"h=32 g=2 n=8 m=13 "
        "d=8 e=8 c=3\" --out \"o lse\"", "this indexer blocks" },
    { "{\"model_type\":\"hy_v4\",\"num_hidden_layers\":1}", "positions rope, half, the last 64 channels turn; scores",
        "", NULL, NULL },
    { "{\"model_type\":\"mistral_large4_text\",\"num_hidden_layers\":1,\"no_rope_layers\":[0]}",
        "over one of keys; positions none; scores", "", "", NULL },
    { "{\"model_type\":\"nobody-knows\",\"hidden_size\":64,\"num_attention_heads\":4,\"index_topk\":32,"
        "\"index_n_heads\":2,\"index_head_dim\":8}",
        "its indexer: assumed, 2 heads of 8 over one of keys; a token leaves 8", NULL, "",
        "how this indexer makes its scores" },
    { "{\"model_type\":\"llama\",\"num_hidden_layers\":1}", NULL, NULL, NULL, NULL },
};

static void expect_command(const json_t *q, const char *want, const char *config)
{
    char args[1200];
    const char *got = json_string_value(json_object_get(q, "command"));
    snprintf(args, sizeof args, "meridian judge own:scalar %s", want ? want : "");
    cr_expect(want ? got && (!*want || !strcmp(got, args)) : !got, "%s: %s", config, got ? got : "nothing");
    snprintf(args, sizeof args, "%.1000s --type f32 --checks none", got ? got + 9 : "");
    if (got)
        cr_expect(meridian("", args) == 0 && strstr(out, "PASS own:scalar"), "%s: %s%s", args, out, err);
}

Test(card_questions, indexers_are_said_and_asked_about, .timeout = 60)
{
    static char text[1 << 15];
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; k++) {
        json_t *root = json_loads(chosen[k].config, 0, NULL), *card = card_of(root), *kind, *q;
        card_ask(card, root);
        kind = json_array_get(json_object_get(part_at(card, "layers.self_attn"), "kinds"), 0);
        for (int md = 0; md < 2; md++) {
            FILE *f = fmemopen(text, sizeof text, "w");
            card_say(f, card, 0, md);
            fclose(f);
            cr_expect(chosen[k].says ? strstr(text, chosen[k].says) != NULL : !strstr(text, "index"), "%s: %s",
                chosen[k].config, text);
            cr_expect(!chosen[k].selection || strstr(text, md ? "- judge its selection: `meridian" :
                "judge its selection: meridian") != NULL, "%s: %s", chosen[k].config, text);
        }
        q = question_about(kind, "selection");
        const char *why = json_string_value(json_object_get(q, "why"));
        cr_expect(chosen[k].why ? why && strstr(why, chosen[k].why) : !why, "%s: %s", chosen[k].config,
            why ? why : "-");
        expect_command(q, chosen[k].selection, chosen[k].config);
        expect_command(question_about(kind, "attention over its selection"), chosen[k].over, chosen[k].config);
        json_decref(card), json_decref(root);
    }
}

/* Keys of an indexer count as read, and what is kept of its keys is said apart, in both forms of the answer. */
Test(card_questions, keys_of_an_indexer_are_read_and_its_cache_is_said)
{
    static const char *const unread[] = { "keys not read: index_nobody\n", "\"keys_not_read\":[\"index_nobody\"]" };
    static const char *const cache[] = { "keys and values: 1824 numbers a token, 3648 bytes in 16 bits; 96 of the "
        "numbers are index keys\n", "\"index\":96" };
    char path[] = "/tmp/meridian-indexer-XXXXXX", args[600];
    close(mkstemp(path));
    FILE *f = fopen(path, "w");
    cr_assert(f && fprintf(f, "{\"model_type\":\"deepseek_v32\",\"num_hidden_layers\":3,\"index_topk\":64,"
        "\"index_n_heads\":8,\"index_head_dim\":32,\"index_nobody\":1}") > 0 && !fclose(f));
    for (int json = 0; json < 2; json++) {
        snprintf(args, sizeof args, "model %s --card%s", path, json ? " --json" : "");
        cr_expect_eq(meridian("", args), 0, "%s", err);
        cr_expect(strstr(out, unread[json]) && strstr(out, cache[json]), "%s", out);
    }
    unlink(path);
}

/* Where no row of this build judges a layer, the card says so and prints no command: a row may come later. */
Test(card_questions, no_command_is_printed_for_a_row_that_is_not_there)
{
    static const struct { const char *config, *row; } list[] = {
        { "{\"model_type\":\"mamba2\"}", "ssd" }, { "{\"model_type\":\"mamba\"}", NULL },
        { "{\"model_type\":\"recurrent_gemma\"}", NULL }, { "{\"model_type\":\"zaya\"}", NULL },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        json_t *root = json_loads(list[k].config, 0, NULL), *card = card_of(root), *part;
        card_ask(card, root);
        part = json_array_get(json_object_get(card, "mixers"), 0);
        json_t *one = json_array_get(json_object_get(json_array_get(json_object_get(part, "kinds"), 0), "judge"), 0);
        const char *row = json_string_value(json_object_get(one, "row"));
        cr_expect(json_object_get(one, "why") ? !row :
            row && list[k].row && !strcmp(row, list[k].row) && row_named(row),
            "%s: %s", list[k].config, row ? row : "neither a row nor why none judges it");
        json_decref(card), json_decref(root);
    }
}

/* A key that nobody reads is listed in each form of the answer, where tables are judged and where none are. */
Test(card_questions, keys_that_are_not_read_are_in_every_form)
{
    static const struct { const char *config, *flags; int rc; } list[] = {
        { "\"model_type\":\"llama\",\"head_dim\":16", "--card", 0 },
        { "\"model_type\":\"llama\",\"head_dim\":16", "--card --json", 0 },
        { "\"model_type\":\"llama\",\"head_dim\":16", "--json --limit 4", 0 },
        { "\"model_type\":\"detr\"", "--card", 0 },
        { "\"model_type\":\"detr\"", "--json", 77 },
    };
    char path[] = "/tmp/meridian-unread-XXXXXX", args[600], md[80];
    static char text[1 << 18];
    close(mkstemp(path));
    snprintf(md, sizeof md, "%s.md", path);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        FILE *f = fopen(path, "w");
        cr_assert(f && fprintf(f, "{%s,\"attn_nobody_knows\":7}", list[k].config) > 0 && !fclose(f));
        snprintf(args, sizeof args, "model %s %s --md %s", path, list[k].flags, md);
        cr_expect_eq(meridian("", args), list[k].rc, "%s: %s", args, err);
        cr_expect(strstr(out, "attn_nobody_knows") != NULL, "%s: %s", args, out);
        slurp(md, text, sizeof text);
        cr_expect(strstr(text, "keys not read: `attn_nobody_knows`") != NULL, "%s: %s", args, text);
    }
    unlink(path), unlink(md);
}

/* The number of a parameter "name=" among these; `otherwise` where it is not said. */
static double said_number(const char *params, const char *name, double otherwise)
{
    const char *s = strstr(params, name);
    return s && (s == params || s[-1] == ' ') ? strtod(s + strlen(name), NULL) : otherwise;
}
/* How many channels turn by the parameters of row rope. */
static double turning(const char *params)
{
    const double width = said_number(params, "dim=", 64), turns = said_number(params, "rotary=", 0);
    return turns > 0 ? turns : width;
}
/* The next recorded file of an open folder data/models, with what its card asks; NULL: there is no more.  Both are the
 * caller's; name[n]: the file's. */
static json_t *next_card(DIR *dir, const char *root_of, json_t **card, char *name, size_t n)
{
    char path[900];
    struct dirent *e;
    do
        e = readdir(dir);
    while (e && !strstr(e->d_name, ".json"));
    if (!e)
        return NULL;
    snprintf(name, n, "%s", e->d_name), snprintf(path, sizeof path, "%sdata/models/%s", root_of, e->d_name);
    json_t *root = json_load_file(path, 0, NULL);
    *card = card_of(root);
    card_ask(*card, root);
    return root;
}
static DIR *open_models(char *at, size_t n)
{
    char path[900];
    snprintf(path, sizeof path, "%sdata/models", home(at, n));
    DIR *dir = opendir(path);
    cr_assert(dir != NULL);
    return dir;
}

/* Every scan of the recorded files is asked about, with sizes of its own, and the own kernel passes by what is
 * printed. */
Test(card_questions, every_scan_of_the_recorded_files_is_judged, .timeout = 60)
{
    char at[600], name[300], args[1200];
    DIR *dir = open_models(at, sizeof at);
    long seen = 0;
    for (json_t *root, *card, *part, *kind; (root = next_card(dir, at, &card, name, sizeof name));) {
        size_t i, j;
        json_array_foreach(json_object_get(card, "mixers"), i, part)
            json_array_foreach(json_object_get(part, "kinds"), j, kind) {
                const char *mixer = json_string_value(json_object_get(kind, "mixer"));
                if (!mixer || strcmp(mixer, "state space with one decay a head"))
                    continue;
                const char *got = json_string_value(json_object_get(question_about(kind, "recurrence"), "command"));
                cr_expect(got && strstr(got, "--row ssd --params ") && strstr(got, " --sizes "), "%s: %s", name,
                    got ? got : "nothing");
                snprintf(args, sizeof args, "%.1000s --out \"y final\" --type f32 --checks none",
                    got ? got + 9 : "judge");
                cr_expect(meridian("", args) == 0 && strstr(out, "PASS own:scalar"), "%s: %s%s", args, out, err);
                seen++;
            }
        json_decref(card), json_decref(root);
    }
    closedir(dir);
    cr_expect(seen >= 4, "%ld scans", seen);
}

/* Layers of a card and the tables of the same file are of one base and turn as many channels: of every recorded file,
 * each rotation that a kind is asked about.  The proportional type turns some of the pairs of the whole head. */
Test(card_questions, the_tables_and_the_layers_of_a_file_turn_alike, .timeout = 60)
{
    char at[600], name[300];
    DIR *dir = open_models(at, sizeof at);
    long seen = 0;
    for (json_t *root, *card, *part, *kind, *q; (root = next_card(dir, at, &card, name, sizeof name));) {
        size_t i, j, k;
        json_array_foreach(json_object_get(card, "parts"), i, part)
            json_array_foreach(json_object_get(part, "kinds"), j, kind)
                json_array_foreach(json_object_get(kind, "judge"), k, q) {
                    const char *params = json_string_value(json_object_get(q, "params"));
                    const json_t *rules = json_object_get(kind, "rules"), *base = json_object_get(rules, "base");
                    const json_t *turns = json_object_get(rules, "rotary");
                    if (!params || !base || strcmp(json_string_value(json_object_get(q, "what")), "rotation"))
                        continue;
                    cr_expect_eq(said_number(params, "base=", 10000), json_number_value(base),
                        "%s: %s, the card has %g", name, params, json_number_value(base));
                    cr_expect(!turns || turning(params) == json_number_value(turns), "%s: %s, %g turn by the card",
                        name, params, json_number_value(turns));
                    seen++;
                }
        json_decref(card), json_decref(root);
    }
    closedir(dir);
    cr_expect(seen > 100, "%ld rotations", seen);
}

/* What is listed under "others differ" follows from the parameters alone: a line is there if its parameter is set and
 * what it needs is there, and is not there otherwise. */
Test(card_questions, where_others_differ_follows_from_what_is_set)
{
    static const struct { const char *row, *params, *inputs, *id; bool is; } list[] = {
        { "rope", "layout=half dim=64", "", "interleaved", true },
        { "rope", "layout=half dim=64", "", "half", false }, { "rope", "dim=64", "", "interleaved", false },
        { "rope", "layout=half scaling=yarn factor=4 trained=64", "", "amplitude-dropped", true },
        { "rope", "layout=half scaling=yarn factor=4 trained=64", "", "truncate-on", false },
        { "rope", "base=500000 scaling=yarn factor=4 trained=64 truncate=off", "", "truncate-on", true },
        { "rope", "layout=half scaling=linear factor=4", "", "amplitude-dropped", false },
        { "rope", "layout=half", "", "bf16-freq", false },
        { "attention", "causal=bottomright window=4", "", "window+1", true },
        { "attention", "causal=bottomright", "", "window+1", false },
        { "attention", "causal=bottomright", "", "zeros", false },
        { "attention", "causal=bottomright cap=50", "", "cap-after-mask", true },
        { "t5", "heads=8 direction=causal", "", "nobody-knows", false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        json_t *found = json_array(), *v;
        size_t i;
        bool is = false;
        card_differ(found, list[k].row, list[k].params, list[k].inputs);
        json_array_foreach(found, i, v)
            is |= !strcmp(json_string_value(json_object_get(v, "id")), list[k].id);
        cr_expect_eq(is, list[k].is, "%s %s: %s", list[k].row, list[k].params, list[k].id);
        json_decref(found);
    }
}
