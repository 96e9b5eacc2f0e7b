"""The configuration of a model of several kinds of layers; never imported, only read."""
from ...configuration_utils import PreTrainedConfig, newer_names


class MixedConfig(PreTrainedConfig):
    model_type = "mixed"
    hidden_size: int = 32
    num_attention_heads: int = 4
    num_hidden_layers: int = 4
    layer_types: tuple = ("full", "delta", "conv", "window")
    linear_heads: int = 6
    linear_key_heads: int = 3
    linear_width: int = 8
    kernel: int = 4
    hidden_act: str = "silu"
    doubled: bool = True
    wide: bool = False
    tables: bool = False
    scan_limit: tuple = (0.5, float("inf"))
    normed: bool = True
    norm_first: bool = False
    gated: bool = True
    gate_heads: bool = False
    lowest: float | None = None
    extra_types: list | None = None

    def __post_init__(self, **kwargs):
        if self.extra_types is not None:
            self.extra_types = newer_names(self.extra_types)
        self.window_kinds = []
        for k in range(self.num_hidden_layers):
            near = k % 2
            if near:
                self.window_kinds.append("window")
            elif k == 2:
                self.window_kinds.append("full")
            else:
                self.window_kinds.append("delta")
        self.head_kinds = newer_names(self.extra_types or self.layer_types)
        super().__post_init__(**kwargs)
