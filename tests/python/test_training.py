"""Training: what the command line does, callbacks, and stops that leave a run to go on with."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import bough
from conftest import SENTENCES, TINY, program


def losses(folder):
    lines = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [(line["step"], line["loss"]) for line in lines if "loss" in line]


def test_trains_what_the_program_does(corpus, tmp_path):
    epochs, notes = [], []
    model = bough.train(train=corpus, valid=corpus, out=tmp_path / "own", epochs=2, seed=3,
                        threads=1, oracle="annealed", log_every=1, on_epoch=epochs.append,
                        on_note=notes.append, **TINY)
    words = [word for name, value in TINY.items()
             for word in (f"--{name.replace('_', '-')}", value)]
    program("train", "--train", corpus, "--valid", corpus, "--out", tmp_path / "told",
            "--epochs", 2, "--seed", 3, "--threads", 1, "--oracle", "annealed",
            "--log-every", 1, *words)
    assert losses(tmp_path / "own") == losses(tmp_path / "told")
    own, told = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("own", "told"))
    assert own == told
    assert [epoch.epoch for epoch in epochs] == [1, 2]
    assert isinstance(epochs[0], bough.Epoch) and epochs[1].update == 12
    assert epochs[0].valid_loss > 0 and epochs[0].beta == 1 and epochs[1].beta < 1
    assert all(isinstance(note, str) for note in notes)
    assert model.task == "lm" and model.folder == str(tmp_path / "own")
    assert len(model.generate(3, max_length=5)) == 3


def test_what_a_callback_raises_stops_the_run_and_is_raised(corpus, tmp_path):
    class Enough(Exception):
        pass

    epochs = []

    def on_epoch(epoch):
        epochs.append(epoch)
        if epoch.epoch == 2:
            raise Enough("two are enough")

    with pytest.raises(Enough, match="two are enough"):
        bough.train(train=corpus, out=tmp_path / "m", epochs=50, threads=1, on_epoch=on_epoch,
                    **TINY)
    assert [epoch.epoch for epoch in epochs] == [1, 2]
    assert (tmp_path / "m" / "state").is_dir()
    model = bough.train(out=tmp_path / "m", resume=True, epochs=4, threads=1,
                        on_epoch=epochs.append)
    assert [epoch.epoch for epoch in epochs] == [1, 2, 3, 4] and model.vocabulary_size > 5


def test_trains_in_another_thread(corpus, tmp_path):
    """Ctrl-C is the main thread's; training isn't."""
    epochs = []
    thread = threading.Thread(target=bough.train, kwargs=dict(
        train=corpus, out=tmp_path / "m", epochs=2, threads=1, on_epoch=epochs.append, **TINY))
    thread.start()
    thread.join()
    assert [epoch.epoch for epoch in epochs] == [1, 2]


def test_says_what_is_wrong(corpus, tmp_path):
    with pytest.raises(bough.UsageError, match="did you mean 'hidden-size'"):
        bough.train(train=corpus, out=tmp_path / "m", hiden_size=3)
    with pytest.raises(bough.UsageError, match="'layers' takes"):
        bough.train(train=corpus, out=tmp_path / "m", layers=0)
    with pytest.raises(bough.UsageError, match="train"):
        bough.train(out=tmp_path / "m")
    with pytest.raises(bough.DataError, match="nowhere.txt"):
        bough.train(train=tmp_path / "nowhere.txt", out=tmp_path / "m")
    with pytest.raises(TypeError, match="out"):
        bough.train(train=corpus)
    assert not (tmp_path / "m").exists()


def interrupted(code, **names):
    """Runs a program until it says `now`, presses Ctrl-C, and gives what it said then."""
    code = textwrap.dedent(code).format(**{name: repr(value) for name, value in names.items()})
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        if line == "now\n":
            break
    child.send_signal(signal.SIGINT)
    rest = child.stdout.read()
    assert child.wait() == 0
    return rest


def test_ctrl_c_stops_training_with_a_checkpoint(corpus, tmp_path):
    said = interrupted("""
        import bough
        try:
            bough.train(train={train}, out={out}, epochs=1_000_000, threads=1, **{tiny},
                        on_epoch=lambda epoch: epoch.epoch == 2 and print("now", flush=True))
        except KeyboardInterrupt:
            print("stopped")
    """, train=str(corpus), out=str(tmp_path / "m"), tiny=TINY)
    assert said == "stopped\n"

    def on_epoch(epoch):
        raise StopIteration(epoch.epoch)

    with pytest.raises(StopIteration) as raised:
        bough.train(out=tmp_path / "m", resume=True, threads=1, on_epoch=on_epoch)
    assert raised.value.value > 2


def test_ctrl_c_stops_a_model_that_writes(tmp_path):
    """Each of them would go on for hours."""
    said = interrupted("""
        import threading
        import bough
        m = bough.load("english")
        calls = [lambda: m.generate(10**8), lambda: m.score(["I have to go to work now."] * 10**6),
                 lambda: list(m.grow(10**8, batch_size=1, max_length=2))]
        import os, signal
        for i, call in enumerate(calls):
            # The first signal comes from outside, the others from a thread.
            if i == 0:
                threading.Timer(1, lambda: print("now", flush=True)).start()
            else:
                threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            try:
                call()
            except KeyboardInterrupt:
                print("stopped", i)
        print(len(m.generate(2)))
    """)
    assert said == "stopped 0\nstopped 1\nstopped 2\n2\n"
