"""Layers of several kinds: what an attribute is made twice, under an if, by `A if TEST else B`, and of two classes under either of
opposite tests; a delta rule behind a short convolution, a convolution alone, a scan whose output is gated with or without a norm, and
attentions whose outputs are gated; never imported, only read."""
import torch
from torch import nn

from ...modeling_utils import GradientCheckpointingLayer, PreTrainedModel
from .configuration_mixed import MixedConfig


def l2norm(x, eps=1e-5):
    return x * torch.rsqrt((x * x).sum(-1) + eps)


class MixedAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x):
        scores = torch.matmul(self.q_proj(x), x) / self.head_dim**0.5
        return torch.matmul(nn.functional.softmax(scores, dim=-1), x)


class MixedWindowAttention(MixedAttention):
    pass


class MixedDelta(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_v_heads = config.linear_heads
        self.num_k_heads = config.linear_key_heads
        self.head_k_dim = config.linear_width
        self.head_v_dim = 2 * config.linear_width
        self.doubled = config.doubled
        self.lower_bound = config.lowest
        self.channels = 24 * config.linear_width
        self.conv1d = nn.Conv1d(self.channels, self.channels, kernel_size=config.kernel, groups=self.channels, bias=False)
        self.activation = config.hidden_act

    def forward(self, x, cache):
        x = causal_conv1d_fn(cache.update_conv_state(x, 0), self.conv1d.weight, None, activation=self.activation)
        beta = self.b_proj(x).sigmoid()
        if self.doubled:
            beta = beta * 2.0
        decay = -self.A_log.exp() * nn.functional.softplus(self.a_proj(x))
        if self.lower_bound is not None:
            decay = self.lower_bound * torch.sigmoid(self.a_proj(x))
        x, state = chunk_gated_delta_rule(x, x, x, g=decay, beta=beta, use_qk_l2norm_in_kernel=True)
        cache.update_recurrent_state(state, 0)
        return x


def mixed_chunk_scan(x, dt, A, B, C, D=None, dt_bias=None, dt_softplus=False, dt_limit=(0.0, float("inf"))):
    dt = dt + dt_bias
    dt = torch.clamp(dt, min=dt_limit[0], max=dt_limit[1])
    if dt_softplus:
        dt = nn.functional.softplus(dt)
    return x * dt, x


class MixedNorm(nn.Module):
    def __init__(self, norm_first=True):
        super().__init__()
        self.norm_first = norm_first

    def forward(self, x, gate=None):
        if not self.norm_first and gate is not None:
            x = x * nn.functional.silu(gate)
        x = x * torch.rsqrt((x * x).mean(-1))
        if self.norm_first and gate is not None:
            x = x * nn.functional.silu(gate)
        return x


class MixedScan(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.linear_heads
        self.n_groups = config.linear_key_heads
        self.ssm_state_size = config.linear_width
        self.head_dim = 2 * config.linear_width
        self.limit = config.scan_limit
        self.normed = config.normed
        self.norm = MixedNorm(norm_first=config.norm_first) if config.normed else nn.Identity()

    def forward(self, x, cache):
        gate, dt = self.in_proj(x)
        A = -torch.exp(self.A_log.float())
        y, state = mixed_chunk_scan(x, dt, A, x, x, D=self.D, dt_bias=self.dt_bias, dt_softplus=True, dt_limit=self.limit)
        cache.update_recurrent_state(state, 0)
        if self.normed:
            y = self.norm(y, gate)
        else:
            y = y * nn.functional.silu(gate)
        return y


class MixedGatedProjection(nn.Module):
    def __init__(self, config):
        super().__init__()
        size = config.num_attention_heads * 8
        self.gate_proj = nn.Linear(config.hidden_size, size)

    def forward(self, out, x):
        return out * torch.sigmoid(self.gate_proj(x)).view_as(out)


class MixedGatedAttention(MixedAttention):
    """A gate on the output; what scales the queries is none, nor is a trained factor of the output."""

    def __init__(self, config):
        super().__init__(config)
        width = config.num_attention_heads if config.gate_heads else config.num_attention_heads * self.head_dim
        self.g_proj = nn.Linear(config.hidden_size, width) if config.gated else None
        self.factor = nn.Parameter(torch.ones(1))

    def forward(self, x):
        q = self.q_proj(x) * torch.sigmoid(self.temperature(x))
        weights = nn.functional.softmax(torch.matmul(q, x) / self.head_dim**0.5, dim=-1)
        out = torch.matmul(weights, x) * torch.tanh(self.factor)
        if self.g_proj is not None:
            gate = self.g_proj(x).to(out.dtype)
            out = out * gate.sigmoid().unsqueeze(-1)
        return self.o_proj(out)


class MixedProjectedAttention(MixedAttention):
    def __init__(self, config):
        super().__init__(config)
        self.output = MixedGatedProjection(config)

    def forward(self, x):
        weights = nn.functional.softmax(torch.matmul(self.q_proj(x), x) / self.head_dim**0.5, dim=-1)
        return self.output(torch.matmul(weights, x), x)


class MixedConv(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.conv = nn.Conv1d(config.hidden_size, config.hidden_size, kernel_size=3, groups=config.hidden_size)

    def forward(self, x, cache):
        return causal_conv1d_fn(cache.update_conv_state(x, 0), self.conv.weight, self.conv.bias)


class MixedHolder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.held = MixedAttention(config)
        self.tabled = MixedWindowAttention(config) if config.tables else None


class MixedStrange(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.width = config.hidden_size

    def forward(self, x, cache):
        return cache.update_recurrent_state(x * self.width, 0)


class MixedLayer(GradientCheckpointingLayer):
    def __init__(self, config: MixedConfig, layer_idx: int):
        super().__init__()
        self.mixer = MixedAttention(config)
        self.kind = config.layer_types[layer_idx]
        if self.kind == "delta":
            self.mixer = MixedDelta(config)
        elif self.kind == "window":
            self.mixer = MixedWindowAttention(config)
        elif self.kind == "conv":
            self.mixer = MixedConv(config)
        else:
            self.mixer = MixedAttention(config)
        self.scan = MixedScan(config)
        self.gated = MixedGatedAttention(config)
        self.projected = MixedProjectedAttention(config)
        self.beside = MixedStrange(config) if config.wide else None
        if config.wide:
            self.both = MixedHolder(config)
        else:
            self.both = MixedHolder(config)


class MixedModel(PreTrainedModel):
    def __init__(self, config: MixedConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([MixedLayer(config, i) for i in range(config.num_hidden_layers)])
        self.position_embeddings = nn.Parameter(torch.zeros(9, 32)) if config.tables else None
