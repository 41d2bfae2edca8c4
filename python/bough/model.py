"""Models: what they write, and how likely they find what others wrote.

Options are the command line's, by name with underscores (docs/options.md); so are their defaults
and the words of complaint. The same options give the same sentences as there.
"""

import atexit
import json
import os
import weakref

from . import _bough, metrics
from .results import Score, WordScore

# Threads that write must not outlive the interpreter.
_growing = weakref.WeakSet()


@atexit.register
def _close_all():
    for growth in list(_growing):
        growth.close()


class Model:
    """A model that is loaded; `bough.load` gives one. It doesn't change: threads may share it.

    Each verb takes one text, or a list of them. One text gives one sentence, a list gives a list;
    where `n` or `nbest` asks for several of each, there is a list in the place of each sentence.

    >>> import bough
    >>> m = bough.load("english")
    >>> m
    <Model 'english': lm, 10,005 words, 5.5 million parameters>
    """

    def __init__(self, name, *, device="cpu", precision=None, threads=0):
        from . import _bough_nn

        self._loaded = (os.fspath(name), device, precision, threads)
        self._model = _bough_nn.Model(self._loaded[0], device, precision or "", threads)

    @property
    def folder(self):
        """Where it is."""
        return self._model.folder

    @property
    def task(self):
        """What it was trained for: lm, reorder or translate."""
        return self._model.task

    @property
    def vocabulary_size(self):
        """Words, or pieces of words, that it knows."""
        return self._model.vocabulary_size

    @property
    def parameter_count(self):
        """Numbers that it has learned."""
        return self._model.parameter_count

    @property
    def config(self):
        """How it was made: config.json."""
        return json.loads(self._model.config())

    @property
    def metrics(self):
        """bough.metrics."""
        return metrics

    def generate(self, n=None, *, nbest=None, **options):
        """Writes a sentence, or `n` of them: `bough generate`.

        >>> sentence = m.generate(seed=3, max_length=12)
        >>> len(sentence.tokens) <= 12
        True
        >>> [s.text == str(s) for s in m.generate(3, seed=1, top_k=40)]
        [True, True, True]
        """
        return self._write("generate", None, n, nbest, options)

    def complete(self, template=None, *, n=None, nbest=None, **options):
        """Writes around words that are given, in a template or as `must`: `bough complete`.

        What is asked for is always met.

        >>> three = m.complete("Tom <blank:1-4> because he was ___ .", n=3)
        >>> [s.text.startswith("Tom ") and s.text.endswith(".") for s in three]
        [True, True, True]
        >>> sentence = m.complete(must=["coffee", "morning"], length=9)
        >>> len(sentence.tokens), {"coffee", "morning"} <= set(sentence.tokens)
        (9, True)
        """
        return self._write("complete", template, n, nbest, options)

    def reorder(self, bag, *, nbest=None, **options):
        """Puts the words of a bag in order: `bough reorder`.

        >>> order = bough.load("order")
        >>> sentence = order.reorder("guitar . the I play", exact=True)
        >>> sorted(sentence.tokens)
        ['I', 'guitar', 'play', 'the', '￭.']
        >>> len(order.reorder(["is he here", "a dog barks"], nbest=2, beam_size=4)[1])
        2
        """
        return self._write("reorder", bag, None, nbest, options)

    def translate(self, source, *, nbest=None, **options):
        """Translates: `bough translate`.

        >>> german = bough.load("german-english")
        >>> german.translate("Ich habe keine Zeit.", beam_size=5).text.endswith(" time.")
        True
        """
        return self._write("translate", source, None, nbest, options)

    def score(self, text, *, source=None, **options):
        """Says how likely a sentence is, over all orders it can be written in: `bough score`.

        `source` is what the text is translated from, for models that translate.

        >>> good, bad = m.score(["I have to go to work now.", "I go now to have work to."])
        >>> good.logprob > bad.logprob
        True
        >>> score = m.score("Come in.", samples=8, by_word=True)
        >>> [word.token for word in score.by_word], score.low <= score.logprob <= score.high
        (['Come', 'in', '￭.'], True)
        """
        texts = [text] if isinstance(text, str) else text
        sources = [source] if isinstance(source, str) else source
        found = [_score(fields) for fields in self._model.score(texts, sources, options)]
        return found[0] if isinstance(text, str) else found

    def grow(self, what=None, *, n=None, **options):
        """Goes through sentences as they are written: an `Insertion` for each word that comes in,
        then the finished `Sentence`s.

        `what` is how many sentences, or templates, bags or sources, by what the model does. Whoever
        stops looking (`close`, or the end of a `with`) ends the work. Words come one by one where a
        sentence is written by itself; those of a beam, a vote or `nbest` are chosen when all are
        there.

        >>> words = []
        >>> for event in m.grow(seed=1):
        ...     if isinstance(event, bough.Insertion):
        ...         words.insert(event.index, event.token)
        ...     else:
        ...         print(event.tokens == words)
        True
        """
        verb = {"lm": "complete"}.get(self.task, self.task)
        if isinstance(what, int):
            what, n = None, what
        if verb == "complete" and what is None and "must" not in options:
            verb = "generate"
        if what is None and verb in ("reorder", "translate"):
            raise TypeError(f"grow needs texts to {verb}")
        growth = self._model.grow(verb, *_question(what, options, n=n))
        _growing.add(growth)
        return growth

    def tokenize(self, text):
        """The words, or pieces of words, that the model reads a text as.

        >>> m.tokenize("I don't know.")
        ['I', 'don', "￭'t", 'know', '￭.']
        """
        return self._model.tokenize(text)

    def _write(self, verb, texts, n, nbest, options):
        n = options.pop("count", None) if n is None else n
        found = self._model.write(verb, *_question(texts, options, n=n, nbest=nbest))
        several = n is not None or nbest is not None
        answers = found if several else [_only(sentences) for sentences in found]
        return answers[0] if texts is None or isinstance(texts, str) else answers

    def __repr__(self):
        return (f"<Model {os.path.basename(self.folder)!r}: {self.task}, {self.vocabulary_size:,} "
                f"words, {self.parameter_count / 1e6:.1f} million parameters>")

    def __reduce__(self):
        return _load_again, self._loaded


def _load_again(name, device, precision, threads):
    return Model(name, device=device, precision=precision, threads=threads)


def _question(texts, options, **others):
    """Lines and options as the extension takes them."""
    options = {**options, **others}
    for name in ("must", "avoid"):
        if isinstance(options.get(name), (list, tuple)):
            options[name] = ", ".join(options[name])
    return [texts] if isinstance(texts, str) else texts, options


def _only(sentences):
    """An empty text gives a sentence without words."""
    return sentences[0] if sentences else _bough.empty_sentence()


def _score(fields):
    fields["by_word"] = [WordScore(*word) for word in fields["by_word"]]
    return Score(**fields)
