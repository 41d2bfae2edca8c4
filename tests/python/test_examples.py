"""Every example runs; what is written down about the package is so."""

import ast
import doctest
import os
import re
import subprocess
import sys

import pytest

import bough
from bough import _bough, _bough_nn, errors, keywords, metrics, model, results
from conftest import ROOT

OBJECTS = [bough, errors, metrics, model, results, bough.Tree, bough.Sentence, bough.Oracle,
           bough.Trajectory, bough.Tagger]


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: thing.__name__)
def test_examples_of_docstrings(thing):
    names = {"bough": bough, "m": bough.load("english")}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder(exclude_empty=True).find(thing, extraglobs=names):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 0


def blocks():
    text = (ROOT / "docs" / "python.md").read_text()
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_examples_of_the_docs(tmp_path):
    """In order, in one program, as a reader would."""
    assert len(blocks()) >= 5
    program = tmp_path / "examples.py"
    program.write_text("\n".join(blocks()))
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "depth.png").stat().st_size > 10_000


def test_keywords_are_the_program_s():
    made = subprocess.run([sys.executable, ROOT / "scripts" / "python_keywords.py"], check=True,
                          capture_output=True, text=True).stdout
    assert made == (ROOT / "python" / "bough" / "keywords.py").read_text(), (
        "run: PYTHONPATH=build/python scripts/python_keywords.py > python/bough/keywords.py")
    page = (ROOT / "docs" / "options.md").read_text()
    for verb in ("generate", "complete", "reorder", "translate", "score", "train"):
        section = page.split(f"\n## bough {verb}\n")[1].split("\n## ")[0]
        first_cells = "\n".join(re.findall(r"^\| `[^`]*`", section, re.M))
        listed = set(re.findall(r"--([a-z0-9-]+)", first_cells))
        ours = {option["name"].replace("_", "-") for option in bough.options(verb)}
        # What is about the program that runs is no option of a call.
        rest = {"model", "input", "output", "on-error", "format", "config", "dump-config", "quiet",
                "help", "threads", "device", "source", "summary", "report", "precision", "seeds",
                "shard", "workers", "rank-timeout"}
        assert ours <= listed and listed - ours <= rest, verb


@pytest.mark.parametrize("extension", [_bough, _bough_nn], ids=lambda one: one.__name__)
def test_stubs_name_what_is_there(extension):
    path = ROOT / "python" / "bough" / f"{extension.__name__.split('.')[1]}.pyi"
    tree = ast.parse(path.read_text())
    named = lambda body: {
        node.target.id if isinstance(node, ast.AnnAssign) else node.name
        for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AnnAssign))}
    public = lambda thing: {name for name in vars(thing) if not name.startswith("_")}
    assert public(extension) == named(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stub = {name for name in named(node.body) if not name.startswith("_")}
            assert public(getattr(extension, node.name)) == stub, node.name


def test_types_are_right(tmp_path):
    """Of the package, and of a program that uses it."""
    program = tmp_path / "program.py"
    program.write_text('''
import bough

m = bough.load("english")
one: bough.Sentence = m.generate(seed=1, top_k=40)
list_of: list[bough.Sentence] = m.generate(5)
best: list[bough.Sentence] = m.generate(nbest=5)
completed: bough.Sentence = m.complete(must=["a"], avoid="b")
of_each: list[list[bough.Sentence]] = m.complete(["a ___", "b ___"], n=3)
ordered: bough.Sentence = m.reorder("a b", exact=True)
translated: list[bough.Sentence] = m.translate(["a", "b"], beam_size=5)
depths = one.tree.depths.max()
scores: list[bough.Score] = m.score(["a", "b"], samples=4)
number: float = m.score("a").logprob + bough.metrics.bleu(["a"], ["b"], tokenize="13a").score
m.generate(decode="loud")
m.generate(tempratur=1)
m.reorder("a", n=2)
''')
    done = subprocess.run(
        ["mypy", "--strict", "--no-error-summary", "--enable-incomplete-feature=Unpack",
         f"--cache-dir={tmp_path}/cache", "-p", "bough", "-m", "program"], cwd=tmp_path,
        env={**os.environ, "MYPYPATH": f"{os.environ['PYTHONPATH']}:{tmp_path}"},
        capture_output=True, text=True)
    lines = {int(number) for number in re.findall(r"^program.py:(\d+): error", done.stdout, re.M)}
    assert lines == {15, 16, 17}, done.stdout
    assert "build/python" not in done.stdout.replace(str(tmp_path), "")


def test_a_wheel_has_all_that_it_needs(tmp_path):
    """pip packs what is built and installs it elsewhere, without network; models come with it."""
    built = bough.__path__[0].removesuffix("/python/bough")
    pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install",
           "--quiet", "--no-build-isolation", "--no-deps", "--no-index",
           "--root-user-action=ignore", "--config-settings", f"built={built}", "--target"]
    subprocess.run([*pip, tmp_path / "site", ROOT], check=True)
    code = ("import bough; m = bough.load('english'); print(bough.__file__); print(m.folder); "
            "print(len(m.generate(2)), bough.models(), bough.Tagger().tag(['dog']))")
    environment = {name: value for name, value in os.environ.items() if name != "BOUGH_MODELS"}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                          cwd=tmp_path, env={**environment, "PYTHONPATH": str(tmp_path / "site")})
    package = tmp_path / "site" / "bough"
    assert done.stdout.splitlines() == [
        str(package / "__init__.py"), str(package / "models" / "english"),
        "2 ['english', 'german-english', 'order'] ['NOUN']"]
    assert (package / "py.typed").exists() and (package / "model.pyi").exists()
    metadata = (tmp_path / "site" / f"bough-{bough.__version__}.dist-info" / "METADATA").read_text()
    assert "Requires-Dist: numpy" in metadata
