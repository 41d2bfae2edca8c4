#include "bough/model/lstm_stepper.h"

#include <algorithm>

#include "bough/base/random.h"
#include "bough/model/functions.h"
#include "bough/model/kernels/kernels.h"
#include "bough/model/row_functions.h"

namespace bough {

namespace {

/// Makes the named rows of a [rows, width] matrix its first ones.
void keep_rows(float* matrix, int64_t width, std::span<const int64_t> rows) {
  std::vector<float> copy;  // needed where a row is read after it has been written to
  const float* from = matrix;
  if (!std::is_sorted(rows.begin(), rows.end(), std::less_equal<>())) {
    copy.assign(matrix, matrix + (1 + *std::max_element(rows.begin(), rows.end())) * width);
    from = copy.data();
  }
  for (size_t to = 0; to < rows.size(); ++to) {
    if (rows[to] == static_cast<int64_t>(to)) continue;
    std::copy_n(from + rows[to] * width, width, matrix + static_cast<int64_t>(to) * width);
  }
}

}  // namespace

LstmStepper::LstmStepper(const LstmPolicy& policy, std::optional<Recording> recording)
    : policy_(policy), recording_(recording) {
  for (const LstmLayer& layer : policy.layers()) memories_.emplace_back(0, layer.hidden());
  if (recording_) reserve(recording_->rows);
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

void LstmStepper::start(std::span<const Source> sources) {
  rows_ = 0;
  offset_ = 0;
  added_.clear();
  sources_.clear();
  advance({}, sources);
}

void LstmStepper::read_sources(std::span<const Source> sources) {
  const BagEncoder* bag = policy_.bag_encoder();
  const AttendedSource* attended = policy_.source();
  if ((bag == nullptr && attended == nullptr) || sources.empty()) return;
  int64_t hidden = policy_.options().hidden_size;
  auto rows = static_cast<int64_t>(sources.size());
  std::vector<float> encoded(sources.size() * static_cast<size_t>(hidden));
  if (bag != nullptr) bag->encode(sources, encoded.data());
  if (attended != nullptr) {
    SourceWords words(sources);
    BilstmEncoder::Encoded source = attended->encoder.run(
        words, recording_ ? recording_->masks : DropoutMasks{}, AttendedSource::kFirstMask);
    const LinearLayer& start = attended->start;
    start.packed.get().multiply(source.whole.data_ptr<float>(), rows, start.bias.data_ptr<float>(),
                                encoded.data());
    sources_.resize(static_cast<size_t>(rows_ - rows));
    for (ConcatMemory& memory : attended->attention.remember(source.words, words.layout)) {
      sources_.push_back(std::make_shared<const ConcatMemory>(std::move(memory)));
    }
  }
  added_.resize(memories_.size());
  for (size_t i = 0; i < memories_.size(); ++i) {
    size_t old = static_cast<size_t>((rows_ - rows) * 4 * hidden);
    added_[i].resize(old);
    added_[i].resize(old + sources.size() * static_cast<size_t>(4 * hidden));
    policy_.layers()[i].packed_recurrent.get().add_product(encoded.data(), rows,
                                                           added_[i].data() + old);
  }
}

void LstmStepper::add_sources(size_t layer, int64_t fresh, float* gates) const {
  if (added_.empty()) return;
  int64_t width = 4 * policy_.options().hidden_size;
  int64_t first = policy_.adds_every_step() ? 0 : rows_ - fresh;
  const std::vector<float>& added = added_[layer];
  for (int64_t i = first * width; i < rows_ * width; ++i) gates[i] += added[static_cast<size_t>(i)];
}

void LstmStepper::drop(const float* from, float* to, int64_t width, uint64_t mask) const {
  auto size = static_cast<size_t>(rows_ * width);
  dropout({from, size}, {to, size}, recording_->masks.keep, dropout_key(recording_->masks, mask),
          offset_ * width);
}

void LstmStepper::advance(std::span<const StepInput> inputs, std::span<const Source> sources) {
  auto old_rows = static_cast<int64_t>(inputs.size());
  auto fresh = static_cast<int64_t>(sources.size());
  int64_t from = offset_;
  if (recording_) {
    TORCH_CHECK(fresh == 0 || old_rows == 0, "a recorder begins all sentences at once");
    if (old_rows == 0) {
      from = -1;
    } else {
      offset_ += recorded_rows_;
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
  bool drops = recording_ && recording_->masks.keep < 1.0;
  int64_t width = policy_.options().embedding_size;
  int64_t hidden = policy_.options().hidden_size;
  auto rows = static_cast<size_t>(rows_);

  const SlotReader& reader = policy_.slot_reader();
  input_.resize(rows * static_cast<size_t>(std::max(reader.width(), hidden)));
  const float* embedding = policy_.embedding().data_ptr<float>();
  StepInput first{.action = policy_.start()};
  for (int64_t row = 0; row < rows_; ++row) {
    reader.read(row < old_rows ? inputs[static_cast<size_t>(row)] : first, embedding,
                input_.data() + row * reader.width());
  }
  const float* input = input_.data();
  uint64_t mask = 0;
  for (size_t i = 0; i < memories_.size(); ++i) {
    const LstmLayer& layer = policy_.layers()[i];
    if (i > 0 && drops) {
      drop(input, input_.data(), hidden, mask++);
      input = input_.data();
    }
    float* gates = memories_[i].gates.data_ptr<float>() + offset_ * 4 * hidden;
    layer.packed_input.get().multiply(input, rows_, layer.bias.data_ptr<float>(), gates);
    add_sources(i, fresh, gates);
    step_lstm(layer, memories_[i], from, offset_, rows_);
    input = memories_[i].output.data_ptr<float>() + offset_ * hidden;
  }
  if (policy_.source() != nullptr) {
    std::vector<const ConcatMemory*> memories;
    for (int64_t row = 0; row < rows_; ++row) {
      memories.push_back(sources_[static_cast<size_t>(row)].get());
    }
    policy_.source()->attention.run(input, rows_, memories, attended_);
    input = attended_.data();
  }
  auto apply = [&](const LinearLayer& layer, const float* x, std::vector<float>& y) {
    y.resize(rows * static_cast<size_t>(layer.weight.size(0)));
    layer.packed.get().multiply(x, rows_, layer.bias.data_ptr<float>(), y.data());
  };
  apply(policy_.projection(), input, features_);
  rectify(features_);
  if (drops) drop(features_.data(), features_.data(), width, mask++);
  if (policy_.options().end_head) {
    apply(policy_.end_inner(), input, inner_);
    rectify(inner_);
    if (drops) drop(inner_.data(), inner_.data(), width, mask++);
    apply(policy_.end_outer(), inner_.data(), end_logits_);
  }
}

void LstmStepper::keep(std::span<const int64_t> rows) {
  rows_ = static_cast<int64_t>(rows.size());
  bool prefix = true;
  for (int64_t i = 0; i < rows_; ++i) prefix = prefix && rows[static_cast<size_t>(i)] == i;
  TORCH_CHECK(prefix || !recording_, "rows must leave a recorder from the end");
  if (prefix) {
    if (!end_logits_.empty()) end_logits_.resize(rows.size());
    return;
  }
  std::vector<std::shared_ptr<const ConcatMemory>> kept;
  for (size_t i = 0; i < rows.size() && !sources_.empty(); ++i) {
    kept.push_back(sources_[static_cast<size_t>(rows[i])]);
  }
  sources_ = std::move(kept);
  int64_t width = policy_.options().embedding_size;
  reserve(rows_);
  features_.resize(std::max(features_.size(), rows.size() * static_cast<size_t>(width)));
  for (std::vector<float>& added : added_) {
    int64_t gates = 4 * policy_.options().hidden_size;
    added.resize(std::max(added.size(), rows.size() * static_cast<size_t>(gates)));
    keep_rows(added.data(), gates, rows);
  }
  for (LstmMemory& memory : memories_) {
    keep_rows(memory.cell.data_ptr<float>(), memory.cell.size(1), rows);
    keep_rows(memory.output.data_ptr<float>(), memory.output.size(1), rows);
  }
  keep_rows(features_.data(), width, rows);
  if (!end_logits_.empty()) {
    end_logits_.resize(std::max(end_logits_.size(), rows.size()));
    keep_rows(end_logits_.data(), 1, rows);
    end_logits_.resize(rows.size());
  }
}

void LstmStepper::scores(int64_t row, std::span<const WordId> actions,
                         std::span<float> logits) const {
  int64_t width = policy_.options().embedding_size;
  score_actions(policy_.output(), {features_.data() + row * width, static_cast<size_t>(width)},
                actions, logits);
}

void LstmStepper::all_scores(std::span<float> logits) const {
  policy_.packed_output().get().multiply(features_.data(), rows_,
                                         policy_.output().bias.data_ptr<float>(), logits.data());
}

PolicyOutput LstmStepper::output(const Trajectory& trajectory) {
  TORCH_CHECK(recording_ && trajectory.rows() == capacity_, "not the trajectory that was recorded");
  return policy_.forward(trajectory, recording_->masks, &memories_);
}

}  // namespace bough
