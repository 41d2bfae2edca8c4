// BLEU and its tokenizers against sacreBLEU 2.6.0, and BLEU's laws.
#include "bough/metrics/bleu.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bough/base/utf8.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using nlohmann::json;

template <typename Enum>
Enum enum_of(const std::string& name) {
  for (const auto& [value, known] : EnumNames<Enum>::kNames) {
    if (known == name) return value;
  }
  ADD_FAILURE() << "no value " << name;
  return {};
}

BleuOptions options_of(const json& entry) {
  BleuOptions options;
  options.tokenizer = enum_of<BleuTokenizer>(entry["tokenize"]);
  options.lowercase = entry["lowercase"];
  options.smoothing = enum_of<BleuSmoothing>(entry["smooth_method"]);
  if (!entry["smooth_value"].is_null()) options.smooth_value = entry["smooth_value"];
  options.effective_order = entry["effective_order"];
  options.max_order = entry["max_ngram_order"];
  return options;
}

/// The lines of a file that an entry is about.
std::vector<std::string> lines_of(const json& entry, const std::string& file) {
  std::vector<std::string> all = golden_lines(file + ".txt");
  if (entry.value("lines", json("all")).is_string()) return all;
  std::vector<std::string> lines;
  for (size_t line : entry["lines"]) lines.push_back(all[line - 1]);
  return lines;
}

References references_of(const json& entry) {
  std::vector<std::vector<std::string>> files;
  for (const std::string file : entry["refs"]) files.push_back(lines_of(entry, file));
  return References(std::move(files));
}

/// The signature without the version and the number of references.
std::string signature_of(const Metric& metric) {
  std::string text;
  for (const auto& [key, value] : metric.settings()) text += "|" + key + ":" + value;
  return text;
}

TEST(BleuWords, AreSacreBleus) {
  json golden = golden_json("sacrebleu_tokenized.json");
  for (const auto& [tokenizer, files] : golden.items()) {
    for (const auto& [file, expected] : files.items()) {
      std::vector<std::string> lines = golden_lines(file + ".txt");
      ASSERT_EQ(lines.size(), expected.size());
      for (size_t i = 0; i < lines.size(); ++i) {
        std::string separated = separate_words(lines[i], enum_of<BleuTokenizer>(tokenizer));
        EXPECT_EQ(split_at_white_space(separated),
                  split_at_white_space(expected[i].get_ref<const std::string&>()))
            << tokenizer << ", " << file << ", line " << i + 1;
      }
    }
  }
}

TEST(Bleu, OfACorpusIsSacreBleus) {
  json golden = golden_json("sacrebleu_corpus_bleu.json");
  ASSERT_GT(golden.size(), 100U);
  for (const json& entry : golden) {
    auto metric = make_bleu(options_of(entry));
    std::vector<std::string> hypotheses = lines_of(entry, entry["hyp"]);
    std::vector<double> sums = measure_text(*metric, hypotheses, references_of(entry), 2).sum();
    EXPECT_NEAR(metric->score(sums), entry["score"].get<double>(), 1e-10) << entry;
    std::string printed = entry["printed"];
    EXPECT_EQ(metric->details(sums), printed.substr(printed.find(' ', printed.find("= ") + 2) + 1));
    if (entry["max_ngram_order"] == 4) {
      EXPECT_NE(entry["signature"].get<std::string>().find(signature_of(*metric)),
                std::string::npos)
          << entry["signature"] << " is not " << signature_of(*metric);
    }
  }
}

TEST(Bleu, OfASentenceIsSacreBleus) {
  size_t compared = 0;
  for (const json& entry : golden_json("sacrebleu_sentence_bleu.json")) {
    if (entry["effective_order"] == false) continue;  // ours always is, for single sentences
    auto metric = make_bleu(options_of(entry));
    std::vector<std::string> hypotheses = lines_of(entry, entry["hyp"]);
    Rows rows = measure_text(*metric, hypotheses, references_of(entry), 1);
    for (size_t i = 0; i < rows.lines(); ++i) {
      EXPECT_NEAR(metric->sentence_score(rows.of(i)), entry["scores"][i].get<double>(), 1e-10);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(Bleu, OfSentencesAveragedIsThatOfThePapersProgram) {
  BleuOptions options{.smoothing = BleuSmoothing::kNone};
  auto metric = make_bleu(options);
  json golden = golden_json("f1_em.json");
  for (const auto& [key, entry] : golden.items()) {
    if (entry["lowercased"]) continue;
    References references = golden_references({entry["ref"]});
    Rows rows = measure_text(*metric, golden_lines(entry["hyp"]), references, 1);
    double sum = 0;
    for (size_t i = 0; i < rows.lines(); ++i) sum += metric->sentence_score(rows.of(i));
    EXPECT_NEAR(sum / static_cast<double>(rows.lines()), entry["bleu"].get<double>(), 1e-10);
  }
}

TEST(Bleu, CountsAnNgramAsOftenAsOneReferenceHasIt) {
  std::vector<std::vector<std::string_view>> references = {{"the", "cat"}, {"the", "the", "dog"}};
  std::vector<std::string_view> hypothesis = {"the", "the", "the", "cat"};
  BleuCounts counts = count_bleu(hypothesis, references, 2);
  EXPECT_EQ(counts.covered, (std::vector<double>{3, 2}));
  EXPECT_EQ(counts.total, (std::vector<double>{4, 3}));
  EXPECT_EQ(counts.reference_words, 3);
}

}  // namespace
}  // namespace bough
