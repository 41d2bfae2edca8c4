#include "bough/model/layers/sides_head.h"

#include <algorithm>

#include "bough/model/kernels/rows.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/packed_linear.h"
#include "bough/model/layers/row_functions.h"

namespace bough {

namespace {

using torch::Tensor;

constexpr auto kSideCount = static_cast<int64_t>(kAllSides.size());

}  // namespace

SidesHead::SidesHead(int64_t state_width, const Tensor& embedding, Initialiser& initialise)
    : embedding_(embedding),
      state_(initialise.linear(state_width, embedding.size(1))),
      word_(initialise.linear_without_bias(embedding.size(1), embedding.size(1))),
      outer_(initialise.linear(embedding.size(1), kSideCount)) {}

Tensor SidesHead::read(const Tensor& state) const {
  return packed_linear(state_, state);
}

Tensor SidesHead::logits(const Tensor& states, std::span<const int64_t> words) const {
  Tensor parts = packed_linear(word_, gather_rows(embedding_, words));  // [n, inner]
  return packed_linear(outer_, torch::relu(states + parts));
}

Tensor SidesHead::logprobs(const Tensor& states, const Trajectory& right) const {
  std::vector<int64_t> words(right.valid_action.begin(), right.valid_action.end());
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<int64_t> row_of;
  std::vector<int64_t> word_of;  // among `words`
  std::vector<int64_t> open;
  for (int64_t row = 0; row < right.rows(); ++row) {
    auto begin = static_cast<size_t>(right.valid_begin[static_cast<size_t>(row)]);
    auto end = static_cast<size_t>(right.valid_begin[static_cast<size_t>(row) + 1]);
    for (size_t i = begin; i < end; ++i) {
      row_of.push_back(row);
      word_of.push_back(std::ranges::lower_bound(words, right.valid_action[i]) - words.begin());
      open.push_back(static_cast<int64_t>(right.valid_open[i]));
    }
  }
  torch::Device device = states.device();
  Tensor parts = packed_linear(word_, gather_rows(embedding_, words));  // [words, inner]
  Tensor inner = torch::relu(states.index_select(0, indices_on<int64_t>(device, row_of)) +
                             parts.index_select(0, indices_on<int64_t>(device, word_of)));
  Tensor logprobs = torch::log_softmax(packed_linear(outer_, inner), 1)
                        .gather(1, indices_on<int64_t>(device, open).unsqueeze(1))
                        .squeeze(1);
  if (!std::ranges::binary_search(words, int64_t{kEnd})) return logprobs;
  std::vector<float> counts;
  for (WordId word : right.valid_action) counts.push_back(word == kEnd ? 0.0F : 1.0F);
  return logprobs * torch::tensor(counts).to(device);
}

void SidesHead::read(const float* state, int64_t rows, std::vector<float>& parts) const {
  apply_linear(state_, Precision::kFloat, state, rows, parts);
}

SideScores SidesHead::logits(std::span<const float> part, WordId word) const {
  const float* vector = embedding_.data_ptr<float>() + word * embedding_.size(1);
  std::vector<float> inner(part.begin(), part.end());
  word_.packed.get(Precision::kFloat).add_product(vector, 1, inner.data());
  rectify(inner);
  SideScores logits;
  const float* weight = outer_.weight.data_ptr<float>();
  for (size_t side = 0; side < logits.size(); ++side) {
    logits[side] = outer_.bias.data_ptr<float>()[side] +
                   dot(inner, {weight + side * inner.size(), inner.size()});
  }
  return logits;
}

void SidesHead::add_parameters(NamedTensors& all) const {
  add_linear("sides_head.state", state_, all);
  add_linear("sides_head.word", word_, all);
  add_linear("sides_head.outer", outer_, all);
}

}  // namespace bough
