"""Writes data/weights/tiny: small random checkpoints of each class that data/weights has a table for, with the logits
and hidden states that transformers computes of them: float32, eager attention, one thread.
`python3 harness/adapters/checkpoints.py [FOLDER [NAME ..]]`; tests/lab_run.c reads what it wrote.

Weights are bfloat16, so that files are small and their float32 is exact.  Embeddings are small, so that the eps of a
norm shows, all else is large, so that every rule does.  NAME.json beside a checkpoint is another value of its
rope_parameters, NAME.logits.npy and NAME.hidden.npy what the same weights give under it (dynamic: with
max_position_embeddings 4, which in this library is what dynamic counts from)."""
import json
import os
import sys
import tempfile

import numpy
import torch
import transformers

EPS = 1e-4
COMMON = dict(hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=2, vocab_size=16,
              max_position_embeddings=32)
GROUPED = dict(COMMON, num_key_value_heads=1, rms_norm_eps=EPS)
PLAIN = dict(rope_type='default', rope_theta=10000.0)
LLAMA3 = dict(PLAIN, rope_type='llama3', factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=8)
LINEAR = dict(PLAIN, rope_type='linear', factor=4.0)
KINDS = ['sliding_attention', 'full_attention']
CASES = {
    'llama': ('Llama', dict(GROUPED, num_attention_heads=4, num_key_value_heads=2, head_dim=8, attention_bias=True,
                            mlp_bias=True)),
    'llama3': ('Llama', dict(GROUPED, tie_word_embeddings=True, max_position_embeddings=64, rope_parameters=LLAMA3)),
    'mistral': ('Mistral', dict(GROUPED, sliding_window=5)),
    'qwen2': ('Qwen2', GROUPED),
    'qwen3': ('Qwen3', dict(GROUPED, head_dim=6)),
    'gpt2': ('GPT2', dict(n_embd=8, n_inner=12, n_layer=2, n_head=2, vocab_size=16, n_positions=16,
                          layer_norm_epsilon=EPS)),
    'gpt_neox': ('GPTNeoX', dict(COMMON, layer_norm_eps=EPS, rope_parameters=dict(PLAIN, partial_rotary_factor=0.5))),
    'gpt_neox_serial': ('GPTNeoX', dict(COMMON, layer_norm_eps=EPS, use_parallel_residual=False, attention_bias=False,
                                        rope_parameters=dict(PLAIN, partial_rotary_factor=1.0))),
    'gemma': ('Gemma', dict(GROUPED, head_dim=6, pad_token_id=0)),
    'gemma2': ('Gemma2', dict(GROUPED, head_dim=6, pad_token_id=0, sliding_window=3, query_pre_attn_scalar=9,
                              attn_logit_softcapping=0.5, final_logit_softcapping=0.75)),
    'gemma3': ('Gemma3Text', dict(GROUPED, head_dim=6, pad_token_id=0, sliding_window=3, query_pre_attn_scalar=9,
                                  layer_types=KINDS, rope_parameters=dict(
                                      sliding_attention=PLAIN, full_attention=dict(LINEAR, rope_theta=100.0)))),
    'phi3': ('Phi3', dict(GROUPED, num_attention_heads=4, hidden_size=16, num_key_value_heads=2, pad_token_id=0,
                          original_max_position_embeddings=8, rope_parameters=dict(
                              PLAIN, rope_type='longrope', short_factor=[1.0, 1.5], long_factor=[2.5, 3.25]))),
    'olmo2': ('Olmo2', dict(GROUPED, num_attention_heads=4, num_key_value_heads=2)),
    'olmo3': ('Olmo3', dict(GROUPED, num_attention_heads=4, num_key_value_heads=2, sliding_window=3, pad_token_id=0,
                            layer_types=KINDS)),
    'granite': ('Granite', dict(GROUPED, embedding_multiplier=12.0, residual_multiplier=0.22, logits_scaling=5.0,
                                attention_multiplier=0.4)),
    'smollm3': ('SmolLM3', dict(GROUPED, pad_token_id=0, no_rope_layers=[1, 0])),
    'cohere': ('Cohere', dict(COMMON, num_key_value_heads=1, layer_norm_eps=EPS, use_qk_norm=True, logit_scale=0.3)),
    'cohere2': ('Cohere2', dict(COMMON, num_key_value_heads=1, layer_norm_eps=EPS, head_dim=4, sliding_window=3,
                                layer_types=KINDS)),
    'stablelm': ('StableLm', dict(COMMON, num_key_value_heads=1, layer_norm_eps=EPS, qk_layernorm=True, hidden_size=16,
                                  use_qkv_bias=True, use_parallel_residual=True, rope_parameters=dict(
                                      PLAIN, partial_rotary_factor=0.5))),
    'stablelm_serial': ('StableLm', dict(COMMON, num_key_value_heads=2, layer_norm_eps=EPS, rope_parameters=dict(
        PLAIN, partial_rotary_factor=1.0))),
    'phi': ('Phi', dict(COMMON, num_key_value_heads=1, layer_norm_eps=EPS, qk_layernorm=True)),
    'gptj': ('GPTJ', dict(n_embd=16, n_inner=12, n_layer=2, n_head=2, vocab_size=16, n_positions=16, rotary_dim=4,
                          layer_norm_epsilon=EPS)),
    'falcon': ('Falcon', dict(COMMON, ffn_hidden_size=12, layer_norm_epsilon=EPS, bias=True)),
    'falcon_apart': ('Falcon', dict(COMMON, ffn_hidden_size=12, layer_norm_epsilon=EPS, multi_query=False,
                                    parallel_attn=False)),
    'falcon_new': ('Falcon', dict(COMMON, ffn_hidden_size=12, layer_norm_epsilon=EPS, num_attention_heads=4,
                                  num_kv_heads=2, new_decoder_architecture=True)),
    'falcon_one': ('Falcon', dict(COMMON, ffn_hidden_size=12, layer_norm_epsilon=EPS, num_attention_heads=4,
                                  num_kv_heads=2, new_decoder_architecture=True, num_ln_in_parallel_attn=1)),
}
CHANGES = {'llama': {
    'linear': (dict(PLAIN, rope_type='linear', factor=4.0), {}),
    'dynamic': (dict(PLAIN, rope_type='dynamic', factor=4.0), dict(max_position_embeddings=4)),
    'yarn': (dict(PLAIN, rope_type='yarn', factor=4.0, original_max_position_embeddings=8), {}),
}}
TOKENS = [3, 13, 5, 5, 0, 15, 11, 8, 2, 9]
SAID = '''model_type hidden_act hidden_activation activation activation_function tie_word_embeddings head_dim attention_bias
    mlp_bias rope_parameters layer_types sliding_window use_sliding_window use_parallel_residual logit_scale use_qkv_bias
    alibi multi_query parallel_attn new_decoder_architecture num_ln_in_parallel_attn bias num_kv_heads no_rope_layers'''.split()


def draw(model, seed):
    """Draws all weights anew: norms around 1, embeddings by 1/50, matrices by 1/sqrt(inputs), biases by 1/4."""
    g = torch.Generator().manual_seed(seed)
    for name, p in sorted(model.named_parameters()):
        norm = any(word in name for word in ('norm', 'ln_')) and name.endswith('weight')
        table = any(word in name for word in ('embed_tokens', 'wte', 'wpe', 'embed_in', 'word_embeddings'))
        by = 0.2 if norm else 0.02 if table else 0.25 if name.endswith('bias') else p.shape[-1] ** -0.5
        p.data = (torch.randn(p.shape, generator=g) * by + (1 if norm else 0)).to(torch.bfloat16).float()


def model_of(cls, config, name):
    conf = getattr(transformers, cls + 'Config')(**json.loads(json.dumps(config)))
    conf._attn_implementation = 'eager'
    model = transformers.AutoModelForCausalLM.from_config(conf).eval()
    draw(model, sum(map(ord, name)))
    model.tie_weights()
    return model


def save(model, folder, lead='', tokens=None):
    with torch.no_grad():
        out = model(torch.tensor([tokens or TOKENS]), output_hidden_states=True, use_cache=False)
    numpy.save(os.path.join(folder, lead + 'logits.npy'), out.logits[0].numpy())
    numpy.save(os.path.join(folder, lead + 'hidden.npy'), torch.stack([h[0] for h in out.hidden_states]).numpy())


def write_json(path, value):
    with open(path, 'w') as f:
        json.dump(value, f, indent=1, sort_keys=True)
        f.write('\n')


def write_weights(model, folder):
    """As bfloat16, under the names that the library itself writes."""
    with tempfile.TemporaryDirectory(dir=folder) as here:
        model.to(torch.bfloat16).save_pretrained(here)
        os.replace(os.path.join(here, 'model.safetensors'), os.path.join(folder, 'model.safetensors'))
    os.chmod(os.path.join(folder, 'model.safetensors'), 0o644)


def record(to, name):
    cls, config = CASES[name]
    folder = os.path.join(to, name)
    os.makedirs(folder, exist_ok=True)
    for change, (rope, more) in CHANGES.get(name, {}).items():
        save(model_of(cls, dict(config, rope_parameters=rope, **more), name), folder, change + '.')
        write_json(os.path.join(folder, change + '.json'), rope)
    model = model_of(cls, config, name)
    save(model, folder)
    said = {k: v for k, v in model.config.to_dict().items() if k in config or k in SAID}
    versions = f'transformers {transformers.__version__}, torch {torch.__version__}'
    said['provenance'] = {'kind': 'random weights', 'source': versions + ', harness/adapters/checkpoints.py'}
    write_json(os.path.join(folder, 'config.json'), said)
    write_weights(model, folder)


if __name__ == '__main__':
    torch.set_num_threads(1)
    target = sys.argv[1] if len(sys.argv) > 1 else 'data/weights/tiny'
    for one in sys.argv[2:] or CASES:
        record(target, one)
    with open(os.path.join(target, 'tokens.txt'), 'w') as f:
        f.write(' '.join(map(str, TOKENS)) + '\n')
