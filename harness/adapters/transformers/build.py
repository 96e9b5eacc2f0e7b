"""Builds the model class of a configuration with small random weights.  No code of a repository is run and nothing is
downloaded or unpickled: the class is the library's own, and its weights come from its own initialisation."""
import json
import cut

MOST = 5e8  # parameters of a model that is built


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


def small_files(path):
    """(the file's object made small, what was cut), again with less cut as long as it is asked for: a class may ask of sizes
    what they do not keep when they are cut.  Refused: it is no configuration that the library knows, or it builds it in no
    size."""
    with open(path, encoding="utf-8") as f:
        said = json.load(f, object_hook=cut.number)
    if not isinstance(said, dict) or not isinstance(said.get("model_type"), str):
        raise Refused("no model_type in the file")
    said = {k: v for k, v in said.items() if k != "provenance"}
    whole = config_of(said)
    full = json.loads(json.dumps(whole.to_dict(), default=str))
    first, any_built, seen = None, False, []
    for what in cut.LESS:
        changes = cut.cut(full, said, what)
        if changes in seen:
            continue
        seen.append(changes)
        small = cut.applied(said, changes, getattr(whole, "attribute_map", {}))
        try:
            sized(config_of(small))
        except Refused as e:
            first = first or e
            continue
        any_built = True
        yield small, cut.told(full, changes)
    if not any_built:
        raise first


def class_of(config):
    """The library's class for a configuration: its base model, else the first class of its modeling module that has this
    kind of configuration.  Refused: there is none."""
    import importlib
    from transformers import MODEL_MAPPING, PreTrainedModel
    if type(config) in MODEL_MAPPING:
        found = MODEL_MAPPING[type(config)]
        return found[0] if isinstance(found, (list, tuple)) else found
    name = type(config).__module__.replace(".configuration_", ".modeling_")
    try:
        module = importlib.import_module(name)
    except ImportError as e:
        raise Refused(one_line(e)) from e
    classes = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, PreTrainedModel)
               and getattr(c, "config_class", None) is type(config) and c.__module__ == name]
    if not classes:
        raise Refused(f"{name} has no class for {type(config).__name__}")
    return next((c for c in classes if c.__name__.endswith("Model") and "PreTrained" not in c.__name__), classes[-1])


def sized(config):
    """Builds the model of a configuration without memory for its parameters.  Refused: it cannot be built, or is too large."""
    import torch
    try:
        with torch.device("meta"):
            many = sum(p.numel() for p in class_of(config)._from_config(config).parameters())
    except Exception as e:
        raise e if isinstance(e, Refused) else Refused(one_line(e)) from e
    if many > MOST:
        raise Refused(f"{many} parameters even when cut, more than {int(MOST)}")


def model_of(said, dtype, way):
    """The model of a small configuration in this element type, that attends in this way (eager, sdpa)."""
    import torch
    config = config_of(said)
    torch.manual_seed(1)
    try:
        return class_of(config)._from_config(config, dtype=dtype, attn_implementation=way).eval()
    except Exception as e:
        raise Refused(one_line(e)) from e
