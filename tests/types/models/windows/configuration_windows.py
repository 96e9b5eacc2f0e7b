"""Configurations of models that attend within windows of an image, for the tests alone."""
from ...configuration_utils import PreTrainedConfig


class CutConfig(PreTrainedConfig):
    model_type = "windows_cut"
    hidden_size: int = 32
    num_attention_heads: int = 4
    num_hidden_layers: int = 4
    window_size: int = 6
    global_layers: tuple = (1, 3)

    def __post_init__(self, **kwargs):
        rest = list(self.global_layers)
        rest.remove(1)
        self.window_layers = rest  # No rule: what a list is after it was changed is not followed.


class MergedConfig(PreTrainedConfig):
    model_type = "windows_merged"
    hidden_size: int = 32
    num_attention_heads: int = 4
    num_hidden_layers: int = 4
    windows_a_side: int = 3
    window_layers: tuple = (0, 2)


class EndsConfig(PreTrainedConfig):
    model_type = "windows_ends"
    hidden_size: int = 32
    num_attention_heads: int = 4
    num_hidden_layers: int = 4
    window_size: int = 48
    patch_size: int = 4
    merge: int = 2
    whole_layers: tuple = (3,)
