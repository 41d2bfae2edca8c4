// Measuring a text in parts: each writes its rows, and the parts' rows are scored together.
//
//     bough eval REF -i HYP -m bleu --shard 1/2 --rows-out one
//     bough eval REF -i HYP -m bleu --shard 2/2 --rows-out two
//     bough eval REF -m bleu --rows-in one two
#pragma once

#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/shard.h"

namespace bough::cli {

struct EvalParts {
  ShardOptions shard;
  std::string rows_out;
  std::vector<std::string> rows_in;

  /// `what` a part is one of: "the lines".
  void declare(OptionSet& set, std::string_view what) {
    set.text("shard", shard.shard, "I/N",
             "measure the I-th, from 1, of N equal parts of " + std::string(what));
    set.text("rows-out", rows_out, "FILE",
             "write what each was measured at, for --rows-in; of one system");
    set.list("rows-in", rows_in, "FILE",
             "score what --rows-out has written: all parts, in their order, instead of measuring");
  }

  /// UsageError for options that contradict each other; so many systems, which `option` names, are
  /// measured here.
  void check(size_t systems, std::string_view option) const {
    if (rows_in.empty() == (systems == 0)) {
      throw UsageError("give {}, what to measure, or --rows-in, what was measured: one of them",
                       option);
    }
    if (!rows_in.empty() && !(rows_out.empty() && shard.parse().is_whole())) {
      throw UsageError("--shard and --rows-out go with measuring, not with --rows-in");
    }
    if (!rows_out.empty() && systems > 1) {
      throw UsageError("--rows-out takes the rows of one system, not of {}", systems);
    }
  }
};

}  // namespace bough::cli
