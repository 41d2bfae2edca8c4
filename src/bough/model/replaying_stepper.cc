#include "bough/model/replaying_stepper.h"

#include <algorithm>

#include "bough/base/error.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/row_functions.h"

namespace bough {

namespace {

void copy_out(const torch::Tensor& from, std::span<float> to) {
  torch::Tensor here = from.detach().cpu().contiguous();
  std::ranges::copy(numbers_of(here), to.begin());
}

}  // namespace

void ReplayingStepper::start(std::span<const SourceIds> sources) {
  rows_.clear();
  advance({}, sources);
}

void ReplayingStepper::advance(std::span<const StepInput> next, std::span<const SourceIds> fresh) {
  torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < next.size(); ++i) rows_[i].inputs.push_back(next[i]);
  for (SourceIds source : fresh) {
    rows_.push_back({{StepInput{.action = start_}}, {source.begin(), source.end()}});
  }
  end_logits_.clear();
  if (rows_.empty()) return;
  std::vector<int64_t> lengths;  // by row
  for (const ReplayedRow& row : rows_) lengths.push_back(static_cast<int64_t>(row.inputs.size()));
  PackedSteps steps = pack_steps(lengths);
  std::vector<StepInput> inputs(static_cast<size_t>(steps.rows()));
  std::vector<SourceIds> sources;
  std::vector<int64_t> last(rows_.size());  // where each row's last step is
  for (size_t s = 0; s < rows_.size(); ++s) {
    const auto number = static_cast<size_t>(steps.source[s]);
    const ReplayedRow& row = rows_[number];
    sources.push_back(row.source);
    for (size_t step = 0; step < row.inputs.size(); ++step) {
      last[number] = steps.offset_at[step] + static_cast<int64_t>(s);
      inputs[static_cast<size_t>(last[number])] = row.inputs[step];
    }
  }
  PolicyOutput output = policy_.forward({inputs, steps, sources});
  torch::Tensor index = indices_on<int64_t>(output.features.device(), last);
  features_ = output.features.index_select(0, index);
  if (output.end_logits.defined()) {
    end_logits_.resize(rows_.size());
    copy_out(output.end_logits.index_select(0, index), end_logits_);
  }
  if (output.side_states.defined()) side_states_ = output.side_states.index_select(0, index);
}

void ReplayingStepper::keep(std::span<const int64_t> rows) {
  std::vector<ReplayedRow> kept;
  for (int64_t row : rows) kept.push_back(rows_[static_cast<size_t>(row)]);
  rows_ = std::move(kept);
  if (!end_logits_.empty()) keep_rows(end_logits_, 1, rows);
  torch::Tensor index = indices_on(features_.device(), rows);
  features_ = features_.index_select(0, index);
  if (side_states_.defined()) side_states_ = side_states_.index_select(0, index);
}

void ReplayingStepper::scores(int64_t row, std::span<const WordId> actions,
                              std::span<float> logits) const {
  torch::NoGradGuard no_gradients;
  OutputLayer layer = policy_.output();
  torch::Tensor index = indices_on(features_.device(), actions);
  copy_out(torch::addmv(layer.bias.index_select(0, index), layer.weight.index_select(0, index),
                        features_.select(0, row)),
           logits);
}

SideScores ReplayingStepper::side_logits(int64_t row, WordId word) const {
  torch::NoGradGuard no_gradients;
  std::vector<int64_t> words = {word};
  SideScores logits;
  copy_out(policy_.heads().sides()->logits(side_states_.narrow(0, row, 1), words), logits);
  return logits;
}

void ReplayingStepper::all_scores(std::span<float> logits) const {
  torch::NoGradGuard no_gradients;
  OutputLayer layer = policy_.output();
  copy_out(torch::addmm(layer.bias, features_, layer.weight.t()), logits);
}

std::unique_ptr<Stepper> Policy::stepper(const StepperOptions& options) const {
  if (options.precision == Precision::kInt8) {
    throw UsageError("--precision int8 needs bough's own kernels, which run on the CPU only");
  }
  return std::make_unique<ReplayingStepper>(*this, options.start);
}

}  // namespace bough
