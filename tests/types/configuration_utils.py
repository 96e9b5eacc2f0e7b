"""A base class as small as the table's program needs; no part of a library."""


class PreTrainedConfig:
    default_theta = 10000.0
