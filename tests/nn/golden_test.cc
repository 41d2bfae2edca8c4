// Agreement with the program of the paper's authors: every folder under tests/golden/models has an
// expected.json and weights of small random policies, and whatever their sizes the valid lists,
// logits, losses and gradient norms must be theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "authors_models.h"
#include "bough/model/lstm/lstm_policy.h"
#include "bough/model/model.h"
#include "bough/train/import_authors.h"
#include "bough/train/loss.h"
#include "temp_folder.h"
#include "test_models.h"

namespace bough {
namespace {

using nlohmann::json;
using torch::Tensor;

struct GoldenFolder {
  fs::path path;
  json expected;
  WordId start = 0;
  WordId end = 0;
  std::vector<std::vector<WordId>> sentences;
};

std::vector<GoldenFolder> golden_folders() {
  std::vector<GoldenFolder> folders;
  for (const auto& entry : fs::directory_iterator(golden_root() / "models")) {
    if (!entry.is_directory()) continue;
    GoldenFolder folder{
        .path = entry.path(), .expected = authors_numbers(entry.path()), .sentences = {}};
    folder.start = folder.expected["specials"]["<s>"];
    folder.end = folder.expected["specials"]["<end>"];
    folder.sentences = folder.expected["sentences"].get<std::vector<std::vector<WordId>>>();
    folders.push_back(std::move(folder));
  }
  if (folders.empty()) throw std::runtime_error("golden values are missing");
  return folders;
}

/// Walks the expected actions, comparing the valid lists on the way.
std::vector<Walk> expected_walks(const GoldenFolder& folder, const char* rollin,
                                 const Oracle& oracle) {
  std::vector<Walk> walks;
  RandomStream random(1, Purpose::kTest);
  for (size_t s = 0; s < folder.sentences.size(); ++s) {
    Walk& walk = walks.emplace_back(folder.sentences[s], oracle, Duplicates::kLeftMost, Shape::kEnd,
                                    folder.end);
    for (const json& step : folder.expected[rollin][s]) {
      if (walk.done()) break;  // the rest is padding
      std::vector<WordId> actions;
      std::vector<double> weights;
      for (const ValidAction& valid : walk.valid()) {
        actions.push_back(valid.action.word);
        weights.push_back(valid.weight);
      }
      EXPECT_EQ(actions, step["valid"].get<std::vector<WordId>>()) << rollin << ", sentence " << s;
      auto expected = step["p"].get<std::vector<double>>();
      EXPECT_EQ(weights.size(), expected.size());
      for (size_t i = 0; i < std::min(weights.size(), expected.size()); ++i) {
        EXPECT_NEAR(weights[i], expected[i], 1e-6);
      }
      walk.take_action(step["action"].get<WordId>(), random);
    }
    EXPECT_TRUE(walk.done());
    EXPECT_EQ(walk.tree().sentence(), folder.sentences[s]);
  }
  return walks;
}

/// The authors' weights in a policy of ours, as `bough import` makes it.
struct GoldenPolicy {
  GoldenPolicy(const GoldenFolder& folder, const std::string& name) {
    TempFolder place;
    put(place.path() / "tok2i.json", authors_vocabulary(authors_words(folder.expected)).dump());
    import_authors({.weights = folder.path / (name + ".safetensors"),
                    .vocabulary = place.path() / "tok2i.json",
                    .options = authors_options(folder.expected, name),
                    .out = place.path() / "model"});
    model = load_model(place.path() / "model");
  }
  const LstmPolicy& operator*() const { return dynamic_cast<const LstmPolicy&>(*model->policy); }
  const LstmPolicy* operator->() const { return &**this; }

  std::shared_ptr<const Model> model;
};

/// The walks as a batch, each sentence with itself as its source.
Trajectory pack_with_sources(const GoldenFolder& folder, std::span<const Walk> walks) {
  Trajectory trajectory = pack(walks, folder.start);
  for (int64_t source : trajectory.source) {
    trajectory.given.emplace_back(folder.sentences[static_cast<size_t>(source)]);
  }
  return trajectory;
}

/// Runs `check(folder, case name)` for each policy that this program can load.
template <typename Check>
void for_each_case(Check check) {
  int cases = 0;
  for (const GoldenFolder& folder : golden_folders()) {
    for (const std::string& name : authors_cases()) {
      if (!folder.expected.contains(name)) continue;
      SCOPED_TRACE(folder.path.string() + ", " + name);
      check(folder, name);
      ++cases;
    }
  }
  EXPECT_GE(cases, 4) << "golden values are missing";
}

TEST(Golden, ValidListsAreTheAuthors) {
  for (const GoldenFolder& folder : golden_folders()) {
    OracleOptions uniform;
    uniform.oracle = OracleKind::kUniform;
    OracleOptions left_right;
    left_right.oracle = OracleKind::kLeftRight;
    expected_walks(folder, "uniform_rollin", *make_oracle(uniform));
    expected_walks(folder, "left_right_rollin", *make_oracle(left_right));
  }
}

/// Where a sentence stands in a case's numbers: those of translation are by length of the source.
size_t place_of(const GoldenFolder& folder, const std::string& name, size_t sentence) {
  if (name != "translate_bilstm") return sentence;
  auto order = folder.expected["translation_source_order"].get<std::vector<size_t>>();
  return static_cast<size_t>(std::ranges::find(order, sentence) - order.begin());
}

TEST(Golden, LogitsAreTheAuthors) {
  for_each_case([](const GoldenFolder& folder, const std::string& name) {
    GoldenPolicy policy(folder, name);
    auto oracle = make_oracle({});
    std::vector<Walk> walks = expected_walks(folder, "uniform_rollin", *oracle);
    Trajectory trajectory = pack_with_sources(folder, walks);
    PolicyOutput output = policy->forward(trajectory);
    Tensor logits =
        torch::addmm(policy->output().bias, output.features, policy->output().weight.t());
    const json& expected = folder.expected[name];
    for (int64_t step = 0; step < trajectory.steps(); ++step) {
      for (int64_t s = 0; s < trajectory.rows_at[static_cast<size_t>(step)]; ++s) {
        int64_t row = trajectory.offset_at[static_cast<size_t>(step)] + s;
        auto sentence = static_cast<size_t>(trajectory.source[static_cast<size_t>(s)]);
        size_t place = place_of(folder, name, sentence);
        auto scores =
            expected["scores"][place][static_cast<size_t>(step)].get<std::vector<float>>();
        for (size_t word = 0; word < scores.size(); ++word) {
          EXPECT_NEAR(logits[row][static_cast<int64_t>(word)].item<float>(), scores[word], 1e-4);
        }
        if (!output.end_logits.defined()) continue;
        EXPECT_NEAR(
            torch::sigmoid(output.end_logits[row]).item<double>(),
            expected["end_probabilities"][sentence][static_cast<size_t>(step)].get<double>(), 1e-5);
      }
    }
  });
}

/// The gradient of a parameter where each sentence's part is multiplied by `factor`(sentence).
template <typename Factor>
Tensor weighted_gradient(const GoldenFolder& folder, const LstmPolicy& policy,
                         std::span<const Walk> walks, double beta, const Tensor& parameter,
                         Factor factor) {
  Tensor sum = torch::zeros_like(parameter);
  for (size_t i = 0; i < walks.size(); ++i) {
    Trajectory trajectory = pack(walks.subspan(i, 1), folder.start);
    trajectory.given = {folder.sentences[i]};
    PolicyOutput output = policy.forward(trajectory);
    for (auto& [name, tensor] : policy.parameters()) {
      tensor.mutable_grad() = torch::zeros_like(tensor);
    }
    backward(output, compute_loss(trajectory, output, policy.output(), {.beta = beta}));
    sum += parameter.grad() * (factor(folder.sentences[i]) / static_cast<double>(walks.size()));
  }
  return sum;
}

/// The authors' bag encoder adds its bias once for each symbol of padding. The reference took that
/// out of the values, but not out of the gradient: the bias's part of a sentence counts as often as
/// the longest bag is longer than its own.
Tensor padded_bias_gradient(const GoldenFolder& folder, const LstmPolicy& policy,
                            std::span<const Walk> walks, double beta) {
  size_t longest = 0;
  for (const auto& sentence : folder.sentences) longest = std::max(longest, sentence.size() + 1);
  return weighted_gradient(folder, policy, walks, beta, policy.bag_encoder()->linear.bias,
                           [&](const std::vector<WordId>& sentence) {
                             return static_cast<double>(longest) /
                                    static_cast<double>(sentence.size() + 1);
                           });
}

TEST(Golden, LossesAndGradientNormsAreTheAuthors) {
  for_each_case([](const GoldenFolder& folder, const std::string& name) {
    GoldenPolicy policy(folder, name);
    auto oracle = make_oracle({});
    std::vector<Walk> walks = expected_walks(folder, "uniform_rollin", *oracle);
    Trajectory trajectory = pack_with_sources(folder, walks);
    for (const auto& [beta, expected] : folder.expected[name]["loss"].items()) {
      SCOPED_TRACE("β = " + beta);
      for (auto& [parameter, tensor] : policy->parameters()) {
        tensor.mutable_grad() = torch::zeros_like(tensor);
      }
      PolicyOutput output = policy->forward(trajectory);
      LossResult loss =
          compute_loss(trajectory, output, policy->output(), {.beta = std::stod(beta)});
      double expected_loss = expected["loss"];
      EXPECT_NEAR(loss.mean.loss, expected_loss, 1e-5 * expected_loss);
      backward(output, loss);
      double squares = 0.0;
      for (auto& [parameter, tensor] : policy->parameters()) {
        // The authors' program has two biases a layer where ours has their sum.
        bool twice = parameter.starts_with("lstm.") && parameter.ends_with(".bias");
        twice = twice || parameter.ends_with("wards.bias");  // both readings of an encoder
        if (parameter == "encoder.linear.bias") continue;
        squares += (twice ? 2.0 : 1.0) * tensor.grad().pow(2).sum().item<double>();
      }
      if (policy->bag_encoder() != nullptr) {
        squares += padded_bias_gradient(folder, *policy, walks, std::stod(beta))
                       .pow(2)
                       .sum()
                       .item<double>();
      }
      double norm = expected["grad_norm"];
      EXPECT_NEAR(std::sqrt(squares), norm, 1e-4 * norm);
    }
  });
}

}  // namespace
}  // namespace bough
