"""A configuration that exists for the tests alone."""
from ...configuration_utils import PreTrainedConfig


class BiasedConfig(PreTrainedConfig):
    model_type = "biased"
    hidden_size: int = 32
    num_attention_heads: int = 4
