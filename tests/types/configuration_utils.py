"""A base class as small as the table's program needs; no part of a library."""
_OLDER_NAMES = {
    "every": "full",
    "near": "window",
}


def newer_names(kinds=None, config=None):
    if kinds is not None:
        return [_OLDER_NAMES.get(k, k) for k in kinds]
    if getattr(config, "layer_types", None) is not None:
        config.layer_types = newer_names(config.layer_types)


class PreTrainedConfig:
    default_theta = 10000.0

    def __post_init__(self, **kwargs):
        newer_names(config=self)
