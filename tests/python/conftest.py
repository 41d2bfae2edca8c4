"""What the tests of the Python package share. They run the real package (PYTHONPATH) beside the
real program (BOUGH_PROGRAM)."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import bough

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "metrics"


def run(*words, lines=()):
    call = [os.environ["BOUGH_PROGRAM"], *map(str, words)]
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(call, input=text, capture_output=True, text=True)


def program(*words, lines=()):
    """What `bough …` says, for these lines of input."""
    done = run(*words, lines=lines)
    assert done.returncode == 0, done.stderr
    return done.stdout


def complaint(*words):
    """What it says is wrong."""
    done = run(*words)
    assert done.returncode != 0
    return done.stderr


def objects(*words, lines=()):
    """… as JSON lines."""
    return [json.loads(line) for line in program(*words, "--quiet", lines=lines).splitlines()]


def golden_lines(name):
    return (GOLDEN / name).read_bytes().decode().removesuffix("\n").split("\n")


def golden(name):
    return json.loads((GOLDEN / name).read_text())


@pytest.fixture(scope="session")
def english():
    return bough.load("english")


@pytest.fixture(scope="session")
def order():
    return bough.load("order")


@pytest.fixture(scope="session")
def german():
    return bough.load("german-english")


SENTENCES = ["the old dog sleeps by the door .", "a small bird sings in the tree .",
             "my sister bakes bread on sunday .", "we walk along the quiet river .",
             "he paints the fence green .", "do you like warm soup ?"] * 8

# A network that is made quickly.
TINY = {"layers": 1, "hidden_size": 16, "embedding_size": 8, "batch_size": 8, "samples": 0}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("".join(f"{line}\n" for line in SENTENCES))
    return path
