#include "bough/model/layers/output_heads.h"

#include <algorithm>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/kernels/rows.h"
#include "bough/model/layers/row_functions.h"
#include "bough/model/team.h"

namespace bough {

using torch::Tensor;

OutputHeads::OutputHeads(const PolicyOptions& options, int64_t state_width, Activation activation,
                         const Tensor& embedding, Initialiser& initialise)
    : activation_(activation),
      projection_([&]() -> std::optional<LinearLayer> {
        bool as_it_is = activation == Activation::kNone && state_width == embedding.size(1);
        if (as_it_is) return std::nullopt;
        return initialise.linear(state_width, embedding.size(1));
      }()),
      weight_(options.output == OutputKind::kTied
                  ? embedding
                  : initialise.linear(embedding.size(1), embedding.size(0)).weight),
      tied_(options.output == OutputKind::kTied),
      packed_(weight_),
      bias_(initialise.zeros({embedding.size(0)})) {
  if (options.end_head) {
    end_inner_ = initialise.linear(state_width, embedding.size(1));
    end_outer_ = initialise.linear(embedding.size(1), 1);
  }
  if (options.shape == Shape::kArity) sides_.emplace(state_width, embedding, initialise);
}

PolicyOutput OutputHeads::forward(const Tensor& state, Dropout& dropout,
                                  const Trajectory* right) const {
  PolicyOutput output;
  output.features = projection_ ? packed_linear(*projection_, state, activation_) : state;
  if (activation_ == Activation::kRelu) output.features = dropout(output.features);
  if (end_inner_) {
    Tensor inner = dropout(packed_linear(*end_inner_, state, Activation::kRelu));
    output.end_logits = packed_linear(*end_outer_, inner).squeeze(1);
  }
  if (sides_) {
    output.side_states = sides_->read(state);
    if (right != nullptr) output.side_logprobs = sides_->logprobs(output.side_states, *right);
  }
  return output;
}

void OutputHeads::add_parameters(NamedTensors& all) const {
  if (projection_) add_linear("projection", *projection_, all);
  if (!tied_) all.emplace_back("output.weight", weight_);
  all.emplace_back("output.bias", bias_);
  if (end_inner_) {
    add_linear("end_head.inner", *end_inner_, all);
    add_linear("end_head.outer", *end_outer_, all);
  }
  if (sides_) sides_->add_parameters(all);
}

void HeadRows::read(const float* state, int64_t rows, Dropout& dropout) {
  rows_ = rows;
  if (rows == 0) {
    features_.clear();
    end_logits_.clear();
    side_states_.clear();
    return;
  }
  auto drop = [&](std::vector<float>& matrix) { dropout(matrix.data(), matrix.data(), width()); };
  if (heads_.projection_) {
    apply_linear(*heads_.projection_, precision_, state, rows, features_);
  } else {
    features_.assign(state, state + rows * width());
  }
  if (heads_.activation_ == Activation::kRelu) {
    rectify(features_);
    drop(features_);
  }
  // What the heads of the shape decide weighs most, and they are small: float always.
  if (heads_.sides_) {
    heads_.sides_->read(state, rows, side_states_);
    asked_.assign(static_cast<size_t>(rows), {});
  }
  if (!heads_.end_inner_) return;
  apply_linear(*heads_.end_inner_, Precision::kFloat, state, rows, inner_);
  rectify(inner_);
  drop(inner_);
  apply_linear(*heads_.end_outer_, Precision::kFloat, inner_.data(), rows, end_logits_);
}

void HeadRows::keep(std::span<const int64_t> rows) {
  rows_ = static_cast<int64_t>(rows.size());
  keep_rows(features_, width(), rows);
  if (!end_logits_.empty()) keep_rows(end_logits_, 1, rows);
  if (side_states_.empty()) return;
  keep_rows(side_states_, heads_.sides_->width(), rows);
  asked_.assign(rows.size(), {});
}

SideScores HeadRows::side_logits(int64_t row, WordId word) const {
  AskedSides& asked = asked_[static_cast<size_t>(row)];
  if (asked.word != word) {
    auto size = static_cast<size_t>(heads_.sides_->width());
    asked.logits =
        heads_.sides_->logits({side_states_.data() + static_cast<size_t>(row) * size, size}, word);
    asked.word = word;
  }
  return asked.logits;
}

void HeadRows::scores(int64_t row, std::span<const WordId> actions, std::span<float> logits) const {
  for (size_t i = 0; i < actions.size(); ++i) logits[i] = logit(row, actions[i]);
}

float HeadRows::logit(int64_t row, WordId action) const {
  auto size = static_cast<size_t>(width());
  const float* weight = heads_.weight_.data_ptr<float>() + action * width();
  return heads_.bias_.data_ptr<float>()[action] +
         dot({features_.data() + row * width(), size}, {weight, size});
}

void HeadRows::listed_scores(std::span<const std::span<const WordId>> lists,
                             std::span<float> logits) const {
  constexpr int64_t kBlockNumbers = 1 << 17;  // of the weight: they stay in the L2 cache
  std::vector<float*> begins;                 // of each row's logits
  float* next = logits.data();
  for (std::span<const WordId> list : lists) {
    begins.push_back(next);
    next += list.size();
  }
  // Lists of a batch have much in common: of each block of the vocabulary all rows take what they
  // list before the next block is read.
  int64_t block_words = std::max<int64_t>(1, kBlockNumbers / width());
  int64_t blocks = (vocabulary() + block_words - 1) / block_words;
  auto numbers = static_cast<int64_t>(logits.size()) * width();
  team_for(blocks, numbers > 16 * kWorthAThread, Share::kAsFree, [&](int64_t block) {
    auto end = static_cast<WordId>((block + 1) * block_words);
    for (size_t row = 0; row < lists.size(); ++row) {
      std::span<const WordId> list = lists[row];
      auto from = std::ranges::lower_bound(list, static_cast<WordId>(block * block_words));
      for (auto i = from - list.begin();
           i < static_cast<int64_t>(list.size()) && list[static_cast<size_t>(i)] < end; ++i) {
        begins[row][i] = logit(static_cast<int64_t>(row), list[static_cast<size_t>(i)]);
      }
    }
  });
}

void HeadRows::all_scores(std::span<float> logits) const {
  heads_.packed_.get(precision_)
      .multiply(features_.data(), rows_, heads_.bias_.data_ptr<float>(), logits.data());
}

}  // namespace bough
