#include "bough/model/lstm/lstm_stepper.h"

#include <algorithm>

#include "bough/model/encoders/distinct_sources.h"
#include "bough/model/layers/row_functions.h"

namespace bough {

LstmStepper::LstmStepper(const LstmPolicy& policy, const StepperOptions& options)
    : HeadedStepper(policy, options.precision),
      policy_(policy),
      precision_(options.precision),
      start_(options.start.value_or(policy.start())) {
  for (const LstmLayer& layer : policy.layers()) memories_.emplace_back(0, layer.hidden());
}

LstmStepper::LstmStepper(const LstmPolicy& policy, const Recording& recording)
    : LstmStepper(policy, StepperOptions{.start = recording.start}) {
  recording_ = recording;
  reserve(recording.rows);
}

void LstmStepper::reserve(int64_t rows) {
  if (rows <= capacity_) return;
  capacity_ = rows;
  for (LstmMemory& memory : memories_) {
    int64_t hidden = memory.cell.size(1);
    LstmMemory larger(rows, hidden);
    larger.cell.narrow(0, 0, memory.cell.size(0)).copy_(memory.cell);
    larger.output.narrow(0, 0, memory.output.size(0)).copy_(memory.output);
    memory = std::move(larger);
  }
}

void LstmStepper::start(std::span<const SourceIds> sources) {
  rows_ = 0;
  offset_ = 0;
  step_ = 0;
  added_.clear();
  sources_.clear();
  advance({}, sources);
}

void LstmStepper::read_sources(std::span<const SourceIds> sources) {
  const BagEncoder* bag = policy_.bag_encoder();
  const AttendedSource* attended = policy_.source();
  if ((bag == nullptr && attended == nullptr) || sources.empty()) return;
  int64_t hidden = policy_.options().hidden_size;
  auto rows = static_cast<int64_t>(sources.size());
  std::vector<float> encoded(sources.size() * static_cast<size_t>(hidden));
  if (bag != nullptr) bag->encode(sources, precision_, encoded.data());
  if (attended != nullptr) {
    DistinctSources distinct(sources, /*share=*/!recording_);
    SourceWords words(distinct.sources);
    BilstmEncoder::Encoded source =
        attended->encoder.run(words, recording_ ? recording_->masks : DropoutMasks{}, precision_);
    std::vector<float> starts;
    apply_linear(attended->start, precision_, source.whole.data_ptr<float>(),
                 static_cast<int64_t>(distinct.sources.size()), starts);
    std::vector<std::shared_ptr<const ConcatMemory>> memories;
    for (ConcatMemory& memory :
         attended->attention.remember(source.words, words.layout, precision_)) {
      memories.push_back(std::make_shared<const ConcatMemory>(std::move(memory)));
    }
    sources_.resize(static_cast<size_t>(rows_ - rows));
    for (size_t i = 0; i < sources.size(); ++i) {
      size_t number = distinct.number[i];
      sources_.push_back(memories[number]);
      std::copy_n(starts.begin() + static_cast<int64_t>(number) * hidden, hidden,
                  encoded.begin() + static_cast<int64_t>(i) * hidden);
    }
  }
  added_.resize(memories_.size());
  for (size_t i = 0; i < memories_.size(); ++i) {
    size_t old = static_cast<size_t>((rows_ - rows) * 4 * hidden);
    added_[i].resize(old);
    added_[i].resize(old + sources.size() * static_cast<size_t>(4 * hidden));
    policy_.layers()[i]
        .packed_recurrent.get(precision_)
        .add_product(encoded.data(), rows, added_[i].data() + old);
  }
}

void LstmStepper::add_sources(size_t layer, int64_t fresh, float* gates) const {
  if (added_.empty()) return;
  int64_t width = 4 * policy_.options().hidden_size;
  int64_t first = policy_.adds_every_step() ? 0 : rows_ - fresh;
  const std::vector<float>& added = added_[layer];
  for (int64_t i = first * width; i < rows_ * width; ++i) gates[i] += added[static_cast<size_t>(i)];
}

void LstmStepper::advance(std::span<const StepInput> inputs, std::span<const SourceIds> sources) {
  auto old_rows = static_cast<int64_t>(inputs.size());
  auto fresh = static_cast<int64_t>(sources.size());
  int64_t from = offset_;
  if (recording_) {
    TORCH_CHECK(fresh == 0 || old_rows == 0, "a recorder begins all sentences at once");
    if (old_rows == 0) {
      from = -1;
    } else {
      offset_ += recorded_rows_;
      ++step_;
    }
    recorded_rows_ = old_rows + fresh;
  } else {
    reserve(old_rows + fresh);
    for (LstmMemory& memory : memories_) {
      memory.cell.narrow(0, old_rows, fresh).zero_();
      memory.output.narrow(0, old_rows, fresh).zero_();
    }
  }
  rows_ = old_rows + fresh;
  read_sources(sources);
  TORCH_CHECK(offset_ + rows_ <= capacity_, "more rows than a recorder was made for");
  Dropout dropout = recording_ ? Dropout(recording_->masks, rows_, step_) : Dropout();
  int64_t hidden = policy_.options().hidden_size;
  auto rows = static_cast<size_t>(rows_);

  const SlotReader& reader = policy_.slot_reader();
  input_.resize(rows * static_cast<size_t>(std::max(reader.width(), hidden)));
  const float* embedding = policy_.embedding().data_ptr<float>();
  StepInput first{.action = start_};
  for (int64_t row = 0; row < rows_; ++row) {
    reader.read(row < old_rows ? inputs[static_cast<size_t>(row)] : first, embedding,
                input_.data() + row * reader.width());
  }
  const float* input = input_.data();
  for (size_t i = 0; i < memories_.size(); ++i) {
    const LstmLayer& layer = policy_.layers()[i];
    if (i > 0) {
      dropout(input, input_.data(), hidden);
      if (dropout.drops()) input = input_.data();
    }
    float* gates = memories_[i].gates.data_ptr<float>() + offset_ * 4 * hidden;
    layer.packed_input.get(precision_).multiply(input, rows_, layer.bias.data_ptr<float>(), gates);
    add_sources(i, fresh, gates);
    step_lstm(layer, memories_[i], from, offset_, rows_, precision_);
    input = memories_[i].output.data_ptr<float>() + offset_ * hidden;
  }
  if (policy_.source() != nullptr) {
    std::vector<const ConcatMemory*> memories;
    for (int64_t row = 0; row < rows_; ++row) {
      memories.push_back(sources_[static_cast<size_t>(row)].get());
    }
    policy_.source()->attention.run(input, memories, precision_, attended_);
    input = attended_.data();
  }
  heads_.read(input, rows_, dropout);
}

void LstmStepper::keep(std::span<const int64_t> rows) {
  rows_ = static_cast<int64_t>(rows.size());
  bool prefix = true;
  for (int64_t i = 0; i < rows_; ++i) prefix = prefix && rows[static_cast<size_t>(i)] == i;
  TORCH_CHECK(prefix || !recording_, "rows must leave a recorder from the end");
  heads_.keep(rows);
  if (prefix) return;
  std::vector<std::shared_ptr<const ConcatMemory>> kept;
  for (size_t i = 0; i < rows.size() && !sources_.empty(); ++i) {
    kept.push_back(sources_[static_cast<size_t>(rows[i])]);
  }
  sources_ = std::move(kept);
  reserve(rows_);
  for (std::vector<float>& added : added_) {
    keep_rows(added, 4 * policy_.options().hidden_size, rows);
  }
  for (LstmMemory& memory : memories_) {
    keep_rows(memory.cell.data_ptr<float>(), memory.cell.size(1), rows);
    keep_rows(memory.output.data_ptr<float>(), memory.output.size(1), rows);
  }
}

PolicyOutput LstmStepper::output(const Trajectory& trajectory) {
  TORCH_CHECK(recording_ && trajectory.rows() == capacity_, "not the trajectory that was recorded");
  return policy_.forward({trajectory, recording_->masks}, &memories_);
}

}  // namespace bough
