"""Trees, their arrays, pickles, and oracles."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import bough
from conftest import SENTENCES

COLUMNS = ["parents", "sides", "depths", "positions", "steps", "left_children", "right_children"]


def random_trees():
    for sentence in SENTENCES[:6]:
        for shape in ("end", "arity"):
            for seed in range(5):
                yield bough.Oracle("uniform", shape=shape).walk(sentence, seed=seed).finish()


def test_arrays_tell_the_tree():
    for tree in random_trees():
        words = len(tree)
        assert all(len(getattr(tree, column)) == words for column in COLUMNS)
        assert [tree.words[i] for i in np.argsort(tree.positions)] == tree.tokens
        for node in range(words):
            parent, side = tree.parents[node], tree.sides[node]
            if parent < 0:
                assert node == 0 and side == 0 and tree.depths[node] == 0
                continue
            assert tree.depths[node] == tree.depths[parent] + 1
            assert side == np.sign(tree.positions[node] - tree.positions[parent])
            children = tree.left_children if side < 0 else tree.right_children
            assert children[parent] == node
        assert [tree.actions[step] for step in tree.steps] == tree.words
        assert tree.depth == tree.depths.max()


def test_a_tree_has_several_names():
    for tree in random_trees():
        steps = len(tree.actions)
        shape = "end" if steps == 2 * len(tree) + 1 else "arity"
        assert bough.Tree.from_positions(tree.tokens, tree.positions, shape=shape) == tree
        if shape == "end":
            assert bough.Tree.from_actions(tree.actions) == tree
    one = bough.Tree.from_actions(["a", "b", None, None, None])
    other = bough.Tree.from_actions(["a", None, "b", None, None])
    assert one != other and one != bough.Tree.from_actions(["a", "c", None, None, None])
    assert one != "a"


def test_arrays_are_views_that_nobody_writes_to():
    tree = bough.Tree.from_positions(["a", "b", "c"], [1, 0, 2])
    for column in COLUMNS:
        array = getattr(tree, column)
        again = getattr(tree, column)
        assert array.base is tree and not array.flags.owndata
        assert array.ctypes.data == again.ctypes.data  # the same memory
        with pytest.raises(ValueError):
            array[0] = 7


def test_arrays_keep_their_tree_alive():
    tree = bough.Tree.from_positions(["a", "b", "c"], [1, 0, 2])
    gone = weakref.ref(tree)
    depths = tree.depths
    del tree
    gc.collect()
    assert gone() is not None
    junk = [bough.Tree.from_positions(["x"] * 3, [2, 1, 0]).depths for _ in range(1000)]
    assert depths.tolist() == [0, 1, 1]
    del depths, junk
    gc.collect()
    assert gone() is None


def test_pickles_and_copies():
    for tree in random_trees():
        for again in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
            assert again == tree and again is not tree
            assert again.actions == tree.actions and str(again) == str(tree)
    begun = bough.Tree.from_actions(["a", "b"])
    assert not begun.complete and pickle.loads(pickle.dumps(begun)) == begun


def test_a_damaged_pickle_is_refused():
    tree = bough.Tree.from_positions(["a", "b"], [0, 1])
    state = list(tree.__getstate__())
    for place, damage in ((0, ["a"]), (1, b""), (2, b"\x03"), (3, b"12345678" * 3), (5, [True])):
        bad = tuple(state[:place] + [damage] + state[place + 1:])
        with pytest.raises(bough.DataError):
            bough.Tree.__new__(bough.Tree).__setstate__(bad)


def test_what_is_no_tree():
    with pytest.raises(bough.DataError, match="there are more"):
        bough.Tree.from_actions([None, "a"])
    with pytest.raises(bough.DataError, match="positions"):
        bough.Tree.from_positions(["a", "b"], [0, 0])
    with pytest.raises(bough.UsageError, match="end, arity"):
        bough.Tree.from_positions(["a"], [0], shape="round")
    with pytest.raises(bough.DataError, match="trace"):
        bough.Tree.from_trace({"version": 1})
    with pytest.raises(TypeError):
        bough.Tree.from_actions([1])


def test_draws_itself_for_notebooks():
    tree = bough.Tree.from_positions(["how", "<are>", '"you"', "?"], [1, 0, 3, 2])
    assert tree._repr_svg_() == tree.svg()
    assert tree.svg().startswith("<svg") and "&lt;are&gt;" in tree.svg()
    frame = tree._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "data-do=&quot;play&quot;" in frame
    assert "<are>" not in frame and tree.dot().startswith("digraph")


@pytest.mark.parametrize("kind", ["uniform", "coaching", "annealed", "left-right", "right-left",
                                  "balanced"])
def test_walks_follow_the_oracle(kind):
    for shape in ("end", "arity"):
        oracle = bough.Oracle(kind, shape=shape)
        for sentence in SENTENCES[:6]:
            walk = oracle.walk(sentence.split(), seed=3)
            while not walk.done:
                assert abs(walk.weights.sum() - 1) < 1e-5
                assert [answer.weight for answer in walk.valid] == walk.weights.tolist()
                assert (walk.due == 0) == (walk.valid[0].word is None)
                walk.take(walk.valid[0].word)
            assert " ".join(walk.tree.tokens) == sentence and not walk.valid


def test_frequencies_are_a_vocabularys():
    with pytest.raises(bough.UsageError, match="content-first"):
        bough.Oracle("content-first")


def test_words_that_are_cut_are_put_whole():
    sentence = ["a", "low@@", "er@@", "ed", "b"]
    walk = bough.Oracle("uniform", whole_words=True).walk(sentence)
    assert [(answer.word, round(answer.weight, 3)) for answer in walk.valid] == [
        ("a", 0.2), ("low@@", 0.6), ("b", 0.2)]
    walk.take("low@@")
    walk.take("a")
    assert [answer.word for answer in walk.valid] == ["er@@"]
    walked = bough.Oracle("right-left", whole_words=True).trajectories([sentence])
    assert [walked.words[action] for action in walked.actions if walked.words[action] != "<end>"] == [
        "b", "low@@", "a", "er@@", "ed"]


def test_walks_may_err_as_far_as_they_end():
    walk = bough.Oracle().walk("a b")
    with pytest.raises(bough.UsageError, match="would lose the 2 words"):
        walk.take(None)
    walk.take("x")
    walk.take("y")
    with pytest.raises(bough.UsageError, match="as many wrong words"):
        walk.take("z")
    tree = walk.finish()
    assert sorted(tree.tokens) == ["a", "b", "x", "y"] and tree.complete
    with pytest.raises(bough.UsageError, match="done"):
        walk.take("a")
    with pytest.raises(bough.UsageError, match="did you mean 'balance'"):
        bough.Oracle("balanced", balanse=1)


def test_trajectories_are_walks_packed():
    sentences = SENTENCES[:6] + [""]
    walked = bough.Oracle("uniform").trajectories(sentences, seed=5, trees=3)
    assert len(walked) == walked.offset_at[-1] == walked.rows_at.sum() == walked.steps_of.sum()
    assert not walked.actions.flags.owndata and not walked.depths.flags.writeable
    for s, (source, steps) in enumerate(zip(walked.sources, walked.steps_of)):
        rows = walked.offset_at[:steps] + s
        assert (walked.sentences[rows] == s).all()
        actions = [walked.words[action] for action in walked.actions[rows]]
        tree = bough.Tree.from_actions([None if a == "<end>" else a for a in actions])
        assert tree.complete and " ".join(tree.tokens) == sentences[source // 3]
        assert (walked.depths[rows[tree.steps]] == tree.depths).all()
    for row in range(len(walked)):
        answers = slice(walked.valid_begin[row], walked.valid_begin[row + 1])
        assert answers.start <= walked.taken[row] < answers.stop
        assert abs(walked.valid_weights[answers].sum() - 1) < 1e-5
    assert (walked.valid_actions[walked.taken] == walked.actions).all()
    same = bough.Oracle("uniform").trajectories(sentences, seed=5, trees=3)
    other = bough.Oracle("uniform").trajectories(sentences, seed=6, trees=3)
    assert (same.actions == walked.actions).all() and (other.actions != walked.actions).any()


def test_the_share_of_an_oracle_falls():
    oracle = bough.Oracle("annealed", beta_rate=0.25, beta_burn_in=1)
    assert [oracle.loss_beta(epoch) for epoch in range(6)] == [1, 1, 0.75, 0.5, 0.25, 0]
    assert bough.Oracle("coaching").rollin_beta(0) == 0
    assert bough.Oracle("uniform").loss_beta(9) == 1
