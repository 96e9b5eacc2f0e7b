"""Bases of the fixture's models."""


class PreTrainedModel:
    pass


class GradientCheckpointingLayer:
    pass
