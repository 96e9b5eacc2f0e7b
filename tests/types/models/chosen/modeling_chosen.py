"""Attentions that see the keys which an object within them chooses, one by one or in blocks; and beside them what takes the
largest of something and chooses no keys.  Never imported, only read."""
import torch
from torch import nn

from ...masking_utils import create_causal_mask
from ...modeling_utils import PreTrainedModel
from .configuration_chosen import ChosenBlocksConfig, ChosenTextConfig


class ChosenTextRotaryEmbedding(nn.Module):
    def __init__(self, config: ChosenTextConfig):
        super().__init__()
        self.config = config

    @staticmethod
    def compute(config):
        base = config.rope_parameters["rope_theta"]
        dim = config.head_dim
        return 1.0 / (base ** (torch.arange(0, dim, 2) / dim))


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin):
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def apply_rotary_pairs(q, k, cos, sin):
    q1, q2, k1, k2 = q[..., 0::2], q[..., 1::2], k[..., 0::2], k[..., 1::2]
    return torch.cat([q1 * cos - q2 * sin, q2 * cos + q1 * sin]), torch.cat([k1 * cos - k2 * sin, k2 * cos + k1 * sin])


class ChosenTextPicker(nn.Module):
    def __init__(self, config: ChosenTextConfig):
        super().__init__()
        self.n_heads = config.pick_heads
        self.head_dim = config.pick_width
        self.turned = config.pick_turns
        self.most = config.pick_most
        self.wq = nn.Linear(config.hidden_size, self.n_heads * self.head_dim)
        self.wk = nn.Linear(config.hidden_size, self.head_dim)
        self.wv = nn.Linear(config.hidden_size, self.n_heads)
        self.scale = self.head_dim**-0.5

    def forward(self, x, mask, cos, sin, past_key_values):
        q = self.wq(x).view(*x.shape[:2], self.n_heads, self.head_dim)
        q_pass, q_rot = torch.split(q, [self.head_dim - self.turned, self.turned], dim=-1)
        k = self.wk(x).unsqueeze(2)
        k_pass, k_rot = torch.split(k, [self.head_dim - self.turned, self.turned], dim=-1)
        q_rot, k_rot = apply_rotary_pairs(q_rot, k_rot, cos, sin)
        q = torch.cat([q_pass, q_rot], dim=-1)
        k = torch.cat([k_pass, k_rot], dim=-1).squeeze(2)
        k = past_key_values.update_indexer(k, 0)
        scores = torch.relu(torch.matmul(q, k.transpose(-1, -2)) * self.scale)
        scores = torch.matmul(self.wv(x).unsqueeze(-2) * self.n_heads**-0.5, scores) + mask
        n = min(self.most, scores.shape[-1])
        return scores.topk(n, dim=-1).indices


class ChosenTextExperts(nn.Module):
    """Takes the largest of something and hands on their weights, too: no keys are chosen."""

    def __init__(self, config: ChosenTextConfig):
        super().__init__()
        self.gate = nn.Linear(config.hidden_size, 2 * config.head_dim)

    def forward(self, x):
        weights, indices = torch.matmul(self.gate(x), x).topk(2, dim=-1)
        return weights, indices


class ChosenTextAttention(nn.Module):
    def __init__(self, config: ChosenTextConfig, layer_idx):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.head_dim
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.head_dim)
        self.experts = ChosenTextExperts(config)
        self.picker = None if config.pickers[layer_idx] == "shared" else ChosenTextPicker(config)

    def forward(self, x, mask, cos, sin, past_key_values, before):
        query, key = apply_rotary_pos_emb(self.q_proj(x), self.q_proj(x), cos, sin)
        if self.picker is not None:
            picked = self.picker(x, mask, cos, sin, past_key_values)
        else:
            picked = before
        mask = mask.masked_fill(torch.ones_like(mask).scatter(-1, picked, 0), float("-inf"))
        return attention_interface(self, query, key, self.experts(x), mask, scaling=self.scaling), picked


class ChosenTextModel(PreTrainedModel):
    def __init__(self, config: ChosenTextConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([ChosenTextAttention(config, layer_idx) for layer_idx in range(config.num_hidden_layers)])
        self.rotary_emb = ChosenTextRotaryEmbedding(config)

    def forward(self, x):
        return self.layers[0](x, create_causal_mask(x))


class ChosenBlocksPicker(nn.Module):
    """Makes queries and calls a softmax, as an attention does, and mixes nothing."""

    def __init__(self, config: ChosenBlocksConfig):
        super().__init__()
        self.num_heads = config.pick_heads
        self.head_dim = config.pick_width
        self.run, self.blocks, self.near = config.pick_run, config.pick_blocks, config.pick_near
        self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.head_dim)
        self.k_proj = nn.Linear(config.hidden_size, self.head_dim)

    def forward(self, x, place, past_key_values):
        k = past_key_values.update_index(self.k_proj(x))
        count = -(-k.shape[1] // self.run)
        scores = torch.matmul(self.q_proj(x), k).softmax(dim=-1)
        scores = scores.view(*x.shape[:2], self.num_heads, count, self.run).amax(dim=-1)
        near = place // self.run - torch.arange(self.near)
        scores.scatter_(-1, near, float("inf"))
        largest, picked = scores.topk(min(self.blocks, count), dim=-1)
        return picked.masked_fill(largest == float("-inf"), -1)


class ChosenBlocksAttention(nn.Module):
    """Takes the largest of its own queries as well, and mixes: it is no picker."""

    def __init__(self, config: ChosenBlocksConfig):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.head_dim)
        self.o_proj = nn.Linear(self.num_heads * self.head_dim, config.hidden_size)
        self.picker = ChosenBlocksPicker(config)

    def forward(self, x, mask, place, past_key_values):
        picked = self.picker(x, place, past_key_values)
        query = self.q_proj(x)
        some = query.topk(4, dim=-1).indices
        weights = torch.matmul(query.gather(-1, some), x).softmax(dim=-1)
        return self.o_proj(torch.matmul(weights, picked))


class ChosenBlocksModel(PreTrainedModel):
    def __init__(self, config: ChosenBlocksConfig):
        super().__init__(config)
        self.self_attn = ChosenBlocksAttention(config)

    def forward(self, x):
        return self.self_attn(x, create_causal_mask(x))
