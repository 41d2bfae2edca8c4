"""Scores of text, as `bough eval` computes them; the same numbers as the reference
implementations' (docs/metrics.md).

Every function takes hypotheses, references and `bough eval`'s options by name, with underscores.
References are a list of texts, or, where each hypothesis has several, a list of such lists
(`refs[r][line]`, as sacreBLEU has them).

>>> import bough
>>> score = bough.metrics.bleu(["the cat sat on the mat ."], ["the cat sat on a mat ."])
>>> score.name, round(score.score, 2)
('BLEU', 48.89)
>>> bough.metrics.bleu(["a b c d", "e f g h"], ["a b c d", "e f g x"], sentence=True).sentences
array([100.        ,  59.46035575])
>>> bough.metrics.names()
['bleu', 'chrf', 'chrf++', 'ter', 'ribes', 'meteor', 'yisi0', 'yisi1', 'f1', 'em', 'edit']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _bough
from .results import MetricScore

if TYPE_CHECKING:
    from typing import TypeAlias, Unpack

    from .keywords import MetricOptions

    References: TypeAlias = Sequence[str] | Sequence[Sequence[str]]

__all__ = ["bleu", "chrf", "chrfpp", "ter", "ribes", "meteor", "yisi0", "yisi1", "f1", "em",
           "edit", "evaluate", "names"]


def names() -> list[str]:
    """The metrics that `evaluate` takes."""
    return _bough.metric_names()


def evaluate(metric: str, hyps: Iterable[str], refs: References, *, sentence: bool = False,
             **options: Unpack[MetricOptions]) -> MetricScore:
    """Scores a text by a metric's name; with `sentence=True` each of its sentences, too.

    >>> round(bough.metrics.evaluate("ter", ["a b c"], ["a c c"], ter_normalized=True).score, 2)
    33.33
    """
    hyps = _texts(hyps)
    refs = _references(refs)
    name, score, signature = _bough.evaluate(metric, hyps, refs, options)
    each = _bough.evaluate_sentences(metric, hyps, refs, options) if sentence else None
    return MetricScore(name, score, signature, each)


def _texts(texts: Iterable[Any]) -> Sequence[Any]:
    """As something that can be gone through twice."""
    return texts if isinstance(texts, (list, tuple, str)) else list(texts)


def _references(refs: Iterable[Any]) -> list[Any]:
    if isinstance(refs, str):
        raise TypeError("references takes a list of str, or a list of such lists, not a str")
    given = _texts(refs)
    return [given] if not given or isinstance(given[0], str) else [_texts(one) for one in given]


def bleu(hyps: Iterable[str], refs: References, *, sentence: bool = False,
         **options: Unpack[MetricOptions]) -> MetricScore:
    """BLEU of one to four words, as sacreBLEU computes it; see `evaluate`.

    >>> round(bough.metrics.bleu(["a b c d e"], ["a b c d f"], tokenize="none").score, 2)
    66.87
    """
    return evaluate("bleu", hyps, refs, sentence=sentence, **options)


def chrf(hyps: Iterable[str], refs: References, *, sentence: bool = False,
         **options: Unpack[MetricOptions]) -> MetricScore:
    """ChrF: n-grams of characters; see `evaluate`.

    >>> bough.metrics.chrf(["hello"], ["hello"]).score
    100.0
    """
    return evaluate("chrf", hyps, refs, sentence=sentence, **options)


def chrfpp(hyps: Iterable[str], refs: References, *, sentence: bool = False,
           **options: Unpack[MetricOptions]) -> MetricScore:
    """ChrF++: n-grams of characters and of up to two words; see `evaluate`.

    >>> bough.metrics.chrfpp(["hello there"], ["hello there"]).name
    'chrF2++'
    """
    return evaluate("chrf++", hyps, refs, sentence=sentence, **options)


def ter(hyps: Iterable[str], refs: References, *, sentence: bool = False,
        **options: Unpack[MetricOptions]) -> MetricScore:
    """TER, the edits and shifts that make a hypothesis a reference; lower is better; see `evaluate`.

    >>> bough.metrics.ter(["b c a"], ["a b c"]).score  # one shift, three words
    33.33333333333333
    """
    return evaluate("ter", hyps, refs, sentence=sentence, **options)


def ribes(hyps: Iterable[str], refs: References, *, sentence: bool = False,
          **options: Unpack[MetricOptions]) -> MetricScore:
    """RIBES, by the order of words; see `evaluate`.

    >>> bough.metrics.ribes(["a b c d"], ["a b c d"]).score
    1.0
    """
    return evaluate("ribes", hyps, refs, sentence=sentence, **options)


def meteor(hyps: Iterable[str], refs: References, *, sentence: bool = False,
           **options: Unpack[MetricOptions]) -> MetricScore:
    """METEOR, by words, their stems and their synonyms in WordNet; see `evaluate`.

    >>> bough.metrics.meteor(["the cats sleep"], ["the cat sleeps"]).score > 0.5
    True
    """
    return evaluate("meteor", hyps, refs, sentence=sentence, **options)


def yisi0(hyps: Iterable[str], refs: References, *, sentence: bool = False,
          **options: Unpack[MetricOptions]) -> MetricScore:
    """YiSi-0, by how much words look alike; see `evaluate`.

    >>> bough.metrics.yisi0(["a cat"], ["a cat"]).score
    1.0
    """
    return evaluate("yisi0", hyps, refs, sentence=sentence, **options)


def yisi1(hyps: Iterable[str], refs: References, *, sentence: bool = False,
          **options: Unpack[MetricOptions]) -> MetricScore:
    """YiSi-1, by vectors of words: `yisi_vectors=FILE`; see `evaluate`.

    >>> bough.metrics.yisi1(["a cat"], ["a cat"])
    Traceback (most recent call last):
    bough.errors.UsageError: yisi1 needs --yisi-vectors FILE, or take yisi0, which needs none
    """
    return evaluate("yisi1", hyps, refs, sentence=sentence, **options)


def f1(hyps: Iterable[str], refs: References, *, sentence: bool = False,
       **options: Unpack[MetricOptions]) -> MetricScore:
    """F1 of the words, in whatever order; see `evaluate`.

    >>> bough.metrics.f1(["c a b"], ["a b c"]).score
    1.0
    """
    return evaluate("f1", hyps, refs, sentence=sentence, **options)


def em(hyps: Iterable[str], refs: References, *, sentence: bool = False,
       **options: Unpack[MetricOptions]) -> MetricScore:
    """The share of sentences that are exactly right; see `evaluate`.

    >>> bough.metrics.em(["a b", "c"], ["a b", "d"]).score
    0.5
    """
    return evaluate("em", hyps, refs, sentence=sentence, **options)


def edit(hyps: Iterable[str], refs: References, *, sentence: bool = False,
         **options: Unpack[MetricOptions]) -> MetricScore:
    """The edits of words that make a hypothesis a reference; lower is better; see `evaluate`.

    >>> bough.metrics.edit(["a b c"], ["a c"]).score
    1.0
    """
    return evaluate("edit", hyps, refs, sentence=sentence, **options)
