"""Metrics: the reference implementations' numbers, and the program's."""

import json
import pickle

import numpy as np
import pytest

import bough
from conftest import GOLDEN, golden, golden_lines, program

CLOSE = {"rel": 1e-9, "abs": 1e-9}


def texts(case, suffix=".txt"):
    name = lambda file: file if file.endswith(".txt") else file + suffix
    return golden_lines(name(case["hyp"])), [golden_lines(name(ref)) for ref in case["refs"]]


def picked(lines, which):
    return lines if which == "1-300" else [lines[number - 1] for number in which]


def test_corpus_bleu_is_sacrebleu_s():
    for case in golden("sacrebleu_corpus_bleu.json"):
        hyps, refs = texts(case)
        options = {name: case[name] for name in ("tokenize", "lowercase", "smooth_method",
                                                 "smooth_value", "effective_order",
                                                 "max_ngram_order")}
        found = bough.metrics.bleu(picked(hyps, case["lines"]),
                                   [picked(ref, case["lines"]) for ref in refs], **options)
        assert found.score == pytest.approx(case["score"], **CLOSE), case
        ours, theirs = (one.split("|version:")[0] for one in (found.signature, case["signature"]))
        order = case["max_ngram_order"]  # sacreBLEU says nothing of it
        assert ours == theirs + (f"|order:{order}" if order != 4 else "")


def test_sentence_bleu_is_sacrebleu_s():
    for case in golden("sacrebleu_sentence_bleu.json"):
        if not case["effective_order"]:
            continue  # which sentences always have, as by sacreBLEU's own program
        hyps, refs = texts(case)
        options = {name: case[name] for name in ("tokenize", "lowercase", "smooth_method",
                                                 "smooth_value")}
        found = bough.metrics.bleu(hyps, refs, sentence=True, **options)
        assert found.sentences.dtype == np.float64
        assert found.sentences == pytest.approx(np.array(case["scores"]), **CLOSE)


def test_chrf_and_ter_are_sacrebleu_s():
    functions = {"chrF2": bough.metrics.chrf, "chrF2++": bough.metrics.chrfpp,
                 "TER": bough.metrics.ter}
    seen = set()
    for case in golden("sacrebleu_chrf_ter.json"):
        if case["args"] != ({"word_order": 2} if case["metric"] == "chrF2++" else {}):
            continue
        hyps, refs = texts(case)
        found = functions[case["metric"]](hyps, refs, sentence=True)
        assert found.score == pytest.approx(case["score"], **CLOSE)
        if "sentence_scores" in case:
            assert found.sentences == pytest.approx(np.array(case["sentence_scores"]), **CLOSE)
        seen.add(case["metric"])
    assert seen == functions.keys()


def test_the_others_are_their_references():
    ribes = golden("ribes.json")["hypA_1ref"]
    assert bough.metrics.ribes(*texts(ribes)).score == pytest.approx(ribes["corpus"], **CLOSE)
    yisi = golden("yisi.json")["yisi0_hypA"]
    hyps, refs = golden_lines("hypA.tok.txt"), golden_lines("ref1.tok.txt")
    found = bough.metrics.yisi0(hyps, refs, sentence=True)
    assert found.score == pytest.approx(yisi["document_score"], rel=1e-6)
    assert found.sentences == pytest.approx(np.array(yisi["sentence_scores"]), rel=1e-6)
    vectors = GOLDEN / "yisi_vec50_synthetic.txt"
    assert 0 < bough.metrics.yisi1(hyps, refs, yisi_vectors=vectors).score < 1
    words = golden("f1_em.json")["hypA.tok"]
    assert bough.metrics.f1(hyps, refs).score == pytest.approx(words["f1"], **CLOSE)
    assert bough.metrics.em(hyps, refs).score == pytest.approx(words["em"], **CLOSE)
    meteor = golden("meteor.json")["exact_hypA_1ref"]
    found = bough.metrics.meteor(*texts(meteor), meteor_modules="exact")
    assert found.score == pytest.approx(meteor["system"]["final_score"], rel=1e-6)


@pytest.mark.parametrize("metric", bough.metrics.names())
def test_every_metric_is_the_program_s(metric):
    files = [GOLDEN / f"ref{n}.tok.txt" for n in (1, 2)]
    hyp = GOLDEN / "hypB.tok.txt"
    vectors = {"yisi_vectors": GOLDEN / "yisi_vec50_synthetic.txt"} if metric == "yisi1" else {}
    words = ["eval", *files, "-i", hyp, "-m", metric, "--width", "15"]
    words += [word for name, value in vectors.items() for word in ("--yisi-vectors", value)]
    told = json.loads(program(*words))
    own = bough.metrics.evaluate(metric, golden_lines(hyp.name),
                                 [golden_lines(file.name) for file in files], sentence=True,
                                 **vectors)
    assert (own.name, own.signature) == (told["name"], told["signature"])
    assert own.score == pytest.approx(told["score"], rel=1e-12)
    each = [json.loads(line) for line in program(*words, "--sentence-level").splitlines()]
    scores = [line[told["name"]] for line in each]
    assert own.sentences == pytest.approx(np.array(scores), rel=1e-12, abs=1e-12)


def test_takes_what_can_be_gone_through(english):
    expected = bough.metrics.bleu(["a b c d"], ["a b c d e"]).score
    assert bough.metrics.bleu(("a b c d",), ("a b c d e",)).score == expected
    assert bough.metrics.bleu(np.array(["a b c d"]), np.array(["a b c d e"])).score == expected
    assert bough.metrics.bleu(iter(["a b c d"]), iter([["a b c d e"]])).score == expected
    assert english.metrics is bough.metrics
    assert float(bough.metrics.bleu(["a b c d"], ["a b c d e"])) == expected


def test_says_what_is_wrong():
    wrong = [
        (dict(hyps=["a"], refs=["a", "b"]), bough.DataError, "compared line by line"),
        (dict(hyps=[], refs=[]), bough.DataError, "nothing to score"),
        (dict(hyps=["a"], refs=[["a"], ["b", "c"]]), bough.DataError, "reference 2"),
        (dict(hyps="a", refs=["a"]), TypeError, "list of str"),
        (dict(hyps=["a"], refs="a"), TypeError, "list of str"),
        (dict(hyps=[b"a"], refs=["a"]), TypeError, "takes a str, not bytes"),
        (dict(hyps=["a"], refs=["a"], tokenise="13a"), bough.UsageError, "did you mean 'tokenize'"),
        (dict(hyps=["a"], refs=["a"], tokenize="14a"), bough.UsageError, "13a"),
        (dict(hyps=["a"], refs=["a"], threads=-1), bough.UsageError, "0 to 4096"),
        (dict(hyps=["\ud800"], refs=["a"]), UnicodeEncodeError, "surrogates"),
    ]
    for call, kind, words in wrong:
        with pytest.raises(kind, match=words):
            bough.metrics.bleu(**call)
    with pytest.raises(bough.UsageError, match="there is no metric 'blau'"):
        bough.metrics.evaluate("blau", ["a"], ["a"])


def test_results_are_values():
    score = bough.metrics.ter(["a b"], ["a c"], sentence=True)
    again = pickle.loads(pickle.dumps(score))
    assert (again.score, again.signature) == (score.score, score.signature)
    assert again.sentences.tolist() == score.sentences.tolist() == [50.0]
