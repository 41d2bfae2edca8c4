// What a verb that writes sentences makes of its options and of a line, without where lines come
// from and where answers go: what the command line, the server and the library share. So a question
// means the same wherever it is asked.
//
//     std::unique_ptr<WritingTask> task = make_writing_task("complete");
//     OptionSet set;
//     task->declare(set);                        // … and set them
//     task->make_ready(open, set);
//     write(*task, jobs, {…}, take);             // jobs from task->parse(line)
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bough/ask/open_model.h"
#include "bough/ask/writing_options.h"
#include "bough/generate/writer.h"

namespace bough::ask {

/// What is asked for by one line: one way to meet it, several to choose from, or (an empty line)
/// none.
struct LineJob {
  std::vector<WordId> source = {};                        // what it is written from
  std::string source_text = {};                           // that, as it was read
  std::vector<std::shared_ptr<const Demands>> ways = {};  // a null one demands nothing of its own
  WordList words = nullptr;                               // what it may be written with; null: all
};

/// A job with its line's number, from 0, which names its draws.
struct NumberedJob {
  int64_t number = 0;
  LineJob job;
};

class WritingTask {
 public:
  virtual ~WritingTask() = default;

  virtual std::string_view verb() const = 0;
  virtual void declare(OptionSet& set) = 0;
  virtual WritingOptions& writing() = 0;
  const WritingOptions& writing() const { return const_cast<WritingTask*>(this)->writing(); }

  /// Once options are set, before there is a model: how to write where nobody has said it, and a
  /// UsageError for options that contradict each other. `settings` is the model's generation.json.
  void check(const nlohmann::ordered_json& settings, OptionSet& set);

  /// `check`, then: options that nobody has set become those tuned for the model, and it is the
  /// model that lines are parsed for. UsageError where it isn't one for this verb. Gives what was
  /// tuned.
  nlohmann::json make_ready(const OpenModel& open, OptionSet& set);

  /// What settings are called in generation.json: `reorder exact greedy`.
  std::string settings_name() const;

  /// Whether lines say what to write. Else it is in the options: `parse` gives it for an empty
  /// line, or `request` says how many sentences.
  virtual bool takes_lines() const { return true; }
  /// DataError or UnmetError for a line that can't be read or met, without its number.
  virtual LineJob parse(const std::string& line) const = 0;
  /// What is wanted for each line. `with_scores`: the log-probabilities of steps, too.
  virtual WriteRequest request(bool with_scores) const;
  /// Of the ways in which a line was met, the one that is taken.
  virtual std::vector<Written> choose(std::vector<std::vector<Written>>&& found) const {
    return std::move(found.front());
  }
  /// What should be said to whoever gave the lines; or nothing.
  virtual std::string warning() const { return ""; }

 protected:
  /// What tuned settings are for: `reorder exact`.
  virtual std::string way() const { return std::string(verb()); }
  virtual void choose_method(bool /*tuned*/, OptionSet& /*set*/) {}
  virtual void check_own(OptionSet& /*set*/) const {}
  virtual void prepare(const OpenModel& /*open*/, OptionSet& /*set*/) {}
};

/// generate, complete, reorder or translate; null for other verbs.
std::unique_ptr<WritingTask> make_writing_task(std::string_view verb);

/// How a permutation of given words is found where neither --decode nor --beam-size nor --mbr says
/// it: by a beam. Greedily, a wrong word early on leaves others over that fit nowhere and have to
/// be written: a beam is worth ten BLEU and more (docs/experiments.md).
void search_unless_told(WriterOptions& options, OptionSet& set);

/// That the tree begins with a certain word; none where it may be any.
std::optional<Demands> demand_root(const RootOptions& options, const Model& model);

/// UsageError for options that contradict each other.
void check_writer_options(const WriterOptions& options, OptionSet& set);

/// Who ranks what `open` writes anew, by that or by another model; none where nobody is asked to.
std::unique_ptr<Reranker> make_reranker(const WritingOptions& writing, const OpenModel& open,
                                        const std::string& device);

/// Writes with a model in the orders that the options name.
void write_sentences(const WriterOptions& options, const Model& model, const WriteRequest& request,
                     const Writer::TakeWritten& take);

/// Takes the index of a job and its sentences.
using TakeJob = std::function<void(size_t index, std::vector<Written>&& found)>;

/// Has the jobs of a task that is ready written, with `request` for each, and hands on what is
/// chosen for each in the jobs' order; nothing for a job without ways.
void write_jobs(const WritingTask& task, const Model& model, std::span<const NumberedJob> jobs,
                WriteRequest request, const TakeJob& take);

/// The same for a task that takes no lines: what its options ask for.
void write_only(const WritingTask& task, const Model& model, const WriteRequest& request,
                const Writer::TakeWritten& take);

}  // namespace bough::ask
