"""Models: the same answers as the command line's, in the shapes that Python asks for."""

import copy
import dataclasses
import os
import pickle
import threading

import numpy as np
import pytest

import bough
from conftest import complaint, objects

TEMPLATES = ["___ favorite ___ !", "I ___ <blank:1-3> dog ."]
BAGS = ["guitar . to the I play learn want to", "dog the barks ."]
SOURCES = ["Ich habe keine Zeit, mit dir zu sprechen.", "Wie geht es dir?"]
TEXTS = ["I have to go to work now.", "I go now to have work to."]


def asked(verb, model, *words, lines=()):
    return objects(verb, "--model", model, "--format", "jsonl", *words, lines=lines)


def test_generates_what_the_program_does(english):
    own = english.generate(4, seed=7, top_k=40, alternatives=2)
    told = asked("generate", "english", "-n", 4, "--seed", 7, "--top-k", 40, "--alternatives", 2)
    assert [sentence.trace for sentence in own] == told
    assert english.generate(seed=7, top_k=40).text == told[0]["text"]
    assert english.generate(count=2, seed=7, top_k=40)[1].text == told[1]["text"]


def test_completes_what_the_program_does(english):
    own = english.complete(TEMPLATES, n=2, seed=3)
    told = asked("complete", "english", "-n", 2, "--seed", 3, lines=TEMPLATES)
    assert [sentence.trace for two in own for sentence in two] == told
    own = english.complete(must=["dog", "the park"], avoid="cat", length=9, any_order=True)
    told = asked("complete", "english", "--must", "dog, the park", "--avoid", "cat", "--length", 9,
                 "--any-order")
    assert [own.trace] == told and len(own.tokens) == 9


def test_reorders_what_the_program_does(order):
    own = order.reorder(BAGS, exact=True)
    assert [s.trace for s in own] == asked("reorder", "order", "--exact", lines=BAGS)
    own = order.reorder(BAGS, mbr=8, seed=2, rerank="likelihood", rerank_samples=4)
    told = asked("reorder", "order", "--mbr", 8, "--seed", 2, "--rerank", "likelihood",
                 "--rerank-samples", 4, lines=BAGS)
    assert [s.text for s in own] == [line["text"] for line in told]
    assert [s.likelihood for s in own] == pytest.approx([line["likelihood"] for line in told],
                                                        abs=1e-4)


def test_translates_what_the_program_does(german):
    own = german.translate(SOURCES, beam_size=5, nbest=3)
    told = asked("translate", "german-english", "--beam-size", 5, "--nbest", 3, lines=SOURCES)
    assert [s.text for three in own for s in three] == [line["text"] for line in told]
    assert [s.score for three in own for s in three] == pytest.approx(
        [line["score"] for line in told], abs=1e-4)


def test_scores_what_the_program_does(english, german):
    own = english.score(TEXTS, samples=32, seed=5, by_word=True, others=2)
    told = asked("score", "english", "--samples", 32, "--seed", 5, "--by-word", "--others", 2,
                 lines=TEXTS)
    assert len(own) == len(told) == 2
    for score, line in zip(own, told):
        for name in ("logprob", "bound", "ess", "low", "high", "perplexity"):
            assert getattr(score, name) == pytest.approx(line[name], abs=1e-4)
        assert score.text == line["text"] and score.tokens == line["tokens"]
    assert [word.token for word in own[0].by_word] == english.tokenize(TEXTS[0])
    empty, same = english.score(["", TEXTS[1]], samples=32, seed=5)
    assert empty.text == "" and empty.tokens == 0
    assert same == dataclasses.replace(own[1], by_word=[])
    translation = "How are you?"
    score = german.score(translation, source=SOURCES[1])
    assert score.logprob > german.score(translation, source=SOURCES[0]).logprob


def test_answers_have_the_shape_of_the_question(english, order):
    one, several = TEMPLATES[0], TEMPLATES
    Sentence = bough.Sentence
    assert isinstance(english.generate(), Sentence)
    assert [type(s) for s in english.generate(1)] == [Sentence]
    assert english.generate(0) == []
    assert isinstance(english.complete(one), Sentence)
    assert [type(s) for s in english.complete(one, n=2)] == [Sentence] * 2
    assert [type(s) for s in english.complete(several)] == [Sentence] * 2
    assert [len(two) for two in english.complete(several, n=2)] == [2, 2]
    assert len(english.generate(nbest=2)) == 2
    assert [len(two) for two in order.reorder(tuple(BAGS), beam_size=4, nbest=2)] == [2, 2]
    assert isinstance(english.score("a"), bough.Score) and english.score([]) == []
    nothing = order.reorder(["", BAGS[1]])
    assert nothing[0].text == "" and nothing[0].tokens == [] and len(nothing[0].tree) == 0
    assert nothing[0].tree.complete and nothing[0].trace["nodes"] == [] and nothing[1].text


def test_options_may_be_python_s_own(english, tmp_path):
    plain = english.generate(2, seed=4, top_k=5, temperature=0.5, min_length=3)
    own = english.generate(np.int64(2), seed=np.int32(4), top_k=np.uint8(5),
                           temperature=np.float32(0.5), min_length=3, max_length=None)
    assert [s.text for s in own] == [s.text for s in plain]
    assert english.generate(2, seed=4, detokenize=np.bool_(True))
    model = bough.load(bough.Model("english").folder)
    assert repr(model) == repr(english) and model.config["task"] == "lm"


def test_sentences_can_be_pickled_and_copied(english):
    for sentence in english.generate(3, alternatives=2) + [english.complete(TEMPLATES[0])]:
        for again in (pickle.loads(pickle.dumps(sentence)), copy.deepcopy(sentence)):
            assert again == sentence and again.trace == sentence.trace
            assert again.tree == sentence.tree
            assert again.logprobs.tolist() == sentence.logprobs.tolist()
            assert repr(again) == repr(sentence) and again._repr_svg_() == sentence._repr_svg_()
    assert english.generate(seed=1) != english.generate(seed=2)
    assert bough.Tree.from_trace(sentence.trace) == sentence.tree
    score = english.score("Come in.")
    assert pickle.loads(pickle.dumps(score)) == score
    assert pickle.loads(pickle.dumps(english)).generate() == english.generate()


def test_arrays_of_a_sentence_share_its_memory(english):
    sentence = english.generate(seed=2, min_length=5)
    assert sentence.tree is sentence.tree
    assert sentence.logprobs.base is sentence and not sentence.logprobs.flags.writeable
    assert len(sentence.logprobs) == len(sentence.entropies) == len(sentence.tree.actions)
    depths, logprobs = sentence.tree.depths, sentence.logprobs
    nodes = sentence.trace["nodes"]
    del sentence
    assert depths.tolist() == [node["depth"] for node in nodes]
    own = [logprobs[node["step"]] for node in nodes]
    assert own == pytest.approx([node["logprob"] for node in nodes], abs=1e-4)


def test_sentences_grow(english, german):
    drafts = {}
    finished = []
    for event in english.grow(3, seed=1):
        if isinstance(event, bough.Insertion):
            assert not finished
            drafts.setdefault(event.sentence, []).insert(event.index, event.token)
        else:
            finished.append(event)
    assert finished == english.generate(3, seed=1)
    assert [drafts[i] for i in range(3)] == [sentence.tokens for sentence in finished]
    *words, sentence = english.grow(TEMPLATES[1], seed=1)
    assert sentence == english.complete(TEMPLATES[1], seed=1)
    assert {word.token for word in words if word.given} >= {"I", "dog"}
    assert words[0].parent is None and words[0].side is None
    *words, sentence = german.grow(SOURCES[1])
    assert sentence.text == german.translate(SOURCES[1]).text and len(words) == len(sentence.tokens)
    *words, sentence = english.grow(must=["dog"], length=5, seed=2)
    assert "dog" in sentence.tokens and len(sentence.tokens) == 5
    with pytest.raises(bough.UsageError, match="did you mean 'top-k'"):
        list(english.grow(top_kk=1))
    with pytest.raises(TypeError, match="translate"):
        german.grow()


def test_growing_ends_where_nobody_looks(english):
    """Each would take minutes if it went on, and so would the interpreter's end."""
    growth = english.grow(200_000, seed=1)
    assert isinstance(next(growth), bough.Insertion)
    growth.close()
    assert list(growth) == []
    growth.close()
    with english.grow(200_000) as growth:
        next(growth)
    growth = english.grow(200_000)
    next(growth)
    del growth
    english.grow(200_000)
    for event in english.grow(200_000):
        break
    left = english.grow(200_000)  # for the interpreter's end
    globals()["_left"] = left


def test_threads_share_a_model(english):
    seeds = range(6)
    alone = {seed: english.generate(4, seed=seed) for seed in seeds}
    scored = english.score(TEXTS)
    together, errors = {}, []

    def work(seed):
        try:
            together[seed] = english.generate(4, seed=seed), english.score(TEXTS)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert together == {seed: (alone[seed], scored) for seed in seeds}


def test_python_goes_on_while_a_model_writes(english):
    """The GIL is released: a counter counts while the model writes, however long that takes."""
    counted, done = 0, threading.Event()
    thread = threading.Thread(target=lambda: (english.generate(200), done.set()))
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    assert counted > 1000


def test_says_what_is_wrong(english, order):
    wrong = [
        (lambda: english.generate(tempratur=2), bough.UsageError,
         "there is no option 'tempratur'; did you mean 'temperature'"),
        (lambda: english.generate(temperature=-1), bough.UsageError, "0.001 to 1000, not '-1'"),
        (lambda: english.generate(temperature="hot"), bough.UsageError, "not 'hot'"),
        (lambda: english.generate(2.5), bough.UsageError, "'n' takes 0 to"),
        (lambda: english.generate(top_k=[1, 2]), bough.UsageError, "not a list"),
        (lambda: english.generate(top_k={}), TypeError, "top_k takes a bool, a number"),
        (lambda: english.generate(seed=2**70), OverflowError, None),
        (lambda: english.generate(length=5, max_length=3), bough.UsageError, "contradicts"),
        (lambda: english.reorder("a b"), bough.UsageError, "trained with --task reorder"),
        (lambda: english.complete(), bough.UsageError, "must"),
        (lambda: english.complete("a ___", must="b"), bough.UsageError, "not both"),
        (lambda: english.complete(["fine ___", "<blank:3-2>"]), bough.UnmetError, "text 2"),
        (lambda: english.score(3), TypeError, None),
        (lambda: english.score(["a", None]), TypeError, "takes a str, not NoneType"),
        (lambda: order.reorder(" ".join(["a"] * 600)), bough.DataError, "max-source"),
        (lambda: bough.load("englisch"), bough.DataError, "there are english, german-english"),
        (lambda: bough.load("/nowhere/at/all"), bough.DataError, "/nowhere/at/all"),
        (lambda: bough.load("english", device="tpu"), bough.UsageError, "tpu"),
        (lambda: bough.load("english", precision="half"), bough.UsageError, "float, int8"),
        (lambda: bough.options("sing"), bough.UsageError, "sing"),
    ]
    for call, kind, words in wrong:
        with pytest.raises(kind, match=words):
            call()
    message = "temperature takes 0.001 to 1000, not '-1'"
    with pytest.raises(bough.UsageError) as raised:
        english.generate(temperature=-1)
    assert str(raised.value).replace("'", "", 2) == message
    assert f"--{message}" in complaint("generate", "--model", "english", "--temperature", "-1")
    for kind in (bough.UsageError, bough.DataError, bough.UnmetError, bough.RunError,
                 bough.Interrupted):
        assert issubclass(kind, bough.Error)
    assert issubclass(bough.UsageError, ValueError) and bough.UnmetError.exit_code == 4


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_stays_flat(english, order):
    """Over ten thousand calls; a call that kept a kilobyte would show."""
    template, bag = "a ___", "dog a"
    tree = bough.Tree.from_positions(["a", "b"], [0, 1])

    def call(i):
        sentence = english.generate(seed=i, max_length=2)
        english.complete(template, seed=i, max_length=2)
        order.reorder(bag, exact=True, decode="greedy")
        sentence.tree.depths.sum(), sentence.trace, sentence.tokens
        pickle.loads(pickle.dumps(sentence))
        bough.metrics.bleu(["a b"], ["a c"], sentence=True, threads=1)
        pickle.loads(pickle.dumps(tree)).parents.sum()
        try:
            english.generate(tempratur=1)
        except bough.UsageError:
            pass

    calls_of_each = 8
    for i in range(250):
        call(i)
    before = resident()
    for i in range(10_000 // calls_of_each):
        call(i)
    assert resident() - before < 4_000_000
