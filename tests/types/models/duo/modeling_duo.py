"""Encoders and decoders of the fixture: a decoder that makes the mask of its cross-attention, too, and one class that is
either; never imported, only read."""
import torch
from torch import nn

from ...masking_utils import create_bidirectional_mask, create_causal_mask
from ...modeling_utils import GradientCheckpointingLayer, PreTrainedModel
from .configuration_duo import DuoConfig, StackConfig


class DuoAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, is_decoder=False, is_causal=False):
        super().__init__()
        self.is_decoder = is_decoder
        self.is_causal = is_causal
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, attention_mask=None, key_value_states=None):
        scores = torch.matmul(self.q_proj(x) * self.scaling, self.k_proj(x)) + attention_mask
        return torch.matmul(nn.functional.softmax(scores, dim=-1), x)


class DuoEncoderLayer(GradientCheckpointingLayer):
    def __init__(self, config: DuoConfig):
        super().__init__()
        self.self_attn = DuoAttention(config.hidden_size, config.num_attention_heads)


class DuoDecoderLayer(GradientCheckpointingLayer):
    def __init__(self, config: DuoConfig):
        super().__init__()
        self.self_attn = DuoAttention(config.hidden_size, config.num_attention_heads, is_decoder=True)


class DuoEncoder(PreTrainedModel):
    def __init__(self, config: DuoConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([DuoEncoderLayer(config) for _ in range(2)])

    def forward(self, x):
        mask = create_bidirectional_mask(config=self.config, inputs_embeds=x)
        return [layer(x, mask) for layer in self.layers]


class DuoDecoder(PreTrainedModel):
    def __init__(self, config: DuoConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([DuoDecoderLayer(config) for _ in range(2)])

    def forward(self, x, encoder_hidden_states):
        mask = create_causal_mask(config=self.config, inputs_embeds=x)
        across = create_bidirectional_mask(
            config=self.config, inputs_embeds=x, encoder_hidden_states=encoder_hidden_states
        )
        return [layer(x, mask, encoder_hidden_states, across) for layer in self.layers]


class DuoModel(PreTrainedModel):
    def __init__(self, config: DuoConfig):
        super().__init__(config)
        self.encoder = DuoEncoder(config)
        self.decoder = DuoDecoder(config)


class StackLayer(GradientCheckpointingLayer):
    def __init__(self, config: StackConfig, is_decoder=False):
        super().__init__()
        self.self_attn = DuoAttention(
            config.hidden_size, config.num_attention_heads, is_decoder=is_decoder, is_causal=is_decoder
        )


class Stack(PreTrainedModel):
    def __init__(self, config: StackConfig, is_decoder=False):
        super().__init__(config)
        self.is_decoder = is_decoder
        self.layers = nn.ModuleList([StackLayer(config, is_decoder) for _ in range(2)])

    def forward(self, x, encoder_hidden_states=None):
        if self.config.is_decoder:
            mask = create_causal_mask(config=self.config, inputs_embeds=x)
        else:
            mask = create_bidirectional_mask(config=self.config, inputs_embeds=x)
        across = None
        if self.is_decoder and encoder_hidden_states is not None:
            across = create_bidirectional_mask(
                config=self.config, inputs_embeds=x, encoder_hidden_states=encoder_hidden_states
            )
        return [layer(x, mask, encoder_hidden_states, across) for layer in self.layers]


class StackModel(PreTrainedModel):
    def __init__(self, config: StackConfig):
        super().__init__(config)
        self.encoder = Stack(config)
        self.decoder = Stack(config, is_decoder=True)
