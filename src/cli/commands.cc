#include "commands.h"

#include "analyze_command.h"
#include "bench_verbs.h"
#include "eval_completion_verb.h"
#include "export_verb.h"
#include "import_verb.h"
#include "info_verb.h"
#include "score_verb.h"
#include "serve_verb.h"
#include "shortlist_verb.h"
#include "train_verb.h"
#include "tune_verb.h"
#include "writing_verbs.h"

namespace bough::cli {

namespace {

using List = std::vector<std::unique_ptr<Command>>;

template <typename Verb, typename... Arguments>
void add(List& commands, const Arguments&... arguments) {
  commands.push_back(std::make_unique<Verb>(arguments...));
}

void add_all(List& commands, List&& more) {
  for (auto& command : more) commands.push_back(std::move(command));
}

}  // namespace

List all_commands() {
  List commands = make_data_commands();
  add_all(commands, make_bpe_commands());
  add<TrainVerb>(commands);
  add<DeclaredWritingVerb<ask::GenerateOptions>>(commands, kGenerate);
  add<DeclaredWritingVerb<ask::CompleteOptions>>(commands, kComplete);
  add<DeclaredWritingVerb<ask::ReorderOptions>>(commands, kReorder);
  add<DeclaredWritingVerb<ask::TranslateOptions>>(commands, kTranslate);
  add<ScoreVerb>(commands);
  add<TuneVerb>(commands);
  add<ShortlistVerb>(commands);
  add<ExportVerb>(commands);
  add<ImportVerb>(commands);
  commands.push_back(make_eval_command());
  commands.push_back(make_eval_samples_command());
  add<EvalCompletionVerb>(commands);
  add<AnalyzeCommand>(commands);
  add_all(commands, make_tagger_commands());
  add<InfoVerb>(commands);
  add<ServeVerb>(commands);
  add<BenchVerb<TrainBenchOptions>>(commands, kBenchTrain);
  add<BenchVerb<TranslateBenchOptions>>(commands, kBenchTranslate);
  add<BenchVerb<GenerateBenchOptions>>(commands, kBenchGenerate);
  add<BenchVerb<ScoreBenchOptions>>(commands, kBenchScore);
  add<BenchVerb<GrowthBenchOptions>>(commands, kBenchGrowth);
  add<BenchVerb<EvalBenchOptions>>(commands, kBenchEval);
  commands.push_back(make_bench_start_command());
  commands.push_back(make_completion_command());
  return commands;
}

}  // namespace bough::cli
