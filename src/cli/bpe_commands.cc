// bough data learn-bpe, apply-bpe: byte-pair codes for texts outside of a model, as subword-nmt
// makes and uses them.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"
#include "bough/text/bpe_learn.h"
#include "bough/text/bpe_splitter.h"
#include "commands.h"
#include "line_input.h"

namespace bough::cli {

namespace {

template <typename Take>
void for_each_line(const std::string& input, const Take& take) {
  TextReader reader(input);
  for (std::string line; reader.next(line);) take(line);
}

class LearnBpeCommand : public Command {
 public:
  std::string_view name() const override { return "data learn-bpe"; }
  std::string_view summary() const override {
    return "Learn byte-pair codes from text (`bough train --bpe-merges` does it by itself).";
  }
  std::string_view usage() const override {
    return "data learn-bpe [-i FILE] -o CODES [--vocabulary-out FILE] [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Byte-pair codes");
    set.text("input", input_, "FILE", "text, words between spaces; -: standard input").short_name =
        'i';
    Option& output = set.text("output", output_, "FILE", "where to write the codes");
    output.short_name = 'o';
    output.required = true;
    set.text("vocabulary-out", vocabulary_, "FILE",
             "write the text's pieces with their counts, too: for apply-bpe --bpe-vocabulary");
    learning_.declare(set);
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    WordCounts counts;
    for_each_line(input_, [&](const std::string& line) {
      for (std::string_view word : split_at_white_space(line)) ++counts[std::string(word)];
    });
    if (counts.empty()) throw DataError("'{}' has no words to learn from", input_);
    BpeCodes codes = learn_bpe(counts, learning_);
    codes.save(output_);
    spdlog::info("{} merges in '{}'", codes.merges.size(), output_);
    if (vocabulary_.empty()) return;
    Bpe bpe(codes);
    WordCounts pieces;
    for (const auto& [word, count] : counts) {
      for (std::string& piece : bpe.split_word(word)) pieces[std::move(piece)] += count;
    }
    write_bpe_vocabulary(vocabulary_, pieces);
  }

 private:
  std::string input_ = "-";
  std::string output_;
  std::string vocabulary_;
  BpeLearnOptions learning_;
  CommonOptions common_;
};

class ApplyBpeCommand : public Command {
 public:
  std::string_view name() const override { return "data apply-bpe"; }
  std::string_view summary() const override {
    return "Cut the words of text into pieces by byte-pair codes, or put them together again.";
  }
  std::string_view usage() const override {
    return "data apply-bpe --codes FILE | --join [-i FILE] [-o FILE] [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Byte-pair codes");
    set.text("codes", codes_, "FILE", "byte-pair codes: of learn-bpe, of a model, of subword-nmt");
    set.flag("join", join_, "put pieces together again");
    lines_.declare(set, "text, words between spaces");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    options_.declare(set);
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (codes_.empty() != join_) {
      throw UsageError("give --codes to cut words into pieces, or --join to put them together");
    }
    OutputFile output(output_);
    if (join_) {
      answer_lines(lines_, output, join_bpe_line);
    } else {
      Bpe bpe(BpeCodes::load(codes_), options_);
      BpeSplitter splitter(bpe);
      answer_lines(lines_, output,
                   [&](const std::string& line) { return splitter.split_line(line); });
    }
    output.commit();
  }

 private:
  std::string codes_;
  bool join_ = false;
  LineOptions lines_;
  std::string output_ = "-";
  BpeOptions options_;
  CommonOptions common_;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_bpe_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<LearnBpeCommand>());
  commands.push_back(std::make_unique<ApplyBpeCommand>());
  return commands;
}

}  // namespace bough::cli
