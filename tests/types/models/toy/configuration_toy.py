"""Configurations of a model that exists for the tests alone: layers by rule, a window, a cap, a share that turns."""
from ...configuration_utils import PreTrainedConfig


class ToyTextConfig(PreTrainedConfig):
    model_type = "toy_text"
    attribute_map = {"hidden_size": "width"}
    default_theta = 50000.0
    width: int = 96
    num_attention_heads: int = 6
    num_key_value_heads: int | None = None
    head_dim: int | None = None
    num_hidden_layers: int = 5
    sliding_window: int | None = 32
    layer_types: list | None = None
    score_cap: float | None = 20.0
    scalar: int = 64
    use_qk_norm: bool = True
    rope_parameters: dict | None = None
    vocab_size: int = 7

    def __post_init__(self, **kwargs):
        if self.num_key_value_heads is None:
            self.num_key_value_heads = self.num_attention_heads // 2
        if self.head_dim is None:
            self.head_dim = self.hidden_size // self.num_attention_heads
        every = kwargs.get("full_every", 3)
        if self.layer_types is None:
            self.layer_types = [
                "full_attention" if not (i + 1) % every else "sliding_attention" for i in range(self.num_hidden_layers)
            ]
        kwargs.setdefault("partial_rotary_factor", 0.5)
        super().__post_init__(**kwargs)


class ToyVisionConfig(PreTrainedConfig):
    model_type = "toy_vision"
    embed_dim: int = 64
    depth_heads: int = 4
    image_size: int = 8
    patch_size: int = 2


class ToyConfig(PreTrainedConfig):
    model_type = "toy"
    sub_configs = {"text_config": ToyTextConfig, "vision_config": ToyVisionConfig}
