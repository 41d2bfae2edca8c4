"""The keyword arguments of the package's functions, for type checkers and editors.

Made by scripts/python_keywords.py from the program's own declarations; do not edit. None is as if
it weren't given.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict


class WritingOptions(TypedDict, total=False):
    """Options of all verbs that write."""

    detokenize: bool | None
    """Write text as people do, `how are you?`, also where the model's tokenizer doesn't tell
    how."""
    tokens: bool | None
    """Write the model's words, or pieces of words, with spaces between."""
    alternatives: int | None
    """JSON: at each word, the so many likeliest actions (0 to 1000)."""
    seed: int | None
    """Names all random draws (0 or more; default 1)."""
    batch_size: int | None
    """Sentences written side by side; changes speed, not output (1 to 1000000; default 64)."""
    precision: Literal["float", "int8"] | None
    """Numbers to compute with: int8 is several times as fast and nearly as good; unless set, int8
    for a model that is kept in it (default float)."""
    order: Sequence[str] | str | None
    """For a model that was trained with --orders: which of them to write in; with several, the
    best of all are taken
    (uniform|coaching|annealed|left-right|right-left|balanced|content-first)."""
    beam_size: int | None
    """Search with so many trees side by side; 0: off (0 to 10000)."""
    length_power: float | None
    """The best sentences are those of the highest log-probability over their number of words to
    this power (0 to 10; default 1.0)."""
    mbr: int | None
    """Sample so many and take the one most like the others; 0: off (0 to 10000)."""
    mbr_metric: Literal["bleu", "chrf"] | None
    """What being alike means to --mbr (default bleu)."""
    end_rule: Literal["auto", "argmax", "threshold", "sample"] | None
    """Argmax: <end> competes with the words; threshold: it is taken where its probability reaches
    --end-threshold; sample: it is drawn by its probability, however words are chosen (in a beam it
    competes); auto: threshold with an <end> head, else argmax. With --shape arity a word's sides
    are closed by it, as <end> closes slots; in a beam they compete whatever it says (default
    auto)."""
    end_threshold: float | None
    """See --end-rule (0 to 1; default 0.5)."""
    end_temperature: float | None
    """Divides the <end> head's logit, or those of a word's sides; `bough tune` finds the one that
    makes the head's probabilities true (0.001 to 1000; default 1.0)."""
    length_bias: float | None
    """Lowers the logit of <end>, or of a closed side, by this for each word that is still expected
    at a slot: (--length-ratio × the source's length − words so far) / open slots (0 to 100)."""
    length_ratio: float | None
    """Words (or pieces) that are written for one of the source (0.001 to 1000; default 1.0)."""
    temperature: float | None
    """Divides the logits before sampling (0.001 to 1000; default 1.0)."""
    top_k: int | None
    """Sample among the k best actions; 0: all (0 to 1000000000)."""
    top_p: float | None
    """Sample among the best actions that hold this much of the probability (0 to 1; default
    1.0)."""
    allow_unknown: bool | None
    """Let <unk> stand for words outside the vocabulary."""
    min_length: int | None
    """Fewest words of a sentence (0 to 100000)."""
    max_length: int | None
    """Most words of a sentence (1 to 100000; default 100)."""
    length: int | None
    """Exactly so many words; 0: any (0 to 100000)."""
    max_depth: int | None
    """Most words on a path from the root; 0: no bound (0 to 100000)."""
    rerank: Literal["nothing", "likelihood", "agreement"] | None
    """Likelihood: the best sentences of a search (--beam-size), a vote (--mbr) or of samples are
    ranked by how likely they are, over all their trees; agreement: of a model with several orders,
    by the mean of what each of these says (default nothing)."""
    rerank_model: os.PathLike[str] | str | None
    """The model that says how likely, of the same task; without it the one that writes (DIR)."""
    rerank_samples: int | None
    """Trees drawn of a sentence to say how likely it is; models with an order need one (1 to
    1000000; default 16)."""
    rerank_among: int | None
    """How many of the best to choose among; --nbest, where that is more (1 to 1000000; default
    10)."""


class GenerateOptions(WritingOptions, total=False):
    """Options of `bough generate`."""

    decode: Literal["sample", "greedy"] | None
    """Sample, or take the best action at every step (default sample)."""


class CompleteOptions(WritingOptions, total=False):
    """Options of `bough complete`."""

    must: Sequence[str] | str | None
    """Words and phrases that have to appear, with commas between them, instead of --input
    (WORDS)."""
    any_order: bool | None
    """With --must: in the order that the model likes best, of up to six phrases."""
    avoid: Sequence[str] | str | None
    """Words and phrases that may not appear, with commas between them (PHRASES)."""
    seed_shape: Literal["best", "balanced", "chain"] | None
    """Which given word of a slot comes first: the one the model likes best, the middle one, or the
    first (default best)."""
    decode: Literal["sample", "greedy"] | None
    """Sample, or take the best action at every step (default sample)."""


class ReorderOptions(WritingOptions, total=False):
    """Options of `bough reorder`."""

    max_source: int | None
    """A line of more words (or pieces of words) is refused (1 to 1000000; default 500)."""
    exact: bool | None
    """Every word of the bag, each as often as it is there, and no other; unless --decode,
    --beam-size or --mbr say how, or `bough tune --exact --decode greedy` was run, by a beam of
    10."""
    root: str | None
    """The word that the tree begins with, and other words are written around (WORD)."""
    decode: Literal["sample", "greedy"] | None
    """Sample, or take the best action at every step (default greedy)."""


class TranslateOptions(WritingOptions, total=False):
    """Options of `bough translate`."""

    max_source: int | None
    """A line of more words (or pieces of words) is refused (1 to 1000000; default 500)."""
    shortlist: int | None
    """Write with the so many likeliest translations of each word of the source, and as many of the
    most frequent words; needs `bough shortlist`; 0: with all words (0 to 1000000000)."""
    root: str | None
    """The word that the tree begins with, and other words are written around (WORD)."""
    decode: Literal["sample", "greedy"] | None
    """Sample, or take the best action at every step (default greedy)."""


class ImitationOptions(TypedDict, total=False):
    """Options of oracles, in `bough train` and by themselves."""

    orders: Sequence[str] | str | None
    """Instead of --oracle two or three of these, one drawn for each batch: the model can write in
    each of the orders then (`--order NAME`), in the first if none is named
    (uniform|coaching|annealed|left-right|right-left|balanced|content-first)."""
    duplicates: Literal["uniform", "left-most"] | None
    """Which of several equal words of a span is taken (default uniform)."""
    whole_words: bool | None
    """A word that is cut into pieces is put whole: its first piece anywhere, the others from left
    to right behind it."""
    balance: float | None
    """Balanced: how fast the weight falls off from the span's middle, in words (0.01 to 1000;
    default 1.0)."""
    frequent_words: int | None
    """Content-first: so many of the vocabulary's most frequent words come after the others, which
    are put from left to right (1 to 10000000; default 20)."""
    anneal_from: Literal["uniform", "left-right", "balanced"] | None
    """Annealed: the oracle that beta is the share of; with others than uniform … (default
    uniform)."""
    uniform_share: float | None
    """… so much of it goes to all words of a span alike (0.001 to 1; default 0.1)."""
    beta_rate: float | None
    """Annealed: how much beta, the fixed oracle's share, falls each epoch (0 to 1; default
    0.05)."""
    beta_floor: float | None
    """Annealed: beta never falls below this (0 to 1)."""
    beta_burn_in: int | None
    """Annealed: epochs before beta begins to fall (0 to 1000000)."""
    rollin_beta_rate: float | None
    """Annealed: the same for the roll-in's beta; -1: as --beta-rate, which gives higher
    likelihoods; 0: it stays, which gives better samples; -2: 0 for --task lm, else -1 (-2 to 1;
    default -2.0)."""
    rollin_beta_burn_in: int | None
    """Annealed: the same for the roll-in's beta; -1: as --beta-burn-in (-1 to 1000000; default
    -1)."""
    coaching_rollin: Literal["sample", "greedy"] | None
    """How the roll-in follows the policy's preference among right words (default sample)."""
    rollin: Literal["oracle", "mixed", "policy"] | None
    """Who walks the training trees: the oracle, the policy, or a mix of both (default oracle)."""
    rollin_mix: float | None
    """Mixed: the probability of the policy's own action at a step (0 to 1; default 0.5)."""


class OracleOptions(ImitationOptions, total=False):
    """Options of oracles."""

    shape: Literal["end", "arity"] | None
    """How the shape of trees is told (default end)."""


class TrainOptions(ImitationOptions, total=False):
    """Options of `bough train`."""

    task: Literal["lm", "reorder", "translate"] | None
    """What the model learns (default lm)."""
    train: os.PathLike[str] | str | None
    """Training sentences, one a line; with --resume, those of the run (FILE)."""
    valid: os.PathLike[str] | str | None
    """Validation sentences; without them the last model is kept (FILE)."""
    source_train: os.PathLike[str] | str | None
    """Translation: the sentences that --train translates, line by line; none: --train is a TSV
    file with both (FILE)."""
    source_valid: os.PathLike[str] | str | None
    """Translation: the same for --valid (FILE)."""
    resume: bool | None
    """Go on with the run in --out, with its own options where none are given, or begin where there
    is none."""
    force: bool | None
    """Overwrite a model in --out."""
    epochs: int | None
    """Stop after so many epochs (1 to 1000000; default 50)."""
    updates: int | None
    """Stop after so many updates; 0: off (0 to 1000000000000)."""
    max_minutes: float | None
    """Stop this run after so many minutes; with --seeds, each seed after so many in all; 0: off (0
    to 1000000)."""
    patience: int | None
    """Stop after so many epochs without a better validation loss; 0: off (0 to 1000000)."""
    epoch_updates: int | None
    """Call so many updates an epoch; 0: a pass over the training data (0 to 1000000000)."""
    save_every: int | None
    """Save the run's state every so many updates too, not only each epoch (0 to 1000000000)."""
    log_every: int | None
    """Write a line of metrics.jsonl every so many updates (1 to 1000000000; default 50)."""
    samples: int | None
    """Sentences to sample after each epoch (0 to 1000; default 3)."""
    valid_limit: int | None
    """Validate on the first so many sentences; 0: all (0 to 1000000000)."""
    valid_samples: int | None
    """Judge the model at each validation by so many sentences of its own; below 2: not at all (0
    to 1000000; default 300)."""
    valid_likelihood: int | None
    """Estimate the validation sentences' perplexity by so many trees of each (one is exact for
    left-right and right-left); where the task has no goal of its own, the model with the lowest is
    kept; 0: off (0 to 1000000)."""
    seed: int | None
    """Names all random draws (0 or more; default 1)."""
    tokenizer: Literal["marks", "european"] | None
    """Marks: every punctuation mark is a word; european: numbers, abbreviations and apostrophes
    are left whole, and the text can be written again as it was (default marks)."""
    pretokenized: bool | None
    """Split lines at spaces only."""
    lowercase: bool | None
    """Turn text into lower case."""
    skip_bad_lines: bool | None
    """Skip and count malformed lines instead of failing."""
    column: int | None
    """The column of a TSV file that holds the sentences (1 to 1000; default 1)."""
    max_line_words: int | None
    """A line of more words is malformed (1 to 100000; default 1000)."""
    source_column: int | None
    """Translation: the column of a TSV file that holds the source (1 to 1000; default 1)."""
    max_words: int | None
    """Leave out training sentences of more words, and pairs with such a one; 0: none (0 to
    100000)."""
    bpe_merges: int | None
    """Cut words into pieces by so many byte-pair merges, learned from the training data; 0: words
    stay whole (0 to 100000000)."""
    source_vocabulary: Literal["shared", "own"] | None
    """Translation: whether both languages share merges, vocabulary and word vectors, or each has
    its own (default shared)."""
    max_vocab: int | None
    """Keep this many of the most frequent words; 0: all (0 to 10000000)."""
    min_count: int | None
    """Drop words that occur less often in the training data (1 to 1000000000; default 1)."""
    batch_size: int | None
    """Sentences in a batch (1 to 1000000; default 32)."""
    batch_tokens: int | None
    """Words in a batch, instead of --batch-size; 0: off (0 to 1000000000)."""
    policy: Literal["lstm", "transformer"] | None
    """The network (default lstm)."""
    encoder: Literal["none", "bag", "bilstm", "transformer"] | None
    """What reads a source; follows from --task and --policy (default none)."""
    layers: int | None
    """Layers of the policy, and of an encoder (1 to 64; default 2)."""
    hidden_size: int | None
    """Units of a layer (1 to 65536; default 1024)."""
    embedding_size: int | None
    """Width of a word's vector (1 to 65536; default 300)."""
    output_layer: Literal["tied", "untied"] | None
    """Whether the output layer shares the word vectors' matrix or has its own (default tied)."""
    dropout: float | None
    """Share of units dropped while training (0 to 0.99)."""
    shape: Literal["end", "arity"] | None
    """How the tree's shape is told: by <end> at every empty slot, as in the paper, or by saying
    with each word on which sides of it there is something, in half the steps (default end)."""
    end_head: bool | None
    """Predict <end> by a head of its own."""
    slot_context: Literal["none", "neighbours", "path", "both"] | None
    """What the policy is told about the slot it fills: the words on both sides of it, its path
    from the root, both, or (as in the paper) nothing (default neighbours)."""
    bag_state: Literal["every-step", "start"] | None
    """Whether the bag's vector is added to the state before every step (as the paper's program
    does) or at the start only (default every-step)."""
    heads: int | None
    """Attention heads of a layer (1 to 1024; default 4)."""
    feed_forward: int | None
    """Inner units of a feed-forward layer (1 to 65536; default 1024)."""
    norm: Literal["pre", "post"] | None
    """Whether a layer normalises what it reads or what it gives (default pre)."""
    tree_encoding: bool | None
    """Add each word's path from the root to its vector."""
    tree_depth: int | None
    """Steps of a path that are told; the deepest ones of a longer one (1 to 64; default 16)."""
    embeddings: os.PathLike[str] | str | None
    """Start from these word vectors (GloVe's text format) (FILE)."""
    embedding_scale: float | None
    """Other word vectors start from N(0, 1) times this (0 to 100; default 1.0)."""
    oracle: Literal[
        "uniform", "coaching", "annealed", "left-right", "right-left", "balanced", "content-first"] | None
    """Whom the policy imitates (default annealed)."""
    label_smoothing: float | None
    """How much of the target goes to all words alike (0 to 0.99)."""
    end_weight: float | None
    """With an <end> head: a step at which n words are due counts n to this power times in its
    loss, since <end> would lose them all; 0: once (0 to 4)."""
    learning_rate: float | None
    """The highest (0 to 10; default 0.001)."""
    lr_schedule: Literal["steps", "inverse-sqrt"] | None
    """How it falls: in steps, or with the square root of the number of updates (default steps)."""
    lr_factor: float | None
    """Steps: multiply the learning rate by this … (0 to 1; default 0.5)."""
    lr_every: int | None
    """… after every so many epochs; 0: never (0 to 1000000; default 20)."""
    warmup: int | None
    """Rise to the highest over so many updates (0 to 1000000000)."""
    cool_down: int | None
    """Fall to zero over the last so many of --updates (0 to 1000000000)."""
    clip: float | None
    """Largest norm of the gradient; 0: no bound (0 to 1000000000; default 1.0)."""
    gradient_exchange: Literal["float", "bfloat16"] | None
    """Where several processes train: numbers that gradients are sent as; bfloat16 halves the bytes
    (default float)."""
    average: float | None
    """Keep an exponential average of the weights that decays by this at each update, and judge and
    save that; 0: none (0 to 0.999999)."""


class ScoreOptions(TypedDict, total=False):
    """Options of `bough score`."""

    max_source: int | None
    """A line of more words (or pieces of words) is refused (1 to 1000000; default 500)."""
    max_words: int | None
    """A sentence of more words (or pieces of words) is refused (1 to 1000000; default 500)."""
    samples: int | None
    """Trees drawn for a sentence (1 to 1000000; default 64)."""
    draws: Literal["stratified", "independent"] | None
    """Stratified: where draws part, as many go each way as their probability says; independent:
    each is drawn by itself (default stratified)."""
    coaching: float | None
    """Trees are drawn in proportion to the policy's probabilities to this power, 0: all places of
    a slot alike; below 0: 0 for models of the uniform oracle, else 0.75 (-1 to 10; default
    -1.0)."""
    exact: bool | None
    """Sum over all trees; for sentences of up to nine words, or models with an order."""
    order: Sequence[str] | str | None
    """For a model that was trained with --orders: by which of them; the first if none is named
    (uniform|coaching|annealed|left-right|right-left|balanced|content-first)."""
    all_trees: bool | None
    """Sum over all trees even where the model has learned one order, and so has one tree for a
    sentence."""
    by_word: bool | None
    """What each word costs, too: how much likelier the sentence is without it, and with the best
    other word in its place."""
    others: int | None
    """Other words that --by-word tries at each place: those that the model likes best (0 to 1000;
    default 5)."""
    seed: int | None
    """Names all random draws (0 or more; default 1)."""
    batch_size: int | None
    """Trees side by side; changes speed, not output (1 to 1000000; default 256)."""


class MetricOptions(TypedDict, total=False):
    """Options of `bough eval`."""

    wordnet: os.PathLike[str] | str | None
    """METEOR: WordNet's files (Debian's wordnet-base) (DIR; default /usr/share/wordnet)."""
    yisi_vectors: os.PathLike[str] | str | None
    """YiSi-1: word vectors as text, a word and its numbers a line (FILE)."""
    tokenize: Literal["13a", "intl", "zh", "char", "none"] | None
    """BLEU: how lines become words (default 13a)."""
    lowercase: bool | None
    """BLEU, F1, EM and edit: ignore case."""
    smooth_method: Literal["exp", "floor", "add-k", "none"] | None
    """BLEU: what stands in for an n-gram share of zero (default exp)."""
    smooth_value: float | None
    """BLEU: the number of floor and add-k; -1: 0.1 and 1 (-1 to 1000; default -1.0)."""
    effective_order: bool | None
    """BLEU: leave out orders the text is too short for (always so for single sentences)."""
    max_ngram_order: int | None
    """BLEU: the longest n-grams (1 to 16; default 4)."""
    chrf_char_order: int | None
    """ChrF: the longest n-grams of characters (1 to 16; default 6)."""
    chrf_word_order: int | None
    """ChrF: the longest n-grams of words; 2 is chrF++ (0 to 16)."""
    chrf_beta: int | None
    """ChrF: how many times recall counts for precision (1 to 100; default 2)."""
    chrf_lowercase: bool | None
    """ChrF: ignore case."""
    chrf_whitespace: bool | None
    """ChrF: white space counts as a character."""
    chrf_eps_smoothing: bool | None
    """ChrF: average F scores, with a tiny number for zero, as chrF++.py does."""
    ter_normalized: bool | None
    """TER: set punctuation off as words of its own."""
    ter_no_punct: bool | None
    """TER: leave punctuation out."""
    ter_asian_support: bool | None
    """TER: the two above treat Chinese and Japanese writing too."""
    ter_case_sensitive: bool | None
    """TER: upper and lower case differ."""
    ribes_alpha: float | None
    """RIBES: the power of the unigram precision (0 to 100; default 0.25)."""
    ribes_beta: float | None
    """RIBES: the power of the brevity penalty (0 to 100; default 0.1)."""
    ribes_correlation: Literal["kendall", "spearman"] | None
    """RIBES: which rank correlation (default kendall)."""
    ribes_case_sensitive: bool | None
    """RIBES: upper and lower case differ."""
    meteor_task: Literal["rank", "adq", "li"] | None
    """What the parameters were tuned for: ranking systems, adequacy, any language (default
    rank)."""
    meteor_normalize: Literal["norm", "nopunct", "lower", "none"] | None
    """METEOR's tokens, the same without punctuation, lower case only, or none of these (default
    norm)."""
    meteor_modules: str | None
    """Which words match: exact, stem, synonym, or some of these, with commas (LIST; default
    exact,stem,synonym)."""
    meteor_weights: str | None
    """The modules' weights, with commas; if empty, the first ones of the task (LIST)."""
    meteor_alpha: float | None
    """The weight of recall against precision; -1: the task's (-1 to 1; default -1.0)."""
    meteor_beta: float | None
    """The exponent of the fragmentation penalty; -1: the task's (-1 to 100; default -1.0)."""
    meteor_gamma: float | None
    """The greatest fragmentation penalty; -1: the task's (-1 to 1; default -1.0)."""
    meteor_delta: float | None
    """The weight of content words against function words; -1: the task's (-1 to 1; default
    -1.0)."""
    meteor_beam: int | None
    """Paths that the search for an alignment keeps (1 to 100000; default 40)."""
    yisi_alpha: float | None
    """YiSi: the share of recall in the score; the rest is precision's (0 to 1; default 0.8)."""
    yisi_ngram: int | None
    """YiSi: how many words are compared at once (1 to 100; default 3)."""
    yisi_weights: Literal["learn", "uniform"] | None
    """YiSi: learn: a word of few references weighs more; uniform: all weigh the same (default
    learn)."""
    threads: int | None
    """Threads to compute with; 0: all cores (0 to 4096)."""
