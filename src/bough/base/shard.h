// One of several equal parts of some work, `--shard 2/3`: contiguous, so that what comes of the
// parts, one behind the other, is what comes of the whole. Who spreads them over machines is
// another's business (a Slurm array, GNU parallel, …).
#pragma once

#include <cstdint>
#include <string>

#include "bough/base/options.h"

namespace bough {

struct Shard {
  int64_t index = 0;  // from 0
  int64_t count = 1;

  bool is_whole() const { return count == 1; }
  /// Of so many, this part's first one, and the one behind its last.
  int64_t begin(int64_t total) const { return share(total, index); }
  int64_t end(int64_t total) const { return share(total, index + 1); }

 private:
  int64_t share(int64_t total, int64_t parts) const {
    return total / count * parts + total % count * parts / count;
  }
};

struct ShardOptions {
  std::string shard;

  /// `what` it is a part of: "the input".
  void declare(OptionSet& set, std::string_view what) {
    set.text("shard", shard, "I/N",
             "the I-th, from 1, of N equal parts of " + std::string(what) +
                 "; the parts' outputs, one behind the other, are the whole's")
        .about_the_program();
  }

  /// UsageError where it isn't one.
  Shard parse() const;
};

}  // namespace bough
