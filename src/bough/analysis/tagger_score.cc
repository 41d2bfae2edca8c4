#include "bough/analysis/tagger_score.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bough {

namespace {

double share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

/// Calls take(name, score) for each tag that some word has.
template <typename Take>
void for_each_tag(const TaggerScore& score, Take take) {
  for (const auto& [tag, name] : EnumNames<UniversalTag>::kNames) {
    TagScore tag_score = score_of(score, tag);
    if (tag_score.words > 0) take(name, tag_score);
  }
}

}  // namespace

double TaggerScore::accuracy() const {
  return share(right, words);
}

double TaggerScore::unseen_accuracy() const {
  return share(unseen_right, unseen_words);
}

TagScore score_of(const TaggerScore& score, UniversalTag tag) {
  auto index = static_cast<size_t>(tag);
  int64_t right = score.confusion[index][index];
  int64_t given = 0;
  TagScore result;
  for (size_t other = 0; other < kUniversalTags; ++other) {
    result.words += score.confusion[index][other];
    given += score.confusion[other][index];
  }
  result.precision = share(right, given);
  result.recall = share(right, result.words);
  result.f1 = share(2 * right, given + result.words);
  return result;
}

TaggerScore judge_tagger(const Tagger& tagger, const std::vector<TaggedSentence>& sentences) {
  TaggerScore score;
  for (const TaggedSentence& sentence : sentences) {
    std::vector<UniversalTag> tags = tagger.tag(sentence.words);
    for (size_t i = 0; i < tags.size(); ++i) {
      UniversalTag gold = sentence.tags[i];
      ++score.confusion[static_cast<size_t>(gold)][static_cast<size_t>(tags[i])];
      int64_t right = tags[i] == gold ? 1 : 0;
      ++score.words;
      score.right += right;
      if (tagger.knows(sentence.words[i])) continue;
      ++score.unseen_words;
      score.unseen_right += right;
    }
  }
  return score;
}

nlohmann::ordered_json to_json(const TaggerScore& score) {
  nlohmann::ordered_json json = {{"words", score.words},
                                 {"accuracy", score.accuracy()},
                                 {"unseen_words", score.unseen_words},
                                 {"unseen_accuracy", score.unseen_accuracy()}};
  for_each_tag(score, [&](std::string_view name, const TagScore& tag) {
    json["tags"][std::string(name)] = {
        {"words", tag.words}, {"precision", tag.precision}, {"recall", tag.recall}, {"f1", tag.f1}};
  });
  return json;
}

std::string describe(const TaggerScore& score) {
  std::string text = fmt::format(
      "accuracy      {:6.2f} %  of {} words\nunseen words  {:6.2f} %  of {}\n\n",
      100.0 * score.accuracy(), score.words, 100.0 * score.unseen_accuracy(), score.unseen_words);
  text +=
      fmt::format("{:<6} {:>8} {:>10} {:>8} {:>8}\n", "tag", "words", "precision", "recall", "F1");
  for_each_tag(score, [&](std::string_view name, const TagScore& tag) {
    text += fmt::format("{:<6} {:>8} {:>10.2f} {:>8.2f} {:>8.2f}\n", name, tag.words,
                        100.0 * tag.precision, 100.0 * tag.recall, 100.0 * tag.f1);
  });
  return text;
}

}  // namespace bough
