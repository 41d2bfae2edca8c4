// generate: sentences from nothing.
#include "bough/ask/writing_task.h"
#include "bough/ask/writing_tasks.h"
#include "bough/base/error.h"

namespace bough::ask {

namespace {

class GenerateTask : public WritingTask {
 public:
  std::string_view verb() const override { return "generate"; }
  void declare(OptionSet& set) override { options_.declare(set); }
  WritingOptions& writing() override { return options_.writing; }
  bool takes_lines() const override { return false; }
  LineJob parse(const std::string& /*line*/) const override { return {}; }

  /// So many sentences, each by itself; or one list of the best.
  WriteRequest request(bool with_scores) const override {
    WriteRequest request = WritingTask::request(with_scores);
    if (request.best > 0) {
      request.each = options_.count;
    } else if (options_.writing.options.beam.size > 0) {
      request.best = options_.count;
    } else {
      request.count = options_.count;
    }
    return request;
  }

 protected:
  void check_own(OptionSet& /*set*/) const override {
    int64_t beam = options_.writing.options.beam.size;
    if (beam > 0 && options_.writing.text.nbest == 0 && options_.count > beam) {
      throw UsageError("a search finds --beam-size sentences: raise it to -n {}", options_.count);
    }
  }

 private:
  GenerateOptions options_;
};

}  // namespace

std::unique_ptr<WritingTask> make_generate_task() {
  return std::make_unique<GenerateTask>();
}

}  // namespace bough::ask
