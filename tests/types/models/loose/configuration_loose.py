"""A configuration with a part that exists for the tests alone."""
from ...configuration_utils import PreTrainedConfig


class LoosePartConfig(PreTrainedConfig):
    model_type = "loose_part"
    hidden_size: int = 32
    num_attention_heads: int = 4
    is_decoder: bool = False


class LooseConfig(PreTrainedConfig):
    model_type = "loose"
    sub_configs = {"part_config": LoosePartConfig}
    part_config: dict | None = None
    hidden_size: int = 64
    num_attention_heads: int = 8


class LooseMixedConfig(PreTrainedConfig):
    model_type = "loose_mixed"
    hidden_size: int = 32
    num_attention_heads: int = 4
    num_hidden_layers: int = 2
    layer_types: tuple = ("linear", "full")


class LooseFlatConfig(PreTrainedConfig):
    """A file without the part has the part's keys around it; and an attention that nothing here shows to attend."""
    model_type = "loose_flat"
    sub_configs = {"part_config": LoosePartConfig}
    part_config: dict | None = None

    def __post_init__(self, **kwargs):
        if self.part_config is None:
            self.part_config = {key: kwargs.pop(key) for key in ("hidden_size", "num_attention_heads") if key in kwargs}
        super().__post_init__(**kwargs)


class LooseHashedConfig(PreTrainedConfig):
    model_type = "loose_hashed"
    hidden_size: int = 32
