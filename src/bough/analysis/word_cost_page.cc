#include "bough/analysis/word_cost_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bough/analysis/html_page.h"
#include "bough/analysis/svg.h"

namespace bough {

namespace {

/// What has the strongest colour, so that pages compare.
constexpr double kMostNats = 10.0;
constexpr double kStrongest = 0.8;  // opacity

std::string word_html(const ColouredWord& word) {
  double opacity = kStrongest * std::min(1.0, std::abs(word.cost) / kMostNats);
  std::string other;
  if (word.other) {
    other =
        fmt::format("<small{}>{} {:+.1f}</small>", word.with_other > 0.0 ? " class=\"odd\"" : "",
                    escape_xml(*word.other), word.with_other);
  }
  return fmt::format(
      "<span class=\"{}\" style=\"--strength:{:.3f}\" title=\"{:.2f} nats\" "
      "dir=\"auto\">{}{}</span>\n",
      word.cost >= 0.0 ? "costs" : "saves", opacity, word.cost, escape_xml(word.text), other);
}

}  // namespace

std::string write_word_cost_page(std::string_view title,
                                 std::span<const ColouredSentence> sentences) {
  std::string body = fmt::format(
      "<p class=\"note\">The stronger a word's colour, the more it costs: how many nats likelier "
      "the sentence would be without it, {:.0f} and more at the strongest; blue where it would be "
      "less likely. Below it stands the best other word, and how many nats likelier the sentence "
      "would be with that: underlined where it would be. In front is the sentence's "
      "perplexity.</p>\n",
      kMostNats);
  for (const ColouredSentence& sentence : sentences) {
    body += fmt::format("<p class=\"sentence\"><b>{:.1f}</b>\n", sentence.perplexity);
    for (const ColouredWord& word : sentence.words) body += word_html(word);
    body += "</p>\n";
  }
  return html_page(title, body);
}

}  // namespace bough
