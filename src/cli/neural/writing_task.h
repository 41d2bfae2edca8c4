// A verb that writes sentences, without where its lines come from and where its answers go: what
// the command line (line_writer.h) and the server (server/) share. So a request means what the
// command with the same options means.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bough/data/shortlist.h"
#include "bough/generate/writer.h"
#include "command.h"
#include "trace_output.h"
#include "writing_options.h"

namespace bough::cli {

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

/// A model that is open, with what else its folder holds.
struct OpenModel {
  std::string folder;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // once somebody has asked for it
};

class WritingTask {
 public:
  virtual ~WritingTask() = default;

  /// Its name and its options, which the caller has read into what the three refer to.
  virtual Command& verb() = 0;
  virtual WritingOptions& writing() = 0;
  virtual TraceOutput& output() = 0;

  /// What tuned settings are for: `reorder exact`.
  virtual std::string way() { return std::string(verb().name()); }
  /// How to write where nobody has said it; `tuned` is whether there are settings for what the
  /// options say so far.
  virtual void choose_method(bool /*tuned*/, OptionSet& /*set*/) {}
  /// UsageError for options that contradict each other.
  virtual void check(OptionSet& /*set*/) const {}
  /// Before the first line is read.
  virtual void prepare(OpenModel& /*open*/, OptionSet& /*set*/) {}
  /// Whether lines say what to write. Else it is in the options: `parse` gives it for an empty
  /// line, or `request` says how many sentences.
  virtual bool takes_lines() const { return true; }
  /// DataError or UnmetError for a line that can't be read or met, without its number.
  virtual LineJob parse(const std::string& line) const = 0;
  /// What is wanted for each line.
  virtual WriteRequest request() const = 0;
  /// Of the ways in which a line was met, the one that is taken.
  virtual std::vector<Written> choose(std::vector<std::vector<Written>>&& found) const {
    return std::move(found.front());
  }
};

/// generate, complete, reorder or translate; null for other verbs.
std::unique_ptr<WritingTask> make_writing_task(std::string_view verb);

/// UsageError for options of any such verb that contradict each other.
void check_writing(const WritingOptions& writing, OptionSet& set);

/// UsageError where the model isn't one for the verb; `name` is the model's.
void check_task(const Model& model, const std::string& name, std::string_view verb);

/// The folder's shortlist; DataError where it has none.
std::shared_ptr<const Shortlist> load_shortlist(const OpenModel& open);

/// Has the jobs written by `write`, with `request` for each, and hands on what was found, by way,
/// in the jobs' order. What is found for a job without ways is nothing.
void write_jobs(
    std::span<const NumberedJob> jobs, WriteRequest request,
    const std::function<void(const WriteRequest&, const Writer::TakeWritten&)>& write,
    const std::function<void(size_t index, std::vector<std::vector<Written>>&& found)>& take);

}  // namespace bough::cli
