"""What calls give back, beside trees and sentences: plain values, which can be compared, copied and
pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Insertion:
    """A word that comes into a sentence under way: an event of `Model.grow`."""

    sentence: int  # which one, counted over all that were asked for
    index: int  # where it comes to stand among the words so far
    token: str
    node: int  # its number in the tree
    parent: int | None
    side: str | None  # "left" or "right" of the parent
    step: int
    logprob: float | None
    given: bool  # by a template, not chosen


@dataclass(frozen=True, slots=True)
class WordScore:
    """What a word costs: how much likelier the sentence is without it, or with another there."""

    token: str
    without: float
    other: str | None
    with_other: float


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a sentence is, in nats; docs/likelihood.md says what the numbers are.

    Of an empty text everything but `text` is 0.
    """

    text: str
    logprob: float
    bound: float  # a lower one, in expectation
    samples: int  # trees
    ess: float  # … worth so many
    low: float  # 95 % interval of logprob
    high: float
    tokens: int
    perplexity: float
    exact: bool
    unknown: int  # tokens that the model doesn't know
    by_word: list[WordScore] = field(default_factory=list)  # with by_word=True


@dataclass(frozen=True, slots=True, eq=False)
class MetricScore:
    """A text's score, with what it depends on.

    >>> import bough
    >>> score = bough.metrics.chrf(["the cat sat"], ["the cat sat down"])
    >>> print(score)
    chrF2 = 66.0
    >>> score.signature
    'nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:bough-0.2.0'
    """

    name: str
    score: float
    signature: str
    sentences: NDArray[np.float64] | None = None  # each sentence's own, with sentence=True

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        return f"{self.name} = {self.score:.1f}"


@dataclass(frozen=True, slots=True)
class Epoch:
    """How far a run is after an epoch: what `on_epoch` is called with."""

    epoch: int  # counted from 1
    update: int
    loss: float
    valid_loss: float | None
    quality: dict[str, float]  # what the model was judged by: bleu, …
    best: bool  # whether this model is kept
    beta: float
    learning_rate: float
    seconds: float  # trained, in all
    samples: list[str]


@dataclass(frozen=True, slots=True)
class ValidAction:
    """A right answer at a slot: see `Walk.valid`."""

    word: str | None  # None: <end>
    weight: float
    count: int  # places of the slot's span that it stands at
    opens_left: bool
    opens_right: bool
