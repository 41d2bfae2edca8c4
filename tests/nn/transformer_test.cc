// The Transformer policy: its parameters, and that it learns. What it has in common with other
// policies is in policy_conformance_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bough/base/error.h"
#include "bough/model/transformer/transformer_policy.h"
#include "bough/train/update.h"
#include "test_models.h"

namespace bough {
namespace {

constexpr int64_t kSourceVocabulary = 60;

PolicyRequest small_request() {
  PolicyRequest request;
  request.options = small_options();
  request.options.hidden_size = 18;  // no multiple of any register's width
  request.options.transformer.heads = 3;
  request.options.transformer.feed_forward = 29;
  request.options.transformer.tree_depth = 3;
  request.vocabulary = kSmallVocabulary;
  request.seed = 3;
  return request;
}

/// One that is told everything and reads a source.
PolicyRequest rich_request() {
  PolicyRequest request = small_request();
  request.options.end_head = true;
  request.options.slot_context = SlotContext::kBoth;
  request.options.transformer.tree_encoding = true;
  request.source = SourceVocabulary{.size = kSourceVocabulary};
  return request;
}

std::vector<int64_t> first_rows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

TEST(Transformer, ParametersHaveReadableNamesOnce) {
  std::vector<std::string> names;
  for (auto& [name, tensor] : TransformerPolicy(rich_request()).parameters()) names.push_back(name);
  for (const char* name :
       {"embedding", "decoder.0.self.query.weight", "decoder.1.source.output.bias",
        "decoder.0.feed_forward.inner.weight", "decoder.norm.scale", "encoder.embedding",
        "encoder.1.self_norm.shift", "end_head.outer.bias", "tree.ratio", "output.bias"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(Transformer, HeadsShareTheWidth) {
  PolicyRequest request = small_request();
  request.options.transformer.heads = 4;
  EXPECT_THROW(TransformerPolicy{request}, UsageError);
}

/// Trains on everything at once and gives the last updates' mean loss.
double train(const PolicyRequest& request, const Dataset& data, const Dataset* sources,
             int updates) {
  TransformerPolicy policy(request);
  OracleOptions oracle;
  oracle.oracle = OracleKind::kLeftRight;
  RollInWalker walker(policy, oracle);
  Adam adam(policy.parameters());
  std::vector<int64_t> batch = first_rows(data.size());
  double loss = 0.0;
  for (int i = 0; i < updates; ++i) {
    UpdateRequest update;
    update.rollin = {.batch = batch, .sources = sources, .pass = static_cast<uint64_t>(i)};
    update.learning_rate = 3e-3;
    double own = update_policy(policy, walker, adam, data, update).loss.loss;
    if (i >= updates - 5) loss += own / 5.0;
  }
  return loss;
}

PolicyRequest learner() {
  PolicyRequest request = small_request();
  request.options.hidden_size = 32;
  request.options.embedding_size = 32;
  request.options.transformer.heads = 2;
  request.options.transformer.feed_forward = 64;
  request.options.transformer.tree_encoding = true;
  return request;
}

/// Which of eight sentences comes is all that can't be known: log 8 nats for each sentence.
TEST(Transformer, LearnsSentencesByHeart) {
  Dataset data;
  double least = 0.0;
  RandomStream random(7, Purpose::kTest);
  for (WordId i = 0; i < 8; ++i) {
    std::vector<WordId> sentence = {kSpecials + i};  // from here on all is certain
    for (int j = 0; j < 5; ++j) sentence.push_back(static_cast<WordId>(20 + random.below(10)));
    data.add(sentence);
    least += std::log(8.0) / (2.0 * static_cast<double>(sentence.size()) + 1.0) / 8.0;
  }
  for (NormPlace place : {NormPlace::kPre, NormPlace::kPost}) {
    PolicyRequest request = learner();
    request.options.transformer.norm = place;
    double excess = train(request, data, nullptr, 200) - least;
    EXPECT_GT(excess, -1e-3);
    EXPECT_LT(excess, 0.01);
  }
}

/// A translation into the same words: nothing is uncertain.
TEST(Transformer, LearnsToCopyItsSource) {
  Dataset data = random_dataset(12, 8);
  PolicyRequest request = learner();
  request.options.end_head = true;
  request.source = SourceVocabulary{.size = kSmallVocabulary, .shared = true};
  EXPECT_LT(train(request, data, &data, 300), 0.02);
}

}  // namespace
}  // namespace bough
