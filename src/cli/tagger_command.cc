// bough tagger: learning a part-of-speech tagger from CoNLL-U, judging one, and tagging text.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "bough/analysis/tagged_sentence.h"
#include "bough/analysis/tagger.h"
#include "bough/analysis/tagger_learn.h"
#include "bough/analysis/tagger_score.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"
#include "commands.h"
#include "line_input.h"
#include "progress.h"

namespace bough::cli {

enum class ScoreFormat { kJson, kText };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::ScoreFormat> {
  using Format = bough::cli::ScoreFormat;
  static constexpr auto kNames =
      std::to_array<EnumName<Format>>({{Format::kJson, "json"}, {Format::kText, "text"}});
};

namespace bough::cli {

namespace {

/// Measures how many sentences are tagged in a second.
class Watch {
 public:
  void log(size_t sentences) const {
    std::chrono::duration<double> seconds = Clock::now() - start_;
    spdlog::info("{} sentences in {:.2f} s: {:.0f} a second", sentences, seconds.count(),
                 static_cast<double>(sentences) / std::max(seconds.count(), 1e-9));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

std::vector<TaggedSentence> read_tagged(const std::string& path, bool lowercase) {
  std::vector<TaggedSentence> sentences = tagged_sentences(read_conllu(path), path);
  if (lowercase) {
    for (TaggedSentence& sentence : sentences) sentence = lower_cased(std::move(sentence));
  }
  return sentences;
}

class TaggerTrainCommand : public Command {
 public:
  std::string_view name() const override { return "tagger train"; }
  std::string_view summary() const override {
    return "Learn a part-of-speech tagger from sentences in CoNLL-U.";
  }
  std::string_view usage() const override {
    return "tagger train --train FILE.conllu --out FILE [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Tagger");
    set.text("train", train_, "FILE", "tagged sentences in CoNLL-U").required = true;
    set.text("valid", valid_, "FILE", "others, to judge the tagger by when it is learned");
    set.text("out", out_, "FILE", "where to write the tagger").required = true;
    learning_.declare(set);
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    std::vector<ConlluSentence> sentences = read_conllu(train_);
    tagged_sentences(sentences, train_);  // every word has a tag
    std::vector<TaggedSentence> valid;
    if (!valid_.empty()) valid = read_tagged(valid_, false);
    Progress progress(common_.quiet);
    Tagger tagger = learn_tagger(sentences, learning_, [&](const TaggerProgress& done) {
      progress.show(static_cast<double>(done.iteration) / static_cast<double>(done.iterations),
                    fmt::format("iteration {} of {}, {:.2f} % right", done.iteration,
                                done.iterations, 100.0 * done.accuracy));
    });
    progress.clear();
    tagger.save(out_);
    spdlog::info("{} words and {} features in '{}'", tagger.word_count(), tagger.feature_count(),
                 out_);
    if (valid.empty()) return;
    spdlog::info("validation: {:.2f} % right, in lower case {:.2f} %", accuracy(tagger, valid),
                 accuracy(tagger, read_tagged(valid_, true)));
  }

 private:
  static double accuracy(const Tagger& tagger, const std::vector<TaggedSentence>& sentences) {
    return 100.0 * judge_tagger(tagger, sentences).accuracy();
  }

  std::string train_;
  std::string valid_;
  std::string out_;
  TaggerLearnOptions learning_;
  CommonOptions common_;
};

/// The tagger of `path`, or the one that bough comes with.
Tagger load_tagger(const std::string& path) {
  return Tagger::load(path.empty() ? default_tagger_path() : fs::path(path));
}

void declare_tagger(OptionSet& set, std::string& file) {
  set.text("tagger", file, "FILE", "the tagger; without it the one that bough comes with");
}

class TaggerEvalCommand : public Command {
 public:
  std::string_view name() const override { return "tagger eval"; }
  std::string_view summary() const override {
    return "Judge a part-of-speech tagger by sentences in CoNLL-U.";
  }
  std::string_view usage() const override {
    return "tagger eval --gold FILE.conllu [--tagger FILE] [options]";
  }
  void declare(OptionSet& set) override {
    set.group("Tagger");
    set.text("gold", gold_, "FILE", "sentences with their right tags, in CoNLL-U").required = true;
    declare_tagger(set, file_);
    set.flag("lowercase", lowercase_, "give the tagger the sentences in lower case");
    set.choice("format", format_, "JSON, or text for people");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    Tagger tagger = load_tagger(file_);
    std::vector<TaggedSentence> gold = read_tagged(gold_, lowercase_);
    Watch watch;
    TaggerScore score = judge_tagger(tagger, gold);
    watch.log(gold.size());
    OutputFile output(output_);
    output.write(format_ == ScoreFormat::kJson ? to_json(score).dump(1) + "\n" : describe(score));
    output.commit();
  }

 private:
  std::string gold_;
  std::string file_;
  bool lowercase_ = false;
  ScoreFormat format_ = ScoreFormat::kText;
  std::string output_ = "-";
  CommonOptions common_;
};

class TaggerTagCommand : public Command {
 public:
  std::string_view name() const override { return "tagger tag"; }
  std::string_view summary() const override {
    return "Tag text: a line of words gives a line of universal tags.";
  }
  std::string_view usage() const override { return "tagger tag [-i FILE] [-o FILE] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Tagger");
    lines_.declare(set, "a sentence a line, its words between spaces");
    set.text("output", output_, "FILE", "where to write; -: standard output").short_name = 'o';
    declare_tagger(set, file_);
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    Tagger tagger = load_tagger(file_);
    OutputFile output(output_);
    Watch watch;
    int64_t lines = answer_lines(lines_, output,
                                 [&](const std::string& line) { return tag_line(tagger, line); });
    output.commit();
    watch.log(static_cast<size_t>(lines));
  }

 private:
  static std::string tag_line(const Tagger& tagger, const std::string& line) {
    std::vector<std::string_view> views = split_at_white_space(line);
    std::vector<std::string> words(views.begin(), views.end());
    std::string result;
    for (UniversalTag tag : tagger.tag(words)) {
      if (!result.empty()) result += ' ';
      result += name_of(tag);
    }
    return result;
  }

  LineOptions lines_;
  std::string output_ = "-";
  std::string file_;
  CommonOptions common_;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_tagger_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<TaggerTrainCommand>());
  commands.push_back(std::make_unique<TaggerEvalCommand>());
  commands.push_back(std::make_unique<TaggerTagCommand>());
  return commands;
}

}  // namespace bough::cli
