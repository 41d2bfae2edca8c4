"""What computes with tensors. It is imported when a model is asked for: LibTorch takes half a second
to load, and metrics and trees do without."""

from __future__ import annotations

from pathlib import Path

from . import _bough_nn as extension

_MODELS = str(Path(__file__).parent / "models")


def load(name: str, device: str, precision: str | None, threads: int) -> extension.Model:
    return extension.Model(name, _MODELS, device, precision or "", threads)


def names() -> list[str]:
    return extension.shipped_model_names(_MODELS)
