#include "bough/model/plain_transformer_stepper.h"

#include "bough/model/plain_scores.h"

namespace bough {

void PlainTransformerStepper::start(std::span<const Source> sources) {
  rows_.clear();
  advance({}, sources);
}

void PlainTransformerStepper::advance(std::span<const StepInput> next,
                                      std::span<const Source> fresh) {
  torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < next.size(); ++i) rows_[i].inputs.push_back(next[i]);
  for (Source source : fresh) {
    rows_.push_back({{StepInput{.action = policy_.start()}}, {source.begin(), source.end()}});
  }
  end_logits_.clear();
  if (rows_.empty()) return;
  std::vector<StepInput> inputs;  // all steps of all rows
  std::vector<int64_t> lengths;
  std::vector<int64_t> last;  // the last step of each row
  std::vector<Source> sources;
  for (const Row& row : rows_) {
    inputs.insert(inputs.end(), row.inputs.begin(), row.inputs.end());
    lengths.push_back(static_cast<int64_t>(row.inputs.size()));
    last.push_back(static_cast<int64_t>(inputs.size()) - 1);
    sources.push_back(row.source);
  }
  PolicyOutput output = policy_.forward(inputs, RowLayout(lengths), sources, {});
  torch::Tensor index = indices_on<int64_t>(output.features.device(), last);
  features_ = output.features.index_select(0, index);
  if (output.end_logits.defined()) {
    end_logits_.resize(rows_.size());
    copy_out(output.end_logits.index_select(0, index), end_logits_);
  }
}

void PlainTransformerStepper::keep(std::span<const int64_t> rows) {
  std::vector<Row> kept;
  std::vector<float> logits;
  for (int64_t row : rows) {
    kept.push_back(rows_[static_cast<size_t>(row)]);
    if (!end_logits_.empty()) logits.push_back(end_logits_[static_cast<size_t>(row)]);
  }
  rows_ = std::move(kept);
  end_logits_ = std::move(logits);
  features_ = features_.index_select(0, indices_on(features_.device(), rows));
}

void PlainTransformerStepper::scores(int64_t row, std::span<const WordId> actions,
                                     std::span<float> logits) const {
  plain_scores(policy_.output(), features_.select(0, row), actions, logits);
}

void PlainTransformerStepper::all_scores(std::span<float> logits) const {
  plain_all_scores(policy_.output(), features_, logits);
}

}  // namespace bough
