// What a Transformer has beside the options of every policy.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "bough/base/options.h"

namespace bough {

/// Where a sublayer f is normalised: x + f(norm(x)), or as at first norm(x + f(x)), which needs
/// more care in training.
enum class NormPlace { kPre, kPost };
template <>
struct EnumNames<NormPlace> {
  static constexpr auto kNames =
      std::to_array<EnumName<NormPlace>>({{NormPlace::kPre, "pre"}, {NormPlace::kPost, "post"}});
};

struct TransformerOptions {
  int64_t heads = 4;
  int64_t feed_forward = 1024;
  NormPlace norm = NormPlace::kPre;
  bool tree_encoding = false;
  int64_t tree_depth = 16;

  void declare(OptionSet& set) {
    set.group("Transformer");
    set.integer("heads", heads, {1, 1024}, "attention heads of a layer");
    set.integer("feed-forward", feed_forward, {1, 65536}, "inner units of a feed-forward layer");
    set.choice("norm", norm, "whether a layer normalises what it reads or what it gives");
    set.flag("tree-encoding", tree_encoding, "add each word's path from the root to its vector");
    set.integer("tree-depth", tree_depth, {1, 64},
                "steps of a path that are told; the deepest ones of a longer one");
  }
};

}  // namespace bough
