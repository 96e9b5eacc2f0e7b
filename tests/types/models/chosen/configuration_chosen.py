"""Configurations of attentions that see selected keys, which exist for the tests alone."""
from ...configuration_utils import PreTrainedConfig


class ChosenTextConfig(PreTrainedConfig):
    model_type = "chosen_text"
    default_theta = 10000.0
    hidden_size: int = 64
    num_attention_heads: int = 4
    num_hidden_layers: int = 4
    head_dim: int = 16
    pick_most: int = 6
    pick_heads: int = 2
    pick_width: int = 12
    pick_turns: int = 4
    pickers: list[str] | None = None
    rope_parameters: dict | None = None

    def __post_init__(self, **kwargs):
        if self.pickers is None:
            self.pickers = ["own" if i % 2 == 0 else "shared" for i in range(self.num_hidden_layers)]


class ChosenBlocksConfig(PreTrainedConfig):
    model_type = "chosen_blocks"
    hidden_size: int = 64
    num_attention_heads: int = 4
    head_dim: int = 16
    pick_blocks: int = 3
    pick_run: int = 8
    pick_near: int = 1
    pick_heads: int = 2
    pick_width: int = 12
