"""Errors: one family, with the words of the command line.

>>> import bough
>>> try:
...     bough.metrics.bleu(["a"], ["b"], smooth_method="none at all")
... except bough.Error as error:
...     print(error)
'smooth_method' takes one of exp, floor, add-k, none, not 'none at all'
"""


class Error(Exception):
    """Whatever bough can't do; each kind has the exit code of the command line."""

    exit_code = 1


class RunError(Error, RuntimeError):
    """Something failed while running."""


class UsageError(Error, ValueError):
    """An option that isn't there, a value that isn't allowed, or options that contradict."""

    exit_code = 2


class DataError(Error, ValueError):
    """A file or a text that is missing, unreadable, malformed or corrupted."""

    exit_code = 3


class UnmetError(Error):
    """A demand that no sentence can meet."""

    exit_code = 4


class Interrupted(Error):
    """The work was stopped."""

    exit_code = 130
