#include "bough/model/transformer/transformer_stepper.h"

#include <algorithm>

#include "bough/model/encoders/distinct_sources.h"
#include "bough/model/kernels/rows.h"
#include "bough/model/layers/row_functions.h"

namespace bough {

TransformerStepper::TransformerStepper(const TransformerPolicy& policy,
                                       const StepperOptions& options)
    : HeadedStepper(policy, options.precision),
      policy_(policy),
      precision_(options.precision),
      start_(options.start.value_or(policy.start())),
      runner_(policy.decoder(), options.precision),
      positions_(policy.options().hidden_size) {}

void TransformerStepper::start(std::span<const SourceIds> sources) {
  rows_.clear();
  advance({}, sources);
}

void TransformerStepper::begin(std::span<const SourceIds> sources) {
  if (sources.empty()) return;
  int64_t width = policy_.options().hidden_size;
  DistinctSources distinct(sources);
  std::vector<std::shared_ptr<const SourceMemory>> memories;
  if (policy_.source_encoder() != nullptr) {
    for (SourceMemory& memory :
         policy_.source_encoder()->remember(distinct.sources, policy_.decoder(), precision_)) {
      memories.push_back(std::make_shared<const SourceMemory>(std::move(memory)));
    }
  }
  std::vector<float> bags;
  if (policy_.bag_encoder() != nullptr) {
    bags.resize(sources.size() * static_cast<size_t>(width));
    policy_.bag_encoder()->encode(sources, precision_, bags.data());
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    CachedRow& row = rows_.emplace_back();
    row.input.action = start_;
    row.memory.assign(policy_.decoder().layers.size(), KeyValueCache(width));
    if (!memories.empty()) row.source = memories[distinct.number[i]];
    if (!bags.empty()) {
      auto own = bags.begin() + static_cast<int64_t>(i) * width;
      row.bag.assign(own, own + width);
    }
  }
}

void TransformerStepper::advance(std::span<const StepInput> inputs,
                                 std::span<const SourceIds> fresh) {
  TORCH_CHECK(inputs.size() == rows_.size(), "each row needs an input");
  for (size_t i = 0; i < inputs.size(); ++i) {
    CachedRow& row = rows_[i];
    row.read = TreeAddress::of(row.input);
    row.input = inputs[i];
    ++row.position;
  }
  begin(fresh);
  std::vector<float> state;
  if (!rows_.empty()) {
    state = read_step();
    runner_.run(state, rows(), views());
  }
  Dropout none;
  heads_.read(state.data(), rows(), none);
}

std::vector<float> TransformerStepper::read_step() {
  const SlotReader& reader = policy_.slot_reader();
  const float* embedding = policy_.embedding().data_ptr<float>();
  int64_t width = policy_.options().hidden_size;
  std::vector<float> state(rows_.size() * static_cast<size_t>(reader.width()));
  for (size_t i = 0; i < rows_.size(); ++i) {
    reader.read(rows_[i].input, embedding, state.data() + static_cast<int64_t>(i) * reader.width());
  }
  scale(state, input_scale(policy_.options().embedding_size));
  if (policy_.input() != nullptr) {
    std::vector<float> mapped;
    apply_linear(*policy_.input(), precision_, state.data(), rows(), mapped);
    state = std::move(mapped);
  }
  float* to = state.data();
  for (const CachedRow& row : rows_) {
    const float* position = positions_.at(row.position);
    for (int64_t j = 0; j < width; ++j) to[j] += position[j];
    if (policy_.tree_encoding() != nullptr) policy_.tree_encoding()->add_to(row.read, to);
    for (size_t j = 0; j < row.bag.size(); ++j) to[j] += row.bag[j];
    to += width;
  }
  return state;
}

std::vector<LayerViews> TransformerStepper::views() {
  std::vector<LayerViews> views(policy_.decoder().layers.size());
  for (size_t i = 0; i < views.size(); ++i) {
    for (CachedRow& row : rows_) {
      views[i].self.push_back(&row.memory[i]);
      if (row.source) views[i].source.push_back(&(*row.source)[i]);
    }
  }
  return views;
}

void TransformerStepper::keep(std::span<const int64_t> rows) {
  std::vector<int64_t> uses(rows_.size());
  for (int64_t row : rows) ++uses[static_cast<size_t>(row)];
  std::vector<CachedRow> kept;
  kept.reserve(rows.size());
  for (int64_t row : rows) {
    auto from = static_cast<size_t>(row);
    if (--uses[from] == 0) {
      kept.push_back(std::move(rows_[from]));  // the last one that wants it
    } else {
      kept.push_back(rows_[from]);
    }
  }
  rows_ = std::move(kept);
  heads_.keep(rows);
}

}  // namespace bough
