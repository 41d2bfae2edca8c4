// F1 and exact match against the program of the paper's authors.
#include "bough/metrics/overlap.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden_metrics.h"

namespace bough {
namespace {

using nlohmann::json;

TEST(Overlap, IsThatOfThePapersProgram) {
  json golden = golden_json("f1_em.json");
  EXPECT_EQ(golden.size(), 6U);
  for (const auto& [key, entry] : golden.items()) {
    auto f1 = make_f1(entry["lowercased"]);
    auto exact = make_exact_match(entry["lowercased"]);
    References references = golden_references({entry["ref"]});
    std::vector<std::string> hypotheses = golden_lines(entry["hyp"]);
    Rows f1_rows = measure_text(*f1, hypotheses, references, 2);
    Rows exact_rows = measure_text(*exact, hypotheses, references, 2);
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      EXPECT_NEAR(f1_rows.of(i)[0], entry["f1_per_sentence"][i].get<double>(), 1e-12);
      EXPECT_NEAR(f1_rows.of(i)[1], entry["precision_per_sentence"][i].get<double>(), 1e-12);
      EXPECT_NEAR(f1_rows.of(i)[2], entry["recall_per_sentence"][i].get<double>(), 1e-12);
      EXPECT_EQ(exact_rows.of(i)[0], entry["em_per_sentence"][i].get<double>());
    }
    EXPECT_NEAR(f1->score(f1_rows.sum()), entry["f1"].get<double>(), 1e-12) << key;
    EXPECT_NEAR(exact->score(exact_rows.sum()), entry["em"].get<double>(), 1e-12) << key;
  }
}

TEST(Overlap, CountsAWordAsOftenAsItOccurs) {
  std::vector<std::string_view> hypothesis = {"a", "a", "a", "b"};
  std::vector<std::string_view> reference = {"b", "a", "a"};
  Overlap overlap = word_overlap(hypothesis, reference);
  EXPECT_DOUBLE_EQ(overlap.precision, 0.75);
  EXPECT_DOUBLE_EQ(overlap.recall, 1);
  EXPECT_DOUBLE_EQ(overlap.f1, 6.0 / 7);
}

TEST(Overlap, OfTwoEmptySentencesIsFull) {
  EXPECT_EQ(word_overlap({}, {}).f1, 1);
  std::vector<std::string_view> word = {"a"};
  EXPECT_EQ(word_overlap(word, {}).f1, 0);
  EXPECT_EQ(word_overlap({}, word).f1, 0);
}

TEST(Overlap, TakesTheBestReference) {
  auto f1 = make_f1(false);
  auto exact = make_exact_match(false);
  References references({{"a b"}, {"a b c"}});
  std::vector<std::string> hypotheses = {"a b c"};
  EXPECT_EQ(f1->score(measure_text(*f1, hypotheses, references, 1).sum()), 1);
  EXPECT_EQ(exact->score(measure_text(*exact, hypotheses, references, 1).sum()), 1);
}

}  // namespace
}  // namespace bough
