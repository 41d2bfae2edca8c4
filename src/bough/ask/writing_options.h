// What is asked of a model that is to write: for each verb its options, declared once.
#pragma once

#include <string>

#include "bough/ask/source_options.h"
#include "bough/ask/text_options.h"
#include "bough/generate/reranker.h"
#include "bough/generate/writer_options.h"

namespace bough::ask {

/// What the verbs share that write sentences.
struct WritingOptions {
  WriterOptions options;
  RerankOptions rerank;
  TextOptions text;

  void declare(OptionSet& set) {
    text.declare(set);
    options.declare(set);
    rerank.declare(set);
  }
};

/// The word that the trees of what is written from sources begin with.
struct RootOptions {
  std::string root;

  void declare(OptionSet& set) {
    set.text("root", root, "WORD",
             "the word that the tree begins with, and other words are written around");
  }
};

struct GenerateOptions {
  int64_t count = 1;
  WritingOptions writing;

  void declare(OptionSet& set) {
    set.integer("count", count, {0, 1'000'000'000},
                "how many sentences; with --beam-size the best so many of one search")
        .short_name = 'n';
    writing.declare(set);
  }
};

struct CompleteOptions {
  std::string must;
  bool any_order = false;
  std::string avoid;
  int64_t count = 1;
  WritingOptions writing;

  void declare(OptionSet& set) {
    set.text("must", must, "WORDS",
             "words and phrases that have to appear, with commas between them, instead of --input");
    set.flag("any-order", any_order,
             "with --must: in the order that the model likes best, of up to six phrases");
    set.text("avoid", avoid, "PHRASES",
             "words and phrases that may not appear, with commas between them");
    set.choice("seed-shape", writing.options.shape,
               "which given word of a slot comes first: the one the model likes best, the middle "
               "one, or the first");
    set.integer("count", count, {1, 1'000'000},
                "sentences for each template; with --beam-size the best so many")
        .short_name = 'n';
    writing.declare(set);
  }
};

struct ReorderOptions {
  SourceOptions source;
  RootOptions root;
  bool exact = false;
  WritingOptions writing;

  ReorderOptions() { writing.options.sampler.decode = usual_decode(TaskKind::kReorder); }

  void declare(OptionSet& set) {
    source.declare(set);
    set.flag(
        "exact", exact,
        "every word of the bag, each as often as it is there, and no other; unless --decode, "
        "--beam-size or --mbr say how, or `bough tune --exact --decode greedy` was run, by a beam "
        "of 10");
    root.declare(set);
    writing.declare(set);
  }
};

struct TranslateOptions {
  SourceOptions source;
  RootOptions root;
  int64_t shortlist = 0;
  WritingOptions writing;

  TranslateOptions() { writing.options.sampler.decode = usual_decode(TaskKind::kTranslate); }

  void declare(OptionSet& set) {
    source.declare(set);
    set.integer("shortlist", shortlist, {0, 1'000'000'000},
                "write with the so many likeliest translations of each word of the source, and as "
                "many of the most frequent words; needs `bough shortlist`; 0: with all words");
    root.declare(set);
    writing.declare(set);
  }
};

}  // namespace bough::ask
