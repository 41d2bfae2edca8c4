"""bough writes sentences in the order it finds best: as binary trees.

>>> import bough
>>> m = bough.load("english")
>>> sentence = m.generate(seed=1)
>>> len(sentence.tree) == len(sentence.tokens)
True

`load` gives a model, which generates, completes, reorders, translates and scores; `metrics` scores
text; `train` learns a model; `Oracle` says what is right at each slot of a tree under way. Options
are the command line's, by name with underscores: `help(bough.Model.generate)`,
`bough.options("generate")`, docs/options.md.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _openmp  # first: it looks at the machine meanwhile
from . import _bough, errors, metrics, results
from ._bough import Oracle, Sentence, Tagger, Trajectory, Tree, Walk
from .errors import DataError, Error, Interrupted, RunError, UnmetError, UsageError
from .model import Model
from .results import Epoch, Insertion, MetricScore, Score, ValidAction, WordScore

if TYPE_CHECKING:
    from typing import Unpack

    from .keywords import TrainOptions

__version__: str = _bough.version

__all__ = [
    "DataError", "Epoch", "Error", "Insertion", "Interrupted", "MetricScore", "Model", "Oracle",
    "RunError", "Score", "Sentence", "Tagger", "Trajectory", "Tree", "UnmetError", "UsageError",
    "ValidAction", "Walk", "WordScore", "convert_authors", "load", "metrics", "models", "options",
    "train",
]

_openmp.set_up()


def load(name: str | os.PathLike[str], *, device: str = "cpu", precision: str | None = None,
         threads: int = 0) -> Model:
    """Loads a model: its folder, or the name of one that comes with bough.

    `precision` is float or int8; unless set, what the model is kept in. `threads` are
    those of the whole process; 0: all cores.

    >>> bough.load("order").task
    'reorder'
    >>> bough.load("nowhere")
    Traceback (most recent call last):
    bough.errors.DataError: there is no model folder 'nowhere', and no shipped model of that name; \
there are english, german-english, order
    """
    return Model(name, device=device, precision=precision, threads=threads)


def models() -> list[str]:
    """The names of the models that come with bough.

    >>> bough.models()
    ['english', 'german-english', 'order']
    """
    from . import _bough_nn

    return _bough_nn.shipped_model_names()


def options(verb: str) -> list[dict[str, Any]]:
    """What a verb takes (generate, complete, reorder, translate, score, train, metrics, oracle): of
    each option its name, kind, default, what is allowed, and what it does.

    >>> [o["default"] for o in bough.options("generate") if o["name"] == "temperature"]
    [1.0]
    """
    return _bough.options(verb)


def train(*, out: str | os.PathLike[str], on_epoch: Callable[[Epoch], Any] | None = None,
          on_note: Callable[[str], Any] | None = None, device: str = "cpu", threads: int = 0,
          **options: Unpack[TrainOptions]) -> Model:
    """Learns a model from sentences by the options of `bough train`, and loads it.

    `on_epoch` is called with an `Epoch` after each; `on_note` with what else there is to say.
    Ctrl-C stops the run after the update under way and saves it: `resume=True` goes on with it. So
    does an error in a callback.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> lines = Path(folder.name) / "train.txt"
    >>> _ = lines.write_text("the dog barks\\na cat sleeps\\n" * 20)
    >>> m = bough.train(train=lines, out=Path(folder.name) / "model", epochs=2, layers=1,
    ...                 hidden_size=16, embedding_size=8, batch_size=8, samples=0,
    ...                 on_epoch=lambda epoch: print(epoch.epoch, epoch.update))
    1 5
    2 10
    >>> m.vocabulary_size
    11
    """
    from . import _bough_nn

    def take_epoch(fields: dict[str, Any]) -> None:
        if on_epoch is not None:
            on_epoch(Epoch(**fields))

    given: dict[str, Any] = {**options, "out": out}
    _bough_nn.train(given, take_epoch, on_note, device, threads)
    return load(out, device=device, threads=threads)


def convert_authors(state_dict: Mapping[str, Any] | str | os.PathLike[str],
                    vocabulary: Mapping[str, int] | Sequence[str] | os.PathLike[str],
                    options: Mapping[str, Any] | str | os.PathLike[str],
                    out: str | os.PathLike[str], *, codes: str | os.PathLike[str] | None = None,
                    force: bool = False, **text: Any) -> Model:
    """Makes a model of an LSTM of the paper authors' own program, and loads it: `bough import`.

    `state_dict` are its weights by its names, as arrays or tensors, or a safetensors file;
    `vocabulary` its `tok2i` or its words in the order of ids, or a file of either; `options` its
    `model_config`, or the file. `codes` is a file of byte-pair codes. How lines become words is
    told by `tokenizer`, `pretokenized` and `lowercase`.
    """
    from . import _bough_nn

    with tempfile.TemporaryDirectory() as folder:
        if isinstance(state_dict, (str, os.PathLike)):
            weights = os.fspath(state_dict)
        else:
            weights = os.path.join(folder, "state_dict")
            _bough.write_weights(weights, {name: _numbers(one) for name, one in state_dict.items()})
        if isinstance(vocabulary, (str, os.PathLike)):
            words = os.fspath(vocabulary)
        else:
            words = os.path.join(folder, "vocabulary.json")
            Path(words).write_text(json.dumps(vocabulary))
        if isinstance(options, (str, os.PathLike)):
            config = json.loads(Path(options).read_text())
        else:
            config = dict(options)
        _bough_nn.import_authors(weights, words, config, os.fspath(out), os.fspath(codes or ""),
                                 force, text)
    return load(out)


def _numbers(weight: Any) -> Any:
    """A tensor that gradients are known of isn't an array before it is detached."""
    return weight.detach().cpu().numpy() if hasattr(weight, "detach") else weight
