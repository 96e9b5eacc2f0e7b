"""Configurations of encoders and decoders that exist for the tests alone."""
from ...configuration_utils import PreTrainedConfig


class DuoConfig(PreTrainedConfig):
    model_type = "duo"
    hidden_size: int = 32
    num_attention_heads: int = 4


class StackConfig(PreTrainedConfig):
    model_type = "duo_stack"
    hidden_size: int = 32
    num_attention_heads: int = 4
