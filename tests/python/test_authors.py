"""Models of the paper authors' program: golden weights become models that give their numbers."""

import json
import math

import numpy as np
import pytest

import bough
from conftest import ROOT, program

GOLDEN = ROOT / "tests" / "golden" / "models" / "authors"
NUMBERS = json.loads((GOLDEN / "expected.json").read_text())
WORDS = [f"w{i}" for i in range(NUMBERS["vocab_size"])]
for special, number in NUMBERS["specials"].items():
    WORDS[number] = special
KINDS = {"lm_lstm": "unconditional", "lm_lstm_end_head": "unconditional",
         "reorder_lstm": "bagorder", "translate_bilstm": "translation"}


def options(name):
    return {"model_type": KINDS[name], "dec_lstm_dim": NUMBERS["hidden"],
            "enc_lstm_dim": NUMBERS["hidden"], "word_emb_dim": NUMBERS["emb"],
            "dec_n_layers": 1 if name == "translate_bilstm" else NUMBERS["layers"],
            "n_classes": NUMBERS["vocab_size"], "aux_end": name == "lm_lstm_end_head",
            "share_inout_emb": True, "num_dir_enc": 2}


def state_dict(name):
    """By safetensors' own definition."""
    data = (GOLDEN / f"{name}.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    weights = {}
    for key, entry in header.items():
        if key != "__metadata__":
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(data[8 + size + begin:8 + size + end], np.float32)
            weights[key] = numbers.reshape(entry["shape"])
    return weights


class Tensor:
    """As PyTorch's are: no array before it is detached."""

    def __init__(self, numbers):
        self.numbers = numbers

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.numbers


@pytest.mark.parametrize("name", KINDS)
def test_is_what_the_program_imports(name, tmp_path):
    (tmp_path / "words.json").write_text(json.dumps({word: i for i, word in enumerate(WORDS)}))
    (tmp_path / "options.json").write_text(json.dumps(options(name)))
    program("import", "--weights", GOLDEN / f"{name}.safetensors", "--vocabulary",
            tmp_path / "words.json", "--options", tmp_path / "options.json", "--out",
            tmp_path / "told")
    weights = {key: Tensor(numbers.astype(np.float64)) for key, numbers in state_dict(name).items()}
    model = bough.convert_authors(weights, WORDS, options(name), tmp_path / "own")
    files = [(tmp_path / folder / "model.safetensors").read_bytes() for folder in ("own", "told")]
    assert files[0] == files[1]
    tasks = {"unconditional": "lm", "bagorder": "reorder", "translation": "translate"}
    assert model.task == tasks[KINDS[name]]
    again = bough.convert_authors(GOLDEN / f"{name}.safetensors", tmp_path / "words.json",
                                  tmp_path / "options.json", tmp_path / "files")
    assert again.vocabulary_size == len(WORDS)


def test_scores_are_the_authors_s(tmp_path):
    """The first golden sentence has one word: three steps, of which the last two say <end>."""
    model = bough.convert_authors(state_dict("lm_lstm"), WORDS, options("lm_lstm"), tmp_path / "m")
    [word] = NUMBERS["sentences"][0]
    expected = 0.0
    for step, action in enumerate([word, 4, 4]):
        logits = NUMBERS["lm_lstm"]["scores"][0][step]
        expected += logits[action] - math.log(sum(map(math.exp, logits)))
    assert model.score(WORDS[word], exact=True).logprob == pytest.approx(expected, abs=1e-4)


def test_says_what_does_not_fit(tmp_path):
    weights = state_dict("lm_lstm")
    missing = dict(weights)
    missing.pop(next(iter(missing)))
    with pytest.raises(bough.DataError):
        bough.convert_authors(missing, WORDS, options("lm_lstm"), tmp_path / "m")
    with pytest.raises(bough.DataError, match="not known"):
        bough.convert_authors({**weights, "odd": [1.0]}, WORDS, options("lm_lstm"), tmp_path / "m")
    with pytest.raises(bough.UsageError, match="did you mean 'tokenizer'"):
        bough.convert_authors(weights, WORDS, options("lm_lstm"), tmp_path / "m", tokeniser="marks")
    assert not (tmp_path / "m").exists()
    bough.convert_authors(weights, WORDS, options("lm_lstm"), tmp_path / "m")
    with pytest.raises(bough.UsageError, match="already holds a model"):
        bough.convert_authors(weights, WORDS, options("lm_lstm"), tmp_path / "m")
    bough.convert_authors(weights, WORDS, options("lm_lstm"), tmp_path / "m", force=True)
