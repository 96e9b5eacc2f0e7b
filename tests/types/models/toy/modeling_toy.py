"""Models of the fixture; never imported, only read."""
import torch
from torch import nn

from ...masking_utils import create_causal_mask, create_sliding_window_causal_mask
from ...modeling_utils import GradientCheckpointingLayer, PreTrainedModel
from .configuration_toy import ToyTextConfig, ToyVisionConfig


class ToyRotaryEmbedding(nn.Module):
    def __init__(self, config: ToyTextConfig):
        super().__init__()
        self.config = config

    @staticmethod
    def compute(config):
        base = config.rope_parameters["rope_theta"]
        dim = int(config.head_dim * config.rope_parameters.get("partial_rotary_factor", 1.0))
        return 1.0 / (base ** (torch.arange(0, dim, 2) / dim))


def rotate_pairs(x):
    x1 = x[..., 0::2]
    x2 = x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def apply_rotary_pos_emb(q, k, cos, sin):
    cos = cos[..., : cos.shape[-1] // 2].repeat_interleave(2, dim=-1)
    return q * cos + rotate_pairs(q) * sin, k * cos + rotate_pairs(k) * sin


class ToyNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()


class ToyAttention(nn.Module):
    def __init__(self, config: ToyTextConfig, layer_idx: int):
        super().__init__()
        self.config = config
        self.head_dim = config.head_dim
        self.sinks = nn.Parameter(torch.empty(6)) if config.layer_types[layer_idx] == "sliding_attention" else None
        self.scaling = config.scalar**-0.5
        self.is_sliding = config.layer_types[layer_idx] == "sliding_attention"
        self.sliding_window = config.sliding_window if self.is_sliding else None
        self.q_proj = nn.Linear(config.hidden_size, config.num_attention_heads * self.head_dim)
        self.k_proj = nn.Linear(config.hidden_size, config.num_key_value_heads * self.head_dim)
        if config.use_qk_norm:
            self.q_norm = ToyNorm(self.head_dim)
            self.k_norm = ToyNorm(self.head_dim)

    def forward(self, hidden_states, position_embeddings, attention_mask):
        query = self.q_norm(self.q_proj(hidden_states))
        key = self.k_norm(self.k_proj(hidden_states))
        cos, sin = position_embeddings
        if self.is_sliding:
            query, key = apply_rotary_pos_emb(query, key, cos, sin)
        return attention_interface(
            self, query, key, attention_mask, scaling=self.scaling, sliding_window=self.sliding_window,
            softcap=self.config.score_cap, s_aux=self.sinks,
        )


class ToyLayer(GradientCheckpointingLayer):
    def __init__(self, config: ToyTextConfig, layer_idx: int):
        super().__init__()
        self.self_attn = ToyAttention(config, layer_idx)


class ToyTextModel(PreTrainedModel):
    def __init__(self, config: ToyTextConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([ToyLayer(config, i) for i in range(config.num_hidden_layers)])
        self.rotary_emb = ToyRotaryEmbedding(config)

    def forward(self, x):
        masks = {"full_attention": create_causal_mask(x), "sliding_attention": create_sliding_window_causal_mask(x)}
        return [layer(x, masks) for layer in self.layers]


class ToyVisionAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3)
        scores = torch.matmul(q, k) / self.head_dim**0.5
        return torch.matmul(nn.functional.softmax(scores, dim=-1), v)


class ToyVisionModel(PreTrainedModel):
    def __init__(self, config: ToyVisionConfig):
        super().__init__(config)
        self.position_embedding = nn.Embedding((config.image_size // config.patch_size) ** 2 + 1, config.embed_dim)
        self.attn = ToyVisionAttention(config.embed_dim, num_heads=config.depth_heads)
