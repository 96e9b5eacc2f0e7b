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


class LooseKindsConfig(PreTrainedConfig):
    """Rotary parameters for each kind of layers, of which one key is popped twice and one dictionary is said of one kind."""
    model_type = "loose_kinds"
    default_theta = {"far": 8000.0, "near": 100.0}
    rope_parameters: dict | None = None
    hidden_size: int = 32

    def convert_rope_params_to_dict(self, **kwargs):
        scaling = kwargs.pop("rope_scaling", None)
        if scaling is not None:
            self.rope_parameters["full"].update(scaling)
        self.rope_parameters["full"].setdefault("rope_theta", kwargs.pop("rope_theta", self.default_theta["far"]))
        self.rope_parameters["near"].setdefault("rope_theta", kwargs.pop("near_theta", self.default_theta["near"]))
        self.rope_parameters["third"].setdefault("rope_theta", kwargs.pop("rope_theta", self.default_theta["near"]))
        return kwargs


class LooseWholeConfig(PreTrainedConfig):
    """Parts that a file does not have: one with keys of its own then, which it gets beside what a file says, and one that is not
    there."""
    model_type = "loose_whole"
    sub_configs_defaults = {
        "part_config": SubConfigSpec(config_class=LoosePartConfig, init_kwargs={"hidden_size": 48, "num_attention_heads": 3}),
        "other_config": SubConfigSpec(config_class=LoosePartConfig, optional=True),
        "third_config": SubConfigSpec(config_class=AutoConfig, model_type="loose_part", init_kwargs={"hidden_size": 16}),
    }
    part_config: dict | None = None
    other_config: dict | None = None
    third_config: dict | None = None

    def __post_init__(self, **kwargs):
        if isinstance(self.part_config, dict):
            self.part_config = {**self.sub_configs_defaults["part_config"].init_kwargs, **self.part_config}
        super().__post_init__(**kwargs)
