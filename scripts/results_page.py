"""The page of results: which tables there are, what the paper claims, how figures become Markdown.

Figures are figures[table][way][column] of a run, where a way is how it wrote (greedily, with a beam,
sampled among the k best). Those that were recorded stand in recipes/figures/runs, a file for each run; they
are what is expected of a run that is made again, and fill the page's rows that weren't. Nothing here runs
anything; results.py does.
"""

import dataclasses
import math
import os
import statistics
import textwrap
import threading
import tomllib

TASKS = {"lm": "language model", "reorder": "reordering", "translate": "translation"}
# The recipes in the order of the paper's tables.
ORACLES = ("left-right", "uniform", "annealed", "annealed-tree", "annealed-uniform-rollin", "annealed-arity",
           "content-first")


class Failure(Exception):
    """What went wrong and what to do, for whoever started the script."""


def read_toml(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def write_whole(path, text):
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{threading.get_ident()}.tmp")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


@dataclasses.dataclass
class Column:
    key: str
    heading: str
    digits: int
    tolerance: float = 0  # of what is expected; 0: nothing is


@dataclasses.dataclass
class Table:
    key: str
    heading: str
    caption: str
    columns: list
    way: str = ""  # what the ways differ in; none: there is one


def by_depth(digits):
    return [Column(str(depth), str(depth), digits) for depth in range(6)]


TABLES = [
    Table("samples", "Unconditional samples",
          "The paper's Table 1: {samples} samples of each model. Novel: not in the "
          "training data; span: children of the words that have any; BLEU-4 against the validation sentences.",
          [Column("novel", "novel, %", 1, 3), Column("unique", "unique, %", 1, 1),
           Column("tokens", "words", 1, 1), Column("span", "span", 2, 0.05), Column("bleu", "BLEU", 1, 3)]),
    Table("completion", "Completion",
          "Three words of each of {completed} validation sentences are given as a tree, one completion is "
          "sampled, BLEU-4 against the validation sentences; the paper's are in its section on sentence completion.",
          [Column("bleu", "BLEU", 1, 3), Column("tokens", "words", 1)]),
    Table("top-k", "Samples by top-k",
          "The paper's Table 6 (appendix): BLEU of {samples} samples that are drawn among the k best actions.",
          [Column(f"bleu-{n}", f"BLEU-{n}", 3, 0.03) for n in (2, 3, 4)], "k"),
    Table("reorder", "Word reordering",
          "The paper's Table 3: {ordered} test sentences. BLEU is the mean over sentences, without smoothing, "
          "as in the authors' program; corpus BLEU is sacreBLEU's. `--exact` allows permutations only.",
          [Column("bleu", "BLEU", 1, 3), Column("corpus", "corpus BLEU", 1, 3), Column("f1", "F1", 3, 0.03),
           Column("em", "exact match", 3, 0.03)], "decoding"),
    Table("translate", "Translation",
          "The paper's Table 4: {translated} test sentences. The paper's are those of IWSLT'16; its METEOR has "
          "paraphrases and ours has none; our YiSi is YiSi-0. Tuned: the `<end>` threshold that is best for "
          "{tuned} validation sentences.",
          [Column("bleu", "BLEU", 1, 3), Column("bp", "brevity penalty", 2, 0.05),
           Column("meteor", "METEOR", 1, 1.5), Column("yisi", "YiSi", 1, 2), Column("ribes", "RIBES", 1, 2)],
          "decoding"),
    Table("likelihood", "Likelihood",
          "`bough score --summary` of {scored} validation sentences: perplexity a word, and nats a sentence: what "
          "words and shape cost along the trees drawn, and what the sum over trees gives back. The paper has "
          "none of it.",
          [Column("perplexity", "perplexity", 2), Column("words", "words", 1), Column("shape", "shape", 1),
           Column("given back", "given back", 1), Column("nats", "in all", 1, 1)]),
    Table("trees", "Trees",
          "What trees look like (docs/analysis.md says what is measured): of the samples, or of what was ordered or "
          "translated greedily.",
          [Column("span", "span", 2), Column("depth score", "depth score", 2), Column("tau", "Kendall's τ", 2)]),
    Table("entropy", "Entropy by depth",
          "Entropy of the policy at each depth, as a share of the highest that it could be. The paper has a "
          "figure of it, without numbers.", by_depth(2)),
    Table("tags", "Parts of speech by depth",
          "Share of a part of speech at each depth less its share among all words, of the samples. The paper has a "
          "figure of it, without numbers.", by_depth(2), "tag"),
]


# What the paper claims: of some rows, figures in a place of a table (table, way, columns), and whether
# they are as it says. A place with several columns is a profile over depth.
SAMPLES, COMPLETION, REORDER, TRANSLATE = (
    (table, way, [column]) for table, way, column in (
        ("samples", "sampled", "bleu"), ("completion", "sampled", "bleu"), ("reorder", "greedy", "bleu"),
        ("translate", "greedy", "bleu")))
NEAR_ROOT = [str(depth) for depth in range(4)]


def falling(values):
    return all(a > b for a, b in zip(values, values[1:]))


def each(holds):
    return lambda values: all(map(holds, values))


def lowest_first(profile):
    return profile[0] == min(profile)


def highest_first(profile):
    return profile[0] == max(profile)


def near_root(profile):
    return max(profile[:2]) > 0


CLAIMS = [
    ("samples: BLEU highest for annealed, then left-right, then uniform", falling, SAMPLES,
     ["lm-annealed", "lm-left-right", "lm-uniform"]),
    ("samples: the same with the roll-in of the authors' program", falling, SAMPLES,
     ["lm-annealed-uniform-rollin", "lm-left-right", "lm-uniform"]),
    ("samples: most novel for uniform, then annealed, then left-right", falling, ("samples", "sampled", ["novel"]),
     ["lm-uniform", "lm-annealed", "lm-left-right"]),
    ("samples: spans of about 1.3 to 1.5", each(lambda span: 1.25 <= span < 1.55), ("samples", "sampled", ["span"]),
     ["lm-uniform", "lm-annealed"]),
    ("completion: BLEU highest for annealed, then uniform, then left-right", falling, COMPLETION,
     ["lm-annealed", "lm-uniform", "lm-left-right"]),
    ("completion: the same with the roll-in of the authors' program", falling, COMPLETION,
     ["lm-annealed-uniform-rollin", "lm-uniform", "lm-left-right"]),
    ("reordering: BLEU higher for annealed than for uniform", falling, REORDER,
     ["reorder-annealed", "reorder-uniform"]),
    ("reordering: F1 higher for uniform than for left-right", falling, ("reorder", "greedy", ["f1"]),
     ["reorder-uniform", "reorder-left-right"]),
    ("reordering: F1 higher for annealed than for left-right", falling, ("reorder", "greedy", ["f1"]),
     ["reorder-annealed", "reorder-left-right"]),
    ("translation: BLEU highest for left-right, then annealed, then uniform", falling, TRANSLATE,
     ["translate-left-right", "translate-annealed", "translate-uniform"]),
    ("translation: tree encoding helps", falling, TRANSLATE, ["translate-annealed-tree", "translate-annealed"]),
    ("more punctuation at the root of annealed trees, or next to it, than among all words", each(near_root),
     ("tags", "PUNCT", NEAR_ROOT), ["lm-annealed"]),
    ("more pronouns there, too", each(near_root), ("tags", "PRON", NEAR_ROOT), ["lm-annealed"]),
    ("samples: entropy lowest at the root for annealed", each(lowest_first), ("entropy", "written", NEAR_ROOT),
     ["lm-annealed"]),
    ("samples: entropy highest at the root for left-right and uniform", each(highest_first),
     ("entropy", "written", NEAR_ROOT), ["lm-left-right", "lm-uniform"]),
    ("reordering: entropy lowest at the root for annealed", each(lowest_first), ("entropy", "written", NEAR_ROOT),
     ["reorder-annealed"]),
    ("reordering: entropy highest at the root for left-right and uniform", each(highest_first),
     ("entropy", "written", NEAR_ROOT), ["reorder-left-right", "reorder-uniform"]),
]


# The quantiles 0.975 of Student's t distribution by degrees of freedom, from 1.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def interval(values):
    """The 95 % interval of the mean of some seeds' values."""
    mean = statistics.fmean(values)
    wide = STUDENT[min(len(values) - 1, len(STUDENT)) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return mean - wide, mean + wide


def task_of(row):
    return row.split("-", 1)[0]


def in_order(row):
    task, _, oracle = row.partition("-")
    if task not in TASKS:
        raise Failure(f"recipes/{row}.toml: names begin with {'-, '.join(TASKS)}-")
    return list(TASKS).index(task), ORACLES.index(oracle) if oracle in ORACLES else len(ORACLES), oracle


def wrapped(text):
    """Paragraphs with lines of up to 110 columns."""
    return "\n\n".join(textwrap.fill(part, 110, break_long_words=False, break_on_hyphens=False)
                       for part in text.split("\n\n"))


def markdown(header, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *lines]) + "\n"


class Page:
    def __init__(self, made, recorded, recipes, folder, quick):
        """Of the JSON of runs, those made here and those recorded; folder: where the page goes.

        What is recorded stands beside what is made on the same data only.
        """
        def measured_on(run):
            return run["data"], run["counts"]

        data = {task_of(run["row"]): measured_on(run) for run in made}
        self.made = made
        self.recorded = [run for run in recorded if data.get(task_of(run["row"]), measured_on(run)) == measured_on(run)]
        here = {(run["row"], run["seed"]) for run in made}
        others = [run for run in self.recorded if (run["row"], run["seed"]) not in here]
        self.shown = sorted(made + others, key=lambda run: (in_order(run["row"]), run["seed"]))
        self.paper = read_toml(recipes / "figures" / "paper.toml")
        self.quick = quick  # other data and far less training
        self.recipes = os.path.relpath(recipes, folder)
        self.rows = list(dict.fromkeys(run["row"] for run in self.shown))

    def runs(self, row):
        return [run for run in self.shown if run["row"] == row]

    def values(self, row, *place):
        """A figure of all runs of a row that have it, by seed."""
        return figures_of(self.runs(row), *place)

    def cell(self, row, table, way, column):
        """Mean ± deviation, and in brackets the paper's figure."""
        values = self.values(row, table.key, way, column.key).values()
        if not values:
            return ""
        text = f"{statistics.fmean(values):.{column.digits}f}"
        if len(values) > 1:
            text += f" ± {statistics.stdev(values):.{column.digits}f}"
        theirs = self.paper.get(row, {}).get(table.key, {}).get(way, {}).get(column.key)
        return text if theirs is None else f"{text} ({theirs:.{column.digits}f})"

    def table(self, table):
        tasks = {task_of(row) for row in self.rows if self.runs(row)[0]["figures"].get(table.key)}
        several = len(tasks) > 1
        header = ["task"] * several + ["oracle"] + [table.way] * bool(table.way)
        lines = []
        for row in self.rows:
            task, oracle = row.split("-", 1)
            for way in self.runs(row)[0]["figures"].get(table.key, {}):
                cells = [TASKS[task]] * several + [f"[{oracle}]({self.recipes}/{row}.toml)"]
                cells += [f"`{way}`" if way.startswith("-") else way] * bool(table.way)
                lines.append(cells + [self.cell(row, table, way, column) for column in table.columns])
        return markdown(header + [column.heading for column in table.columns], lines) if lines else ""

    def claims(self):
        lines = []
        for claim, holds, (table, way, columns), rows in CLAIMS:
            found = [[self.values(row, table, way, column) for column in columns] for row in rows]
            seeds = set.intersection(*(set(values) for profile in found for values in profile))
            if not seeds:
                continue
            figures = [[statistics.fmean(values[seed] for seed in seeds) for values in profile] for profile in found]
            digits = next(column.digits for one in TABLES if one.key == table for column in one.columns
                          if column.key == columns[0])
            told = [f"{row.replace('-', ': ', 1)} " + ", ".join(f"{value:.{digits}f}" for value in profile)
                    for row, profile in zip(rows, figures)]
            values = figures if len(columns) > 1 else [value for value, in figures]
            ahead = []
            if holds is falling and len(seeds) > 1:
                for (ours,), (theirs,) in zip(found, found[1:]):
                    low, high = interval([ours[seed] - theirs[seed] for seed in seeds])
                    ahead.append(f"{low:.{digits}f} to {high:.{digits}f}")
            lines.append([claim, "yes" if holds(values) else "no", "; ".join(told), str(len(seeds)), "; ".join(ahead)])
        header = ["the paper", "here", "figures", "seeds", "each before the next by, 95 %"]
        return markdown(header, lines) if lines else ""

    def costs(self):
        lines = []
        for row in self.rows:
            runs = self.runs(row)
            minutes = [statistics.fmean(run["minutes"][part] for run in runs) for part in ("training", "evaluation")]
            options = runs[0]["options"]
            lines.append([TASKS[task_of(row)], row.split("-", 1)[1], ", ".join(str(run["seed"]) for run in runs),
                          f"{options['layers']} × {options['hidden-size']}",
                          f"{options['updates']:,} × {options['batch-size']}", *(f"{part:.1f}" for part in minutes)])
        return markdown(["task", "oracle", "seeds", "layers × units", "updates × sentences",
                         "core-minutes a seed, training", "evaluation"], lines)

    def expectations(self, row):
        """For each figure that is expected of a row made here: its place, mean, what is expected, tolerance.

        The tolerance is three standard deviations between the seeds recorded, but not less than the column's,
        which is all there is for a single seed.
        """
        made, recorded = ([run for run in runs if run["row"] == row] for runs in (self.made, self.recorded))
        places = [(table, way, column) for table in TABLES for column in table.columns if column.tolerance
                  for way in (recorded[0]["figures"].get(table.key, {}) if recorded else {})]
        for table, way, column in places:
            ours, theirs = (list(figures_of(runs, table.key, way, column.key).values())
                            for runs in (made, recorded))
            if ours and theirs:
                tolerance = max(column.tolerance, 3 * (statistics.stdev(theirs) if len(theirs) > 1 else 0))
                yield (f"{table.key}, {way}, {column.heading}", column, statistics.fmean(ours),
                       statistics.fmean(theirs), tolerance)

    def surprises(self):
        """What is not as expected, as text, by row."""
        def told(place, column, *values):
            mean, expected, tolerance = (f"{value:.{column.digits}f}" for value in values)
            return f"{place}: {mean}, not {expected} ± {tolerance}"

        return {row: outside for row in self.rows
                if (outside := [told(place, column, mean, expected, tolerance)
                                for place, column, mean, expected, tolerance in self.expectations(row)
                                if abs(mean - expected) > tolerance])}

    def agreement(self):
        outside = self.surprises()
        lines = []
        for row in self.rows:
            if count := len(list(self.expectations(row))):
                told = "; ".join(outside.get(row, [f"all {count} figures as expected"]))
                lines.append([TASKS[task_of(row)], row.split("-", 1)[1], told])
        return markdown(["task", "oracle", "beside recipes/figures/runs"], lines) if lines else ""

    def conditions(self):
        """Data, seeds, command, machine and date."""
        sizes = {name: size for run in self.shown for name, size in run["data"].items()}
        text, pairs = ("WordNet's examples", "Ding's phrases") if self.quick else ("Persona-Chat", "Tatoeba")
        data = [f"{name}, {sizes[file]:,} {what}" for file, name, what in
                (("train.txt", text, "training sentences (the paper: 133,176)"),
                 ("train.en", pairs, "training pairs (the paper's IWSLT'16: 196 thousand)")) if file in sizes]
        seeds, dates, machines = (sorted({run[part] for run in self.shown}) for part in ("seed", "date", "machine"))
        trial = "Little training on other data: this tries the recipes out.\n\n" if self.quick else ""
        command = "make results-quick" if self.quick else "make results PERSONACHAT=DIR TATOEBA=DIR"
        return (f"{trial}Data: {'; '.join(data)}. {'Seed' if len(seeds) == 1 else 'Seeds'} "
                f"{', '.join(map(str, seeds))}; `{command}`. Machine: {'; '.join(machines)}. "
                f"{' to '.join(dict.fromkeys([dates[0], dates[-1]]))}.")

    def text(self, notes_file):
        """The page; notes_file has what is said under its tables."""
        notes = read_notes(notes_file) if notes_file else {}
        counts = {name: f"{size:,}" if size else "all" for name, size in self.shown[0]["counts"].items()}
        sections = [
            ("Results", f"The paper's tables at our scale, a row for each [recipe]({self.recipes}). In brackets the "
             "paper's figures; where there are none, it has none. ± is the standard deviation between seeds, where "
             "there are several (the cost table says which).\n\n" + self.conditions(), ""),
            ("What the paper claims", "Whether it is so here, by the means over the seeds that all of a line's rows "
             "have. By how much rows are ahead of each other is told as a 95 % interval (Student's t) of the "
             "differences of runs with the same seed; of a single seed, small differences mean nothing.", self.claims()),
            *((table.heading, table.caption.format(**counts), self.table(table)) for table in TABLES),
            ("What it cost", "Rows of a task have the same size and as many updates.", self.costs()),
            ("As expected", "Rows that were made again should give what is recorded, within its tolerance: three "
             "standard deviations between the recorded seeds, or what scripts/results_page.py says, if more.",
             self.agreement())]
        if unknown := set(notes) - {heading for heading, _, _ in sections}:
            raise Failure(f"'{notes_file}' has notes on {', '.join(sorted(unknown))}, which the page has not")
        parts = ["<!-- Written by `make results`; the sentences on what agrees are in docs/results-notes.md. -->\n"]
        for heading, caption, table in sections:
            if table or heading == "Results":
                parts += [f"{'#' if heading == 'Results' else '##'} {heading}\n", wrapped(caption) + "\n"]
                parts += [part + "\n" for part in (table.rstrip(), notes.get(heading)) if part]
        return "\n".join(parts)


def figures_of(runs, table, way, column):
    """A figure of those runs that have it, by seed."""
    found = {run["seed"]: run["figures"].get(table, {}).get(way, {}).get(column) for run in runs}
    return {seed: value for seed, value in found.items() if value is not None}


def read_notes(file):
    """The text under each `## heading`."""
    notes = {}
    heading = None
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:].strip()
            notes[heading] = ""
        elif heading:
            notes[heading] += line + "\n"
    return {heading: text.strip() for heading, text in notes.items()}
