"""Layers that attend within windows: cut under a test, made one again under a test, and told by the ends of windows."""
from torch import nn

from ...modeling_utils import PreTrainedModel
from .configuration_windows import CutConfig, EndsConfig, MergedConfig


class WindowAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states, cu_seqlens=None):
        keys = hidden_states.repeat(1, self.num_heads, 1, 1)
        return attention_interface(self, hidden_states, keys, keys, None, scaling=self.head_dim**-0.5)


def window_partition(hidden_states, window_size):
    return hidden_states, window_size


class CutLayer(nn.Module):
    def __init__(self, config, window_size):
        super().__init__()
        self.window_size = window_size
        self.attn = WindowAttention(config)

    def forward(self, hidden_states):
        size = self.window_size
        if self.window_size > 0:
            hidden_states, pad = window_partition(hidden_states, size)
        hidden_states = self.attn(hidden_states)
        size = self.window_size // 2
        return hidden_states


class CutModel(PreTrainedModel):
    def __init__(self, config: CutConfig):
        super().__init__(config)
        some = []
        for i in range(config.num_hidden_layers):
            layer = CutLayer(config, window_size=config.window_size if i not in config.global_layers else 0)
            some.append(layer)
        self.layers = nn.ModuleList(some)


class MergedLayer(nn.Module):
    def __init__(self, config, layer_idx):
        super().__init__()
        self.whole = layer_idx not in config.window_layers
        self.side = config.windows_a_side
        self.attn = WindowAttention(config)

    def one_sequence(self, hidden_states):
        batch, length, width = hidden_states.shape
        many = self.side**2
        return hidden_states.view(batch // many, many * length, width)

    def forward(self, hidden_states):
        if self.whole:
            hidden_states = self.one_sequence(hidden_states)
        return self.attn(hidden_states)


class MergedModel(PreTrainedModel):
    def __init__(self, config: MergedConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([MergedLayer(config, i) for i in range(config.num_hidden_layers)])


def windows_of_images(grid, merge, window_size, patch):
    side = window_size // merge // patch
    unit = merge**2
    return (grid // side) * unit


class EndsModel(PreTrainedModel):
    def __init__(self, config: EndsConfig):
        super().__init__(config)
        self.whole_layers = config.whole_layers
        self.merge, self.patch = config.merge, config.patch_size
        self.window_size = config.window_size
        self.layers = nn.ModuleList([WindowAttention(config) for _ in range(config.num_hidden_layers)])

    def forward(self, hidden_states, grid):
        ends = images(grid)
        ends_of_windows = windows_of_images(grid, merge=self.merge, window_size=self.window_size, patch=self.patch)
        for number, layer in enumerate(self.layers):
            if number in self.whole_layers:
                now = ends
            else:
                now = ends_of_windows
            hidden_states = layer(hidden_states, cu_seqlens=now)
        return hidden_states
