#include "bough/generate/running_batch.h"

#include <algorithm>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/runtime.h"
#include "bough/model/team.h"

namespace bough {

int64_t RunningBatch::reserved() const {
  int64_t rows = 0;
  for (const Active& active : active_) rows += active.job->most_rows();
  return rows;
}

bool RunningBatch::has_room() const {
  int64_t rows = reserved();
  int64_t one = 1;
  for (const auto& job : waiting_) rows += (one = job->most_rows());
  if (waiting_.empty() && !active_.empty()) one = active_.back().job->most_rows();
  return rows == 0 || rows + one <= most_rows_;
}

bool RunningBatch::step() {
  return with_plain_errors([&] {
    advance();
    if (active_.empty()) return false;
    choose();
    for (Active& active : active_) active.next = active.job->take();
    std::erase_if(active_, [](const Active& active) { return active.next.parents.empty(); });
    return true;
  });
}

void RunningBatch::advance() {
  std::erase_if(waiting_, [](const auto& job) { return job->cancelled(); });
  std::erase_if(active_, [](const Active& active) { return active.job->cancelled(); });
  std::vector<int64_t> rows;  // of the step before
  std::vector<StepInput> inputs;
  for (Active& active : active_) {
    int64_t first = std::exchange(active.first_row, static_cast<int64_t>(rows.size()));
    for (int64_t parent : active.next.parents) rows.push_back(first + parent);
    inputs.insert(inputs.end(), active.next.inputs.begin(), active.next.inputs.end());
  }
  bool all = static_cast<int64_t>(rows.size()) == stepper_.rows();
  for (size_t i = 0; i < rows.size() && all; ++i) all = rows[i] == static_cast<int64_t>(i);
  std::vector<SourceIds> fresh = admit(static_cast<int64_t>(rows.size()));
  if (rows.empty()) {
    if (!fresh.empty()) stepper_.start(fresh);
    return;
  }
  if (!all) stepper_.keep(rows);
  stepper_.advance(inputs, fresh);
}

std::vector<SourceIds> RunningBatch::admit(int64_t first_row) {
  std::vector<SourceIds> fresh;
  int64_t rows = reserved();
  while (!waiting_.empty()) {
    rows += waiting_.front()->most_rows();
    if (rows > most_rows_ && !active_.empty()) break;
    fresh.push_back(waiting_.front()->source());
    active_.push_back({.job = std::move(waiting_.front()), .next = {}, .first_row = first_row++});
    waiting_.pop_front();
  }
  return fresh;
}

void RunningBatch::choose() {
  auto vocabulary = static_cast<size_t>(stepper_.vocabulary());
  int64_t rows = stepper_.rows();
  logits_.resize(static_cast<size_t>(rows) * vocabulary);
  stepper_.all_scores(logits_);
  auto choose_one = [&](int64_t index) {
    auto i = static_cast<size_t>(index);
    int64_t end = i + 1 < active_.size() ? active_[i + 1].first_row : rows;
    std::vector<ActionDistribution> slots;
    for (int64_t row = active_[i].first_row; row < end; ++row) {
      float* own = logits_.data() + static_cast<size_t>(row) * vocabulary;
      slots.emplace_back(std::span(own, vocabulary), stepper_, row);
    }
    active_[i].job->choose(slots);
  };
  team_for(static_cast<int64_t>(active_.size()), logits_.size() > size_t{kWorthAThread},
           Share::kAsFree, choose_one);
}

}  // namespace bough
