"""Latent attention whose cache keeps the latent, pairs that are dealt out to three and to two positions, and windows of
images; never imported, only read."""
import torch
from torch import nn

from ...masking_utils import create_causal_mask
from ...modeling_utils import PreTrainedModel
from .configuration_axes import AxesImageConfig, AxesTextConfig, AxesWindowConfig


class AxesTextRotaryEmbedding(nn.Module):
    def __init__(self, config: AxesTextConfig):
        super().__init__()
        self.mrope_section = config.rope_parameters.get("mrope_section", [2, 1, 1])

    @staticmethod
    def compute(config):
        base = config.rope_parameters["rope_theta"]
        dim = config.qk_rope_head_dim
        return 1.0 / (base ** (torch.arange(0, dim, 2) / dim))

    def recomposition_frequencies(self, freq):
        freq = torch.cat([m[i % 3] for i, m in enumerate(freq.split(self.mrope_section, dim=-1))], dim=-1)
        return torch.cat((freq, freq), dim=-1)


class AxesImageRotaryEmbedding(nn.Module):
    def __init__(self, config: AxesImageConfig):
        super().__init__()

    @staticmethod
    def compute_axial_rope_parameters(config):
        base = config.rope_parameters["rope_theta"]
        spatial_dim = config.hidden_size // config.num_attention_heads // 2
        return 1.0 / (base ** (torch.arange(0, spatial_dim, 2) / spatial_dim))

    def recomposition_frequencies(self, freq):
        freq_h, freq_w = freq[:, 0], freq[:, 1]
        return torch.cat([freq_w, freq_h], dim=-1).repeat_interleave(2, dim=-1)


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin):
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class AxesTextAttention(nn.Module):
    def __init__(self, config: AxesTextConfig):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.kv_lora_rank = config.kv_lora_rank
        self.q_lora_rank = config.q_lora_rank
        self.qk_nope_head_dim = config.qk_nope_head_dim
        self.qk_rope_head_dim = config.qk_rope_head_dim
        self.v_head_dim = config.v_head_dim
        self.qk_head_dim = config.qk_nope_head_dim + config.qk_rope_head_dim
        self.scaling = self.qk_head_dim**-0.5
        self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.qk_head_dim)
        self.kv_b_proj = nn.Linear(config.kv_lora_rank, self.num_heads * (self.qk_nope_head_dim + self.v_head_dim))

    def expand(self, latent):
        return self.kv_b_proj(latent).chunk(2)

    def forward(self, x, latent, turned, past_key_values, cos, sin):
        query, turned = apply_rotary_pos_emb(self.q_proj(x), turned, cos, sin)
        latent, turned = past_key_values.update(latent, turned, 0)
        key, value = self.expand(latent)
        return attention_interface(self, query, key, value, scaling=self.scaling)


class AxesTextModel(PreTrainedModel):
    def __init__(self, config: AxesTextConfig):
        super().__init__(config)
        self.self_attn = AxesTextAttention(config)
        self.rotary_emb = AxesTextRotaryEmbedding(config)

    def forward(self, x):
        return self.self_attn(x, create_causal_mask(x))


class AxesImageAttention(nn.Module):
    def __init__(self, config: AxesImageConfig):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, key, value, cos, sin):
        query, key = apply_rotary_pos_emb(self.q_proj(x), key, cos, sin)
        return attention_interface(self, query, key, value, scaling=self.scaling)


class AxesImageModel(PreTrainedModel):
    def __init__(self, config: AxesImageConfig):
        super().__init__(config)
        self.attn = AxesImageAttention(config)
        self.rotary_emb = AxesImageRotaryEmbedding(config)


class AxesWindowAttention(nn.Module):
    def __init__(self, dim, num_heads, window_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.window_size = window_size if isinstance(window_size, Iterable) else (window_size, window_size)
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * self.window_size[0] - 1) ** 2, num_heads))
        self.query = nn.Linear(dim, dim)

    def forward(self, x, key, value):
        scores = torch.matmul(self.query(x), key) / self.head_dim**0.5 + self.relative_position_bias_table
        return torch.matmul(nn.functional.softmax(scores, dim=-1), value)


class AxesWindowModel(PreTrainedModel):
    def __init__(self, config: AxesWindowConfig):
        super().__init__(config)
        self.attn = AxesWindowAttention(config.embed_dim, config.num_heads, config.window_size)
