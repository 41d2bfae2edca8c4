#!/usr/bin/env python3
"""The paper's tables at our scale: trains the recipes, evaluates them, writes a page of tables.

    scripts/results.py --text PERSONACHAT --pairs TATOEBA --out results --page docs/results.md
    scripts/results.py --quick --out build/results-quick --page build/results-quick/results.md

A run is a recipe (recipes/ROW.toml) with a seed. Its model goes to OUT/ROW/seed-N, its figures to
OUT/ROW/seed-N.json. What is there isn't made again, training that was stopped goes on, and the page
shows all runs that OUT has figures of, and of other runs those that are recorded: `--record` keeps the
figures in recipes/figures/runs. results_page.py says what the tables are.
"""

import argparse
import concurrent.futures
import csv
import datetime
import functools
import json
import os
import pathlib
import subprocess
import sys

from results_page import Failure, Page, in_order, read_toml, write_whole

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECIPES = ROOT / "recipes"
RECORDED = RECIPES / "figures" / "runs"

# How many sentences are sampled, completed, scored, ordered, translated, and used for tuning <end>;
# 0: all of the file. Files aren't shuffled, so where it is some, they are spread over the file.
FULL = dict(samples=10000, completed=0, scored=1000, ordered=5000, translated=0, tuned=500)
QUICK = dict(samples=300, completed=100, scored=50, ordered=100, translated=100, tuned=20)
QUICK_UPDATES = 160
# The options in which rows of one task may differ; all others are size and budget.
OWN_OPTIONS = {"oracle", "beta-rate", "beta-burn-in", "rollin-beta-rate", "shape", "end-head", "tree-encoding",
               "whole-words"}
COURSE = ("updates", "epoch-updates", "warmup")
DEPTHS = 6


def read_recipes():
    """The options of each recipe; rows of one task have the same size and budget."""
    rows = sorted((path.stem for path in RECIPES.glob("*.toml")), key=in_order)
    recipes = {row: read_toml(RECIPES / f"{row}.toml")["train"] for row in rows}
    first = {}
    for row, options in recipes.items():
        shared = {name: value for name, value in options.items() if name not in OWN_OPTIONS}
        other, expected = first.setdefault(options["task"], (row, shared))
        if shared != expected:
            names = ", ".join(sorted(dict(shared.items() ^ expected.items())))
            raise Failure(f"recipes/{row}.toml and {other}.toml differ in {names}: rows would not compare")
    return recipes


def in_updates(recipe, updates):
    """The same course in so many updates: as many epochs, as much of a warm-up; 0: as it is."""
    share = updates / recipe["updates"] if updates else 1
    return {name: max(1, round(value * share)) if name in COURSE else value for name, value in recipe.items()}


class Corpus:
    """The train, valid and test part of a folder, as text or as pairs, or some of their lines."""

    def __init__(self, folder, suffixes, lines, cut):
        self.lines, self.cut = lines, cut
        self.files = {part + suffix: pathlib.Path(folder) / (part + suffix)
                      for part in ("train", "valid", "test") for suffix in suffixes}
        for file in self.files.values():
            if not file.is_file():
                raise Failure(f"cannot read '{file}'; docs/results-notes.md says how to get the data")

    def file(self, name, count=0):
        """A part's file, or one with so many of its lines, spread evenly."""
        file = self.files[name]
        count = min((n for n in (count, self.lines) if n), default=0)
        if count == 0:
            return file
        some = self.cut / f"{file.parent.name}-{count}" / name
        if not some.is_file():
            with open(file, encoding="utf-8", newline="\n") as lines:
                all_lines = lines.readlines()
            count = min(count, len(all_lines))
            write_whole(some, "".join(all_lines[i * len(all_lines) // count] for i in range(count)))
        return some

    @functools.cached_property
    def sizes(self):
        """How many lines each part has."""
        return {name: self.file(name).read_bytes().count(b"\n") for name in self.files}


class Run:
    """A recipe with a seed: trains it and finds its figures."""

    def __init__(self, settings, row, recipe, seed):
        self.settings, self.row, self.seed = settings, row, seed
        self.task = recipe["task"]
        self.corpus = settings.corpora["translate" if self.task == "translate" else "text"]
        self.counts, self.data = settings.counts, self.corpus.sizes
        self.model = settings.out / row / f"seed-{seed}"
        self.options = recipe

    def file(self, ending):
        return self.model.with_name(self.model.name + ending)

    def bough(self, *arguments):
        """Runs the program in one thread and returns what it prints; the time that it takes is noted."""
        words = [str(self.settings.program), *map(str, arguments), "--threads", "1"]
        with open(self.file(".log"), "a", encoding="utf-8") as log:
            print("$", *words, file=log, flush=True)
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, encoding="utf-8")
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(self.file(".seconds"), "a", encoding="utf-8") as seconds:
            print(arguments[0], f"{usage.ru_utime + usage.ru_stime:.2f}", file=seconds)
        if process.returncode in (130, -2):
            raise KeyboardInterrupt
        if process.returncode != 0:
            tail = self.file(".log").read_text(encoding="utf-8").splitlines()[-5:]
            raise Failure("\n".join([f"{self.row}, seed {self.seed} failed; {self.file('.log')} ends with", *tail]))
        return output

    def minutes(self):
        """Core-minutes of training, and of all else."""
        spent = {True: 0.0, False: 0.0}
        for line in self.file(".seconds").read_text(encoding="utf-8").splitlines():
            verb, seconds = line.split()
            spent[verb == "train"] += float(seconds) / 60
        return {"training": spent[True], "evaluation": spent[False]}

    def result(self):
        """The figures, made now or before."""
        file = self.file(".json")
        if file.is_file():
            result = read_json(file)
            if [result[part] for part in ("options", "counts", "data")] != [self.options, self.counts, self.data]:
                raise Failure(f"'{file}' was made by another recipe, on other data or with other counts; "
                              f"remove '{file.parent}' to make it again")
            return result
        self.model.parent.mkdir(parents=True, exist_ok=True)
        self.say("training")
        self.train()
        self.say("evaluating")
        figures = getattr(self, f"evaluate_{self.task}")()
        figures["likelihood"] = {"scored": self.likelihood()}
        result = {"row": self.row, "seed": self.seed, "date": datetime.date.today().isoformat(),
                  "machine": machine(), "options": self.options, "counts": self.counts,
                  "data": self.data, "minutes": self.minutes(), "figures": figures}
        write_json(file, result)
        self.say(f"done, {sum(result['minutes'].values()):.1f} core-minutes")
        return result

    def say(self, what):
        print(f"{self.row}, seed {self.seed}: {what}", file=sys.stderr, flush=True)

    def train(self):
        own = [word for name in COURSE if name in self.options
               for word in (f"--{name}", self.options[name])]
        if self.task == "translate":
            data = ["--source-train", self.corpus.file("train.de"), "--train", self.corpus.file("train.en"),
                    "--source-valid", self.corpus.file("valid.de"), "--valid", self.corpus.file("valid.en")]
        else:
            data = ["--train", self.corpus.file("train.txt"), "--valid", self.corpus.file("valid.txt")]
        self.bough("train", "-c", RECIPES / f"{self.row}.toml", *own, *data,
                   "--seed", self.seed, "--out", self.model, "--resume", "--quiet")

    def write(self, verb, name, *options):
        """What a verb writes with the model, into the file OUT/ROW/seed-N-NAME."""
        file = self.file(f"-{name}")
        self.bough(verb, "--model", self.model, "--seed", self.seed, "-o", file, "--quiet", *options)
        return file

    def judge(self, reference, text, *options):
        """`bough eval`: a dictionary of the metrics' answers."""
        answers = json.loads(self.bough("eval", reference, "-i", text, "--quiet", *options))
        return {answer["name"]: answer for answer in answers}

    def evaluate_lm(self):
        train, valid = self.corpus.file("train.txt"), self.corpus.file("valid.txt")
        figures = {"top-k": {}}
        for k in (10, 100, 1000, 0):
            kind = ("samples.jsonl", "--format", "jsonl") if k == 0 else (f"top-{k}.txt", "--top-k", k)
            samples = self.write("generate", kind[0], "-n", self.counts["samples"], *kind[1:])
            told = json.loads(self.bough("eval", "samples", "--samples", samples, "--train", train,
                                         "--reference", valid, "--quiet"))
            figures["top-k"][str(k or "all")] = {f"bleu-{n}": told[f"bleu-{n}"] for n in (2, 3, 4)}
            if k == 0:
                figures["samples"] = {"sampled": {
                    "novel": told["novel"], "unique": told["unique"], "tokens": told["mean_tokens"],
                    "span": told.get("mean_span"), "bleu": 100 * told["bleu-4"]}}
                figures |= self.order(samples)
        told = json.loads(self.bough("eval", "completion", "--model", self.model, "--valid", valid,
                                     "-n", self.counts["completed"], "--seed", self.seed, "--quiet"))
        figures["completion"] = {"sampled": {"bleu": 100 * told["bleu-4"], "tokens": told["mean_tokens"]}}
        return figures

    def evaluate_reorder(self):
        test = self.corpus.file("test.txt", self.counts["ordered"])
        traces = self.write("reorder", "greedy.jsonl", "-i", test, "--format", "jsonl")
        exact = self.write("reorder", "exact.txt", "-i", test, "--exact", "--beam-size", 10)
        ways = {"greedy": text_of(traces), "--exact --beam-size 10": exact}
        return {"reorder": {way: self.order_figures(test, text) for way, text in ways.items()}} | self.order(traces)

    def order_figures(self, test, text):
        corpus = self.judge(test, text, "--tokenize", "none", "-m", "bleu", "f1", "em")
        # The authors' program takes the mean of sentences' BLEU, without smoothing.
        lines = self.bough("eval", test, "-i", text, "-m", "bleu", "--smooth-method", "none",
                           "--sentence-level", "--format", "text", "--quiet").splitlines()
        each = [float(line["BLEU"]) for line in csv.DictReader(lines, delimiter="\t")]
        return {"bleu": sum(each) / len(each), "corpus": corpus["BLEU"]["score"],
                "f1": corpus["F1"]["score"], "em": corpus["EM"]["score"]}

    def evaluate_translate(self):
        source, target = (self.corpus.file(f"test.{side}", self.counts["translated"]) for side in ("de", "en"))
        traces = self.write("translate", "greedy.jsonl", "-i", source, "--format", "jsonl")
        threshold = self.tuned_threshold()
        tuned = self.write("translate", "tuned.txt", "-i", source, "--end-rule", "threshold",
                           "--end-threshold", threshold)
        beam = self.write("translate", "beam.txt", "-i", source, "--beam-size", 8)
        ways = {"greedy": text_of(traces), "tuned": tuned, "--beam-size 8": beam}
        figures = {way: self.translation_figures(target, text) for way, text in ways.items()}
        figures["tuned"]["threshold"] = float(threshold)
        return {"translate": figures} | self.order(traces)

    def tuned_threshold(self):
        """The <end> threshold of the best validation BLEU, the paper's "+<end>-tuning"."""
        table = self.file("-tuning.tsv")
        self.bough("tune", "--model", self.model, "--source-valid", self.corpus.file("valid.de"),
                   "--valid", self.corpus.file("valid.en"), "-n", self.counts["tuned"], "--dry-run",
                   "-o", table, "--quiet")
        with open(table, encoding="utf-8") as file:
            tried = [line for line in csv.DictReader(file, delimiter="\t")
                     if line["end-rule"] == "threshold" and float(line["length-bias"]) == 0]
        return max(tried, key=lambda line: float(line["BLEU"]))["end-threshold"]

    def translation_figures(self, target, text):
        told = self.judge(target, text, "-m", "bleu", "meteor", "yisi0", "ribes")
        penalty = told["BLEU"]["verbose_score"].split("BP = ")[1].split()[0]
        return {"bleu": told["BLEU"]["score"], "bp": float(penalty), "meteor": 100 * told["METEOR"]["score"],
                "yisi": 100 * told["YiSi-0"]["score"], "ribes": 100 * told["RIBES"]["score"]}

    def order(self, traces):
        """In which order it writes: span and entropy by depth, and a language model's parts of speech."""
        tagger = [] if self.task == "lm" else ["--tagger", "none"]
        told = json.loads(self.bough("analyze", "--traces", traces, "--quiet", *tagger))[0]
        figures = {"trees": {"written": {"span": told.get("mean_span"), "depth score": told["depth_score"],
                                         "tau": told["order_correlation"]}},
                   "entropy": {"written": {str(depth): there["mean"] for depth, there
                                           in enumerate(told["entropy_by_depth"][:DEPTHS])}}}
        if not tagger:
            depths = told["tags_by_depth"][:DEPTHS]
            figures["tags"] = {tag: {str(there["depth"]): there.get(tag, 0.0) for there in depths}
                               for tag in ("PUNCT", "PRON", "VERB", "NOUN")}
        return figures

    def likelihood(self):
        """What validation sentences cost: perplexity a word, nats a sentence."""
        count = self.counts["scored"]
        if self.task == "translate":
            data = ["-i", self.corpus.file("valid.en", count), "--source", self.corpus.file("valid.de", count),
                    "--samples", 16]
        else:
            data = ["-i", self.corpus.file("valid.txt", count)]
        told = json.loads(self.bough("score", "--model", self.model, "--summary", "--seed", self.seed,
                                     "--quiet", *data))
        sums = {part: sum(there[part] for there in told["costs"]) / told["sentences"] for part in ("words", "shape")}
        nats = -told["logprob"] / told["sentences"]
        return {"perplexity": told.get("word_perplexity", told["perplexity"]), "nats": nats, **sums,
                "given back": sums["words"] + sums["shape"] - nats}


def read_json(file):
    return json.loads(file.read_text(encoding="utf-8"))


def write_json(file, result):
    write_whole(file, json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def read_recorded(folder, recipes):
    """The runs whose figures are recorded; they have to be those of the recipes as they are now."""
    runs = [read_json(file) for file in sorted(folder.glob("*.json"))]
    for run in runs:
        if run["options"] != recipes.get(run["row"]):
            raise Failure(f"'{folder}/{run['row']}-seed-{run['seed']}.json' is recorded of another recipe than "
                          f"recipes/{run['row']}.toml: remove it, and make the row again")
    return runs


def text_of(traces):
    """The sentences of a file of traces, as text."""
    file = traces.with_suffix(".txt")
    with open(traces, encoding="utf-8") as lines:
        write_whole(file, "".join(json.loads(line)["text"] + "\n" for line in lines))
    return file


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, one thread a run"


class Settings:
    """What the command line asks for."""

    def __init__(self, arguments):
        self.program = pathlib.Path(arguments.bough)
        if not self.program.is_file():
            raise Failure(f"there is no program '{self.program}': build it by `make build`, or set BOUGH")
        self.out = pathlib.Path(arguments.out)
        self.counts = dict(QUICK if arguments.quick else FULL)
        if arguments.lines:
            self.counts = {what: min(count or arguments.lines, arguments.lines)
                           for what, count in self.counts.items()}
        self.updates = arguments.updates or (QUICK_UPDATES if arguments.quick else 0)
        text, pairs = arguments.text, arguments.pairs
        if arguments.quick:
            text = text or self.debian_corpus("wordnet", "--lowercase")
            pairs = pairs or self.debian_corpus("ding", "--phrases")
        self.corpora = {}
        if text:
            self.corpora["text"] = Corpus(text, [".txt"], arguments.lines, self.out / "data")
        if pairs:
            self.corpora["translate"] = Corpus(pairs, [".de", ".en"], arguments.lines, self.out / "data")
        if not self.corpora and not arguments.page_only:
            raise Failure("on which data? make results PERSONACHAT=DIR TATOEBA=DIR, or one of them "
                          "(docs/results-notes.md says how to get them), or make results-quick")

    def debian_corpus(self, name, option):
        folder = self.out / "data" / name
        if not folder.is_dir():
            made = subprocess.run([self.program, "data", name, option, "--out", folder, "--quiet"], check=False)
            if made.returncode != 0:
                raise Failure(f"there are no sentences of {name}: install the packages of packages.txt")
        return folder


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bough", default=os.environ.get("BOUGH", "build/bough"), help="the program")
    parser.add_argument("--out", required=True, help="the folder of models and figures")
    parser.add_argument("--page", required=True, help="the page to write")
    parser.add_argument("--text", help="a folder with train.txt, valid.txt, test.txt (Persona-Chat)")
    parser.add_argument("--pairs", help="a folder with train, valid and test as .de and .en (Tatoeba)")
    parser.add_argument("--quick", action="store_true", help="WordNet and Ding instead, and fewer updates")
    parser.add_argument("--rows", default="", help="these recipes only, with commas")
    parser.add_argument("--seeds", default="1", help="with commas; default 1")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side, one thread each")
    parser.add_argument("--updates", type=int, default=0, help="instead of the recipes'")
    parser.add_argument("--lines", type=int, default=0, help="only so many lines of each file")
    parser.add_argument("--recorded", help="the folder of recorded figures; recipes/figures/runs, or none if --quick")
    parser.add_argument("--page-only", action="store_true", help="run nothing: the page of the figures there are")
    parser.add_argument("--record", action="store_true", help="keep the figures there: they are expected from now on")
    return parser.parse_args()


def runs_asked_for(arguments, settings, recipes):
    wanted = [row for row in arguments.rows.split(",") if row]
    for row in wanted:
        if row not in recipes:
            raise Failure(f"there is no recipes/{row}.toml; there are: {', '.join(recipes)}")
    runs = [Run(settings, row, recipe, int(seed))
            for seed in arguments.seeds.split(",") for row, recipe in recipes.items()
            if (not wanted or row in wanted)
            and ("translate" if recipe["task"] == "translate" else "text") in settings.corpora]
    if not runs:
        raise Failure("the rows asked for have no data: lm and reorder need PERSONACHAT=DIR, translate TATOEBA=DIR")
    return runs


def main():
    arguments = read_arguments()
    if arguments.record and not arguments.recorded and (arguments.quick or arguments.updates or arguments.lines):
        raise Failure("--record is for the recipes as they are, on all of their data")
    recorded = pathlib.Path(arguments.recorded) if arguments.recorded else None if arguments.quick else RECORDED
    settings = Settings(arguments)
    recipes = {row: in_updates(recipe, settings.updates) for row, recipe in read_recipes().items()}
    runs = [] if arguments.page_only else runs_asked_for(arguments, settings, recipes)
    before = read_recorded(recorded, recipes) if recorded else []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(run.result) for run in runs]
        try:
            for done in concurrent.futures.as_completed(waiting):
                done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

    made = [read_json(file) for row in recipes for file in sorted((settings.out / row).glob("seed-*.json"))]
    page = Page(made, before, RECIPES, pathlib.Path(arguments.page).parent, quick=arguments.quick)
    if arguments.record:
        for run in made:
            write_json(recorded / f"{run['row']}-seed-{run['seed']}.json", run)
    notes = None if arguments.quick else ROOT / "docs" / "results-notes.md"
    write_whole(pathlib.Path(arguments.page), page.text(notes))
    print(f"the page is '{arguments.page}'", file=sys.stderr)
    for row, outside in page.surprises().items():
        print(f"{row} is not as expected: {'; '.join(outside)}", file=sys.stderr)
    return 1 if page.surprises() else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
