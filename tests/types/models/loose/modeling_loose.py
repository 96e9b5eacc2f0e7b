"""What the program once read wrongly; never imported, only read.  A model that may take its configuration out of a larger
one and hands a part of it to a class that is annotated with the whole; scores times a number that the keys do not tell;
scores times a local; a mask by is_decoder; sines and cosines in every second channel of two tables that are joined;
layers by a dictionary of their classes; a softmax that is made where it is used."""
import math

import torch
from torch import nn

from ...masking_utils import create_bidirectional_mask, create_causal_mask
from ...modeling_utils import PreTrainedModel
from .configuration_loose import LooseConfig, LooseHashedConfig, LooseMixedConfig


class LoosePositionEmbedding(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.width = config.hidden_size

    def forward(self, x):
        ahead, back = torch.zeros(9, self.width), torch.zeros(9, self.width)
        angle = torch.arange(9)[:, None] * torch.exp(torch.arange(0, self.width, 2) * -(math.log(1e4) / self.width))
        ahead[:, 0::2] = torch.sin(angle)
        ahead[:, 1::2] = torch.cos(angle)
        back[:, 0::2] = torch.sin(-angle)
        back[:, 1::2] = torch.cos(-angle)
        return x + torch.cat([back, ahead], dim=0)


class LooseAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask):
        query = self.q_proj(x)
        scores = torch.matmul(query, self.k_proj(x)) * (int(query.shape[1]) ** (-0.5)) + mask
        return torch.matmul(nn.functional.softmax(scores, dim=-1), x)


class LooseLocalAttention(LooseAttention):
    def forward(self, x, mask):
        scale = math.sqrt(self.head_dim)
        scores = torch.matmul(self.q_proj(x), self.k_proj(x)) / scale + mask
        return torch.matmul(nn.functional.softmax(scores, dim=-1), x)


class LoosePart(PreTrainedModel):
    def __init__(self, config: LooseConfig):
        super().__init__(config)
        self.positions = LoosePositionEmbedding(config)
        self.attn = LooseAttention(config)
        self.local = LooseLocalAttention(config)

    def forward(self, x):
        mask_function = create_causal_mask if self.config.is_decoder else create_bidirectional_mask
        mask = mask_function(config=self.config, inputs_embeds=x)
        return self.local(self.attn(self.positions(x), mask), mask)


class LooseModel(PreTrainedModel):
    def __init__(self, config: LooseConfig):
        if hasattr(config, "outer_config") and config.outer_config is not None:
            outer_config = config.outer_config
            if isinstance(outer_config, dict):
                outer_config = LooseConfig(**outer_config)
            config = outer_config
        super().__init__(config)
        self.part = LoosePart(config.part_config)


class LooseMixer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x):
        return self.gate(x)


class LooseSoftmaxAttention(LooseAttention):
    def forward(self, x, mask):
        scores = torch.matmul(self.q_proj(x), self.k_proj(x)) / math.sqrt(self.head_dim) + mask
        return torch.matmul(nn.Softmax(dim=-1)(scores), x)


MIXERS = {"linear": LooseMixer, "full": LooseSoftmaxAttention}


class LooseMixedLayer(nn.Module):
    def __init__(self, config, layer_idx):
        super().__init__()
        self.kind = config.layer_types[layer_idx]
        self.mixer = MIXERS[self.kind](config)


class LooseMixedModel(PreTrainedModel):
    def __init__(self, config: LooseMixedConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([LooseMixedLayer(config, i) for i in range(config.num_hidden_layers)])


class LooseHashedAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.width = config.hidden_size

    def forward(self, x):
        return hashed(x, self.width)


class LooseHashedModel(PreTrainedModel):
    config: LooseHashedConfig

    def __init__(self, config: LooseHashedConfig):
        super().__init__(config)
        self.mixer = LooseHashedAttention(config)

    def forward(self, x):
        return self.mixer(x)
