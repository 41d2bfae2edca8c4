#include "bough/data/corpus.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr size_t kMostLineBytes = 1U << 20;

enum class Format { kText, kTsv, kJsonl };

Format format_of(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".tsv")) return Format::kTsv;
  if (path.ends_with(".jsonl")) return Format::kJsonl;
  return Format::kText;
}

/// Turns a line into words. Throws DataError with what is wrong; the caller adds file and line.
class LineParser {
 public:
  LineParser(Format format, const Tokenizer& tokenizer, const CorpusOptions& options)
      : format_(format), tokenizer_(tokenizer), options_(options) {}

  std::vector<std::string> parse(std::string_view line) {
    if (line.size() > kMostLineBytes) {
      throw DataError("the line has {} bytes, more than the {} allowed", line.size(),
                      kMostLineBytes);
    }
    std::vector<std::string> words = words_of(line);
    if (words.size() > static_cast<size_t>(options_.max_line_words)) {
      throw DataError("the line has {} words, more than --max-line-words {}", words.size(),
                      options_.max_line_words);
    }
    return words;
  }

 private:
  std::vector<std::string> words_of(std::string_view line) {
    switch (format_) {
      case Format::kText:
        return tokenizer_.split(line);
      case Format::kTsv:
        return tokenizer_.split(column_of(line));
      case Format::kJsonl:
        return from_json(line);
    }
    return {};
  }

  std::string_view column_of(std::string_view line) {
    auto columns = 1 + std::count(line.begin(), line.end(), '\t');
    if (options_.column > columns) {
      throw DataError("the line has {} columns and --column is {}", columns, options_.column);
    }
    if (columns_ == 0) columns_ = columns;
    if (columns != columns_) {
      throw DataError("the line has {} columns, the lines before it {}", columns, columns_);
    }
    for (int64_t i = 1; i < options_.column; ++i) line.remove_prefix(line.find('\t') + 1);
    return line.substr(0, line.find('\t'));
  }

  std::vector<std::string> from_json(std::string_view line) const {
    auto value = nlohmann::json::parse(line, nullptr, false);
    if (value.is_discarded()) throw DataError("not valid JSON");
    if (value.is_object() && value.contains("tokens")) {
      return check_tokens(value["tokens"]);
    }
    if (value.is_object() && value.contains("text") && value["text"].is_string()) {
      return tokenizer_.split(value["text"].get<std::string>());
    }
    throw DataError("expected an object with \"tokens\" (a list of words) or \"text\"");
  }

  std::vector<std::string> check_tokens(const nlohmann::json& tokens) const {
    if (!tokens.is_array()) throw DataError("\"tokens\" is not a list of words");
    std::vector<std::string> words;
    for (const auto& token : tokens) {
      if (!token.is_string()) throw DataError("\"tokens\" is not a list of words");
      auto word = token.get<std::string>();
      if (word.empty() || word.find_first_of(" \t\n\r") != std::string::npos) {
        throw DataError("the token '{}' is empty or has white space in it", for_message(word));
      }
      if (tokenizer_.options().lowercase) word = lower_case(word);
      for (std::string& piece : tokenizer_.pieces_of(word)) words.push_back(std::move(piece));
    }
    return words;
  }

  Format format_;
  const Tokenizer& tokenizer_;
  const CorpusOptions& options_;
  int64_t columns_ = 0;
};

/// A file of sentences, line by line.
class SentenceReader {
 public:
  SentenceReader(const std::string& path, const Tokenizer& tokenizer, const CorpusOptions& options)
      : reader_(path), parser_(format_of(path), tokenizer, options), options_(options) {}

  /// The words of the next line; none for an empty one and for one that is bad. False at the end.
  bool next(std::vector<std::string>& words, CorpusReport& report) {
    words.clear();
    bad_ = false;
    try {
      if (!reader_.next(line_)) return false;
    } catch (const BadLine& error) {
      take_note(error.what(), report);
      return true;
    }
    if (line_.find_first_not_of(" \t") == std::string::npos) return true;
    try {
      words = parser_.parse(line_);
    } catch (const DataError& error) {
      take_note(fmt::format("{}: {}", reader_.place(), error.what()), report);
    }
    return true;
  }

  /// Whether the last line was bad.
  bool bad() const { return bad_; }

  /// How many lines the whole file has.
  int64_t count_lines() {
    auto passes = [this] {
      try {
        return reader_.next(line_);
      } catch (const BadLine&) {
        return true;
      }
    };
    while (passes()) {
    }
    return static_cast<int64_t>(reader_.line_number());
  }

 private:
  void take_note(const std::string& message, CorpusReport& report) {
    if (!options_.skip_bad_lines) {
      throw DataError("{}. Mend the line, or pass --skip-bad-lines", message);
    }
    bad_ = true;
    if (report.bad_lines++ == 0) report.first_bad = message;
  }

  TextReader reader_;
  LineParser parser_;
  const CorpusOptions& options_;
  std::string line_;
  bool bad_ = false;
};

}  // namespace

CorpusReport read_corpus(const std::string& path, const Tokenizer& tokenizer,
                         const CorpusOptions& options,
                         const std::function<void(std::vector<std::string>&&)>& take) {
  SentenceReader reader(path, tokenizer, options);
  CorpusReport report;
  for (std::vector<std::string> words; reader.next(words, report);) {
    if (words.empty()) {
      if (!reader.bad()) ++report.empty_lines;
      continue;
    }
    ++report.sentences;
    report.words += static_cast<int64_t>(words.size());
    take(std::move(words));
  }
  return report;
}

CorpusReport read_parallel(
    const CorpusSide& source, const CorpusSide& target, const CorpusOptions& options,
    const std::function<void(std::vector<std::string>&&, std::vector<std::string>&&)>& take) {
  CorpusOptions source_options = options;
  source_options.column = source.column;
  CorpusOptions target_options = options;
  target_options.column = target.column;
  SentenceReader source_reader(source.path, source.tokenizer, source_options);
  SentenceReader target_reader(target.path, target.tokenizer, target_options);
  CorpusReport report;
  std::vector<std::string> from;
  std::vector<std::string> to;
  while (true) {
    bool more = source_reader.next(from, report);
    if (target_reader.next(to, report) != more) {
      throw DataError("'{}' has {} lines, '{}' has {}: line i of one goes with line i of the other",
                      source.path, source_reader.count_lines(), target.path,
                      target_reader.count_lines());
    }
    if (!more) return report;
    if (from.empty() || to.empty()) {
      if (!source_reader.bad() && !target_reader.bad()) ++report.empty_lines;
      continue;
    }
    ++report.sentences;
    report.words += static_cast<int64_t>(to.size());
    take(std::move(from), std::move(to));
  }
}

std::vector<std::vector<std::string>> read_sentences(const std::string& path,
                                                     const Tokenizer& tokenizer,
                                                     const CorpusOptions& options) {
  std::vector<std::vector<std::string>> sentences;
  if (path.empty()) return sentences;
  read_corpus(path, tokenizer, options,
              [&](std::vector<std::string>&& words) { sentences.push_back(std::move(words)); });
  if (sentences.empty()) throw DataError("'{}' has no sentences", path);
  return sentences;
}

}  // namespace bough
