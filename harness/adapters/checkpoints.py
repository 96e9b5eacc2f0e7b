"""Writes data/weights/tiny: small random checkpoints of each class that data/weights has a table for, with the logits and
hidden states that transformers computes of them, float32, eager attention, one thread.  `python3 harness/adapters/checkpoints.py [FOLDER]`; the
tests read what it wrote (tests/lab_run.c).

Weights are bfloat16, so that files are small and their float32 is exact.  Embeddings are small, so that the eps of a norm shows,
all else is large, so that every rule does."""
import json
import os
import sys
import tempfile

import numpy
import torch
import transformers

COMMON = dict(hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=2, vocab_size=16, max_position_embeddings=32)
GROUPED = dict(COMMON, num_key_value_heads=1)
CASES = {
    'llama': ('Llama', dict(GROUPED, rms_norm_eps=1e-4, attention_bias=True, mlp_bias=True)),
    'llama3': ('Llama', dict(GROUPED, rms_norm_eps=1e-4, tie_word_embeddings=True, max_position_embeddings=64, rope_parameters={
        'rope_type': 'llama3', 'rope_theta': 10000.0, 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0,
        'original_max_position_embeddings': 8})),
    'mistral': ('Mistral', dict(GROUPED, rms_norm_eps=1e-4, sliding_window=5)),
    'qwen2': ('Qwen2', dict(GROUPED, rms_norm_eps=1e-4)),
    'qwen3': ('Qwen3', dict(GROUPED, rms_norm_eps=1e-4, head_dim=6)),
    'gpt2': ('GPT2', dict(n_embd=8, n_inner=12, n_layer=2, n_head=2, vocab_size=16, n_positions=16, layer_norm_epsilon=1e-4)),
    'gpt_neox': ('GPTNeoX', dict(COMMON, layer_norm_eps=1e-4, rope_parameters={
        'rope_type': 'default', 'rope_theta': 10000.0, 'partial_rotary_factor': 0.5})),
    'gpt_neox_serial': ('GPTNeoX', dict(COMMON, layer_norm_eps=1e-4, use_parallel_residual=False, attention_bias=False, rope_parameters={
        'rope_type': 'default', 'rope_theta': 10000.0, 'partial_rotary_factor': 1.0})),
}
TOKENS = [3, 13, 5, 5, 0, 15, 11, 8, 2, 9]


def draw(model, seed):
    """Draws all weights anew: norms around 1, embeddings by 1/50, matrices by 1/sqrt(inputs), biases by 1/4."""
    g = torch.Generator().manual_seed(seed)
    for name, p in sorted(model.named_parameters()):
        norm = any(word in name for word in ('norm', 'ln_')) and name.endswith('weight')
        table = any(word in name for word in ('embed_tokens', 'wte', 'wpe', 'embed_in'))
        by = 0.2 if norm else 0.02 if table else 0.25 if name.endswith('bias') else max(p.shape[-1], 1) ** -0.5
        p.data = (torch.randn(p.shape, generator=g) * by + (1 if norm else 0)).to(torch.bfloat16).float()


def record(folder, cls, config):
    conf = getattr(transformers, cls + 'Config')(**config)
    conf._attn_implementation = 'eager'
    model = getattr(transformers, cls + ('LMHeadModel' if cls == 'GPT2' else 'ForCausalLM'))(conf).eval()
    draw(model, sum(map(ord, os.path.basename(folder))))
    model.tie_weights()
    with torch.no_grad():
        out = model(torch.tensor([TOKENS]), output_hidden_states=True)
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as here:  # under the names that the library itself writes
        model.to(torch.bfloat16).save_pretrained(here)
        os.replace(os.path.join(here, 'model.safetensors'), os.path.join(folder, 'model.safetensors'))
    said = {k: v for k, v in conf.to_dict().items() if k in config or k in ('model_type', 'hidden_act', 'activation_function', 'tie_word_embeddings', 'head_dim', 'attention_bias', 'mlp_bias', 'rope_parameters', 'layer_types', 'sliding_window', 'use_sliding_window', 'use_parallel_residual')}
    said['provenance'] = {'kind': 'random weights', 'source': f'transformers {transformers.__version__}, torch {torch.__version__}, harness/adapters/checkpoints.py'}
    with open(os.path.join(folder, 'config.json'), 'w') as f:
        json.dump(said, f, indent=1, sort_keys=True)
        f.write('\n')
    numpy.save(os.path.join(folder, 'logits.npy'), out.logits[0].numpy())
    numpy.save(os.path.join(folder, 'hidden.npy'), torch.stack([h[0] for h in out.hidden_states]).numpy())


if __name__ == '__main__':
    torch.set_num_threads(1)
    to = sys.argv[1] if len(sys.argv) > 1 else 'data/weights/tiny'
    for name, (cls, config) in CASES.items():
        record(os.path.join(to, name), cls, config)
    with open(os.path.join(to, 'tokens.txt'), 'w') as f:
        f.write(' '.join(map(str, TOKENS)) + '\n')
