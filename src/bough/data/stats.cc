#include "bough/data/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bough/text/vocabulary.h"

namespace bough {

namespace {

constexpr int64_t kMostBins = 20;

/// The least of 1, 2, 5, 10, 20, 50, … that divides `longest` into at most kMostBins bins.
int64_t bin_width(int64_t longest) {
  for (int64_t scale = 1;; scale *= 10) {
    for (int64_t step : {1, 2, 5}) {
      if (step * scale * kMostBins >= longest) return step * scale;
    }
  }
}

using LengthCounts = std::map<int64_t, int64_t>;  // length → sentences of it

std::vector<LengthBin> bins_of(const LengthCounts& counts) {
  std::vector<LengthBin> bins;
  if (counts.empty()) return bins;
  int64_t longest = counts.rbegin()->first;
  int64_t width = bin_width(longest);
  for (int64_t low = 1; low <= longest; low += width) bins.push_back({low, low + width - 1, 0});
  for (auto [length, sentences] : counts) {
    bins[static_cast<size_t>((length - 1) / width)].sentences += sentences;
  }
  return bins;
}

int64_t median_of(const LengthCounts& counts, int64_t sentences) {
  int64_t passed = 0;
  for (auto [length, count] : counts) {
    passed += count;
    if (2 * passed >= sentences) return length;
  }
  return 0;
}

std::string bin_label(const LengthBin& bin) {
  return bin.low == bin.high ? fmt::format("{}", bin.low) : fmt::format("{}-{}", bin.low, bin.high);
}

std::string histogram(const std::vector<LengthBin>& bins) {
  constexpr int64_t kBarWidth = 50;
  int64_t most = 1;
  for (const LengthBin& bin : bins) most = std::max(most, bin.sentences);
  std::string text;
  for (const LengthBin& bin : bins) {
    // Rounded up: a bin with any sentence shows.
    int64_t length = (bin.sentences * kBarWidth + most - 1) / most;
    std::string bar(static_cast<size_t>(length), '#');
    text += fmt::format("  {:>11} {:>9}{}{}\n", bin_label(bin), bin.sentences,
                        bar.empty() ? "" : "  ", bar);
  }
  return text;
}

}  // namespace

CorpusStatistics measure_corpus(const std::string& path, const Tokenizer& tokenizer,
                                const CorpusOptions& options) {
  WordCounts words;
  LengthCounts lengths;
  CorpusStatistics statistics;
  statistics.file = path;
  statistics.report = read_corpus(path, tokenizer, options, [&](std::vector<std::string>&& line) {
    ++lengths[static_cast<int64_t>(line.size())];
    for (std::string& word : line) ++words[std::move(word)];
  });
  statistics.distinct_words = static_cast<int64_t>(words.size());
  statistics.single_words = std::count_if(words.begin(), words.end(),
                                          [](const auto& entry) { return entry.second == 1; });
  if (lengths.empty()) return statistics;
  int64_t sentences = statistics.report.sentences;
  statistics.mean_length =
      static_cast<double>(statistics.report.words) / static_cast<double>(sentences);
  statistics.median_length = median_of(lengths, sentences);
  statistics.shortest = lengths.begin()->first;
  statistics.longest = lengths.rbegin()->first;
  statistics.lengths = bins_of(lengths);
  return statistics;
}

std::string describe(const CorpusStatistics& statistics) {
  const CorpusReport& report = statistics.report;
  std::string text = statistics.file + "\n";
  text += fmt::format("  sentences   {:>9}\n", report.sentences);
  text += fmt::format("  tokens      {:>9}\n", report.words);
  text += fmt::format("  vocabulary  {:>9}  ({} words occur once, {:.2f}% of the tokens)\n",
                      statistics.distinct_words, statistics.single_words,
                      100 * statistics.single_share());
  text += fmt::format("  length      {:>9.2f}  (mean; median {}, shortest {}, longest {})\n",
                      statistics.mean_length, statistics.median_length, statistics.shortest,
                      statistics.longest);
  text += fmt::format("  empty lines {:>9}\n", report.empty_lines);
  text += fmt::format("  bad lines   {:>9}{}\n", report.bad_lines,
                      report.bad_lines == 0 ? "" : "  (first: " + report.first_bad + ")");
  if (!statistics.lengths.empty()) {
    text += fmt::format("\n  {:>11} {:>9}\n", "words", "sentences");
    text += histogram(statistics.lengths);
  }
  return text;
}

nlohmann::ordered_json to_json(const CorpusStatistics& statistics) {
  const CorpusReport& report = statistics.report;
  nlohmann::ordered_json lengths = nlohmann::ordered_json::array();
  for (const LengthBin& bin : statistics.lengths) {
    lengths.push_back({{"low", bin.low}, {"high", bin.high}, {"sentences", bin.sentences}});
  }
  nlohmann::ordered_json value;
  value["file"] = statistics.file;
  value["sentences"] = report.sentences;
  value["tokens"] = report.words;
  value["vocabulary"] = statistics.distinct_words;
  value["words_once"] = statistics.single_words;
  value["words_once_share"] = statistics.single_share();
  value["length"] = {{"mean", statistics.mean_length},
                     {"median", statistics.median_length},
                     {"min", statistics.shortest},
                     {"max", statistics.longest}};
  value["empty_lines"] = report.empty_lines;
  value["bad_lines"] = report.bad_lines;
  value["first_bad_line"] = report.first_bad;
  value["length_histogram"] = std::move(lengths);
  return value;
}

}  // namespace bough
