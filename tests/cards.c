/* Cards that are read from the table of model types: what each says of layers with and without a softmax, by their
 * place in the model and the kind of layer. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cards.h"

/* Configurations and what their cards must hold, in the words of the card. */
static const struct { const char *config, *place; int kind; const char *key, *value; } cards[] = {
    { "{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_attention_heads\":96,\"head_dim\":64}",
        "layers.self_attn", 0, "head_dim", "64" },
    { "{\"model_type\":\"llama\"}", "layers.self_attn", 0, "sees", "\"causal\"" },
    /* A key that the class does not declare overrules what the class makes of others. */
    { "{\"model_type\":\"cohere2\",\"hidden_size\":96,\"num_attention_heads\":6,\"head_dim\":32}",
        "layers.self_attn", 0, "head_dim", "32" },
    { "{\"model_type\":\"mpt\",\"attn_config\":{\"softmax_scale\":0.25}}", "blocks.attn", 0, "scores",
        "\"times 0.25\"" },
    { "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":12}", "layers.self_attn", 1, "layers", "\"5, 11\"" },
    /* Layers with a window turn by a base of their own, and no scaling is said of them. */
    { "{\"model_type\":\"gemma3_text\",\"rope_theta\":1e6,\"rope_local_base_freq\":20000,\"rope_scaling\":"
        "{\"rope_type\":\"linear\",\"factor\":8}}", "layers.self_attn", 0, "positions",
        "\"rope, half, 256 channels turn, base 20000\"" },
    { "{\"model_type\":\"gemma3_text\",\"rope_theta\":1e6,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8}}",
        "layers.self_attn", 0, "positions", "\"rope, half, 256 channels turn, base 10000\"" },
    { "{\"model_type\":\"gemma3_text\",\"rope_theta\":1e6,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8}}",
        "layers.self_attn", 1, "positions", "\"rope, half, 256 channels turn, base 1000000, linear by 8\"" },
    { "{\"model_type\":\"gemma3_text\",\"query_pre_attn_scalar\":64}", "layers.self_attn", 0, "scores",
        "\"times 0.125\"" },
    { "{\"model_type\":\"gemma3_text\",\"attn_logit_softcapping\":50}", "layers.self_attn", 0, "softcap", "50" },
    /* A class makes one list of kinds for all layers, and has a base for each kind. */
    { "{\"model_type\":\"mellum\"}", "layers.self_attn", 0, "positions",
        "\"rope, half, 128 channels turn, base 500000\"" },
    { "{\"model_type\":\"laguna\"}", "layers.self_attn", 0, "positions",
        "\"rope, half, 64 channels turn, base 500000\"" },
    /* A type without a class of its own is made from another type's. */
    { "{\"model_type\":\"internlm3\"}", "layers.self_attn", 0, "kv_heads", "2" },
    { "{\"model_type\":\"gpt_oss\"}", "layers.self_attn", 0, "sinks", "true" },
    { "{\"model_type\":\"gpt_oss\"}", "layers.self_attn", 0, "sees",
        "\"causal, a window of 128 keys, the query's own among them\"" },
    { "{\"model_type\":\"llama4_text\"}", "layers.self_attn", 1, "positions", "\"none on these layers\"" },
    { "{\"model_type\":\"llama4_text\",\"use_qk_norm\":false}", "layers.self_attn", 0, "sees",
        "\"causal, within chunks of 8192 keys\"" },
    /* What their layers hand to flash attention is one more than the window's reach. */
    { "{\"model_type\":\"modernbert\",\"local_attention\":128}", "layers.attn", 1, "sees",
        "\"keys at most 64 away on both sides\"" },
    { "{\"model_type\":\"modernbert\"}", "layers.attn", 1, "positions",
        "\"rope, half, 64 channels turn, base 10000\"" },
    /* Each kind of layers has a base of its own, and a scaling is said of both, of one, or of none by an older word. */
    { "{\"model_type\":\"modernbert\",\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":4}}", "layers.attn", 0,
        "positions", "\"rope, half, 64 channels turn, base 160000, linear by 4\"" },
    { "{\"model_type\":\"modernbert\",\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":4}}", "layers.attn", 1,
        "positions", "\"rope, half, 64 channels turn, base 10000, linear by 4\"" },
    { "{\"model_type\":\"modernbert\",\"local_rope_theta\":2e4,\"rope_parameters\":{\"full_attention\":{\"rope_type\":"
        "\"linear\",\"factor\":2}}}", "layers.attn", 1, "positions", "\"rope, half, 64 channels turn, base 20000\"" },
    { "{\"model_type\":\"gemma3_text\",\"rope_scaling\":{\"type\":\"linear\",\"factor\":8}}", "layers.self_attn", 1,
        "positions", "\"rope, half, 256 channels turn, base 1000000\"" },
    { "{\"model_type\":\"olmo3\",\"rope_theta\":1e4}", "layers.self_attn", 0, "positions",
        "\"rope, half, 128 channels turn, base 500000\"" },
    { "{\"model_type\":\"neomme\",\"sliding_window\":256}", "layers.self_attn", 0, "sees",
        "\"keys at most 256 away on both sides\"" },
    { "{\"model_type\":\"gemma2\"}", "layers.self_attn", 0, "rules",
        "{\"layout\": \"half\", \"rotary\": 256, \"base\": 10000.0, \"scaling\": \"default\", \"scale\": 0.0625, "
        "\"mask\": \"causal\", \"window\": 4096}" },
    { "{\"model_type\":\"clip_text_model\"}", "encoder.layers.self_attn", 0, "sees", "\"causal\"" },
    { "{\"model_type\":\"clip_vision_model\"}", "encoder.layers.self_attn", 0, "sees", "\"every key\"" },
    { "{\"model_type\":\"bart\"}", "decoder.layers.encoder_attn", 0, "sees", "\"every key of the other side\"" },
    { "{\"model_type\":\"t5\"}", "encoder.block.layer.SelfAttention", 0, "scores", "\"times 1\"" },
    { "{\"model_type\":\"t5\"}", "decoder.block.layer.SelfAttention", 0, "sees", "\"causal\"" },
    { "{\"model_type\":\"pop2piano\"}", "decoder.block.layer.SelfAttention", 0, "sees", "\"causal\"" },
    { "{\"model_type\":\"pop2piano\"}", "encoder.block.layer.SelfAttention", 0, "sees", "\"every key\"" },
    { "{\"model_type\":\"smollm3\",\"use_sliding_window\":true,\"sliding_window\":64,\"num_hidden_layers\":8}",
        "layers.self_attn", 1, "sees", "\"causal, a window of 64 keys, the query's own among them\"" },
    { "{\"model_type\":\"swin\"}", "encoder.layers.blocks.attention", 0, "positions", "\"swin\"" },
    /* Windows of images, by the key of the file. */
    { "{\"model_type\":\"swin\",\"window_size\":12}", "encoder.layers.blocks.attention", 0, "sees",
        "\"every key of its window, 12 rows of 12\"" },
    { "{\"model_type\":\"donut-swin\"}", "encoder.layers.blocks.attention.self", 0, "window_size", "[7, 7]" },
    { "{\"model_type\":\"donut-swin\",\"window_size\":[8,6]}", "encoder.layers.blocks.attention.self", 0, "sees",
        "\"every key of its window, 8 rows of 6\"" },
    { "{\"model_type\":\"swinv2\",\"window_size\":8}",
        "encoder.layers.blocks.attention.self", 0, "window_size", "[8, 8]" },
    /* Keys that heads take in turn. */
    { "{\"model_type\":\"jetmoe\"}", "layers.self_attention", 0, "tiled", "true" },
    { "{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":{},\"rope_parameters\":{\"rope_type\":\"linear\","
        "\"factor\":4,\"rope_theta\":777}}", "layers.self_attn", 0, "positions",
        "\"rope, half, 64 channels turn, base 777, linear by 4\"" },
    /* Towers whose layers attend within windows but for those of a list: by patches, by their number, by pixels. */
    { "{\"model_type\":\"sam_vision_model\",\"num_hidden_layers\":4,\"global_attn_indexes\":[2],\"window_size\":7}",
        "vision_encoder.layers.attn", 0, "sees", "\"every key of its window, 7 rows of 7\"" },
    { "{\"model_type\":\"sam_vision_model\",\"num_hidden_layers\":4,\"global_attn_indexes\":[2]}",
        "vision_encoder.layers.attn", 1, "layers", "\"2\"" },
    { "{\"model_type\":\"vitdet\",\"window_block_indices\":[0,1],\"window_size\":14}", "encoder.layer.attention", 1,
        "sees", "\"every key\"" },
    { "{\"model_type\":\"lw_detr_vit\",\"window_block_indices\":[0,1]}", "layer.attention", 0, "sees",
        "\"every key of its window, one of 16 of the image\"" },
    { "{\"model_type\":\"rf_detr_dinov2\",\"num_windows\":2,\"out_indices\":[3,6]}", "layer.attention", 0, "layers",
        "\"0-2, 4-5\"" },
    { "{\"model_type\":\"qwen2_5_vl_vision\",\"depth\":6,\"fullatt_block_indexes\":[2,5]}", "blocks.attn", 0, "layers",
        "\"0-1, 3-4\"" },
    { "{\"model_type\":\"qwen2_5_vl_vision\",\"window_size\":56}", "blocks.attn", 0, "sees",
        "\"every key of its window, 4 rows of 4\"" },
    { "{\"model_type\":\"qwen2_5_vl_vision\"}", "blocks.attn", 1, "sees", "\"every key\"" },
    /* Pairs that are dealt out to several positions of a token: their order, how, and how many. */
    { "{\"model_type\":\"qwen2_vl_text\"}", "layers.self_attn", 0, "positions",
        "\"rope, half, 128 channels turn, base 1000000, positions of t, h, w one section of pairs after the other: "
        "16, 24, 24\"" },
    { "{\"model_type\":\"qwen2_vl_text\",\"rope_scaling\":{\"type\":\"mrope\",\"mrope_section\":[8,28,28]},"
        "\"rope_theta\":1e4}", "layers.self_attn", 0, "positions",
        "\"rope, half, 128 channels turn, base 10000, mrope, positions of t, h, w one section of pairs after the other"
        ": 8, 28, 28\"" },
    { "{\"model_type\":\"qwen3_vl_text\"}", "layers.self_attn", 0, "positions",
        "\"rope, half, 128 channels turn, base 500000, positions of t, h, w by pairs in turn: 24, 20, 20\"" },
    { "{\"model_type\":\"ernie4_5_vl_moe_text\"}", "layers.self_attn", 0, "positions",
        "\"rope, interleaved, 128 channels turn, base 500000, positions of h, w, t the first two by pairs in turn, "
        "then the last: 22, 22, 20\"" },
    { "{\"model_type\":\"qwen2_vl_vision\"}", "blocks.attn", 0, "positions",
        "\"rope, half, 80 channels turn, base 10000, axial, positions of h, w one block of pairs after the other\"" },
    { "{\"model_type\":\"kimi_k25_vision\"}", "layers.attn", 0, "positions",
        "\"rope, half, 72 channels turn, base 10000, axial, positions of w, h by pairs in turn\"" },
    { "{\"model_type\":\"llama4_vision_model\"}", "model.layers.self_attn", 0, "positions",
        "\"rope, interleaved, 48 channels turn, base 10000, positions of w, h one block of pairs after the other, "
        "coordinates from 1 on\"" },
    /* Latent attention and what its cache keeps; with no channels that turn, too. */
    { "{\"model_type\":\"deepseek_v3\"}", "layers.self_attn", 0, "latent",
        "{\"kv_lora_rank\": 512, \"q_lora_rank\": 1536, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
        "\"v_head_dim\": 128}" },
    { "{\"model_type\":\"deepseek_v3\"}", "layers.self_attn", 0, "cache", "576" },
    { "{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":0}", "layers.self_attn", 0, "positions",
        "\"none, as qk_rope_head_dim is 0\"" },
    { "{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":0}", "layers.self_attn", 0, "cache", "512" },
    { "{\"model_type\":\"deepseek_v3\",\"q_lora_rank\":null,\"kv_lora_rank\":32}", "layers.self_attn", 0, "latent",
        "{\"kv_lora_rank\": 32, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, \"v_head_dim\": 128}" },
    /* Values of a width of their own, and layers that take the keys and values of others. */
    { "{\"model_type\":\"mimo_v2_flash\",\"v_head_dim\":96,\"head_dim\":160}",
        "layers.self_attn", 0, "v_head_dim", "96" },
    { "{\"model_type\":\"gemma3n_text\"}", "layers.self_attn", 2, "shares", "true" },
    { "{\"model_type\":\"gemma3n_text\"}", "layers.self_attn", 2, "cache", "0" },
    { "{\"model_type\":\"gemma3n_text\"}", "layers.self_attn", 2, "layers", "\"20-23, 25-28, 30-33\"" },
    { "{\"model_type\":\"gemma4_text\",\"num_hidden_layers\":12,\"num_kv_shared_layers\":3}",
        "layers.self_attn", 2, "layers",
        "\"9-10\"" },
    { "{\"model_type\":\"glm\"}", "layers.self_attn", 0, "positions",
        "\"rope, interleaved, 64 channels turn, base 10000\"" },
    /* Every name by which files say a base is read, by the card as by the judgement of its tables. */
    { "{\"model_type\":\"wav2vec2-bert\",\"position_embeddings_type\":\"rotary\",\"rotary_embedding_base\":20000}",
        "encoder.layers.self_attn", 0, "positions", "\"rope, half, 64 channels turn, base 20000\"" },
    /* What is done with positions where a class can do several things. */
    { "{\"model_type\":\"falcon\"}", "h.self_attention", 0, "positions",
        "\"rope, half, 64 channels turn, base 10000\"" },
    { "{\"model_type\":\"falcon\",\"alibi\":true}", "h.self_attention", 0, "positions", "\"alibi\"" },
    { "{\"model_type\":\"wav2vec2-conformer\"}", "encoder.layers.self_attn", 0, "positions", "\"xl\"" },
    { "{\"model_type\":\"wav2vec2-bert\"}", "encoder.layers.self_attn", 0, "positions", "\"shaw\"" },
    { "{\"model_type\":\"wav2vec2-bert\",\"add_adapter\":true}", "adapter.layers.self_attn",
        0, "positions", "\"none\"" },
    { "{\"model_type\":\"seamless_m4t\"}", "speech_encoder.encoder.layers.self_attn", 0, "positions", "\"xl\"" },
    { "{\"model_type\":\"seamless_m4t\"}", "speech_encoder.adapter.layers.self_attn", 0, "positions", "\"none\"" },
    /* Classes whose own default is no number, or says what only a larger model decides. */
    { "{\"model_type\":\"ministral\"}", "layers.self_attn", 0, "head_dim", "128" },
    { "{\"model_type\":\"ministral\",\"head_dim\":64}", "layers.self_attn", 0, "head_dim", "64" },
    { "{\"model_type\":\"t5_gemma_module\"}", "layers.self_attn", 1, "sees", "\"every key\"" },
    { "{\"model_type\":\"t5_gemma_module\",\"is_decoder\":true}", "layers.self_attn", 1, "sees", "\"causal\"" },
    { "{\"model_type\":\"esmfold2\"}", "structure_head.token_transformer.layers.self_attn", 0, "heads", "16" },
    { "{\"model_type\":\"esmfold2\",\"atom_encoder\":{\"hidden_size\":96,\"num_attention_heads\":6}}",
        "input_embedder.atom_encoder.layers.self_attn", 0, "head_dim", "16" },
    /* What turns under types that are not the default: a share of the layer's own heads, or of the width. */
    { "{\"model_type\":\"gemma4_text\"}", "layers.self_attn", 1, "positions",
        "\"rope, half, 128 channels turn, base 1000000, proportional\"" },
    { "{\"model_type\":\"diffusion_gemma_text\"}", "layers.self_attn", 1, "positions",
        "\"rope, half, 128 channels turn, base 1000000, proportional\"" },
    { "{\"model_type\":\"mistral4\"}", "layers.self_attn", 0, "positions",
        "\"rope, interleaved, 64 channels turn, base 10000, yarn by 128\"" },
    /* Scales and masks that no number and no builder of the library tells, in the table's words. */
    { "{\"model_type\":\"swinv2\"}", "encoder.layers.blocks.attention.self", 0, "scores",
        "\"the cosine of q and k, times a trained scale of each head, at most 100\"" },
    { "{\"model_type\":\"longformer\"}", "encoder.layer.attention.self", 0, "sees",
        "\"keys at most attention_window / 2 away on both sides, and the tokens of global attention\"" },
    { "{\"model_type\":\"bloom\",\"hidden_size\":512,\"n_head\":8}", "h.self_attention", 0, "scores",
        "\"times 0.125\"" },
    { "{\"model_type\":\"roformer\"}", "encoder.layer.attention.self", 0, "sees", "\"every key\"" },
    { "{\"model_type\":\"nemotron_h\",\"num_hidden_layers\":6,\"hybrid_override_pattern\":\"M-M*E*\"}",
        "layers.mixer", 0, "layers", "\"3, 5\"" },
    { "{\"model_type\":\"kimi_linear\",\"num_hidden_layers\":4,\"linear_attn_config\":{\"full_attn_layers\":[2],"
        "\"kda_layers\":[1,3,4]}}", "layers.self_attn", 0, "layers", "\"1\"" },
    /* Kinds of layers by the names of older files, under every name of the list. */
    { "{\"model_type\":\"granitemoehybrid\",\"num_hidden_layers\":4,\"layer_types\":[\"mamba\",\"mamba\","
        "\"attention\",\"mamba\"]}", "layers.self_attn", 0, "layers", "\"2\"" },
    { "{\"model_type\":\"granitemoehybrid\",\"num_hidden_layers\":3,\"layers_block_type\":[\"attention\",\"mamba\","
        "\"attention\"]}", "layers.self_attn", 0, "layers", "\"0, 2\"" },
    { "{\"model_type\":\"nemotron_h\",\"num_hidden_layers\":3,\"layers_block_type\":[\"mamba\",\"attention\","
        "\"moe\"]}", "layers.mixer", 0, "layers", "\"1\"" },
    { "{\"model_type\":\"nobody-knows\",\"hidden_size\":64,\"num_attention_heads\":4,\"attn_logit_softcapping\":30.0}",
        "layers.self_attn", 0, "softcap", "30.0" },
    /* Indexers: which keys are left, how they are chosen, and on which layers. */
    { "{\"model_type\":\"deepseek_v32\"}", "layers.self_attn", 0, "sees",
        "\"causal, of these the 2048 of largest index score\"" },
    { "{\"model_type\":\"deepseek_v32\",\"index_topk\":64,\"index_n_heads\":4,\"index_head_dim\":16,"
        "\"qk_rope_head_dim\":8}", "layers.self_attn", 0, "indexer",
        "{\"topk\": 64, \"class\": \"DeepseekV32Indexer\", \"source\": \"modeling_deepseek_v32.py:147\", \"heads\": 4, "
        "\"head_dim\": 16, \"layout\": \"half\", \"turns\": \"first\", \"rotary\": 8, \"positions\": "
        "\"rope, half, the first 8 channels turn\", \"act\": \"relu\", \"weights\": true, \"added\": true, "
        "\"scale\": 0.125, \"cache\": 16}" },
    { "{\"model_type\":\"glm_moe_dsa\",\"num_hidden_layers\":4,\"index_topk_pattern\":\"FSSF\"}", "layers.self_attn", 0,
        "layers", "\"0, 3\"" },
    { "{\"model_type\":\"glm_moe_dsa\",\"num_hidden_layers\":4,\"index_topk_pattern\":\"FSSF\",\"index_topk\":9}",
        "layers.self_attn", 1, "indexer", "{\"topk\": 9, \"shares\": true}" },
    { "{\"model_type\":\"glm_moe_dsa\",\"num_hidden_layers\":4,\"index_topk_pattern\":\"FSSF\",\"index_topk\":9}",
        "layers.self_attn", 1, "sees", "\"causal, of these the 9 of largest index score\"" },
    { "{\"model_type\":\"dots3_note_text\",\"index_topk\":77}", "layers.self_attn", 0, "sees",
        "\"causal, of these the 77 of largest index score\"" },
    { "{\"model_type\":\"dots3_note_text\",\"index_topk\":77}", "layers.self_attn", 1, "sees",
        "\"causal, a window of 512 keys, the query's own among them\"" },
    { "{\"model_type\":\"minimax_m3_vl_text\"}", "layers.self_attn", 0, "sees", "\"causal\"" },
    { "{\"model_type\":\"minimax_m3_vl_text\",\"num_hidden_layers\":2,\"index_local_blocks\":3,"
        "\"sparse_attention_config\":{\"sparse_attention_freq\":[0,1],\"sparse_block_size\":64,"
        "\"sparse_topk_blocks\":5}}", "layers.self_attn", 1, "sees", "\"causal, of these the 5 blocks of 64 keys of "
        "largest index score, the query's own and the 2 before it among them\"" },
    { "{\"model_type\":\"glm5_next_text\",\"index_topk\":64,\"index_kpool\":8}", "layers.self_attn", 0, "sees",
        "\"causal, of these the 8 blocks of 8 keys of largest index score\"" },
    { "{\"model_type\":\"deepseek_v4\",\"layer_types\":[\"sliding_attention\",\"heavily_compressed_attention\","
        "\"compressed_sparse_attention\"],\"num_hidden_layers\":3}", "layers.self_attn", 0, "sees",
        "\"causal, a window of 128 keys, the query's own among them\"" },
    { "{\"model_type\":\"deepseek_v4\",\"layer_types\":[\"sliding_attention\",\"heavily_compressed_attention\","
        "\"compressed_sparse_attention\"],\"num_hidden_layers\":3}", "layers.self_attn", 1, "sees",
        "\"causal, a window of 128 keys, the query's own among them; and keys that stand for blocks\"" },
    { "{\"model_type\":\"deepseek_v4\",\"layer_types\":[\"sliding_attention\",\"heavily_compressed_attention\","
        "\"compressed_sparse_attention\"],\"num_hidden_layers\":3}", "layers.self_attn", 2, "sees",
        "\"causal, a window of 128 keys, the query's own among them; and of keys that stand for blocks "
        "(DeepseekV4CSACompressor), one for every 4, the 512 of largest index score\"" },
    { "{\"model_type\":\"nobody-knows\",\"hidden_size\":64,\"num_attention_heads\":4,\"index_topk\":32}",
        "layers.self_attn", 0, "sees", "\"causal, of these the 32 of largest index score\"" },
    { "{\"model_type\":\"nobody-knows\",\"hidden_size\":64,\"num_attention_heads\":4}", "layers.self_attn", 0, "sees",
        "\"causal\"" },
};

Test(cards, cards_say_what_the_classes_do)
{
    for (size_t k = 0; k < sizeof cards / sizeof *cards; k++) {
        json_t *card = card_of_text(cards[k].config);
        json_t *kinds = json_object_get(part_at(card, cards[k].place), "kinds");
        json_t *v = json_object_get(json_array_get(kinds, (size_t)cards[k].kind), cards[k].key);
        char *got = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;
        cr_expect(got && !strcmp(got, cards[k].value), "%s %s.%s: %s", cards[k].config, cards[k].place, cards[k].key,
            got ? got : "nothing");
        free(got), json_decref(card);
    }
}

/* Layers without a softmax: the configuration, the place, the kind of layers there, a key and its value; "-": the place
 * has no such layers. */
static const struct { const char *config, *place; int kind; const char *key, *value; } mixers[] = {
    /* One attribute, of one class or another by the kind of layer. */
    { "{\"model_type\":\"minimax\",\"num_hidden_layers\":5}", "layers.self_attn", 0, "layers", "\"1, 3\"" },
    { "{\"model_type\":\"minimax\",\"num_hidden_layers\":5}", "layers.self_attn", 0, "mixer",
        "\"lightning attention\"" },
    { "{\"model_type\":\"minimax\",\"hidden_size\":96,\"num_attention_heads\":6}", "layers.self_attn",
        0, "state", "1536" },
    { "{\"model_type\":\"qwen3_next\",\"num_hidden_layers\":5}", "layers.linear_attn", 0, "layers", "\"0-2, 4\"" },
    { "{\"model_type\":\"qwen3_next\",\"linear_num_key_heads\":4}", "layers.linear_attn", 0, "key_heads", "4" },
    { "{\"model_type\":\"qwen3_next\",\"linear_conv_kernel_dim\":3}", "layers.linear_attn", 0, "conv", "3" },
    { "{\"model_type\":\"olmo_hybrid\"}", "layers.linear_attn", 0, "beta_max", "2.0" },
    { "{\"model_type\":\"olmo_hybrid\",\"linear_allow_neg_eigval\":false}", "layers.linear_attn", 0, "beta_max", "1" },
    { "{\"model_type\":\"kimi_linear\",\"num_hidden_layers\":4,\"linear_attn_config\":{\"full_attn_layers\":[2],"
        "\"kda_layers\":[1,3,4]}}", "layers.self_attn", 0, "layers", "\"0, 2-3\"" },
    { "{\"model_type\":\"bailing_hybrid\"}", "layers.self_attn", 0, "gate", "\"lower-bound\"" },
    { "{\"model_type\":\"bailing_hybrid\",\"kda_safe_gate\":false}", "layers.self_attn", 0, "gate", "\"softplus\"" },
    { "{\"model_type\":\"lfm2\"}", "layers.conv", 0, "layers", "-" },
    { "{\"model_type\":\"lfm2\",\"num_hidden_layers\":4,\"full_attn_idxs\":[1]}", "layers.conv",
        0, "layers", "\"0, 2-3\"" },
    { "{\"model_type\":\"lfm2\",\"num_hidden_layers\":4,\"full_attn_idxs\":[1]}", "layers.conv",
        0, "conv_act", "\"none\"" },
    { "{\"model_type\":\"mamba2\",\"num_heads\":4,\"head_dim\":8,\"state_size\":16}", "layers.mixer",
        0, "state", "512" },
    { "{\"model_type\":\"nemotron_h\",\"num_hidden_layers\":6,\"hybrid_override_pattern\":\"M-M*E*\"}",
        "layers.mixer", 0, "layers", "\"0, 2\"" },
    { "{\"model_type\":\"nemotron_h\",\"hybrid_override_pattern\":\"M-M*E*\",\"mamba_d_conv\":3}",
        "layers.mixer", 0, "conv", "3" },
    { "{\"model_type\":\"recurrent_gemma\",\"num_hidden_layers\":4}", "layers.temporal_block",
        0, "layers", "\"0-1, 3\"" },
    { "{\"model_type\":\"zamba2\"}", "layers.mamba", 0, "heads", "8" },
    { "{\"model_type\":\"granitemoehybrid\",\"num_hidden_layers\":4,\"layer_types\":[\"mamba\",\"mamba\","
        "\"attention\",\"mamba\"]}", "layers.mamba", 0, "layers", "\"0-1, 3\"" },
};

Test(cards, layers_without_a_softmax_say_what_they_are)
{
    for (size_t k = 0; k < sizeof mixers / sizeof *mixers; k++) {
        json_t *card = card_of_text(mixers[k].config), *part, *kind = NULL;
        size_t i;
        json_array_foreach(json_object_get(card, "mixers"), i, part)
            if (!strcmp(json_string_value(json_object_get(part, "place")), mixers[k].place))
                kind = json_array_get(json_object_get(part, "kinds"), (size_t)mixers[k].kind);
        json_t *v = json_object_get(kind, mixers[k].key);
        char *got = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;
        cr_expect(got ? !strcmp(got, mixers[k].value) : *mixers[k].value == '-', "%s %s.%s: %s", mixers[k].config,
            mixers[k].place, mixers[k].key, got ? got : "nothing");
        free(got), json_decref(card);
    }
}

/* Words of Python for numbers that are not finite: a limit that excludes nothing is none, and of what must be finite
 * the card says so. */
Test(cards, what_is_not_finite_is_no_limit_or_is_said)
{
    static const struct { const char *config, *open; } list[] = {
        { "{\"model_type\":\"mamba2\",\"time_step_limit\":[0.0,Infinity]}", NULL },
        { "{\"model_type\":\"mamba2\",\"time_step_limit\":[-Infinity,Infinity]}", NULL },
        { "{\"model_type\":\"mamba2\",\"time_step_limit\":[NaN,Infinity]}", "mixer.dt_min: time_step_limit[0]" },
        { "{\"model_type\":\"mamba2\",\"time_step_limit\":[0.0,-Infinity]}", "is -Infinity, and must be a finite" },
        { "{\"model_type\":\"llama\",\"num_attention_heads\":NaN}", "heads: num_attention_heads" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":Infinity}", "layers: their number must be finite" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        json_t *card = card_of_text(list[k].config), *open = json_object_get(card, "open");
        char *got = json_dumps(open, 0);
        cr_expect(list[k].open ? strstr(got, list[k].open) != NULL : !json_array_size(open), "%s: %s", list[k].config,
            got);
        free(got), json_decref(card);
    }
}

/* An attention whose class a key chooses stands on the layers of that class alone, and nowhere twice. */
Test(cards, what_a_constructor_makes_under_a_test_is_there_under_it)
{
    static const struct { const char *config, *place, *layers; } list[] = {
        { "{\"model_type\":\"minimax\",\"num_hidden_layers\":5}", "layers.self_attn", "0, 2, 4" },
        { "{\"model_type\":\"minimax\",\"num_hidden_layers\":2,\"layer_types\":[\"linear_attention\","
          "\"linear_attention\"]}", "layers.self_attn", NULL },
        { "{\"model_type\":\"wav2vec2\"}", "encoder.layers.attention", "0-11" },
        { "{\"model_type\":\"wav2vec2-bert\"}", "adapter.layers.self_attn", NULL },
        { "{\"model_type\":\"informer\",\"attention_type\":\"full\"}", "encoder.layers.self_attn", NULL },
        { "{\"model_type\":\"informer\",\"attention_type\":\"full\",\"encoder_layers\":2}",
            "encoder.layers.self_attn:InformerAttention", "0-1" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        json_t *card = card_of_text(list[k].config);
        json_t *kind = json_array_get(json_object_get(part_at(card, list[k].place), "kinds"), 0);
        const char *got = json_string_value(json_object_get(kind, "layers"));
        cr_expect(list[k].layers ? got && !strcmp(got, list[k].layers) : !got, "%s %s: %s", list[k].config,
            list[k].place, got ? got : "nothing");
        json_decref(card);
    }
}
