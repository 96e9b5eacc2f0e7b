"""A model whose scores have a trained bias for each distance, under a name of its own; never imported, only read."""
import torch
from torch import nn

from ...modeling_utils import PreTrainedModel
from .configuration_biased import BiasedConfig


class BiasedAttention(nn.Module):
    def __init__(self, config: BiasedConfig):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.scale = self.head_dim**-0.5
        self.attention_biases = nn.Parameter(torch.zeros(self.num_heads, 9))
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, offsets):
        scores = torch.matmul(self.query(x), self.key(x)) * self.scale + self.attention_biases[:, offsets]
        return torch.matmul(nn.functional.softmax(scores, dim=-1), x)


class BiasedModel(PreTrainedModel):
    def __init__(self, config: BiasedConfig):
        super().__init__(config)
        self.attn = BiasedAttention(config)
