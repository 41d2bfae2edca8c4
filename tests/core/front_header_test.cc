// The front header alone, in a program that knows nothing of LibTorch: what is public compiles, and
// has the names and types that docs/library.md lists.
#include "bough/bough.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace bough {
namespace {

static_assert(std::is_move_constructible_v<LoadedModel>);
static_assert(!std::is_copy_constructible_v<LoadedModel>);
static_assert(std::is_copy_constructible_v<Sentence>);

using Texts = std::span<const std::string>;
static_assert(
    std::is_same_v<decltype(&LoadedModel::generate),
                   SentenceList (LoadedModel::*)(const WritingOptions&, const Listener&) const>);
static_assert(std::is_same_v<decltype(&LoadedModel::translate),
                             std::vector<SentenceList> (LoadedModel::*)(
                                 Texts, const WritingOptions&, const Listener&) const>);
static_assert(std::is_same_v<decltype(&LoadedModel::score),
                             std::vector<Score> (LoadedModel::*)(Texts, const ScoreOptions&,
                                                                 const Listener&) const>);

TEST(FrontHeader, NeedsNoTensors) {
  WritingOptions options{.count = 5, .seed = 1, .top_k = 40, .others = {{"end-rule", "sample"}}};
  EXPECT_EQ(options.count, 5);
  EXPECT_FALSE(options.temperature.has_value());
#ifdef TORCH_API
  FAIL() << "LibTorch shows in bough.h";
#endif
}

}  // namespace
}  // namespace bough
