"""Builds the model class of a configuration with small random weights.  No code of a repository is run and nothing is
downloaded or unpickled: the class is the library's own, and its weights come from its own initialisation."""
import json
import cut

MOST = 4e8  # parameters of a model that is built


class Refused(Exception):
    """A configuration that cannot be built, with the library's own message."""


def one_line(error):
    """An exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def config_of(said):
    """The library's configuration object of the file's keys."""
    from transformers import AutoConfig
    keys = {k: v for k, v in said.items() if k not in ("auto_map", "model_type", "transformers_version", "architectures",
                                                       "torch_dtype", "dtype", "quantization_config", "provenance")}
    try:
        return AutoConfig.for_model(said.get("model_type", ""), **keys)
    except Exception as e:
        raise Refused(one_line(e)) from e


def small_file(path):
    """(the file's object made small, what was cut).  Refused: it is no configuration that the library knows."""
    with open(path, encoding="utf-8") as f:
        said = json.load(f)
    if not isinstance(said, dict) or not isinstance(said.get("model_type"), str):
        raise Refused("no model_type in the file")
    said = {k: v for k, v in said.items() if k != "provenance"}
    whole = config_of(said)
    full = json.loads(json.dumps(whole.to_dict(), default=str))
    changes = cut.cut(full, said)
    return cut.applied(said, changes, getattr(whole, "attribute_map", {})), cut.told(full, changes)


def meta_size(config):
    """How many parameters the model of a configuration has, without memory for them."""
    import torch
    from transformers import AutoModel
    with torch.device("meta"):
        return sum(p.numel() for p in AutoModel.from_config(config).parameters())


def model_of(said, dtype, way):
    """The model of a small configuration in this element type, that attends in this way (eager, sdpa)."""
    import torch
    from transformers import AutoModel
    config = config_of(said)
    try:
        many = meta_size(config)
    except Exception as e:
        raise Refused(one_line(e)) from e
    if many > MOST:
        raise Refused(f"{many} parameters even when cut, more than {int(MOST)}")
    torch.manual_seed(1)
    try:
        return AutoModel.from_config(config, dtype=dtype, attn_implementation=way).eval()
    except Exception as e:
        raise Refused(one_line(e)) from e
