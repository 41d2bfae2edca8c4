// bough reorder: a bag of words a line → a sentence.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/data/corpus.h"
#include "bough/generate/beam.h"
#include "bough/generate/generator.h"
#include "bough/generate/mbr.h"
#include "bough/generate/settings.h"
#include "commands.h"
#include "signals.h"
#include "trace_output.h"

namespace bough::cli {

namespace {

class ReorderCommand : public Command {
 public:
  ReorderCommand() { request_.sampler.decode = Decode::kGreedy; }

  std::string_view name() const override { return "reorder"; }
  std::string_view summary() const override { return "Put bags of words in order."; }
  std::string_view usage() const override { return "reorder --model DIR [-i FILE] [options]"; }
  void declare(OptionSet& set) override {
    set_ = &set;
    set.group("Reordering");
    set.text("model", model_, "DIR", "the model's folder").required = true;
    set.text("input", input_, "FILE", "a bag of words a line, in any order; -: standard input")
        .short_name = 'i';
    output_.declare(set);
    set.flag("exact", exact_, "every word of the bag, each as often as it is there, and no other");
    set.integer("seed", seed_, {0, INT64_MAX}, "names all random draws");
    set.integer("batch-size", request_.batch_size, {1, 1'000'000},
                "sentences written side by side; changes speed, not output");
    set.choice("precision", precision_, "numbers to compute with");
    mbr_.declare(set);
    beam_.declare(set);
    request_.sampler.declare(set);
    request_.bounds.declare(set);
    common_.declare(set);
    compute_.declare(set);
  }

  void run(std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (beam_.size > 0 && mbr_.samples > 0) throw UsageError("give --beam-size or --mbr, not both");
    if (beam_.size > 0 && output_.format == OutputFormat::kJsonl) {
      throw UsageError("--beam-size writes --format text or tree: it keeps no scores of steps");
    }
    compute_.apply();
    spdlog::info("seed {}", seed_);
    Model model = load_model(model_, compute_.device);
    apply_tuned_settings(model_, exact_ ? "exact" : "free", *set_);
    check_task(model, Task::kReorder, model_, name());
    model.policy->set_precision(precision_);
    std::vector<std::string> lines = read_lines(input_);
    std::vector<std::vector<WordId>> bags;
    std::vector<std::shared_ptr<const Demands>> demands;
    std::vector<bool> empty;
    Tokenizer tokenizer(model.config.tokenizer);
    for (const std::string& line : lines) {
      std::vector<std::string> words = tokenizer.split(line);
      empty.push_back(words.empty());
      if (words.empty()) continue;
      bags.push_back(model.vocabulary.ids(words));
      if (exact_) demands.push_back(demand_permutation(words, model.vocabulary));
    }
    // With --mbr every bag is there several times, one behind the other.
    auto draws = static_cast<size_t>(std::max<int64_t>(1, mbr_.samples));
    if (mbr_.samples > 0) request_.sampler.decode = Decode::kSample;
    std::vector<Source> sources;
    std::vector<std::shared_ptr<const Demands>> all_demands;
    for (size_t i = 0; i < bags.size(); ++i) {
      sources.insert(sources.end(), draws, bags[i]);
      if (exact_) all_demands.insert(all_demands.end(), draws, demands[i]);
    }
    request_.count = static_cast<int64_t>(sources.size());
    request_.seed = static_cast<uint64_t>(seed_);
    request_.with_scores = output_.format == OutputFormat::kJsonl;
    request_.sources = sources;
    request_.demands = all_demands;
    OutputFile output(output_.file);
    size_t line = 0;
    auto write_empty_lines = [&] {
      for (; line < empty.size() && empty[line]; ++line) output.write_line("");
    };
    const std::atomic<bool>& stop = stop_requested();
    std::vector<Trace> found;  // of the bag under way
    auto take = [&](Trace&& trace) {
      found.push_back(std::move(trace));
      if (found.size() < draws) return;
      write_empty_lines();
      output.write_line(output_.render(found[choose(found)]));
      found.clear();
      ++line;
      if (stop) throw Interrupted("interrupted");
    };
    if (beam_.size > 0) {
      search(model, take);
    } else {
      generate(*model.policy, model.vocabulary, request_, take);
    }
    write_empty_lines();
    output.commit();
  }

 private:
  template <typename Take>
  void search(const Model& model, Take take) const {
    torch::NoGradGuard no_gradients;
    DecodeRequest request{.count = request_.count,
                          .batch_size = request_.batch_size,
                          .seed = request_.seed,
                          .sources = request_.sources,
                          .demands = request_.demands};
    BeamDecoder(request_.sampler, request_.bounds, beam_)
        .decode(*model.policy->stepper(), request, [&](std::vector<BeamCandidate>&& candidates) {
          take(trace_of(std::move(candidates.front().tree), model.vocabulary));
        });
  }

  size_t choose(const std::vector<Trace>& found) const {
    std::vector<std::string> texts;
    for (const Trace& trace : found) texts.push_back(join_words(trace.sentence()));
    return most_like_the_others(texts, mbr_.metric);
  }

  OptionSet* set_ = nullptr;  // outlives the run
  std::string model_;
  std::string input_ = "-";
  TraceOutput output_;
  bool exact_ = false;
  int64_t seed_ = 1;
  Precision precision_ = Precision::kFloat;
  GenerateRequest request_;
  MbrOptions mbr_;
  BeamOptions beam_;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace

std::unique_ptr<Command> make_reorder_command() {
  return std::make_unique<ReorderCommand>();
}

}  // namespace bough::cli
