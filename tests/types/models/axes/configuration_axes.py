"""Configurations of latent attention and of turns by several positions that exist for the tests alone."""
from ...configuration_utils import PreTrainedConfig


class AxesTextConfig(PreTrainedConfig):
    model_type = "axes_text"
    default_theta = 10000.0
    hidden_size: int = 64
    num_attention_heads: int = 4
    num_hidden_layers: int = 2
    kv_lora_rank: int = 24
    q_lora_rank: int | None = 48
    qk_nope_head_dim: int = 12
    qk_rope_head_dim: int = 8
    v_head_dim: int = 16
    rope_parameters: dict | None = None


class AxesImageConfig(PreTrainedConfig):
    model_type = "axes_image"
    default_rope_type = "axial"
    default_theta = 10000.0
    hidden_size: int = 64
    num_attention_heads: int = 4
    rope_parameters: dict | None = None


class AxesWindowConfig(PreTrainedConfig):
    model_type = "axes_window"
    embed_dim: int = 32
    num_heads: int = 2
    window_size: int = 5
