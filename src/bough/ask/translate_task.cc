// translate: a sentence → its translation.
#include "bough/ask/writing_task.h"
#include "bough/ask/writing_tasks.h"

namespace bough::ask {

namespace {

class TranslateTask : public WritingTask {
 public:
  std::string_view verb() const override { return "translate"; }
  void declare(OptionSet& set) override { options_.declare(set); }
  WritingOptions& writing() override { return options_.writing; }

  LineJob parse(const std::string& line) const override {
    const Language& text = model_->source_text();
    std::vector<std::string> words = options_.source.split(line, text.tokenizer);
    if (words.empty()) return {};
    LineJob job{.source = text.vocabulary.ids(words), .source_text = line, .ways = {demands()}};
    if (list_) {
      job.words = std::make_shared<const std::vector<WordId>>(
          list_->words_for(job.source, options_.shortlist));
    }
    return job;
  }

 protected:
  void prepare(const OpenModel& open, OptionSet& /*set*/) override {
    model_ = open.model;
    root_ = demand_root(options_.root, *model_);
    if (options_.shortlist > 0) list_ = open.shortlist ? open.shortlist : load_shortlist(open);
  }

 private:
  std::shared_ptr<const Demands> demands() const {
    if (!root_) return nullptr;
    auto demands = std::make_shared<Demands>(*root_);
    options_.writing.options.bounds.apply(*demands);
    demands->check();
    return demands;
  }

  TranslateOptions options_;
  std::shared_ptr<const Model> model_;
  std::optional<Demands> root_;            // none: any
  std::shared_ptr<const Shortlist> list_;  // null: all words
};

}  // namespace

std::unique_ptr<WritingTask> make_translate_task() {
  return std::make_unique<TranslateTask>();
}

}  // namespace bough::ask
