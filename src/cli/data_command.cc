// bough data: corpora from Debian's packages, Persona-Chat and IWSLT, and statistics of corpora.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/data/ding.h"
#include "bough/data/iwslt.h"
#include "bough/data/personachat.h"
#include "bough/data/stats.h"
#include "bough/data/wordnet.h"
#include "commands.h"

namespace bough::cli {

namespace {

/// A verb that turns a source into train, valid and test files.
template <typename Options>
class PrepareCommand : public Command {
 public:
  using Write = SplitCounts (*)(const Options&, const Tokenizer&, const fs::path&);
  struct HelpText {
    std::string_view name;
    std::string_view summary;
    std::string_view usage;
  };

  PrepareCommand(const HelpText& text, Write write) : text_(text), write_(write) {}

  std::string_view name() const override { return text_.name; }
  std::string_view summary() const override { return text_.summary; }
  std::string_view usage() const override { return text_.usage; }
  void declare(OptionSet& set) override {
    set.group("Data");
    set.text("out", out_, "DIR", "the folder to write to").required = true;
    set.flag("force", force_, "replace a corpus that is there already");
    source_.declare(set);
    tokenizer_.declare(set);
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (auto there = find_corpus(out_, source_.endings()); there && !force_) {
      throw UsageError(
          "'{}' is there already: name another folder with --out, or pass --force to "
          "replace it",
          there->string());
    }
    SplitCounts counts = write_(source_, Tokenizer(tokenizer_), out_);
    spdlog::info("{} training, {} validation and {} test lines in '{}' ({} duplicates left out)",
                 counts.train, counts.valid, counts.test, out_, counts.duplicates);
  }

 private:
  HelpText text_;
  Write write_;
  Options source_;
  std::string out_;
  bool force_ = false;
  TokenizerOptions tokenizer_;
  CommonOptions common_;
};

SplitCounts write_iwslt_pairs(const IwsltOptions& options, const Tokenizer& tokenizer,
                              const fs::path& out) {
  IwsltCounts counts = write_iwslt(options, tokenizer, out);
  if (counts.empty_pairs > 0) {
    spdlog::info("{} pairs with an empty side left out", counts.empty_pairs);
  }
  return counts.pairs;
}

class StatsCommand : public Command {
 public:
  std::string_view name() const override { return "data stats"; }
  std::string_view summary() const override {
    return "Count lines, words, distinct words and lengths of corpora.";
  }
  std::string_view usage() const override { return "data stats FILE… [--json]"; }
  void declare(OptionSet& set) override {
    set.group("Data");
    set.flag("json", json_, "print a JSON object a line instead of text");
    tokenizer_.declare(set);
    corpus_.declare(set);
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    if (arguments.empty()) throw UsageError("bough data stats needs at least one FILE");
    OutputFile output("-");
    for (const std::string& path : arguments) {
      CorpusStatistics statistics = measure_corpus(path, Tokenizer(tokenizer_), corpus_);
      output.write(json_ ? to_json(statistics).dump() + "\n" : describe(statistics));
    }
    output.commit();
  }

 private:
  bool json_ = false;
  TokenizerOptions tokenizer_;
  CorpusOptions corpus_;
  CommonOptions common_;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_data_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<PrepareCommand<WordnetOptions>>(
      PrepareCommand<WordnetOptions>::HelpText{
          "data wordnet", "Prepare WordNet's example sentences (Debian's wordnet-base).",
          "data wordnet --out DIR [options]"},
      &write_wordnet));
  commands.push_back(std::make_unique<PrepareCommand<DingOptions>>(
      PrepareCommand<DingOptions>::HelpText{
          "data ding",
          "Prepare German-English pairs of the Ding dictionary (Debian's trans-de-en).",
          "data ding --out DIR [--phrases] [options]"},
      &write_ding));
  commands.push_back(std::make_unique<PrepareCommand<PersonachatOptions>>(
      PrepareCommand<PersonachatOptions>::HelpText{
          "data personachat", "Prepare Persona-Chat as the paper does, from ParlAI's files.",
          "data personachat --raw PATH --out DIR [options]"},
      &write_personachat));
  commands.push_back(std::make_unique<PrepareCommand<IwsltOptions>>(
      PrepareCommand<IwsltOptions>::HelpText{
          "data iwslt", "Prepare translated talks: an IWSLT corpus as WIT3 distributes it.",
          "data iwslt --raw DIR --out DIR [--source LANGUAGE] [--target LANGUAGE] [options]"},
      &write_iwslt_pairs));
  commands.push_back(std::make_unique<StatsCommand>());
  return commands;
}

}  // namespace bough::cli
