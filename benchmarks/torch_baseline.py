#!/usr/bin/python3
"""bough beside plain PyTorch: the same sizes, written as one writes them in Python.

    apt-get install python3-torch
    benchmarks/torch_baseline.py [--threads N] [--seconds S]

The paper's LSTM policy (2 x 1024, word vectors 300 wide, 20,090 words) trained on trees of 12 words
(25 steps) and sampled from, and the paper's Transformer (4 x 256, 40,000 words) trained on pairs of
25 words and decoded greedily. PyTorch's side has it easier: it is told one right action a step
instead of an oracle's distribution, rolls nothing in, and keeps no trees. Rates are sentences a
second, measured one after the other in one run, each beside the machine's own matrix product.
"""
import argparse
import json
import subprocess
import sys
import time

import torch
from torch import nn


class Lstm(nn.Module):
    def __init__(self, words=20090, width=300, hidden=1024):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, hidden, 2, batch_first=True)
        self.projection = nn.Linear(hidden, width)
        self.output = nn.Linear(width, words)

    def forward(self, actions, state=None):
        states, state = self.lstm(self.embedding(actions), state)
        return self.output(torch.relu(self.projection(states))), state


class Transformer(nn.Module):
    def __init__(self, words=40000, width=256, layers=4, heads=4, inner=1024):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.network = nn.Transformer(width, heads, layers, layers, inner, 0.0, batch_first=True)
        self.output = nn.Linear(width, words)

    def encode(self, source):
        return self.network.encoder(self.embedding(source))

    def decode(self, actions, memory):
        mask = nn.Transformer.generate_square_subsequent_mask(actions.shape[1])
        return self.network.decoder(self.embedding(actions), memory, tgt_mask=mask)

    def forward(self, source, actions):
        return self.output(self.decode(actions, self.encode(source)))


def rate(job, sentences, seconds):
    """Sentences a second of a job, after one that doesn't count."""
    job()
    start, done = time.time(), 0
    while done == 0 or time.time() - start < seconds:
        job()
        done += sentences
    return done / (time.time() - start)


def gemm_rate(seconds=0.5):
    a, b = torch.rand(2048, 2048), torch.rand(2048, 2048)
    return rate(lambda: torch.mm(a, b), 2 * 2048**3 * 1e-9, seconds)


def training(model, inputs, words, steps, batch, seconds):
    adam = torch.optim.Adam(model.parameters())
    loss = nn.CrossEntropyLoss()

    def update():
        right = torch.randint(words, (batch, steps))
        logits = inputs()
        adam.zero_grad()
        loss(logits.reshape(-1, words), right.reshape(-1)).backward()
        adam.step()

    return rate(update, batch, seconds)


def lstm_rates(seconds):
    words, steps = 20090, 25
    model = Lstm(words)
    trained = training(model, lambda: model(torch.randint(words, (32, steps)))[0], words, steps, 32,
                       seconds)

    @torch.no_grad()
    def sample():
        actions, state = torch.zeros(64, 1, dtype=torch.long), None
        for _ in range(steps):
            logits, state = model(actions, state)
            actions = torch.multinomial(torch.softmax(logits[:, -1], -1), 1)

    return trained, rate(sample, 64, seconds) * steps


def transformer_rates(seconds):
    words, length = 40000, 25
    steps = 2 * length + 1
    model = Transformer(words)
    source = torch.randint(words, (64, length + 1))
    trained = training(model, lambda: model(source[:32], torch.randint(words, (32, steps))), words,
                       steps, 32, seconds)
    model.eval()

    @torch.no_grad()
    def greedy():
        memory = model.encode(source)
        actions = torch.zeros(64, 1, dtype=torch.long)
        for _ in range(steps):
            best = model.output(model.decode(actions, memory)[:, -1]).argmax(-1)
            actions = torch.cat([actions, best[:, None]], 1)

    return trained, rate(greedy, 64, seconds) * steps


def bough(program, *arguments):
    text = subprocess.run([program, "bench", *arguments, "--json", "--quiet", "--repeats", "3"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bough", default="build/bough", help="the program to compare with")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    threads = ["--threads", str(options.threads)]
    seconds = ["--seconds", str(options.seconds)]

    def median(report, what):
        return report[what]["median"]

    print("| what | PyTorch | its GEMM | bough | its GEMM | ratio |\n|---|---|---|---|---|---|")

    def row(what, theirs, report, unit):
        ours = median(report, "sentences_per_second" if unit == "sentences/s" else "steps_per_second")
        ours_gemm = max(report["gemm_gflops"].values())
        print(f"| {what}, {unit} | {theirs:.4g} | {gemm_rate():.0f} | {ours:.4g} | {ours_gemm:.0f} | "
              f"{ours / theirs:.2f} |")
        sys.stdout.flush()

    trained, sampled = lstm_rates(options.seconds)
    row("LSTM, training", trained, bough(options.bough, "train", "--length", "12", *threads, *seconds),
        "sentences/s")
    row("LSTM, sampling", sampled,
        bough(options.bough, "generate", "--batch-size", "64", "-n", "500", *threads), "steps/s")
    trained, decoded = transformer_rates(options.seconds)
    report = bough(options.bough, "translate", "-n", "128", *threads, *seconds)
    row("Transformer, training", trained, report, "sentences/s")
    greedy = {(part["precision"], part["batch_size"]): part for part in report["decoding"]}
    row("Transformer, greedy", decoded, greedy["float", 64], "steps/s")
    row("Transformer, greedy in int8", decoded, greedy["int8", 64], "steps/s")


if __name__ == "__main__":
    main()
