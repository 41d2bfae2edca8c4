#!/usr/bin/python3
"""Writes python/bough/keywords.py, the types of the Python package's keyword arguments, from the
program's own declarations: PYTHONPATH=build/python scripts/python_keywords.py > FILE."""

import textwrap

import bough

# Those that functions name themselves.
NAMED = {"generate": {"count", "nbest"}, "complete": {"count", "nbest"}, "reorder": {"nbest"},
         "translate": {"nbest"}, "train": {"out"}, "oracle": {"oracle"}}
TYPES = {"flag": "bool", "integer": "int", "number": "float", "list": "Sequence[str] | str"}
PHRASES = {"must", "avoid"}  # texts with commas, or lists
PATHS = {"FILE", "DIR"}


def type_of(option: dict) -> str:
    if option["kind"] == "choice":
        return f"Literal[{', '.join(map(repr, option['allowed'].split('|')))}]".replace("'", '"')
    if option["name"] in PHRASES:
        return "Sequence[str] | str"
    if option["kind"] == "text":
        return "os.PathLike[str] | str" if option["allowed"] in PATHS else "str"
    return TYPES[option["kind"]]


def help_of(option: dict) -> str:
    details = [] if option["kind"] in ("choice", "flag") else [option["allowed"]]
    if option["default"] not in (None, "", [], False):
        details.append(f"default {option['default']}")
    details = f" ({'; '.join(details)})" if details else ""
    text = option["help"][0].upper() + option["help"][1:] + details
    lines = textwrap.wrap(f'"""{text}."""', 95, break_on_hyphens=False)
    return textwrap.indent("\n".join(lines), "    ")


def field_of(option: dict) -> str:
    line = f"    {option['name']}: {type_of(option)} | None"
    if len(line) > 99:
        names = textwrap.fill(type_of(option)[len("Literal["):-1], 90)
        line = f"    {option['name']}: Literal[\n{textwrap.indent(names, '        ')}] | None"
    return f"{line}\n{help_of(option)}\n"


def show(name: str, what: str, options: list[dict], base: str = "TypedDict, total=False") -> None:
    print(f'\n\nclass {name}({base}):\n    """Options of {what}."""\n')
    print("".join(map(field_of, options)), end="")


def options_of(verb: str) -> list[dict]:
    return [option for option in bough.options(verb) if option["name"] not in NAMED.get(verb, ())]


print('''"""The keyword arguments of the package's functions, for type checkers and editors.

Made by scripts/python_keywords.py from the program's own declarations; do not edit. None is as if
it weren't given.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict''')

def show_kin(name: str, what: str, kin: dict[str, str]) -> None:
    """What some verbs share, and what each has of its own."""
    all_of = {verb: options_of(verb) for verb in kin}
    first = next(iter(all_of.values()))
    common = [option for option in first if all(option in options for options in all_of.values())]
    show(name, what, common)
    for verb, options in all_of.items():
        own = [option for option in options if option not in common]
        show(f"{verb.capitalize()}Options", kin[verb], own, f"{name}, total=False")


show_kin("WritingOptions", "all verbs that write",
         {verb: f"`bough {verb}`" for verb in ("generate", "complete", "reorder", "translate")})
show_kin("ImitationOptions", "oracles, in `bough train` and by themselves",
         {"oracle": "oracles", "train": "`bough train`"})
show("ScoreOptions", "`bough score`", options_of("score"))
show("MetricOptions", "`bough eval`", options_of("metrics"))
