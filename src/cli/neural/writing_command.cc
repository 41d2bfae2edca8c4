// bough generate, complete, reorder and translate: sentences, of a model, for lines of text.
#include <spdlog/spdlog.h>

#include "bough/ask/writing_task.h"
#include "bough/generate/settings.h"
#include "neural/compute.h"
#include "neural/line_writer.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "writing_verbs.h"

namespace bough::cli {

namespace {

class WritingCommand : public WritingVerb {
 public:
  explicit WritingCommand(const WritingVerbText& text)
      : WritingVerb(text), task_(ask::make_writing_task(text.name)) {}

  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (takes_lines() && !task_->takes_lines() && lines_.input != "-") {
      throw UsageError("give --must or --input, not both");
    }
    task_->check(read_tuned_settings(folder_), set);
    ask::OpenModel open = open_for_writing(folder_, task_->writing().options, compute_, set);
    nlohmann::json tuned = task_->make_ready(open, set);
    tell_of_settings(task_->settings_name(), tuned);
    std::unique_ptr<Reranker> reranker =
        ask::make_reranker(task_->writing(), open, compute_.device);
    OutputFile output(output_.file);
    LineWriter(*task_, *open.model, reranker.get(), output_, output).run(lines_);
    output.commit();
    if (std::string warning = task_->warning(); !warning.empty()) spdlog::warn(warning);
  }

 protected:
  void declare_task(OptionSet& set) override { task_->declare(set); }

 private:
  std::unique_ptr<ask::WritingTask> task_;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_writing_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const WritingVerbText& text : {kGenerate, kComplete, kReorder, kTranslate}) {
    commands.push_back(std::make_unique<WritingCommand>(text));
  }
  return commands;
}

}  // namespace bough::cli
