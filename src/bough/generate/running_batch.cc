#include "bough/generate/running_batch.h"

#include <algorithm>
#include <stdexcept>

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
  auto rows = static_cast<size_t>(stepper_.rows());
  auto vocabulary = static_cast<size_t>(stepper_.vocabulary());
  auto end_of = [&](size_t job) {
    return job + 1 < active_.size() ? static_cast<size_t>(active_[job + 1].first_row) : rows;
  };
  bool lists = !active_.front().job->listed().empty();
  std::vector<std::span<const WordId>> listed;  // by row
  std::vector<size_t> begins = {0};             // of the rows' logits, and their end
  for (size_t i = 0; i < active_.size(); ++i) {
    std::span<const WordId> own = active_[i].job->listed();
    if (own.empty() == lists) throw std::logic_error("some jobs of a batch list their words");
    for (auto row = static_cast<size_t>(active_[i].first_row); row < end_of(i); ++row) {
      listed.push_back(own);
      begins.push_back(begins.back() + (lists ? own.size() : vocabulary));
    }
  }
  logits_.resize(begins.back());
  if (lists) {
    stepper_.listed_scores(listed, logits_);
  } else {
    stepper_.all_scores(logits_);
  }
  auto choose_one = [&](int64_t index) {
    auto i = static_cast<size_t>(index);
    std::vector<ActionDistribution> slots;
    for (auto row = static_cast<size_t>(active_[i].first_row); row < end_of(i); ++row) {
      std::span<float> own = std::span(logits_).subspan(begins[row], begins[row + 1] - begins[row]);
      slots.emplace_back(own, stepper_, static_cast<int64_t>(row), listed[row]);
    }
    active_[i].job->choose(slots);
  };
  team_for(static_cast<int64_t>(active_.size()), logits_.size() > size_t{kWorthAThread},
           Share::kAsFree, choose_one);
}

void OwnBatch::run(const Jobs& jobs) {
  int64_t submitted = 0;
  do {
    while (submitted < jobs.count && batch_.has_room()) batch_.submit(jobs.make(submitted++));
    if (jobs.between_steps) jobs.between_steps();
  } while (batch_.step());
}

}  // namespace bough
